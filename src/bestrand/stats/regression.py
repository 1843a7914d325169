"""Ridge regression as the intervals need it: how much of the scores the features leave over."""

from typing import NamedTuple

import numpy as np

from bestrand.types import FloatArray, IntArray


PENALTY = 2.0


class RidgeFit(NamedTuple):
    """What a ridge regression leaves over.

    Attributes:
        residuals: (T, n), each row of mean 0.
        variance: (T,) residual variance, with n - 1 - trace(H) degrees of freedom.
        freedom: n - 1 - trace(H).
    """

    residuals: FloatArray
    variance: FloatArray
    freedom: float


def ridge_residuals(y: FloatArray, x: FloatArray, *, penalty: float = PENALTY) -> RidgeFit:
    r"""Regress each row of y on the columns of x, both centred, and give what is left.

    $$ B = (X_c'X_c + \lambda I)^{-1} X_c'Y_c, \qquad
       \hat\sigma^2_j = \frac{\lVert Y_{cj} - X_c B_j\rVert^2}{n - 1 - \mathrm{tr} H} $$

    Args:
        y: (T, n) scores of T models; no nan.
        x: (n, p) features of the items; p may be 0 or exceed n.
        penalty: lambda, in squared units of x; scores on 0..1 take 2.

    Returns:
        Residuals and their variance; the variance is nan where no freedom is left.

    References:
        Hoerl, A. E. and Kennard, R. W. (1970). Ridge regression: biased estimation for
        nonorthogonal problems. Technometrics 12(1). doi:10.1080/00401706.1970.10488634

    Examples:
        >>> x = np.array([[0.0], [0.0], [1.0], [1.0]])
        >>> ridge_residuals(np.array([[0.0, 1.0, 1.0, 1.0]]), x, penalty=0.0).variance
        array([0.25])
    """
    yc = y - y.mean(axis=1, keepdims=True)
    xc = x - x.mean(axis=0)
    u, singular, _ = np.linalg.svd(xc, full_matrices=False)
    squares = singular**2
    kept = squares > squares.max(initial=0.0) * 1e-24  # the rest is rounding
    u, squares = u[:, kept], squares[kept]
    shrink = squares / (squares + penalty)
    residuals = yc - ((yc @ u) * shrink) @ u.T
    freedom = float(y.shape[1] - 1 - shrink.sum())
    if freedom <= 1e-9:
        return RidgeFit(residuals, np.full(len(y), np.nan), freedom)
    return RidgeFit(residuals, (residuals**2).sum(axis=1) / freedom, freedom)


def residual_share(y: FloatArray, x: FloatArray, *, penalty: float = PENALTY) -> float:
    """Give the share of the rows' variance that the features leave over, pooled over the rows.

    Pooling over models makes the share of a few hundred items usable: each model's own would be
    too noisy.

    Args:
        y: (T, n) scores; no nan.
        x: (n, p) features.
        penalty: see `ridge_residuals`.

    Returns:
        sum of residual variances / sum of variances, at most 1; 1 where that cannot be told.
    """
    n = y.shape[1]
    if n < 3 or x.shape[1] == 0:
        return 1.0
    total = float(y.var(axis=1, ddof=1).sum())
    left = float(ridge_residuals(y, x, penalty=penalty).variance.sum())
    if total <= 0.0 or not np.isfinite(left):
        return 1.0
    return min(1.0, left / total)


def within_share(y: FloatArray, groups: IntArray) -> float:
    """Give the share of the rows' variance that lies within groups, pooled over the rows.

    Args:
        y: (T, n) scores; no nan.
        groups: (n,) code of each item's group.

    Returns:
        within-group variance / variance, at most 1; 1 where that cannot be told.
    """
    codes, sizes = np.unique(groups, return_inverse=True, return_counts=True)[1:]
    n, n_groups = y.shape[1], sizes.size
    total = float(y.var(axis=1, ddof=1).sum()) if n > 1 else 0.0
    if n <= n_groups or total <= 0.0:
        return 1.0
    member = np.zeros((n, n_groups))
    member[np.arange(n), codes] = 1.0
    means = (y @ member) / sizes
    within = float(((y - means[:, codes]) ** 2).sum()) / (n - n_groups)
    return float(min(1.0, within / total))

"""Ridge regression as the intervals need it: how much of the scores the features leave over."""

from typing import NamedTuple

import numpy as np

from bestrand.types import FloatArray, IntArray


PENALTY = 2.0  # for columns that spread as right-or-wrong scores of a half-right model do
COIN = 0.25  # the variance of such a column
SMALLEST = 1e-100  # variance that is no rounding
LEAST_LEFT = 0.05  # of an item's own weight in its residual: nearer to 0 it is rounding


class RidgeFit(NamedTuple):
    """Residuals of a ridge regression.

    Attributes:
        residuals: (T, n), each row of mean 0.
        variance: (T,) residual variance, with n - 1 - trace(H) degrees of freedom.
        freedom: n - 1 - trace(H).
        leverage: (n,) diagonal of H, the intercept's 1/n included.
    """

    residuals: FloatArray
    variance: FloatArray
    freedom: float
    leverage: FloatArray

    @property
    def left_out(self) -> FloatArray:
        r"""(T, n) residuals of each item when it is left out of the fit, e / (1 - h)."""
        return self.residuals / np.maximum(1 - self.leverage, LEAST_LEFT)


def ridge_penalty(rows: FloatArray) -> float:
    """Return the ridge penalty for columns that spread less, or more, than those of a coin.

    What features explain must not depend on the unit, nor on how much of the scale scores fill.

    Args:
        rows: (K, n) the columns of the regression, one a row; flat ones do not count.

    Returns:
        2 * (mean variance / .25), above 0; 2 where all rows are flat.
    """
    variance = rows.var(axis=1)
    varies = np.ptp(rows, axis=1) > 0 if rows.size else np.zeros(len(rows), dtype=np.bool_)
    mean = float(variance[varies].mean()) if varies.any() else 0.0
    return PENALTY * mean / COIN if mean > SMALLEST else PENALTY


def ridge_residuals(y: FloatArray, x: FloatArray, *, penalty: float = PENALTY) -> RidgeFit:
    r"""Regress each row of y on the columns of x, both centred, and give what is left.

    $$ B = (X_c'X_c + \lambda I)^{-1} X_c'Y_c, \qquad
       \hat\sigma^2_j = \frac{\lVert Y_{cj} - X_c B_j\rVert^2}{n - 1 - \mathrm{tr} H} $$

    Args:
        y: (T, n) scores of T models; no nan.
        x: (n, p) features of the items; p may be 0 or exceed n.
        penalty: lambda, in squared units of x; see `ridge_penalty`.

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
    leverage = 1 / y.shape[1] + (u**2) @ shrink
    if freedom <= 1e-9:
        return RidgeFit(residuals, np.full(len(y), np.nan), freedom, leverage)
    return RidgeFit(residuals, (residuals**2).sum(axis=1) / freedom, freedom, leverage)


def within_residuals(y: FloatArray, groups: IntArray) -> tuple[FloatArray, int]:
    """Take each group's mean off its items' scores.

    Args:
        y: (T, n) scores; no nan.
        groups: (n,) code of each item's group.

    Returns:
        (T, n) residuals, and their degrees of freedom, items less groups.
    """
    codes, sizes = np.unique(groups, return_inverse=True, return_counts=True)[1:]
    n, n_groups = y.shape[1], sizes.size
    member = np.zeros((n, n_groups))
    member[np.arange(n), codes] = 1.0
    means = (y @ member) / sizes
    return y - means[:, codes], n - n_groups

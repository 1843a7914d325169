"""How much of some models' scores others explain: ridge regression read off the scatter matrix.

All that a regression of one model's scores on others' needs are the sums of squares and products of
all models, so thousands of regressions cost one pass over the items.
"""

from typing import NamedTuple

import numpy as np

from bestrand.stats.regression import PENALTY
from bestrand.types import FloatArray, IntArray


ROUNDING = 1e-20  # what the products of a flat model may show


class Scatter(NamedTuple):
    """Sums of squares and products of models' item scores around their means.

    Attributes:
        products: (L, L), within strata where there are any.
        freedom: N - H, items less strata.
    """

    products: FloatArray
    freedom: int

    @property
    def covariance(self) -> FloatArray:
        """(L, L) of the item scores, within strata."""
        return self.products / self.freedom


def scatter(y: FloatArray, strata: IntArray | None = None) -> Scatter:
    """Sum squares and products around the means of the strata, or around the overall means.

    Args:
        y: (L, N) scores; no nan.
        strata: (N,) codes 0..H-1, each of which occurs; None: one stratum.

    Examples:
        >>> scatter(np.array([[0.0, 1.0, 1.0, 0.0]])).covariance
        array([[0.33333333]])
    """
    codes = np.zeros(y.shape[1], dtype=np.int64) if strata is None else strata
    sizes = np.bincount(codes)
    member = np.zeros((y.shape[1], sizes.size))
    member[np.arange(y.shape[1]), codes] = 1.0
    off = y - ((y @ member) / sizes)[:, codes]
    return Scatter(np.asarray(off @ off.T), y.shape[1] - sizes.size)


def strata_at(groups: IntArray | None, n: int) -> IntArray | None:
    """Return the strata that a proportional draw of n items can keep: groups due an item or more.

    Smaller groups are pooled, for a draw cannot give each its share.

    Args:
        groups: (N,) code of each item's group, or None.
        n: items drawn.

    Returns:
        (N,) codes 0..H-1, or None where there is a single stratum.

    Examples:
        >>> strata_at(np.array([0, 0, 0, 0, 1, 2]), 2)
        array([0, 0, 0, 0, 1, 1])
    """
    if groups is None:
        return None
    sizes = np.bincount(groups)
    kept = n * sizes >= groups.size
    codes = np.where(kept, np.cumsum(kept) - 1, kept.sum())
    strata = np.unique(codes[groups], return_inverse=True)[1].astype(np.int64)
    n_strata = int(strata.max()) + 1
    return None if n_strata < 2 or n_strata >= groups.size else strata


def explained_share(
    seen: Scatter, probes: IntArray, targets: FloatArray, *, penalty: float = PENALTY
) -> FloatArray:
    r"""Share of the variance of combinations of models that a ridge on the probes explains.

    With G the products of the probes, g those with a target of own product s, and lambda_i, u_i the
    eigenvalues and vectors of G,

    $$ \mathrm{RSS} = s - \sum_i (u_i'g)^2 \frac{\lambda_i + 2\lambda}{(\lambda_i + \lambda)^2},
       \qquad R^2 = 1 - \frac{\mathrm{RSS} / (N - H - \mathrm{tr}\,H_\lambda)}{s / (N - H)} $$

    Args:
        seen: products of all L models.
        probes: (K,) their rows.
        targets: (T, L) combinations of models: a row of the identity is a model, one with 1 and -1
            the difference of two.
        penalty: lambda of the ridge.

    Returns:
        (T,) shares, below 0 where the probes tell less than nothing; nan for a flat target.

    References:
        Hoerl, A. E. and Kennard, R. W. (1970). Ridge regression: biased estimation for
        nonorthogonal problems. Technometrics 12(1). doi:10.1080/00401706.1970.10488634
    """
    crossed = targets @ seen.products
    own = np.einsum("tl,tl->t", crossed, targets)
    if probes.size == 0:
        return np.where(own > 0, 0.0, np.nan)
    values, vectors = np.linalg.eigh(seen.products[np.ix_(probes, probes)])
    values = np.clip(values, 0.0, None)
    along = crossed[:, probes] @ vectors
    left = own - (along**2) @ ((values + 2 * penalty) / (values + penalty) ** 2)
    freedom = seen.freedom - float((values / (values + penalty)).sum())
    if freedom <= 0:
        return np.full(len(targets), np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = 1 - (left / freedom) / (own / seen.freedom)
    return np.where(own > ROUNDING, share, np.nan)


def explained_by_others(
    y: FloatArray, strata: IntArray | None = None, *, penalty: float = PENALTY
) -> FloatArray:
    r"""Return the share of each model's variance that all the others explain; (L,).

    All L regressions come from one inverse P of G + lambda I, by the inverse of a partitioned
    matrix: with model k left out, slopes are $-P_{ik}/P_{kk}$ and the trace of the inverse is
    $\mathrm{tr} P - \sum_i P_{ik}^2 / P_{kk}$.

    Args:
        y: (L, N) scores on 0..1; no nan.
        strata: (N,) codes within which variances are taken, or None.
        penalty: lambda of the ridge.

    Returns:
        (L,) shares; nan for a model that is flat, and 0 where there is no other.
    """
    seen = scatter(y, strata)
    own = np.diag(seen.products)
    if len(y) == 1:
        return np.where(own > ROUNDING, 0.0, np.nan)
    inverse = np.linalg.inv(seen.products + penalty * np.eye(len(y)))
    pivot = np.diag(inverse)
    squares = (inverse**2).sum(axis=0)
    left = 1 / pivot - penalty - penalty * (squares - pivot**2) / pivot**2
    used = len(y) - 1 - penalty * (np.trace(inverse) - squares / pivot)
    freedom = seen.freedom - used
    with np.errstate(divide="ignore", invalid="ignore"):
        share = 1 - (left / freedom) / (own / seen.freedom)
    return np.where((own > ROUNDING) & (freedom > 0), share, np.nan)

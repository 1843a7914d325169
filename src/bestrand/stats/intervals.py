"""Variances of a subset's mean and of paired differences, honest where items are few.

All functions take scores on 0..1, models by items, with nan for a score that is not there.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from bestrand.types import BoolArray, FloatArray, IntArray


PRIOR_ITEMS = 4  # two right, two wrong: Agresti and Coull's addition
PAIR_ROUNDING = 1e-14  # of scores on 0..1: what models that agree on every item may show
ROUNDING = 1e-24  # of a variance: what scores that are all the same may show


class Spread(NamedTuple):
    """How the scores of each model spread over the items it was scored on.

    Attributes:
        mean: (T,) weighted mean; nan where nothing was scored.
        variance: (T,) variance of a single item's contribution to the mean.
        n: (T,) items scored.
    """

    mean: FloatArray
    variance: FloatArray
    n: IntArray


def weighted_spread(y: FloatArray, weights: FloatArray) -> Spread:
    r"""Weighted mean of each row, and the variance of its linearised terms.

    $$ \hat\mu = \frac{\sum a_i y_i}{\sum a_i}, \qquad
       u_i = \frac{a_i}{\bar a}\,(y_i - \hat\mu), \qquad s^2 = \frac{1}{n-1}\sum u_i^2 $$

    With equal weights these are the mean and the ordinary variance.

    Args:
        y: (T, n), nan where there is no score.
        weights: (n,) a_i >= 0.

    References:
        Särndal, C.-E., Swensson, B. and Wretman, J. (1992). Model Assisted Survey Sampling,
        section 5.7 (the ratio estimator). Springer.

    Examples:
        >>> weighted_spread(np.array([[1.0, 0.0, 1.0, 1.0]]), np.ones(4)).variance
        array([0.25])
    """
    there = ~np.isnan(y)
    filled = np.where(there, y, 0.0)
    n = there.sum(axis=1)
    total = there @ weights
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = (filled @ weights) / total
        terms = np.where(there, weights * (filled - mean[:, None]), 0.0)
        variance = (terms**2).sum(axis=1) * (n / total) ** 2 / (n - 1)
    variance[n < 2] = np.nan
    return Spread(mean, variance, n)


def floored_variance(spread: Spread, y: FloatArray, weights: FloatArray) -> FloatArray:
    r"""Raise each variance to what a few more items, half right and half wrong, would make it.

    $$ \tilde s^2_j = \max\Bigl(s^2_j,\ \kappa\,\tilde p_j(1-\tilde p_j)\tfrac{n}{n-1}\Bigr), \quad
       \tilde p_j = \frac{n\hat\mu_j + 2}{n + 4}, \quad
       \kappa = \min\Bigl(1,
       \frac{\sum_j s^2_j}{\sum_j \hat\mu_j(1-\hat\mu_j)\tfrac{n}{n-1}}\Bigr) $$

    A model that got all of 20 items right has variance 0 on them, and still a full score below 1.
    kappa, 1 for right-or-wrong scores, carries the floor over to graded ones; where no model's
    scores spread at all, it cannot be told and is 1. Unequal weights raise the floor by their
    design effect.

    References:
        Agresti, A. and Coull, B. A. (1998). Approximate is better than "exact" for interval
        estimation of binomial proportions. Am. Stat. 52(2). doi:10.1080/00031305.1998.10480550
    """
    there = ~np.isnan(y)
    n = spread.n.astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        effect = n * (there @ weights**2) / (there @ weights) ** 2
        scale = effect * n / (n - 1)
        bound = np.clip(spread.mean * (1 - spread.mean), 0.0, None) * scale
        p = np.clip((n * spread.mean + PRIOR_ITEMS / 2) / (n + PRIOR_ITEMS), 0.0, 1.0)
    known = (spread.n > 1) & ~np.isnan(spread.variance)
    seen, most = float(spread.variance[known].sum()), float(bound[known].sum())
    kappa = min(1.0, seen / most) if most > 0 and seen > ROUNDING else 1.0
    floor = np.where(known, kappa * p * (1 - p), 0.0) * np.where(known, scale, 0.0)
    return np.where(known, np.maximum(spread.variance, floor), np.nan)


def two_phase_factor(
    n_scored: IntArray | FloatArray,
    *,
    n: int,
    n_pool: int,
    n_frame: int,
    residual_share: float = 1.0,
    within_share: float = 1.0,
) -> FloatArray:
    r"""What to multiply an item's variance by to get the variance of the estimate.

    $$ \Bigl(\frac1n - \frac1m\Bigr) q + \Bigl(\frac1m - \frac1N\Bigr) w
       + \Bigl(\frac1{n_j} - \frac1n\Bigr) $$

    The first term is the choice of n from the pool, of which balance leaves the share q to chance;
    the second the draw of the pool from the frame; the third the items of the subset that model j
    lacks. With q = w = 1 and nothing lacking it is simple random sampling, 1/n - 1/N.

    Args:
        n_scored: n_j, items of the subset that each model was scored on.
        n: size of the subset.
        n_pool: m.
        n_frame: N.
        residual_share: q, the share of variance that the balanced features leave over.
        within_share: w, the share that lies within the groups by which the pool was stratified.

    Returns:
        The factor, the shape of `n_scored`; exactly 0 where n_j = N.

    References:
        Cochran, W. G. (1977). Sampling Techniques, 3rd ed., ch. 12. Wiley.

    Examples:
        >>> two_phase_factor(np.array([50]), n=50, n_pool=200, n_frame=1000, residual_share=0.5)
        array([0.0115])
    """
    balanced = (1 / n - 1 / n_pool) * residual_share + (1 / n_pool - 1 / n_frame) * within_share
    with np.errstate(divide="ignore"):
        lacking = 1 / np.asarray(n_scored, dtype=np.float64) - 1 / n
    return np.asarray(balanced + lacking, dtype=np.float64)


def t_quantile(level: float, freedom: IntArray | FloatArray) -> FloatArray:
    """Two-sided quantile of Student's t; nan without freedom.

    Examples:
        >>> t_quantile(0.95, np.array([9.0])).round(3)
        array([2.262])
    """
    freedom = np.asarray(freedom, dtype=np.float64)
    quantile = stdtrit(np.where(freedom > 0, freedom, np.nan), 0.5 + level / 2)
    return np.asarray(quantile, dtype=np.float64)


class PairSpread(NamedTuple):
    """How the paired differences of models spread over the items that both were scored on.

    Attributes:
        mean: (T, T) weighted mean of row's score - column's score; nan where no item is shared.
        variance: (T, T) variance of an item's contribution, with a floor; nan where n < 2.
        n: (T, T) items that both were scored on.
    """

    mean: FloatArray
    variance: FloatArray
    n: IntArray


def pair_spread(y: FloatArray, weights: FloatArray) -> PairSpread:
    r"""Paired differences d = y_a - y_b of all pairs, their variance raised where items are few.

    $$ \tilde s^2 = \Bigl[\frac{\sum d^2 + 2\,\overline{d^2}}{n+2}
       - \Bigl(\frac{\sum d}{n+2}\Bigr)^2\Bigr]\frac{n}{n-1} $$

    with the mean of d squared taken over all items and pairs: two more items, on which the pair
    differs by as much as pairs do on the whole, once in each direction. Two models that agree on
    every item of a small subset still differ by some unknown amount on the frame. With unequal
    weights each squared deviation counts (a_i / mean a)^2 times, those of the two more items as
    often as the others do on average.

    Args:
        y: (T, n), nan where there is no score.
        weights: (n,) a_i >= 0.

    References:
        Agresti, A. and Min, Y. (2005). Simple improved confidence intervals for comparing matched
        proportions. Stat. Med. 24(5). doi:10.1002/sim.1781
    """
    there = (~np.isnan(y)).astype(np.float64)
    filled = np.where(there > 0, y, 0.0)

    def sum_over_shared(a: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        total = (there * a) @ there.T
        first = (filled * a) @ there.T
        square = (filled**2 * a) @ there.T
        return total, first - first.T, square + square.T - 2 * (filled * a) @ filled.T

    n = there @ there.T
    total, difference, _ = sum_over_shared(weights)
    total2, difference2, square2 = sum_over_shared(weights**2)
    with np.errstate(invalid="ignore", divide="ignore"):
        scale = (n / total) ** 2
        upper: BoolArray = np.triu(total > 0, 1)
        mean_square = float((scale * square2)[upper].sum() / n[upper].sum()) if upper.any() else 0.0
        mean = difference / total
        shrunk = mean * n / (n + 2)
        second = scale * square2 + 2 * mean_square
        cross = scale * difference2
        own = scale * total2 * (1 + 2 / n)
        variance = (second - 2 * shrunk * cross + shrunk**2 * own) / (n + 2) * n / (n - 1)
    variance = np.where(variance < PAIR_ROUNDING, 0.0, variance)  # models that never differ
    variance = np.where(n > 1, variance, np.nan)
    np.fill_diagonal(variance, 0.0)
    return PairSpread(mean, variance, n.astype(np.int64))

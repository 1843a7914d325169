"""Variances of a subset's mean and of paired differences, honest where items are few.

All functions take scores in any unit, models by items, with nan for a score that is not there.
"""

from typing import NamedTuple, TypeAlias

import numpy as np
from scipy.special import stdtrit

from bestrand.types import BoolArray, FloatArray, IntArray


FLOOR_ITEMS = 4  # two right, two wrong: Agresti and Coull's addition
PAIR_ITEMS = 2  # one better, one worse
ROUNDING = 1e-30  # of a sum of squares
NEAR_FLAT = 0.25  # of the items: a model with more of other scores shows its own stretch
FLAT = 1e-9  # of the scores' size: what scores that are all the same may differ by

Bounds: TypeAlias = tuple[float, float] | None


class ScoreSpread(NamedTuple):
    """How the scores of each model spread over the items it was scored on.

    Attributes:
        mean: (T,) weighted mean; nan where nothing was scored.
        variance: (T,) variance of a single item's contribution to the mean.
        n: (T,) items scored.
    """

    mean: FloatArray
    variance: FloatArray
    n: IntArray


def weighted_spread(y: FloatArray, weights: FloatArray) -> ScoreSpread:
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
    return ScoreSpread(mean, variance, n)


class Reach(NamedTuple):
    """The stretch of the scale on which each model scores, and how far it spreads there.

    Attributes:
        low: (T,) lowest score; the lower bound of the metric for a model that is flat, nan where
            that is not known.
        high: (T,) highest score, likewise.
        kappa: (T,) variance over the largest that scores of this mean can have on low..high: 1
            for right-or-wrong scores, less for graded ones, and 1 for a model that is flat.
    """

    low: FloatArray
    high: FloatArray
    kappa: FloatArray


def score_reach(
    spread: ScoreSpread,
    y: FloatArray,
    weights: FloatArray,
    bounds: Bounds,
    like: Reach | None = None,
) -> Reach:
    """Find on which stretch of the scale each model scores, from its own scores.

    Args:
        spread: of y.
        y: (T, n), nan where there is no score.
        weights: (n,) a_i >= 0.
        bounds: lowest and highest score possible, for models that are flat; None if unknown.
        like: (T,) what is known of a model like each, on more items: the stretch is widened to
            that model's, and kappa raised to its kappa. None: nothing is known.
    """
    low, high = _ends(y, weights)
    flat = _is_flat(low, high)
    least, most = np.full((2, len(y)), np.nan)
    if like is not None:
        least, most = like.low, like.high
    low, high = np.fmin(low, least), np.fmax(high, most)
    if bounds is not None:
        least, most = np.fmin(least, bounds[0]), np.fmax(most, bounds[1])
    low = np.where(flat, np.minimum(low, least), low)  # nan where nothing is known
    high = np.where(flat, np.maximum(high, most), high)
    with np.errstate(invalid="ignore", divide="ignore"):
        largest = (spread.mean - low) * (high - spread.mean) * _scale(spread, y, weights)
        kappa = np.minimum(1.0, spread.variance / largest)
        if like is not None:
            kappa = np.fmax(kappa, like.kappa)
    return Reach(low, high, np.where(flat, 1.0, kappa))


def floored_variance(
    spread: ScoreSpread,
    y: FloatArray,
    weights: FloatArray,
    bounds: Bounds = (0.0, 1.0),
    like: Reach | None = None,
) -> FloatArray:
    r"""Raise each variance to what a few more items, half right and half wrong, would make it.

    $$ \tilde s^2_j = \max\Bigl(s^2_j,\ \kappa_j\,(\tilde\mu_j - l_j)(h_j - \tilde\mu_j)
       \tfrac{n}{n-1}\Bigr), \quad
       \tilde\mu_j = \frac{n\hat\mu_j + 2 l_j + 2 h_j}{n + 4}, \quad
       \kappa_j = \min\Bigl(1,
       \frac{s^2_j}{(\hat\mu_j - l_j)(h_j - \hat\mu_j)\tfrac{n}{n-1}}\Bigr) $$

    with l and h the model's own lowest and highest score. A model that got all of 20 items right
    has variance 0 on them, and still a full score below 1: such a flat model takes the bounds of
    the metric for l and h, and kappa 1. kappa is 1 for right-or-wrong scores and carries the floor
    over to graded ones. Where a model like this one is known on more items, l, h and kappa are at
    least as wide as that model's: high scores that are rare may all be absent from a subset. Where
    no such model is known, a model of which nearly all scores are the same, three quarters or
    more, is not surer than one that is flat, by much: with e other scores its floor is min(1, 2/e)
    of that of a flat model.
    Unequal weights raise the floor by their design effect.

    Args:
        spread: of y.
        y: (T, n), nan where there is no score.
        weights: (n,) a_i >= 0.
        bounds: lowest and highest score possible; None if unknown.
        like: see `score_reach`.

    Returns:
        (T,) variances; nan where n < 2, and of a flat model where the bounds are not known.

    References:
        Agresti, A. and Coull, B. A. (1998). Approximate is better than "exact" for interval
        estimation of binomial proportions. Am. Stat. 52(2). doi:10.1080/00031305.1998.10480550
    """
    n = spread.n.astype(np.float64)
    low, high, kappa = score_reach(spread, y, weights, bounds, like)
    with np.errstate(invalid="ignore", divide="ignore"):
        middle = (n * spread.mean + FLOOR_ITEMS / 2 * (low + high)) / (n + FLOOR_ITEMS)
        middle = np.clip(middle, low, high)
        scale = _scale(spread, y, weights)
        floor = kappa * (middle - low) * (high - middle) * scale
        raised = np.maximum(spread.variance, floor)
        if bounds is not None and like is None:
            least, most = bounds
            middle = (n * spread.mean + FLOOR_ITEMS / 2 * (least + most)) / (n + FLOOR_ITEMS)
            wide = (middle - least) * (most - middle) * scale
            raised = np.maximum(raised, near_flat(y, weights) * wide)
    return np.where((spread.n > 1) & np.isfinite(spread.variance), raised, np.nan)


def near_flat(y: FloatArray, weights: FloatArray) -> FloatArray:
    """Return how far each model counts as flat: 1 with two other scores at most, less with more.

    A model with one blemish on many perfect items must not look surer than one with none.

    Args:
        y: (T, n), nan where there is no score.
        weights: (n,) a_i >= 0.

    Returns:
        (T,) min(1, 2 / e) with e the items that have another score than the commonest one; 0 where
        these are more than a quarter.
    """
    return _share_of_flat(_commonest(y, weights).others, _counted(y, weights).sum(axis=1))


def pairs_near_flat(y: FloatArray, weights: FloatArray) -> FloatArray:
    """Return how far both models of a pair count as flat at one score; (T, T), see `near_flat`."""
    seen, counted = _commonest(y, weights), _counted(y, weights)
    others = seen.others[:, None] + seen.others
    with np.errstate(invalid="ignore"):
        alike = np.abs(seen.score[:, None] - seen.score) <= FLAT
    return np.where(alike, _share_of_flat(others, counted @ counted.T), 0.0)


class _Commonest(NamedTuple):
    """The score that each model has most often.

    Attributes:
        score: (T,); nan where nothing was scored.
        others: (T,) items with another score.
    """

    score: FloatArray
    others: FloatArray


def _commonest(y: FloatArray, weights: FloatArray) -> _Commonest:
    score, others = np.full((2, len(y)), np.nan)
    for row, (values, counted) in enumerate(zip(y, _counted(y, weights) > 0, strict=True)):
        if counted.any():
            found, counts = np.unique(values[counted], return_counts=True)
            score[row] = found[counts.argmax()]
            others[row] = counted.sum() - counts.max()
    return _Commonest(score, others)


def _share_of_flat(others: FloatArray, n: FloatArray) -> FloatArray:
    share = np.minimum(1.0, 2 / np.maximum(others, 1.0))
    return np.where(others <= NEAR_FLAT * n, share, 0.0)


def _counted(y: FloatArray, weights: FloatArray) -> FloatArray:
    """Return 1 where an item counts for a model, and 0 elsewhere; (T, n)."""
    return np.asarray(~np.isnan(y) & (weights > 0), dtype=np.float64)


def _scale(spread: ScoreSpread, y: FloatArray, weights: FloatArray) -> FloatArray:
    """Return n/(n-1) times the design effect of the weights; (T,)."""
    there = ~np.isnan(y)
    n = spread.n.astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        effect = n * (there @ weights**2) / (there @ weights) ** 2
        return np.asarray(effect * n / (n - 1))


def two_phase_factor(
    n_scored: IntArray | FloatArray,
    *,
    n: int,
    n_pool: int,
    n_frame: int,
    residual_share: float | FloatArray = 1.0,
    within_share: float | FloatArray = 1.0,
    lacking_share: float | FloatArray = 1.0,
) -> FloatArray:
    r"""What to multiply an item's variance by to get the variance of the estimate.

    $$ \Bigl(\frac1n - \frac1m\Bigr) q + \Bigl(\frac1m - \frac1N\Bigr) w
       + \Bigl(\frac1{n_j} - \frac1n\Bigr) r $$

    The first term is the choice of n from the pool, of which balance leaves the share q to chance;
    the second the draw of the pool from the frame; the third the items of the subset that model j
    lacks, of which a regression leaves the share r. With q = w = 1 and nothing lacking it is
    simple random sampling, 1/n - 1/N.

    Args:
        n_scored: n_j, items of the subset that each model was scored on.
        n: size of the subset.
        n_pool: m.
        n_frame: N.
        residual_share: q, the share of variance that the balanced features leave over; one for
            all, or the shape of `n_scored`.
        within_share: w, the share that lies within the groups by which the pool was stratified;
            likewise.
        lacking_share: r, q where a regression makes up for the items that are lacking, and 1
            elsewhere.

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
    return np.asarray(balanced + lacking * lacking_share, dtype=np.float64)


def t_quantile(level: float, freedom: IntArray | FloatArray) -> FloatArray:
    """Two-sided quantile of Student's t; nan without freedom.

    Examples:
        >>> t_quantile(0.95, np.array([9.0])).round(3)
        array([2.262])
    """
    freedom = np.asarray(freedom, dtype=np.float64)
    known = np.where(freedom > 0, freedom, np.nan)
    upper = 0.5 + level / 2
    quantile = (
        stdtrit(known, upper) if upper < 1 else -stdtrit(known, (1 - level) / 2)
    )  # rounded up
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


def pair_spread(y: FloatArray, weights: FloatArray, bounds: Bounds = (0.0, 1.0)) -> PairSpread:
    r"""Paired differences d = y_a - y_b of all pairs, their variance raised where items are few.

    $$ \tilde s^2 = \Bigl[\frac{\sum d^2 + 2 D^2}{n+2}
       - \Bigl(\frac{\sum d}{n+2}\Bigr)^2\Bigr]\frac{n}{n-1}, \qquad
       D^2 = \max\Bigl(\overline{d^2},\ M \min\Bigl(1, \frac{2M}{\sum d^2}\Bigr)\Bigr), \qquad
       M = \tfrac12(\kappa_a + \kappa_b)\,(h - l)^2 $$

    These are two more items, on which the pair differs once in each direction: two models that
    agree on every item of a small subset still differ by some unknown amount on the frame. They
    differ there by all of l..h, the stretch on which the two score, as long as the pair differs
    on no more than two items, and by what it differs on average where it often does. For
    right-or-wrong scores M is 1; for graded ones the kappas of `floored_variance` make it smaller.
    With unequal weights each squared deviation counts (a_i / mean a)^2 times, those of the two
    more items as often as the others do on average. Nothing here depends on other models.

    Args:
        y: (T, n), nan where there is no score.
        weights: (n,) a_i >= 0.
        bounds: lowest and highest score possible; None if unknown. Two flat models of one score
            need them.

    References:
        Agresti, A. and Min, Y. (2005). Simple improved confidence intervals for comparing matched
        proportions. Stat. Med. 24(5). doi:10.1002/sim.1781 (they add one item, which enumeration
        shows to be too little for gaps of a few points).
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
        mean = difference / total
        shrunk = mean * n / (n + 2)
        heaviness = scale * total2 / n
        square = np.clip(scale * square2, 0.0, None)
        most = _largest_squares(y, weights, bounds)
        few = most * np.minimum(1.0, PAIR_ITEMS * most * heaviness / np.maximum(square, ROUNDING))
        second = square + 2 * np.maximum(square / n, few * heaviness)
        cross = scale * difference2
        own = heaviness * (n + 2)
        variance = (second - 2 * shrunk * cross + shrunk**2 * own) / (n + 2) * n / (n - 1)
    variance = np.where(n > 1, np.clip(variance, 0.0, None), np.nan)
    np.fill_diagonal(variance, 0.0)
    return PairSpread(mean, variance, n.astype(np.int64))


def _largest_squares(y: FloatArray, weights: FloatArray, bounds: Bounds) -> FloatArray:
    """Return the largest square by which each pair is taken to differ on an item; (T, T)."""
    low, high = _ends(y, weights)
    kappa = score_reach(weighted_spread(y, weights), y, weights, bounds).kappa
    least, most = np.minimum(low[:, None], low), np.maximum(high[:, None], high)
    known = np.nan if bounds is None else bounds[1] - bounds[0]
    width = np.where(_is_flat(least, most), known, most - least)
    squares = (kappa[:, None] + kappa) / 2 * width**2
    if bounds is None:
        return np.asarray(squares)
    return np.asarray(np.fmax(squares, pairs_near_flat(y, weights) * known**2))


def _ends(y: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return each model's lowest and highest score that counts; (T,) each."""
    counted = ~np.isnan(y) & (weights > 0)
    return (
        np.where(counted, y, np.inf).min(axis=1, initial=np.inf),
        np.where(counted, y, -np.inf).max(axis=1, initial=-np.inf),
    )


def _is_flat(low: FloatArray, high: FloatArray) -> BoolArray:
    """Return where lowest and highest are the same, but for rounding."""
    with np.errstate(invalid="ignore"):
        return np.asarray(~(high - low > FLAT * np.maximum(1.0, np.abs(low))))

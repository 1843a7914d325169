"""Errors of stratified draws: computed from the frame, and estimated from a sample."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from bestrand.stats.intervals import (
    FLAT,
    FLOOR_ITEMS,
    PAIR_ITEMS,
    Reach,
    near_flat,
    pairs_near_flat,
)
from bestrand.types import FloatArray, IntArray


PRIOR_ITEMS = 3  # by which a group's variance is drawn towards that of all groups
LEAST_FREEDOM = 2.0
TINY = 1e-18  # of a variance: rounding
UNKNOWN = (float("nan"), float("nan"))  # unknown bounds


class GroupMoments(NamedTuple):
    """Moments of L models' item scores within each of H groups.

    Attributes:
        shares: (H,) share of each group in the frame.
        means: (L, H) mean of each model in each group.
        within: (H, L, L) covariance within each group, divisor N_h - 1; 0 in a group of one item.
    """

    shares: FloatArray
    means: FloatArray
    within: FloatArray


def group_moments(y: FloatArray, groups: IntArray) -> GroupMoments:
    """Take moments group by group.

    Args:
        y: (L, N) scores; no nan.
        groups: (N,) codes 0..H-1, each of which occurs.
    """
    sizes = np.bincount(groups)
    means, within = np.empty((len(y), sizes.size)), np.zeros((sizes.size, len(y), len(y)))
    for code, size in enumerate(sizes):
        part = y[:, groups == code]
        means[:, code] = part.mean(axis=1)
        off = part - means[:, code : code + 1]
        if size > 1:
            within[code] = off @ off.T / (size - 1)
    return GroupMoments(sizes / sizes.sum(), means, within)


def stratified_errors(
    seen: GroupMoments, combinations: FloatArray, n: int, n_frame: int
) -> FloatArray:
    r"""Variance of the mean of n items, of which each group gets its share, rounded by chance.

    A group that is due $n W_h = \lfloor n W_h \rfloor + f_h$ items gets one more than the whole
    part with probability f_h, such that all sum to n. With k_h the number it gets,

    $$ V = \frac1{n^2}\sum_h \Bigl(\mathrm{E}k_h - \frac{\mathrm{E}k_h^2}{N_h}\Bigr) S_h^2
       + \frac1{n^2}\,\frac{H'}{H'-1} \sum_h f_h(1-f_h)\,(\bar y_h - \bar y_f)^2 $$

    where the second sum is over the H' groups that are rounded and $\bar y_f$ is their mean,
    weighted by f(1 - f): the variance of a draw of fixed size with these probabilities (Hájek).

    Args:
        seen: moments of the groups.
        combinations: (T, L): a row of the identity is a model, one with 1 and -1 a difference.
        n: items drawn.
        n_frame: N.

    Returns:
        (T,) variances; 0 where n = N.

    References:
        Hájek, J. (1964). Asymptotic theory of rejective sampling with varying probabilities from a
        finite population. The Annals of Mathematical Statistics 35(4).
    """
    due = n * seen.shares
    part = due - np.floor(due + 1e-9)
    chance = np.clip(part * (1 - part), 0.0, None)
    squares = due**2 + chance
    inside = np.clip(due - squares / (n_frame * seen.shares), 0.0, None)
    spread = np.einsum("tl,hlm,tm->th", combinations, seen.within, combinations, optimize=True)
    variance = spread @ inside
    rounded = int((chance > 1e-9).sum())
    if rounded > 1:
        means = combinations @ seen.means
        center = (means @ chance) / chance.sum()
        variance = variance + rounded / (rounded - 1) * (means - center[:, None]) ** 2 @ chance
    return np.asarray(variance / n**2)


class Sample(NamedTuple):
    """A sample whose items were drawn at random within each group.

    Attributes:
        scores: (T, n) on 0..1; no nan.
        weights: (n,) what each item counts for in the estimate.
        groups: (n,) codes 0..H-1.
        sizes: (H,) N_h, items of each group in the frame.
        rounded: (H,) f(1 - f), with f the fraction by which a group is due more than a whole number
            of items, where chance decides who gets one more; 0 where counts are fixed.
        bounds: lowest and highest score possible, for models that are flat; nan if unknown.
        like: (T,) what is known of a model like each, on more items; None where nothing is, and
            models that are nearly flat take the bounds.
    """

    scores: FloatArray
    weights: FloatArray
    groups: IntArray
    sizes: FloatArray
    rounded: FloatArray
    bounds: tuple[float, float] = (0.0, 1.0)
    like: Reach | None = None


class SampleErrors(NamedTuple):
    """Variances of estimates and of their differences, with degrees of freedom.

    Attributes:
        variance: (T,).
        freedom: (T,).
        pair_variance: (T, T).
        pair_freedom: (T, T).
    """

    variance: FloatArray
    freedom: FloatArray
    pair_variance: FloatArray
    pair_freedom: FloatArray


class _Part(NamedTuple):
    """The items of one group, or of the whole sample.

    Attributes:
        n: n_h.
        factor: what to multiply a variance by, W_h^2 (1/n_h - 1/N_h).
        rounded: f(1 - f).
        total: (T,) mean contribution of an item to the estimate.
        mean: (T,) weighted mean score.
        off: (T, n_h) deviations, in units of the scores.
    """

    n: int
    factor: float
    rounded: float
    total: FloatArray
    mean: FloatArray
    off: FloatArray


def sample_errors(
    seen: Sample, centre: FloatArray, *, prior: float = PRIOR_ITEMS, raised: bool = True
) -> SampleErrors:
    r"""Estimate the variance of a weighted mean of items that were drawn at random within groups.

    $$ V = \sum_h W_h^2 \Bigl(\frac1{n_h} - \frac1{N_h}\Bigr) s_h^2, \qquad
       s_h^2 = \frac{SS_h + 3 s^2}{n_h - 1 + 3}, \qquad
       s^2 = \frac{\sum SS_h + s_0^2}{n - H + 1} $$

    W_h is what the chosen items of group h count for together, and SS_h the sum of squares about
    the group's mean. Each group has a variance of its own, drawn towards the one pooled over
    groups by three items' worth, so a group of one item, or a flat one, has one too. The pooled one
    is drawn by one item's worth to s_0^2, the variance about the estimate, which is all there is
    where every group has one item. The degrees of freedom are Satterthwaite's, of groups with
    n_h - 1 + 3 each, and lie between 2 and those of s^2.

    Where chance decided which groups get one item more, the variance of the groups' means that
    this brings is added, as in `stratified_errors`.

    V is at least kappa times what p(1 - p) of the groups gives, p drawn to the middle by two items
    right and two wrong in all n, on the stretch of the scale that the model reaches. kappa, 1 for
    right-or-wrong scores, is the model's own; a model that is nearly flat takes all of the scale
    instead, see `near_flat`. A difference has two items more, one each way, on
    which the models differ by all of their stretch D: (n V + 2 kappa D^2 sum a_h) / (n + 2), with
    a_h = W_h^2 (1/n_h - 1/N_h) and the mean kappa of the two.

    Args:
        seen: the sample.
        centre: (T,) from which scores are counted: the estimates where the weights were scaled to
            sum 1, and 0 where they were not.
        prior: the three items; 0 gives the textbook's formula.
        raised: whether to add the floor; False gives the textbook's formula.

    Returns:
        Variances, 0 where all groups were drawn whole; nan where n = 1, and where a flat model
        meets unknown bounds.

    References:
        Cochran, W. G. (1977). Sampling Techniques, 3rd ed., ch. 5. Wiley.
        Satterthwaite, F. E. (1946). An approximate distribution of estimates of variance
        components. Biometrics Bulletin 2(6). doi:10.2307/3002019

    Examples:
        >>> y, groups = np.array([[0.0, 1.0, 1.0, 1.0, 0.0]]), np.array([0, 0, 1, 1, 1])
        >>> sizes, fixed = np.array([10.0, 15.0]), np.zeros(2)
        >>> seen = Sample(y, np.full(5, 0.2), groups, sizes, fixed)
        >>> sample_errors(seen, np.array([0.6]), prior=0.0, raised=False).variance.round(4)
        array([0.064])
    """
    parts = list(_parts(seen, centre))
    if not any(part.factor > 0 or part.rounded > 0 for part in parts):
        return _without_error(seen)
    whole = _whole(seen)
    own = _pooled(parts, whole, _squares, prior)
    pairs = _pooled(parts, whole, _pair_squares, prior)
    if raised:
        reach = _reach(seen, parts, whole)
        own = own._replace(variance=np.maximum(own.variance, _floor(seen, parts, reach)))
        added = PAIR_ITEMS * _largest_squares(seen, reach) * sum(p.factor for p in parts)
        total = (whole.n * pairs.variance + added) / (whole.n + PAIR_ITEMS)
        pairs = pairs._replace(variance=total)
    between = _between(parts)
    more = (between**2).sum(axis=1)
    pair_variance = pairs.variance + _gaps(between)
    np.fill_diagonal(pair_variance, 0.0)
    most = _effective_freedom(seen)
    own_freedom, pair_freedom = np.minimum(own.freedom, most), np.minimum(pairs.freedom, most)
    return SampleErrors(own.variance + more, own_freedom, pair_variance, pair_freedom)


def _parts(seen: Sample, centre: FloatArray) -> Iterator[_Part]:
    """Take the sample apart by groups."""
    for code in np.unique(seen.groups):
        here = seen.groups == code
        y, weights, n = seen.scores[:, here], seen.weights[here], int(here.sum())
        terms = weights * (y - centre[:, None])
        each = float(weights.mean())
        off = terms - terms.mean(axis=1, keepdims=True)
        yield _Part(
            n=n,
            factor=max((n * each) ** 2 * (1 / n - 1 / seen.sizes[code]), 0.0),
            rounded=float(seen.rounded[code]),
            total=terms.mean(axis=1),
            mean=y @ weights / weights.sum() if each > 0 else y.mean(axis=1),
            off=off / each if each > 0 else np.zeros_like(off),
        )


def _whole(seen: Sample) -> _Part:
    """Take the sample as one, each item counting by its weight."""
    n, total = seen.weights.size, seen.weights.sum()
    mean = seen.scores @ seen.weights / total
    off = (seen.scores - mean[:, None]) * np.sqrt(seen.weights * n / total)
    return _Part(n, 0.0, 0.0, mean, mean, off)


class _Pooled(NamedTuple):
    variance: FloatArray
    freedom: FloatArray


def _pooled(
    parts: Sequence[_Part],
    whole: _Part,
    squares: Callable[[_Part], FloatArray],
    prior: float,
) -> _Pooled:
    """Draw the groups' variances together, and sum them up; see `sample_errors`.

    Args:
        parts: the groups.
        whole: the sample as one.
        squares: gives sums of squares of a part, of models or of pairs.
        prior: items' worth by which a group's variance is drawn to the pooled one.
    """
    n, left = whole.n, whole.n - len(parts)
    with np.errstate(invalid="ignore", divide="ignore"):
        about = squares(whole) / np.float64(n - 1)
        pooled = (sum((squares(part) for part in parts), start=0.0 * about) + about) / (left + 1)
        variance, spread = np.zeros_like(about), np.zeros_like(about)
        factors = _rounded_factors(parts)
        for part, factor in zip(parts, factors, strict=True):
            weight = part.n - 1 + prior
            piece = factor * (squares(part) + prior * pooled) / np.float64(weight)
            variance += piece
            spread += piece**2 / weight
        freedom = variance**2 / spread
    most = left + (n - 1 - left) / (left + 1)
    return _Pooled(variance, np.clip(np.nan_to_num(freedom, nan=most), LEAST_FREEDOM, most))


def _effective_freedom(seen: Sample) -> float:
    """Return the degrees of freedom of what stands in for absent groups; inf where none is.

    The items that are here speak for the groups that are not, each by its weight: freedom is
    Kish's effective sample size less one, and at least one.
    """
    if np.unique(seen.groups).size == seen.sizes.size:
        return float("inf")
    return max(float(seen.weights.sum() ** 2 / (seen.weights**2).sum()) - 1, 1.0)


def _rounded_factors(parts: Sequence[_Part]) -> list[float]:
    """Return the factors of the groups' variances, less what `_between` counts of them."""
    n_rounded = sum(part.rounded > 0 for part in parts)
    ratio = n_rounded / (n_rounded - 1) if n_rounded > 1 else 0.0
    return [part.factor * max(1 - ratio * part.rounded / part.n**2, 0.0) for part in parts]


def _between(parts: Sequence[_Part]) -> FloatArray:
    """Return (T, H') whose sums of squares are what the rounding of the groups' counts adds."""
    rounded = [part for part in parts if part.rounded > 0]
    if len(rounded) < 2:
        return np.zeros((len(parts[0].mean), 0))
    chance = np.array([part.rounded for part in rounded])
    totals = np.stack([part.total for part in rounded], axis=1)
    centre = totals @ chance / chance.sum()
    scale = np.sqrt(chance * len(rounded) / (len(rounded) - 1))
    return np.asarray((totals - centre[:, None]) * scale)


def _squares(part: _Part) -> FloatArray:
    return np.asarray((part.off**2).sum(axis=1))


def _pair_squares(part: _Part) -> FloatArray:
    return _gaps(part.off)


def _gaps(rows: FloatArray) -> FloatArray:
    """Return the sums of squares of the differences of all pairs of rows; (T, T)."""
    gram = rows @ rows.T
    own = np.diag(gram)
    return np.clip(own[:, None] + own - 2 * gram, 0.0, None)


def _reach(seen: Sample, parts: Sequence[_Part], whole: _Part) -> Reach:
    """Find the stretch of the scale on which each model scores, from its own scores alone."""
    low, high = seen.scores.min(axis=1), seen.scores.max(axis=1)
    flat = high - low <= FLAT
    low, high = np.where(flat, seen.bounds[0], low), np.where(flat, seen.bounds[1], high)
    if seen.like is not None:
        low, high = np.fmin(low, seen.like.low), np.fmax(high, seen.like.high)
    with np.errstate(invalid="ignore", divide="ignore"):
        most = (whole.mean - low) * (high - whole.mean) * whole.n / np.float64(whole.n - 1)
        found = _squares(whole) / np.float64(whole.n - 1)
        for part in parts:
            if part.n > 1:
                most += part.n * (part.mean - low) * (high - part.mean)
                found += _squares(part)
        kappa = np.where(flat | (most <= TINY), 1.0, np.minimum(found / most, 1.0))
    if seen.like is not None:
        kappa = np.fmax(kappa, seen.like.kappa)
    return Reach(low, high, kappa)


def _floor(seen: Sample, parts: Sequence[_Part], reach: Reach) -> FloatArray:
    """Return the least variance of each estimate; (T,)."""
    n = seen.weights.size
    own = reach.kappa * _two_each_way(parts, n, reach.low, reach.high)
    if seen.like is not None:
        return own
    least, most = (np.full(len(own), bound) for bound in seen.bounds)
    wide = near_flat(seen.scores, seen.weights) * _two_each_way(parts, n, least, most)
    return np.asarray(np.where(np.isnan(wide), own, np.maximum(own, wide)))


def _two_each_way(parts: Sequence[_Part], n: int, low: FloatArray, high: FloatArray) -> FloatArray:
    """Return the largest variance on low..high once two items are added at each end; (T,)."""
    least = np.zeros_like(low)
    for part in parts:
        middle = (n * part.mean + FLOOR_ITEMS / 2 * (low + high)) / (n + FLOOR_ITEMS)
        least += part.factor * (middle - low) * (high - middle)
    return least


def _largest_squares(seen: Sample, reach: Reach) -> FloatArray:
    """Return the square by which each pair differs on an item that is added; (T, T)."""
    whole = seen.bounds[1] - seen.bounds[0]
    low, high = np.fmin(reach.low[:, None], reach.low), np.fmax(reach.high[:, None], reach.high)
    width = np.where(np.isnan(high - low), whole, high - low)
    squares = np.asarray((reach.kappa[:, None] + reach.kappa) / 2 * width**2)
    if seen.like is not None:
        return squares
    wide = pairs_near_flat(seen.scores, seen.weights) * whole**2
    return np.asarray(np.where(np.isnan(wide), squares, np.maximum(squares, wide)))


def _without_error(seen: Sample) -> SampleErrors:
    """Every group was drawn whole."""
    n_models, n = seen.scores.shape
    return SampleErrors(
        np.zeros(n_models),
        np.full(n_models, n - 1.0),
        np.zeros((n_models, n_models)),
        np.full((n_models, n_models), n - 1.0),
    )

"""The lowest and the highest score: possible, or seen."""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from bestrand.errors import InputError
from bestrand.notes import Note
from bestrand.types import BoolArray, FloatArray


UNIT = (0.0, 1.0)
PERCENT, LARGE = 100.0, 1e12
LARGE_SCORE = 5.0  # beside scores of at most 1, it is on another scale
FEWEST_SCORES = 5  # but 0, on either side; fewer tell no scales apart
LEAST_TOP = 0.1  # a model whose best score is less is weak, whatever the unit
RARE = 0.02  # share of scores of at most 1, but 0, below which a model that has no others is odd
NEAR_WIDTH = 3.0  # times fewer than the scale is wide: a ratio of means that is a change of unit
WHOLE = 0.2  # share of scores that are exactly 1: no cost, but a right answer
WIDE = 50.0  # narrower scales have 1 among their usual scores
NEAR_ONE = 0.9  # the best scores of most models on 0..1 are above it
RISK = 1e-9  # that so many scores in a row are at most 1, if as often as in any other model
SAID_RATIO = 10.0  # of means of models within 1 and beyond it, that is noted on a known scale
SAID_OPEN_RATIO = 50.0  # of any two models' means, that is noted where there is no upper bound
SAY_SCALE = (
    "Bring them to one scale, or say which they share: --range 0:100 (bounds=(0, 100)) for a scale "
    'of 0 to 100, --range 0: (bounds=(0, float("inf"))) for costs and other metrics without an '
    "upper bound."
)


class Gap(NamedTuple):
    """Two models whose scores may be in different units.

    Attributes:
        small: name of the one with the smaller scores.
        large: name of the other.
        small_top: largest absolute score of the first.
        large_top: of the other.
        ratio: how many times larger the scores are on average.
        is_certain: whether a change of unit alone explains it.
    """

    small: str
    large: str
    small_top: float
    large_top: float
    ratio: float
    is_certain: bool


def seen_range(arrays: Sequence[FloatArray]) -> tuple[float, float]:
    """Return the lowest and highest score of all arrays, a stretch of 1 where they are the same."""
    return seen_bounds(np.concatenate([values.ravel() for values in arrays]))


def seen_bounds(values: FloatArray) -> tuple[float, float]:
    """Return the lowest and highest score but nan, a stretch of 1 where they are the same."""
    if np.isnan(values).all():
        return (0.0, 1.0)
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    return (low, high) if high > low else (low, low + 1.0)


def example_range(values: FloatArray) -> tuple[str, str]:
    """Return a lowest and a highest score to write in an example, as texts.

    0 and 100 where all scores lie within, else whole numbers around what was seen and 0.
    """
    low, high = _ends(values)
    if low >= 0 and high <= PERCENT:
        return "0", f"{PERCENT:g}"
    return _whole(min(low, 0.0), math.floor), _whole(max(high, 0.0), math.ceil)


def range_said(values: FloatArray) -> str:
    """Return from where to where the scores go."""
    low, high = _ends(values)
    if low == high:
        return f"all scores seen are {low:.4g}"
    return f"the scores seen go from {low:.4g} to {high:.4g}"


def _ends(values: FloatArray) -> tuple[float, float]:
    seen = values[~np.isnan(values)]
    return (float(seen.min()), float(seen.max())) if seen.size else (0.0, 0.0)


def _whole(value: float, rounded: Callable[[float], int]) -> str:
    return f"{rounded(value)}" if abs(value) < LARGE else f"{value!r}"


def unit_bounds(values: FloatArray) -> tuple[float, float] | None:
    """Return 0..1 where all scores lie within, else None."""
    seen = values[~np.isnan(values)]
    return UNIT if seen.size and seen.min() >= 0 and seen.max() <= 1 else None


def require_one_scale(
    models: Sequence[str],
    values: Sequence[FloatArray],
    metric: str,
    bounds: tuple[float, float] | None = None,
) -> None:
    """Refuse models of which some score within 0..1 and others far above, as 0..100 beside 0..1.

    A range that was said tells what is possible, not that all scores are in its unit, so it is
    looked at too. It takes more there: see `scale_gap`.

    Args:
        models: names.
        values: the scores of each, nan where there is none.
        metric: its name.
        bounds: lowest and highest score possible, if somebody said them; else None.

    Raises:
        InputError: the scales differ.
    """
    gap = scale_gap(models, values, bounds)
    if gap is None or (bounds is not None and not gap.is_certain):
        return
    advice = SAY_SCALE
    if bounds is not None:
        low, high = bounds
        advice = (
            f"The range {low:g}..{high:g} is that of all models, so bring them to one scale. If "
            f"the scores are right as they are, give no upper bound: --range {low:g}: "
            f'(bounds=({low:g}, float("inf"))).'
        )
    raise InputError(
        f"Scores of metric {metric!r} must all be on one scale: those of {gap.small!r} stay within "
        f"1, those of {gap.large!r} go up to {gap.large_top:g}. {advice}",
        models=(gap.small, gap.large),
    )


def scale_gap(
    models: Sequence[str],
    values: Sequence[FloatArray],
    bounds: tuple[float, float] | None,
) -> Gap | None:
    """Find a model whose scores all lie within 0..1 beside one that scores far above.

    On a range that goes further, a weak model may score so by right. It is certain that it does
    not where the others have next to no scores above 0 and up to 1, while all of its own are such,
    and where its mean is as many times smaller as the range is wide, or its scores are 1 exactly
    as those of right answers are. A cost is ten times smaller by right, and seldom exactly 1. On
    wide ranges it is certain too where the others have such scores and its own go up to nearly 1,
    but even the model that has most of them would not have so many in a row by chance.

    Args:
        models: names.
        values: the scores of each, nan where there is none.
        bounds: lowest and highest score possible, or None.

    Returns:
        The first such pair, or None.
    """
    sizes = [np.abs(scores[~np.isnan(scores)]) for scores in values]
    sizes = [size[size > 0] for size in sizes]
    tops = np.array([size.max(initial=0.0) for size in sizes])
    small, large = (tops > 0) & (tops <= 1), tops >= LARGE_SCORE
    if not (small.any() and large.any()) or (bounds is not None and bounds[0] >= 1):
        return None
    within = np.concatenate(
        [sizes[j] for j in np.flatnonzero(small & (tops >= LEAST_TOP))] or [tops[:0]]
    )
    others = [sizes[j] for j in np.flatnonzero(tops > 1)]
    ratio = _mean_of(values, large) / _mean_of(values, small)
    is_certain = _is_other_unit(within, others, ratio, width=float(tops.max()))
    one, other = int(small.argmax()), int(large.argmax())
    return Gap(models[one], models[other], float(tops[one]), float(tops[other]), ratio, is_certain)


def _is_other_unit(
    within: FloatArray, others: Sequence[FloatArray], ratio: float, width: float
) -> bool:
    """Return whether scores that all lie within 0..1 are in another unit than the others.

    Args:
        within: the scores but 0 of the models that stay within 1, but for very weak ones.
        others: those of each model that goes beyond it.
        ratio: of the means.
        width: of the scale.
    """
    few, beside = within.size, np.concatenate(others)
    if min(few, beside.size) < FEWEST_SCORES:
        return False
    is_wide = ratio >= width / NEAR_WIDTH
    if float((beside <= 1).mean()) <= RARE:
        return is_wide or float((within == 1).mean()) >= WHOLE
    likely = max(((size <= 1).sum() + 1) / (size.size + 2) for size in others)
    reaches = float(within.max()) >= NEAR_ONE
    return is_wide and reaches and width >= WIDE and few * float(np.log(likely)) < np.log(RISK)


def scale_notes(
    models: Sequence[str],
    values: Sequence[FloatArray],
    bounds: tuple[float, float] | None,
    *,
    open_ended: bool,
) -> list[Note]:
    """Return which models' scores may be in different units, where that is not certain.

    Args:
        models: names.
        values: the scores of each, nan where there is none.
        bounds: lowest and highest score possible, or None.
        open_ended: whether the metric has no upper bound, as a cost.
    """
    gap = _open_gap(models, values) if open_ended else scale_gap(models, values, bounds)
    if gap is None or gap.ratio < (SAID_OPEN_RATIO if open_ended else SAID_RATIO):
        return []
    text = (
        f"Scores of {gap.large!r} (up to {gap.large_top:g}) are about {gap.ratio:.0f} times those "
        f"of {gap.small!r} (up to {gap.small_top:g}). Estimates and intervals hold only if both "
        "are in one unit."
    )
    return [Note("scales-differ", text)]


def _open_gap(models: Sequence[str], values: Sequence[FloatArray]) -> Gap | None:
    """Compare the models of the smallest and of the largest mean but 0."""
    sizes = [np.abs(scores[~np.isnan(scores)]) for scores in values]
    means = np.array([size.mean() if size.size else 0.0 for size in sizes])
    if not means.any():
        return None
    one, other = int(np.where(means > 0, means, np.inf).argmin()), int(means.argmax())
    return Gap(
        models[one],
        models[other],
        float(sizes[one].max()),
        float(sizes[other].max()),
        float(means[other] / means[one]),
        is_certain=False,
    )


def _mean_of(values: Sequence[FloatArray], chosen: BoolArray) -> float:
    """Return the mean absolute score of some of the models, each counting the same."""
    return float(
        np.mean(
            [np.nanmean(np.abs(row)) for row, wanted in zip(values, chosen, strict=True) if wanted]
        )
    )


def require_like_scales(spans: Sequence[tuple[float, float]]) -> None:
    """Refuse scores on 0..1 beside others far above.

    Raises:
        InputError: the scales differ.
    """
    low, high = min(low for low, _ in spans), max(high for _, high in spans)
    if min(high for _, high in spans) <= 1 and high >= LARGE_SCORE:
        raise InputError(
            f"Probes and targets must be scored on one scale, got 0..1 beside {low:g}..{high:g}. "
            f"{SAY_SCALE}",
        )

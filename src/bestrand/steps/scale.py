"""Between the metric's unit and 0..1, on which estimators work."""

from collections.abc import Sequence

import numpy as np

from bestrand.core.bounds import UNIT, require_like_scales, seen_bounds, seen_range, unit_bounds
from bestrand.core.estimates import Estimates
from bestrand.core.probes import ProbeScores
from bestrand.core.scores import ScoreMatrix
from bestrand.estimators.base import Inference
from bestrand.notes import Note
from bestrand.stats.intervals import FLAT, t_quantile
from bestrand.types import BoolArray, FloatArray, IntArray


ROUNDING = 1e-12  # of an estimate
MOST_RATIO = 1.5  # of half width and estimate: beyond it the logarithm says nothing


def known_bounds(
    matrices: Sequence[ScoreMatrix], elsewhere: FloatArray | None = None
) -> tuple[float, float] | None:
    """Return the lowest and highest score possible, if they are known of all the matrices.

    Scores beyond the bounds widen them. A metric that is said to be open-ended has none.

    Args:
        matrices: scores, with bounds where somebody said them.
        elsewhere: more scores in the same unit, nan where there is none; where one of them is
            beyond 0..1, it is by chance that the matrices are within.

    Raises:
        InputError: one matrix is on 0..1 and another far above.
    """
    if any(matrix.open_ended for matrix in matrices):
        return None
    spans = [matrix.bounds or seen_bounds(matrix.values) for matrix in matrices]
    if len({matrix.bounds for matrix in matrices}) > 1:
        require_like_scales(spans)
    told = [matrix for matrix in matrices if not matrix.missing.all()]
    declared = {matrix.bounds or unit_bounds(matrix.values) for matrix in told}
    stated = [bounds for bounds in declared if bounds is not None]
    by_chance = None in declared or (elsewhere is not None and unit_bounds(elsewhere) is None)
    if not stated or (by_chance and set(stated) == {UNIT}):
        return None
    low, high = min(low for low, _ in stated), max(high for _, high in stated)
    lowest = min(float(np.nanmin(matrix.values)) for matrix in told)
    highest = max(float(np.nanmax(matrix.values)) for matrix in told)
    return min(low, lowest), max(high, highest)


def span_of(
    known: ProbeScores | None, targets: ScoreMatrix, bounds: tuple[float, float] | None
) -> tuple[float, float]:
    """Return the range that is brought to 0..1: that of the probes' scores, which hold for all.

    So what is estimated of one target depends on no other. Without probes it is the range of the
    targets, on which no estimate depends then. Where these are flat, it is the metric's bounds.
    """
    if known is not None and varies(known.scores, bounds):
        return seen_range([known.scores])
    if bounds is not None and (known is not None or not varies(targets.values, bounds)):
        return bounds
    return seen_range([targets.values])


def bounds_on(
    span: tuple[float, float], known: ProbeScores | None, bounds: tuple[float, float] | None
) -> tuple[float, float] | None:
    """Return the bounds on 0..1; where these are not known, the range of the probes' scores.

    Args:
        span: lowest score and width of what is brought to 0..1.
        known: the probes, or None.
        bounds: lowest and highest score possible, or None.
    """
    if bounds is None:
        return UNIT if known is not None and varies(known.scores, None) else None
    low, width = span
    return (bounds[0] - low) / width, (bounds[1] - low) / width


def varies(values: FloatArray, bounds: tuple[float, float] | None) -> bool:
    """Return whether scores differ by more than rounding."""
    least = 0.0 if bounds is None else FLAT * (bounds[1] - bounds[0])
    return bool(np.nanmax(values) - np.nanmin(values) > least)


def to_estimates(
    inference: Inference,
    targets: ScoreMatrix,
    span: tuple[float, float],
    *,
    probes: FloatArray | None,
    level: float,
    n_frame: int,
    estimator: str,
    higher_is_better: bool,
    notes: Sequence[Note],
) -> Estimates:
    """Bring an inference from 0..1 back to the metric's unit.

    Args:
        inference: on 0..1.
        targets: their scores, with the bounds that hold.
        span: lowest and highest score of what was brought to 0..1.
        probes: (K, M) scores of the probes in the metric's unit, nan where there is none; or None.
        level: confidence level of the intervals.
        n_frame: N.
        estimator: name of what made the inference.
        higher_is_better: the metric's direction.
        notes: what a reader should know.
    """
    low, width = span[0], span[1] - span[0]
    signs = _signs(targets.values, probes)

    def half_width(se: FloatArray, freedom: FloatArray) -> FloatArray:
        known, place = np.unique(freedom, return_inverse=True)  # few distinct, and slow to invert
        quantile = t_quantile(level, known)[place].reshape(freedom.shape)
        return np.where(se == 0.0, 0.0, quantile * se) * width

    def bounded(values: FloatArray) -> FloatArray:
        if targets.bounds is not None:
            return np.clip(values, *targets.bounds)
        return np.where(signs == 0, values, signs * np.maximum(signs * values, 0.0))

    center = low + width * inference.estimate
    half = half_width(inference.se, inference.freedom)
    ends = _interval(targets, center, half, signs)
    unshrunk = inference.unshrunk
    return Estimates(
        models=targets.models,
        metric=targets.metric,
        estimate=bounded(center),
        se=width * inference.se,
        low=ends[0],
        high=ends[1],
        half_width=half,
        n=(~targets.missing).sum(axis=1),
        pair_difference=_rounded(width * inference.pair_difference, center),
        pair_se=width * inference.pair_se,
        pair_half_width=half_width(inference.pair_se, inference.pair_freedom),
        level=level,
        n_frame=n_frame,
        estimator=estimator,
        unshrunk=None if unshrunk is None else bounded(low + width * unshrunk),
        higher_is_better=higher_is_better,
        notes=tuple(notes),
    )


def _interval(
    targets: ScoreMatrix, center: FloatArray, half: FloatArray, signs: IntArray
) -> tuple[FloatArray, FloatArray]:
    r"""Return the ends of the intervals, none beyond what the metric can be; (T,) each.

    Where the bounds are known, the ends are cut there. Where they are not and no score is below
    0, as with costs, tokens and seconds, they are cut at 0, and the interval of a target whose
    scores are graded is symmetric on the logarithm's scale,

    $$ \hat\mu e^{-h/\hat\mu}, \quad \hat\mu e^{h/\hat\mu} $$

    which covers skewed scores better. Likewise where none is above 0.

    Args:
        targets: the scores, with the bounds that hold.
        center: (T,) estimates.
        half: (T,) h, half widths.
        signs: (T,) see `_signs`.
    """
    low, high = center - half, center + half
    if targets.bounds is not None:
        return np.clip(low, *targets.bounds), np.clip(high, *targets.bounds)
    size = np.maximum(signs * center, 0.0)
    graded = _is_graded(targets.values) & (half < MOST_RATIO * size)
    ratio = np.exp(np.divide(half, size, out=np.zeros_like(half), where=graded))
    near = np.where(graded, size / ratio, np.maximum(size - half, 0.0))
    far = np.where(graded, size * ratio, size + half)
    below, above = np.where(signs < 0, -far, near), np.where(signs < 0, -near, far)
    return np.where(signs == 0, low, below), np.where(signs == 0, high, above)


def _is_graded(values: FloatArray) -> BoolArray:
    """Return which models have scores between their lowest and their highest; (T,)."""
    low, high = np.nanmin(values, axis=1), np.nanmax(values, axis=1)
    return np.asarray(((values > low[:, None]) & (values < high[:, None])).any(axis=1))


def _signs(targets: FloatArray, probes: FloatArray | None) -> IntArray:
    """Return 1 where no score of the metric is below 0, -1 where none is above, 0 elsewhere; (T,).

    The metric's scores are those of the probes and of the target itself, so that no other target
    changes its estimate. Without probes, which move estimates beyond a target's own scores, they
    are those of all targets.
    """
    seen = targets if probes is None else probes
    low, high = np.full(len(targets), np.nanmin(seen)), np.full(len(targets), np.nanmax(seen))
    low = np.minimum(low, np.nanmin(targets, axis=1))
    high = np.maximum(high, np.nanmax(targets, axis=1))
    return np.where(low >= 0, 1, np.where(high <= 0, -1, 0))


def _rounded(differences: FloatArray, estimates: FloatArray) -> FloatArray:
    """Set differences to 0 that are no more than the rounding of the estimates."""
    size = np.maximum(np.abs(estimates)[:, None], np.abs(estimates))
    return np.where(np.abs(differences) <= ROUNDING * size, 0.0, differences)

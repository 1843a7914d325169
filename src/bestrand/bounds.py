"""The lowest and the highest score: possible, or seen."""

from collections.abc import Sequence

import numpy as np

from bestrand.errors import InputError
from bestrand.types import FloatArray


UNIT = (0.0, 1.0)
LARGE_SCORE = 5.0  # beside scores of at most 1, it is on another scale
SAY_SCALE = (
    "Bring them to one scale, or say which they share: --range 0:100 (bounds=(0, 100)) for a scale "
    'of 0 to 100, --range 0: (bounds=(0, float("inf"))) for costs and other metrics without an '
    "upper bound."
)


def seen_range(arrays: Sequence[FloatArray]) -> tuple[float, float]:
    """Give the lowest and highest score of all arrays, a stretch of 1 where they are the same."""
    return seen_bounds(np.concatenate([values.ravel() for values in arrays]))


def seen_bounds(values: FloatArray) -> tuple[float, float]:
    """Give the lowest and highest score but nan, a stretch of 1 where they are the same."""
    if np.isnan(values).all():
        return (0.0, 1.0)
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    return (low, high) if high > low else (low, low + 1.0)


def unit_bounds(values: FloatArray) -> tuple[float, float] | None:
    """Give 0..1 where all scores lie within, else None."""
    seen = values[~np.isnan(values)]
    return UNIT if seen.size and seen.min() >= 0 and seen.max() <= 1 else None


def require_one_scale(models: tuple[str, ...], values: FloatArray, metric: str) -> None:
    """Refuse models of which some score within 0..1 and others far above, as 0..100 beside 0..1."""
    tops = np.nanmax(np.abs(values), axis=1, initial=0.0)
    small, large = (tops > 0) & (tops <= 1), tops >= LARGE_SCORE
    if not (small.any() and large.any()):
        return
    unit, other = models[int(small.argmax())], models[int(large.argmax())]
    raise InputError(
        f"Scores of metric {metric!r} must all be on one scale: those of {unit!r} stay within 1, "
        f"those of {other!r} go up to {tops[large.argmax()]:g}. {SAY_SCALE}",
        models=(unit, other),
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

"""What repeats of a simulation say, and how far they may be off."""

import numpy as np

from bestrand.types import FloatArray


def mean_and_error(values: FloatArray) -> tuple[float, float]:
    """Return the mean of what is defined, and its error sd / sqrt(R); nan where unknown.

    Examples:
        >>> mean_and_error(np.array([1.0, 3.0, np.nan]))
        (2.0, 1.0)
    """
    known = values[~np.isnan(values)]
    if not known.size:
        return float("nan"), float("nan")
    error = known.std(ddof=1) / np.sqrt(known.size) if known.size > 1 else np.nan
    return float(known.mean()), float(error)


def quantile_error(values: FloatArray, level: float) -> float:
    """Return the error of a quantile, from the order statistics one binomial deviation off.

    Half the gap between the quantiles at level -+ sqrt(level (1 - level) / R), so no density is
    needed.

    Args:
        values: (R,) repeats, two or more.
        level: of the quantile.
    """
    step = np.sqrt(level * (1 - level) / values.size)
    low, high = np.quantile(values, np.clip([level - step, level + step], 0.0, 1.0))
    return float(high - low) / 2

"""What balance means, the same for the design that makes it and the estimator that trusts it."""

from math import fsum

import numpy as np

from bestrand.types import FloatArray, IntArray


BIG_GROUP = 0.03  # of the frame: a group of at least this share is balanced by itself


def big_groups(shares: FloatArray) -> IntArray:
    """Return the codes of the groups that are balanced each by itself.

    Args:
        shares: (H,) share of each group in the frame.
    """
    return np.flatnonzero(shares >= BIG_GROUP)


def weighted_deviations(scores: FloatArray, weights: FloatArray) -> FloatArray:
    """Columns whose plain mean over a subset says how far its weighted means are off; (m, C).

    With equal weights these are the scores themselves. Else each score becomes
    weight / mean weight * (score - weighted mean), both means over all m items: the linearised
    weighted mean. All sums are exactly rounded, so that they are the same on every machine.

    Args:
        scores: (C, m), no nan.
        weights: (m,) N times each item's share of the full score.
    """
    columns = scores.T
    if np.ptp(weights) == 0.0:
        return columns
    total = fsum(weights)
    means = np.array([fsum(weights * column) / total for column in scores])
    deviations: FloatArray = (weights * (weights.size / total))[:, None] * (columns - means)
    return deviations


def linearised(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Return each item's contribution to the weighted means of the rows; (R, n), no nan.

    Rows that are flat give 0, without rounding. Others equal `weighted_deviations`, which is slower
    and exactly rounded, but for a constant.

    Args:
        values: (R, n).
        weights: (n,) N times each item's share of the full score.
    """
    total = weights.sum()
    if total <= 0:
        return values
    means = (values @ weights) / total
    apart = values - means[:, None]
    apart[values.min(axis=1, initial=np.inf) == values.max(axis=1, initial=-np.inf)] = 0.0
    return np.asarray(weights * weights.size / total * apart)

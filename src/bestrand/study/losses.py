"""Losses of one replicate: estimates beside the truth, as pure arrays in the metric's unit."""

import math
from typing import NamedTuple

import numpy as np

from bestrand.types import FloatArray


ROUNDING = 1e-12
TIE_DIGITS = 11


class TargetErrors(NamedTuple):
    """How far estimates are off; T targets.

    Attributes:
        mae: mean absolute error over targets.
        max_error: largest absolute error.
        shift: mean of estimate - full score, with its sign.
        spearman: rank correlation of estimates with full scores; nan where either is all the same.
        kendall: Kendall's tau-b of the same.
    """

    mae: float
    max_error: float
    shift: float
    spearman: float
    kendall: float


def errors_of(estimate: FloatArray, truth: FloatArray) -> TargetErrors:
    """Compare estimates with full scores, each (T,); what differs by rounding alone is the same.

    Examples:
        >>> errors_of(np.array([0.5, 0.75]), np.array([0.25, 0.5])).mae
        0.25
    """
    from scipy.stats import kendalltau, spearmanr  # half a second, and only studies need it

    scale = max(float(np.abs(truth).max()), float(np.abs(estimate).max()), ROUNDING)
    error = estimate - truth
    error = np.where(np.abs(error) <= ROUNDING * scale, 0.0, error)
    size = np.abs(error)
    # sums in another order must neither break a tie nor make one out of a gap
    estimate, truth = (np.round(values / scale, TIE_DIGITS) for values in (estimate, truth))
    ranked = np.ptp(estimate) > 0 and np.ptp(truth) > 0
    return TargetErrors(
        mae=float(size.mean()),
        max_error=float(size.max()),
        shift=float(error.mean()),
        spearman=float(spearmanr(estimate, truth).statistic) if ranked else math.nan,
        kendall=float(kendalltau(estimate, truth).statistic) if ranked else math.nan,
    )


class Intervals(NamedTuple):
    """How often intervals hold the truth, and how wide they are.

    Attributes:
        coverage: share of intervals that hold it; nan where there are no intervals.
        width: mean width, before any cut at the metric's bounds; nan where there are none.
    """

    coverage: float
    width: float


def intervals_of(center: FloatArray, half: FloatArray, truth: FloatArray) -> Intervals:
    """Compare intervals center -+ half with the truth, each (T,); nan halves are left out."""
    known = ~np.isnan(half)
    if not known.any():
        return Intervals(math.nan, math.nan)
    inside = np.abs(center - truth)[known] <= half[known] + ROUNDING
    return Intervals(float(inside.mean()), float(2 * half[known].mean()))


def pairs_of(difference: FloatArray, half: FloatArray, truth: FloatArray) -> Intervals:
    """Compare the intervals of all paired differences with the truth.

    Args:
        difference: (T, T) estimate of row - column.
        half: (T, T) half widths.
        truth: (T,) full scores.
    """
    upper = np.triu_indices(truth.size, 1)
    return intervals_of(difference[upper], half[upper], (truth[:, None] - truth)[upper])


class Cost(NamedTuple):
    """What a strategy costs, in runs of one model over all items.

    Attributes:
        construction: K min(1, alpha n / N) for K probes on a pool, L for L sources, 0 without.
        total: construction, and n / N for every target.
    """

    construction: float
    total: float


def cost_of(n_probes: int, n_pool: int, *, n: int, n_frame: int, n_targets: int) -> Cost:
    """Count observed scores over N.

    Examples:
        >>> cost_of(8, 40, n=10, n_frame=100, n_targets=5)
        Cost(construction=3.2, total=3.7)
    """
    construction = n_probes * n_pool / n_frame
    return Cost(construction, construction + n_targets * n / n_frame)

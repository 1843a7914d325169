"""What theory says of one size of the subset: the law of the error, and what a pool leaves of it.

Each figure belongs to a statement of the article; docs/why.md lists them.
"""

from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np

from bestrand.planning.moments import probe_sets
from bestrand.record import MaybeNumber, Record, as_key
from bestrand.rng import Stream
from bestrand.stats.tail import EqualCorrelation, balanced_share, explain_shift
from bestrand.types import FloatArray


MOST_PROBES = 8
ITEMS_PER_PROBE = 10
FACTORS = (2, 4, 8)


@dataclass(frozen=True, slots=True)
class ShiftR2(Record):
    """The shift R^2: what some of the models, as probes, explain of the others' common shift.

    Attributes:
        value: share of the variance of the items' mean score over the other models; pooled over
            many choices of the probes. With scores of some of the items only it may fall below 0.
            nan for fewer than two models that vary.
        n_probes: K.
        n_targets: models over which the mean score is taken.
        correlation: largest correlation, over the choices, of the part of the shift that probes
            explain with the rest: 0 but for rounding, by least squares.
    """

    value: Annotated[MaybeNumber, as_key("r2")]
    n_probes: int
    n_targets: int
    correlation: MaybeNumber


@dataclass(frozen=True, slots=True)
class PoolLeft(Record):
    """What is left of the shift's variance after choosing the best subset of a pool.

    Attributes:
        n_pool: items of the pool.
        variance_left: over that of a simple random subset, if no gap to the pool is left; nan
            where the subset is the whole benchmark.
    """

    n_pool: int
    variance_left: MaybeNumber


class LawEnds(NamedTuple):
    """Where the law of the mean absolute error begins and where it peaks, on 0..1.

    Attributes:
        lower_end: the smallest error that many such models can have.
        mode: the most likely error of as many models as there are.
        mode_rate: mode less lower end is this over the root of the number of models, for many.
    """

    lower_end: float
    mode: float
    mode_rate: float


def shift_r2(y: FloatArray, n_frame: int, stream: Stream) -> ShiftR2:
    """Let up to eight of the models, at most half of them, explain the mean score of the others.

    Args:
        y: (L, m) scores on 0..1; no nan.
        n_frame: N. With scores of some of the items only, the share is corrected for the slopes
            that were fitted to them.
        stream: chooses which models serve as probes.
    """
    y = y[np.ptp(y, axis=1) > 0]
    n_models, m = y.shape
    if n_models < 2:
        return ShiftR2(float("nan"), 0, 0, float("nan"))
    n_probes = max(1, min(MOST_PROBES, n_models // 2, m // ITEMS_PER_PROBE))
    total = left = correlation = 0.0
    for probes in probe_sets(y, n_probes, stream):
        difficulty = np.delete(y, probes, axis=0).mean(axis=0)
        residuals = explain_shift(difficulty, y[probes]).residuals
        off = difficulty - difficulty.mean()
        total += float(off @ off)
        left += float(residuals @ residuals)
        part = off - residuals
        size = float(np.sqrt((part @ part) * (residuals @ residuals)))
        if size > 1e-12 * float(off @ off):
            correlation = max(correlation, abs(float(part @ residuals)) / size)
    if total == 0.0:
        return ShiftR2(float("nan"), n_probes, n_models - n_probes, float("nan"))
    if n_frame > m and m > n_probes + 1:
        left *= (m - 1) / (m - 1 - n_probes)
    return ShiftR2(1 - left / total, n_probes, n_models - n_probes, correlation)


def law_ends(covariance: FloatArray) -> LawEnds:
    """Return lower end and mode of the law of the MAE of models with these errors; nan for one."""
    if len(covariance) < 2:
        return LawEnds(float("nan"), float("nan"), float("nan"))
    law = EqualCorrelation.of(covariance)
    return LawEnds(law.lower_end, law.mode(len(covariance)), law.mode_rate)


def pools_left(share: float, n: int, n_frame: int, n_pool: int | None) -> tuple[PoolLeft, ...]:
    """Return what pools of 2n, 4n, 8n and all N items leave of the shift's variance.

    Args:
        share: the shift R^2, in 0..1; nan gives nan.
        n: items of the subset.
        n_frame: N.
        n_pool: of the pool at hand, which is then the only one beside all items; or None.
    """
    sizes = [factor * n for factor in FACTORS] if n_pool is None else [n_pool]
    if n >= n_frame:  # no error is left, whatever the pool
        return (PoolLeft(n_frame, float("nan")),)
    kept = sorted({size for size in sizes if n <= size < n_frame} | {n_frame})
    return tuple(PoolLeft(m, balanced_share(share, m / n, n / n_frame)) for m in kept)

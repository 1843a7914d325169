"""Diagnose: is random enough here, and do these probes explain these models?"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from bestrand.core.manifest import Manifest
from bestrand.core.scores import ScoreMatrix, ScoreTable, matrix_of, why_missing
from bestrand.errors import ArgumentError
from bestrand.notes import Note
from bestrand.planning.checks import (
    LeaveOut,
    frame_size,
    on_pool,
    require_on_scale,
    require_shares,
    whole_part,
)
from bestrand.planning.forecast import forecast
from bestrand.planning.theory import PoolLeft, ShiftR2, law_ends, pools_left, shift_r2
from bestrand.rng import Stream
from bestrand.settings import real_number
from bestrand.stats.explained import explained_by_others
from bestrand.stats.intervals import t_quantile
from bestrand.stats.regression import ridge_penalty
from bestrand.stats.tail import (
    correlations,
    draw_mae,
    error_covariance,
    exceedance_bound,
    mean_correlation,
    shift_deviation,
)
from bestrand.types import FloatArray, IntArray


RETENTIONS = (0.02, 0.05, 0.1, 0.2, 0.5)
POOL_FACTOR = 4
N_BLOCKS = 20
NEAR_DUPLICATE = 0.95
NO_GAIN, SMALL_GAIN = 0.1, 0.2

Outlook = Literal["random is enough", "not explained", "small gain", "probes help", "unknown"]


class AtRetention(NamedTuple):
    """What to expect at one size of the subset, in the metric's unit.

    Attributes:
        retention: n / N.
        n: items.
        sigma_c: standard deviation of the shift that all models share, under random sampling.
        random_mean: expected mean absolute error over models of a simple random subset.
        random_p95: its 95th percentile.
        exceedance: probability that it is above the threshold.
        exceedance_bound: what the shift alone makes of it, 2 (1 - Phi(threshold / sigma_c)): no
            number of models of this kind brings the probability lower.
        lower_end: smallest error that many such models can have; nan for one model.
        mode: most likely error, of as many models as there are.
        mode_rate: mode less lower end is about this over the root of the number of models, if
            these are many.
        shift_explained: standard deviation of the part of the shift that the probes' means tell.
        shift_rest: of the rest. The two are uncorrelated, and their squares sum to sigma_c^2.
        pools: what choice from pools of several sizes leaves of the shift's variance.
        balanced_mean: forecast of a subset balanced on the probes, from a pool of 4n, or from the
            pool that was given; nan where the subset would be larger than that pool.
        balanced_p95: its 95th percentile.
    """

    retention: float
    n: int
    sigma_c: float
    random_mean: float
    random_p95: float
    exceedance: float
    exceedance_bound: float
    lower_end: float
    mode: float
    mode_rate: float
    shift_explained: float
    shift_rest: float
    pools: tuple[PoolLeft, ...]
    balanced_mean: float
    balanced_p95: float


@dataclass(frozen=True, eq=False)
class Diagnosis:
    """What theory says of a matrix of scores.

    Attributes:
        models: L names.
        n_items: N, of the benchmark.
        n_scored: items that the scores are on: N, or fewer.
        pool_items: of the pool, if one was given.
        metric: name of the metric.
        rho: mean correlation of two models' item scores; nan for one model.
        rho_low: lower end of its 95 % interval, by a jackknife over blocks of items.
        rho_high: upper end.
        effective_models: how many different models there are in effect, the participation ratio
            of the correlations' spectrum: L if all are uncorrelated, 1 if all are alike.
        target_r2: (L,) share of the variance of each model's own item scores that the others, as
            probes, explain, each left out in turn; nan for a flat one, or the only one.
        target_r2_pooled: the same pooled over models.
        shift_r2: share of the variance of the items' mean score over models that probes explain:
            of the shift that all models share. Some of the models are the probes, others the
            targets; see `planning.theory.shift_r2`.
        flat_items: items on which all models score the same.
        group_sizes: items of each group, or None.
        near_duplicates: pairs of models whose item scores correlate above .95.
        threshold: error above which a draw counts as bad, in the metric's unit.
        sizes: what to expect at each size.
        outlook: the verdict in two words.
        verdict: the verdict in a sentence or two.
        left_out_models: models left out for scores that are missing.
        left_out_items: items left out for scores that are missing.
        notes: what a reader should know.
    """

    models: tuple[str, ...]
    n_items: int
    n_scored: int
    pool_items: tuple[str, ...] | None
    metric: str
    rho: float
    rho_low: float
    rho_high: float
    effective_models: float
    target_r2: FloatArray
    target_r2_pooled: float
    shift_r2: ShiftR2
    flat_items: int
    group_sizes: dict[str, int] | None
    near_duplicates: tuple[tuple[str, str], ...]
    threshold: float
    sizes: tuple[AtRetention, ...]
    outlook: Outlook
    verdict: str
    left_out_models: tuple[str, ...] = ()
    left_out_items: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()


def diagnose(
    scores: ScoreTable | ScoreMatrix,
    *,
    n_items: int | None = None,
    pool: Manifest | None = None,
    metric: str | None = None,
    retentions: Sequence[float] = RETENTIONS,
    threshold: float | None = None,
    missing: LeaveOut = "error",
    seed: int = 0,
) -> Diagnosis:
    """Say what a matrix of full scores, or of probes on a pool, promises.

    Each model is treated as a target that the others, as probes, would have to explain. Item
    weights are left aside: the figures are those of the plain mean.

    Args:
        scores: of two models or more, without holes.
        n_items: N, items of the benchmark, if `scores` hold a random part of them only, as of a
            pool or a pilot.
        pool: what `draw_pool` gave, if `scores` are those of probes on a pool. It says N, and the
            forecast is of subsets of this pool. Scores of other items are left aside.
        metric: which; default: the main one.
        retentions: sizes to look at, as shares of the N items, in (0, 1].
        threshold: error above which a draw is bad, in the metric's unit; default: 2 % of its
            range.
        missing: what to do where a score is missing: "error" refuses; "models" leaves out each
            model that lacks one, "items" each item on which a model lacks one; N
            still counts them.
        seed: of the draws from the law of the error.

    Raises:
        ArgumentError: a retention outside (0, 1], a threshold that is not above 0, or N below the
            items of the scores or other than the pool's.
        InputError: scores are missing and `missing` is "error", there is one item only, or
            all scores are the same.
        ManifestError: `pool` is no pool, or some of its items are not among the scores.
    """
    retentions = require_shares(retentions)
    threshold = None if threshold is None else real_number(threshold, "threshold")
    if threshold is not None and not 0 < threshold < math.inf:
        raise ArgumentError(f"`threshold` must be above 0, got {threshold:g}.")
    matrix = matrix_of(scores, metric)
    if pool is not None:
        matrix, n_items = on_pool(matrix, pool, n_items)
    if n_items is None:
        n_items = matrix.frame.n
    part = whole_part(matrix, "A diagnosis", missing, why_missing(scores))
    matrix = part.matrix
    n_frame = frame_size(n_items, matrix.frame.n)
    y, unit = matrix.scaled(), matrix.span[1]
    if threshold is not None:
        require_on_scale("threshold", threshold, unit)
    limit = 0.02 * unit if threshold is None else threshold
    stratified = pool is None or "groups" in pool.balanced_on
    planned = _Planned(
        y,
        matrix.frame.group_codes if stratified else None,
        n_frame,
        None if pool is None else pool.n,
        unit,
        limit / unit,
    )
    target_r2 = explained_by_others(y, penalty=ridge_penalty(y))
    if len(y) == 1:
        target_r2 = np.full(1, np.nan)
    target_r2_pooled = pooled_share(y, target_r2)
    of_shift = shift_r2(y, n_frame, Stream.of(seed, "shift"))
    share_of_shift = max(of_shift.value, 0.0)  # nan stays
    rho, rho_low, rho_high = rho_interval(y)
    sizes = tuple(
        _at(planned, share, share_of_shift, Stream.of(seed, f"{share}")) for share in retentions
    )
    outlook = _outlook(target_r2_pooled, min(sizes, key=lambda size: size.n), limit)
    return Diagnosis(
        models=matrix.models,
        n_items=n_frame,
        n_scored=matrix.frame.n,
        pool_items=None if pool is None else pool.items,
        metric=matrix.metric,
        rho=rho,
        rho_low=rho_low,
        rho_high=rho_high,
        effective_models=participation(y),
        target_r2=target_r2,
        target_r2_pooled=target_r2_pooled,
        shift_r2=of_shift,
        flat_items=int((np.ptp(y, axis=0) == 0).sum()),
        group_sizes=matrix.frame.group_sizes,
        near_duplicates=_near_duplicates(matrix),
        threshold=limit,
        sizes=sizes,
        outlook=outlook,
        verdict=_verdict(outlook, target_r2_pooled, sizes, limit, planned.n_pool),
        left_out_models=part.models,
        left_out_items=part.items,
        notes=part.notes,
    )


def pooled_share(y: FloatArray, target_r2: FloatArray) -> float:
    """Give 1 - (mean variance left over) / (mean variance), over the models that vary."""
    variance = y.var(axis=1, ddof=1)
    known = ~np.isnan(target_r2)
    if len(y) < 2 or not known.any():
        return float("nan")
    return float((target_r2[known] * variance[known]).sum() / variance[known].sum())


def participation(y: FloatArray) -> float:
    """Give (sum of eigenvalues)^2 / (sum of their squares) of the models' correlations."""
    matrix = correlations(y[np.ptp(y, axis=1) > 0])
    return float(np.trace(matrix) ** 2 / (matrix**2).sum())


def rho_interval(y: FloatArray) -> tuple[float, float, float]:
    """Give rho and its 95 % interval by a jackknife over up to 20 blocks of items."""
    rho = mean_correlation(y)
    n_blocks = min(N_BLOCKS, y.shape[1] // 2)
    if np.isnan(rho) or n_blocks < 2:
        return rho, float("nan"), float("nan")
    block = np.arange(y.shape[1]) % n_blocks
    without = np.array([mean_correlation(y[:, block != k]) for k in range(n_blocks)])
    se = np.sqrt((n_blocks - 1) * np.mean((without - without.mean()) ** 2))
    half = float(t_quantile(0.95, np.array([n_blocks - 1.0]))[0] * se)
    return rho, max(rho - half, -1.0), min(rho + half, 1.0)


class _Planned(NamedTuple):
    """Scores on 0..1, and the benchmark and pool for which they stand."""

    y: FloatArray
    groups: IntArray | None
    n_frame: int
    n_pool: int | None  # of the pool at hand; None: 4n items are to be drawn
    unit: float
    limit: float


def _at(planned: _Planned, retention: float, share: float, stream: Stream) -> AtRetention:
    y, unit, n_frame = planned.y, planned.unit, planned.n_frame
    n = max(1, round(retention * n_frame))
    covariance = error_covariance(y, n, n_frame)
    law = draw_mae(covariance, stream)
    mean, p95 = float(law.mean()), float(np.quantile(law, 0.95))
    gain, ends = _gain(planned, n, stream), law_ends(covariance)
    sigma_c = shift_deviation(y, n, n_frame)
    return AtRetention(
        retention=retention,
        n=n,
        sigma_c=unit * sigma_c,
        random_mean=unit * mean,
        random_p95=unit * p95,
        exceedance=float((law > planned.limit).mean()),
        exceedance_bound=exceedance_bound(planned.limit, sigma_c),
        lower_end=unit * ends.lower_end,
        mode=unit * ends.mode,
        mode_rate=unit * ends.mode_rate,
        shift_explained=unit * sigma_c * math.sqrt(share),
        shift_rest=unit * sigma_c * math.sqrt(1 - share),
        pools=pools_left(share, n, n_frame, planned.n_pool),
        balanced_mean=unit * mean * gain[0],
        balanced_p95=unit * p95 * gain[1],
    )


def _gain(planned: _Planned, n: int, stream: Stream) -> tuple[float, float]:
    """Say by what part balance cuts mean and P95; the law of random draws is exact by itself."""
    n_pool = planned.n_pool or min(planned.n_frame, POOL_FACTOR * n)
    if n > n_pool:
        return float("nan"), float("nan")
    ahead = forecast(
        planned.y,
        n,
        n_pool=n_pool,
        n_frame=planned.n_frame,
        n_targets=len(planned.y),
        stream=stream,
        groups=planned.groups,
    )
    if not ahead.random.mean > 0:
        return 1.0, 1.0
    return ahead.balanced.mean / ahead.random.mean, ahead.balanced.p95 / ahead.random.p95


def _near_duplicates(matrix: ScoreMatrix) -> tuple[tuple[str, str], ...]:
    with np.errstate(invalid="ignore"):
        alike = np.triu(correlations(matrix.values) > NEAR_DUPLICATE, 1)
    return tuple((matrix.models[a], matrix.models[b]) for a, b in np.argwhere(alike))


def _outlook(target_r2: float, first: AtRetention, threshold: float) -> Outlook:
    """Judge by cuts that were measured on 33 real matrices."""
    if first.random_p95 <= threshold:
        return "random is enough"
    if np.isnan(target_r2):
        return "unknown"
    if target_r2 < NO_GAIN:
        return "not explained"
    return "small gain" if target_r2 < SMALL_GAIN else "probes help"


def _verdict(
    outlook: Outlook,
    target_r2: float,
    sizes: tuple[AtRetention, ...],
    threshold: float,
    n_pool: int | None,
) -> str:
    """Say it in plain words."""
    ranking = "If only the ranking matters, a random subset is enough."
    if outlook == "unknown":
        return f"One model alone says nothing of others: give the scores of several. {ranking}"
    share = f"These models explain {target_r2:.0%} of each other's item scores"
    pool = "a pool four times as large" if n_pool is None else f"this pool of {n_pool} items"
    probes = f"with all other models as probes on {pool}"
    if outlook == "random is enough":
        first = min(sizes, key=lambda size: size.n)
        return (
            f"Random is enough: with {first.n} items the mean error stays below {threshold:.3g} in "
            f"95 % of draws (P95 {first.random_p95:.3g}). {ranking}"
        )
    if outlook == "not explained":
        return (
            f"{share}: these probes do not explain these models, and no gain is to be expected. "
            f"Draw at random, stratified where there are groups. {ranking}"
        )
    known = [size for size in sizes if not math.isnan(size.balanced_p95)] or sizes
    at = known[min(1, len(known) - 1)]
    what = "a small gain is to be expected" if outlook == "small gain" else "probes help"
    return (
        f"{share}: {what}. With {at.n} item{'s' if at.n > 1 else ''} the 95th percentile of the "
        f"mean error over models is expected to fall from {at.random_p95:.3g} to "
        f"{at.balanced_p95:.3g}, {probes}. {ranking}"
    )

"""Diagnose: is random enough here, and do these probes explain these models?"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bestrand.core.manifest import Manifest
from bestrand.core.scores import ScoreMatrix, ScoreTable, matrix_of, notes_of, why_missing
from bestrand.errors import ArgumentError
from bestrand.planning.checks import (
    LeaveOut,
    frame_size,
    on_pool,
    require_on_scale,
    require_shares,
    whole_part,
)
from bestrand.planning.diagnosis import AtRetention, Diagnosis, ModelR2, Outlook
from bestrand.planning.forecast import forecast
from bestrand.planning.theory import law_ends, pools_left, shift_r2
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
    """Return what a matrix of full scores, or of probes on a pool, promises.

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
    of_models = explained_by_others(y, penalty=ridge_penalty(y))
    if len(y) == 1:
        of_models = np.full(1, np.nan)
    target_r2 = pooled_share(y, of_models)
    of_shift = shift_r2(y, n_frame, Stream.of(seed, "shift"))
    share_of_shift = max(of_shift.value, 0.0)  # nan stays
    rho, rho_low, rho_high = rho_interval(y)
    sizes = tuple(
        _at(planned, share, share_of_shift, Stream.of(seed, f"{share}")) for share in retentions
    )
    outlook = _outlook(target_r2, min(sizes, key=lambda size: size.n), limit)
    return Diagnosis(
        models=tuple(map(ModelR2, matrix.models, of_models.tolist())),
        n_items=n_frame,
        n_scored=matrix.frame.n,
        pool=None if pool is None else pool.n,
        pool_items=None if pool is None else pool.items,
        metric=matrix.metric,
        rho=rho,
        rho_low=rho_low,
        rho_high=rho_high,
        effective_models=participation(y),
        target_r2=target_r2,
        shift_r2=of_shift,
        flat_items=int((np.ptp(y, axis=0) == 0).sum()),
        group_sizes=matrix.frame.group_sizes,
        near_duplicates=_near_duplicates(matrix),
        threshold=limit,
        sizes=sizes,
        outlook=outlook,
        verdict=_verdict(outlook, target_r2, sizes, limit, planned.n_pool),
        left_out_models=part.models,
        left_out_items=part.items,
        notes=(*notes_of(scores), *part.notes),
    )


def pooled_share(y: FloatArray, target_r2: FloatArray) -> float:
    """Return 1 - (mean variance left over) / (mean variance), over the models that vary."""
    variance = y.var(axis=1, ddof=1)
    known = ~np.isnan(target_r2)
    if len(y) < 2 or not known.any():
        return float("nan")
    return float((target_r2[known] * variance[known]).sum() / variance[known].sum())


def participation(y: FloatArray) -> float:
    """Return (sum of eigenvalues)^2 / (sum of their squares) of the models' correlations."""
    matrix = correlations(y[np.ptp(y, axis=1) > 0])
    return float(np.trace(matrix) ** 2 / (matrix**2).sum())


def rho_interval(y: FloatArray) -> tuple[float, float, float]:
    """Return rho and its 95 % interval by a jackknife over up to 20 blocks of items."""
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

"""One replicate: hide targets, draw a pool, select, estimate, and only then look at the truth."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import polars as pl

from bestrand.core.estimates import Estimates
from bestrand.core.manifest import Manifest
from bestrand.core.scores import ScoreMatrix, ScoreTable
from bestrand.designs.simple_random import SimpleRandom
from bestrand.designs.stratified import Stratified
from bestrand.planning.forecast import forecast
from bestrand.rng import Stream
from bestrand.steps.draw_pool import draw_pool
from bestrand.steps.estimate import estimate
from bestrand.steps.select import select
from bestrand.study.benchmark import Benchmark
from bestrand.study.losses import cost_of, errors_of, intervals_of, pairs_of
from bestrand.study.protocol import Planned, Split
from bestrand.study.splits import Models, Parted, pick_probes, split_models
from bestrand.types import IntArray


class ReplicateSetting(NamedTuple):
    """All that fixes a replicate, beside the scores and its number.

    Attributes:
        planned: the strategy.
        split: how known models and targets are told apart.
        n_known: how many models are known.
        n_probes: how many of them the strategy looks at; 0 where it looks at none.
        n: size of the subset.
        alpha: size of the pool over n; inf for the whole frame.
        metric: what is estimated.
        matched: metrics that the subset is matched on, the main one first.
        forecast: whether to forecast the errors from the probes alone.
        seed: the one source of chance.
    """

    planned: Planned
    split: Split
    n_known: int
    n_probes: int
    n: int
    alpha: float
    metric: str
    matched: tuple[str, ...]
    forecast: bool
    seed: int


class Losses(NamedTuple):
    """What one replicate lost; see `StudyTable.rows`."""

    mae: float
    max_error: float
    shift: float
    spearman: float
    kendall: float
    coverage: float
    width: float
    pair_coverage: float
    pair_width: float
    cost_construction: float
    cost_total: float
    forecast_mean: float
    forecast_p95: float


class Drawn(NamedTuple):
    """What is known of a replicate without the truth.

    Attributes:
        subset: the items chosen.
        result: the estimates of the targets.
        n_pool: how many items each probe ran.
    """

    subset: Manifest
    result: Estimates
    n_pool: int


def run_replicate(benchmark: Benchmark, setting: ReplicateSetting, number: int) -> Losses:
    """Run replicate `number` of a setting.

    All strategies of a benchmark meet the same split and the same chance in the same replicate.

    Raises:
        BestrandError: the models cannot be split so, or the strategy lacks what it needs.
    """
    parted = part_models(benchmark, setting, number)
    drawn = draw_subset(benchmark, parted, setting, number)
    truth = benchmark.matrices[setting.metric].take_models(parted.targets).full_scores()
    result = drawn.result
    upper = pairs_of(result.pair_difference, result.pair_half_width, truth)
    inside = intervals_of(result.estimate, result.half_width, truth)
    n_frame = benchmark.main.frame.n
    cost = cost_of(
        setting.n_probes, drawn.n_pool, n=setting.n, n_frame=n_frame, n_targets=truth.size
    )
    ahead = (
        forecast_from_probes(benchmark, parted, setting, number)
        if setting.forecast
        else (math.nan,) * 2
    )
    return Losses(
        *errors_of(result.estimate, truth),
        coverage=inside.coverage,
        width=inside.width,
        pair_coverage=upper.coverage,
        pair_width=upper.width,
        cost_construction=cost.construction,
        cost_total=cost.total,
        forecast_mean=ahead[0],
        forecast_p95=ahead[1],
    )


def part_models(benchmark: Benchmark, setting: ReplicateSetting, number: int) -> Parted:
    """Tell known models and targets apart; the same for all strategies and retentions."""
    matrix = benchmark.matrices[setting.metric]
    models = Models(
        matrix.models, matrix.full_scores(), benchmark.model_families, benchmark.model_dates
    )
    stream = Stream.of(setting.seed, "split", benchmark.name, setting.split, f"{number}")
    return split_models(models, setting.split, setting.n_known, stream)


def draw_subset(
    benchmark: Benchmark, parted: Parted, setting: ReplicateSetting, number: int
) -> Drawn:
    """Choose items and estimate, through the front door.

    Of the targets nothing is handed on but their scores on the items chosen; of the known models
    nothing but the scores of those that the strategy looks at, on the items that they ran.
    """
    matrix = benchmark.matrices[setting.metric]
    strategy, seed = setting.planned.strategy, _seed(benchmark, setting, number)
    targets = matrix.take_models(parted.targets)
    if not setting.n_probes:
        subset = select(
            matrix.frame,
            setting.n,
            design=strategy.design,
            texts=benchmark.texts if strategy.needs == "texts" else None,
            seed=seed,
        )
        result = estimate(targets.take_items(subset.items), subset, estimator=strategy.estimator)
        return Drawn(subset, result, 0)
    probes = matrix.take_models(_probes(matrix, parted, setting))
    pool = None if math.isinf(setting.alpha) else _pool(matrix, setting, seed)
    seen = probes if pool is None else probes.take_items(pool.items)
    subset = select(
        seen if len(setting.matched) == 1 else _several(benchmark, seen, setting.matched),
        setting.n,
        pool=pool,
        design=strategy.design,
        probes=probes.models,
        metrics=setting.matched if len(setting.matched) > 1 else None,
        seed=seed,
    )
    whole = pool is None or pool.n == matrix.frame.n
    result = estimate(
        targets.take_items(subset.items),
        subset,
        probes=probes if whole else seen,
        estimator=strategy.estimator,
    )
    return Drawn(subset, result, matrix.frame.n if pool is None else pool.n)


def forecast_from_probes(
    benchmark: Benchmark, parted: Parted, setting: ReplicateSetting, number: int
) -> tuple[float, float]:
    """Forecast mean and 95th percentile of the MAE from the probes on a pool, in the metric's unit.

    Nan where the forecast does not speak of the strategy: it knows simple random subsets with the
    mean, and subsets that match probe means.
    """
    strategy, matrix = setting.planned.strategy, benchmark.matrices[setting.metric]
    plain = isinstance(strategy.design, SimpleRandom) and strategy.needs == "nothing"
    if not plain and not strategy.design.needs == strategy.needs == "probes":
        return math.nan, math.nan
    chosen = setting if setting.n_probes else setting._replace(n_probes=setting.n_known)
    probes = matrix.take_models(_probes(matrix, parted, chosen))
    items = matrix.frame.items
    if not math.isinf(setting.alpha):
        items = _pool(matrix, setting, _seed(benchmark, setting, number)).items
        probes = probes.take_items(items)
    low, unit = matrix.span
    ahead = forecast(
        replace(probes, bounds=(low, low + unit)).scaled(),
        setting.n,
        n_pool=probes.frame.n,
        n_frame=matrix.frame.n,
        n_targets=len(parted.targets),
        stream=Stream.of(setting.seed, "forecast", benchmark.name, f"{number}"),
        groups=_groups(matrix, items) if setting.planned.pool == "stratified" else None,
    )
    errors = ahead.random if plain else ahead.balanced
    return unit * errors.mean, unit * errors.p95


def _groups(matrix: ScoreMatrix, items: Sequence[str]) -> IntArray | None:
    """Return the code of each item's group, or None where there are none."""
    codes = matrix.frame.group_codes
    return None if codes is None else codes[[matrix.frame.positions[item] for item in items]]


def _seed(benchmark: Benchmark, setting: ReplicateSetting, number: int) -> int:
    stream = Stream.of(setting.seed, "draw", benchmark.name, setting.split, f"{number}")
    return int(stream.words(0, 1)[0])


def _probes(matrix: ScoreMatrix, parted: Parted, setting: ReplicateSetting) -> tuple[str, ...]:
    full = dict(zip(matrix.models, matrix.full_scores().tolist(), strict=True))
    chosen = pick_probes(parted, full, setting.n_probes, setting.planned.probes)
    return tuple(sorted(chosen))


def _pool(matrix: ScoreMatrix, setting: ReplicateSetting, seed: int) -> Manifest:
    grouped = setting.planned.pool == "stratified" and matrix.frame.groups is not None
    design = Stratified() if grouped else SimpleRandom()
    return draw_pool(matrix.frame, setting.n, factor=setting.alpha, design=design, seed=seed)


def _several(benchmark: Benchmark, seen: ScoreMatrix, metrics: tuple[str, ...]) -> ScoreTable:
    """Make a table of the probes' scores in several metrics, on the items that they ran."""
    items, models = seen.frame.items, seen.models
    rows = [
        pl.DataFrame(
            {
                "item": list(items) * len(models),
                "model": [model for model in models for _ in items],
                "metric": metric,
                "score": benchmark.matrices[metric]
                .take_models(models)
                .take_items(items)
                .values.ravel(),
                "status": "scored",
            }
        )
        for metric in metrics
    ]
    frame = benchmark.main.frame
    place = [frame.positions[item] for item in items]
    explicit = frame.weighting == "explicit"
    described = pl.DataFrame(
        {
            "item": items,
            "task": [None for _ in place],
            "group": [frame.groups[i] if frame.groups else None for i in place],
            "weight": [float(frame.weights[i]) if explicit else None for i in place],
        },
        schema={"item": pl.String, "task": pl.String, "group": pl.String, "weight": pl.Float64},
    )
    bounds = {m: b for m in metrics if (b := benchmark.matrices[m].bounds) is not None}
    return ScoreTable(pl.concat(rows), described.sort("item"), bounds=bounds)

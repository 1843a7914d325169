"""The columns of a study's tables, each written once: its name, its type and what it holds.

Rows that are printed are records; the types of their columns in a frame come from their fields.
"""

from dataclasses import dataclass, fields
from typing import Any, TypeVar, get_type_hints

import polars as pl

from bestrand.record import MaybeNumber, Record
from bestrand.study.replicate import Losses


R = TypeVar("R", bound=Record)
Columns = dict[str, Any]
_TYPES: dict[Any, Any] = {
    str: pl.String,
    str | None: pl.String,
    int: pl.Int64,
    float: pl.Float64,
    float | None: pl.Float64,
    tuple[str, ...]: pl.List(pl.String),
}

# what tells one cell from another
CELL: Columns = {
    "experiment": pl.String,
    "figure": pl.List(pl.Int64),
    "benchmark": pl.String,
    "kind": pl.String,
    "family": pl.String,
    "metric": pl.String,
    "matched": pl.String,
    "split": pl.String,
    "regime": pl.String,
    "known": pl.Float64,
    "n_known": pl.Int64,
    "retention": pl.Float64,
    "n": pl.Int64,
    "strategy": pl.String,
}
# a cell, whichever the strategy; `known` and `retention` as the protocol says
SETTING = tuple(name for name in CELL if name not in ("figure", "strategy"))
LOSSES = Losses._fields
# what a worker gives of a cell, and the same rows with the cell in front
PART: Columns = {
    "replicate": pl.Int64,
    **dict.fromkeys(LOSSES, pl.Float64),
    "reason": pl.String,
}
ROWS: Columns = {**CELL, "replicate": pl.Int64, **dict.fromkeys(LOSSES, pl.Float64)}
EMPTY: Columns = {**CELL, "reason": pl.String}


@dataclass(frozen=True, slots=True)
class BenchmarkRow(Record):
    """One benchmark that the study was given.

    Attributes:
        benchmark: its name.
        kind: of benchmark; None where unknown.
        family: cluster of benchmarks that share their models.
        metrics: what was scored.
        models: how many.
        items: how many.
        groups: how many; 0 without groups.
        reason: why it could not be used, or None.
    """

    benchmark: str
    kind: str | None
    family: str
    metrics: tuple[str, ...]
    models: int
    items: int
    groups: int
    reason: str | None


@dataclass(frozen=True, slots=True)
class AverageRow(Record):
    """One strategy over benchmarks, in one kind and at one retention; errors as in the scores.

    Attributes:
        experiment: its name.
        split: how known models and targets are told apart.
        regime: what the known models are used as.
        known: models known: a count, or a share of all if below 1.
        strategy: its name.
        kind: "all" for all kinds.
        retention: share of the items; None for all sizes.
        base: the strategy of the ratios.
        benchmarks: how many.
        families: how many clusters of them.
        mae_ratio: geometric mean over benchmarks, to the base.
        mae_low: lower end of its 95 % interval, families as clusters; nan for a single family.
        mae_high: upper end.
        p95_ratio: the same of the 95th percentile of the MAE over replicates.
        p95_low: lower end.
        p95_high: upper end.
        sd_ratio: the same of the standard deviation of the MAE over replicates.
        sd_low: lower end.
        sd_high: upper end.
        mae: mean absolute error over targets.
        sd: standard deviation of the MAE over replicates.
        p95: 95th percentile of the MAE over replicates.
        high_70: share of replicates above Random's 70th percentile.
        high_mean: share of replicates above Random's mean.
        spearman: rank correlation of estimates with full scores.
        kendall: Kendall's tau-b of the same.
        coverage: share of intervals that hold the full score.
        width: of the intervals.
        pair_coverage: share of the intervals of paired differences that hold the truth.
        pair_width: of these intervals.
        cost_construction: in full-benchmark runs of one model.
        cost_total: the same, with the targets' runs.
        forecast_mean: of the MAE, from the probes alone.
        forecast_p95: of its 95th percentile, from the probes alone.
        base_mae: of the base over the same cells.
        base_sd: of the base.
        base_p95: of the base.
        base_spearman: of the base.
        equals: how many times as many random items err as little on average; nan where `retention`
            is None.
        equals_low: lower end of its 95 % interval, from that of the ratio.
        equals_high: upper end.
        equals_p95: the same in a bad draw, by the P95.
        equals_p95_low: lower end.
        equals_p95_high: upper end.
    """

    experiment: str
    split: str
    regime: str
    known: float
    strategy: str
    kind: str
    retention: float | None
    base: str
    benchmarks: int
    families: int
    mae_ratio: MaybeNumber
    mae_low: MaybeNumber
    mae_high: MaybeNumber
    p95_ratio: MaybeNumber
    p95_low: MaybeNumber
    p95_high: MaybeNumber
    sd_ratio: MaybeNumber
    sd_low: MaybeNumber
    sd_high: MaybeNumber
    mae: MaybeNumber
    sd: MaybeNumber
    p95: MaybeNumber
    high_70: MaybeNumber
    high_mean: MaybeNumber
    spearman: MaybeNumber
    kendall: MaybeNumber
    coverage: MaybeNumber
    width: MaybeNumber
    pair_coverage: MaybeNumber
    pair_width: MaybeNumber
    cost_construction: MaybeNumber
    cost_total: MaybeNumber
    forecast_mean: MaybeNumber
    forecast_p95: MaybeNumber
    base_mae: MaybeNumber
    base_sd: MaybeNumber
    base_p95: MaybeNumber
    base_spearman: MaybeNumber
    equals: MaybeNumber
    equals_low: MaybeNumber
    equals_high: MaybeNumber
    equals_p95: MaybeNumber
    equals_p95_low: MaybeNumber
    equals_p95_high: MaybeNumber


@dataclass(frozen=True, slots=True)
class TheoryRow(Record):
    """The law of the MAE beside Random's draws, on one benchmark at one retention.

    Attributes:
        experiment: its name.
        benchmark: its name.
        kind: of benchmark; None where unknown.
        family: cluster of benchmarks that share their models.
        metric: what was scored.
        models: how many; all are targets.
        retention: share of the items.
        n: items of a subset.
        rho: mean correlation of two models' item scores.
        sigma_c: standard deviation of the shift that all models share.
        law_mean: mean of the law.
        law_p95: 95th percentile of the law.
        random_mean: mean of Random's draws.
        random_p95: their 95th percentile.
        distance: Kolmogorov's, of the draws to the law.
    """

    experiment: str
    benchmark: str
    kind: str | None
    family: str
    metric: str
    models: int
    retention: float
    n: int
    rho: MaybeNumber
    sigma_c: MaybeNumber
    law_mean: MaybeNumber
    law_p95: MaybeNumber
    random_mean: MaybeNumber
    random_p95: MaybeNumber
    distance: MaybeNumber


def columns_of(kind: type[Record]) -> Columns:
    """Return the columns of a frame whose rows are such records."""
    return {name: _TYPES[of] for name, of in get_type_hints(kind).items() if name in _names(kind)}


def rows_of(kind: type[R], frame: pl.DataFrame) -> tuple[R, ...]:
    """Turn a frame into records; columns that they do not name are left out."""
    if frame.is_empty():
        return ()
    lines = frame.select(_names(kind)).iter_rows(named=True)
    return tuple(
        kind(**{k: tuple(v) if isinstance(v, list) else v for k, v in line.items()})
        for line in lines
    )


def _names(kind: type[Record]) -> list[str]:
    return [field.name for field in fields(kind)]  # type: ignore[arg-type]


BENCHMARKS = columns_of(BenchmarkRow)
_LISTS: Columns = {"law": pl.List(pl.Float64), "draws": pl.List(pl.Float64)}
THEORY: Columns = {**columns_of(TheoryRow), **_LISTS}
# what a worker gives of a law: all but the place
LAW: Columns = {name: kind for name, kind in THEORY.items() if name not in CELL}

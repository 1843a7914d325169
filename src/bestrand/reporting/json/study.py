"""What `bestrand study --json` and `bestrand report --json` print of a study."""

from collections.abc import Sequence

import polars as pl
from pydantic import Field

from bestrand.notes import Note
from bestrand.reporting.json.contract import Contract, MaybeNumber
from bestrand.study.article import set_beside
from bestrand.study.claims import Checked
from bestrand.study.table import StudyTable


ARTICLE = "article"


class StudyBenchmark(Contract):
    """One benchmark that the study was given."""

    benchmark: str
    kind: str | None
    family: str = Field(description="Cluster of benchmarks that share their models.")
    metrics: tuple[str, ...]
    models: int
    items: int
    groups: int
    reason: str | None = Field(description="Why it could not be used, or null.")


class StudyAverage(Contract):
    """One strategy over benchmarks, in one kind and at one retention; errors as in the scores."""

    experiment: str
    split: str
    regime: str
    known: float = Field(description="Models known: a count, or a share of all if below 1.")
    strategy: str
    kind: str = Field(description='"all" for all kinds.')
    retention: float | None = Field(description="Null for all.")
    base: str
    benchmarks: int
    families: int
    mae_ratio: MaybeNumber = Field(description="Geometric mean over benchmarks, to the base.")
    mae_low: MaybeNumber = Field(description="95 % interval, families as clusters.")
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
    high_70: MaybeNumber = Field(description="Share above Random's 70th percentile.")
    high_mean: MaybeNumber = Field(description="Share above Random's mean.")
    spearman: MaybeNumber
    kendall: MaybeNumber
    coverage: MaybeNumber
    width: MaybeNumber
    pair_coverage: MaybeNumber
    pair_width: MaybeNumber
    cost_construction: MaybeNumber = Field(description="In full-benchmark runs of one model.")
    cost_total: MaybeNumber
    forecast_mean: MaybeNumber
    forecast_p95: MaybeNumber
    base_mae: MaybeNumber
    base_sd: MaybeNumber
    base_p95: MaybeNumber
    base_spearman: MaybeNumber
    equals: MaybeNumber = Field(
        description="How many times as many random items err as little on average; null where "
        "retention is."
    )
    equals_low: MaybeNumber = Field(description="95 % interval, from that of the ratio.")
    equals_high: MaybeNumber
    equals_p95: MaybeNumber = Field(description="The same in a bad draw, by the P95.")
    equals_p95_low: MaybeNumber
    equals_p95_high: MaybeNumber


class StudyTheory(Contract):
    """The law of the MAE beside Random's draws, on one benchmark at one retention."""

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
    distance: MaybeNumber = Field(description="Kolmogorov's, of the draws to the law.")


class StudyEmpty(Contract):
    """Cells without rows that have one reason in common."""

    experiment: str
    strategy: str
    reason: str
    cells: int
    benchmarks: tuple[str, ...]


class StudyClaim(Contract):
    """One claim that was to hold."""

    claim: str
    outcome: str = Field(description='"passed", "failed" or "empty".')
    value: MaybeNumber
    low: MaybeNumber
    high: MaybeNumber
    cells: int
    text: str


class StudyBeside(Contract):
    """One figure of the article beside ours."""

    figure: int = Field(description="Number of the article's experiment.")
    what: str
    article: float
    ours: MaybeNumber
    unit: str = Field(description='"points" (errors, to be shown times 100), "share", "number".')


class StudyReport(Contract):
    """What `bestrand study --json` prints."""

    protocol: str
    seed: int
    cells: int = Field(description="Cells with rows.")
    empty_cells: int
    missing_cells: int = Field(description="Not computed yet.")
    benchmarks: tuple[StudyBenchmark, ...]
    averages: tuple[StudyAverage, ...]
    theory: tuple[StudyTheory, ...]
    empty: tuple[StudyEmpty, ...]
    claims: tuple[StudyClaim, ...]
    article: tuple[StudyBeside, ...] = Field(
        description="The article's figures, where its protocol was run."
    )
    notes: tuple[Note, ...] = Field(
        description="What was noted when the benchmarks were read.", default=()
    )


def study_report(table: StudyTable, claims: Sequence[Checked] = ()) -> StudyReport:
    """Turn a study, and the claims that were checked, into what is printed."""
    averages = table.averages()
    beside = set_beside(table, averages) if table.protocol.name == ARTICLE else ()
    seen = [name for name in StudyTheory.model_fields if name in table.theory.columns]
    return StudyReport(
        protocol=table.protocol.name,
        seed=table.seed,
        cells=table.cells().height,
        empty_cells=table.empty.height,
        missing_cells=table.missing,
        benchmarks=tuple(StudyBenchmark(**row) for row in table.benchmarks.iter_rows(named=True)),
        averages=tuple(StudyAverage(**row) for row in averages.iter_rows(named=True)),
        theory=tuple(StudyTheory(**row) for row in table.theory.select(seen).iter_rows(named=True)),
        empty=_empty(table.empty),
        claims=tuple(StudyClaim(**claim._asdict()) for claim in claims),
        article=tuple(StudyBeside(**line._asdict()) for line in beside),
        notes=table.notes,
    )


def _empty(empty: pl.DataFrame) -> tuple[StudyEmpty, ...]:
    by_reason = empty.group_by("experiment", "strategy", "reason", maintain_order=True).agg(
        pl.len().alias("cells"), pl.col("benchmark").unique().sort().alias("benchmarks")
    )
    return tuple(StudyEmpty(**row) for row in by_reason.iter_rows(named=True))

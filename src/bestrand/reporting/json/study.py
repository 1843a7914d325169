"""What `bestrand study --json` and `bestrand report --json` print of a study."""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from bestrand.notes import Note
from bestrand.record import Record
from bestrand.study.article import Beside, set_beside
from bestrand.study.claims import ClaimResult
from bestrand.study.columns import AverageRow, BenchmarkRow, TheoryRow, rows_of
from bestrand.study.table import StudyTable


ARTICLE = "article"


@dataclass(frozen=True, slots=True)
class EmptyCells(Record):
    """Cells without rows that have one reason in common.

    Attributes:
        experiment: its name.
        strategy: its name.
        reason: why they have no rows.
        cells: how many.
        benchmarks: which.
    """

    experiment: str
    strategy: str
    reason: str
    cells: int
    benchmarks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StudyReport(Record):
    """What a study found: what `bestrand study --json` prints.

    Attributes:
        protocol: its name.
        seed: random seed.
        cells: cells with rows.
        empty_cells: cells that could not be run.
        missing_cells: not computed yet.
        benchmarks: what the study was given.
        averages: over benchmarks, one row a strategy, setting, kind and size.
        theory: the law of the error beside Random's draws.
        empty: why cells have no rows.
        claims: what was to hold.
        article: the article's figures beside these, where its protocol was run.
        notes: what was noted when the benchmarks were read.
    """

    protocol: str
    seed: int
    cells: int
    empty_cells: int
    missing_cells: int
    benchmarks: tuple[BenchmarkRow, ...]
    averages: tuple[AverageRow, ...]
    theory: tuple[TheoryRow, ...]
    empty: tuple[EmptyCells, ...]
    claims: tuple[ClaimResult, ...]
    article: tuple[Beside, ...]
    notes: tuple[Note, ...] = ()


def study_report(table: StudyTable, claims: Sequence[ClaimResult] = ()) -> StudyReport:
    """Turn a study, and the claims that were checked, into what is printed."""
    averages = table.averages()
    beside = set_beside(table, averages) if table.protocol.name == ARTICLE else ()
    return StudyReport(
        protocol=table.protocol.name,
        seed=table.seed,
        cells=table.cells().height,
        empty_cells=table.empty.height,
        missing_cells=table.missing,
        benchmarks=rows_of(BenchmarkRow, table.benchmarks),
        averages=rows_of(AverageRow, averages),
        theory=rows_of(TheoryRow, table.theory),
        empty=_empty(table.empty),
        claims=tuple(claims),
        article=tuple(beside),
        notes=table.notes,
    )


def _empty(empty: pl.DataFrame) -> tuple[EmptyCells, ...]:
    by_reason = empty.group_by("experiment", "strategy", "reason", maintain_order=True).agg(
        pl.len().alias("cells"), pl.col("benchmark").unique().sort().alias("benchmarks")
    )
    return rows_of(EmptyCells, by_reason)

"""What the figures of a study have in common: its summaries, taken apart by experiment."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import polars as pl

from bestrand.reporting.charts.style import noun, plain
from bestrand.reporting.html.figure import Column
from bestrand.study.averages import ALL, GROUP
from bestrand.study.columns import SETTING
from bestrand.study.distributions import precision
from bestrand.study.protocol import Experiment
from bestrand.study.table import StudyTable


# what an experiment is drawn for if its protocol does not say
USUAL = (1, 2, 3, 5)
POINTS = ("mae", "sd", "p95", "width", "pair_width", "forecast_mean", "forecast_p95")
OVER_BENCHMARKS = "intervals are over benchmarks, families of them as clusters"
# what tells one average from another
AVERAGED = (
    Column("strategy", "strategy"),
    Column("kind", "kind"),
    Column("retention", "retention", 3),
)
RATIO_COLUMNS = (
    *AVERAGED,
    Column("ratio", "MAE to Random", 3),
    Column("low", "95 % low", 3),
    Column("high", "95 % high", 3),
    Column("p95_ratio", "P95 to Random", 3),
    Column("sd_ratio", "sd to Random", 3),
    Column("equals", "equals, times as many random items", 2),
    Column("equals_low", "95 % low", 2),
    Column("equals_high", "95 % high", 2),
    Column("equals_p95", "in a bad draw", 2),
    Column("mae", "MAE, points", 2),
    Column("mae_se", "Monte Carlo se", 3),
    Column("sd", "sd, points", 2),
    Column("p95", "P95, points", 2),
    Column("p95_se", "Monte Carlo se", 3),
    Column("cost", "construction, runs", 2),
    Column("benchmarks", "benchmarks"),
    Column("families", "families"),
)


class ExperimentSetting(NamedTuple):
    """One setting of an experiment: how models were told apart, and how many were known.

    Attributes:
        experiment: what the protocol says.
        split: how.
        known: how many models, or a share of them below 1.
        name: of the setting, for people.
    """

    experiment: Experiment
    split: str
    known: float
    name: str


class StudyView(NamedTuple):
    """A study and its summaries, each made once.

    Attributes:
        table: the study.
        cells: one line a cell.
        ratios: one line a cell, to Random's.
        averages: over benchmarks, with `_se`, their Monte Carlo errors.
    """

    table: StudyTable
    cells: pl.DataFrame
    ratios: pl.DataFrame
    averages: pl.DataFrame

    @classmethod
    def of(cls, table: StudyTable) -> "StudyView":
        """Summarise a study."""
        cells, ratios, averages = table.cells(), table.ratios(), table.averages()
        if averages.is_empty():
            return cls(table, cells, ratios, averages)
        both = cells.join(
            ratios.select(*SETTING, "strategy"),
            on=[*SETTING, "strategy"],
            how="semi",
            nulls_equal=True,
        )
        errors = precision(both)
        keys = [*GROUP, "kind", "retention"]
        joined = averages.join(errors, on=keys, how="left", nulls_equal=True, maintain_order="left")
        return cls(table, cells, ratios, joined)

    def experiments(self, figure: int) -> list[Experiment]:
        """Return the experiments that serve one of the article's, in the protocol's order."""
        return [e for e in self.table.protocol.experiments if figure in (e.figure or USUAL)]

    def settings(self, figure: int) -> Iterator[ExperimentSetting]:
        """Return every setting of the experiments that serve one of the article's."""
        for experiment in self.experiments(figure):
            for split in experiment.splits:
                for known in experiment.known:
                    yield ExperimentSetting(
                        experiment, split, known, _name(experiment, split, known)
                    )

    def averaged(
        self, setting: ExperimentSetting, *, kind: str | None = ALL, retention: float | None = None
    ) -> list[dict[str, Any]]:
        """Return the averages of a setting, ready to be shown; errors in points.

        Args:
            setting: which.
            kind: of one kind; "all" for the averages over all, None for every kind's.
            retention: at one; None for the averages over all, below 0 for every one.
        """
        if self.averages.is_empty():
            return []
        lines = self.averages.filter(_of(setting))
        if kind is not None:
            lines = lines.filter(pl.col("kind") == kind)
        if retention is None:
            lines = lines.filter(pl.col("retention").is_null())
        elif retention >= 0:
            lines = lines.filter((pl.col("retention") - retention).abs() < 1e-9)
        return [shown(line) for line in lines.iter_rows(named=True)]

    def celled(self, setting: ExperimentSetting) -> pl.DataFrame:
        """Return the cells of a setting."""
        return self.cells if self.cells.is_empty() else self.cells.filter(_of(setting))


def shown(line: dict[str, Any]) -> dict[str, Any]:
    """Make a line of averages ready to be shown: points, plain numbers, shorter names."""
    in_points = {*POINTS, *(f"{name}_se" for name in POINTS)}
    row = {name: plain(value) for name, value in line.items() if not isinstance(value, list)}
    row |= {name: points(row[name]) for name in in_points & row.keys()}
    if "mae_ratio" in row:
        row |= {"ratio": row["mae_ratio"], "low": row["mae_low"], "high": row["mae_high"]}
    if "cost_construction" in row:
        row["cost"] = row["cost_construction"]
    return row


def points(value: Any) -> float | None:  # noqa: ANN401 - a cell
    """Return an error in points, 100 times the metric's unit."""
    number = plain(value)
    return None if number is None else 100 * float(number)


def basis(setting: ExperimentSetting, rows: list[dict[str, Any]]) -> str:
    """Return what averages rest on."""
    benchmarks = max((row["benchmarks"] for row in rows), default=0)
    families = max((row["families"] for row in rows), default=0)
    replicates = setting.experiment.replicates
    return (
        f"{benchmarks} {noun(benchmarks, 'benchmark')} of {families} "
        f"{noun(families, 'family', 'families')}, {replicates} {noun(replicates, 'replicate')} a "
        "cell; a strategy may lack some, see the rows"
    )


def largest(rows: list[dict[str, Any]], name: str, digits: int = 2) -> str:
    """Write the largest Monte Carlo error of a column; "unknown" if there is none."""
    known = [row[name] for row in rows if row.get(name) is not None]
    return f"{max(known):.{digits}f}" if known else "unknown"


def _of(setting: ExperimentSetting) -> pl.Expr:
    return (
        (pl.col("experiment") == setting.experiment.name)
        & (pl.col("split") == setting.split)
        & (pl.col("known") == setting.known)
    )


def _name(experiment: Experiment, split: str, known: float) -> str:
    name = experiment.name
    if len(experiment.splits) > 1:
        name += f", {split}"
    if len(experiment.known) > 1:
        name += f", {known:.0%} of the models known" if known < 1 else f", {known:.0f} known"
    return name

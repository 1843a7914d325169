"""Figures of a study on errors: ratios, sizes, high error, distributions, rankings, costs."""

from collections.abc import Iterator
from typing import Any

import polars as pl

from bestrand.reporting.charts.cost import cost_chart, cost_lines_chart
from bestrand.reporting.charts.study import (
    dots_chart,
    lines_chart,
    ratio_chart,
    spread_chart,
)
from bestrand.reporting.charts.style import count, known, share
from bestrand.reporting.html.figure import Column, Figure
from bestrand.reporting.html.study_view import (
    AVERAGED,
    OVER_BENCHMARKS,
    RATIO_COLUMNS,
    ExperimentSetting,
    StudyView,
    basis,
    largest,
    points,
    shown,
)
from bestrand.study.distributions import distributions


MOST_LINES = 7
TAIL_RETENTION = 0.2
DRAWN = ("random", "bestrand", "balanced")


def error_figures(view: StudyView) -> Iterator[Figure]:
    """Draw the mean error of every strategy over Random's, and over the size."""
    for number, setting in enumerate(view.settings(1), start=1):
        rows = sorted(known(view.averaged(setting), "ratio"), key=_by_ratio)
        if not rows:
            continue
        yield ratio_figure(view, setting, rows, key=f"errors-{number}", title="Mean error")
        sizes = view.averaged(setting, retention=-1)
        sizes = [row for row in sizes if row["retention"] is not None]
        if len(setting.experiment.retentions) > 1:
            yield _sizes(setting, rows, sizes, number)


def ratio_figure(
    view: StudyView, setting: ExperimentSetting, rows: list[dict[str, Any]], *, key: str, title: str
) -> Figure:
    """Draw the mean error of strategies over Random's, in the order of the rows."""
    return Figure(
        key=key,
        title=f"{title}: {setting.name}",
        caption=(
            "Mean absolute error over targets, divided by Random's on the same splits and seeds: "
            "the geometric mean over benchmarks, all sizes and kinds together. Left of the dashed "
            "line a strategy errs less than Random. The rows give it by kind and retention too, a "
            "dash for all."
        ),
        n=basis(setting, rows),
        error=(
            f"{OVER_BENCHMARKS}; Monte Carlo se of the mean errors at most "
            f"{largest(rows, 'mae_se')} points."
        ),
        columns=RATIO_COLUMNS,
        rows=tuple(view.averaged(setting, kind=None, retention=-1)),
        chart=ratio_chart(rows, title=f"{title}: {setting.name}"),
    )


def _sizes(
    setting: ExperimentSetting,
    ranked: list[dict[str, Any]],
    sizes: list[dict[str, Any]],
    number: int,
) -> Figure:
    """Draw the mean error over the retention, for Random and the strategies that err least."""
    ranked, without = everywhere(ranked)
    names = [row["strategy"] for row in ranked]
    drawn = names[:MOST_LINES]
    if "random" in names and "random" not in drawn:
        drawn = [*names[: MOST_LINES - 1], "random"]
    some = "" if len(drawn) == len(names) else f" The {len(drawn) - 1} that err least, and Random."
    lines = [
        {
            "strategy": row["strategy"],
            "retention": row["retention"],
            "value": row["mae"],
            "se": row["mae_se"],
        }
        for name in drawn
        for row in sizes
        if row["strategy"] == name
    ]
    title = f"Error against size: {setting.name}"
    return Figure(
        key=f"sizes-{number}",
        title=title,
        caption=(
            f"Mean absolute error over targets in points, averaged over benchmarks.{some}{without}"
        ),
        n=basis(setting, ranked),
        error=f"Monte Carlo se at most {largest(lines, 'se')} points.",
        columns=RATIO_COLUMNS,
        rows=tuple(sizes),
        chart=lines_chart(lines, title=title, axis="mean absolute error, points"),
    )


def high_error_figures(view: StudyView) -> Iterator[Figure]:
    """Draw how often a strategy errs more than Random's 70th percentile, and than its mean."""
    for number, setting in enumerate(view.settings(2), start=1):
        rows = known(view.averaged(setting), "high_70")
        rows.sort(key=lambda row: row["high_70"])
        both = (("high_70", "above Random's P70"), ("high_mean", "above Random's mean"))
        title = f"High error: {setting.name}"
        if rows:
            yield Figure(
                key=f"high-error-{number}",
                title=title,
                caption=(
                    "Share of replicates whose error is strictly above a threshold taken from "
                    "Random's replicates in the same cell, averaged over benchmarks and sizes. "
                    "Over many replicates Random is at 30 % of the first."
                ),
                n=basis(setting, rows),
                error=(
                    "Monte Carlo se, the threshold taken as given, at most "
                    f"{largest(rows, 'high_70_se', 3)} and {largest(rows, 'high_mean_se', 3)}."
                ),
                columns=(
                    *AVERAGED,
                    Column("high_70", "above P70", 3),
                    Column("high_70_se", "Monte Carlo se", 3),
                    Column("high_mean", "above mean", 3),
                    Column("high_mean_se", "Monte Carlo se", 3),
                    Column("benchmarks", "benchmarks"),
                ),
                rows=tuple(view.averaged(setting, kind=None, retention=-1)),
                chart=dots_chart(
                    several(rows, both), title=title, axis="share of replicates", share=True
                ),
            )


def distribution_figures(view: StudyView) -> Iterator[Figure]:
    """Draw how errors lie at one size, a line a benchmark and strategy."""
    for number, setting in enumerate(view.settings(3), start=1):
        retention = min(setting.experiment.retentions, key=lambda r: abs(r - TAIL_RETENTION))
        rows = view.table.rows.filter(
            (pl.col("experiment") == setting.experiment.name)
            & (pl.col("split") == setting.split)
            & (pl.col("known") == setting.known)
            & ((pl.col("retention") - retention).abs() < 1e-9)
        )
        names = list(dict.fromkeys(rows["strategy"]))
        chosen = [name for name in DRAWN if name in names] or names[:3]
        lines = [
            {**shown(line), **{f"q{p}": points(line[f"q{p}"]) for p in (5, 25, 50, 75, 95)}}
            for line in distributions(rows.filter(pl.col("strategy").is_in(chosen))).iter_rows(
                named=True
            )
        ]
        if not lines:
            continue
        tails = {
            (row["benchmark"], row["metric"], row["strategy"]): row
            for row in view.ratios.filter(
                (pl.col("experiment") == setting.experiment.name)
                & (pl.col("split") == setting.split)
                & ((pl.col("retention") - retention).abs() < 1e-9)
            ).iter_rows(named=True)
        }
        for line in lines:
            tail = tails.get((line["benchmark"], line["metric"], line["strategy"]), {})
            line |= {name: tail.get(name) for name in ("p95_ratio", "p95_low", "p95_high")}
        title = f"Errors at {share(retention)} of the items: {setting.name}"
        yield Figure(
            key=f"distributions-{number}",
            title=title,
            caption=(
                "How the mean absolute error over targets lies over replicates, in points. The "
                "right end is the 95th percentile, the error of a bad draw."
            ),
            n=(
                f"{len({line['benchmark'] for line in lines})} benchmarks, "
                f"{count(setting.experiment.replicates)} replicates each"
            ),
            error="the rows give P95 to Random's with its interval from paired resamples.",
            columns=(
                Column("benchmark", "benchmark"),
                Column("strategy", "strategy"),
                Column("q5", "P5, points", 2),
                Column("q25", "P25", 2),
                Column("q50", "median", 2),
                Column("q75", "P75", 2),
                Column("q95", "P95", 2),
                Column("p95_ratio", "P95 to Random", 3),
                Column("p95_low", "95 % low", 3),
                Column("p95_high", "95 % high", 3),
                Column("replicates", "replicates"),
            ),
            rows=tuple(lines),
            chart=spread_chart(lines, title=title),
        )


def ranking_figures(view: StudyView) -> Iterator[Figure]:
    """Draw how well estimated scores rank the targets."""
    for number, setting in enumerate(view.settings(5), start=1):
        rows, without = everywhere(known(view.averaged(setting), "spearman"))
        rows.sort(key=lambda row: -row["spearman"])
        base = next((row["base_spearman"] for row in rows), None)
        title = f"Rankings: {setting.name}"
        if rows:
            yield Figure(
                key=f"rankings-{number}",
                title=title,
                caption=(
                    "Spearman correlation of the targets' estimated and full scores, averaged over "
                    "benchmarks and sizes. Dashed: Random. A subset that estimates better need not "
                    f"rank better.{without}"
                ),
                n=basis(setting, rows),
                error=f"Monte Carlo se at most {largest(rows, 'spearman_se', 3)}.",
                columns=(
                    *AVERAGED,
                    Column("spearman", "Spearman", 3),
                    Column("spearman_se", "Monte Carlo se", 3),
                    Column("base_spearman", "Random's", 3),
                    Column("kendall", "Kendall", 3),
                    Column("benchmarks", "benchmarks"),
                ),
                rows=tuple(view.averaged(setting, kind=None, retention=-1)),
                chart=dots_chart(
                    several(rows, (("spearman", "Spearman"),)),
                    title=title,
                    axis="rank correlation",
                    marked=base,
                ),
            )


def cost_figures(view: StudyView) -> Iterator[Figure]:
    """Draw the error over the cost of construction."""
    for number, setting in enumerate(view.settings(6), start=1):
        rows = known(view.averaged(setting), "cost", "ratio")
        rows.sort(key=lambda row: row["cost"])
        title = f"Cost and error: {setting.name}"
        if rows:
            yield Figure(
                key=f"cost-{number}",
                title=title,
                caption=(
                    "What it costs to know which items to run, in runs of one model over the whole "
                    "benchmark, and the mean error to Random's, averaged over benchmarks and "
                    "sizes. Lower and further left is better."
                ),
                n=basis(setting, rows),
                error=f"{OVER_BENCHMARKS}; costs are exact.",
                columns=RATIO_COLUMNS,
                rows=tuple(view.averaged(setting, kind=None, retention=-1)),
                chart=cost_chart(rows, title=title),
            )
        sizes = [
            row
            for row in known(view.averaged(setting, retention=-1), "cost", "ratio")
            if row["retention"] is not None
        ]
        if figure := _costs_by_size(setting, sizes, number):
            yield figure


def _costs_by_size(
    setting: ExperimentSetting, sizes: list[dict[str, Any]], number: int
) -> Figure | None:
    """Draw the error over the cost, size by size, of strategies whose cost grows with the size."""
    costs: dict[str, set[float]] = {}
    for row in sizes:
        costs.setdefault(row["strategy"], set()).add(row["cost"])
    grows = [name for name, seen in costs.items() if len(seen) > 1][:MOST_LINES]
    rows = [row for row in sizes if row["strategy"] in grows and row["cost"] > 0]
    if not rows:
        return None
    title = f"Cost and error by size: {setting.name}"
    return Figure(
        key=f"cost-sizes-{number}",
        title=title,
        caption=(
            "The same, a point for every size: a small subset needs a small pool, which costs "
            "little. Below 1 on the lower axis, choosing costs less than one full run."
        ),
        n=basis(setting, rows),
        error=f"{OVER_BENCHMARKS}, in the rows; costs are exact.",
        columns=RATIO_COLUMNS,
        rows=tuple(rows),
        chart=cost_lines_chart(rows, title=title),
    )


def everywhere(rows: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], str]:
    """Keep strategies that ran on all benchmarks, and say which did not.

    Means over other benchmarks cannot be compared; ratios to Random on the same ones can.
    """
    most = max((row["benchmarks"] for row in rows), default=0)
    fewer = [row["strategy"] for row in rows if row["benchmarks"] < most]
    kept = [row for row in rows if row["benchmarks"] == most]
    said = f" Not drawn, for they lack some benchmarks: {', '.join(fewer)}." if fewer else ""
    return kept, said


def several(
    rows: list[dict[str, Any]], values: tuple[tuple[str, str], ...]
) -> list[dict[str, Any]]:
    """Return a line for each value of each row."""
    return [
        {
            "strategy": row["strategy"],
            "what": label,
            "value": row[name],
            "se": row.get(f"{name}_se"),
        }
        for row in rows
        for name, label in values
    ]


def _by_ratio(row: dict[str, Any]) -> float:
    return float(row["ratio"])

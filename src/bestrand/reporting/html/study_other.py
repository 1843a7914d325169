"""Figures of a study on theory, ablations, stability, transfer, driving and calibration."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl

from bestrand.reporting.charts.study import agreement_chart, bars_chart, dots_chart
from bestrand.reporting.charts.style import count, known, noun, number, share
from bestrand.reporting.html.figure import Column, Figure
from bestrand.reporting.html.study_errors import ratio_figure, several
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
from bestrand.study.distributions import law_bars, stability
from bestrand.study.summary import spread


MOST_LAWS = 6


def theory_figures(view: StudyView) -> Iterator[Figure]:
    """Draw the law of the error over Random's draws, and its P95 against theirs."""
    theory = view.table.theory
    if theory.is_empty():
        return
    rows = [shown(row) for row in theory.iter_rows(named=True)]
    for row in rows:
        row |= {
            name: points(row[name])
            for name in ("law_mean", "law_p95", "random_mean", "random_p95", "sigma_c")
        }
    for row, values in zip(rows, theory["draws"], strict=True):
        row["random_p95_se"] = points(spread(values.to_numpy()).p95_se)
    draws = {len(values) for values in theory["draws"]}
    yield Figure(
        key="law-p95",
        title="The law's 95th percentile against Random's draws",
        caption=(
            "Mean absolute error over all models of a benchmark under simple random subsets, in "
            "points: its 95th percentile by the law, from variances and correlations alone, and "
            "over draws."
        ),
        n=(
            f"{len(rows)} {noun(len(rows), 'benchmark at one size', 'benchmarks and sizes')}, "
            f"{_span(draws)} {noun(max(draws), 'draw')} each"
        ),
        error=(
            f"Monte Carlo se of a drawn P95 at most {largest(rows, 'random_p95_se')} points; "
            "distance is Kolmogorov's."
        ),
        columns=(
            Column("benchmark", "benchmark"),
            Column("kind", "kind"),
            Column("retention", "retention", 3),
            Column("models", "models"),
            Column("rho", "rho", 3),
            Column("sigma_c", "sigma_c, points", 2),
            Column("law_mean", "law, mean", 2),
            Column("random_mean", "draws, mean", 2),
            Column("law_p95", "law, P95", 2),
            Column("random_p95", "draws, P95", 2),
            Column("random_p95_se", "Monte Carlo se", 3),
            Column("distance", "distance", 3),
        ),
        rows=tuple(rows),
        chart=agreement_chart(
            [{**row, "kind": row["kind"] or "unknown"} for row in rows],
            title="The law's 95th percentile against Random's draws",
            x="law_p95",
            y="random_p95",
            x_axis="P95 by the law, points",
            y_axis="P95 over draws, points",
            by="kind",
        ),
    )
    yield from _laws(theory)


def _laws(theory: pl.DataFrame) -> Iterator[Figure]:
    """Draw the law over the histogram for some benchmarks of every kind, at their largest size."""
    last = theory.group_by("benchmark", maintain_order=True).last()
    turns = last.with_columns(pl.int_range(pl.len()).over("kind").alias("turn"))
    some = turns.sort("turn", maintain_order=True).head(MOST_LAWS)
    for place, row in enumerate(some.iter_rows(named=True), start=1):
        bars = law_bars(np.array(row["law"]), np.array(row["draws"])).iter_rows(named=True)
        lines = [
            {**bar, **{name: points(bar[name]) for name in ("low", "high", "middle")}}
            for bar in bars
        ]
        title = f"Law of the error: {row['benchmark']}, {share(row['retention'])} of the items"
        yield Figure(
            key=f"law-{place}",
            title=title,
            caption=(
                f"Law over the histogram of what was drawn. rho is {number(row['rho'], 2)}: the "
                "part of the error that all models share, and no number of models averages away."
            ),
            n=(
                f"{row['models']} {noun(row['models'], 'model')}, "
                f"{count(len(row['draws']))} {noun(len(row['draws']), 'draw')} of {row['n']} "
                f"{noun(row['n'], 'item')}"
            ),
            error=f"Kolmogorov's distance of draws and law {number(row['distance'], 3)}.",
            columns=(
                Column("low", "from, points", 3),
                Column("high", "to", 3),
                Column("share", "share of draws", 4),
                Column("expected", "by the law", 4),
            ),
            rows=tuple(lines),
            chart=bars_chart(lines, title=title, axis="mean absolute error, points"),
        )


def ablation_figures(view: StudyView) -> Iterator[Figure]:
    """Draw what the settings of the method are worth, in the protocol's order."""
    settings = [setting for setting in view.settings(7) if not setting.experiment.n_probes]
    for place, setting in enumerate(settings, start=1):
        by_name = {row["strategy"]: row for row in known(view.averaged(setting), "ratio")}
        names = [planned.name for planned in setting.experiment.planned]
        rows = [by_name[name] for name in names if name in by_name]
        if rows:
            yield ratio_figure(view, setting, rows, key=f"ablations-{place}", title="Ablations")


def stability_figures(view: StudyView, strategy: str = "bestrand") -> Iterator[Figure]:
    """Set mean and spread over seeds beside Random's, cell by cell."""
    for place, setting in enumerate(view.settings(8), start=1):
        cells = view.celled(setting)
        lines = [] if cells.is_empty() else _stable(stability(cells, strategy))
        if not lines:
            continue
        lower = sum(bool(line["both_lower"]) for line in lines)
        title = f"Stability over seeds: {setting.name}"
        yield Figure(
            key=f"stability-{place}",
            title=title,
            caption=(
                f"Mean and standard deviation over replicates of the error of {strategy} and of "
                f"Random, in points. Both are lower than Random's in {lower} of {len(lines)} "
                "cells. Below the dashed line the spread is lower."
            ),
            n=_cells(len(lines), setting),
            error=(
                f"Monte Carlo se at most {largest(lines, 'mae_se')} points of a mean and "
                f"{largest(lines, 'sd_se')} of a standard deviation."
            ),
            columns=(
                Column("benchmark", "benchmark"),
                Column("retention", "retention", 3),
                Column("base_mae", "Random, mean", 2),
                Column("mae", f"{strategy}, mean", 2),
                Column("mae_se", "Monte Carlo se", 3),
                Column("base_sd", "Random, sd", 2),
                Column("sd", f"{strategy}, sd", 2),
                Column("sd_se", "Monte Carlo se", 3),
                Column("both_lower", "both lower"),
            ),
            rows=tuple(lines),
            chart=agreement_chart(
                [{**line, "size": share(line["retention"])} for line in lines],
                title=title,
                x="base_sd",
                y="sd",
                x_axis="sd of Random, points",
                y_axis=f"sd of {strategy}, points",
                by="size",
            ),
            show="table",
        )


def _stable(lines: pl.DataFrame) -> list[dict[str, Any]]:
    rows = [shown(line) for line in lines.iter_rows(named=True)]
    names = [f"base_{name}{end}" for name in ("mae", "sd", "p95") for end in ("", "_se")]
    return [{**row, **{name: points(row[name]) for name in names}} for row in rows]


def transfer_figures(view: StudyView) -> Iterator[Figure]:
    """Draw the error where probes and targets are unlike, a line a setting."""
    settings = list(view.settings(9))
    rows = [
        {**row, "setting": setting.name} for setting in settings for row in view.averaged(setting)
    ]
    if not rows:
        return
    lines = [
        {
            "setting": row["setting"],
            "what": row["strategy"],
            "value": row["mae"],
            "se": row["mae_se"],
        }
        for row in rows
    ]
    yield Figure(
        key="transfer",
        title="Out of distribution",
        caption=(
            "Mean absolute error in points where the known models are weaker, older or of other "
            "families than the targets, averaged over benchmarks. A setting is compared with "
            "Random in the same setting, not with another one, for its targets differ."
        ),
        n=basis(settings[0], rows),
        error=f"Monte Carlo se at most {largest(lines, 'se')} points; {OVER_BENCHMARKS}.",
        columns=(Column("setting", "setting"), *RATIO_COLUMNS),
        rows=tuple(rows),
        chart=dots_chart(
            lines, title="Out of distribution", axis="mean absolute error, points", y="setting"
        ),
        show="table",
    )


def driving_figures(view: StudyView) -> Iterator[Figure]:
    """Return the table of driving: every metric, matched alone or together, in its own unit."""
    for place, setting in enumerate(view.settings(10), start=1):
        cells = view.celled(setting)
        if cells.is_empty():
            continue
        ratios = view.ratios.select(
            "experiment",
            "benchmark",
            "metric",
            "matched",
            "retention",
            "split",
            "known",
            "strategy",
            "mae_ratio",
            "mae_low",
            "mae_high",
        )
        keys = ratios.columns[:8]
        both = cells.join(ratios, on=keys, how="left", nulls_equal=True, maintain_order="left")
        rows = [
            {**line, "matched": line["matched"].replace("+", " + "), "figure": None}
            for line in both.iter_rows(named=True)
        ]
        yield Figure(
            key=f"driving-{place}",
            title=f"Driving: {setting.name}",
            caption=(
                "Mean absolute error over targets, in each metric's own unit, and to Random's on "
                "the same splits and seeds. Metrics joined by + were matched together."
            ),
            n=_cells(len(rows), setting),
            error="Monte Carlo se and the interval of the ratio, replicates as units, are columns.",
            columns=(
                Column("benchmark", "benchmark"),
                Column("metric", "metric"),
                Column("matched", "matched"),
                Column("retention", "retention", 3),
                Column("strategy", "strategy"),
                Column("mae", "MAE", 4),
                Column("mae_se", "Monte Carlo se", 4),
                Column("mae_ratio", "to Random", 3),
                Column("mae_low", "95 % low", 3),
                Column("mae_high", "95 % high", 3),
                Column("n", "routes"),
            ),
            rows=tuple(rows),
            show="table",
        )


def design_figures(view: StudyView) -> Iterator[Figure]:
    """Draw designs and estimators that go together, least error first."""
    for place, setting in enumerate(view.settings(11), start=1):
        rows = known(view.averaged(setting), "ratio")
        rows.sort(key=lambda row: row["ratio"])
        if rows:
            title = "Designs and estimators"
            yield ratio_figure(view, setting, rows, key=f"designs-{place}", title=title)


def calibration_figures(view: StudyView) -> Iterator[Figure]:
    """Draw coverage of the intervals, and the forecast against what happened."""
    for place, setting in enumerate(view.settings(12), start=1):
        rows = known(view.averaged(setting), "coverage")
        kinds = (("coverage", "of full scores"), ("pair_coverage", "of paired differences"))
        if rows:
            yield Figure(
                key=f"coverage-{place}",
                title=f"Coverage: {setting.name}",
                caption=(
                    "Share of 95 % intervals that hold the truth, averaged over targets, "
                    "replicates, benchmarks and sizes. Dashed: 95 %. A strategy without intervals "
                    "is not shown."
                ),
                n=basis(setting, rows),
                error=(
                    f"Monte Carlo se at most {largest(rows, 'coverage_se', 3)} and "
                    f"{largest(rows, 'pair_coverage_se', 3)}."
                ),
                columns=(
                    *AVERAGED,
                    Column("coverage", "covered", 3),
                    Column("coverage_se", "Monte Carlo se", 3),
                    Column("width", "width, points", 2),
                    Column("pair_coverage", "differences covered", 3),
                    Column("pair_coverage_se", "Monte Carlo se", 3),
                    Column("pair_width", "their width, points", 2),
                    Column("benchmarks", "benchmarks"),
                ),
                rows=tuple(view.averaged(setting, kind=None, retention=-1)),
                chart=dots_chart(
                    several(rows, kinds),
                    title=f"Coverage: {setting.name}",
                    axis="share of intervals",
                    marked=0.95,
                    share=True,
                ),
            )
        yield from _forecasts(view, setting, place)


def _forecasts(view: StudyView, setting: ExperimentSetting, place: int) -> Iterator[Figure]:
    cells = view.celled(setting)
    lines = [] if cells.is_empty() else [shown(row) for row in cells.iter_rows(named=True)]
    rows = known(lines, "forecast_p95")
    if not rows:
        return
    title = f"Forecast against what happened: {setting.name}"
    yield Figure(
        key=f"forecast-{place}",
        title=title,
        caption=(
            "95th percentile of the error in points: as forecast from the probes alone, averaged "
            "over replicates, and as it came out over them."
        ),
        n=_cells(len(rows), setting),
        error=f"Monte Carlo se of a P95 at most {largest(rows, 'p95_se')} points.",
        columns=(
            Column("benchmark", "benchmark"),
            Column("retention", "retention", 3),
            Column("strategy", "strategy"),
            Column("forecast_mean", "forecast mean, points", 2),
            Column("mae", "mean", 2),
            Column("mae_se", "Monte Carlo se", 3),
            Column("forecast_p95", "forecast P95", 2),
            Column("p95", "P95", 2),
            Column("p95_se", "Monte Carlo se", 3),
        ),
        rows=tuple(rows),
        chart=agreement_chart(
            rows,
            title=title,
            x="forecast_p95",
            y="p95",
            x_axis="forecast P95, points",
            y_axis="P95 over replicates, points",
            by="strategy",
        ),
    )


def _cells(n: int, setting: ExperimentSetting) -> str:
    replicates = setting.experiment.replicates
    return f"{n} {noun(n, 'cell')} of {replicates} {noun(replicates, 'replicate')}"


def _span(values: set[int]) -> str:
    low, high = min(values), max(values)
    return count(low) if low == high else f"{count(low)} to {count(high)}"

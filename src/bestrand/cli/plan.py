"""`bestrand plan`: how many items, and are probes worth their price?"""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import typer

from bestrand.cli.common import (
    ChartOption,
    ColumnOption,
    DuplicatesOption,
    ErrorsOption,
    ForceOption,
    JsonOption,
    LeaveOutOption,
    MetricOption,
    Output,
    QuietOption,
    RangeOption,
    ScoresArgument,
    SeedOption,
    read_for_cli,
)
from bestrand.errors import ArgumentError


def register(app: typer.Typer) -> None:
    """Add the verb."""

    @app.command(epilog="Example: bestrand plan pilot.parquet --max-error 0.02 --risk 0.05")
    def plan(
        scores: ScoresArgument,
        *,
        max_error: Annotated[
            float | None,
            typer.Option("--max-error", help="Largest error of one model's full score."),
        ] = None,
        risk: Annotated[
            float | None,
            typer.Option("--risk", help="How often the error may be larger; 0.05 unless given."),
        ] = None,
        resolve: Annotated[
            float | None,
            typer.Option("--resolve", help="Gap between two models that must show."),
        ] = None,
        power: Annotated[
            float | None,
            typer.Option("--power", help="How often the gap must show; 0.8 unless given."),
        ] = None,
        budget: Annotated[
            float | None,
            typer.Option("--budget", help="Items of a target that may be spent in all."),
        ] = None,
        targets: Annotated[
            int | None,
            typer.Option("--targets", help="How many models will be measured; 1 unless given."),
        ] = None,
        probe_cost: Annotated[
            float | None,
            typer.Option(
                "--probe-cost",
                help="Price of an item of a probe, in items of a target; 0: the models of SCORES "
                "serve as probes, which costs nothing. 0 unless given.",
            ),
        ] = None,
        items: Annotated[
            int | None,
            typer.Option("--items", help="Items of the benchmark, if SCORES hold some only."),
        ] = None,
        expect_score: Annotated[
            float | None,
            typer.Option("--expect-score", help="Full score to expect of targets, if another."),
        ] = None,
        retention: Annotated[
            list[float] | None,
            typer.Option("--retention", help="Size to look at, as a share of all items."),
        ] = None,
        suite: Annotated[
            bool,
            typer.Option(
                "--suite", help="SCORES are several benchmarks, a file each: split --budget."
            ),
        ] = False,
        suite_mean: Annotated[
            Literal["macro", "micro"] | None,
            typer.Option(
                "--suite-mean",
                help="macro: benchmarks count the same, which is the default; micro: items do.",
            ),
        ] = None,
        chart: ChartOption = None,
        force: ForceOption = False,
        metric: MetricOption = None,
        missing: LeaveOutOption = "error",
        seed: SeedOption = 0,
        column: ColumnOption = None,
        ranges: RangeOption = None,
        duplicates: DuplicatesOption = "error",
        errors: ErrorsOption = "keep",
        json: JsonOption = False,
        quiet: QuietOption = False,
    ) -> None:
        """Say how many items are needed or what a budget buys, and whether probes pay."""
        from bestrand.planning.plan import POWER, RETENTIONS, RISK
        from bestrand.planning.plan import plan as make_plan
        from bestrand.planning.suite import plan_suite
        from bestrand.reporting.charts.show import chart as draw
        from bestrand.reporting.charts.write import check_chart, write_chart
        from bestrand.reporting.json.planning import plan_report, suite_report
        from bestrand.reporting.tables.planning import plan_tables, suite_tables

        out = Output(json, quiet)
        read = partial(
            read_for_cli, metric=metric, columns=column, duplicates=duplicates, errors=errors
        )
        settings = {
            "--max-error": max_error,
            "--risk": risk,
            "--resolve": resolve,
            "--power": power,
            "--targets": targets,
            "--probe-cost": probe_cost,
            "--items": items,
            "--expect-score": expect_score,
            "--retention": retention,
            "--chart": chart,
        }
        if suite:
            given = [name for name, value in settings.items() if value is not None]
            if given:
                raise ArgumentError(f"`--suite` does not take {', '.join(given)}: leave it out.")
            if budget is None or not budget.is_integer():
                raise ArgumentError("`--suite` splits a budget of whole items: give --budget.")
            named = _benchmarks(scores)
            tables = {
                name: read([path], ranges=_ranges_of(name, ranges or [], named))
                for name, path in named.items()
            }
            split = plan_suite(
                tables,
                int(budget),
                suite_mean=suite_mean or "macro",
                missing=missing,
                metric=metric,
                seed=seed,
            )
            notes = tuple(note for table in tables.values() for note in table.notes)
            parts = suite_report(split, notes)
            out.json(parts.to_json())
            if out.for_people:
                out.show(suite_tables(parts))
            out.notes(parts.notes)
            return
        _require_goal("--risk", risk, "--max-error", max_error)
        _require_goal("--power", power, "--resolve", resolve)
        _require_goal("--suite-mean", suite_mean, "--suite", None)
        if chart:
            check_chart(chart)
        table = read(scores, ranges=ranges)
        made = make_plan(
            table,
            max_error=max_error,
            risk=RISK if risk is None else risk,
            resolve=resolve,
            power=POWER if power is None else power,
            budget=budget,
            n_targets=1 if targets is None else targets,
            probe_cost=0.0 if probe_cost is None else probe_cost,
            n_items=items,
            expected_score=expect_score,
            retentions=retention or RETENTIONS,
            missing=missing,
            metric=metric,
            seed=seed,
        )
        if chart:
            write_chart(draw(made), chart, force=force)
        report = plan_report(made, table.notes)
        out.json(report.to_json())
        out.show(plan_tables(report))
        out.notes(report.notes)


def _benchmarks(paths: list[str]) -> dict[str, str]:
    """Name each benchmark by NAME=FILE, or by its file."""
    named: dict[str, str] = {}
    for word in paths:
        name, equals, path = word.partition("=")
        if not equals or Path(word).exists():
            name, path = Path(word).name.partition(".")[0], word
        if not name:
            raise ArgumentError(f"A benchmark needs a name before the = of {word!r}.")
        if name in named:
            raise ArgumentError(
                f"Two benchmarks are called {name!r}. Name them apart, as in NAME=FILE."
            )
        named[name] = path
    return named


def _ranges_of(name: str, ranges: Sequence[str], named: Mapping[str, str]) -> list[str]:
    """Take the ranges meant for a benchmark: those that name none, then those that name it.

    The latter hold where both speak of the same metric.
    """
    mine, all_ = [], []
    for word in ranges:
        place, equals, span = word.partition("=")
        if not equals or place not in named:
            all_.append(word)
        elif place == name:
            mine.append(span)
    return all_ + mine


def _require_goal(option: str, value: object, goal: str, asked: object) -> None:
    if value is not None and asked is None:
        raise ArgumentError(f"`{option}` goes with {goal}: give that too, or leave it out.")

"""`bestrand plan`: how many items, and are probes worth their price?"""

from pathlib import Path
from typing import Annotated, Literal

import typer

from bestrand.cli.common import (
    ChartOption,
    ColumnOption,
    DuplicatesOption,
    ForceOption,
    JsonOption,
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
            float, typer.Option("--risk", help="How often the error may be larger.")
        ] = 0.05,
        resolve: Annotated[
            float | None,
            typer.Option("--resolve", help="Gap between two models that must show."),
        ] = None,
        power: Annotated[
            float, typer.Option("--power", help="How often the gap must show, if it is there.")
        ] = 0.8,
        budget: Annotated[
            float | None,
            typer.Option("--budget", help="Items of a target that may be spent in all."),
        ] = None,
        targets: Annotated[
            int, typer.Option("--targets", help="How many models will be measured.")
        ] = 1,
        probe_cost: Annotated[
            float,
            typer.Option(
                "--probe-cost",
                help="Price of an item of a probe, in items of a target; 0: the models of SCORES "
                "serve as probes, which costs nothing.",
            ),
        ] = 0.0,
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
            Literal["macro", "micro"],
            typer.Option("--suite-mean", help="macro: benchmarks count the same; micro: items."),
        ] = "macro",
        chart: ChartOption = None,
        force: ForceOption = False,
        metric: MetricOption = None,
        seed: SeedOption = 0,
        column: ColumnOption = None,
        ranges: RangeOption = None,
        duplicates: DuplicatesOption = "error",
        json: JsonOption = False,
        quiet: QuietOption = False,
    ) -> None:
        """Say how many items are needed or what a budget buys, and whether probes pay."""
        from bestrand.planning.plan import RETENTIONS
        from bestrand.planning.plan import plan as make_plan
        from bestrand.planning.suite import plan_suite
        from bestrand.report.charts.show import chart as draw
        from bestrand.report.charts.write import check_chart, write_chart
        from bestrand.report.planning_contracts import plan_report, suite_report
        from bestrand.report.planning_tables import plan_tables, suite_tables

        out = Output(json, quiet)
        if suite:
            if budget is None or budget != int(budget):
                raise ArgumentError("`--suite` splits a budget of whole items: give --budget.")
            if chart or max_error is not None or resolve is not None:
                raise ArgumentError("`--suite` takes --budget, and no chart or other goal.")
            split = plan_suite(
                {
                    name: read_for_cli(
                        [path],
                        metric=metric,
                        columns=column,
                        ranges=ranges,
                        duplicates=duplicates,
                    )
                    for name, path in _benchmarks(scores).items()
                },
                int(budget),
                suite_mean=suite_mean,
                metric=metric,
                seed=seed,
            )
            parts = suite_report(split)
            out.json(parts.to_json())
            if out.for_people:
                out.console().print(suite_tables(parts))
            return
        if chart:
            check_chart(chart)
        table = read_for_cli(
            scores, metric=metric, columns=column, ranges=ranges, duplicates=duplicates
        )
        made = make_plan(
            table,
            max_error=max_error,
            risk=risk,
            resolve=resolve,
            power=power,
            budget=budget,
            n_targets=targets,
            probe_cost=probe_cost,
            n_items=items,
            expected_score=expect_score,
            retentions=retention or RETENTIONS,
            metric=metric,
            seed=seed,
        )
        if chart:
            write_chart(draw(made), chart, force=force)
        report = plan_report(made, table.notes)
        out.json(report.to_json())
        if out.for_people:
            out.console().print(plan_tables(report))
        out.notes(report.notes)


def _benchmarks(paths: list[str]) -> dict[str, str]:
    """Name each benchmark by NAME=FILE, or by its file."""
    named: dict[str, str] = {}
    for word in paths:
        name, equals, path = word.partition("=")
        if not equals or Path(word).exists():
            name, path = Path(word).name.partition(".")[0], word
        if name in named:
            raise ArgumentError(
                f"Two benchmarks are called {name!r}. Name them apart, as in NAME=FILE."
            )
        named[name] = path
    return named

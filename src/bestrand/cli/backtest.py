"""`bestrand backtest`: how wrong would each model's estimate have been, had it been the target?"""

from pathlib import Path
from typing import Annotated

import typer

from bestrand.cli.common import (
    ChartOption,
    ColumnOption,
    DesignWord,
    DuplicatesOption,
    ErrorsOption,
    EstimatorOption,
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
from bestrand.methods import make_design, make_estimator


DEFAULT_DESIGN = DesignWord("balanced")


def register(app: typer.Typer) -> None:
    """Add the verb."""

    @app.command(epilog="Example: bestrand backtest scores.parquet -n 200 --families kin.csv")
    def backtest(
        scores: ScoresArgument,
        *,
        n: Annotated[int | None, typer.Option("-n", help="Size of the subset.")] = None,
        retention: Annotated[
            float | None, typer.Option("--retention", help="Size as a share of all items.")
        ] = None,
        n_probes: Annotated[
            int, typer.Option("--n-probes", help="How many models serve as probes in a draw.")
        ] = 8,
        factor: Annotated[
            float, typer.Option("--factor", help="Size of the pool over that of the subset.")
        ] = 4.0,
        design: Annotated[
            DesignWord, typer.Option("--design", help="How to choose.")
        ] = DEFAULT_DESIGN,
        estimator: EstimatorOption = None,
        families: Annotated[
            Path | None,
            typer.Option(
                "--families",
                metavar="FILE",
                help="Table of `model` and `family`: leave whole families out.",
            ),
        ] = None,
        draws: Annotated[
            int, typer.Option("--draws", help="How often every model is left out, at least.")
        ] = 100,
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
        """Leave each model out of full scores, and see how wrong its estimate would have been."""
        from bestrand.planning.backtest import backtest as look
        from bestrand.reading.families import read_families
        from bestrand.reporting.charts.show import chart as draw
        from bestrand.reporting.charts.write import check_chart, write_chart
        from bestrand.reporting.json.planning import backtest_report
        from bestrand.reporting.tables.planning import backtest_tables

        out = Output(json, quiet)
        if chart:
            check_chart(chart)
        table = read_for_cli(
            scores,
            metric=metric,
            columns=column,
            ranges=ranges,
            duplicates=duplicates,
            errors=errors,
        )
        seen = look(
            table,
            n,
            retention=retention,
            design=make_design(design),
            estimator=make_estimator(estimator),
            n_probes=n_probes,
            factor=factor,
            families=None if families is None else read_families(families),
            n_draws=draws,
            missing=missing,
            metric=metric,
            seed=seed,
        )
        if chart:
            write_chart(draw(seen), chart, force=force)
        report = backtest_report(seen, table.notes)
        out.json(report.to_json())
        out.show(backtest_tables(report))
        out.notes(report.notes)

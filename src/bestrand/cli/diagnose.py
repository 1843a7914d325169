"""`bestrand diagnose`: is random enough here, and would probes help?"""

from pathlib import Path
from typing import Annotated

import typer

from bestrand.cli.common import (
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


def register(app: typer.Typer) -> None:
    """Add the verb."""

    @app.command(epilog="Example: bestrand diagnose probes.parquet --retention 0.05")
    def diagnose(
        scores: ScoresArgument,
        *,
        items: Annotated[
            int | None,
            typer.Option(
                "--items", help="Items of the benchmark, if the scores are of some of them."
            ),
        ] = None,
        pool: Annotated[
            Path | None,
            typer.Option(
                "--pool",
                help="What `bestrand pool` wrote, if these are probes on a pool; it says --items.",
            ),
        ] = None,
        metric: MetricOption = None,
        retention: Annotated[
            list[float] | None,
            typer.Option("--retention", help="Size to look at; give it again for several."),
        ] = None,
        threshold: Annotated[
            float | None,
            typer.Option("--threshold", help="Error above which a draw is bad; 2 % of the range."),
        ] = None,
        chart: Annotated[
            Path | None,
            typer.Option(
                "--chart",
                metavar="FILE",
                help="Draw it: the law of the error over simulated subsets of the first size, its "
                "tail, what a pool leaves, and what models explain; .svg, .png, .pdf or .html.",
            ),
        ] = None,
        force: ForceOption = False,
        missing: LeaveOutOption = "error",
        seed: SeedOption = 0,
        column: ColumnOption = None,
        ranges: RangeOption = None,
        duplicates: DuplicatesOption = "error",
        errors: ErrorsOption = "keep",
        json: JsonOption = False,
        quiet: QuietOption = False,
    ) -> None:
        """Say what scores that are there already promise: of random subsets, and of probes."""
        from bestrand.core.manifest import Manifest
        from bestrand.planning.diagnose import RETENTIONS
        from bestrand.planning.diagnose import diagnose as look
        from bestrand.reporting.charts.show import chart as draw
        from bestrand.reporting.charts.write import check_chart, write_chart
        from bestrand.reporting.json.planning import diagnose_report
        from bestrand.reporting.tables.planning import diagnosis_tables

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
            n_items=items,
            pool=Manifest.read(pool) if pool is not None else None,
            metric=metric,
            retentions=retention or RETENTIONS,
            threshold=threshold,
            missing=missing,
            seed=seed,
        )
        if chart:
            write_chart(draw(seen, table, seed=seed), chart, force=force)
        report = diagnose_report(seen, table.notes)
        out.json(report.to_json())
        out.show(diagnosis_tables(report))
        out.notes(report.notes)

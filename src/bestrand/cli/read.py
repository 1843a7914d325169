"""`bestrand read`: what is in these files?"""

from pathlib import Path
from typing import Annotated

import typer

from bestrand.cli.common import (
    ColumnOption,
    DuplicatesOption,
    ErrorsOption,
    ForceOption,
    JsonOption,
    MetricOption,
    Output,
    QuietOption,
    RangeOption,
    ScoresArgument,
    read_for_cli,
)


def register(app: typer.Typer) -> None:
    """Add the verb."""

    @app.command(epilog="Example: bestrand read logs/ -o scores.parquet")
    def read(
        paths: ScoresArgument,
        *,
        metric: MetricOption = None,
        output: Annotated[
            Path | None, typer.Option("-o", "--output", help="Write one Parquet file.")
        ] = None,
        column: ColumnOption = None,
        ranges: RangeOption = None,
        duplicates: DuplicatesOption = "error",
        errors: ErrorsOption = "keep",
        force: ForceOption = False,
        json: JsonOption = False,
        quiet: QuietOption = False,
    ) -> None:
        """Read scores, say what was understood, and write them as one table."""
        from bestrand.reporting.tables.terminal import read_table

        out = Output(json, quiet)
        table = read_for_cli(
            paths,
            metric=metric,
            columns=column,
            ranges=ranges,
            duplicates=duplicates,
            errors=errors,
        )
        if output is not None:
            table.write(output, force=force)
        report = table.summary()
        out.json(report.to_json())
        if out.for_people:
            out.show(read_table(report))
            if output is not None:
                out.console().print(f"written to {output}", markup=False)
        out.notes(report.notes)

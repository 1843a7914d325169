"""`bestrand read`: what is in these files?"""

from pathlib import Path
from typing import Annotated

import typer

from bestrand.cli.options import ForceOption, ScoresArgument
from bestrand.cli.output import Output
from bestrand.cli.reading import Reading


def read(
    paths: ScoresArgument,
    *,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write one Parquet file.")
    ] = None,
    force: ForceOption = False,
    reading: Reading,
    out: Output,
) -> None:
    """Read scores, say what was understood, and write one table.

    Example: bestrand read logs/ -o scores.parquet
    """
    from bestrand.reporting.tables.terminal import read_table

    table = reading.scores(paths)
    if output is not None:
        table.write(output, force=force)
    report = table.summary()
    out.json(report.to_json())
    if out.for_people:
        out.show(read_table(report))
    if output is not None:
        out.say(f"written to {output}")
    out.notes(report.notes)

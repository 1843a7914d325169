"""`bestrand read`: what is in these files?"""

from pathlib import Path
from typing import Annotated

import typer

from bestrand.cli.options import ForceOption, ScoresArgument
from bestrand.cli.output import Output, is_stdout, write_stdout
from bestrand.cli.reading import Reading
from bestrand.errors import ArgumentError


def read(
    paths: ScoresArgument,
    *,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write one Parquet file; - for stdout.")
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
    report = table.summary()
    if is_stdout(output):
        if out.as_json:
            raise ArgumentError("`-o -` and `--json` both write to stdout. Give one of them.")
        write_stdout(table.to_parquet())
        for note in () if out.quiet else report.notes:
            typer.echo(f"note {note.text}", err=True)
        return
    if output is not None:
        table.write(output, force=force)
    out.json(report.to_json())
    if out.for_people:
        out.show(read_table(report))
    if output is not None:
        out.say(f"written to {output}")
    out.notes(report.notes)

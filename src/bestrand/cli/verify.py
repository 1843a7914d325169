"""`bestrand verify`: is this the manifest of these items, and were these the items run?"""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bestrand.cli.common import (
    ColumnOption,
    DuplicatesOption,
    ErrorsOption,
    JsonOption,
    MetricOption,
    Output,
    QuietOption,
    RangeOption,
    columns_of,
    read_for_cli,
)
from bestrand.errors import InputError


if TYPE_CHECKING:
    from collections.abc import Callable

    from bestrand.core.frame import Frame
    from bestrand.core.scores import ScoreTable


def register(app: typer.Typer) -> None:
    """Add the verb."""

    @app.command(epilog="Example: bestrand verify subset.json probes.parquet --pool pool.json")
    def verify(
        manifest: Annotated[Path, typer.Argument(metavar="MANIFEST", help="A pool or a subset.")],
        items: Annotated[
            str,
            typer.Argument(
                metavar="SCORES_OR_ITEMS",
                help="The scores it was chosen by, the items of the benchmark, or a run's scores.",
            ),
        ],
        *,
        pool: Annotated[
            Path | None, typer.Option("--pool", help="The pool it was chosen from.")
        ] = None,
        texts: Annotated[
            Path | None,
            typer.Option("--texts", help="The items' texts, for a subset chosen by them."),
        ] = None,
        metric: MetricOption = None,
        column: ColumnOption = None,
        ranges: RangeOption = None,
        duplicates: DuplicatesOption = "error",
        errors: ErrorsOption = "keep",
        json: JsonOption = False,
        quiet: QuietOption = False,
    ) -> None:
        """Check that a manifest is unaltered, fits these items, and is drawn again the same."""
        from bestrand.core.manifest import Manifest
        from bestrand.reading.texts import read_texts
        from bestrand.reporting.tables.terminal import checks_table
        from bestrand.steps.verify import verify as check

        out = Output(json, quiet)
        seen = Manifest.read(manifest)
        parent = Manifest.read(pool) if pool is not None else None
        words = read_texts(texts) if texts is not None else None
        read = partial(
            read_for_cli,
            metric=metric,
            columns=column,
            ranges=ranges,
            duplicates=duplicates,
            errors=errors,
        )
        given = _read(items, column, read)
        report = check(seen, given, pool=parent, texts=words)
        out.json(report.to_json())
        out.show(checks_table(report))
        out.notes(report.notes)
        if not report.ok:
            raise typer.Exit(1)


def _read(
    path: str, columns: list[str] | None, read: "Callable[[list[str]], ScoreTable]"
) -> "ScoreTable | Frame":
    """Read scores, or items where there are no scores."""
    from bestrand.reading.items import is_item_list, read_items

    try:
        return read([path])
    except InputError:
        if not is_item_list(path, columns_of(columns)):
            raise
        return read_items(path)

"""`bestrand verify`: is this the manifest of these items, and were these the items run?"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import bestrand as br
from bestrand.cli.output import Output
from bestrand.cli.reading import Reading
from bestrand.errors import InputError


if TYPE_CHECKING:
    from bestrand.core.frame import Frame
    from bestrand.core.scores import ScoreTable


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
        Path | None, typer.Option("--texts", help="The items' texts, for a subset chosen by them.")
    ] = None,
    reading: Reading,
    out: Output,
) -> None:
    """Check that a manifest fits, and draw it again.

    Exits with 1 if it was altered, does not fit these items, or is not drawn again the same.

    Example: bestrand verify subset.json probes.parquet --pool pool.json
    """
    from bestrand.reporting.tables.terminal import checks_table

    seen = br.Manifest.read(manifest)
    parent = br.Manifest.read(pool) if pool is not None else None
    words = br.read_texts(texts) if texts is not None else None
    report = br.verify(seen, _scores_or_items(items, reading), pool=parent, texts=words)
    out.report(report, checks_table)
    if not report.ok:
        raise typer.Exit(1)


def _scores_or_items(path: str, reading: Reading) -> "ScoreTable | Frame":
    """Read scores, or items where there are no scores."""
    from bestrand.steps.read_items import is_item_list

    try:
        return reading.scores([path])
    except InputError:
        if not is_item_list(path, reading.columns):
            raise
        return br.read_items(path)

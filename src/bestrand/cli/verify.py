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
    against: Annotated[
        list[str] | None,
        typer.Option(
            "--against",
            metavar="LOG",
            help="Log of a full run, with whose content and prompts a run is compared; repeat it "
            "for several.",
        ),
    ] = None,
    reading: Reading,
    out: Output,
) -> None:
    """Check that a manifest fits, and draw it again.

    Of a run it names, by model, items that are missing, extra or without a score, and, where logs
    say it, other content, prompts, versions and sizes.

    Exits with 1 if anything failed.

    Example: bestrand verify subset.json probes.parquet --pool pool.json
    """
    from bestrand.reporting.tables.terminal import checks_table

    seen = br.Manifest.read(manifest)
    parent = br.Manifest.read(pool) if pool is not None else None
    words = br.read_texts(texts) if texts is not None else None
    full = reading.scores(against) if against else None
    run = _scores_or_items(items, reading)
    report = br.verify(seen, run, pool=parent, texts=words, against=full)
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

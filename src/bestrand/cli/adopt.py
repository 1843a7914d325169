"""`bestrand adopt`: make a manifest of a subset that others chose."""

from typing import Annotated, Literal

import typer

import bestrand as br
from bestrand.cli.options import WeightingOption
from bestrand.cli.output import ManifestOutput


def adopt(
    ids: Annotated[
        str,
        typer.Argument(
            metavar="IDS",
            help="The subset's item ids (txt, json, csv, parquet), or a file of scores.",
            show_default=False,
        ),
    ],
    *,
    of: Annotated[
        int | None, typer.Option("--of", metavar="N", help="How many items the benchmark has.")
    ] = None,
    items: Annotated[
        str | None,
        typer.Option(
            "--items",
            metavar="FILE",
            help="All items of the benchmark; with it --of may be left out.",
        ),
    ] = None,
    inclusion: Annotated[
        Literal["unknown", "random"],
        typer.Option(
            "--inclusion",
            help="How the ids were drawn. random: a simple random sample of the benchmark; "
            "unknown: estimates have no interval.",
        ),
    ] = "unknown",
    weighting: WeightingOption = None,
    out: ManifestOutput,
) -> None:
    """Make a manifest of a subset that others chose.

    Takes a published list of ids, for example.

    Example: bestrand adopt tiny.txt --of 14042 -o subset.json
    """
    from bestrand.planning.equals import random_items_of

    out.check()
    chosen = br.read_items(ids, weighting=None if items is None and weighting is None else "micro")
    frame = None if items is None else br.read_items(items, weighting=weighting)
    adopted = br.adopt(chosen, of=of, frame=frame, inclusion=inclusion, weighting=weighting)
    notes = [*chosen.notes, *(() if frame is None else frame.notes)]
    out.manifest(adopted, notes, lambda: random_items_of(adopted))

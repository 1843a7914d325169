"""`bestrand adopt`: take over a subset that others chose."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from bestrand.cli.common import ForceOption, JsonOption, Output, QuietOption, WeightsOption


def register(app: typer.Typer) -> None:
    """Add the verb."""

    @app.command(epilog="Example: bestrand adopt tiny.txt --of 14042 -o subset.json")
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
            int | None,
            typer.Option("--of", metavar="N", help="How many items the benchmark has."),
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
        weights: WeightsOption = None,
        output: Annotated[
            Path | None,
            typer.Option("-o", "--output", help="Where to write the manifest."),
        ] = None,
        force: ForceOption = False,
        json: JsonOption = False,
        quiet: QuietOption = False,
    ) -> None:
        """Make a manifest of a subset that was chosen elsewhere, as a published list of ids."""
        from bestrand.planning.costs import costs
        from bestrand.planning.equals import random_items_of
        from bestrand.reading.items import read_items
        from bestrand.reporting.tables.terminal import manifest_table
        from bestrand.reporting.worth import printed
        from bestrand.steps.adopt import adopt as take

        out = Output(json, quiet)
        chosen = read_items(ids, weights=None if items is None and weights is None else "micro")
        frame = None if items is None else read_items(items, weights=weights)
        notes = (*chosen.notes, *(() if frame is None else frame.notes))
        adopted = take(
            chosen,
            of=of,
            frame=frame,
            inclusion=inclusion,
            weights=weights,
        )
        if output is not None:
            adopted.write(output, force=force)
        worth = random_items_of(adopted)
        out.json(printed(adopted, worth, notes).to_json())
        if out.for_people:
            spent = costs(adopted, worth=worth)
            out.show(manifest_table(adopted, output, spent, worth))
        out.notes([*notes, *adopted.notes])

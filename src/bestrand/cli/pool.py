"""`bestrand pool`: which items must the probes run?"""

from pathlib import Path
from typing import Annotated, Literal

import typer

from bestrand.cli.common import (
    ForceOption,
    JsonOption,
    Output,
    QuietOption,
    SeedOption,
    WeightsOption,
)


def register(app: typer.Typer) -> None:
    """Add the verb."""

    @app.command(epilog="Example: bestrand pool items.csv -n 200 --factor 4 --seed 0 -o pool.json")
    def pool(
        items: Annotated[
            str,
            typer.Argument(
                metavar="ITEMS",
                help="Item ids (txt, json, csv, parquet), or any file or folder of scores.",
            ),
        ],
        *,
        n: Annotated[int, typer.Option("-n", help="Size of the subset to choose later.")],
        factor: Annotated[
            float, typer.Option("--factor", help="alpha: the pool has alpha * n items.")
        ] = 4.0,
        design: Annotated[
            Literal["random", "stratified"] | None,
            typer.Option(
                "--design",
                help="stratified takes from each group its share, and is the default where every "
                "item has a group.",
            ),
        ] = None,
        weights: WeightsOption = None,
        seed: SeedOption = 0,
        output: Annotated[
            Path | None,
            typer.Option("-o", "--output", help="Where to write the manifest."),
        ] = None,
        force: ForceOption = False,
        json: JsonOption = False,
        quiet: QuietOption = False,
    ) -> None:
        """Draw the pool: the items that the probe models must run."""
        from bestrand.methods import DESIGNS
        from bestrand.planning.costs import costs
        from bestrand.reading.items import read_items
        from bestrand.reporting.tables.terminal import manifest_table
        from bestrand.reporting.worth import printed
        from bestrand.steps.draw_pool import draw_pool

        out = Output(json, quiet)
        frame = read_items(items, weights=weights)
        drawn = draw_pool(
            frame,
            n,
            factor=factor,
            design=DESIGNS[design]() if design else None,
            weights=weights,
            seed=seed,
        )
        if output is not None:
            drawn.write(output, force=force)
        out.json(printed(drawn, notes=frame.notes).to_json())
        out.show(manifest_table(drawn, output, costs(drawn)))
        out.notes(frame.notes)
        out.notes(drawn.notes)

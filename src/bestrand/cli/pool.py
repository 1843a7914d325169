"""`bestrand pool`: draw the items that the probes must run."""

from typing import Annotated, Literal

import typer

import bestrand as br
from bestrand.cli.options import FactorOption, SeedOption, WeightingOption
from bestrand.cli.output import ManifestOutput


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
    factor: FactorOption = 4.0,
    design: Annotated[
        Literal["random", "stratified"] | None,
        typer.Option(
            "--design",
            help="How to draw. stratified: each group's share; default: stratified where every "
            "item has a group, else random.",
        ),
    ] = None,
    weighting: WeightingOption = None,
    seed: SeedOption = 0,
    out: ManifestOutput,
) -> None:
    """Draw the pool: the items that the probe models must run.

    Example: bestrand pool items.csv -n 200 --factor 4 --seed 0 -o pool.json
    """
    from bestrand.methods import make_design

    out.check()
    frame = br.read_items(items, weighting=weighting)
    how = make_design(design) if design else None
    drawn = br.draw_pool(frame, n, factor=factor, design=how, weighting=weighting, seed=seed)
    out.manifest(drawn, frame.notes)

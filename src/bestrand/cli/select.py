"""`bestrand select`: choose the items that the targets must run."""

from pathlib import Path
from typing import Annotated, Literal

import typer

import bestrand as br
from bestrand.cli.options import (
    DesignOption,
    RetentionOption,
    SeedOption,
    SizeOption,
    WeightingOption,
)
from bestrand.cli.output import ManifestOutput
from bestrand.cli.reading import ReadingSeveral


def select(
    scores: Annotated[
        list[str],
        typer.Argument(
            metavar="PROBES",
            help="Scores of the probe models, on the pool or on all items; for designs that use no "
            "scores, the items.",
            show_default=False,
        ),
    ],
    *,
    n: SizeOption = None,
    retention: RetentionOption = None,
    pool: Annotated[
        Path | None,
        typer.Option("--pool", help="What `bestrand pool` wrote, if probes ran on it."),
    ] = None,
    design: DesignOption = "balanced",
    candidates: Annotated[
        int | None,
        typer.Option("--candidates", help="How many random subsets to compare; default: 1000."),
    ] = None,
    norm: Annotated[
        Literal["l1", "l2", "linf"] | None,
        typer.Option("--norm", help="How gaps make one distance (bestrand); default: l2."),
    ] = None,
    allocation: Annotated[
        Literal["proportional", "equal"] | None,
        typer.Option(
            "--allocation", help="What each group gets (stratified); default: proportional."
        ),
    ] = None,
    probes: Annotated[
        str | None,
        typer.Option("--probes", metavar="A,B,...", help="Models to use as probes; default: all."),
    ] = None,
    texts: Annotated[
        Path | None,
        typer.Option("--texts", help="The items' texts or embeddings, for designs that use them."),
    ] = None,
    weighting: WeightingOption = None,
    seed: SeedOption = 0,
    reading: ReadingSeveral,
    out: ManifestOutput,
) -> None:
    """Choose the subset on which the target models will run.

    Example: bestrand select probes.parquet -n 200 --pool pool.json -o subset.json
    """
    from bestrand.methods import make_design
    from bestrand.planning.equals import random_items_of

    how = make_design(design, n_candidates=candidates, norm=norm, allocation=allocation)
    out.check()
    table = reading.scores(scores) if how.uses_probes or len(scores) > 1 else None
    seen = br.read_items(scores[0], weighting=weighting) if table is None else table
    base = br.Manifest.read(pool) if pool is not None else None
    chosen = br.select(
        seen,
        n,
        retention=retention,
        pool=base,
        design=how,
        probes=_names(probes),
        metrics=reading.metric or None,
        weighting=weighting,
        texts=br.read_texts(texts) if texts is not None else None,
        seed=seed,
    )
    out.manifest(chosen, seen.notes, lambda: random_items_of(chosen, table, pool=base))


def _names(text: str | None) -> list[str] | None:
    return None if text is None else [name.strip() for name in text.split(",") if name.strip()]

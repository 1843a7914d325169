"""`bestrand select`: which items must the targets run?"""

from pathlib import Path
from typing import Annotated, Literal

import typer

from bestrand.cli.common import (
    ColumnOption,
    DesignWord,
    DuplicatesOption,
    ErrorsOption,
    ForceOption,
    JsonOption,
    Output,
    QuietOption,
    RangeOption,
    SeedOption,
    WeightsOption,
    read_for_cli,
)
from bestrand.methods import make_design


DEFAULT_DESIGN = DesignWord("balanced")


def register(app: typer.Typer) -> None:
    """Add the verb."""

    @app.command(
        epilog="Example: bestrand select probes.parquet -n 200 --pool pool.json -o subset.json"
    )
    def select(
        scores: Annotated[
            list[str],
            typer.Argument(
                metavar="PROBES...",
                help="Scores of the probe models, on the pool or on all items; for designs that "
                "look at no scores the items will do.",
                show_default=False,
            ),
        ],
        *,
        n: Annotated[int | None, typer.Option("-n", help="Size of the subset.")] = None,
        retention: Annotated[
            float | None,
            typer.Option("--retention", help="Size as a share of all items."),
        ] = None,
        pool: Annotated[
            Path | None,
            typer.Option("--pool", help="What `bestrand pool` wrote, if probes ran on it."),
        ] = None,
        design: Annotated[
            DesignWord,
            typer.Option("--design", help="How to choose."),
        ] = DEFAULT_DESIGN,
        candidates: Annotated[
            int | None,
            typer.Option("--candidates", help="Random subsets compared; 1000 unless given."),
        ] = None,
        norm: Annotated[
            Literal["l1", "l2", "linf"] | None,
            typer.Option("--norm", help="How gaps make one distance (bestrand); l2 unless given."),
        ] = None,
        allocation: Annotated[
            Literal["proportional", "equal"] | None,
            typer.Option("--allocation", help="What each group gets (stratified)."),
        ] = None,
        metric: Annotated[
            list[str] | None,
            typer.Option("--metric", help="Metric to match; give it again for several."),
        ] = None,
        probes: Annotated[
            str | None,
            typer.Option(
                "--probes",
                metavar="A,B,...",
                help="Which models to look at; all unless given.",
            ),
        ] = None,
        texts: Annotated[
            Path | None,
            typer.Option(
                "--texts",
                help="The items' texts or embeddings, for designs that look at them.",
            ),
        ] = None,
        weights: WeightsOption = None,
        seed: SeedOption = 0,
        column: ColumnOption = None,
        ranges: RangeOption = None,
        duplicates: DuplicatesOption = "error",
        errors: ErrorsOption = "keep",
        output: Annotated[
            Path | None,
            typer.Option("-o", "--output", help="Where to write the manifest."),
        ] = None,
        force: ForceOption = False,
        json: JsonOption = False,
        quiet: QuietOption = False,
    ) -> None:
        """Choose the subset on which the target models will run."""
        from bestrand.core.manifest import Manifest
        from bestrand.core.scores import ScoreTable
        from bestrand.planning.costs import costs
        from bestrand.planning.equals import random_items_of
        from bestrand.reading.items import read_items
        from bestrand.reading.texts import read_texts
        from bestrand.reporting.tables.terminal import manifest_table
        from bestrand.reporting.worth import printed
        from bestrand.steps.select import select as choose

        out = Output(json, quiet)
        how = make_design(design, n_candidates=candidates, norm=norm, allocation=allocation)
        seen = (
            read_for_cli(
                scores,
                metric=metric or None,
                columns=column,
                ranges=ranges,
                duplicates=duplicates,
                errors=errors,
            )
            if how.uses_probes or len(scores) > 1
            else read_items(scores[0], weights=weights)
        )
        base = Manifest.read(pool) if pool is not None else None
        chosen = choose(
            seen,
            n,
            retention=retention,
            pool=base,
            design=how,
            probes=_names(probes),
            metrics=metric or None,
            weights=weights,
            texts=read_texts(texts) if texts is not None else None,
            seed=seed,
        )
        if output is not None:
            chosen.write(output, force=force)
        if json or out.for_people:
            known = seen if isinstance(seen, ScoreTable) else None
            worth = random_items_of(chosen, known, pool=base)
            out.json(printed(chosen, worth, seen.notes).to_json())
            if out.for_people:
                spent = costs(chosen, worth=worth)
                out.show(manifest_table(chosen, output, spent, worth))
        out.notes([*seen.notes, *chosen.notes])


def _names(text: str | None) -> list[str] | None:
    return None if text is None else [name.strip() for name in text.split(",") if name.strip()]

"""`bestrand export`: how does my harness run these items?"""

import shlex
from pathlib import Path
from typing import Annotated

import typer

import bestrand as br
from bestrand.cli.options import ForceOption
from bestrand.cli.output import Output


def export(
    manifest: Annotated[Path, typer.Argument(metavar="MANIFEST", help="A pool or a subset.")],
    *,
    to: Annotated[
        str,
        typer.Option("--to", metavar="NAME", help="The harness, as lm-eval; or txt, json, csv."),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="Folder to write into.")
    ],
    task: Annotated[
        str | None,
        typer.Option(
            "--task",
            metavar="NAME",
            help="The task of all items, where the manifest does not say it; for a harness without "
            "tasks, the name of the benchmark.",
        ),
    ] = None,
    items: Annotated[
        str | None,
        typer.Option(
            "--items", metavar="FILE", help="All items, to see whether an id stands for others too."
        ),
    ] = None,
    source: Annotated[
        Path | None,
        typer.Option(
            "--from",
            metavar="FILE",
            help="The harness's own file of all items, where it takes a smaller one.",
        ),
    ] = None,
    force: ForceOption = False,
    out: Output,
) -> None:
    """Write the chosen items for a harness, and print the command that runs them.

    Example: bestrand export subset.json --to lm-eval -o run/
    """
    frame = None if items is None else br.read_items(items)
    made = br.export(
        br.Manifest.read(manifest),
        to,
        output,
        task=task,
        items=frame,
        source=source,
        force=force,
    )
    out.json(made.to_json())
    out.say(f"{made.n} items written to {', '.join(made.files)}")
    for words in made.commands:
        out.say(shlex.join(words))
    out.notes(made.notes)

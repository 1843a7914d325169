"""`bestrand demo`: the main job on bundled real data, in seconds."""

from contextlib import nullcontext
from typing import Annotated

import typer

from bestrand.cli.options import SeedOption
from bestrand.cli.output import Output


def demo(
    *,
    seed: SeedOption = 0,
    draws: Annotated[
        int, typer.Option("--draws", min=2, help="Draws over which errors are compared.")
    ] = 200,
    out: Output,
) -> None:
    """Estimate 20 models on MMLU-Pro from 200 items, and compare.

    Example: bestrand demo --seed 1
    """
    from rich.console import Console

    from bestrand.data.demo import run_demo
    from bestrand.reporting.tables.terminal import demo_tables

    progress = Console(stderr=True)
    shown = out.for_people and progress.is_terminal
    with progress.status("drawing pools and subsets of MMLU-Pro") if shown else nullcontext():
        seen = run_demo(n_draws=draws, seed=seed)
    out.json(seen.to_json())
    out.show(demo_tables(seen))

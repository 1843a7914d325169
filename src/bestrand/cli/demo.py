"""`bestrand demo`: the main job on bundled real data, in seconds."""

from typing import Annotated

import typer

from bestrand.cli.common import JsonOption, Output, QuietOption, SeedOption


def register(app: typer.Typer) -> None:
    """Add the verb."""

    @app.command(epilog="Example: bestrand demo --seed 1")
    def demo(
        *,
        seed: SeedOption = 0,
        draws: Annotated[
            int,
            typer.Option("--draws", min=2, help="Draws over which errors are compared."),
        ] = 200,
        json: JsonOption = False,
        quiet: QuietOption = False,
    ) -> None:
        """Hide the scores of 20 models on MMLU-Pro, estimate them from 200 items, and look."""
        from rich.console import Console

        from bestrand.data.demo import run_demo
        from bestrand.reporting.tables.terminal import demo_tables

        out = Output(json, quiet)
        progress = Console(stderr=True)
        if out.for_people and progress.is_terminal:
            with progress.status("drawing pools and subsets of MMLU-Pro"):
                seen = run_demo(n_draws=draws, seed=seed)
        else:
            seen = run_demo(n_draws=draws, seed=seed)
        out.json(seen.to_json())
        out.show(demo_tables(seen))

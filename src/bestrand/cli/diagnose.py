"""`bestrand diagnose`: is random enough here, and would probes help?"""

from pathlib import Path
from typing import Annotated

import typer

import bestrand as br
from bestrand.cli.options import LeaveOutOption, RetentionsOption, ScoresArgument, SeedOption
from bestrand.cli.output import ChartOutput, Output
from bestrand.cli.reading import Reading


def diagnose(
    scores: ScoresArgument,
    *,
    items: Annotated[
        int | None,
        typer.Option("--items", help="Items of the benchmark, if SCORES hold only some of them."),
    ] = None,
    pool: Annotated[
        Path | None,
        typer.Option(
            "--pool",
            help="What `bestrand pool` wrote, if SCORES are of probes on it; sets --items.",
        ),
    ] = None,
    retention: RetentionsOption = None,
    threshold: Annotated[
        float | None,
        typer.Option(
            "--threshold", help="Error above which a draw is bad; default: 2 % of the range."
        ),
    ] = None,
    missing: LeaveOutOption = "error",
    seed: SeedOption = 0,
    drawing: ChartOutput,
    reading: Reading,
    out: Output,
) -> None:
    """Say whether random is enough, and what probes would gain.

    Example: bestrand diagnose probes.parquet --retention 0.05
    """
    from bestrand.planning.diagnose import RETENTIONS
    from bestrand.reporting.tables.planning import diagnosis_tables

    drawing.check()
    table = reading.scores(scores)
    seen = br.diagnose(
        table,
        n_items=items,
        pool=br.Manifest.read(pool) if pool is not None else None,
        metric=reading.metric,
        retentions=retention or RETENTIONS,
        threshold=threshold,
        missing=missing,
        seed=seed,
    )
    drawing.draw(seen, table, seed=seed)
    out.report(seen, diagnosis_tables)

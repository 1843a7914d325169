"""`bestrand backtest`: how wrong would each model's estimate have been, had it been the target?"""

from pathlib import Path
from typing import Annotated

import typer

import bestrand as br
from bestrand.cli.options import (
    DesignOption,
    EstimatorOption,
    FactorOption,
    LeaveOutOption,
    RetentionOption,
    ScoresArgument,
    SeedOption,
    SizeOption,
)
from bestrand.cli.output import ChartOutput, Output
from bestrand.cli.reading import Reading


def backtest(
    scores: ScoresArgument,
    *,
    n: SizeOption = None,
    retention: RetentionOption = None,
    n_probes: Annotated[
        int, typer.Option("--n-probes", help="How many models serve as probes in a draw.")
    ] = 8,
    factor: FactorOption = 4.0,
    design: DesignOption = "balanced",
    estimator: EstimatorOption = None,
    families: Annotated[
        Path | None,
        typer.Option(
            "--families",
            metavar="FILE",
            help="Leave whole families out; a table of `model` and `family`.",
        ),
    ] = None,
    draws: Annotated[
        int, typer.Option("--draws", help="How often every model is left out, at least.")
    ] = 100,
    missing: LeaveOutOption = "error",
    seed: SeedOption = 0,
    drawing: ChartOutput,
    reading: Reading,
    out: Output,
) -> None:
    """Leave each model out and measure the error of its estimate.

    Example: bestrand backtest scores.parquet -n 200 --families kin.csv
    """
    from bestrand.methods import make_design, make_estimator
    from bestrand.reporting.tables.planning import backtest_tables

    drawing.check()
    table = reading.scores(scores)
    seen = br.backtest(
        table,
        n,
        retention=retention,
        design=make_design(design),
        estimator=make_estimator(estimator),
        n_probes=n_probes,
        factor=factor,
        families=None if families is None else br.read_families(families),
        n_draws=draws,
        missing=missing,
        metric=reading.metric,
        seed=seed,
    )
    drawing.draw(seen)
    out.report(seen, backtest_tables)

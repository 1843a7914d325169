"""`bestrand estimate`: what are the full scores?"""

import math
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from bestrand.cli.common import (
    ColumnOption,
    DuplicatesOption,
    ErrorsOption,
    EstimatorOption,
    JsonOption,
    LevelOption,
    LowerOption,
    MetricOption,
    MissingOption,
    Output,
    ProbesFileOption,
    QuietOption,
    RangeOption,
    ScoresArgument,
    fail_gate,
    read_for_cli,
)
from bestrand.errors import ArgumentError


def register(app: typer.Typer) -> None:
    """Add the verb."""

    @app.command(epilog="Example: bestrand estimate subset.json targets/ --probes probes.parquet")
    def estimate(
        subset: Annotated[
            Path, typer.Argument(metavar="SUBSET", help="What `bestrand select` wrote.")
        ],
        scores: ScoresArgument,
        *,
        probes: ProbesFileOption = None,
        estimator: EstimatorOption = None,
        metric: MetricOption = None,
        missing: MissingOption = "error",
        level: LevelOption = 0.95,
        lower_is_better: LowerOption = False,
        max_se: Annotated[
            float | None,
            typer.Option("--max-se", help="Exit with 1 if a standard error is larger or unknown."),
        ] = None,
        column: ColumnOption = None,
        ranges: RangeOption = None,
        duplicates: DuplicatesOption = "error",
        errors: ErrorsOption = "keep",
        json: JsonOption = False,
        quiet: QuietOption = False,
    ) -> None:
        """Estimate each target's full score, with an interval, from the subset alone."""
        from bestrand.core.manifest import Manifest
        from bestrand.methods import make_estimator
        from bestrand.reporting.tables.terminal import estimates_table
        from bestrand.steps.estimate import estimate as infer

        if max_se is not None and not max_se >= 0:
            raise ArgumentError(f"`--max-se` must be 0 or more, got {max_se:g}.")
        out = Output(json, quiet)
        read = partial(
            read_for_cli,
            metric=metric,
            columns=column,
            ranges=ranges,
            duplicates=duplicates,
            errors=errors,
        )
        manifest = Manifest.read(subset)
        result = infer(
            read(scores),
            manifest,
            probes=read(probes) if probes else None,
            metric=metric,
            estimator=make_estimator(estimator),
            missing=missing,
            level=level,
            higher_is_better=not lower_is_better,
        )
        report = result.table
        out.json(report.to_json())
        out.show(estimates_table(report, manifest))
        out.notes(report.notes)
        if max_se is not None:
            unknown = [row.model for row in report.models if math.isnan(row.se)]
            wide = [row.model for row in report.models if row.se > max_se]
            of = f"of {len(report.models)} models is"
            failed = []
            if wide:
                failed.append(f"{len(wide)} {of} above {max_se:g} (first: {wide[0]})")
            if unknown:
                failed.append(f"{len(unknown)} {of} unknown (first: {unknown[0]})")
            fail_gate("estimate", [f"the standard error of {which}" for which in failed])

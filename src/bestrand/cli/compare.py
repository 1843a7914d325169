"""`bestrand compare`: which models are better or worse than this one?"""

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
    listed,
    read_for_cli,
)


def register(app: typer.Typer) -> None:
    """Add the verb."""

    @app.command(
        epilog="Example: bestrand compare subset.json targets/ --baseline v1 --fail-if-worse"
    )
    def compare(
        subset: Annotated[
            Path, typer.Argument(metavar="SUBSET", help="What `bestrand select` wrote.")
        ],
        scores: ScoresArgument,
        *,
        baseline: Annotated[str, typer.Option("--baseline", help="The model to compare with.")],
        fail_if_worse: Annotated[
            bool,
            typer.Option(
                "--fail-if-worse",
                help="Exit with 1 if a model is shown to be worse, or has no interval to tell.",
            ),
        ] = False,
        lower_is_better: LowerOption = False,
        probes: ProbesFileOption = None,
        estimator: EstimatorOption = None,
        metric: MetricOption = None,
        missing: MissingOption = "error",
        level: LevelOption = 0.95,
        column: ColumnOption = None,
        ranges: RangeOption = None,
        duplicates: DuplicatesOption = "error",
        errors: ErrorsOption = "keep",
        json: JsonOption = False,
        quiet: QuietOption = False,
    ) -> None:
        """Compare targets with a baseline, item by item, on the full scores they stand for."""
        from bestrand.core.manifest import Manifest
        from bestrand.methods import make_estimator
        from bestrand.reporting.tables.terminal import differences_table
        from bestrand.steps.estimate import estimate as infer

        out = Output(json, quiet)
        read = partial(
            read_for_cli,
            metric=metric,
            columns=column,
            ranges=ranges,
            duplicates=duplicates,
            errors=errors,
        )
        result = infer(
            read(scores),
            Manifest.read(subset),
            probes=read(probes) if probes else None,
            metric=metric,
            estimator=make_estimator(estimator),
            missing=missing,
            level=level,
            higher_is_better=not lower_is_better,
        )
        report = result.compare(baseline)
        out.json(report.to_json())
        out.show(differences_table(report, higher_is_better=not lower_is_better))
        out.notes(report.notes)
        if fail_if_worse:
            worse = [pair.model for pair in report.pairs if pair.verdict == "worse"]
            unknown = [pair.model for pair in report.pairs if math.isnan(pair.low)]
            failed = [f"worse than {baseline}: {listed(worse)}"] if worse else []
            if unknown:
                failed.append(f"unknown whether worse than {baseline}: {listed(unknown)}")
            fail_gate("compare", failed)

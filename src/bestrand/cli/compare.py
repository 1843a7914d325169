"""`bestrand compare`: which models are better or worse than this one?"""

import math
from typing import Annotated

import typer

import bestrand as br
from bestrand.cli.options import ScoresArgument, SubsetArgument
from bestrand.cli.output import Output, fail_gate, listed
from bestrand.cli.reading import Reading
from bestrand.cli.targets import Estimating


def compare(
    subset: SubsetArgument,
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
    how: Estimating,
    reading: Reading,
    out: Output,
) -> None:
    """Compare targets with a baseline, item by item.

    Example: bestrand compare subset.json targets/ --baseline v1 --fail-if-worse
    """
    from bestrand.reporting.tables.terminal import differences_table

    manifest = br.Manifest.read(subset)
    result = how.estimate(manifest, scores, how.read_probes(reading), reading)
    report = result.compare(baseline)
    out.report(
        report,
        lambda rows: differences_table(rows, higher_is_better=result.higher_is_better),
    )
    if fail_if_worse:
        worse = [pair.model for pair in report.pairs if pair.verdict == "worse"]
        unknown = [pair.model for pair in report.pairs if math.isnan(pair.low)]
        failed = [f"worse than {baseline}: {listed(worse)}"] if worse else []
        if unknown:
            failed.append(f"unknown whether worse than {baseline}: {listed(unknown)}")
        fail_gate("compare", failed)

"""`bestrand estimate`: what are the full scores?"""

import math
from typing import TYPE_CHECKING, Annotated

import typer

import bestrand as br
from bestrand.cli.options import ScoresArgument, SubsetArgument
from bestrand.cli.output import Output, fail_gate
from bestrand.cli.reading import Reading
from bestrand.cli.targets import Estimating
from bestrand.errors import ArgumentError


if TYPE_CHECKING:
    from bestrand.core.estimates import EstimateTable


def estimate(
    subset: SubsetArgument,
    scores: ScoresArgument,
    *,
    how: Estimating,
    max_se: Annotated[
        float | None,
        typer.Option("--max-se", help="Exit with 1 if a standard error is larger or unknown."),
    ] = None,
    reading: Reading,
    out: Output,
) -> None:
    """Estimate each target's full score, with an interval.

    Example: bestrand estimate subset.json targets/ --probes probes.parquet
    """
    from bestrand.reporting.tables.terminal import estimates_table

    if max_se is not None and not max_se >= 0:
        raise ArgumentError(f"`--max-se` must be 0 or more, got {max_se:g}.")
    manifest = br.Manifest.read(subset)
    result = how.estimate(manifest, scores, how.read_probes(reading), reading)
    out.report(result.table, lambda report: estimates_table(report, manifest))
    if max_se is not None:
        fail_gate("estimate", _too_wide(result.table, max_se))


def _too_wide(report: "EstimateTable", max_se: float) -> list[str]:
    """Say how many standard errors are above a limit, and how many are unknown."""
    unknown = [row.model for row in report.models if math.isnan(row.se)]
    wide = [row.model for row in report.models if row.se > max_se]
    failures = {f"above {max_se:g}": wide, "unknown": unknown}
    return [
        f"the standard error of {len(models)} of {len(report.models)} models is {what} "
        f"(first: {models[0]})"
        for what, models in failures.items()
        if models
    ]

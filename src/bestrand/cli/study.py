"""`bestrand study`: how large is each strategy's error, on existing full scores?"""

from pathlib import Path
from typing import Annotated

import typer

import bestrand as br
from bestrand.cli.options import ErrorsOption, SeedOption
from bestrand.cli.output import Output, refuse_stdout
from bestrand.cli.study_progress import study_progress


EXIT_CLAIM, EXIT_STOPPED = 1, 130


def study(
    matrices: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILES|DIR",
            help="Full scores, one file a benchmark, or folders of such files.",
            show_default=False,
        ),
    ],
    *,
    output: Annotated[
        Path,
        typer.Option(
            "-o",
            "--output",
            help="Folder that keeps what is computed; the same command goes on in it.",
            show_default=False,
        ),
    ],
    protocol: Annotated[
        str,
        typer.Option(
            "--protocol",
            help="What to run: a shipped one (quick, article, everything, calibration, ...) or "
            "a TOML file.",
        ),
    ] = "quick",
    workers: Annotated[int, typer.Option("--workers", help="Local processes.")] = 1,
    cluster: Annotated[
        str | None,
        typer.Option(
            "--cluster",
            metavar="ADDRESS",
            help="Address of a dask scheduler, to compute there instead.",
        ),
    ] = None,
    seed: SeedOption = 0,
    errors: ErrorsOption = "keep",
    expect: Annotated[
        Path | None,
        typer.Option(
            "--expect",
            metavar="FILE",
            help="Claims in TOML; exit with 1 where one does not hold.",
        ),
    ] = None,
    out: Output,
) -> None:
    """Measure the errors of strategies on known full scores.

    Hides targets, draws, selects, estimates and compares with the truth, many times.

    Example: bestrand study scores/ --protocol quick -o study/ --workers 2
    """
    from bestrand.reporting.json.study import study_report
    from bestrand.reporting.tables.study import study_tables
    from bestrand.study.claims import check_claims, read_claims

    refuse_stdout(output, "a study")
    claims = () if expect is None else read_claims(expect)
    try:
        with study_progress(shown=not out.quiet) as say:
            table = br.run_study(
                matrices,
                protocol,
                output=output,
                workers=workers,
                cluster=cluster,
                seed=seed,
                errors=errors,
                progress=say,
            )
    except KeyboardInterrupt:
        typer.echo(
            f"bestrand study: stopped. What was finished is kept in {str(output)!r}; the same "
            "command goes on.",
            err=True,
        )
        raise typer.Exit(EXIT_STOPPED) from None
    checked = check_claims(table, claims)
    report = study_report(table, checked)
    out.report(report, study_tables)
    broken = [claim for claim in checked if claim.outcome != "passed"]
    for claim in broken:
        typer.echo(f"bestrand study: claim failed: {claim.claim}. {claim.text}", err=True)
    if broken:
        raise typer.Exit(EXIT_CLAIM)

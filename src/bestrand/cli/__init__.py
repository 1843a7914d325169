"""The command line: one file a verb; errors become exit codes here and nowhere else."""

import os
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from bestrand.cli import (
    adopt,
    backtest,
    compare,
    demo,
    diagnose,
    estimate,
    export,
    plan,
    pool,
    read,
    report,
    select,
    study,
    verify,
)
from bestrand.cli.groups import with_groups
from bestrand.cli.wording import said_by
from bestrand.errors import ArgumentError, BestrandError


EXIT_USAGE, EXIT_INPUT = 2, 3
VERBS = (
    demo.demo,
    read.read,
    diagnose.diagnose,
    plan.plan,
    backtest.backtest,
    pool.pool,
    select.select,
    adopt.adopt,
    export.export,
    estimate.estimate,
    compare.compare,
    study.study,
    report.report,
    verify.verify,
)


def _print_version(wanted: bool) -> None:  # noqa: FBT001 - typer calls it
    if wanted:
        from bestrand import __version__

        typer.echo(f"bestrand {__version__}")
        raise typer.Exit


def global_options(
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version and exit.", is_eager=True, callback=_print_version
        ),
    ] = False,
    traceback: Annotated[
        bool, typer.Option("--traceback", help="On an error, show where it came from.")
    ] = False,
) -> None:
    """Run a fraction of a benchmark, know the full score, and know how wrong you can be."""


app = typer.Typer(
    name="bestrand",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help, which needs no rich
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=(
        "Exit codes: 0 done, 1 a gate asked for was not met, 2 wrong usage, 3 bad input. "
        "BESTRAND_TRACEBACK=1 shows where an error came from."
    ),
)
app.callback()(global_options)
for verb in VERBS:
    app.command()(with_groups(verb))


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one verb and exit with its code; `arguments` default to those of the process."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        app(words, prog_name="bestrand")
    except BestrandError as error:
        if _wants_traceback(words):
            raise
        verb = next((word for word in words if not word.startswith("-")), "")
        sys.stderr.write(f"bestrand {verb}: {said_by(verb, error, app)}\n")
        sys.exit(EXIT_USAGE if isinstance(error, ArgumentError) else EXIT_INPUT)


def _wants_traceback(words: Sequence[str]) -> bool:
    """Whether the user asked to see where an error came from."""
    return "--traceback" in words or os.environ.get("BESTRAND_TRACEBACK", "") not in ("", "0")

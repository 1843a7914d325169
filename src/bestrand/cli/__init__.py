"""The command line: one file a verb; errors become exit codes here and nowhere else."""

import sys
from collections.abc import Sequence

import typer

from bestrand.cli import (
    adopt,
    backtest,
    compare,
    demo,
    diagnose,
    estimate,
    plan,
    pool,
    read,
    report,
    select,
    study,
    verify,
)
from bestrand.cli.common import global_options, wants_traceback
from bestrand.cli.wording import said_by
from bestrand.errors import ArgumentError, BestrandError


EXIT_USAGE, EXIT_INPUT = 2, 3

app = typer.Typer(
    name="bestrand",
    help="Run a fraction of a benchmark, know the full score, and know how wrong you can be.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=(
        "Exit codes: 0 done, 1 a gate asked for was not met, 2 wrong usage, 3 bad input. "
        "BESTRAND_TRACEBACK=1 shows where an error came from."
    ),
)
app.callback()(global_options)
verbs = (
    demo,
    read,
    diagnose,
    plan,
    backtest,
    pool,
    select,
    adopt,
    estimate,
    compare,
    study,
    report,
    verify,
)
for verb in verbs:
    verb.register(app)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one verb and exit with its code; `arguments` are the command line's unless given."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        app(words, prog_name="bestrand")
    except BestrandError as error:
        if wants_traceback(words):
            raise
        verb = next((word for word in words if not word.startswith("-")), "")
        sys.stderr.write(f"bestrand {verb}: {said_by(verb, error, app)}\n")
        sys.exit(EXIT_USAGE if isinstance(error, ArgumentError) else EXIT_INPUT)

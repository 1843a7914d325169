"""Errors as the command line says them: options, where the library names parameters."""

import re
from collections.abc import Mapping
from typing import Any

import typer

from bestrand.errors import ArgumentError, BestrandError


# parameter of the library -> parameter of a verb, where the two are called differently
CALLED = {
    "bounds": "ranges",
    "columns": "column",
    "expected_score": "expect_score",
    "frame": "items",
    "metrics": "metric",
    "n_candidates": "candidates",
    "n_draws": "draws",
    "n_items": "items",
    "n_targets": "targets",
    "retentions": "retention",
}
CALLED_IN = {"adopt": {"items": "ids"}}
PARAMETER = re.compile(r"`([a-z][a-z_]*)`(?: \(--[a-z-]+\))?")
LEADING = re.compile(r"^`([a-z][a-z_]*)`(?: \(--[a-z-]+\))?")
IN_PYTHON = re.compile(
    r"(--[a-z-]+(?: [^\s()]+)?) \((?:[a-z_]+ with )?[a-z_]+=(?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
)


def said_by(verb: str, error: BestrandError, app: typer.Typer) -> str:
    """Return the text of an error, with options where the library names its parameters.

    Args:
        verb: the verb that was called.
        error: what it raised. All names in an `ArgumentError` are parameters; in other errors a
            leading one is, while others may be columns.
        app: has the verbs and their options.

    Examples:
        An `ArgumentError` "`n_draws` must be 2 or more" of `backtest` becomes "`--draws` must be
        2 or more".
    """
    names = _options(verb, app)

    def put(match: re.Match[str]) -> str:
        option = names.get(match[1])
        return match[0] if option is None else f"`{option}`"

    text = (PARAMETER if isinstance(error, ArgumentError) else LEADING).sub(put, str(error))
    return IN_PYTHON.sub(r"\1", text)


def _options(verb: str, app: typer.Typer) -> Mapping[str, str]:
    """Return the command line's word for each parameter of the library that has one."""
    command = getattr(typer.main.get_command(app), "commands", {}).get(verb)
    if command is None:
        return {}
    own = {param.name: _word(param) for param in command.params if param.name}
    called = {name: own[to] for name, to in CALLED.items() if to in own}
    own_of_verb = {name: own[to] for name, to in CALLED_IN.get(verb, {}).items()}
    return {**called, **own, **own_of_verb}


def _word(param: Any) -> str:  # noqa: ANN401 - click's, or the copy of it that typer has
    """Return the longest spelling of an option, or what stands for an argument in the usage."""
    if param.param_type_name == "argument":
        return str(param.metavar or param.name).rstrip(".")
    return str(max(param.opts, key=len))

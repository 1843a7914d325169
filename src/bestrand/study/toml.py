"""Reading what people write: TOML files, and plain words for what is wrong in them."""

import tomllib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from bestrand.errors import FileError


# what must hold, by the kind of problem; braces take the bound that was missed
WORDS = {
    "bool_parsing": "it must be true or false",
    "bool_type": "it must be true or false",
    "dict_type": "it must be a table",
    "finite_number": "it must be a finite number",
    "float_parsing": "it must be a number",
    "float_type": "it must be a number",
    "greater_than": "it must be above {gt:g}",
    "greater_than_equal": "it must be {ge:g} or more",
    "int_from_float": "it must be a whole number",
    "int_parsing": "it must be a whole number",
    "int_type": "it must be a whole number",
    "less_than": "it must be below {lt:g}",
    "less_than_equal": "it must be {le:g} or less",
    "literal_error": "it must be {expected}",
    "model_type": "it must be a table",
    "string_too_short": "it must not be empty",
    "string_type": "it must be text",
    "too_short": "it must not be empty",
    "tuple_type": "it must be a list",
}


def read_toml(path: Path, what: str) -> dict[str, Any]:
    """Read a TOML file.

    Args:
        path: where.
        what: it should hold, as the message names it.

    Raises:
        FileError: there is no such file, it cannot be read, or it is not TOML.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise FileError(f"there is no such file. Name {what}.", path=path) from error
    except OSError as error:
        raise FileError(
            f"cannot be read ({error.strerror or error}). Name {what}.", path=path
        ) from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise FileError(f"not TOML ({error}). Write {what}.", path=path) from error


def first_problem(
    error: ValidationError,
    what: str,
    fields_at: Callable[[Sequence[int | str]], Iterable[str]],
    tags: Sequence[str] = (),
) -> str:
    """Say in plain words what is wrong; an unknown key first, for others may follow from it.

    Args:
        error: what the model found.
        what: the file holds, as "protocol".
        fields_at: place of a key -> the keys that are known there.
        tags: parts of places that are not in the file.
    """
    found = error.errors(include_url=False)
    # a list whose entries are all wrong is called empty beside
    inner = {problem["loc"][:depth] for problem in found for depth in range(len(problem["loc"]))}
    problems = sorted(
        (problem for problem in found if problem["loc"] not in inner),
        key=lambda problem: problem["type"] != "extra_forbidden",
    )
    places = [
        ".".join(str(part) for part in problem["loc"] if part not in tags) or what
        for problem in problems
    ]
    if problems[0]["type"] == "extra_forbidden":
        allowed = ", ".join(fields_at(problems[0]["loc"]))
        return f"`{places[0]}` is no key of a {what}. Allowed here: {allowed}."
    n_more = len(set(places)) - 1
    more = {0: "", 1: " 1 more key is wrong."}.get(n_more, f" {n_more} more keys are wrong.")
    if problems[0]["type"] == "missing":
        return f"`{places[0]}` is missing.{more}"
    return f"`{places[0]}` is invalid: {in_words(problems[0])}.{more}"


def in_words(problem: ErrorDetails) -> str:
    """Return what must hold and what was got, without a full stop."""
    context = problem.get("ctx", {})
    if problem["type"] == "value_error":
        return str(context["error"]).rstrip(".")
    words = WORDS.get(problem["type"], "it is of another type").format(**context)
    got = problem["input"]
    return f"{words}, got {got!r}" if isinstance(got, str | int | float) else words

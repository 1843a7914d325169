"""Small real score matrices with permissive licences; see SOURCES.md beside this file."""

from importlib.resources import files
from pathlib import Path

from bestrand.core.scores import ScoreTable
from bestrand.errors import ArgumentError
from bestrand.steps.read_scores import read_scores


NAMES = ("mmlu_pro", "blink_val", "intercode_sql")


def load(name: str) -> ScoreTable:
    """Read one of the bundled matrices.

    Args:
        name: "mmlu_pro" (12 002 items, 28 models, 14 groups, right or wrong), "blink_val" (1 901
            items, 19 models, 14 groups, right or wrong) or "intercode_sql" (1 032 items, 14
            agents, 4 groups, graded).

    Raises:
        ArgumentError: an unknown name.

    Examples:
        >>> load("blink_val").items.height
        1901
    """
    if name not in NAMES:
        raise ArgumentError(f"`name` must be one of {', '.join(NAMES)}, got {name!r}.", name=name)
    return read_scores(Path(str(files("bestrand.data").joinpath(f"{name}.parquet"))))

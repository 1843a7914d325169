"""Read items: lists, tables or logs in, a frame out."""

from dataclasses import replace
from pathlib import Path

from bestrand.core.frame import Frame
from bestrand.harnesses.find import sort_files
from bestrand.harnesses.registry import HARNESSES
from bestrand.reading.chosen import Columns
from bestrand.reading.items import are_item_lists, items_of_tables
from bestrand.reading.paths import find_sources, list_files
from bestrand.steps.read_scores import read_scores
from bestrand.types import Weighting


def read_items(path: str | Path, *, weighting: Weighting | None = None) -> Frame:
    """Read the items of a benchmark.

    Args:
        path: a text file with an id a line; a JSON list of ids; a table with an item column and
            maybe `group`, `task` and `weight`; or any file or folder of scores, also logs of a
            harness, whose items are taken.
        weighting: "micro", "macro" or "explicit"; None means "explicit" where the table has a
            `weight` column and "micro" elsewhere.

    Raises:
        FileError: it cannot be read, holds no ids, or a row of it would be lost: its last line is
            cut off, or several rows stand on one line; or a list holds an id twice.
        InputError: an item in two groups, or weights that are asked for and not there.
        ArgumentError: an unknown weighting.
    """
    if holds_logs(path):
        table = read_scores(path)
        return replace(table.frame(weighting), notes=table.notes)
    return items_of_tables(find_sources(path), weighting)


def is_item_list(path: str | Path, columns: Columns | None = None) -> bool:
    """Whether files hold items and no scores; see `are_item_lists`."""
    return not holds_logs(path) and are_item_lists(find_sources(path), columns)


def holds_logs(path: str | Path) -> bool:
    """Whether a file is a log of a harness, or a folder holds one."""
    return bool(sort_files(list_files(path), HARNESSES).logs)

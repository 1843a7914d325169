"""Reading item lists: the frame, where no model has run yet."""

import json
from pathlib import Path

from bestrand.errors import FileError, InputError
from bestrand.frame import Frame
from bestrand.harnesses.layout import NAMES, to_long
from bestrand.harnesses.raw import RawTable, read_table
from bestrand.harnesses.read import read_scores
from bestrand.harnesses.sources import find_sources, read_content
from bestrand.harnesses.values import to_ids, to_scores, to_texts
from bestrand.types import WeightScheme


def read_items(path: str | Path, *, weights: WeightScheme | None = None) -> Frame:
    """Read the items of a benchmark.

    Args:
        path: a text file with an id a line; a JSON list of ids; a table with an item column and
            maybe `group`, `task` and `weight`; or any file or folder of scores, whose items are
            taken.
        weights: "micro", "macro" or "explicit"; None means "explicit" where the table has a
            `weight` column and "micro" elsewhere.

    Raises:
        FileError: it cannot be read, or holds no ids.
        InputError: an id comes twice in a list, or weights are asked for and not there.
    """
    place = Path(path)
    if place.is_dir():
        return read_scores(place).frame(weights)
    source = find_sources(place)[0][0]
    if source.kind == "txt":
        lines = read_content(place).decode("utf-8-sig").split("\n")
        ids = [line.removesuffix("\r") for line in lines if line.strip()]
        return Frame.of(ids, weights=weights or "micro")
    listed = _json_list(place) if source.kind == "json" else None
    table = listed or read_table(source)
    if listed is None and _has_scores(table):
        return read_scores(place).frame(weights)
    return _frame_of(table, weights)


def _json_list(path: Path) -> RawTable | None:
    """Take a JSON list of ids as a table of one column; None where it is none."""
    try:
        values = json.loads(read_content(path).decode("utf-8-sig"))
    except (json.JSONDecodeError, UnicodeDecodeError):
        return None
    if isinstance(values, dict):
        values = values.get("items")
    if not isinstance(values, list) or any(isinstance(value, dict | list) for value in values):
        return None
    if not values:
        raise FileError("no ids: the list is empty.", path=path)
    return RawTable({"item": values}, None, path)


def _has_scores(table: RawTable) -> bool:
    try:
        to_long(table, "model")
    except InputError:
        return False
    return True


def _frame_of(table: RawTable, weights: WeightScheme | None) -> Frame:
    def column(role: str) -> str | None:
        return next((name for name in NAMES[role] if name in table.columns), None)

    item, group, task, weight = (column(role) for role in ("item", "group", "task", "weight"))
    if item is None and len(table.columns) == 1:
        item = next(iter(table.columns))
    if item is None:
        raise FileError(
            f"no column of item ids; looked for {', '.join(NAMES['item'])}, there are "
            f"{', '.join(table.columns)}.",
            path=table.path,
        )
    numbers = to_scores(table, weight).to_list() if weight else None
    scheme = weights or ("explicit" if numbers else "micro")
    return Frame.of(
        to_ids(table, item).to_list(),
        groups=to_texts(table, group).to_list() if group else None,
        tasks=to_texts(table, task).to_list() if task else None,
        weights=numbers if scheme == "explicit" and numbers else scheme,
    )

"""Verdicts: scores written as words, in percent, or in a list or object, made into numbers."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

import polars as pl

from bestrand.notes import Note, shown
from bestrand.reading.columns import COST, RESULTS, SCORES, Roles, named_like
from bestrand.reading.raw import RawTable
from bestrand.reading.values import is_numeric


PERCENT = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)\s*%")
_Numbers: TypeAlias = tuple[list[float | None], str]  # of a column, and what was read as what
BOXES = ("value", "score")  # keys of objects that hold the score


class Kind(NamedTuple):
    """One way to write right and wrong.

    Attributes:
        right: words that count as 1.
        wrong: words that count as 0.
        is_plain: whether the words are verdicts and never answers, whatever the column is called.
        needs_both: whether one of the words alone says too little.
    """

    right: tuple[str, ...]
    wrong: tuple[str, ...]
    is_plain: bool = False
    needs_both: bool = False


KINDS = (
    Kind(("yes",), ("no",)),
    Kind(("correct",), ("incorrect",), is_plain=True),
    Kind(("pass",), ("fail",), is_plain=True),
    Kind(("passed",), ("failed",), is_plain=True),
    Kind(("c",), ("i",), needs_both=True),
)


def with_verdicts(table: RawTable, roles: Roles, metrics: Sequence[str]) -> RawTable:
    """Make numbers of the scores that are all verdicts of one kind, percentages, or boxed numbers.

    In long form these are the score column, or else the metrics that were asked for, or else, if
    none of them has numbers, columns that are called like scores. In wide form they are all
    columns, if all are in percent or verdicts of one kind that is never an answer.

    Args:
        table: as it was read.
        roles: of its columns.
        metrics: those wanted.

    Returns:
        The table with a note on what was made into numbers; columns of anything else stay as they
        are, and are refused where they are needed.
    """
    rest = [name for name in table.columns if name not in roles.values()]
    asked = [name for name in metrics if name in rest]
    read = dict[str, _Numbers | None]()
    if "score" in roles:
        read = {roles["score"]: _read(table, roles["score"])}
    elif asked:
        read = {name: _read(table, name) for name in asked}
    elif "model" not in roles:
        return _wide(table, rest)
    else:
        scores, results = (
            [name for name in rest if named_like(name, words) and not COST.search(name)]
            for words in (SCORES, RESULTS)
        )
        if not any(is_numeric(table, name) for name in scores):
            read = {name: _read(table, name) for name in scores}
            read |= {name: _read(table, name, plain=True) for name in results}
    return _with(table, {name: one for name, one in read.items() if one is not None})


def _wide(table: RawTable, names: list[str]) -> RawTable:
    read = {name: _read(table, name, plain=True) for name in names}
    found = {name: one for name, one in read.items() if one is not None}
    is_one = len({said for _, said in found.values()}) == 1
    return _with(table, found) if is_one and len(found) == len(names) else table


def _with(table: RawTable, read: dict[str, _Numbers]) -> RawTable:
    if not read:
        return table
    parts = []
    for said in dict.fromkeys(said for _, said in read.values()):
        names = [name for name, (_, kind) in read.items() if kind == said]
        parts.append(f"{said} (column {shown(names, 8)})")
    note = Note("verdicts", f"{table.path}: values were read as scores: {'; '.join(parts)}.")
    columns = {
        name: pl.Series(name, read[name][0], dtype=pl.Float64) if name in read else column
        for name, column in table.columns.items()
    }
    return replace(table, columns=columns, notes=(*table.notes, note))


def _read(table: RawTable, name: str, *, plain: bool = False) -> _Numbers | None:
    """Take the numbers of a column, and what was read as what; None where it is of no kind."""
    column = table.columns[name]
    if isinstance(column, pl.Series) and (column.dtype.is_numeric() or column.dtype == pl.Boolean):
        return None
    cells = column.to_list() if isinstance(column, pl.Series) else column
    filled = [cell for cell in cells if cell is not None and cell != ""]
    if not filled:
        return None
    if all(isinstance(cell, str) for cell in filled):
        return _of_texts([str(cell or "").strip().lower() for cell in cells], plain=plain)
    if plain or not all(isinstance(cell, list | dict) for cell in filled):
        return None
    numbers = [None if cell is None or cell == "" else _unboxed(cell) for cell in cells]
    if sum(number is not None for number in numbers) < len(filled):
        return None
    return numbers, "lists and objects of one number each as that number"


def _of_texts(texts: list[str], *, plain: bool) -> _Numbers | None:
    words = {text for text in texts if text}
    if words and all(PERCENT.fullmatch(word) for word in words):
        shares = [float(text.rstrip("% ")) / 100 if text else None for text in texts]
        return shares, "85% as 0.85"
    for kind in KINDS:
        by_word = dict.fromkeys(kind.right, 1.0) | dict.fromkeys(kind.wrong, 0.0)
        if not words or not words <= by_word.keys() or (plain and not kind.is_plain):
            continue
        if kind.needs_both and len(words) < len(by_word):
            continue
        return [by_word.get(text) for text in texts], f"{kind.right[0]} as 1, {kind.wrong[0]} as 0"
    return None


def _unboxed(cell: Any) -> float | None:  # noqa: ANN401
    """Take the one number out of a list or an object; None where there is not just one."""
    found = [cell[key] for key in BOXES if key in cell] if isinstance(cell, dict) else list(cell)
    is_number = len(found) == 1 and isinstance(found[0], int | float)
    return float(found[0]) if is_number else None

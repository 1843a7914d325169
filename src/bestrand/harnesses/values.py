"""Values: ids as text, scores as one number each or a named reason for there being none."""

import math
import re
from typing import Any, NoReturn

import polars as pl

from bestrand.errors import FileError
from bestrand.harnesses.raw import Column, RawTable


NUMBER = r"^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$"
EXACT = 2**53


def _fail(table: RawTable, row: int, message: str) -> NoReturn:
    line = table.line(row)
    place = "" if line is not None or len(table.columns) == 0 else f"row {row + 1}: "
    raise FileError(place + message, path=table.path, line=line)


def to_ids(table: RawTable, name: str) -> pl.Series:
    """Take a column as ids: text as it is, whole numbers as their digits.

    Raises:
        FileError: a row has no id, an id is no text or whole number, or one id is written both
            as a number and as text.
    """
    column = table.columns[name]
    if isinstance(column, list):
        return pl.Series(name, _ids_of_list(table, name, column), dtype=pl.String)
    if column.null_count():
        _fail(table, int(column.is_null().arg_max() or 0), f"column {name!r} is empty.")
    if column.dtype == pl.String:
        return column
    if column.dtype.is_integer() or column.dtype in (pl.Categorical, pl.Enum):
        return column.cast(pl.String)
    if column.dtype.is_float():
        odd = (column != column.floor()) | (column.abs() > EXACT) | column.is_nan()
        if odd.any():
            row = int(odd.arg_max() or 0)
            _fail(
                table,
                row,
                f"ids in column {name!r} are floating point numbers, and {column[row]!r} is none "
                "that can stand for an id. Write ids as text.",
            )
        return column.cast(pl.Int64).cast(pl.String)
    if column.dtype == pl.Object:
        return pl.Series(name, _ids_of_list(table, name, column.to_list()), dtype=pl.String)
    _fail(table, 0, f"column {name!r} holds {column.dtype}, which is no id. Write ids as text.")


def _ids_of_list(table: RawTable, name: str, values: list[Any]) -> list[str]:
    ids: list[str] = []
    first_as: dict[str, tuple[bool, int]] = {}
    for row, value in enumerate(values):
        is_text = isinstance(value, str)
        if is_text:
            text = value
        elif isinstance(value, int) and not isinstance(value, bool):
            text = str(value)
        elif isinstance(value, float) and value.is_integer() and abs(value) <= EXACT:
            text = str(int(value))
        else:
            _fail(table, row, f"{name!r} must be text or a whole number, got {value!r}.")
        earlier = first_as.setdefault(text, (is_text, row))
        if earlier[0] != is_text:
            other = table.line(earlier[1])
            _fail(
                table,
                row,
                f"id {text!r} comes both as a number and as text (first on "
                f"{'line' if other is not None else 'row'} {other or earlier[1] + 1}). "
                "One item or two? Write all ids as text.",
            )
        ids.append(text)
    return ids


def to_texts(table: RawTable, name: str) -> pl.Series:
    """Take a column as names of models, groups, tasks or metrics; empty stays null."""
    column = table.columns[name]
    if isinstance(column, list):
        texts = [
            None if value is None else value if isinstance(value, str) else json_text(value)
            for value in column
        ]
        return pl.Series(name, texts, dtype=pl.String)
    return column.cast(pl.String)


def json_text(value: object) -> str:
    """Write a JSON value that stands where a name is expected."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def to_scores(table: RawTable, name: str) -> pl.Series:
    """Take a column as scores: numbers, true as 1 and false as 0; null where there is none.

    Raises:
        FileError: a score is infinite, or text that is no number.
    """
    column = table.columns[name]
    if isinstance(column, list):
        values = [_score(table, name, row, value) for row, value in enumerate(column)]
        return pl.Series(name, values, dtype=pl.Float64)
    if column.dtype == pl.Boolean:
        return column.cast(pl.Float64)
    if column.dtype == pl.String:
        return _scores_of_text(table, name, column)
    if column.dtype.is_numeric():
        return _finite(table, name, column.cast(pl.Float64).fill_nan(None))
    if column.dtype == pl.Null:
        return column.cast(pl.Float64)
    _fail(table, 0, f"{name!r} must be a number, got {column.dtype}.")


def _score(table: RawTable, name: str, row: int, value: object) -> float | None:
    if value is None:
        return None
    if isinstance(value, int | float):
        number = float(value) if abs(value) < 1e308 else math.inf
        if math.isnan(number):
            return None
        if math.isinf(number):
            _fail(table, row, f"{name!r} is infinite. Leave it empty if there is no score.")
        return number
    if isinstance(value, str):
        if not value.strip():
            return None
        if re.match(NUMBER, value):
            return _score(table, name, row, float(value))
    _fail(table, row, f"{name!r} must be one number, got {_short(value)}.{_advice(value)}")


def _scores_of_text(table: RawTable, name: str, column: pl.Series) -> pl.Series:
    words = column.str.strip_chars().str.to_lowercase()
    column = (
        pl.select(
            pl.when(words == "true")
            .then(pl.lit("1"))
            .when(words == "false")
            .then(pl.lit("0"))
            .when(words == "")
            .then(None)
            .otherwise(column.str.strip_chars())
            .alias(name)
        )
    ).to_series()
    odd = column.is_not_null() & ~column.str.contains(NUMBER)
    if odd.any():
        row = int(odd.arg_max() or 0)
        value = column[row]
        _fail(table, row, f"{name!r} must be one number, got {_short(value)}.{_advice(value)}")
    return _finite(table, name, column.str.strip_prefix("+").cast(pl.Float64))


def _finite(table: RawTable, name: str, column: pl.Series) -> pl.Series:
    infinite = column.is_infinite().fill_null(value=False)
    if infinite.any():
        row = int(infinite.arg_max() or 0)
        _fail(table, row, f"{name!r} is infinite. Leave it empty if there is no score.")
    return column


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."


def _advice(value: object) -> str:
    if isinstance(value, list | dict):
        return " A list or an object has no score of its own; take another metric."
    if isinstance(value, str) and value.strip().lower() in ("nan", "null", "none", "na", "n/a"):
        return " Leave it empty if there is no score."
    if isinstance(value, str) and value.strip().endswith("%"):
        return " Write 0.85 or 85, for all scores alike."
    return " Turn verdicts into numbers first, as 1 for right and 0 for wrong."

"""Data frames in memory: pandas, pyarrow, polars and whatever else narwhals knows."""

from pathlib import Path
from typing import Any

import narwhals as nw
import polars as pl

from bestrand.errors import InputError
from bestrand.harnesses.raw import RawTable


PLACE = Path("<table>")


def from_frame(frame: Any) -> RawTable:  # noqa: ANN401
    """Take a data frame; an index of pandas that has a name counts as a column.

    Raises:
        InputError: it is no data frame, has no rows, or has a column twice.
    """
    try:
        if nw.dependencies.is_pandas_dataframe(frame) and frame.index.names != [None]:
            frame = frame.reset_index()
        table = nw.from_native(frame, eager_only=True)
    except TypeError as error:
        raise InputError(
            "Scores must be paths or a pandas, polars or pyarrow table, got "
            f"{type(frame).__name__}. Collect a lazy table first."
        ) from error
    except ValueError as error:  # narwhals: DuplicateError; pandas: "cannot insert"
        raise _twice(" ".join(str(error).split())) from error
    names = [str(name) for name in table.columns]
    if len(set(names)) < len(names):
        raise _twice(f"got {', '.join(names)} as text")
    if isinstance(frame, pl.DataFrame):
        return RawTable({name: frame[name] for name in names}, PLACE)
    columns = [_values(table[name]) for name in table.columns]
    return RawTable(dict(zip(names, columns, strict=True)), PLACE)


def _twice(said: str) -> InputError:
    return InputError(f"Column names must be distinct: {said}. Rename one of them.")


def _values(series: nw.Series[Any]) -> list[Any]:
    """Take the values as Python's own; whatever the library holds for empty becomes None."""
    pairs = zip(series.to_list(), series.is_null().to_list(), strict=True)
    return [None if empty else value for value, empty in pairs]

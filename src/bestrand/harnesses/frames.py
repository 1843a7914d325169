"""Data frames in memory: pandas, pyarrow, polars and whatever else narwhals knows."""

from pathlib import Path
from typing import Any

import narwhals as nw
import polars as pl

from bestrand.errors import InputError
from bestrand.harnesses.raw import RawTable


PLACE = Path("<table>")
NAMELESS = "__index_level_0__"  # what an index without a name is called in files, too


def from_frame(frame: Any) -> RawTable:  # noqa: ANN401
    """Take a data frame; an index of pandas that holds names, or has one, counts as columns.

    Raises:
        InputError: it is no data frame, has no rows, a column twice, or columns in levels.
    """
    if nw.dependencies.is_pandas_dataframe(frame):
        frame = _with_index(frame)
    try:
        table = nw.from_native(frame, eager_only=True)
    except TypeError as error:
        raise InputError(
            "Scores must be paths or a pandas, polars or pyarrow table, got "
            f"{type(frame).__name__}. Collect a lazy table first."
        ) from error
    except ValueError as error:  # narwhals: DuplicateError
        raise _twice(" ".join(str(error).split())) from error
    names = [str(name) for name in table.columns]
    if len(set(names)) < len(names):
        raise _twice(f"got {', '.join(names)} as text")
    if isinstance(frame, pl.DataFrame):
        return RawTable({name: frame[name] for name in names}, PLACE)
    columns = map(_values, table.iter_columns())  # by name, a number would be a place
    return RawTable(dict(zip(names, columns, strict=True)), PLACE)


def _with_index(frame: Any) -> Any:  # noqa: ANN401
    """Make columns of a pandas index, unless it only numbers the rows."""
    levels = range(frame.columns.nlevels)
    if len(levels) > 1:
        apart = [level for level in levels if frame.columns.get_level_values(level).is_unique]
        keep = (
            f"; or keep one: frame.columns = frame.columns.get_level_values({apart[0]})"
            if apart
            else ""
        )
        raise InputError(
            f"Columns must be in one level, and these are in {len(levels)} (first: "
            f"{frame.columns[0]!r}). Join the levels: frame.columns = ['_'.join(map(str, name)) "
            f"for name in frame.columns]{keep}."
        )
    if frame.index.names == [None]:
        if frame.index.inferred_type not in ("string", "categorical", "mixed"):
            return frame
        frame = frame.rename_axis(index=NAMELESS)
    try:
        return frame.reset_index()
    except ValueError as error:  # pandas: "cannot insert"
        raise _twice(" ".join(str(error).split())) from error


def _twice(said: str) -> InputError:
    return InputError(f"Column names must be distinct: {said}. Rename one of them.")


def _values(series: nw.Series[Any]) -> list[Any]:
    """Take the values as Python's own; whatever the library holds for empty becomes None."""
    pairs = zip(series.to_list(), series.is_null().to_list(), strict=True)
    return [None if empty else value for value, empty in pairs]

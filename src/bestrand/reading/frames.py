"""Data frames in memory: pandas, pyarrow, polars and whatever else narwhals knows."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import narwhals as nw
import polars as pl

from bestrand.errors import InputError
from bestrand.reading.levels import with_index
from bestrand.reading.raw import RawTable


PLACE = Path("<table>")


def from_frame(frame: Any, given: Collection[str] = ()) -> RawTable:  # noqa: ANN401
    """Take a data frame; an index of pandas that holds names, or has one, counts as columns.

    Args:
        frame: of pandas, polars, pyarrow, or what else narwhals knows.
        given: columns that have a role by the user's word.

    Raises:
        InputError: it is no data frame, has no rows, a column twice, columns in levels, or an
            index in levels that do not say what they are.
    """
    frame = _as_table(frame)
    if nw.dependencies.is_pandas_dataframe(frame):
        try:
            frame = with_index(frame, given)
        except InputError:
            raise
        except ValueError as error:  # pandas: "cannot insert"
            raise _twice(" ".join(str(error).split())) from error
    try:
        table = nw.from_native(frame, eager_only=True)
    except TypeError as error:
        raise InputError(
            f"Scores must be paths or a pandas, polars or pyarrow table, got {_kind(frame)}. "
            f"{_advice(frame)}"
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


def is_columns(given: object) -> bool:
    """Whether a mapping holds columns: several lists, of which one at least is not of paths."""
    return (
        isinstance(given, Mapping)
        and len(given) > 1
        and all(isinstance(column, list | tuple) for column in given.values())
        and any(not isinstance(cell, str | Path) for column in given.values() for cell in column)
    )


def _as_table(given: Any) -> Any:  # noqa: ANN401
    """Make a table of a mapping of columns, and of batches of pyarrow.

    Raises:
        InputError: the columns are not of one length.
    """
    if is_columns(given):
        lengths = {str(name): len(column) for name, column in given.items()}
        if len(set(lengths.values())) > 1:
            raise InputError(f"Columns must be of one length, got {lengths}. Fill in None.")
        return nw.from_dict(
            {
                str(name): pl.Series(str(name), column, strict=False)
                for name, column in given.items()
            },
            backend="polars",
        ).to_native()
    pa = nw.dependencies.get_pyarrow()
    several = [given] if pa is not None and isinstance(given, pa.RecordBatch) else given
    is_batches = pa is not None and isinstance(several, list | tuple) and len(several) > 0
    if is_batches and all(isinstance(one, pa.RecordBatch) for one in several):
        return pa.Table.from_batches(several)
    return given


def _kind(given: object) -> str:
    """Return what was given, with the library it is of and, for a collection, what it holds."""
    name, module = type(given).__name__, type(given).__module__.partition(".")[0]
    if given is None:
        return "None"
    if isinstance(given, list | tuple | set | frozenset):
        kinds = sorted({_kind(one) for one in given})
        return f"a {name} of {', '.join(kinds[:3])}" if kinds else f"an empty {name}"
    return name if module == "builtins" else f"{name} of {module}"


def _advice(given: Any) -> str:  # noqa: ANN401
    """Return how to make scores of it."""
    if _is_lazy(given):
        return "Collect it first: read_scores(frame.collect())."
    if nw.dependencies.is_into_series(given) and not nw.dependencies.is_numpy_array(given):
        return (
            "One column does not say which item each score is of. Make a table with the columns "
            "item, score and, for several models, model; of a pandas series with the index levels "
            "item and model: series.rename_axis(['item', 'model']).reset_index(name='score')."
        )
    if nw.dependencies.is_numpy_array(given):
        return (
            "An array has no ids of items and no names of models. Make a table with an item a row: "
            "polars.DataFrame({'item': ids, 'model a': array[:, 0], ...})."
        )
    if isinstance(given, list | tuple | set | frozenset):
        return _advice_on_several(list(given))
    if hasattr(given, "read") and hasattr(given, "close"):
        return "Give the file's path, not the open file."
    if isinstance(given, bytes | bytearray):
        return "Write it to a file and give its path, or read it into a table."
    if type(given).__module__.startswith("bestrand"):
        return "It has been read already; give it to `select`, `estimate` and the others as it is."
    if hasattr(given, "__next__"):
        return "Make a list of it, if it gives paths, or a table."
    return "Give a path, a list of paths, a mapping from model names to paths, or a table."


def _is_lazy(given: object) -> bool:
    return hasattr(type(given), "collect") and hasattr(type(given), "columns")


def _advice_on_several(several: list[Any]) -> str:
    if all(isinstance(one, str | Path) for one in several):
        return "Give the paths in a list, in order."
    if all(isinstance(one, Mapping) for one in several):
        return "Make a table of the rows: polars.DataFrame(rows)."
    if any(nw.dependencies.is_into_dataframe(one) for one in several):
        return "Put tables below each other first, with a column `model`: polars.concat(tables)."
    return (
        "Values alone do not say which item each score is of. Make a table with the columns item, "
        "score and, for several models, model: polars.DataFrame({'item': ids, 'score': values})."
    )


def _twice(said: str) -> InputError:
    return InputError(f"Column names must be distinct: {said}. Rename one of them.")


def _values(series: nw.Series[Any]) -> list[Any]:
    """Take the values as Python's own; whatever the library holds for empty becomes None."""
    pairs = zip(series.to_list(), series.is_null().to_list(), strict=True)
    return [None if empty else value for value, empty in pairs]

"""Tables as they stand in files: columns with the values untouched, and where each row was."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

import polars as pl

from bestrand.errors import FileError
from bestrand.ids import is_encodable
from bestrand.notes import Note


Column = pl.Series | list[Any]


class RowsAndNotes(NamedTuple):
    """Rows after some were left aside or joined, and what to say of it."""

    rows: pl.DataFrame
    notes: list[Note]


@dataclass(frozen=True, eq=False)
class RawTable:
    """A table before anything is made of it.

    Attributes:
        columns: by name, at least one row each; a list holds Python values, a series what the
            file's own types say.
        path: where it came from.
        lines: (rows,) line of each row in its file, or None where rows have no lines.
        typed: whether the file itself tells numbers from text, as all but CSV and TSV do.
        decimal: what stands before the fraction of a number that is written as text.
        notes: what was odd.
        quoted: whether text that looks like a number was written as text on purpose, in quotes.
    """

    columns: Mapping[str, Column]
    path: Path
    lines: Sequence[int] | None = None
    typed: bool = True
    decimal: Literal[".", ","] = "."
    notes: tuple[Note, ...] = ()
    quoted: bool = False

    def __post_init__(self) -> None:
        if not any(len(column) for column in self.columns.values()):
            raise FileError("no rows. Give a table with a row for each score.", path=self.path)
        for name in self.columns:
            if not is_encodable(name):
                raise FileError(
                    f"column {name!r} has an unpaired surrogate in its name, not valid Unicode. "
                    "Name it otherwise.",
                    path=self.path,
                )

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(next(iter(self.columns.values())))

    def place(self, row: int) -> str:
        """Return where a row stands, for a message."""
        if self.lines is None:
            return f"{self.path} row {row + 1}"
        return f"{self.path}:{self.lines[row]}"

    def error(self, row: int, message: str) -> FileError:
        """Make the error that speaks of a row."""
        if self.lines is None:
            return FileError(f"row {row + 1}: {message}", path=self.path)
        return FileError(message, path=self.path, line=self.lines[row])

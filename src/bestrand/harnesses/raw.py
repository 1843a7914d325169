"""Tables as they stand in files: columns with the values untouched, and where each row was."""

import csv
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from bestrand.errors import FileError
from bestrand.harnesses.sources import Kind, Source, read_content, sniff
from bestrand.notes import Note


Column = pl.Series | list[Any]


@dataclass(frozen=True, eq=False)
class RawTable:
    """A table before anything is made of it.

    Attributes:
        columns: by name; a list holds JSON values, a series what the file's own types say.
        lines: (rows,) line of each row in its file, or None where rows have no lines.
        path: where it came from.
        notes: what was odd.
    """

    columns: Mapping[str, Column]
    lines: list[int] | None
    path: Path
    notes: tuple[Note, ...] = ()

    def line(self, row: int) -> int | None:
        """Give the line of a row, if rows have lines."""
        return None if self.lines is None else self.lines[row]


def read_table(source: Source) -> RawTable:
    """Read one file.

    Raises:
        FileError: it is empty, cut, not of its kind, or not UTF-8.
    """
    content = read_content(source.path)
    kind: Kind = sniff(source.kind, content)
    if kind == "parquet":
        return _read_parquet(content, source.path)
    if kind in ("json", "jsonl"):
        return _read_json(content, source.path, kind)
    return _read_delimited(content, source.path, "\t" if kind == "tsv" else ",")


def _read_parquet(content: bytes, path: Path) -> RawTable:
    try:
        table = pl.read_parquet(io.BytesIO(content))
    except (pl.exceptions.PolarsError, OSError) as error:
        raise FileError(f"not a whole Parquet file ({error}).", path=path) from error
    return from_polars(table, path)


def from_polars(table: pl.DataFrame, path: Path) -> RawTable:
    """Take a polars table.

    Raises:
        FileError: it has no rows.
    """
    if table.height == 0:
        raise FileError("no rows.", path=path)
    return RawTable({name: table[name] for name in table.columns}, None, path)


def _decode(content: bytes, path: Path) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise FileError(
            f"not UTF-8 (byte {content[error.start]:#04x}). Save it as UTF-8.", path=path, line=line
        ) from error


def _read_delimited(content: bytes, path: Path, separator: str) -> RawTable:
    """Read every field as text: an id of 01 or NA stays what it is."""
    text = _decode(content, path)
    lines: list[int] = []
    rows: list[list[str]] = []
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        header = next(reader)
        before = reader.line_num
        for row in reader:
            if row:
                if len(row) != len(header):
                    raise FileError(
                        f"{len(row)} fields where the header has {len(header)}.",
                        path=path,
                        line=before + 1,
                    )
                rows.append(row)
                lines.append(before + 1)
            before = reader.line_num
    except csv.Error as error:
        raise FileError(f"not a table ({error}).", path=path, line=reader.line_num) from error
    twice = sorted({name for name in header if header.count(name) > 1})
    if twice:
        raise FileError(f"column {twice[0]!r} comes twice in the header.", path=path, line=1)
    if not rows:
        raise FileError("no rows: there is a header and nothing below it.", path=path)
    columns = zip(*rows, strict=True)
    series = {
        name: pl.Series(name, values, dtype=pl.String)
        for name, values in zip(header, columns, strict=True)
    }
    return RawTable(series, lines, path)


def _read_json(content: bytes, path: Path, kind: Kind) -> RawTable:
    text = _decode(content, path)
    notes: tuple[Note, ...] = ()
    lines: list[int] | None
    if kind == "jsonl":
        rows, lines, notes = _json_lines(text, path)
    else:
        rows, lines = _json_rows(text, path), None
    if not rows:
        raise FileError("no rows.", path=path)
    names = dict.fromkeys(name for row in rows for name in row)
    return RawTable({name: [row.get(name) for row in rows] for name in names}, lines, path, notes)


def _json_lines(text: str, path: Path) -> tuple[list[dict[str, Any]], list[int], tuple[Note, ...]]:
    rows: list[dict[str, Any]] = []
    lines: list[int] = []
    texts = text.split("\n")
    last = max((number for number, line in enumerate(texts, 1) if line.strip()), default=0)
    for number, line in enumerate(texts, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            if number == last and number == len(texts) and number > 1:  # no line feed: cut off
                text_of_note = f"{path}:{number}: the last line is cut off and was left out."
                return rows, lines, (Note("cut-line", text_of_note),)
            raise FileError(f"not JSON ({error.msg}).", path=path, line=number) from error
        if not isinstance(row, dict):
            raise FileError(
                f"a row must be an object, got {type(row).__name__}.", path=path, line=number
            )
        rows.append(row)
        lines.append(number)
    return rows, lines, ()


def _json_rows(text: str, path: Path) -> list[dict[str, Any]]:
    try:
        rows = json.loads(text)
    except json.JSONDecodeError as error:
        raise FileError(f"not JSON ({error.msg}).", path=path, line=error.lineno) from error
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise FileError("must hold a list of objects, one a row.", path=path)
    return rows

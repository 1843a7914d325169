"""Table files: Parquet, Arrow, CSV, TSV, JSON lines and lists, each read without guessing."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl

from bestrand.errors import FileError
from bestrand.harnesses.delimited import read_delimited
from bestrand.harnesses.raw import RawTable
from bestrand.harnesses.sources import Source, read_content, sniff
from bestrand.notes import Note


def read_table(source: Source) -> RawTable:
    """Read one file.

    Raises:
        FileError: it is empty, cut, not of its kind, or not UTF-8.
    """
    content = read_content(source.path)
    kind = sniff(source.kind, content)
    if kind == "parquet":
        return _read_columnar(content, source.path, "Parquet", pl.read_parquet)
    if kind == "arrow":
        read = pl.read_ipc if content.startswith(b"ARROW1") else pl.read_ipc_stream
        return _read_columnar(content, source.path, "Arrow", read)
    if kind == "jsonl":
        return _read_json_lines(content, source.path)
    if kind == "json":
        return _read_json_list(content, source.path)
    text = decode(content, source.path)
    return read_delimited(text, source.path, "\t" if kind == "tsv" else ",")


def decode(content: bytes, path: Path) -> str:
    """Make text of a file's content.

    Raises:
        FileError: it is not UTF-8.
    """
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise FileError(_not_utf8(error), path=path, line=line) from error


def _not_utf8(error: UnicodeDecodeError) -> str:
    if b"\0" in error.object[:1000]:
        return (
            "neither text nor a kind of file that is known here. Save the table as CSV or Parquet."
        )
    return f"not UTF-8 (byte {error.object[error.start]:#04x}). Save it as UTF-8."


def _read_columnar(
    content: bytes, path: Path, kind: str, read: Callable[[io.BytesIO], pl.DataFrame]
) -> RawTable:
    try:
        table = read(io.BytesIO(content))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise FileError(
            f"cannot be read as {kind} ({error}). Write or copy it again.", path=path
        ) from error
    return RawTable({name: table[name] for name in table.columns}, path)


def _read_json_lines(content: bytes, path: Path) -> RawTable:
    rows: list[dict[str, Any]] = []
    numbers: list[int] = []
    notes: list[Note] = []
    lines = content.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = _parse(line, path, number)
        except FileError as error:
            if number == len(lines) and rows and _is_cut(line, error):
                cut = f"{path}:{number}: the last line is cut off and was left out."
                notes.append(Note("cut-line", cut))
                break
            raise
        if not isinstance(row, dict):
            raise FileError(
                f"a row must be an object, got {_kind(row)}. Mend the line or take it out.",
                path=path,
                line=number,
            )
        rows.append(row)
        numbers.append(number)
    return RawTable(_to_columns(rows), path, numbers, notes=tuple(notes))


def _is_cut(last: bytes, error: FileError) -> bool:
    """Whether a line without a line feed begins a row, as a run that was killed leaves it."""
    decoding = isinstance(error.__cause__, json.JSONDecodeError | UnicodeDecodeError)
    return decoding and last.lstrip().startswith(b"{")


def _read_json_list(content: bytes, path: Path) -> RawTable:
    """Read a list of rows; a list of bare ids is a table of one column."""
    rows = _parse(content, path, None)
    if isinstance(rows, dict) and "frame_digest" in rows:
        raise FileError(
            "this is a manifest, which holds no scores and not all of the items. Give the scores, "
            "or the items it was drawn from.",
            path=path,
        )
    if not isinstance(rows, list):
        raise FileError(
            f"must hold a list of objects, one a row, got {_kind(rows)}. If the file is not meant, "
            "name those that are.",
            path=path,
        )
    if rows and not any(isinstance(row, dict | list) for row in rows):
        return RawTable({"item": rows}, path)
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, dict):
            raise FileError(f"row {number}: must be an object, got {_kind(row)}.", path=path)
    return RawTable(_to_columns(rows), path)


def _parse(content: bytes, path: Path, line: int | None) -> Any:  # noqa: ANN401
    try:
        return json.loads(content.decode("utf-8-sig"), object_pairs_hook=_object)
    except UnicodeDecodeError as error:
        line = line or content[: error.start].count(b"\n") + 1
        raise FileError(_not_utf8(error), path=path, line=line) from error
    except json.JSONDecodeError as error:
        message = f"not JSON ({error.msg}). Mend the line or take it out."
        raise FileError(message, path=path, line=line or error.lineno) from error
    except (ValueError, RecursionError) as error:  # a key twice, a huge number, a deep nest
        raise FileError(f"not usable JSON ({error}).", path=path, line=line) from error


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object, and refuse a key that comes twice, for which the last would win."""
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"key {twice!r} comes twice in one object")
    return made


def _to_columns(rows: list[dict[str, Any]]) -> dict[str, list[Any]]:
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


def _kind(value: object) -> str:
    names = {dict: "an object", list: "a list", str: "text", bool: "true or false"}
    return names.get(type(value), "null" if value is None else "a number")

"""Table files: Parquet, Arrow, CSV, TSV, JSON lines and lists, each read without guessing."""

import io
from collections.abc import Callable
from pathlib import Path

import polars as pl

from bestrand.errors import FileError
from bestrand.reading.delimited import read_delimited
from bestrand.reading.json_rows import not_utf8, read_json_lines, read_json_list
from bestrand.reading.paths import Source, read_content, sniff
from bestrand.reading.raw import RawTable


def read_table(source: Source, *, whole: bool = True) -> RawTable:
    """Read one file.

    Args:
        source: which file.
        whole: whether no row may be lost; False leaves out a last JSON line that is cut off, and
            takes several objects on one line as rows, each with a note.

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
        return read_json_lines(content, source.path, whole=whole)
    if kind == "json":
        return read_json_list(content, source.path)
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
        raise FileError(not_utf8(error), path=path, line=line) from error


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

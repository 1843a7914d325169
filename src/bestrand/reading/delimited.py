"""Text tables: fields between commas, tabs, semicolons or bars, each field kept as text."""

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

import polars as pl

from bestrand.errors import FileError
from bestrand.notes import Note, shown
from bestrand.reading.columns import is_text_role
from bestrand.reading.raw import RawTable
from bestrand.reading.values import COMMA, GROUPED


POINTED = r"^[+-]?[0-9]*\.[0-9]+([eE][+-]?[0-9]+)?$"
WHOLE = r"^[+-]?[0-9]+$"


UNENDED = "unexpected end of data"  # what the parser calls a quote without an end


DECLARED = r'"?sep=(.)"?\r?(\n|$)'  # a line that Excel understands


class _Lines(NamedTuple):
    header: list[str]
    rows: list[list[str]]
    lines: list[int]  # of the rows
    again: list[int]  # lines on which the header comes again
    blank: list[int]  # lines on which all fields are empty


def read_delimited(text: str, path: Path, separator: str) -> RawTable:
    """Read every field as text: an id of 01 or NA stays what it is.

    Args:
        text: the file's content.
        path: where it came from, for messages.
        separator: the one that the file's name and header speak for, a comma or a tab; where the
            header has none of it, semicolons and bars are looked for.

    Raises:
        FileError: rows of unequal length, quotes that do not close, no rows, a column twice.
    """
    text, comments = _without_comments(text, separator)
    separator, start = _separator(text, separator)
    start += comments
    try:
        found = _parse(text, path, separator, start)
    except FileError:
        other = _other_reading(text, path, separator, start)
        if other is None:
            raise
        separator, found = ";", other
    header = found.header
    _check_header(header, separator, path)
    columns = {
        name: pl.Series(name, values, dtype=pl.String)
        for name, values in zip(header, zip(*found.rows, strict=True), strict=True)
    }
    decimal = "." if separator == "," else _decimal(columns)
    return RawTable(
        columns,
        path,
        found.lines,
        typed=False,
        decimal=decimal,
        notes=tuple(_notes(path, found, comments, decimal)),
    )


def _notes(path: Path, found: _Lines, comments: int, decimal: str) -> Iterator[Note]:
    if comments:
        text = f"{path}: {comments} lines of comments (#) above the header were left out."
        yield Note("comment-lines", text)
    if found.blank:
        text = f"{path}: {len(found.blank)} rows without any field were left out."
        yield Note("blank-rows", text)
    again = found.again
    if again:
        where = ", ".join(map(str, again[:3])) + (", ..." if len(again) > 3 else "")
        yield Note(
            "header-again",
            f"{path}: the header comes again on {len(again)} lines ({where}), as in files that "
            "were joined; these lines were left out.",
        )
    if decimal == ",":
        yield Note(
            "decimal-comma", f"{path}: numbers have a decimal comma; it was read as a point."
        )


def _without_comments(text: str, separator: str) -> tuple[str, int]:
    """Leave out the lines at the head that begin with # and have not the header's fields."""
    n, rest = 0, text
    while rest.startswith("#"):
        n, rest = n + 1, rest.partition("\n")[2]
    header = rest.partition("\n")[0]
    comments = text[: len(text) - len(rest)].splitlines()
    if n and any(line.count(separator) == header.count(separator) for line in comments):
        return text, 0
    return rest, n


def _separator(text: str, said: str) -> tuple[str, int]:
    """Return the separator, and the line on which the header stands."""
    if declared := re.match(DECLARED, text):
        return declared[1], 2
    bare = re.sub(r'"[^"]*"', "", text.lstrip("\r\n").partition("\n")[0])
    if "," in bare or "\t" in bare:
        return said, 1
    return next((mark for mark in ";|" if mark in bare), said), 1


def _parse(text: str, path: Path, separator: str, start: int) -> _Lines:
    if re.match(DECLARED, text):
        text = text.partition("\n")[2]
    found = _Lines([], [], [], [], [])
    names: frozenset[str] = frozenset()
    width = 0
    rows = _split(text, path, separator, start)
    for line, row in rows:
        if not width:
            found.header.extend(row)
            names, width = frozenset([*row, f"\ufeff{row[0]}"]), len(row)
        elif len(row) != width:
            is_last = not text.endswith(("\n", "\r")) and next(rows, None) is None
            raise FileError(_unequal(row, found.header, is_last=is_last), path=path, line=line)
        elif row[0] in names and _is_header(row, found.header, path, line):
            found.again.append(line)
        elif width > 2 and not any(map(str.strip, row)):
            found.blank.append(line)
        else:
            found.rows.append(row)
            found.lines.append(line)
    if not found.rows:
        raise FileError("no rows: there is a header at most, and nothing below it.", path=path)
    return found


def _other_reading(text: str, path: Path, separator: str, start: int) -> _Lines | None:
    """Read with semicolons what cannot be read with commas, if it can be read so."""
    if separator != "," or re.match(DECLARED, text):
        return None
    try:
        found = _parse(text, path, ";", start)
    except FileError:
        return None
    return found if len(found.header) > 1 else None


def _split(text: str, path: Path, separator: str, line: int) -> Iterator[tuple[int, list[str]]]:
    """Return the fields of each row that has any, and the line on which it starts."""
    first = line
    reader = csv.reader(
        io.StringIO(text, newline=""),
        delimiter=separator,
        strict=True,
        skipinitialspace=_has_blanks(text, separator),
    )
    try:
        for row in reader:
            if row:
                yield line, row
            line = reader.line_num + first
    except csv.Error as error:
        if "field larger than field limit" not in str(error):
            raise FileError(_not_a_table(str(error)), path=path, line=line) from error
    else:
        return
    # the limit is one for the whole process, so it stays as it is and longer fields are split here
    rest = "".join(io.StringIO(text, newline="").readlines()[line - first :])
    yield from split_long(rest, path, separator, line)


def _has_blanks(text: str, separator: str) -> bool:
    """Whether a blank follows each separator of the header."""
    header = text.lstrip("\r\n").partition("\n")[0]
    return separator in header and header.count(separator) == header.count(f"{separator} ")


def split_long(text: str, path: Path, separator: str, line: int) -> Iterator[tuple[int, list[str]]]:
    """Split rows as `csv.reader` does when it is strict, without its limit on a field's length.

    Args:
        text: rows.
        path: where they came from, for messages.
        separator: between the fields.
        line: the number of the first line.

    Raises:
        FileError: quotes that do not close, or something right after those that do.
    """
    quoted = re.compile(r'"((?:[^"]++|"")*+)"')
    plain = re.compile(rf"[^{re.escape(separator)}\r\n]*+")
    end = re.compile(r"\r\n?|\n|\Z")
    at, row = 0, list[str]()
    starts = line
    while at < len(text):
        is_quoted = text.startswith('"', at)
        match = (quoted if is_quoted else plain).match(text, at)
        if match is None:
            raise FileError(_not_a_table(UNENDED), path=path, line=starts)
        row.append(match[1].replace('""', '"') if is_quoted else match[0])
        line += len(re.findall(r"\r\n?|\n", match[0]))
        at = match.end()
        if text.startswith(separator, at):
            at += 1
            if at < len(text):
                continue
            row.append("")
        ended = end.match(text, at)
        if ended is None:
            raise FileError(
                f"not a table ({separator!r} expected after '\"'). Mend the line.",
                path=path,
                line=starts,
            )
        at = ended.end()
        if row != [""] or is_quoted:
            yield starts, row
        line += 1
        starts, row = line, []


def _not_a_table(error: str) -> str:
    if UNENDED in error:
        return (
            "a field opens with a double quote that nothing closes. If the file was cut off here, "
            "take this line out; if not, close the quote."
        )
    return f"not a table ({error}). Mend the line."


def _unequal(row: list[str], header: list[str], *, is_last: bool) -> str:
    if is_last and len(row) < len(header):
        return (
            f"the last line ends after {len(row)} of {len(header)} fields, as a run that was "
            "stopped leaves it. Complete the line, or take it out."
        )
    said = (
        f"{len(row)} fields where the header has {len(header)}. Put a field that holds a separator"
    )
    if len(row) > len(header) and re.match(WHOLE, row[-2]) and row[-1].isdigit():
        return f"{said} in double quotes; if {row[-2]},{row[-1]} is one number, write a point."
    return f"{said} in double quotes."


def _is_header(row: list[str], header: list[str], path: Path, line: int) -> bool:
    """Whether a row is the header once more; a mark of byte order before it is no matter.

    Raises:
        FileError: it may be an item, or has the columns in another order.
    """
    row = [row[0].removeprefix("\ufeff"), *row[1:]]
    if sorted(row) != sorted(header):
        return False
    if len(header) == 1:  # an id may be called so
        raise FileError(
            f"the header {header[0]!r} comes again. Take the line out if files were joined here; "
            "give a JSON list of ids if an item is called so.",
            path=path,
            line=line,
        )
    if row != header:
        raise FileError(
            f"the header comes again in another order, {shown(row, 8)}: files were joined whose "
            "columns differ. Give them one by one.",
            path=path,
            line=line,
        )
    return True


def _check_header(header: list[str], separator: str, path: Path) -> None:
    if separator == "|" and len(header) > 2 and header[0] == header[-1] == "":
        raise FileError("a table in Markdown. Save it as CSV.", path=path, line=1)
    twice = sorted({name for name in header if header.count(name) > 1})
    if twice:
        raise FileError(
            f"column {shown(twice)} comes twice in the header. Name each column once.",
            path=path,
            line=1,
        )
    if len(header) == 1 and ";" in header[0]:
        raise FileError(
            "the separator seems to be ';', and each line stands in double quotes. Save the table "
            "without them.",
            path=path,
            line=1,
        )


def _decimal(columns: dict[str, pl.Series]) -> Literal[".", ","]:
    """Tell whether numbers have a decimal comma: all that are not whole must, in all columns.

    Cells that could be thousands, as 1,234, settle nothing by themselves.
    """
    comma = False
    for name, column in columns.items():
        if is_text_role(name):
            continue
        cells = column.str.strip_chars()
        commas, points = cells.str.contains(COMMA), cells.str.contains(POINTED)
        grouped = cells.str.contains(GROUPED)
        n_numbers = int((commas | points | grouped | cells.str.contains(WHOLE)).sum())
        if 2 * n_numbers <= int((cells != "").sum()):
            continue  # text
        if points.any() or (grouped & ~commas).any():
            return "."
        comma = comma or bool((commas & ~grouped).any())
    return "," if comma else "."

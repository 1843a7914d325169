"""JSON: lines of objects and lists of objects, made into columns; what was cut off is known."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bestrand.errors import FileError
from bestrand.notes import Note
from bestrand.reading.raw import RawTable


BOM = b"\xef\xbb\xbf"
WORDS = ("true", "false", "null", "NaN", "Infinity")
# what may follow a text that ends too early, before the brackets that are open are closed
IN_TEXT = ('"', '""', *(f'{"0" * n}"' for n in range(1, 5)))
OUTSIDE = ("", "0", '"":0', *(word[k:] for word in WORDS for k in range(1, len(word))))


def read_json_lines(content: bytes, path: Path, *, whole: bool) -> RawTable:
    """Read a row a line; see `each_row`.

    Args:
        content: of the file, unpacked.
        path: where it came from.
        whole: refuse what `each_row` notes, for a table in which no row may be lost.

    Raises:
        FileError: a line is neither an object nor one of what `each_row` takes.
    """
    notes: list[Note] = []
    found = list(each_row(content, path, notes))
    if whole and notes:
        line = int(notes[0].text.removeprefix(f"{path}:").split(":", 1)[0])
        raise FileError(
            "the last line ends too early, and no row may be lost here. Write or copy the file "
            "again."
            if notes[0].code == "cut-line"
            else "several objects on one line. Write each on a line of its own.",
            path=path,
            line=line,
        )
    numbers, rows = [number for number, _ in found], [row for _, row in found]
    return RawTable(_to_columns(rows), path, numbers, notes=tuple(notes), quoted=True)


def each_row(content: bytes, path: Path, notes: list[Note]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Return each row of JSON lines, with the number of its line.

    A last line that ends too early, as a run that was killed leaves it, is left out with a note.
    Whole objects one after another on one line are rows of their own, with a note.

    Args:
        content: of the file, unpacked.
        path: where it came from.
        notes: where notes are added.

    Raises:
        FileError: a line is neither an object nor one of the above.
    """
    glued: list[int] = []
    any_row = False
    lines = content.removeprefix(BOM).split(b"\n")
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            found = [parse(line, path, number)]
        except FileError as error:
            if number == len(lines) and any_row and _is_cut(line):
                cut = f"{path}:{number}: the last line is cut off and was left out."
                notes.append(Note("cut-line", cut))
                break
            found = _glued(line, path, number, error)
            glued.append(number)
        for row in found:
            if not isinstance(row, dict):
                raise FileError(
                    f"a row must be an object, got {_kind(row)}. Mend the line or take it out.",
                    path=path,
                    line=number,
                )
            any_row = True
            yield number, row
    if glued:
        text = (
            f"{path}:{glued[0]}: several objects on one line; each was read as a row "
            f"(lines of that kind: {len(glued)})."
        )
        notes.append(Note("glued-line", text))


def _glued(line: bytes, path: Path, number: int, error: FileError) -> list[Any]:
    """Take apart whole objects that stand on one line; else raise, saying what follows the first.

    Raises:
        FileError: `error`, or one that names what follows the first object.
    """
    if not isinstance(error.__cause__, json.JSONDecodeError):
        raise error
    text = line.decode("utf-8-sig").strip()
    decoder = json.JSONDecoder(object_pairs_hook=_object)
    found: list[Any] = []
    rest = text
    try:
        while rest.startswith("{"):
            row, end = decoder.raw_decode(rest)
            found.append(row)
            rest = rest[end:].lstrip()
    except (ValueError, RecursionError):
        pass
    if not found:
        raise error
    if rest:
        short = rest if len(rest) <= 30 else rest[:27] + "..."
        raise FileError(
            f"more than an object on one line: {short!r} follows it. Write each object on a line "
            "of its own, with nothing between them.",
            path=path,
            line=number,
        ) from error
    return found


def _is_cut(last: bytes) -> bool:
    """Whether a line is the beginning of an object, and ends before the object does."""
    try:
        text = last.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if error.reason != "unexpected end of data":
            return False
        text = last[: error.start].decode("utf-8-sig")
    return is_begun(text.strip())


def is_begun(text: str) -> bool:
    r"""Whether a text begins one JSON object and ends before it does.

    Examples:
        >>> [is_begun(text) for text in ('{"a": tr', '{"a": [1, "b', '{"a": 1}', '{"a": 1},', "{]")]
        [True, True, False, False, False]
    """
    if not text.startswith("{"):
        return False
    open_brackets: list[str] = []
    in_text = escaped = False
    for letter in text:
        if in_text:
            if escaped:
                escaped = False
            elif letter == "\\":
                escaped = True
            elif letter == '"':
                in_text = False
        elif letter == '"':
            in_text = True
        elif letter in "{[":
            open_brackets.append("}" if letter == "{" else "]")
        elif letter in "}]":
            if not open_brackets or open_brackets.pop() != letter:
                return False
            if not open_brackets:
                return False
    close = "".join(reversed(open_brackets))
    ends = IN_TEXT if in_text else OUTSIDE
    return any(_is_json(f"{text}{end}{more}{close}") for end in ends for more in ("", ":0"))


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def read_json_list(content: bytes, path: Path) -> RawTable:
    """Read a list of rows; a list of bare ids is a table of one column.

    Raises:
        FileError: it holds something else.
    """
    rows = parse(content, path, None)
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
        return RawTable({"item": rows}, path, quoted=True)
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, dict):
            raise FileError(f"row {number}: must be an object, got {_kind(row)}.", path=path)
    return RawTable(_to_columns(rows), path, quoted=True)


def parse(content: bytes, path: Path, line: int | None) -> Any:  # noqa: ANN401
    """Parse one JSON value; `line` is where it stands, None where it is the whole file.

    Raises:
        FileError: it is not UTF-8, no JSON, or JSON from which something would be lost.
    """
    try:
        return json.loads(content.decode("utf-8-sig"), object_pairs_hook=_object)
    except UnicodeDecodeError as error:
        line = line or content[: error.start].count(b"\n") + 1
        raise FileError(not_utf8(error), path=path, line=line) from error
    except json.JSONDecodeError as error:
        message = f"not JSON ({error.msg}). Mend the line or take it out."
        raise FileError(message, path=path, line=line or error.lineno) from error
    except (ValueError, RecursionError) as error:  # a key twice, a huge number, a deep nest
        raise FileError(f"not usable JSON ({error}).", path=path, line=line) from error


def not_utf8(error: UnicodeDecodeError) -> str:
    """Return which byte is not UTF-8, or that this is no text at all."""
    if b"\0" in error.object[:1000]:
        return (
            "neither text nor a kind of file that is known here. Save the table as CSV or Parquet."
        )
    return (
        f"not UTF-8 (byte {error.object[error.start]:#04x}). Save it as UTF-8; now it may "
        "be Latin-1 or Windows-1252."
    )


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

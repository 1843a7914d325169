"""The first sheet of an Excel workbook, as texts."""

import re
import zipfile
from collections.abc import Iterator
from xml.etree import ElementTree

from bestrand.errors import FileError
from bestrand.harnesses.files import LogFile


MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
SHEET = "xl/worksheets/sheet1.xml"
STRINGS = "xl/sharedStrings.xml"
CELL = re.compile(r"^([A-Z]+)\d+$")
ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")  # how a letter is written that XML does not hold


def sheet_rows(file: LogFile) -> list[list[str | None]]:
    """Read the rows of the first sheet; an empty cell is None.

    Raises:
        FileError: it is no workbook.
    """
    try:
        with zipfile.ZipFile(file.path) as archive:
            names = archive.namelist()
            shared = archive.read(STRINGS) if STRINGS in names else None
            sheet = ElementTree.fromstring(archive.read(SHEET))
    except (KeyError, OSError, zipfile.BadZipFile, ElementTree.ParseError) as error:
        raise FileError(f"no Excel workbook ({error}).", path=file.path) from error
    strings = [] if shared is None else [_text(one) for one in ElementTree.fromstring(shared)]
    found = [dict(_cells(row, strings)) for row in sheet.iter(f"{MAIN}row")]
    width = max((max(row, default=-1) for row in found), default=-1) + 1
    return [[row.get(column) for column in range(width)] for row in found]


def _cells(row: ElementTree.Element, strings: list[str]) -> Iterator[tuple[int, str | None]]:
    """Give the cells of a row that are not empty, by their column."""
    for place, cell in enumerate(row.iter(f"{MAIN}c")):
        match = CELL.match(cell.get("r", ""))
        column = _column(match[1]) if match else place
        kind, value = cell.get("t"), cell.find(f"{MAIN}v")
        if kind == "inlineStr":
            yield column, _text(cell)
        elif value is not None and value.text is not None:
            yield column, strings[int(value.text)] if kind == "s" else value.text


def _column(letters: str) -> int:
    """Return the place of a column, from 0: A, B, ..., Z, AA, ..."""
    place = 0
    for letter in letters:
        place = 26 * place + ord(letter) - ord("A") + 1
    return place - 1


def _text(element: ElementTree.Element) -> str:
    """Join the runs of a text; how it is spoken is none of it."""
    spoken = {run for one in element.iter(f"{MAIN}rPh") for run in one.iter(f"{MAIN}t")}
    text = "".join(run.text or "" for run in element.iter(f"{MAIN}t") if run not in spoken)
    return ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)

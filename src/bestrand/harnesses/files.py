"""Files that a harness may have written: their names, their first bytes, and their content."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from bestrand.notes import Note
from bestrand.reading.compression import first_bytes
from bestrand.reading.json_rows import each_row, parse
from bestrand.reading.paths import Given, read_content, unpacked_name


HEAD = 65536  # bytes by which a harness knows its files


@dataclass(frozen=True)
class LogFile:
    """A file that is offered to every harness.

    Attributes:
        given: where it is, and how the user gave it.
    """

    given: Given

    @property
    def path(self) -> Path:
        """Where it is."""
        return self.given.path

    @property
    def name(self) -> str:
        """Its name, without the suffix of a packed file."""
        return unpacked_name(self.path).name

    @cached_property
    def head(self) -> bytes:
        """Its first bytes, unpacked, without a byte order mark; none where it cannot be read."""
        return first_bytes(self.path, HEAD).removeprefix(b"\xef\xbb\xbf")

    @cached_property
    def first_row(self) -> dict[str, Any]:
        """The first line as a JSON object; empty where it is none, or longer than `head`."""
        try:
            row = json.loads(self.head.lstrip().split(b"\n", 1)[0])
        except (ValueError, RecursionError):
            return {}
        return row if isinstance(row, dict) else {}

    def content(self) -> bytes:
        """Read it whole, unpacked.

        Raises:
            FileError: it cannot be read, is empty, or is cut.
        """
        return read_content(self.path)

    def json(self) -> Any:  # noqa: ANN401
        """Read it as one JSON value.

        Raises:
            FileError: it is none.
        """
        return parse(self.content(), self.path, None)

    def rows(self, notes: list[Note]) -> Iterator[tuple[int, dict[str, Any]]]:
        """Read JSON lines, each with its number; see `each_row` for what is noted.

        Raises:
            FileError: a line is no JSON object.
        """
        return each_row(self.content(), self.path, notes)

"""The store: a folder that keeps what a study computed, a part a cell, whole or not at all.

`study.json` says what was asked for, with a digest of it all, so a changed file is noticed.
`cells/` holds one Parquet file a cell, named after the key of the cell and a checksum of the file:
a part that was damaged or is incomplete does not match the checksum in its name, and is computed
again. `times.jsonl` says how long each cell took; no number of the table depends on it.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from io import BytesIO
from pathlib import Path
from typing import Annotated, Any, Self

import polars as pl
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bestrand.core.manifest import fields_digest
from bestrand.errors import FileError, OutputError
from bestrand.files import write_whole
from bestrand.notes import Note
from bestrand.study.cells import KEY_DIGITS
from bestrand.study.protocol import Protocol


FORMAT = 1
STUDY, CELLS, TIMES = "study.json", "cells", "times.jsonl"
CHECK_DIGITS = 16
Key = Annotated[str, Field(pattern=rf"^[0-9a-f]{{{KEY_DIGITS}}}$")]


class PlannedCell(BaseModel):
    """One cell of a study: the key of its part, and its columns in the table."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    key: Key
    is_law: bool
    place: dict[str, Any]


class StudyFile(BaseModel):
    """What `study.json` holds, beside its digest."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: int
    bestrand_version: str
    seed: int
    protocol: Protocol
    benchmarks: tuple[dict[str, Any], ...]
    notes: tuple[Note, ...] = ()
    cells: tuple[PlannedCell, ...]


class Store:
    """The folder of a study.

    Attributes:
        folder: where.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def open(cls, folder: str | Path) -> Self:
        """Make the folder, or go on in one that holds a study.

        Raises:
            OutputError: it is a file, holds other things than a study, or cannot be written.
        """
        path = Path(folder)
        try:
            if path.exists() and not path.is_dir():
                raise OutputError(f"{str(path)!r} is a file. Name a folder.", path=path)
            if path.is_dir() and any(path.iterdir()) and not _holds_study(path):
                raise OutputError(
                    f"{str(path)!r} holds other things than a study. Name another folder.",
                    path=path,
                )
            (path / CELLS).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            if isinstance(error, OutputError):
                raise
            raise OutputError(
                f"Cannot write {str(path)!r}: {error}. Name another folder.", path=path
            ) from error
        return cls(path)

    def write_plan(self, plan: StudyFile) -> None:
        """Write `study.json`; parts of an earlier protocol stay, and are taken where they fit."""
        fields = plan.model_dump(mode="json")
        text = json.dumps({**fields, "digest": fields_digest(fields)}, indent=1) + "\n"
        write_whole(self.folder / STUDY, text.encode(), force=True)

    def read_plan(self) -> StudyFile:
        """Read `study.json`.

        Raises:
            FileError: there is none, it is of another layout, or it was changed.
        """
        path = self.folder / STUDY
        try:
            content = path.read_bytes()
        except OSError as error:
            raise FileError(
                f"no study here ({error.strerror or error}). Name the folder that `bestrand study` "
                "wrote.",
                path=path,
            ) from error
        try:
            fields = json.loads(content)
        except (ValueError, RecursionError) as error:
            raise _unusable(path, "it is not JSON") from error
        if not isinstance(fields, dict) or fields.get("format") != FORMAT:
            raise _unusable(path, f"it is not of format {FORMAT}, which this bestrand reads")
        if fields.pop("digest", None) != fields_digest(fields):
            raise _unusable(path, "it was changed after it was written")
        try:
            return StudyFile.model_validate(fields)
        except ValidationError as error:
            raise _unusable(path, "it is not what this bestrand writes") from error

    def write_part(self, key: str, part: pl.DataFrame) -> None:
        """Write the part of a cell, whole or not at all."""
        buffer = BytesIO()
        part.write_parquet(buffer, compression="zstd")
        content = buffer.getvalue()
        name = f"{key}.{_checksum(content)}.parquet"
        write_whole(self.folder / CELLS / name, content, force=True)

    def read_parts(
        self, schemas: Mapping[str, Mapping[str, Any]]
    ) -> tuple[dict[str, pl.DataFrame], list[Path]]:
        """Read the parts of these cells that are there and whole.

        Args:
            schemas: key of a cell -> the columns that its part must have.

        Returns:
            The parts by key, and the files that are damaged, or are no files.

        Raises:
            FileError: a file cannot be read.
        """
        parts: dict[str, pl.DataFrame] = {}
        damaged: list[Path] = []
        for path in sorted((self.folder / CELLS).glob("*.parquet")):
            key, _, checksum = path.name.removesuffix(".parquet").partition(".")
            if key not in schemas or key in parts:
                continue
            content = _content(path)
            if content is None or _checksum(content) != checksum:
                damaged.append(path)
                continue
            part = pl.read_parquet(BytesIO(content))
            if dict(part.schema) == dict(pl.Schema(schemas[key])):
                parts[key] = part
        return parts, damaged

    def note_times(self, lines: Iterable[Mapping[str, Any]]) -> None:
        """Add lines to `times.jsonl`.

        Raises:
            OutputError: it cannot be written.
        """
        path = self.folder / TIMES
        try:
            with path.open("a", encoding="utf-8") as file:
                file.writelines(json.dumps(line) + "\n" for line in lines)
        except OSError as error:
            raise OutputError(
                f"Cannot write {str(path)!r}: {error.strerror or error}. Take it away, or name "
                "another folder.",
                path=path,
            ) from error

    def drop(self, damaged: Iterable[Path]) -> None:
        """Take away damaged files, and what an interrupted write left behind.

        Raises:
            OutputError: one cannot be taken away, as a folder that is not empty.
        """
        for path in (*damaged, *(self.folder / CELLS).glob(".*.tmp")):
            try:
                if path.is_dir() and not path.is_symlink():
                    path.rmdir()
                else:
                    path.unlink(missing_ok=True)
            except OSError as error:
                raise OutputError(
                    f"{str(path)!r} is not what a study wrote, and cannot be taken away "
                    f"({error.strerror or error}). Take it away, or name another folder.",
                    path=path,
                ) from error


def _holds_study(folder: Path) -> bool:
    """Whether a folder was begun by a study, even if nothing but the folder of cells was made."""
    names = {path.name for path in folder.iterdir() if not path.name.endswith(".tmp")}
    return STUDY in names or names <= {CELLS, TIMES}


def _unusable(path: Path, why: str) -> FileError:
    return FileError(
        f"this cannot be used, for {why}. Run the study again into this folder: it is written "
        "anew, and what was computed is taken over.",
        path=path,
    )


def _content(path: Path) -> bytes | None:
    """Read a file; None for what is none, as a folder or a broken link."""
    if not path.is_file():
        return None
    try:
        return path.read_bytes()
    except OSError as error:
        raise FileError(
            f"cannot be read ({error.strerror or error}). Allow it, or take the file away: its "
            "cell is computed again.",
            path=path,
        ) from error


def _checksum(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:CHECK_DIGITS]

"""Files sorted by whose logs they are; what no harness claims is a table."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from bestrand.errors import FileError, InputError
from bestrand.harnesses.base import Harness, Run
from bestrand.harnesses.files import LogFile
from bestrand.notes import shown
from bestrand.reading.paths import Given


# what code raises that meets another shape than the harness writes
MISSHAPEN = (AttributeError, IndexError, KeyError, TypeError, ValueError)


class Sorted(NamedTuple):
    """Files by whose they are.

    Attributes:
        logs: by the name of the harness, with the files that go with them.
        tables: claimed by none.
        aside: claimed as companions of logs that are not there.
    """

    logs: dict[str, list[LogFile]]
    tables: list[Given]
    aside: list[Given]

    @property
    def claimed(self) -> list[Given]:
        """All that is read as a log or with one."""
        return [file.given for files in self.logs.values() for file in files]


def sort_files(given: Sequence[Given], harnesses: Mapping[str, Harness]) -> Sorted:
    """Offer every file to every harness.

    Raises:
        InputError: two harnesses claim one file.
    """
    claimed: dict[str, list[LogFile]] = {}
    with_logs: set[str] = set()
    tables: list[Given] = []
    for one in given:
        file = LogFile(one)
        claims = {
            name: claim for name, harness in harnesses.items() if (claim := harness.claim(file))
        }
        if len(claims) > 1:
            raise InputError(
                f"{file.path}: claimed by {shown(sorted(claims))}. Give this file as a table: "
                "columns item, model, score.",
                path=file.path,
            )
        if not claims:
            tables.append(one)
            continue
        [(name, claim)] = claims.items()
        claimed.setdefault(name, []).append(file)
        if claim == "log":
            with_logs.add(name)
    logs = {name: found for name, found in claimed.items() if name in with_logs}
    aside = [
        file.given for name, found in claimed.items() if name not in with_logs for file in found
    ]
    return Sorted(logs, tables, aside)


def read_runs(harness: Harness, files: Sequence[LogFile]) -> Iterator[Run]:
    """Read the runs in files that a harness claims.

    Raises:
        FileError: a file that is not as the harness writes it.
        InputError: rows that would change the score without a word.
    """
    try:
        yield from harness.read(files)
    except InputError:  # it is a ValueError
        raise
    except MISSHAPEN as error:
        path = _misshapen(harness, files)
        raise FileError(
            f"not as {harness.title} writes it ({type(error).__name__}: {error}). Was it changed, "
            "or written by a version that is not known here? Leave it out, or give its scores as a "
            "table: columns item, model, score.",
            path=path,
        ) from error


def _misshapen(harness: Harness, files: Sequence[LogFile]) -> Path:
    """Find the file of another shape, by reading each log alone with what goes with it."""
    logs = [file for file in files if harness.claim(file) == "log"]
    beside = [file for file in files if harness.claim(file) != "log"]
    for file in logs:
        try:
            list(harness.read([file, *beside]))
        except InputError:
            continue
        except MISSHAPEN:
            return file.path
    return logs[0].path

"""Files sorted by whose logs they are; what no harness claims is a table."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from bestrand.errors import InputError
from bestrand.harnesses.base import Harness
from bestrand.harnesses.files import LogFile
from bestrand.notes import shown
from bestrand.reading.paths import Given


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

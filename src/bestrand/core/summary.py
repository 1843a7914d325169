"""A summary of what was read."""

from dataclasses import dataclass

from bestrand.notes import Note
from bestrand.record import Record


@dataclass(frozen=True, slots=True)
class Counts(Record):
    """How many (item, model, metric) triples have a score, and why the others have none.

    Attributes:
        scored: have a score.
        missing: were not run: no row.
        errored: were run, and the row says that it failed.
        unscored: were run, and the score is empty or not a number.
        duplicate: rows that repeat an earlier row; they are counted once above.
    """

    scored: int
    missing: int
    errored: int
    unscored: int
    duplicate: int


@dataclass(frozen=True, slots=True)
class Summary(Record):
    """What was read: what `bestrand read --json` prints.

    Attributes:
        models: their names.
        items: how many.
        groups: their names; empty where there are none.
        metrics: their names.
        counts: of all triples.
        notes: what a reader should know.
    """

    models: tuple[str, ...]
    items: int
    groups: tuple[str, ...]
    metrics: tuple[str, ...]
    counts: Counts
    notes: tuple[Note, ...]

"""What the user says of columns: which has a role, which are left aside, which are models."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import polars as pl

from bestrand.errors import ArgumentError
from bestrand.notes import Note, shown
from bestrand.reading.raw import RawTable


Columns = Mapping[str, str | Sequence[str]]


class ColumnChoice(NamedTuple):
    """`columns` taken apart.

    Attributes:
        roles: role -> column name.
        aside: columns, models and items that are to be left out.
        keep: those that are models or items, whatever they are called and hold.
    """

    roles: Mapping[str, str]
    aside: frozenset[str] = frozenset()
    keep: frozenset[str] = frozenset()


def take_apart(columns: Columns | None) -> ColumnChoice:
    """Take roles, of which each has one column, from `aside` and `keep`, which have any number.

    Raises:
        ArgumentError: a role has several columns, or a name is no text.
    """
    given = dict(columns or {})
    several = {role: _names(role, given.pop(role)) for role in ("aside", "keep") if role in given}
    roles: dict[str, str] = {}
    for role, name in given.items():
        if not isinstance(name, str):
            raise ArgumentError(f"`columns` needs one column name for {role!r}, got {name!r}.")
        roles[role] = name
    both = sorted(several.get("aside", frozenset()) & several.get("keep", frozenset()))
    if both:
        raise ArgumentError(f"`columns` says both aside and keep of {shown(both)}. Say one.")
    return ColumnChoice(roles, **several)


def _names(role: str, given: object) -> frozenset[str]:
    names = [given] if isinstance(given, str) else given
    if not isinstance(names, Sequence) or not all(isinstance(name, str) for name in names):
        raise ArgumentError(
            f"`columns` needs a name or a list of names for {role!r}, got {given!r}."
        )
    return frozenset(names)


def without_columns(table: RawTable, chosen: ColumnChoice) -> RawTable:
    """Take out the columns that the user left aside."""
    aside = [name for name in table.columns if name in chosen.aside]
    if not aside:
        return table
    note = Note("left-aside", f"{table.path}: left aside as was asked: column {shown(aside, 8)}.")
    rest = {name: column for name, column in table.columns.items() if name not in aside}
    return replace(table, columns=rest, notes=(*table.notes, note))


class LeftAside(NamedTuple):
    """Rows without what the user left aside.

    Attributes:
        rows: of the table.
        notes: what was left aside.
        names: models and items of which the user spoke.
    """

    rows: pl.DataFrame
    notes: list[Note]
    names: frozenset[str]


def left_aside(rows: pl.DataFrame, chosen: ColumnChoice) -> LeftAside:
    """Leave out the models and items that the user left aside."""
    notes: list[Note] = []
    known: set[str] = set()
    spoken = list(chosen.aside | chosen.keep)
    for kind in ("model", "item") if spoken else ():
        there = set(rows.filter(pl.col(kind).is_in(spoken))[kind])
        known |= there
        aside = sorted(there & chosen.aside)
        if aside:
            rows = rows.filter(~pl.col(kind).is_in(aside))
            text = f"Left aside as was asked: {kind} {shown(aside, 8)}."
            notes.append(Note("left-aside", text))
    return LeftAside(rows, notes, frozenset(known))


def require_known(chosen: ColumnChoice, columns: Iterable[str], names: Iterable[str]) -> None:
    """Refuse names in `aside` and `keep` that nothing is called.

    Args:
        chosen: what the user says.
        columns: those of all files.
        names: models and items of which the user spoke, and that there are.

    Raises:
        ArgumentError: no column, model or item is called so.
    """
    have = list(dict.fromkeys(columns))
    unknown = sorted((chosen.aside | chosen.keep).difference(have, names))
    if unknown:
        raise ArgumentError(
            f"`columns` says aside or keep of {shown(unknown)}, and no column, model or item is "
            f"called so; columns are {shown(have, 12)}."
        )

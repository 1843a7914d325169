"""Reading item lists: the frame, where no model has run yet."""

from dataclasses import replace
from pathlib import Path

import polars as pl

from bestrand.core.frame import Frame
from bestrand.core.scores import ScoreTable
from bestrand.errors import FileError, InputError
from bestrand.notes import Note, shown
from bestrand.reading.chosen import ColumnChoice, Columns, take_apart, without_columns
from bestrand.reading.columns import NAMES, Roles, find_roles
from bestrand.reading.merge import gather_items
from bestrand.reading.paths import Found, Source, read_content
from bestrand.reading.raw import RawTable, RowsAndNotes
from bestrand.reading.remarks import aside_notes, odd_ids
from bestrand.reading.row_numbers import numbers_rows
from bestrand.reading.rows import item_rows, to_long
from bestrand.reading.summary_names import summary_names
from bestrand.reading.tables import decode, read_table
from bestrand.reading.values import is_numeric, stray_cell
from bestrand.reading.verdicts import with_verdicts
from bestrand.types import Weighting


def items_of_tables(found: Found, weighting: Weighting | None) -> Frame:
    """Read the items of lists and tables; see `read_items`."""
    tables = [_read_rows(source) for source in found.sources]
    lists = [_item_rows(table) for table in tables]
    rows = [one.rows.with_columns(pl.lit(n).alias("file")) for n, one in enumerate(lists)]
    items = gather_items(pl.concat(rows), tables)
    notes = (
        *aside_notes(found.aside),
        *(note for table in tables for note in table.notes),
        *(note for one in lists for note in one.notes),
        *odd_ids(items["item"].to_list()),
    )
    return replace(ScoreTable(pl.DataFrame(), items).frame(weighting), notes=notes)


def are_item_lists(found: Found, columns: Columns | None = None) -> bool:
    """Whether files hold items and no scores: no column of scores or metrics, and no numbers.

    Args:
        found: the files.
        columns: role -> column name, as in `read_scores`.

    Raises:
        FileError: they cannot be read, or hold no ids.
    """
    chosen = take_apart(columns)
    return not any(
        _holds_scores(without_columns(_read_rows(source), chosen), chosen)
        for source in found.sources
    )


def _holds_scores(table: RawTable, chosen: ColumnChoice) -> bool:
    roles = find_roles(table, chosen.roles)
    table = with_verdicts(table, roles, ())
    others = [name for name in table.columns if name not in roles.values()]
    rest = [name for name in others if name not in numbers_rows(table, others)]
    return bool({"metric", "score"} & roles.keys()) or any(
        is_numeric(table, name) or stray_cell(table, name) for name in rest
    )


def _read_rows(source: Source) -> RawTable:
    return _read_lines(source.path) if source.kind == "txt" else read_table(source)


def _item_rows(table: RawTable) -> RowsAndNotes:
    roles = find_roles(table, {})
    rows = item_rows(table, roles)
    if not {"model", "metric", "score"} & roles.keys():
        _require_distinct(table, rows["item"])
    return _without_summaries(table, roles, rows)


def _without_summaries(table: RawTable, roles: Roles, rows: pl.DataFrame) -> RowsAndNotes:
    """Leave aside rows of a table of scores that are the mean or the sum of the others."""
    is_long = bool({"model", "score"} & roles.keys())
    if len(table.columns) == 1 or (is_long and not summary_names(rows["item"])):
        return RowsAndNotes(rows, [])
    try:
        long = to_long(table, "model")
    except InputError:  # a list of items without scores
        return RowsAndNotes(rows, [])
    kept = set(long.rows["item"])
    left = [name for name in rows["item"].unique() if name not in kept]
    notes = [
        note
        for note in long.notes
        if note.code == "summary-aside"
        and any(f": item {name!r} is " in note.text for name in left)
    ]
    return RowsAndNotes(rows.filter(~pl.col("item").is_in(left)), notes)


def _read_lines(path: Path) -> RawTable:
    """Read an id a line; white space around it is part of the id.

    A first line that is a header, as `item` or `id`, and lines that begin with "# " are no ids;
    notes say so.
    """
    text = decode(read_content(path), path)
    end = "\n" if "\n" in text else "\r"  # old tables end their lines so
    lines = [line.removesuffix("\r") for line in text.split(end)]
    numbers = [number for number, line in enumerate(lines, start=1) if line.strip()]
    aside = [number for number in numbers if lines[number - 1].startswith("# ")]
    heads = [number for number in numbers if number not in aside][:1]
    if heads and len(numbers) > 1 and lines[heads[0] - 1].strip().casefold() in NAMES["item"]:
        aside += heads
    notes = [
        Note(
            "lines-aside",
            f"{path}:{number}: {lines[number - 1]!r} is a header or a comment, and no id: it was "
            "left aside.",
        )
        for number in sorted(aside)
    ]
    kept = [number for number in numbers if number not in set(aside)]
    items = [lines[number - 1] for number in kept]
    return RawTable({"item": items}, path, kept, notes=tuple(notes))


def _require_distinct(table: RawTable, items: pl.Series) -> None:
    """Require that a list has no id twice; scores may, for they have a row a model."""
    twice = items.is_duplicated()
    if twice.any():
        names = sorted(items.filter(twice).unique())
        row = int((~items.is_first_distinct()).arg_max() or 0)
        raise FileError(
            f"ids must be distinct, {len(names)} of them come more than once: {shown(names)} "
            f"(again at {table.place(row)}). Give each item an id of its own.",
            path=table.path,
        )

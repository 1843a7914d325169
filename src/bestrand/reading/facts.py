"""Facts about items: columns of wide tables, as a year or a fold, that are no model's scores."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from bestrand.notes import Note, shown
from bestrand.reading.raw import RawTable, RowsAndNotes
from bestrand.reading.sheets import Sheet, odd_rows
from bestrand.reading.summary_names import is_fact_name


MOST_NAMED = 12  # columns that a note names


class Facts(NamedTuple):
    """Columns that are no models, and notes on them."""

    names: list[str]
    notes: list[Note]


def facts_aside(table: RawTable, columns: Sequence[str], keep: Collection[str]) -> Facts:
    """Return the columns that are called like a fact about items; none where all are.

    Args:
        table: in wide form.
        columns: those that may be models.
        keep: those that are.
    """
    names = [name for name in columns if name not in keep and is_fact_name(name)]
    if not names or len(names) == len(columns):
        return Facts([], [])
    text = (
        f"{table.path}: column {shown(names, 8)} is called like a fact about items, not like a "
        f"model, and was left aside. If it is a model: --column keep={names[0]} (columns=)."
    )
    return Facts(names, [Note("facts-aside", text)])


def wide_form(rows: pl.DataFrame) -> str:
    """Return which columns were taken as models: all names where they are few, odd ones first.

    Args:
        rows: `item`, `model`, `metric`, `score`, `group`.
    """
    names = rows["model"].unique(maintain_order=True).to_list()
    scored = rows.filter(pl.col("score").is_not_null())
    odd: list[str] = []
    if scored["model"].n_unique() > 2:
        sheet = Sheet.of(scored, "model")
        odd = [sheet.names[k] for k in odd_rows(sheet.values, list(range(len(sheet.names))))]
    ordered = [*odd, *(name for name in names if name not in odd)]
    unlike = (
        f" Column {shown(odd, MOST_NAMED)} has other values than most: if it is no model, leave it "
        f"out with --column aside={odd[0]} (columns=)."
        if odd
        else ""
    )
    return (
        f"read as one column a model ({shown(ordered, MOST_NAMED)}). If these are metrics of one "
        f"model, name the one meant with --metric.{unlike}"
    )


def without_other_scales(rows: pl.DataFrame, place: str, *, keep: Collection[str]) -> RowsAndNotes:
    """Leave aside models that have no score in 0..1 where most have nothing but 0 and 1.

    Those that lie beyond 0..1 in part, or where most others have all kinds of scores in it, are
    kept and noted.

    Args:
        rows: `item`, `model`, `metric`, `score`, `group`.
        place: where they come from, for the notes.
        keep: models that are kept without a word.
    """
    scored = rows.filter(pl.col("score").is_not_null())
    if scored["model"].n_unique() < 3 or scored["score"].is_between(0, 1).all():
        return RowsAndNotes(rows, [])
    sheet = Sheet.of(scored, "model")
    aside: list[str] = []
    notes: list[Note] = []
    odd = odd_rows(sheet.values, list(range(len(sheet.names))))
    usual = np.delete(sheet.values, odd, axis=0)
    is_binary = np.isin(usual[~np.isnan(usual)], (0, 1)).all()
    for k in odd:
        name, own = sheet.names[k], sheet.values[k][~np.isnan(sheet.values[k])]
        inside = (own >= 0) & (own <= 1)
        if name in keep or inside.all():
            continue
        said = (
            f"{place}column {name!r} has {own.min():g} to {own.max():g}, and {len(usual)} other "
            f"models have {'0 or 1' if is_binary else 'scores within 0 to 1'}"
        )
        if is_binary and not inside.any():
            aside.append(name)
            text = f"{said}: it was left aside. If it is a model: --column keep={name} (columns=)."
        else:
            text = f"{said}; it was kept. To leave it out: --column aside={name} (columns=)."
        notes.append(Note("other-scale", text))
    return RowsAndNotes(rows.filter(~pl.col("model").is_in(aside)), notes)

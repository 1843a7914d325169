"""Repeats and filters: several rows of one item by one model, of which one score is made."""

import polars as pl

from bestrand.errors import InputError
from bestrand.notes import Note, shown
from bestrand.reading.raw import RowsAndNotes


KEY = ["item", "model", "metric"]
# what a run may say of a row beside its score: the content of the item and of the prompt by their
# digests, the filter that took the answer, and which of several runs of the item it was
OF_RUN = ["document", "prompt", "filter", "repeat"]


def with_columns_of_runs(rows: pl.DataFrame) -> pl.DataFrame:
    """Add the columns of `OF_RUN` that are not there, empty."""
    absent = [name for name in OF_RUN if name not in rows.columns]
    return rows.with_columns(pl.lit(None, pl.String).alias(name) for name in absent)


def take_filter(rows: pl.DataFrame, wanted: str | None) -> RowsAndNotes:
    """Keep the rows of one filter; they are never averaged.

    Args:
        rows: of all files, in their order, with `filter`, null where there is none.
        wanted: the filter; None takes of each task and metric that has several the first in file
            order.

    Raises:
        InputError: no row is by the wanted filter.
    """
    named = rows.filter(pl.col("filter").is_not_null())
    if wanted is not None:
        have = named["filter"].unique(maintain_order=True).to_list()
        if wanted not in have:
            raise InputError(
                f"No filter {wanted!r} here; there are {shown(have, 8) or 'none'}.", filters=have
            )
    several = named.filter(pl.struct(*KEY).is_duplicated()).group_by(
        "metric", "task", maintain_order=True
    )
    choices = several.agg(pl.col("filter").unique(maintain_order=True))
    choices = choices.filter(pl.col("filter").list.len() > 1)
    notes = []
    for metric, task, filters in choices.iter_rows():
        chosen = wanted if wanted in filters else filters[0]
        is_meant = (pl.col("metric") == metric) & pl.col("task").eq_missing(pl.lit(task, pl.String))
        other = pl.col("filter").is_in([name for name in filters if name != chosen])
        rows = rows.filter(~(is_meant & other.fill_null(value=False)))
        if wanted is None:
            of = f" of task {task!r}" if task else ""
            text = (
                f"Metric {metric!r}{of} was scored by several filters, {shown(filters, 8)}; "
                f"{chosen!r}, the first in the file, is taken. Another one: --filter "
                f"{filters[1]} (filter=)."
            )
            notes.append(Note("first-filter", text))
    return RowsAndNotes(rows, notes)


def averaged(rows: pl.DataFrame) -> RowsAndNotes:
    """Average the repeats of each item, of those that have a score; rows stay in their order.

    An item is scored if one of its repeats is. A fault of any repeat is kept.
    """
    if rows["repeat"].null_count() == rows.height:
        return RowsAndNotes(rows, [])
    is_scored = pl.col("score").is_not_null()
    kept = rows.group_by(KEY, maintain_order=True).agg(
        pl.col("score").mean(),
        pl.col("status").sort_by(~is_scored, maintain_order=True).first(),
        pl.col("fault").drop_nulls().first(),
        pl.exclude("score", "status", "fault").first(),
    )
    some = rows.filter(is_scored.any().over(KEY) & ~is_scored)
    if not some.height:
        return RowsAndNotes(kept, [])
    models = shown(sorted(some["model"].unique()))
    text = (
        f"{some.height} repeats of {some.select(KEY).n_unique()} items have no score, of model "
        f"{models}; these items are the mean of their other repeats."
    )
    return RowsAndNotes(kept, [Note("repeats-without-score", text)])


def contents(rows: pl.DataFrame) -> pl.DataFrame | None:
    """Return `item`, `model`, `document` and `prompt` of each; None where nothing is known.

    Args:
        rows: one an item, model and metric.
    """
    known = pl.col("document").is_not_null() | pl.col("prompt").is_not_null()
    if not rows.select(known.any()).item():
        return None
    each = rows.group_by("item", "model").agg(
        pl.col("document").drop_nulls().first(), pl.col("prompt").drop_nulls().first()
    )
    return each.sort("item", "model")

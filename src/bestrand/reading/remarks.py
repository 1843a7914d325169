"""Remarks: what is no error in scores, and must be said all the same."""

from collections.abc import Sequence

import polars as pl

from bestrand.ids import explain_mismatch, unicode_twins
from bestrand.notes import Note, shown


def remarks(rows: pl.DataFrame, items: pl.DataFrame, logs: Sequence[int]) -> list[Note]:
    """Return what is odd.

    Args:
        rows: of all files, with their `file`.
        items: of all rows.
        logs: the files that are logs, of which a run has several.
    """
    return [
        *_split_models(rows.filter(~pl.col("file").is_in(list(logs)))),
        *odd_ids(items["item"].to_list()),
        *_scoreless(rows),
        *_holes(rows, items["item"].to_list()),
    ]


def aside_notes(aside: list[str]) -> tuple[Note, ...]:
    """Name the files in folders that hold no table."""
    if not aside:
        return ()
    return (Note("files-aside", f"Files that hold no table: {shown(aside)}."),)


def _split_models(rows: pl.DataFrame) -> list[Note]:
    files = rows.group_by("model").agg(pl.col("file").n_unique())
    names = sorted(files.filter(pl.col("file") > 1)["model"])
    if not names:
        return []
    return [Note("split-model", f"Scores of {shown(names)} come from several files.")]


def odd_ids(items: list[str]) -> list[Note]:
    """Name ids that look the same and are not, and an empty one; `items` ascend."""
    notes = []
    twins = unicode_twins(items)
    if twins:
        notes.append(
            Note(
                "unicode-twins",
                f"{len(twins)} pairs of ids look the same and are not (first: {twins[0][0]!a}, "
                f"{twins[0][1]!a}); they are kept as two items.",
            )
        )
    if items[0] == "":
        notes.append(Note("empty-id", "One id is empty text; it is kept as an item."))
    return notes


def _scoreless(rows: pl.DataFrame) -> list[Note]:
    """Name the models that ran and have no score at all in some metric."""
    counts = rows.group_by("model", "metric").agg(
        (pl.col("status") == status).sum().alias(status)
        for status in ("scored", "errored", "unscored")
    )
    nothing = counts.filter(pl.col("scored") == 0).sort("model", "metric")
    return [
        Note(
            "no-scores",
            f"Model {model!r} has no score of metric {metric!r}: {errored} errored, {unscored} "
            "ran and were not scored.",
        )
        for model, metric, _, errored, unscored in nothing.iter_rows()
    ]


def _holes(rows: pl.DataFrame, items: list[str]) -> list[Note]:
    """Name the models that lack items, and say if it looks like a run with a limit."""
    n = len(items)
    per_model = rows.group_by("model").agg(pl.col("item").unique()).sort("model")
    short = per_model.filter(pl.col("item").list.len() < n)
    if not short.height:
        return []
    shared = set(items)
    notes: list[Note] = []
    for model, names in short.iter_rows():
        have = set(names)
        absent = [item for item in items if item not in have]
        shared &= have
        limit = ""
        if have == {str(number) for number in range(len(have))}:
            limit = " These are the first ones: a run with a limit?"
        notes.append(
            Note(
                "holes",
                f"Model {model!r} has {len(have)} of {n} items, first missing: {absent[0]!r}."
                f"{limit}{'' if notes else explain_mismatch(absent, have)}",
            )
        )
    if per_model.height > 1:
        notes.append(Note("shared-items", f"{len(shared)} of {n} items are in every model's run."))
    return notes

"""Summaries: a model or an item that is the mean or the sum of the others, and none of its own."""

from collections.abc import Collection

import numpy as np
import polars as pl

from bestrand.notes import Note, shown
from bestrand.reading.derived import SummaryColumn, find_derived
from bestrand.reading.functions import SAID
from bestrand.reading.raw import RowsAndNotes
from bestrand.reading.sheets import Kind, Sheet
from bestrand.reading.summary_names import Called, summary_names


def without_summaries(
    rows: pl.DataFrame, place: str = "", *, keep: Collection[str] = (), unnamed: bool = False
) -> RowsAndNotes:
    """Leave aside models and items that are a function of the others: a mean, a sum, the best...

    What is called like a summary is compared with what is not, under the functions that its name
    speaks of: with all of the others, with those that share its group or another word of its name,
    with those that stand before it, and with any of which it is a weighted mean. A name that a
    model may have, as "all", is a summary only if it also has scores of its own: where they are
    those of one of the others, nothing tells the two apart.

    Args:
        rows: `item`, `model`, `metric`, `score`, `group`.
        place: where they come from, for the notes.
        keep: names that are no summaries, whatever their scores.
        unnamed: whether to look at what is not called like a summary, too. It is one if it is the
            mean, the sum, 1 - mean or the standard deviation of all others in five cells or more,
            in three of which (of two for an item) none of the others has that score.
    """
    kinds: tuple[Kind, Kind] = ("model", "item")
    named = {kind: summary_names(rows[kind]) for kind in kinds}
    if not (named["model"] or named["item"] or unnamed):
        return RowsAndNotes(rows, [])
    notes: list[Note] = []
    for kind, other in (kinds, kinds[::-1]):
        scored = rows.filter(pl.col("score").is_not_null())
        left = _plain(scored, other, named[other])
        if left.is_empty():
            continue
        sheet = Sheet.of(left, kind)
        said = {name: one for name, one in named[kind].items() if name not in keep}
        with np.errstate(over="ignore", invalid="ignore"):  # scores may be as large as they like
            found, unsure = find_derived(sheet, said, set(keep), unnamed=unnamed)
        rows = rows.filter(~pl.col(kind).is_in(list(found)))
        notes += [Note("summary-aside", f"{place}{_said(kind, *pair)}") for pair in found.items()]
        for name, one in unsure.items():
            text = (
                f"{place}{_is(kind, name, one)}, which may be chance, and was kept. To leave it "
                f"out: --column aside={name} (columns=)."
            )
            notes.append(Note("summary-like", text))
        kept = [
            name for name, one in said.items() if name not in found and one.sureness != "partly"
        ]
        if kept and len(said) < len(sheet.names):
            text = (
                f"{place}{kind} {shown(kept)} is called like a summary and was kept, as its scores "
                f"do not show that it is the mean or the sum of the other {kind}s. To leave it "
                f"out: --column aside={kept[0]} (columns=)."
            )
            notes.append(Note("summary-name", text))
    return RowsAndNotes(rows, notes)


def _plain(scored: pl.DataFrame, kind: Kind, named: dict[str, Called]) -> pl.DataFrame:
    """Leave out what may be a summary, so that it says nothing of the other kind."""
    partly = scored.filter(~pl.col(kind).is_in(list(named)))
    if 2 * partly[kind].n_unique() >= scored[kind].n_unique():
        return partly
    wholly = [name for name, one in named.items() if one.sureness != "partly"]
    return scored.filter(~pl.col(kind).is_in(wholly))


def _said(kind: Kind, name: str, found: SummaryColumn) -> str:
    return (
        f"{_is(kind, name, found)}, and was left aside. To keep it as "
        f"{'a' if kind == 'model' else 'an'} {kind}: --column keep={name} (columns=)."
    )


def _is(kind: Kind, name: str, found: SummaryColumn) -> str:
    each = "item" if kind == "model" else "model"
    others = f"{len(found.of)} of the other" if found.of else "the other"
    which = f" ({shown(list(found.of))})" if found.of else ""
    return (
        f"{kind} {name!r} is the {SAID.get(found.function, found.function)} of {others} "
        f"{kind}s{which}, {each} by {each}"
    )

"""Summaries: a model or an item that is the mean or the sum of the others, and none of its own."""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

import numpy as np
import polars as pl

from bestrand.notes import Note, shown
from bestrand.types import FloatArray


Kind = Literal["model", "item"]

# Names of summaries; those that are sure are no model's and no item's.
SURE = r"means?|avg|averages?|std|stdev|sd|moyenne|mittelwert|durchschnitt|promedio|平均"
LIKELY = (
    r"totals?|sum|overall|all|aggregated?|combined|summary|subtotal|grand|summe|gesamt|somme|合计|总分"
    r"|median|min|minimum|max|maximum"
)
BESIDE = (
    r"scores?|acc|accuracy|macro|micro|row|columns?|models?|items?|results?|of|the|over|across|dev"
)

MEANS = ("mean", "sum", "percent")
OWN = {"median": "median", "std": "std", "stdev": "std", "sd": "std"}
OWN |= {"min": "min", "minimum": "min", "max": "max", "maximum": "max"}
SAID = {
    "percent": "mean in percent",
    "std": "standard deviation",
    "min": "least",
    "max": "greatest",
}

EXACT = 1e-6  # of the scale; what was not rounded agrees to this, in 32 bits too
PERCENT = 20.0  # on scales as wide as this, whole numbers are rounded ones
ROUNDED = 0.005  # as far as two decimals may be off
MIN_ROWS, MIN_TELLING = 5, 3


class Kept(NamedTuple):
    """Rows without summaries, and notes on those that were left aside."""

    rows: pl.DataFrame
    notes: list[Note]


def is_summary_name(name: str) -> bool:
    """Whether a name is that of a summary, as "mean", "Overall score" or "avg."."""
    words = _words(name)
    are_known = all(re.fullmatch(f"{SURE}|{LIKELY}|{BESIDE}", word) for word in words)
    is_any = any(re.fullmatch(f"{SURE}|{LIKELY}", word) for word in words)
    return is_any and are_known and not re.search(r"\d", name)


def _words(name: str) -> list[str]:
    parted = re.sub(r"([a-z])([A-Z])", r"\1 \2", name)  # MeanScore
    return re.findall(r"[^\W\d_]+", parted.casefold())


def summary_names(names: pl.Series) -> list[str]:
    """Give those of the names that are a summary's, ascending."""
    distinct = names.unique()
    near = distinct.filter(distinct.str.to_lowercase().str.contains(f"{SURE}|{LIKELY}"))
    return sorted(filter(is_summary_name, near.to_list()))


def without_summaries(rows: pl.DataFrame, place: str = "") -> Kept:
    """Leave aside models and items that are called like a summary and are one of the others.

    Each is compared with what has no such name: a model item by item, an item model by model. A
    name that a model may have, as "all", is a summary only if it also has scores of its own:
    where they are those of one of the others, nothing tells the two apart.

    Args:
        rows: `item`, `model`, `metric`, `score`.
        place: where they come from, for the notes.
    """
    named = {"model": summary_names(rows["model"]), "item": summary_names(rows["item"])}
    if not (named["model"] or named["item"]):
        return Kept(rows, [])
    scored = rows.filter(pl.col("score").is_not_null())
    notes: list[Note] = []
    kinds: tuple[Kind, Kind] = ("model", "item")
    for kind, other in (kinds, kinds[::-1]):
        left = scored.filter(~pl.col(other).is_in(named[other]))
        plain = left.filter(~pl.col(kind).is_in(named[kind]))
        if plain.is_empty():
            continue
        found = {
            name: said
            for name in named[kind]
            if (said := _summary(left.filter(pl.col(kind) == name), plain, kind, name))
        }
        rows = rows.filter(~pl.col(kind).is_in(list(found)))
        notes += [Note("summary-aside", f"{place}{_said(kind, *pair)}") for pair in found.items()]
        kept = [name for name in named[kind] if name not in found]
        if kept:
            text = (
                f"{place}{kind} {shown(kept)} is called like a summary and was kept, as its scores "
                f"do not show that it is the mean or the sum of the other {kind}s."
            )
            notes.append(Note("summary-name", text))
    return Kept(rows, notes)


def _said(kind: Kind, name: str, summary: str) -> str:
    each, article = ("item", "a") if kind == "model" else ("model", "an")
    return (
        f"{kind} {name!r} is the {SAID.get(summary, summary)} of the other {kind}s, {each} by "
        f"{each}, and was left aside. Rename it if it is {article} {kind} of its own."
    )


def _summary(own: pl.DataFrame, plain: pl.DataFrame, kind: Kind, name: str) -> str | None:
    """Say which summary of the plain scores one's own are, if they are one."""
    key = ["item" if kind == "model" else "model", "metric"]
    score = pl.col("score")
    others = plain.group_by(key).agg(
        score.mean().alias("mean"),
        score.sum().alias("sum"),
        (100 * score.mean()).alias("percent"),
        score.median().alias("median"),
        score.min().alias("min"),
        score.max().alias("max"),
        score.std(ddof=0).alias("std"),
        score.std(ddof=1).alias("std of a sample"),
        score.len().alias("n"),
    )
    n_names = plain[kind].n_unique()
    complete = others.filter(pl.col("n") == n_names)
    pairs = own.select(*key, pl.col("score").alias("own")).join(others, on=key, how="left")
    if own.is_empty() or pairs["n"].null_count() or complete.join(own, on=key, how="anti").height:
        return None
    words = _words(name)
    tried = next(((OWN[word],) for word in words if word in OWN), MEANS)
    values = pairs["own"].to_numpy()
    limit = _tolerance(values, plain["score"].to_numpy(), named=True)
    for summary in (*tried, *(["std of a sample"] if tried == ("std",) else [])):
        if np.abs(values - pairs[summary].fill_null(np.nan).to_numpy()).max() <= limit:
            is_sure = any(re.fullmatch(SURE, word) for word in words)
            return summary if is_sure or not _is_copy(own, plain, kind, key) else None
    return None


def _is_copy(own: pl.DataFrame, plain: pl.DataFrame, kind: Kind, key: list[str]) -> bool:
    """Whether one of the others has the same scores wherever both have one."""
    pairs = plain.join(own.select(*key, pl.col("score").alias("own")), on=key)
    same = (pl.col("score") - pl.col("own")).abs() <= EXACT
    return bool(pairs.group_by(kind).agg(same.all().alias("same"))["same"].any())


def _tolerance(values: FloatArray, others: FloatArray, *, named: bool) -> float:
    """Give how far rounded values may be from what they are said to be."""
    exact = EXACT * max(1.0, float(np.abs(values).max()))
    n_decimals = next(
        (n for n in range(6) if np.abs(values - np.round(values, n)).max() < 1e-9), None
    )
    if n_decimals is None:
        return exact
    if n_decimals == 0:
        return 0.5 + exact if named and np.ptp(others) >= PERCENT else exact
    if n_decimals == 1 and not named:
        return exact
    unit = 10.0**-n_decimals
    return (
        unit if named and n_decimals > 1 else unit / 2
    ) + 1e-9  # some tables cut and do not round


def suspects(values: FloatArray, models: list[str], items: list[str]) -> Iterator[str]:
    """Name models and items that are the mean or the sum of all others, whatever they are called.

    That must be so of five scores or more; and of three of them (of two for an item) that none of
    the others has, so that it is no chance and no copy.

    Args:
        values: (L, N), nan where there is no score.
        models: names of the L models.
        items: ids of the N items.

    Yields:
        What each of them is.
    """
    if len(models) > 2 and len(items) >= MIN_ROWS:
        yield from _suspects("model", values, models, MIN_ROWS, MIN_TELLING)
    if len(models) > 1 and len(items) >= MIN_ROWS:
        yield from _suspects("item", values.T, items, 2, 2)


def _suspects(
    kind: Kind, table: FloatArray, names: list[str], n_scores: int, n_telling: int
) -> Iterator[str]:
    there = ~np.isnan(table)
    n_rest = there.sum(axis=0) - there
    rest = np.nansum(table, axis=0) - np.nan_to_num(table)
    for summary, expected in (("mean", rest / np.maximum(n_rest, 1)), ("sum", rest)):
        off = np.where(there, np.abs(table - expected), 0.0)
        near = (off <= ROUNDED + EXACT * np.abs(expected)).all(axis=1)
        for row in np.flatnonzero(near & (there.sum(axis=1) >= n_scores)):
            own, others = table[row, there[row]], np.delete(table, row, axis=0)[:, there[row]]
            limit = _tolerance(own, others, named=False)
            telling = ~(np.abs(others - own) <= max(limit, EXACT)).any(axis=0)
            if off[row].max() <= limit and telling.sum() >= n_telling:
                yield f"{kind} {names[row]!r} is the {summary} of all other {kind}s"

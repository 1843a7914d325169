"""Gathering: rows of all files made one table, in which nothing contradicts itself."""

import math
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

import polars as pl

from bestrand.errors import ArgumentError, InputError
from bestrand.harnesses.layout import MISSING, Long
from bestrand.harnesses.raw import RawTable
from bestrand.harnesses.remarks import remarks
from bestrand.harnesses.summaries import Kept, without_summaries
from bestrand.notes import Note, shown
from bestrand.scores import ScoreTable


Duplicates = Literal["error", "mean", "first", "last"]
Bounds: TypeAlias = tuple[float, float] | Mapping[str, tuple[float, float]] | None

KEY = ["item", "model", "metric"]
FACTS = ["task", "group", "weight"]


class Read(NamedTuple):
    """One file that was read: as it was, and in long form."""

    table: RawTable
    long: Long


def gather(
    reads: Sequence[Read],
    notes: Sequence[Note] = (),
    *,
    metrics: tuple[str, ...] | None = None,
    bounds: Bounds = None,
    duplicates: Duplicates = "error",
) -> ScoreTable:
    """Make one table of all files; the arguments are those of `read_scores`.

    Raises:
        InputError: no scores, scores that clash, an item in two groups, or scores out of bounds.
        ArgumentError: `bounds` that are none.
    """
    columns = [*KEY, "score", "status", *FACTS, "row"]
    rows = pl.concat(
        read.long.rows.select(*columns, pl.lit(number).alias("file"))
        for number, read in enumerate(reads)
    )
    if metrics is not None:
        rows = _take_metrics(rows, metrics)
    summed = without_summaries(rows) if len(reads) > 1 else Kept(rows, [])
    rows = summed.rows
    items = gather_items(rows)
    run = rows.filter(pl.col("status") != MISSING)
    kept = _without_duplicates(run, reads, duplicates)
    _require_scores(kept, rows)
    return ScoreTable(
        rows=kept.select(*KEY, "score", "status").sort(KEY),
        items=items,
        n_duplicates=run.height - kept.height,
        notes=(
            *notes,
            *(note for read in reads for note in read.long.notes),
            *summed.notes,
            *remarks(kept, items),
        ),
        bounds=_take_bounds(bounds, kept),
    )


def gather_items(rows: pl.DataFrame) -> pl.DataFrame:
    """Gather what is known of each item: `item`, `task`, `group`, `weight`, ascending.

    Raises:
        InputError: rows of one item say different things.
    """
    said = rows.select("item", *FACTS).unique()
    items = said.group_by("item").agg(pl.col(name).drop_nulls().unique().sort() for name in FACTS)
    for name in FACTS:
        split = items.filter(pl.col(name).list.len() > 1).sort("item")
        if split.height:
            item, values = split["item"][0], split[name][0].to_list()
            raise InputError(
                f"An item must have one {name}, and {split.height} have more (first: item "
                f"{item!r}, {shown(values)}). Ids must be distinct over all of the scores; put the "
                f"{name} in front of the id if they are not.",
                items=split["item"].to_list(),
            )
    return items.with_columns(pl.col(name).list.first() for name in FACTS).sort("item")


def _take_metrics(rows: pl.DataFrame, metrics: tuple[str, ...]) -> pl.DataFrame:
    have = sorted(rows["metric"].unique())
    absent = [metric for metric in metrics if metric not in have]
    if absent:
        raise InputError(f"No metric {shown(absent)} here; there are {shown(have, 8)}.")
    return rows.filter(pl.col("metric").is_in(metrics))


def _without_duplicates(
    rows: pl.DataFrame, reads: Sequence[Read], duplicates: Duplicates
) -> pl.DataFrame:
    """Keep one row an (item, model, metric)."""
    if duplicates == "error":
        kept = rows.unique([*KEY, "score", "status"], keep="first", maintain_order=True)
        clash = kept.filter(pl.struct(KEY).is_duplicated())
        if clash.height:
            raise _clash(clash, reads)
        return kept
    if duplicates == "mean":
        scored = pl.col("score").is_not_null()
        return rows.group_by(KEY, maintain_order=True).agg(
            pl.col("score").mean(),
            pl.col("status").sort_by(~scored, maintain_order=True).first(),
            pl.exclude("score", "status").first(),
        )
    return rows.unique(KEY, keep=duplicates, maintain_order=True)


def _clash(clash: pl.DataFrame, reads: Sequence[Read]) -> InputError:
    first = clash.join(clash.head(1).select(KEY), on=KEY, maintain_order="left")
    said = [
        status if score is None else f"{score:g}"
        for score, status in first.select("score", "status").iter_rows()
    ]
    places = [reads[file].table.place(row) for file, row in first.select("file", "row").iter_rows()]
    item, model, metric = first.select(KEY).row(0)
    return InputError(
        "An item must have one score of a model and metric, and "
        f"{clash.select(KEY).n_unique()} have scores that clash (first: item {item!r}, model "
        f"{model!r}, metric {metric!r}: {', '.join(said[:3])}, at {', '.join(places[:3])}). Mend "
        "the file, or say which to take: --duplicates mean, first or last.",
        item=item,
        model=model,
        metric=metric,
    )


def _require_scores(kept: pl.DataFrame, rows: pl.DataFrame) -> None:
    if (kept["status"] == "scored").any():
        return
    n_errored = kept.filter(pl.col("status") == "errored").height
    raise InputError(
        f"No item has a score, of model {shown(sorted(rows['model'].unique()))}: {n_errored} "
        f"errored, {kept.height - n_errored} ran and were not scored. Run them again, or write 0 "
        "where an error is to count as 0."
    )


def _take_bounds(bounds: Bounds, rows: pl.DataFrame) -> dict[str, tuple[float, float]]:
    """Give the bounds by metric, checked against the scores."""
    if bounds is None:
        return {}
    metrics = sorted(rows["metric"].unique())
    by_metric = dict(bounds) if isinstance(bounds, Mapping) else dict.fromkeys(metrics, bounds)
    unknown = sorted(set(by_metric) - set(metrics))
    if unknown:
        raise ArgumentError(
            f"`bounds` speak of metric {shown(unknown)}; there are {shown(metrics, 8)}."
        )
    for metric, pair in by_metric.items():
        _check_bounds(metric, pair, rows.filter(pl.col("metric") == metric))
    return by_metric


def _check_bounds(metric: str, pair: tuple[float, float], rows: pl.DataFrame) -> None:
    try:
        low, high = map(float, pair)
    except (TypeError, ValueError) as error:
        raise ArgumentError(
            f"`bounds` must be two numbers, got {pair!r} for {metric!r}."
        ) from error
    if not -math.inf < low < high < math.inf:
        raise ArgumentError(f"`bounds` must go up, got {low:g}..{high:g} for {metric!r}.")
    beyond = rows.filter((pl.col("score") < low) | (pl.col("score") > high))
    if beyond.height:
        first = beyond.row(0, named=True)
        raise InputError(
            f"{beyond.height} scores of metric {metric!r} lie outside {low:g}..{high:g} "
            f"(first: {first['score']:g}, model {first['model']!r}, item {first['item']!r}). "
            "Another scale, or wrong bounds?",
        )

"""Gathering: rows of all files made one table, in which nothing contradicts itself."""

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

import polars as pl

from bestrand.core.scores import ScoreTable
from bestrand.errors import ArgumentError, InputError
from bestrand.notes import Note, shown
from bestrand.reading.agreeing import require_one_item, with_one_spelling
from bestrand.reading.columns import Roles
from bestrand.reading.documents import require_one_document
from bestrand.reading.faults import MISSING, ErrorPolicy, settle_faults
from bestrand.reading.raw import RawTable, RowsAndNotes
from bestrand.reading.remarks import remarks
from bestrand.reading.repeats import OF_RUN, averaged, contents, take_filter, with_columns_of_runs
from bestrand.reading.rows import Long
from bestrand.reading.sentinels import mark_sentinels
from bestrand.reading.summaries import without_summaries


Duplicates = Literal["error", "mean", "first", "last"]
Bounds: TypeAlias = tuple[float, float] | Mapping[str, tuple[float, float]] | None

KEY = ["item", "model", "metric"]
FACTS = ["task", "group", "weight"]
KEY_OF_REPEAT = [*KEY, "repeat"]


class Read(NamedTuple):
    """One file that was read: as it was, what its columns are, in long form, and whose it is."""

    table: RawTable
    roles: Roles
    long: Long
    is_log: bool = False


def gather(
    reads: Sequence[Read],
    notes: Sequence[Note] = (),
    *,
    metrics: tuple[str, ...] | None = None,
    bounds: Bounds = None,
    duplicates: Duplicates = "error",
    errors: ErrorPolicy = "keep",
    keep: Collection[str] = (),
    filter: str | None = None,
) -> ScoreTable:
    """Make one table of all files; the arguments are those of `read_scores`.

    Args:
        reads: the files.
        notes: on all of them.
        metrics: those wanted.
        bounds: of metrics.
        duplicates: what to do with scores that clash.
        errors: what rows with an error count as.
        keep: models and items that are no summaries of the others.
        filter: by which the answers were taken; default: the first in file order, with a note.

    Raises:
        InputError: no scores, scores that clash, an item in two groups, or scores out of bounds.
        ArgumentError: `bounds` that are none.
    """
    columns = [*KEY, "score", "status", *FACTS, "row", *OF_RUN, "fault"]
    rows = pl.concat(
        with_columns_of_runs(read.long.rows).select(*columns, pl.lit(number).alias("file"))
        for number, read in enumerate(reads)
    )
    if metrics is not None:
        rows = _take_metrics(rows, metrics)
    rows, spelled = with_one_spelling(rows)
    summed = _without_summaries_of_tables(rows, reads, keep)
    items = gather_items(summed.rows, [read.table for read in reads])
    declared = _declared(bounds, summed.rows)
    marked = mark_sentinels(summed.rows, [read.table for read in reads], errors, declared)
    rows, faults = settle_faults(marked, errors)
    run = rows.filter(pl.col("status") != MISSING)
    taken = take_filter(run, filter)
    once = _without_duplicates(taken.rows, reads, duplicates)
    mean = averaged(once)
    kept = mean.rows
    _require_scores(kept, rows)
    return ScoreTable(
        rows=kept.select(*KEY, "score", "status").sort(KEY),
        items=items,
        faults=kept.filter(pl.col("fault").is_not_null()).select(*KEY, "fault").sort(KEY),
        n_duplicates=taken.rows.height - once.height,
        notes=(
            *notes,
            *(note for read in reads for note in read.long.notes),
            *spelled,
            *summed.notes,
            *faults,
            *taken.notes,
            *mean.notes,
            *_errored_repeats(taken.rows, duplicates),
            *remarks(kept, items, [n for n, read in enumerate(reads) if read.is_log]),
        ),
        bounds=_take_bounds(bounds, kept),
        contents=contents(kept),
        duplicates=_repeated(taken.rows),
    )


def gather_items(rows: pl.DataFrame, tables: Sequence[RawTable]) -> pl.DataFrame:
    """Gather what is known of each item: `item`, `task`, `group`, `weight`, ascending.

    Args:
        rows: of all files, with `document`, and with `file` and `row`, where they stand.
        tables: the files.

    Raises:
        InputError: rows of one item say different things, or hold different documents.
    """
    require_one_document(rows, tables)
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
    """Keep these metrics; `name,filter` is a metric as taken by that filter."""
    have = sorted(rows["metric"].unique())
    parts, absent = [], []
    for metric in metrics:
        part = rows.filter(pl.col("metric") == metric)
        if not part.height:
            name, _, chosen = metric.rpartition(",")
            is_meant = (pl.col("metric") == name) & (pl.col("filter") == chosen)
            part = rows.filter(is_meant).with_columns(pl.lit(metric).alias("metric"))
        parts.append(part)
        if not part.height:
            absent.append(metric)
    if absent:
        filters = sorted(rows["filter"].drop_nulls().unique())
        more = f" Filters: {shown(filters, 8)}." if filters else ""
        raise InputError(f"No metric {shown(absent)} here; there are {shown(have, 8)}.{more}")
    return pl.concat(parts)


def _without_summaries_of_tables(
    rows: pl.DataFrame, reads: Sequence[Read], keep: Collection[str]
) -> RowsAndNotes:
    """Leave out models and items of tables that summarise the others; a log has none."""
    logs = [number for number, read in enumerate(reads) if read.is_log]
    if len(reads) - len(logs) < 2:
        return RowsAndNotes(rows, [])
    of_log = pl.col("file").is_in(logs)
    summed = without_summaries(rows.filter(~of_log), keep=keep)
    kept = pl.concat([summed.rows, rows.filter(of_log)]).sort("file", maintain_order=True)
    return RowsAndNotes(kept, summed.notes)


def _places(key: pl.DataFrame, rows: pl.DataFrame, reads: Sequence[Read]) -> list[str]:
    """Return where the first rows of a key stand."""
    there = rows.join(key, on=KEY, maintain_order="left").head(3)
    return [reads[file].table.place(row) for file, row in there.select("file", "row").iter_rows()]


def _without_duplicates(
    rows: pl.DataFrame, reads: Sequence[Read], duplicates: Duplicates
) -> pl.DataFrame:
    """Keep one row an (item, model, metric) and repeat."""
    if duplicates == "error":
        kept = rows.unique([*KEY_OF_REPEAT, "score", "status"], keep="first", maintain_order=True)
        clash = kept.filter(pl.struct(KEY_OF_REPEAT).is_duplicated())
        if clash.height:
            raise _clash(clash, reads)
        if kept.height < rows.height:
            require_one_item(
                rows.filter(pl.struct(KEY_OF_REPEAT).is_duplicated()),
                [read.table for read in reads],
                [list(read.roles.values()) for read in reads],
            )
        return kept
    if duplicates == "mean":
        scored = pl.col("score").is_not_null()
        return rows.group_by(KEY_OF_REPEAT, maintain_order=True).agg(
            pl.col("score").mean(),
            pl.col("status").sort_by(~scored, maintain_order=True).first(),
            pl.col("fault").drop_nulls().first(),
            pl.exclude("score", "status", "fault").first(),
        )
    return rows.unique(KEY_OF_REPEAT, keep=duplicates, maintain_order=True)


def _errored_repeats(rows: pl.DataFrame, duplicates: Duplicates) -> list[Note]:
    """Return how many repeats have no score where others of them do, and are averaged."""
    if duplicates != "mean":
        return []
    is_scored = pl.col("score").is_not_null()
    each = rows.group_by(KEY_OF_REPEAT).agg(
        is_scored.any().alias("scored"),
        (~is_scored).sum().alias("without"),
        pl.len().alias("runs"),
    )
    partly = each.filter(pl.col("scored") & (pl.col("without") > 0))
    if not partly.height:
        return []
    text = (
        f"Of {partly['runs'].sum()} repeated rows of {partly.height} scores, "
        f"{partly['without'].sum()} errored or have no score, and do not count in the means: each "
        "mean is over the others. To count errors as 0: --errors zero (errors=)."
    )
    return [Note("errored-repeats", text)]


def _repeated(rows: pl.DataFrame) -> pl.DataFrame:
    """Return `item` and `model` of rows that came more than once."""
    twice = rows.filter(pl.struct(KEY_OF_REPEAT).is_duplicated())
    return twice.select("item", "model").unique().sort("item", "model")


def _clash(clash: pl.DataFrame, reads: Sequence[Read]) -> InputError:
    first = clash.join(clash.head(1).select(KEY), on=KEY, maintain_order="left")
    said = [
        status if score is None else f"{score:g}"
        for score, status in first.select("score", "status").iter_rows()
    ]
    places = _places(clash.head(1).select(KEY), clash, reads)
    paths = sorted({str(reads[file].table.path) for file in clash["file"]})
    several = clash.group_by(KEY).agg(pl.col("file").n_unique())["file"].max()
    advice = (
        f"Files contradict each other: {shown(paths)}. Give one of them alone; or, if they are "
        "runs of several models, name each, as in NAME=PATH."
        if several != 1
        else "Mend the file, or say which to take: --duplicates mean, first or last."
    )
    item, model, metric = first.select(KEY).row(0)
    return InputError(
        "An item must have one score of a model and metric, and "
        f"{clash.select(KEY).n_unique()} have scores that clash (first: item {item!r}, model "
        f"{model!r}, metric {metric!r}: {', '.join(said[:3])}, at {', '.join(places)}). {advice}",
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
        f"errored, {kept.height - n_errored} ran and were not scored. Run them again, or say "
        "--errors zero (errors=) where an error is to count as 0."
    )


def _declared(bounds: Bounds, rows: pl.DataFrame) -> list[str]:
    """Return the metrics of which the range was said."""
    if bounds is None:
        return []
    return sorted(bounds) if isinstance(bounds, Mapping) else rows["metric"].unique().to_list()


def _take_bounds(bounds: Bounds, rows: pl.DataFrame) -> dict[str, tuple[float, float]]:
    """Return the bounds by metric, checked against the scores."""
    if bounds is None:
        return {}
    metrics = sorted(rows["metric"].unique())
    by_metric = dict(bounds) if isinstance(bounds, Mapping) else dict.fromkeys(metrics, bounds)
    unknown = sorted(set(by_metric) - set(metrics))
    if unknown:
        raise ArgumentError(
            f"`bounds` name metric {shown(unknown)}; there are {shown(metrics, 8)}."
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
    if not low < high or math.inf in (low, -high):
        raise ArgumentError(
            f"`bounds` must have its lower end first, got {low:g}..{high:g} for {metric!r}."
        )
    beyond = rows.filter((pl.col("score") < low) | (pl.col("score") > high))
    if beyond.height:
        first = beyond.row(0, named=True)
        raise InputError(
            f"{beyond.height} scores of metric {metric!r} lie outside {low:g}..{high:g} "
            f"(first: {first['score']:g}, model {first['model']!r}, item {first['item']!r}). "
            "Another scale, or wrong bounds?",
        )

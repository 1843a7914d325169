"""The door of reading: files or data frames in, one checked table of scores out."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, get_args

import narwhals as nw
import polars as pl

from bestrand.errors import ArgumentError, InputError
from bestrand.harnesses.layout import Form, Long, to_long
from bestrand.harnesses.raw import RawTable, from_polars, read_table
from bestrand.harnesses.sources import Source, find_sources
from bestrand.ids import unicode_twins
from bestrand.notes import Note, shown
from bestrand.scores import ScoreTable


Duplicates = Literal["error", "mean", "first", "last"]
KEY = ["item", "model", "metric"]
COLUMNS = [*KEY, "score", "status", "group", "task", "weight", "line"]


def read_scores(
    source: str | Path | Sequence[str | Path] | Mapping[str, str | Path] | Any,  # noqa: ANN401
    *,
    metric: str | None = None,
    form: Form = "auto",
    columns: Mapping[str, str] | None = None,
    bounds: tuple[float, float] | Mapping[str, tuple[float, float]] | None = None,
    duplicates: Duplicates = "error",
) -> ScoreTable:
    """Read per-item scores.

    Ids are text, exactly as written; a whole number is its digits. Nothing is dropped or filled
    in without being counted.

    Args:
        source: a file, several, a folder, a mapping from model name to file, or a pandas, polars
            or pyarrow table. Parquet, CSV, TSV, JSON lines and JSON lists of rows, also packed
            with gzip or zstd. Long form: columns `item`, `score`, and `model`, `metric`, `group`,
            `task`, `weight`, `status`, `error` where there are; a file without `model` is one
            model's and named after it. Wide form: an item a row, a column a model.
        metric: keep this metric alone; all unless given.
        form: "long" or "wide" where it is not to be guessed.
        columns: role -> column name, as `{"item": "qid", "score": "acc"}`.
        bounds: lowest and highest score possible, of all metrics or by metric.
        duplicates: what to do with two different scores of one item, model and metric: refuse
            ("error"), or take the mean, the first or the last. Equal ones are kept once.

    Returns:
        The table; `counts()` and `notes` say what was found.

    Raises:
        FileError: a file that cannot be read, with its line.
        InputError: scores that clash, two files of one model, an item in two groups, or scores
            outside `bounds`.
    """
    if duplicates not in get_args(Duplicates):
        raise ArgumentError(f"`duplicates` must be error, mean, first or last, got {duplicates!r}.")
    if form not in get_args(Form):
        raise ArgumentError(f"`form` must be auto, long or wide, got {form!r}.")
    tables, notes = _open(source)
    parts: list[pl.DataFrame] = []
    nameless: dict[str, Source] = {}
    for origin, table in tables:
        long = to_long(table, origin.model, metric=metric, form=form, columns=columns)
        _require_own_name(origin, long, nameless)
        parts.append(long.rows.select(COLUMNS).with_columns(pl.lit(str(origin.path)).alias("file")))
        notes += long.notes
    rows = pl.concat(parts)
    if metric is not None:
        rows = _keep_metric(rows, metric)
    items = _items(rows)
    rows, n_duplicates = _without_duplicates(rows, duplicates)
    by_metric = _bounds(bounds, rows)
    notes += _notes(rows, items, len(tables))
    return ScoreTable(
        rows=rows.select(*KEY, "score", "status").sort(KEY),
        items=items,
        n_duplicates=n_duplicates,
        notes=tuple(notes),
        bounds=by_metric,
    )


def _open(source: Any) -> tuple[list[tuple[Source, RawTable]], list[Note]]:  # noqa: ANN401
    if not isinstance(source, str | Path | Mapping) and not _is_paths(source):
        try:
            table = nw.from_native(source, eager_only=True).to_polars()
        except (TypeError, ValueError) as error:
            raise InputError(
                f"Scores must be paths or a pandas, polars or pyarrow table, got "
                f"{type(source).__name__} ({error})."
            ) from error
        path = Path("<table>")
        return [(Source(path, "parquet", "model", named=False), from_polars(table, path))], []
    sources, skipped = find_sources(source)
    notes = []
    if skipped:
        notes.append(Note("files-aside", f"Files that hold no table: {shown(skipped)}."))
    return [(origin, read_table(origin)) for origin in sources], notes


def _is_paths(source: object) -> bool:
    return isinstance(source, Sequence) and all(isinstance(path, str | Path) for path in source)


def _require_own_name(origin: Source, long: Long, nameless: dict[str, Source]) -> None:
    """Refuse two files that would both be named after their like-named files."""
    if long.names_models:
        return
    other = nameless.setdefault(origin.model, origin)
    if other is not origin:
        raise InputError(
            f"Two files would both be model {origin.model!r}: {other.path} and {origin.path}. "
            "Name them, as in NAME=PATH, or add a `model` column.",
            model=origin.model,
        )


def _keep_metric(rows: pl.DataFrame, metric: str) -> pl.DataFrame:
    kept = rows.filter(pl.col("metric") == metric)
    if kept.height == 0:
        have = sorted(rows["metric"].unique())
        raise InputError(f"No metric {metric!r} here; there are {shown(have, 8)}.", metric=metric)
    return kept


def _items(rows: pl.DataFrame) -> pl.DataFrame:
    """Gather what is known of each item, and refuse what contradicts itself."""
    facts = ["task", "group", "weight"]
    items = rows.group_by("item").agg(
        *[pl.col(name).drop_nulls().unique().sort().alias(name) for name in facts]
    )
    for name in facts:
        split = items.filter(pl.col(name).list.len() > 1).sort("item")
        if split.height:
            item, values = split["item"][0], split[name][0].to_list()
            raise InputError(
                f"{split.height} items have more than one {name} (first: item {item!r}, "
                f"{shown(values)}). Ids must be distinct over all of the scores; put the {name} "
                "in front of the id if they are not.",
                items=split["item"].to_list(),
            )
    return items.with_columns(pl.col(name).list.first() for name in facts).sort("item")


def _without_duplicates(rows: pl.DataFrame, duplicates: Duplicates) -> tuple[pl.DataFrame, int]:
    """Keep one row an (item, model, metric), and count those that said the same again."""
    distinct = rows.unique([*KEY, "score", "status"], keep="first", maintain_order=True)
    n_same = rows.height - distinct.height
    if not distinct.select(KEY).is_duplicated().any():
        return distinct, n_same
    if duplicates == "error":
        clash = distinct.filter(distinct.select(KEY).is_duplicated())
        first = clash.filter(
            (pl.col("item") == clash["item"][0])
            & (pl.col("model") == clash["model"][0])
            & (pl.col("metric") == clash["metric"][0])
        )
        places = [f"{file}:{line}" for file, line in first.select("file", "line").rows()]
        raise InputError(
            f"{clash.select(KEY).n_unique()} items have scores that clash (first: item "
            f"{first['item'][0]!r}, model {first['model'][0]!r}: "
            f"{shown([_said(row) for row in first.select('score', 'status').rows()])}, at "
            f"{', '.join(places[:3])}). Mend the file, or say which to take: --duplicates mean, "
            "first or last.",
        )
    picks = {"mean": pl.col("score").mean(), "first": None, "last": None}
    if duplicates == "mean":
        kept = rows.group_by(KEY, maintain_order=True).agg(
            picks["mean"], pl.col("status").sort().first(), pl.exclude("score", "status").first()
        )
        scored = pl.when(pl.col("score").is_not_null()).then(pl.lit("scored"))
        kept = kept.with_columns(scored.otherwise(pl.col("status")).alias("status"))
        return kept.select(rows.columns), rows.height - kept.height
    kept = rows.unique(KEY, keep=duplicates, maintain_order=True)
    return kept, rows.height - kept.height


def _said(row: tuple[float | None, str]) -> str:
    return row[1] if row[0] is None else f"{row[0]:g}"


def _bounds(
    bounds: tuple[float, float] | Mapping[str, tuple[float, float]] | None, rows: pl.DataFrame
) -> dict[str, tuple[float, float]]:
    """Give the bounds by metric, checked against the scores."""
    metrics = sorted(rows["metric"].unique())
    if bounds is None:
        return {}
    by_metric = dict(bounds) if isinstance(bounds, Mapping) else dict.fromkeys(metrics, bounds)
    for metric, (low, high) in by_metric.items():
        if not low < high:
            raise ArgumentError(f"`bounds` must go up, got {low:g}..{high:g} for {metric!r}.")
        beyond = rows.filter(
            (pl.col("metric") == metric) & ((pl.col("score") < low) | (pl.col("score") > high))
        )
        if beyond.height:
            first = beyond.row(0, named=True)
            raise InputError(
                f"{beyond.height} scores of metric {metric!r} lie outside {low:g}..{high:g} "
                f"(first: {first['score']:g}, model {first['model']!r}, item {first['item']!r}). "
                "Another scale, or wrong bounds?",
            )
    return by_metric


def _notes(rows: pl.DataFrame, items: pl.DataFrame, n_files: int) -> list[Note]:
    notes: list[Note] = []
    spread = rows.group_by("model").agg(pl.col("file").n_unique()).filter(pl.col("file") > 1)
    if n_files > 1 and spread.height:
        names = sorted(spread["model"])
        notes.append(Note("split-model", f"Scores of {shown(names)} come from several files."))
    twins = unicode_twins(items["item"])
    if twins:
        notes.append(
            Note(
                "unicode-twins",
                f"{len(twins)} pairs of ids look the same and are not (first: {twins[0][0]!r}, "
                f"{twins[0][1]!r}); they are kept as two items.",
            )
        )
    return notes + _hole_notes(rows, items)


def _hole_notes(rows: pl.DataFrame, items: pl.DataFrame) -> list[Note]:
    """Name the models that lack items, and say if it looks like a run with a limit."""
    per_model = rows.group_by("model").agg(pl.col("item").unique()).sort("model")
    notes = []
    everything = set(items["item"])
    for model, have in per_model.iter_rows():
        absent = everything.difference(have)
        if not absent:
            continue
        prefix = set(have) == {str(number) for number in range(len(have))}
        limit = " These are the first ones: a run with a limit?" if prefix else ""
        notes.append(
            Note(
                "holes",
                f"Model {model!r} has {len(have)} of {len(everything)} items, first missing: "
                f"{min(absent)!r}.{limit}",
            )
        )
    return notes

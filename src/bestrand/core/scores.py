"""Scores: the long table of everything that was read, and the matrix of one metric."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from io import BytesIO
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import polars as pl

from bestrand.core.bounds import require_one_scale, seen_bounds, unit_bounds
from bestrand.core.frame import Frame
from bestrand.core.runs import RunFacts, source_of
from bestrand.core.summary import Counts, Summary
from bestrand.errors import ArgumentError, InputError
from bestrand.files import write_whole
from bestrand.ids import explain_mismatch
from bestrand.notes import Note, shown
from bestrand.settings import several_names
from bestrand.types import BoolArray, FloatArray, IntArray, Weighting


Unknown = Literal["error", "nan"]
HOLES = ("shards", "errors-as-missing")  # notes on reading that say why scores may be missing


@dataclass(frozen=True, eq=False)
class ScoreMatrix:
    """Scores of one metric, models by items.

    Attributes:
        frame: the N items, in their order.
        models: L names, distinct.
        values: (L, N) in the metric's own unit; nan where there is no score, never 0.
        metric: its name.
        bounds: lowest and highest score possible, or None where they are not known and the scores
            are not all within 0..1, or where the metric lacks one of them.
        open_ended: whether the metric was said to have no upper or lower bound, as costs. All
            scores are on one scale then, and scores within 0..1 tell no bounds.
    """

    frame: Frame
    models: tuple[str, ...]
    values: FloatArray
    metric: str = "score"
    bounds: tuple[float, float] | None = None
    open_ended: bool = False

    def __post_init__(self) -> None:
        values = np.asarray(self.values, dtype=np.float64).view()
        values.flags.writeable = False
        object.__setattr__(self, "values", values)
        if self.values.shape != (len(self.models), self.frame.n):
            raise InputError(
                f"`values` must be models by items, ({len(self.models)}, {self.frame.n}), "
                f"got {self.values.shape}."
            )
        if len(set(self.models)) < len(self.models):
            twice = sorted({model for model in self.models if self.models.count(model) > 1})
            raise InputError(
                f"Model names must be distinct; {shown(twice)} come more than once. Rename them."
            )
        if np.isinf(self.values).any():
            raise InputError("Scores must be finite, or nan where there is none; some are inf.")

    @property
    def missing(self) -> BoolArray:
        """(L, N) True where there is no score."""
        return np.isnan(self.values)

    def full_scores(self) -> FloatArray:
        """Each model's full score, sum of weight * score; nan where a score is missing; (L,)."""
        return np.asarray(self.values @ self.frame.weights, dtype=np.float64)

    def take_models(self, models: Sequence[str]) -> "ScoreMatrix":
        """Keep these models, in this order.

        Raises:
            ArgumentError: a text, where a list of names is due, or a name that is no text.
            InputError: a name that is not here.
        """
        models = several_names(models, "models")
        position = {model: row for row, model in enumerate(self.models)}
        unknown = [model for model in models if model not in position]
        if unknown:
            raise InputError(
                f"No scores of model {shown(unknown)}; there are {shown(list(self.models), 8)}.",
                models=unknown,
            )
        rows = [position[model] for model in models]
        return replace(self, models=tuple(models), values=self.values[rows])

    def take_items(self, items: Sequence[str], *, unknown: Unknown = "error") -> "ScoreMatrix":
        """Keep these items, in this order, with their groups; weights are scaled to sum 1 again.

        Args:
            items: ids, distinct.
            unknown: what to do about ids that are not here: "error" refuses them; "nan" gives
                them nan for every model. As their group and weight are not known, the items then
                have no groups and weigh the same.

        Raises:
            ArgumentError: an unknown `unknown`, or ids that are no text.
            InputError: an id that is not here, an id twice, or the weights of all of them are 0.
        """
        if unknown not in get_args(Unknown):
            raise ArgumentError(f"`unknown` must be error or nan, got {unknown!r}.")
        items = _distinct(items)
        positions = self.frame.positions
        columns: IntArray = np.array([positions.get(item, -1) for item in items], dtype=np.int64)
        absent = [item for item in items if item not in positions]
        if absent and unknown == "error":
            raise InputError(
                f"{len(absent)} of {len(items)} items asked for have no scores here: "
                f"{shown(absent)}.{explain_mismatch(items, self.frame.items)} Leave them out, or "
                'take them as unscored with unknown="nan".',
                items=absent,
            )
        values = self.values[:, columns]
        values[:, columns < 0] = np.nan
        if items == self.frame.items:
            return replace(self, values=values)
        frame = _plain_frame(items) if absent or not items else self.frame.take(columns)
        return replace(self, frame=frame, values=values)

    def scaled(self) -> FloatArray:
        """Return the scores on 0..1, by the bounds or, where there are none, by what was seen."""
        low, width = self.span
        return (self.values - low) / width

    @property
    def span(self) -> tuple[float, float]:
        """Lowest score and width of the scale, by the bounds or, without them, by what was seen."""
        low, high = self.bounds or seen_bounds(self.values)
        return low, high - low


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Scores as they were read: any number of models and metrics, and what could not be scored.

    Make one with `bestrand.read_scores`.

    Attributes:
        rows: one a (item, model, metric): `item`, `model`, `metric`, `score` (null where there is
            none) and `status` ("scored", "errored" or "unscored").
        items: one an item, ascending: `item`, `task`, `group`, `weight` (null where unknown).
        n_duplicates: rows that repeated an earlier row word for word.
        notes: what a reader should know.
        bounds: lowest and highest score possible of the metrics for which somebody said; infinite
            where there is none, as of costs.
        faults: errors of rows, in words: `item`, `model`, `metric`, `fault`; without those that
            were settled as 0. None where that was not checked.
        contents: digests of what each item and prompt was, where logs say so: `item`, `model`,
            `document`, `prompt` (null where not known); None without any.
        runs: what the logs say of each run; empty for tables.
        duplicates: items that came more than once with the same score: `item`, `model`; None
            where that was not checked.
    """

    rows: pl.DataFrame
    items: pl.DataFrame
    n_duplicates: int = 0
    notes: tuple[Note, ...] = ()
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    faults: pl.DataFrame | None = None
    contents: pl.DataFrame | None = None
    runs: tuple[RunFacts, ...] = ()
    duplicates: pl.DataFrame | None = None

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models, ascending."""
        return tuple(self.rows["model"].unique().sort())

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of the metrics, ascending, "score" first."""
        names = self.rows["metric"].unique().to_list()
        return tuple(sorted(names, key=lambda name: (name != "score", name)))

    @property
    def groups(self) -> tuple[str, ...]:
        """Names of the groups, ascending; empty where there are none."""
        return tuple(self.items["group"].drop_nulls().unique().sort())

    def counts(self, metric: str | None = None) -> Counts:
        """Count by what became of them, over one metric or all."""
        rows = self.rows if metric is None else self.rows.filter(pl.col("metric") == metric)
        by_status = dict(rows.group_by("status").len().iter_rows())
        cells = self._cells(rows)
        return Counts(
            scored=by_status.get("scored", 0),
            missing=cells - rows.height,
            errored=by_status.get("errored", 0),
            unscored=by_status.get("unscored", 0),
            duplicate=self.n_duplicates,
        )

    def _cells(self, rows: pl.DataFrame) -> int:
        """Return how many scores there could be: a task has the metrics of its rows."""
        if self.items["task"].n_unique() < 2:
            return self.items.height * rows.select("model", "metric").n_unique()
        sizes = dict(self.items.group_by("task").len().iter_rows())
        of_tasks = rows.join(self.items.select("item", "task"), on="item")
        metrics = of_tasks.select("task", "metric").unique()
        models = rows["model"].n_unique()
        return sum(sizes[task] * models for task in metrics["task"])

    def summary(self) -> Summary:
        """Return what was read."""
        return Summary(
            models=self.models,
            items=self.items.height,
            groups=self.groups,
            metrics=self.metrics,
            counts=self.counts(),
            notes=self.notes,
        )

    def take_metric(self, metric: str | None = None) -> str:
        """Name the metric meant: the one given, or "score", or the only one.

        Raises:
            InputError: the metric is not here, or none was given and there are several.
        """
        have = self.metrics
        if metric in have:
            return metric
        if metric is not None:
            raise InputError(
                f"No metric {metric!r} here; there are {shown(list(have), 8)}.",
                metric=metric,
            )
        if "score" in have or len(have) == 1:
            return have[0]
        raise InputError(
            f"There are {len(have)} metrics, {shown(list(have), 8)}. Say which with "
            "--metric (metric=).",
            metrics=have,
        )

    def frame(self, weighting: Weighting | None = None) -> Frame:
        """Take the items as a frame.

        Args:
            weighting: "micro", "macro" or "explicit" (the `weight` column); None means "explicit"
                where there is such a column and "micro" elsewhere.

        Raises:
            InputError: groups or weights are asked for and some item has none.
        """
        numbers = self._whole_column("weight") if weighting in (None, "explicit") else None
        return Frame.of(
            self.items["item"].to_list(),
            groups=self._whole_column("group"),
            tasks=self._whole_column("task"),
            weights=numbers,
            weighting=weighting,
            hashes=self._hashes(),
            source=source_of(self.runs),
        )

    def matrix(
        self, metric: str | None = None, *, weighting: Weighting | None = None
    ) -> ScoreMatrix:
        """Take the scores of one metric as a matrix; whatever has no score is nan.

        Raises:
            InputError: no such metric, models on different scales, or groups or weights that are
                asked for and not there.
        """
        name = self.take_metric(metric)
        frame = self.frame(weighting)
        rows = self.rows.filter(pl.col("metric") == name)
        models = tuple(rows["model"].unique().sort())
        values = np.full((len(models), frame.n), np.nan)
        model_code = pl.DataFrame({"model": models, "row": range(len(models))})
        item_code = pl.DataFrame({"item": frame.items, "column": range(frame.n)})
        scored = (
            rows.filter(pl.col("status") == "scored")
            .join(model_code, on="model")
            .join(item_code, on="item")
        )
        values[scored["row"].to_numpy(), scored["column"].to_numpy()] = scored["score"].to_numpy()
        bounds = self.bounds.get(name)
        if bounds is not None and not np.isfinite(bounds).all():
            return ScoreMatrix(frame, models, values, name, open_ended=True)
        require_one_scale(models, list(values), name, bounds)
        bounds = bounds or unit_bounds(values)
        return ScoreMatrix(frame, models, values, name, bounds)

    def write(self, path: str | Path, *, force: bool = False) -> None:
        """Write the table as Parquet, to be read by `read_scores` again; bounds are not written.

        Scores stand as they were settled: 0 with `errors="zero"`, empty with "missing". Errors that
        were kept are a column `fault`, so that they are counted and noted again.

        Raises:
            OutputError: the folder does not exist, or other content stands there and `force` is
                not given.
        """
        write_whole(Path(path), self.to_parquet(), force=force)

    def to_parquet(self) -> bytes:
        """Return what `write` writes."""
        never_run = self.items.join(self.rows, on="item", how="anti").select(
            "item",
            pl.lit(self.models[0]).alias("model"),
            pl.lit(self.metrics[0]).alias("metric"),
            pl.lit(None, pl.Float64).alias("score"),
            pl.lit("missing").alias("status"),
        )
        rows = pl.concat([self.rows, never_run])
        table = rows.join(self.items, on="item", how="left", maintain_order="left")
        if self.faults is not None and self.faults.height:
            key = ["item", "model", "metric"]
            table = table.join(self.faults, on=key, how="left", maintain_order="left")
        buffer = BytesIO()
        table.write_parquet(buffer, compression="zstd")
        return buffer.getvalue()

    def _hashes(self) -> list[str | None] | None:
        """Return the digest of each item's content; None where no log says any."""
        if self.contents is None:
            return None
        known = self.contents.drop_nulls("document").unique("item", keep="first")
        found = dict(known.select("item", "document").iter_rows())
        return [found.get(item) for item in self.items["item"]] if found else None

    def _whole_column(self, name: str) -> list[Any] | None:
        """Take a column that every item has; None where none has it."""
        column = self.items[name]
        n_empty = column.null_count()
        if n_empty == column.len():
            return None
        if n_empty:
            lacking = self.items.filter(pl.col(name).is_null())["item"].to_list()
            raise InputError(
                f"{n_empty} of {column.len()} items have no {name}: {shown(lacking)}. "
                f"Give every item a {name}, or none.",
                items=lacking,
            )
        return column.to_list()


def why_missing(scores: object) -> str:
    """Return what was noted on reading that may explain missing scores, to append to a message."""
    notes = scores.notes if isinstance(scores, ScoreTable) else ()
    return "".join(f" {note.text}" for note in notes if note.code in HOLES)


def notes_of(scores: "ScoreTable | ScoreMatrix") -> tuple[Note, ...]:
    """Return the notes on what was read; none of a matrix."""
    return scores.notes if isinstance(scores, ScoreTable) else ()


def matrix_of(
    scores: ScoreTable | ScoreMatrix,
    metric: str | None,
    *,
    weighting: Weighting | None = None,
) -> ScoreMatrix:
    """Take the matrix of one metric, of a table or a matrix; default: its own weights.

    Raises:
        InputError: no such metric, or weights that are asked for and not there.
    """
    if isinstance(scores, ScoreTable):
        return scores.matrix(metric, weighting=weighting)
    if metric not in (None, scores.metric):
        raise InputError(f"No metric {metric!r} here; this matrix holds {scores.metric!r}.")
    if weighting is None or weighting == scores.frame.weighting:
        return scores
    return replace(scores, frame=scores.frame.reweighted(weighting))


def _distinct(items: Sequence[str]) -> tuple[str, ...]:
    """Require ids, each once."""
    if isinstance(items, str):
        raise InputError(f"`items` must be several ids, got the text {items!r}. Give a list.")
    taken = several_names(items, "items")
    if len(set(taken)) < len(taken):
        twice = sorted({item for item, count in Counter(taken).items() if count > 1})
        raise InputError(
            f"The items asked for must be distinct; {shown(twice)} come more than once.",
            items=twice,
        )
    return taken


def _plain_frame(items: Sequence[str]) -> Frame:
    weights = np.full(len(items), 1.0 / max(len(items), 1))
    return Frame(tuple(items), None, None, weights, "micro")

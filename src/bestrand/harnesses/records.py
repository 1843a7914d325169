"""Runs made into the long rows that tables give, once their means equal the harness's totals."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from bestrand.core.runs import RunFacts
from bestrand.errors import InputError
from bestrand.harnesses.base import MANIFEST_KEY, LogPart, Run, Total
from bestrand.notes import Note, shown
from bestrand.reading.merge import Read
from bestrand.reading.paths import Source
from bestrand.reading.raw import RawTable
from bestrand.reading.rows import Long


RUN_NAME = re.compile(rf"{MANIFEST_KEY}-([0-9a-f]{{12}})(?![0-9a-f])")

SCHEMA = {
    "item": pl.String,
    "metric": pl.String,
    "score": pl.Float64,
    "status": pl.String,
    "fault": pl.String,
    "repeat": pl.String,
    "filter": pl.String,
    "group": pl.String,
    "document": pl.String,
    "prompt": pl.String,
    "line": pl.Int64,
}


def to_reads(
    run: Run,
    *,
    check_totals: bool = True,
    unfinished: bool = False,
    metrics: Sequence[str] | None = None,
) -> Iterator[tuple[Source, Read]]:
    """Make what `gather` takes of a run, one a file and task, each with its source.

    Args:
        run: as a harness read it.
        check_totals: whether a mean that differs from the harness's own total is refused.
        unfinished: whether a run that did not end is read.
        metrics: those wanted, by name or as `name,filter`.

    Raises:
        InputError: a total differs, the run did not end, or it has no score an item.
    """
    if run.unfinished and not unfinished:
        raise InputError(
            f"{run.parts[0].path}: the run of model {run.model!r} did not end ({run.unfinished}). "
            "Let it end, or read what is there: --unfinished (unfinished=True).",
            model=run.model,
        )
    wanted = [name for name in run.unusable if name in (metrics or ())]
    if wanted:
        raise InputError(_why_unusable(run, wanted[0]), metric=wanted[0])
    frames = [(part, to_frame(part)) for part in run.parts if part.rows]
    if not frames:
        raise InputError(_why_empty(run), model=run.model)
    notes = list(run.notes)
    if run.unfinished:
        text = f"The run of model {run.model!r} did not end: {run.unfinished}."
        notes.append(Note("unfinished", text))
    every = pl.concat([rows.with_columns(task=pl.lit(part.task)) for part, rows in frames])
    wrong = [said for total in run.totals if (said := _difference(run, total, every))]
    for task, n in run.ran.items():
        of_task = every.filter(pl.col("task") == task)
        got = of_task.select("item", "document").n_unique()  # one id of two documents is two
        if got not in (0, n):  # 0: no metric of the task has a score an item
            wrong.append(f"task {task!r} has {got} items, and {n} ran by the harness.")
    if wrong and check_totals:
        raise InputError(
            f"{run.parts[0].path}: model {run.model!r}: {wrong[0]} The log is wrong or was misread"
            f"{_others(wrong)}. Read it without this check: --no-total-check (check_totals=False).",
            model=run.model,
            totals=wrong,
        )
    if wrong:
        text = f"{len(wrong)} totals of model {run.model!r} differ from what was read: {wrong[0]}"
        notes.append(Note("totals-differ", text))
    if run.unusable:
        text = f"{run.parts[0].path}: metrics without a score for each item are left aside: "
        notes.append(Note("metrics-aside", text + f"{_unusable(run)}."))
    for number, (part, rows) in enumerate(frames):
        source = Source(part.path, "jsonl", part.named or run.model, named=bool(part.named))
        yield source, _read(run, part, rows, notes if number == 0 else [])


def to_frame(part: LogPart) -> pl.DataFrame:
    """Make a frame of rows, with items as they are called outside of the harness."""
    rows = pl.DataFrame(part.rows, schema=SCHEMA, orient="row")
    if not part.task:
        return rows
    return rows.with_columns(item=pl.lit(f"{part.task}:") + pl.col("item"))


def _read(run: Run, part: LogPart, rows: pl.DataFrame, notes: Sequence[Note]) -> Read:
    lines = rows["line"].to_list()
    has_lines = None not in lines
    table = RawTable({"item": rows["item"]}, part.path, lines if has_lines else None)
    task = part.task or None
    long = rows.drop("line").with_columns(
        pl.lit(run.model).alias("model"),
        pl.lit(task, pl.String).alias("task"),
        pl.col("group").fill_null(pl.lit(task, pl.String)),
        pl.lit(None, pl.Float64).alias("weight"),
        pl.int_range(rows.height).alias("row"),
    )
    return Read(table, {}, Long(long, names_models=True, notes=tuple(notes)), is_log=True)


def _difference(run: Run, total: Total, every: pl.DataFrame) -> str:
    """Say by how much a total differs from what was read; "" where it does not."""
    rows = every.filter(pl.col("metric") == total.metric)
    if total.task is not None:
        rows = rows.filter(pl.col("task") == total.task)
    if total.filter is not None:
        rows = rows.filter(pl.col("filter") == total.filter)
    if total.errors == "zero":
        rows = rows.with_columns(
            score=pl.when(pl.col("status") == "errored").then(0.0).otherwise("score")
        )
    if total.over == "items":
        rows = rows.group_by("item").agg(pl.col("score").mean())
    scores = rows["score"].drop_nulls().to_list()
    read = math.fsum(scores) if total.over == "sum" else _mean(scores)
    if math.isnan(total.value) and math.isnan(read):
        return ""
    if abs(read - total.value) <= total.tolerance * max(1.0, abs(total.value)):
        return ""
    what = "sum" if total.over == "sum" else "mean"
    where = f" of task {total.task!r}" if total.task else ""
    by = f" by filter {total.filter!r}" if total.filter else ""
    return (
        f"the {what} of {total.metric!r}{by}{where} is {read:.6g} over the {len(scores)} rows that "
        f"were read, and {total.value:.6g} by the harness."
    )


def _mean(scores: list[float]) -> float:
    return math.fsum(scores) / len(scores) if scores else math.nan


def _others(wrong: Sequence[str]) -> str:
    return f" ({len(wrong)} totals differ)" if len(wrong) > 1 else ""


def _why_empty(run: Run) -> str:
    paths = shown([str(part.path) for part in run.parts])
    if run.unusable:
        return f"{paths}: no metric has a score for each item: {_unusable(run)}."
    return f"{paths}: the run of model {run.model!r} has no rows. Did it end before its first item?"


def _why_unusable(run: Run, metric: str) -> str:
    usable = sorted({row.metric for part in run.parts for row in part.rows})
    other = f" Usable: {shown(usable, 8)}." if usable else ""
    return f"{run.parts[0].path}: metric {metric!r} {run.unusable[metric]}.{other}"


def _unusable(run: Run) -> str:
    return "; ".join(f"{name!r} {why}" for name, why in sorted(run.unusable.items()))


def facts_of(run: Run, model: str) -> RunFacts:
    """Take what a log says of the run itself; `model` is its name here."""
    paths = tuple(dict.fromkeys(str(part.path) for part in run.parts))
    return RunFacts(
        model=model,
        harness=run.harness,
        harness_version=run.harness_version,
        tasks=tuple(sorted({part.task for part in run.parts if part.task})),
        sizes=dict(run.sizes),
        versions=dict(run.versions),
        digest=run.digest or _named_digest(paths),
        paths=paths,
        lower_is_better=tuple(sorted(run.lower_is_better)),
    )


def _named_digest(paths: Sequence[str]) -> str:
    """Return the first letters of the digest in the name that an export gave the run, or ""."""
    found = {match[1] for path in paths for match in RUN_NAME.finditer(path)}
    return found.pop() if len(found) == 1 else ""


def known_bounds(
    declared: Sequence[Mapping[str, tuple[float, float]]],
    reads: Sequence[Read],
    metrics: Sequence[str] | None,
) -> dict[str, tuple[float, float]] | None:
    """Give the bounds of metrics that are there and of which all logs say the same.

    Args:
        declared: by metric, of each log.
        reads: what was read; tables declare nothing.
        metrics: those wanted, by name or as `name,filter`; None: all.
    """
    if not declared or not all(read.is_log for read in reads):
        return None
    there = set(pl.concat([read.long.rows["metric"] for read in reads]).unique())
    found = {}
    for name in there if metrics is None else metrics:
        metric = name if name in there else name.rpartition(",")[0]
        said = {of_run[metric] for of_run in declared if metric in of_run}
        if len(said) == 1 and metric in there:
            found[name] = said.pop()
    return found or None

"""The door of reading: files or data frames in, one checked table of scores out."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, get_args

import polars as pl

from bestrand.core.scores import ScoreTable
from bestrand.errors import ArgumentError, InputError
from bestrand.harnesses.base import Run
from bestrand.harnesses.find import read_runs, sort_files
from bestrand.harnesses.records import facts_of, known_bounds, to_reads
from bestrand.harnesses.registry import HARNESSES
from bestrand.notes import Note, shown
from bestrand.reading.chosen import (
    ColumnChoice,
    Columns,
    require_known,
    take_apart,
    without_columns,
)
from bestrand.reading.columns import find_roles
from bestrand.reading.faults import ErrorPolicy
from bestrand.reading.frames import PLACE, from_frame, is_columns
from bestrand.reading.merge import Bounds, Duplicates, Read, gather
from bestrand.reading.paths import Given, Source, list_files, to_sources
from bestrand.reading.raw import RawTable
from bestrand.reading.remarks import aside_notes
from bestrand.reading.rows import Form, Long, to_long
from bestrand.reading.shards import Part, like_named, looks_like_part, shard_notes
from bestrand.reading.tables import read_table


def read_scores(
    source: str  # noqa: ANN401
    | Path
    | Sequence[str | Path]
    | Mapping[str, str | Path | Sequence[str | Path]]
    | Any,
    *,
    metric: str | Sequence[str] | None = None,
    form: Form = "auto",
    columns: Columns | None = None,
    bounds: Bounds = None,
    duplicates: Duplicates = "error",
    errors: ErrorPolicy = "keep",
    filter: str | None = None,
    check_totals: bool = True,
    unfinished: bool = False,
) -> ScoreTable:
    """Read per-item scores.

    Ids are text, exactly as written; a whole number is its digits. Nothing is dropped or filled
    in without being counted.

    Args:
        source: logs of a harness, or tables: a file, several, a folder, a mapping from model name
            to file, to a folder or to the
            several files of one model's run, or a pandas, polars or pyarrow table. Parquet, Arrow
            IPC, CSV, TSV, JSON lines and JSON lists of rows, also packed with gzip, zstd, bzip2 or
            xz. Long form: columns `item`, `score`, and `model`, `metric`, `group`,
            `task`, `weight`, `status`, `error` where there are; a file without `model` is one
            model's and named after it. Wide form: an item a row, a column a model.
        metric: keep this metric, or these, alone; default: all. Where rows have a `filter`,
            as "exact_match,strict-match" the metric by that filter.
        form: "long" or "wide" where it is not to be guessed.
        columns: role -> column name, as `{"item": "qid", "score": "acc"}`. Beside the roles,
            "aside" names columns, models or items to leave out, and "keep" those that are models
            or items though they are called, or computed, like a summary or a fact about items;
            one name or a list.
        bounds: lowest and highest score possible, of all metrics or by metric; infinite where
            there is none, as in (0, inf) for costs.
        duplicates: what to do with two different scores of one item, model and metric: refuse
            ("error"), or take the mean, the first or the last. Equal ones are kept once.
        errors: what a row counts as that has an error, or a status that is not known: "keep" takes
            its score as it stands, with a note, and where it has none it is errored; "zero" counts
            it as 0; "missing" as errored, without a score; "refuse" raises.
        filter: by which a harness took the answers, where there are several; default: the first
            in file order, with a note. Scores by several filters are never averaged.
        check_totals: whether the mean of what a log holds must be the total that the harness gave.
        unfinished: whether logs of runs that did not end are read, as far as they go.

    Returns:
        The table; `counts()` and `notes` say what was found.

    Raises:
        FileError: a file that cannot be read, with its line.
        InputError: no scores, scores that clash, two files of one model, an item in two groups,
            one id for several documents, a mean that is not the total in the log, a run
            that did not end, scores outside
            `bounds`, or errors with `errors="refuse"`.
        ArgumentError: an unknown choice, `bounds` that are none, or `form` and `columns` that
            contradict each other.
    """
    if duplicates not in get_args(Duplicates):
        raise ArgumentError(f"`duplicates` must be error, mean, first or last, got {duplicates!r}.")
    if errors not in get_args(ErrorPolicy):
        raise ArgumentError(f"`errors` must be keep, zero, missing or refuse, got {errors!r}.")
    if form not in get_args(Form):
        raise ArgumentError(f"`form` must be auto, long or wide, got {form!r}.")
    metrics = (metric,) if isinstance(metric, str) else None if metric is None else tuple(metric)
    chosen = take_apart(columns)
    opened = _open(source, chosen, as_tables=form != "auto" or "item" in chosen.roles)
    owners = _Owners({}, {})
    reads: list[Read] = []
    parts: list[Part] = []
    runs, scales = [], []
    for run in opened.runs:
        of_run = to_reads(run, check_totals=check_totals, unfinished=unfinished, metrics=metrics)
        for origin, read in of_run:
            reads.append(read._replace(long=_with_own_name(origin, read.long, owners)))
        runs.append(facts_of(run, reads[-1].long.rows["model"][0]))
        scales.append(run.bounds)
    for origin, whole in opened.tables:
        table = without_columns(whole, chosen)
        long = to_long(table, origin.model, metrics=metrics, form=form, columns=chosen)
        roles = find_roles(table, chosen.roles)
        reads.append(Read(table, roles, _with_own_name(origin, long, owners)))
        if looks_like_part(origin.model) and not (long.names_models or origin.named):
            parts.append(Part(origin, frozenset(long.rows["item"])))
    require_known(
        chosen,
        (name for _, whole in opened.tables for name in whole.columns),
        (name for read in reads for name in read.long.names),
    )
    gathered = gather(
        reads,
        (*opened.notes, *shard_notes(parts)),
        metrics=metrics,
        bounds=bounds if bounds is not None else known_bounds(scales, reads, metrics),
        duplicates=duplicates,
        errors=errors,
        keep=chosen.keep,
        filter=filter,
    )
    return replace(gathered, runs=tuple(runs))


class _Opened(NamedTuple):
    runs: Iterable[Run]
    tables: list[tuple[Source, RawTable]]
    notes: tuple[Note, ...]


class _Owners(NamedTuple):
    """Whose scores files hold, so far.

    Attributes:
        named: the file after which a model is named, by that name.
        said: by the user's NAME, a file of it and the model that the file names.
    """

    named: dict[str, Source]
    said: dict[str, tuple[Source, str]]


def _open(source: Any, chosen: ColumnChoice, *, as_tables: bool) -> _Opened:  # noqa: ANN401
    is_paths = (isinstance(source, str | Path | Mapping) and not is_columns(source)) or (
        isinstance(source, Sequence) and all(isinstance(path, str | Path) for path in source)
    )
    if not is_paths:
        table = from_frame(source, chosen.roles.values())
        return _Opened([], [(Source(PLACE, "parquet", "model", named=False), table)], ())
    files = sort_files(list_files(source), {} if as_tables else HARNESSES)
    beside = {file.folder for file in files.claimed} - {None}
    aside = [str(file.path) for file in files.aside]
    found = to_sources(
        [file for file in files.tables if file.folder not in beside], files.claimed + files.aside
    )
    tables = [(origin, read_table(origin, whole=False)) for origin in found.sources]
    for file in files.tables:
        if file.folder in beside:
            read = _table_of_scores(file)
            tables.extend(read)
            aside.extend([] if read else [str(file.path)])
    runs = (run for name, logs in files.logs.items() for run in read_runs(HARNESSES[name], logs))
    if not (files.logs or tables):
        raise InputError(f"No scores: {shown(aside)} belong to logs that are not here.")
    return _Opened(runs, tables, aside_notes([*found.aside, *aside]))


def _table_of_scores(file: Given) -> list[tuple[Source, RawTable]]:
    """Read a file that lies beside logs, if it says by its columns that it holds scores."""
    try:
        [origin] = to_sources([file]).sources
        table = read_table(origin, whole=False)
        roles = find_roles(table, {})
    except (InputError, ValueError):
        return []
    return [(origin, table)] if {"item", "score"} <= roles.keys() else []


def _with_own_name(
    origin: Source,
    long: Long,
    owners: _Owners,
) -> Long:
    """Settle whose scores these are, and refuse like-named files that are not told apart."""
    if not long.names_models:
        other = owners.named.setdefault(origin.model, origin)
        if other is not origin and not origin.named:
            raise InputError(
                f"Two files would both be model {origin.model!r}: {other.path} and {origin.path}. "
                "Name them, as in NAME=PATH, or add a `model` column. "
                f"{like_named(other, origin)}",
                model=origin.model,
            )
        return long
    if not origin.named:
        return long
    models = sorted(long.rows["model"].unique())
    if len(models) > 1:
        raise InputError(
            f"{origin.path} was named {origin.model!r} and holds scores of {len(models)} models, "
            f"{shown(models)}. Give it without a name.",
            models=models,
        )
    first_origin, first_model = owners.said.setdefault(origin.model, (origin, models[0]))
    if models[0] != first_model:
        raise InputError(
            f"{first_origin.path} and {origin.path} were both named {origin.model!r}, and hold "
            f"scores of {first_model!r} and {models[0]!r}. Files of one name are parts of one "
            "model's run: give each model a name of its own, or none.",
            models=[first_model, models[0]],
        )
    notes = long.notes
    if models[0] != origin.model:
        text = f"{origin.path}: model {models[0]!r} is called {origin.model!r} here, as named."
        notes = (*notes, Note("renamed-model", text))
    renamed = long.rows.with_columns(pl.lit(origin.model).alias("model"))
    return long._replace(rows=renamed, notes=notes)

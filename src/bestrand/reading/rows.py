"""Layouts: long or wide form, whatever its columns are called, made into long rows."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal, NamedTuple

import polars as pl

from bestrand.errors import ArgumentError, FileError
from bestrand.notes import Note, shown
from bestrand.reading.chosen import ColumnChoice, left_aside
from bestrand.reading.columns import (
    COST,
    RESULTS,
    SCORES,
    Roles,
    displaced,
    find_roles,
    is_unnamed,
    named_like,
)
from bestrand.reading.documents import documents
from bestrand.reading.facts import facts_aside, wide_form, without_other_scales
from bestrand.reading.faults import MISSING, with_status
from bestrand.reading.marks import Marks, find_marks
from bestrand.reading.raw import RawTable
from bestrand.reading.row_numbers import numbers_rows
from bestrand.reading.satellites import without_pairs, without_satellites
from bestrand.reading.summaries import without_summaries
from bestrand.reading.values import (
    is_numeric,
    stray_cell,
    to_errors,
    to_ids,
    to_scores,
    to_texts,
)
from bestrand.reading.verdicts import with_verdicts


Form = Literal["auto", "long", "wide"]


class Long(NamedTuple):
    """Rows of one file in long form.

    Attributes:
        rows: `item`, `model`, `metric`, `score`, `status`, `group`, `task`, `weight`, `row`,
            where in the table it was, `document`, which tells the item's content, `filter`, by
            which a harness took the answer, and `fault`, an error or a status not known.
        names_models: whether the file itself says whose scores they are.
        notes: what a reader should know.
        names: models and items, also those that were left aside, of which the user spoke.
    """

    rows: pl.DataFrame
    names_models: bool
    notes: tuple[Note, ...]
    names: frozenset[str] = frozenset()


def to_long(
    table: RawTable,
    model: str,
    *,
    metrics: tuple[str, ...] | None = None,
    form: Form = "auto",
    columns: ColumnChoice | None = None,
) -> Long:
    """Make long rows of a table.

    Long form has a score a row: an item column, a `model` column (not needed where the file is one
    model's), and a `score` column, or `metric` and `score`, or a column for each of several
    metrics. Wide form has an item a row and a column for each model.

    Args:
        table: as it was read.
        model: whose scores they are where no column says so.
        metrics: those wanted; they also tell a table of metric columns from wide form.
        form: "long" or "wide" where it is not to be guessed.
        columns: what the user says of columns.

    Raises:
        FileError: no item column, no scores, or values that are none.
        ArgumentError: `form` and `columns` contradict each other.
    """
    chosen = columns or ColumnChoice({})
    given = chosen.roles
    roles = find_roles(table, given)
    _require_form(table, form, roles, given)
    if is_unnamed(roles["item"]) and roles["item"] not in given.values():
        text = f"{table.path}: no column is called `item`; the one without a name was taken."
        table = replace(table, notes=(*table.notes, Note("nameless-items", text)))
    if metrics is not None:
        metrics = tuple(dict.fromkeys(_without_filter(name, table, roles) for name in metrics))
    table = with_verdicts(table, roles, metrics or ())
    is_long = form == "long" or (
        form == "auto"
        and ("model" in roles or "score" in roles or bool(set(metrics or ()) & set(table.columns)))
    )
    other = displaced(table, roles, given)
    if not is_long:
        return _wide(table, roles, metrics[0] if metrics else "score", other, chosen)
    roles = _without_metrics(roles, metrics or (), given)
    marks = _find_marks(table, roles, metrics or (), other)
    base = item_rows(table, roles).with_columns(
        _names(table, roles["model"], "model") if "model" in roles else pl.lit(model).alias("model")
    )
    scores = _scores(table, roles, metrics, [*other, *marks.taken, *marks.aside])
    rows = pl.concat([base.with_columns(name, score) for name, score in scores.by_metric])
    left = left_aside(with_status(rows, *_said(table, roles, marks)), chosen)
    kept = without_summaries(left.rows, f"{table.path}: ", keep=chosen.keep, unnamed=True)
    notes = (*table.notes, *left.notes, *_aside(table, scores, marks), *marks.notes, *kept.notes)
    return Long(kept.rows, "model" in roles, notes, left.names)


def _require_form(table: RawTable, form: Form, roles: Roles, given: Roles) -> None:
    """Refuse wide form for a table of which a column has the scores, or names the models.

    Raises:
        ArgumentError: `form` is "wide", and there is such a column.
    """
    role = next((role for role in ("score", "model") if role in roles), None)
    if form != "wide" or role is None:
        return
    name = roles[role]
    if role in given:
        raise ArgumentError(
            f"`columns` says that {name!r} is the {role} column, and form='wide' that each column "
            f"is a model's. Leave out one of them: a table with a {role} column is in long form."
        )
    what = "holds the scores" if role == "score" else "names the models"
    raise ArgumentError(
        f"{table.path}: column {name!r} {what}, by its name, and form='wide' says that each column "
        f"is a model's. Read it in long form; or, if {name!r} is no {role} column, leave it aside: "
        f"columns={{'aside': {name!r}}}."
    )


def item_rows(table: RawTable, roles: Roles) -> pl.DataFrame:
    """Take what each row says of its item: `item`, `group`, `task`, `weight`, `document`.

    Beside them stand `filter`, and `row`, where in the table it is.

    Raises:
        FileError: a row without an id, or values that are none.
    """

    def texts(role: str) -> pl.Series:
        if role not in roles:
            return pl.Series(role, [None] * table.n_rows, dtype=pl.String)
        return to_texts(table, roles[role]).alias(role)

    weight = (
        to_scores(table, roles["weight"])
        if "weight" in roles
        else pl.Series([None] * table.n_rows, dtype=pl.Float64)
    )
    return pl.DataFrame(
        [
            to_ids(table, roles["item"]).alias("item"),
            texts("group"),
            texts("task"),
            weight.alias("weight"),
            documents(table, roles),
            texts("filter"),
            pl.int_range(table.n_rows, eager=True).alias("row"),
        ]
    )


def _without_metrics(
    roles: Roles, metrics: tuple[str, ...], given: Mapping[str, str]
) -> dict[str, str]:
    """Take their role from columns of errors or statuses that are named as a metric."""
    named = {
        role for role in ("error", "status") if roles.get(role) in metrics and role not in given
    }
    return {role: name for role, name in roles.items() if role not in named}


def _find_marks(table: RawTable, roles: Roles, metrics: tuple[str, ...], other: list[str]) -> Marks:
    """Find what marks rows as failed, beside the scores that are known by name."""
    rest = [name for name in table.columns if name not in roles.values()]
    apart = {*numbers_rows(table, rest), *other, *metrics}
    named = [name for name in metrics if name in table.columns and name not in roles.values()]
    scores = [roles["score"]] if "score" in roles else named
    names = [name for name in rest if name not in apart]
    return find_marks(table, names, scores, roles)


def _without_filter(metric: str, table: RawTable, roles: Roles) -> str:
    """Take the metric out of `metric,filter`; a column of that whole name comes first."""
    name, comma, _ = metric.rpartition(",")
    there = name in table.columns or (name == "score" and "score" in roles)
    return name if comma and "filter" in roles and metric not in table.columns and there else metric


def _names(table: RawTable, column: str, role: str) -> pl.Series:
    """Take a column of names that no row may lack."""
    names = to_texts(table, column)
    if names.null_count():
        row = int(names.is_null().arg_max() or 0)
        raise table.error(row, f"{column!r} is empty. Name the {role} in every row.")
    return names.alias(role)


class _Scores(NamedTuple):
    by_metric: list[tuple[pl.Series | pl.Expr, pl.Series]]  # name or names of a metric, scores
    aside: list[str]


def _scores(
    table: RawTable, roles: Roles, metrics: tuple[str, ...] | None, other: list[str]
) -> _Scores:
    """Return the scores of each metric, and the columns that were left aside.

    The column of the role `score` is the metric of that name, and of its own name if so asked;
    one of `other`, which `columns=` put out of its role, is a metric only by its own name.
    """
    rest = [name for name in table.columns if name not in roles.values()]
    if "metric" in roles:
        if "score" not in roles:
            raise FileError(
                f"column {roles['metric']!r} names metrics, and there is no column `score`. Say "
                "which it is, as in --column score=NAME.",
                path=table.path,
            )
        names = _names(table, roles["metric"], "metric")
        return _Scores([(names, to_scores(table, roles["score"]).alias("score"))], rest)
    numbering = {*numbers_rows(table, rest), *other}
    if metrics is None and "score" not in roles:
        _require_no_strays(table, [name for name in rest if name not in numbering])
    there = {
        name: name
        for name in rest
        if name in (metrics or ()) or (name not in numbering and is_numeric(table, name))
    }
    if "score" in roles:
        column = roles["score"]
        own = {column: column} if column in (metrics or ()) else {}
        there = {"score": column} | own | {**there, "score": column}
    wanted = {name: column for name, column in there.items() if name in (metrics or there)}
    if not wanted:
        for name in (name for name in rest if not metrics and named_like(name, SCORES)):
            to_scores(table, name)  # says which value is none
        raise FileError(
            f"no column of scores; looked for "
            f"{shown(list(metrics)) if metrics else '`score`'} and columns of numbers, there are "
            f"{shown(list(there or table.columns), 12)}. Say which it is, as in "
            "--column score=NAME.",
            path=table.path,
        )
    if metrics is None and "score" not in roles:
        _require_no_cost_instead(table, list(wanted), [name for name in rest if name not in there])
    others = [name for name in there if name not in wanted]
    more = f" There are numbers in {shown(others, 8)}." if others else ""
    scores: list[tuple[pl.Series | pl.Expr, pl.Series]] = [
        (pl.lit(name).alias("metric"), to_scores(table, column, more).alias("score"))
        for name, column in wanted.items()
    ]
    return _Scores(scores, [name for name in rest if name not in there.values()])


def _require_no_strays(table: RawTable, names: list[str]) -> None:
    """Refuse a column that is numbers but for a few cells: another would be the metric instead."""
    for name in names:
        stray = None if is_numeric(table, name) else stray_cell(table, name)
        if stray is not None:
            raise table.error(
                stray.row,
                f"{name!r} is a column of numbers but for {stray.said()}, here). Leave a cell "
                "empty where there is no score; or, if the scores are in another column, say "
                "which, as in --column score=NAME.",
            )


def _require_no_cost_instead(table: RawTable, taken: list[str], aside: list[str]) -> None:
    """Refuse to take costs for the scores beside a column that is called like a score.

    Raises:
        FileError: there are no numbers but costs, and such a column has no numbers.
    """
    if not all(COST.search(name) for name in taken):
        return
    name = next((name for name in aside if named_like(name, (*SCORES, *RESULTS))), None)
    if name is None:
        return
    raise FileError(
        f"column {name!r} is called like a score and is no column of numbers, and the only numbers "
        f"are in {shown(taken, 8)}. Write the scores as numbers, as 1 and 0; or, if "
        f"{taken[0]!r} is the metric, name it: --metric {taken[0]} (metric=).",
        path=table.path,
    )


def _aside(table: RawTable, scores: _Scores, marks: Marks) -> list[Note]:
    """Name the columns left aside, and those of numbers with the cell that made them none."""
    aside = [name for name in scores.aside if name not in marks.taken]
    if not aside:
        return []
    text = f"{table.path}: columns left aside: {shown(aside, 8)}."
    for name in marks.again:
        text += f" {name!r} says the same as the scores; --metric {name} takes it as a metric."
    for name in aside:
        stray = stray_cell(table, name)
        if stray is not None:
            place = table.place(stray.row)
            text += f" {name!r} is numbers but for {stray.said()}, at {place})."
    return [Note("columns-aside", text)]


def _said(table: RawTable, roles: Roles, marks: Marks) -> tuple[pl.Series, pl.Series]:
    """Take what columns of statuses and of errors say of each row, and marks beside them."""
    none = pl.Series([None] * table.n_rows, dtype=pl.String)
    status = to_texts(table, roles["status"]) if "status" in roles else none
    status = pl.select(pl.when(~pl.Series(marks.verdicts)).then(status)).to_series()
    errors = to_errors(table, roles["error"]) if "error" in roles else none
    return status, pl.select(pl.coalesce(errors, marks.faults)).to_series()


def _wide(
    table: RawTable, roles: Roles, metric: str, other: list[str], chosen: ColumnChoice
) -> Long:
    """Make rows of a table with a column for each model; an empty cell was not run."""
    if "metric" in roles:
        raise FileError(
            f"column {roles['metric']!r} names metrics, and there is no column `score`. Wide form "
            "holds one metric; write a `score` column, or a file for each metric.",
            path=table.path,
        )
    rest = [name for name in table.columns if name not in roles.values()]
    numbering = {*numbers_rows(table, rest), *other} - chosen.keep
    free = [name for name in rest if name not in numbering | chosen.keep]
    marks = find_marks(table, [name for name in free if is_numeric(table, name)], [], roles)
    numbering |= {*marks.taken, *marks.aside}
    models = [name for name in rest if name not in numbering]
    if not models:
        raise FileError(
            f"no scores: besides {shown(list(roles.values()))} there is no column. Add `score`, or "
            "a column for each model.",
            path=table.path,
        )
    base = item_rows(table, roles)
    more = (
        " In wide form every column beside the item's own is a model's; if it is one model's "
        "metrics, name the one meant with --metric."
    )
    facts = facts_aside(table, models, chosen.keep)
    parts = [
        base.with_columns(
            pl.lit(model).alias("model"),
            pl.lit(metric).alias("metric"),
            to_scores(table, model, more).alias("score"),
        )
        for model in models
        if model not in facts.names
    ]
    told = with_status(pl.concat(parts), *_said(table, roles, marks)).with_columns(
        status=pl.when(pl.col("status") == "unscored")
        .then(pl.lit(MISSING))
        .otherwise(pl.col("status"))
    )
    left = left_aside(told, chosen)
    place = f"{table.path}: "
    own = without_satellites(left.rows, place, keep=chosen.keep)
    single = without_pairs(own.rows, place, keep=chosen.keep)
    kept = without_summaries(single.rows, place, keep=chosen.keep, unnamed=True)
    scaled = without_other_scales(kept.rows, place, keep=chosen.keep)
    note = Note("wide-form", f"{place}{wide_form(scaled.rows)}")
    aside = _aside(table, _Scores([], [name for name in rest if name in numbering]), marks)
    found = (*left.notes, *facts.notes, *own.notes, *single.notes, *kept.notes, *scaled.notes)
    notes = (*table.notes, note, *aside, *marks.notes, *found)
    return Long(scaled.rows, names_models=True, notes=notes, names=left.names)

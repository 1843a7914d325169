"""Layouts: which column is what, and long or wide form made into long rows."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

import polars as pl

from bestrand.errors import ArgumentError, FileError
from bestrand.harnesses.raw import Column, RawTable
from bestrand.harnesses.values import to_ids, to_scores, to_texts
from bestrand.notes import Note, shown


Form = Literal["auto", "long", "wide"]

# By what name each role is known, the first that is there; `columns=` says otherwise.
NAMES: dict[str, tuple[str, ...]] = {
    "item": (
        "item",
        "item_id",
        "id",
        "doc_id",
        "sample_id",
        "instance_id",
        "question_id",
        "example_id",
    ),
    "model": ("model", "model_name", "model_id"),
    "metric": ("metric", "metric_name"),
    "score": ("score",),
    "group": ("group", "subtask", "category", "subject"),
    "task": ("task", "benchmark"),
    "weight": ("weight",),
    "status": ("status",),
    "error": ("error",),
}
ERRORED = ("error", "errored")


class Long(NamedTuple):
    """Rows of one file in long form.

    Attributes:
        rows: `item`, `model`, `metric`, `score`, `status`, `group`, `task`, `weight`, `line`.
        names_models: whether the file itself says whose scores they are.
        notes: what a reader should know.
    """

    rows: pl.DataFrame
    names_models: bool
    notes: tuple[Note, ...]


def to_long(
    table: RawTable,
    model: str,
    *,
    metric: str | None = None,
    form: Form = "auto",
    columns: Mapping[str, str] | None = None,
) -> Long:
    """Make long rows of a table.

    Long form has a score a row: an item column, a `model` column unless the file is one model's,
    and a `score` column, or `metric` and `score`, or a column for each of several metrics. Wide
    form has an item a row and a column for each model.

    Args:
        table: as it was read.
        model: whose scores they are where no column says so.
        metric: the one wanted; also tells a table of one metric column from wide form.
        form: "long" or "wide" where it is not to be guessed.
        columns: role -> column name, where a column has a name of its own.

    Raises:
        FileError: no item column, no scores, or values that are none.
    """
    roles = _roles(table, columns or {})
    item = to_ids(table, roles["item"])
    is_long = form == "long" or (
        form == "auto" and ("model" in roles or "score" in roles or metric in table.columns)
    )
    base = _base(table, roles, item)
    if not is_long:
        return _wide(table, roles, base, metric or "score")
    if "model" in roles:
        names = to_texts(table, roles["model"])
        if names.null_count():
            raise FileError(f"column {roles['model']!r} is empty in some row.", path=table.path)
        base = base.with_columns(names.alias("model"))
    else:
        base = base.with_columns(pl.lit(model).alias("model"))
    parts, aside = _metrics(table, roles, base, metric)
    rows = _with_status(pl.concat(parts), table, roles, len(parts))
    notes = (
        (Note("columns-aside", f"{table.path}: columns left aside: {shown(aside, 8)}."),)
        if aside
        else ()
    )
    return Long(rows, "model" in roles, (*table.notes, *notes))


def _roles(table: RawTable, given: Mapping[str, str]) -> dict[str, str]:
    unknown = sorted(set(given) - set(NAMES))
    if unknown:
        raise ArgumentError(f"`columns` knows the roles {', '.join(NAMES)}, got {shown(unknown)}.")
    absent = sorted(set(given.values()) - set(table.columns))
    if absent:
        raise FileError(
            f"no column {shown(absent)}; there are {shown(list(table.columns), 12)}.",
            path=table.path,
        )
    taken = set(given.values())
    roles = dict(given)
    for role, names in NAMES.items():
        found = next((name for name in names if name in table.columns and name not in taken), None)
        if role not in roles and found is not None:
            roles[role] = found
    if "item" not in roles:
        raise FileError(
            f"no column of item ids; looked for {', '.join(NAMES['item'])}, there are "
            f"{shown(list(table.columns), 12)}. Say which it is, as in --column item=NAME.",
            path=table.path,
        )
    return roles


def _base(table: RawTable, roles: Mapping[str, str], item: pl.Series) -> pl.DataFrame:
    def texts(role: str) -> pl.Series:
        if role not in roles:
            return pl.Series(role, [None] * item.len(), dtype=pl.String)
        # an empty group is no group
        return to_texts(table, roles[role]).replace("", None).alias(role)

    weight = pl.Series("weight", [None] * item.len(), dtype=pl.Float64)
    if "weight" in roles:
        weight = to_scores(table, roles["weight"]).alias("weight")
    lines = table.lines if table.lines is not None else list(range(1, item.len() + 1))
    return pl.DataFrame(
        [
            item.alias("item"),
            texts("group"),
            texts("task"),
            weight,
            pl.Series("line", lines, dtype=pl.Int64),
        ]
    )


def _is_numeric(column: Column) -> bool:
    if isinstance(column, list):
        there = [value for value in column if value is not None]
        return bool(there) and all(isinstance(value, int | float) for value in there)
    if column.dtype == pl.String:
        there = column.filter(column.str.strip_chars() != "")
        return there.len() > 0 and there.cast(pl.Float64, strict=False).null_count() == 0
    return column.dtype.is_numeric() or column.dtype == pl.Boolean


def _metrics(
    table: RawTable, roles: Mapping[str, str], base: pl.DataFrame, metric: str | None
) -> tuple[list[pl.DataFrame], list[str]]:
    """Give the rows of each metric, and the columns that were left aside."""
    rest = [name for name in table.columns if name not in roles.values()]
    if "metric" in roles:
        if "score" not in roles:
            raise FileError(
                f"column {roles['metric']!r} names metrics, and there is no column `score`.",
                path=table.path,
            )
        names = to_texts(table, roles["metric"]).alias("metric")
        score = to_scores(table, roles["score"]).alias("score")
        return [base.with_columns(names, score)], rest
    wanted = [roles["score"]] if "score" in roles else []
    wanted += [name for name in rest if name == metric or _is_numeric(table.columns[name])]
    if metric is not None and metric not in wanted and metric != "score":
        raise FileError(
            f"no metric {metric!r} here; there are {shown(wanted, 12)}.", path=table.path
        )
    if not wanted:
        raise FileError(
            f"no column of scores; looked for `score` and for columns of numbers, there are "
            f"{shown(list(table.columns), 12)}. Say which it is, as in --column score=NAME.",
            path=table.path,
        )
    parts = [
        base.with_columns(
            pl.lit("score" if name == roles.get("score") else name).alias("metric"),
            to_scores(table, name).alias("score"),
        )
        for name in wanted
    ]
    return parts, [name for name in rest if name not in wanted]


def _with_status(
    rows: pl.DataFrame, table: RawTable, roles: Mapping[str, str], n_parts: int
) -> pl.DataFrame:
    """Say of every row whether it is scored, errored or unscored."""
    no = pl.Series([False] * (rows.height // n_parts))
    said = to_texts(table, roles["status"]).is_in(ERRORED) if "status" in roles else no
    text = to_texts(table, roles["error"]).fill_null("") != "" if "error" in roles else no
    said, text = said.fill_null(value=False), text.fill_null(value=False)
    errored = pl.concat([said] * n_parts)
    failed = pl.concat([text] * n_parts)
    rows = rows.with_columns(
        pl.when(errored).then(None).otherwise(pl.col("score")).alias("score"),
    )
    return rows.with_columns(
        pl.when(pl.col("score").is_not_null())
        .then(pl.lit("scored"))
        .when(errored | failed)
        .then(pl.lit("errored"))
        .otherwise(pl.lit("unscored"))
        .alias("status")
    )


def _wide(
    table: RawTable, roles: Mapping[str, str], base: pl.DataFrame, metric: str
) -> Long:
    taken = {roles[role] for role in ("item", "group", "task", "weight") if role in roles}
    models = [name for name in table.columns if name not in taken]
    if not models:
        raise FileError(
            f"no scores: besides {shown(sorted(taken))} there is no column.", path=table.path
        )
    parts = [
        base.with_columns(
            pl.lit(model).alias("model"),
            pl.lit(metric).alias("metric"),
            to_scores(table, model).alias("score"),
        )
        for model in models
    ]
    # an empty cell of a wide table was not run
    rows = pl.concat(parts).filter(pl.col("score").is_not_null())
    notes = (
        Note(
            "wide-form",
            f"{table.path}: read as one column a model ({shown(models)}). If these are metrics of "
            "one model, name the one meant with --metric.",
        ),
    )
    return Long(
        rows.with_columns(pl.lit("scored").alias("status")), True, (*table.notes, *notes)
    )

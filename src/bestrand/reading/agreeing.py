"""Rows of one item that agree in their scores, and may still be of different items."""

from collections.abc import Sequence

import polars as pl

from bestrand.errors import InputError
from bestrand.notes import Note, shown
from bestrand.reading.columns import NAMES, named_like
from bestrand.reading.raw import RawTable
from bestrand.reading.values import is_numeric


# columns that count repeated runs of one item, and do not tell items apart
REPEATS = (
    *("epoch", "trial", "run", "seed", "attempt", "repeat", "repetition", "rollout"),
    *("date", "time", "timestamp"),
)
LEAST_SHARE = 0.5  # of the repeated rows, which a column must tell apart
MOST_VALUES = 0.5  # different ones per row: a column with more of them is no label


def with_one_spelling(rows: pl.DataFrame) -> tuple[pl.DataFrame, list[Note]]:
    """Return models one name whose names differ in the white space around them alone."""
    bare = pl.col("model").str.strip_chars()
    names = rows.select("model").unique().with_columns(bare=bare)
    twice = names.filter(pl.col("bare").is_duplicated()).sort("model")
    if not twice.height:
        return rows, []
    kept = pl.when(bare.is_in(twice["bare"].to_list())).then(bare).otherwise("model")
    text = (
        f"Names of models that differ in white space around them alone are one: "
        f"{shown(twice['model'].to_list(), 8)}."
    )
    return rows.with_columns(model=kept), [Note("white-space", text)]


def require_one_item(
    repeated: pl.DataFrame, tables: Sequence[RawTable], used: Sequence[Sequence[str]]
) -> None:
    """Refuse rows that agree in item, model, metric and score, and that some label tells apart.

    A label is a column of texts that has few values, each for many items, as `language` or
    `dataset`; or one that is different in every row of a model, as another id. Columns that number
    repeated runs are none.

    Args:
        repeated: rows whose item, model and metric occur several times, with `file` and `row`.
        tables: the files.
        used: the columns that have a role, of each file.

    Raises:
        InputError: a label tells half of the repeated rows apart or more.
    """
    for file in repeated["file"].unique().sort():
        table, of_file = tables[file], repeated.filter(pl.col("file") == file)
        for name in table.columns:
            if name in used[file] or named_like(name, REPEATS):
                continue
            labels = _labels(table, name)
            if labels is None:
                continue
            said = of_file.with_columns(label=labels.gather(of_file["row"]))
            each = said.group_by("item", "model", "metric", maintain_order=True).agg("label")
            apart = each.filter(
                (pl.col("label").list.len() > 1)
                & (pl.col("label").list.n_unique() == pl.col("label").list.len())
            )
            if apart.height < LEAST_SHARE * each.height:
                continue
            item, values = apart["item"][0], apart["label"][0].to_list()
            raise InputError(
                f"{table.path}: {apart.height} times rows have one item and model and differ in "
                f"column {name!r} (first: item {item!r}, {shown(values)}): they look like "
                f"different items. Write a column `item` with the {name} in front of the id; if "
                f"{name!r} is itself the id, say so: --column item={name}; if these are repeated "
                "runs, --duplicates mean, first or last (duplicates=).",
                item=item,
                column=name,
            )


def _labels(table: RawTable, name: str) -> pl.Series | None:
    """Take a column as texts, if it may be a label or an id; None if not."""
    is_id = name.strip().casefold() in NAMES["item"]
    if is_numeric(table, name) and not is_id:
        return None
    try:
        labels = pl.Series([None if v is None else str(v) for v in table.columns[name]])
    except (TypeError, ValueError):
        return None
    n_values = labels.n_unique()
    is_label = 1 < n_values <= max(MOST_VALUES * table.n_rows, 2)
    return labels if is_label or is_id else None

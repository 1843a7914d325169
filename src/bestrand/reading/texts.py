"""Read the items' texts, or embeddings of them."""

from pathlib import Path

import numpy as np
import polars as pl

from bestrand.core.texts import EMBEDDING, ItemTexts, embed_texts
from bestrand.errors import FileError
from bestrand.notes import shown
from bestrand.reading.columns import find_roles
from bestrand.reading.paths import find_sources
from bestrand.reading.raw import RawTable
from bestrand.reading.tables import read_table
from bestrand.reading.values import to_ids, to_texts
from bestrand.types import FloatArray


def read_texts(path: str | Path) -> ItemTexts:
    """Read the items' texts, or embeddings that were made elsewhere.

    Args:
        path: a table (Parquet, CSV, TSV, JSON lines or a JSON list) with an item column, and
            `text`; or with `embedding`, or several columns `embedding_NAME`, whose cells are
            lists of numbers of one length. Embeddings go before texts.

    Raises:
        FileError: it cannot be read, or has no column of either kind.
        InputError: an id twice, an item without text, or embeddings that are none.
    """
    sources = find_sources(path).sources
    if len(sources) > 1:
        raise FileError(f"a folder of {len(sources)} tables. Give one file.", path=Path(path))
    table = read_table(sources[0])
    ids = to_ids(table, find_roles(table, {})["item"]).to_list()
    made = [name for name in table.columns if name.partition("_")[0] == EMBEDDING]
    if made:
        parts = [
            ItemTexts.of_embeddings(
                ids, _matrix(table, name), name=name.removeprefix(f"{EMBEDDING}_")
            )
            for name in made
        ]
        whole = parts[0]
        for part in parts[1:]:
            whole = whole.joined(part)
        return whole
    if "text" not in table.columns:
        raise FileError(
            f"no column `text` or `embedding`; there are {shown(list(table.columns), 12)}. Head "
            "the column of the items' texts `text`.",
            path=table.path,
        )
    return embed_texts(ids, to_texts(table, "text").fill_null("").to_list())


def _matrix(table: RawTable, name: str) -> FloatArray:
    """Take a column of lists of numbers, all of one length; (N, d)."""
    column = table.columns[name]
    values = column.to_list() if isinstance(column, pl.Series) else column
    width = len(values[0]) if isinstance(values[0], list) else 0
    for row, value in enumerate(values):
        is_row = isinstance(value, list) and len(value) == width > 0
        if not (is_row and all(isinstance(number, int | float) for number in value)):
            raise table.error(
                row,
                f"{name!r} must hold lists of numbers, all of one length. Embed that text again.",
            )
    return np.array(values, dtype=np.float64)

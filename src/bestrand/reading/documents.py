"""Documents: what tells the content of an item, and ids that stand for several."""

from collections.abc import Sequence

import polars as pl

from bestrand.errors import InputError
from bestrand.notes import shown
from bestrand.reading.columns import Roles
from bestrand.reading.raw import RawTable
from bestrand.reading.values import to_texts


def documents(table: RawTable, roles: Roles) -> pl.Series:
    """Take what tells the content of an item, a hash as it was logged; null where unknown."""
    if "document" in roles:
        return to_texts(table, roles["document"]).alias("document")
    return pl.Series("document", [None] * table.n_rows, dtype=pl.String)


def require_one_document(rows: pl.DataFrame, tables: Sequence[RawTable]) -> None:
    """Refuse rows of one id that hold different documents.

    Args:
        rows: `item`, `document`, `file`, `row`.
        tables: the files.

    Raises:
        InputError: an id has several documents, in one file or in several.
    """
    known = rows.filter(pl.col("document").is_not_null())
    first = known.unique(["item", "document"], keep="first", maintain_order=True)
    clash = first.filter(pl.col("item").is_duplicated())
    if not clash.height:
        return
    items = clash["item"].unique(maintain_order=True).to_list()
    of_item = clash.filter(pl.col("item") == items[0]).head(2)
    places = [
        f"{tables[file].place(row)} ({document[:12]})"
        for document, file, row in of_item.select("document", "file", "row").iter_rows()
    ]
    files = sorted({str(tables[file].path) for file in clash["file"]})
    raise InputError(
        f"An id must stand for one document, and {len(items)} stand for several by their doc_hash: "
        f"{shown(items)} (first: {' and '.join(places)}; files: {shown(files)}). `doc_id` counts "
        "from 0 in every task of lm-eval, a run with --samples that do not ascend logs wrong ids, "
        "and harnesses that write places number a run of some items anew. Read the files of one "
        "task at a time; if it is one task of lm-eval, run it again with ascending --samples. Or "
        "write a column `item` with one id for each document.",
        items=items,
    )

"""Shapes: rows as harnesses log them, whose ids are not what they seem."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl

from bestrand.errors import FileError, InputError
from bestrand.notes import shown
from bestrand.reading.columns import Roles
from bestrand.reading.raw import RawTable
from bestrand.reading.values import to_texts


# columns that lm-evaluation-harness writes beside `doc_id`
LM_EVAL = {"doc_hash", "prompt_hash", "target_hash", "resps", "filtered_resps", "arguments"}
DATE = r"\d{4}-\d{2}-\d{2}T[\d.:-]+|\d{8}_\d{6}"
TASK_NAMES = (
    re.compile(rf"^samples_(?P<task>.+)_(?:{DATE})$"),
    re.compile(rf"^(?:{DATE})_samples_(?P<task>.+)$"),
)


def require_own_ids(table: RawTable, given: Mapping[str, str]) -> None:
    """Refuse results of promptfoo, unless the columns of item and model are `given`.

    Its `id` is a new one in every result, and `testIdx` counts the tests of one run.

    Raises:
        FileError: the table has the columns of such results.
    """
    names = set(table.columns)
    is_promptfoo = "testIdx" in names and bool({"promptIdx", "provider"} & names)
    if is_promptfoo and not {"item", "model"} <= given.keys():
        raise FileError(
            "results of promptfoo (columns testIdx, promptIdx, provider), which cannot be read as "
            "they are: `id` is another one in every result, `testIdx` counts the tests of one run, "
            "and `error` also names failed assertions. Write a table with the columns item (a "
            "metadata id or the description of the test case), model (the provider's label), "
            "score, and status: error where failureReason is 2.",
            path=table.path,
        )


def is_lm_eval(table: RawTable, roles: Roles) -> bool:
    """Whether these are samples of lm-evaluation-harness, with `doc_id` for the item."""
    names = set(table.columns)
    logged = bool(LM_EVAL & names) or {"filter", "metrics"} <= names or {"doc", "target"} <= names
    return roles["item"] == "doc_id" and logged


def documents(table: RawTable, roles: Roles) -> pl.Series:
    """Take what tells the content of an item: a hash as it was logged, or of the logged content.

    Returns:
        Text, null where the content is not known.
    """
    if "document" in roles:
        return to_texts(table, roles["document"]).alias("document")
    hashes: list[str | None] = [None] * table.n_rows
    if is_lm_eval(table, roles) and "doc" in table.columns:
        hashes = [_hash(doc) for doc in table.columns["doc"]]
    return pl.Series("document", hashes, dtype=pl.String)


def _hash(doc: object) -> str | None:
    """Hash a document as lm-evaluation-harness does."""
    if not isinstance(doc, dict):
        return None
    try:
        text = json.dumps(doc, indent=2, ensure_ascii=False)
    except (TypeError, ValueError):
        return None
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def require_one_task(tables: Sequence[tuple[RawTable, Roles]]) -> None:
    """Refuse samples of several tasks of lm-evaluation-harness, told apart by their files' names.

    Raises:
        InputError: there are several, and no column of tasks.
    """
    tasks: dict[str, Path] = {}
    for table, roles in tables:
        task = task_of(table.path)
        if task is not None and "task" not in roles and is_lm_eval(table, roles):
            tasks.setdefault(task, table.path)
    if len(tasks) > 1:
        (one, path), (other, other_path) = list(tasks.items())[:2]
        raise InputError(
            f"Samples of {len(tasks)} tasks of lm-eval, {shown(list(tasks))}, cannot be read "
            f"together ({path}, {other_path}): `doc_id` counts from 0 in every task. Read the "
            "files of one task at a time, or write a column `item` with the task in front, as in "
            f"'{one}:0' and '{other}:0'.",
            tasks=sorted(tasks),
        )


def task_of(path: Path) -> str | None:
    """Take the task out of the name of a file of samples; None where it does not say.

    Examples:
        >>> task_of(Path("samples_arc_easy_2026-01-01T00-00-00.123456.jsonl.gz"))
        'arc_easy'
        >>> task_of(Path("20260101_000000_samples_mmmu_val.jsonl"))
        'mmmu_val'
    """
    name = re.sub(r"\.(jsonl?|ndjson|parquet|csv|tsv)(\.\w+)?$", "", path.name)
    matches = (pattern.match(name) for pattern in TASK_NAMES)
    return next((match["task"] for match in matches if match), None)


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
        "from 0 in every task of lm-eval, and a run with --samples that do not ascend logs wrong "
        "ids. Read the files of one task at a time; if it is one task, run it again with ascending "
        "--samples. Or write a column `item` with one id for each document.",
        items=items,
    )


def require_told_apart(rows: pl.DataFrame, unknown: Sequence[int], tables: list[RawTable]) -> None:
    """Refuse samples of lm-eval in several files that overlap and do not say of which task.

    Args:
        rows: of all files, with `item`, `model`, `metric`, `file`, `row`.
        unknown: the files of samples that name neither task nor document.
        tables: all files.

    Raises:
        InputError: two of them hold the same item of one model.
    """
    key = ["item", "model", "metric"]
    each = rows.filter(pl.col("file").is_in(list(unknown))).unique(
        [*key, "file"], keep="first", maintain_order=True
    )
    twice = each.filter(pl.struct(key).is_duplicated())
    if twice.height:
        item, model = twice.select("item", "model").row(0)
        same = twice.filter((pl.col("item") == item) & (pl.col("model") == model)).head(2)
        places = [tables[file].place(row) for file, row in same.select("file", "row").iter_rows()]
        raise InputError(
            f"Several files of samples of lm-eval hold the same ids of model {model!r} (first: "
            f"{item!r}, at {' and '.join(places)}), and neither their names nor a `doc_hash` say "
            "whether it is one task: `doc_id` counts from 0 in every task. Read one of them at a "
            "time, or write a column `item` with the task in front.",
            item=item,
            model=model,
        )

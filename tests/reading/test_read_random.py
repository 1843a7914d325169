"""Whatever else there may be: random files and tables are read or refused, and nothing leaks."""

import datetime
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bestrand import BestrandError, read_items, read_scores


def refusal(call: Callable[[], object]) -> str:
    """Give what our own error says, if there is one; any other is a leak and passes through."""
    try:
        call()
    except BestrandError as error:
        return str(error)
    return "."


def is_read_or_refused(source: Path | pl.DataFrame | pd.DataFrame) -> bool:
    said = [
        refusal(lambda: read_scores(source).matrix().full_scores()),
        refusal(lambda: read_scores(source, form="wide", duplicates="last").frame()),
        refusal(lambda: read_items(source)) if isinstance(source, Path) else ".",
    ]
    return all(text.endswith((".", "?")) for text in said)


SUFFIXES = st.sampled_from(["csv", "tsv", "jsonl", "json", "parquet", "txt", "dat"])
WORDS = st.sampled_from([b"item", b"score", b"\n", b",", b"\t", b'"', b"{", b"[", b"1", b"\xff"])


@settings(max_examples=100)
@given(content=st.binary(max_size=60) | st.lists(WORDS, max_size=20).map(b"".join), suffix=SUFFIXES)
def test_random_bytes_are_read_or_refused(
    content: bytes, suffix: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("bytes") / f"m.{suffix}"
    path.write_bytes(content)

    assert is_read_or_refused(path)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=3,
)
ROLES = ["item", "model", "score", "group", "task", "weight", "status", "error", "metric", "acc"]
COLUMNS = st.sampled_from([*ROLES, "id", "Score"]) | st.text(max_size=3)


@settings(max_examples=100)
@given(
    rows=st.lists(st.dictionaries(COLUMNS, VALUES, max_size=5), max_size=4),
    suffix=st.sampled_from(["json", "jsonl"]),
    items=st.lists(st.text(max_size=2), min_size=4, max_size=4, unique=True) | st.none(),
)
def test_random_json_is_read_or_refused(
    rows: list[dict[str, Any]],
    suffix: str,
    items: list[str] | None,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    if items is not None:
        rows = [row | {"item": item} for row, item in zip(rows, items, strict=False)]
    path = tmp_path_factory.mktemp("json") / f"m.{suffix}"
    lines = "\n".join(json.dumps(row) for row in rows)
    path.write_text(json.dumps(rows) if suffix == "json" else lines)

    assert is_read_or_refused(path)


WEIRD: list[list[Any]] = [
    ["a", "b"],
    ["", "x"],
    [1, 0],
    [0.5, None],
    [None, None],
    [True, False],
    [2**70, 1],
    [float("nan"), float("inf")],
    [datetime.date(2026, 1, 1), None],
    [datetime.timedelta(1), datetime.timedelta(2)],
    [{"a": 1}, {"a": None}],
    [[1], []],
    [b"a", b"\xff"],
]


@pytest.mark.slow
@settings(max_examples=150)
@given(
    columns=st.dictionaries(st.sampled_from(ROLES), st.sampled_from(WEIRD), max_size=5),
    plain=st.booleans(),
)
def test_columns_of_every_type_are_read_or_refused(
    columns: dict[str, list[Any]], *, plain: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    if plain:
        columns = {"item": ["a", "b"], **columns, "score": [1, 0]}
    path = tmp_path_factory.mktemp("columns") / "m.parquet"
    frame = pl.DataFrame(columns)
    frame.write_parquet(path)

    assert is_read_or_refused(path)
    assert is_read_or_refused(frame)
    assert is_read_or_refused(pd.DataFrame(columns))

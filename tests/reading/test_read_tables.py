"""Reading tables: every route gives the same table, and ids come through as they were written."""

import csv
import gzip
import io
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from bestrand import FileError, InputError, ScoreTable, read_scores
from bestrand.core.summary import Counts


Row = dict[str, Any]

ROWS: list[Row] = [
    {
        "item": item,
        "model": model,
        "score": score,
        "group": f"g{number % 2}",
        "task": "sums",
        "weight": 1.0 + number,
        "status": status,
        "error": error,
    }
    for number, item in enumerate(["q1", "q10", "q2", "01"])
    for model, score, status, error in [
        ("llama", 0.25 * number, "ok", None),
        ("qwen", None if number == 1 else 1.0, None, "timeout" if number == 1 else None),
        ("phi", None if number == 2 else 0.0, "ok", None),
    ]
]
AWKWARD = [
    "",
    "a,b",
    "x\ny",
    "x\r\ny",
    'say "so"',
    "case[1]",
    "{1}",
    " lead",
    "trail ",
    "tab\there",
    "NA",
    "null",
    "nan",
    "None",
    "true",
    "01",
    "1",
    "1.0",
    "1e3",
    "-5",
    "=1+1",
    "题/3",
    "é",
    "e\u0301",
    "a/../b",
    "*_adv",
    "\x00",
    "\ufeff",
    "🙂",
    str(2**53 + 1),
    str(2**63 + 1),
]


def as_jsonl(rows: Sequence[Row]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def as_json(rows: Sequence[Row]) -> bytes:
    return json.dumps(rows, ensure_ascii=False, indent=1).encode()


def as_delimited(rows: Sequence[Row], delimiter: str) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]), delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def as_csv(rows: Sequence[Row]) -> bytes:
    return as_delimited(rows, ",")


def as_tsv(rows: Sequence[Row]) -> bytes:
    return as_delimited(rows, "\t")


def as_parquet(rows: Sequence[Row]) -> bytes:
    buffer = io.BytesIO()
    pl.DataFrame(rows, infer_schema_length=None).write_parquet(buffer)
    return buffer.getvalue()


WRITERS: dict[str, Callable[[Sequence[Row]], bytes]] = {
    "jsonl": as_jsonl,
    "json": as_json,
    "csv": as_csv,
    "tsv": as_tsv,
    "parquet": as_parquet,
}
FRAMES: dict[str, Callable[[Sequence[Row]], Any]] = {
    "polars": lambda rows: pl.DataFrame(rows, infer_schema_length=None),
    "pandas": pd.DataFrame,
    "pyarrow": lambda rows: pa.Table.from_pylist(list(rows)),
}


def same(one: ScoreTable, other: ScoreTable) -> bool:
    return (
        one.rows.equals(other.rows)
        and one.items.equals(other.items)
        and one.n_duplicates == other.n_duplicates
    )


@pytest.fixture
def expected(tmp_path: Path) -> ScoreTable:
    path = tmp_path / "expected.jsonl"
    path.write_bytes(as_jsonl(ROWS))
    return read_scores(path)


def test_a_long_table_is_understood(expected: ScoreTable) -> None:
    matrix = expected.matrix()

    assert expected.models == ("llama", "phi", "qwen")
    assert expected.metrics == ("score",)
    assert expected.groups == ("g0", "g1")
    assert expected.counts() == Counts(10, 0, errored=1, unscored=1, duplicate=0)
    assert matrix.frame.items == ("01", "q1", "q10", "q2")
    assert matrix.frame.weighting == "explicit"
    assert matrix.values[0].tolist() == [0.75, 0.0, 0.25, 0.5]


@pytest.mark.parametrize("packing", ["", ".gz", ".zst", "gz without suffix"])
@pytest.mark.parametrize("suffix", WRITERS)
def test_every_file_gives_the_same_table(
    suffix: str, packing: str, tmp_path: Path, expected: ScoreTable
) -> None:
    content = WRITERS[suffix](ROWS)
    if "gz" in packing:
        content = gzip.compress(content)
    elif packing == ".zst":
        content = zstandard.compress(content)
    path = tmp_path / f"scores.{suffix}{packing if packing.startswith('.') else ''}"
    path.write_bytes(content)

    assert same(read_scores(path), expected)


@pytest.mark.parametrize("library", FRAMES)
def test_every_data_frame_gives_the_same_table(library: str, expected: ScoreTable) -> None:
    assert same(read_scores(FRAMES[library](ROWS)), expected)


@pytest.mark.parametrize("library", FRAMES)
def test_wide_form_gives_the_same_matrix_as_long_form(library: str, tmp_path: Path) -> None:
    wide: list[Row] = [
        {"item": "b", "group": "g", "m1": 1, "m2": 0.5},
        {"item": "a", "group": "h", "m1": 0, "m2": None},
    ]
    long = [
        {"item": row["item"], "group": row["group"], "model": model, "score": row[model]}
        for row in wide
        for model in ("m1", "m2")
        if row[model] is not None
    ]
    path = tmp_path / "wide.csv"
    path.write_bytes(as_csv(wide))
    tables = [
        read_scores(FRAMES[library](wide)),
        read_scores(path),
        read_scores(pl.DataFrame(long)),
    ]

    assert same(tables[0], tables[2])
    assert same(tables[1], tables[2])
    assert tables[0].counts() == Counts(3, missing=1, errored=0, unscored=0, duplicate=0)


def test_several_metrics_come_as_columns_or_as_rows(tmp_path: Path) -> None:
    columns = [
        {"item": "a", "model": "m", "acc": True, "f1": 0.5, "answer": "B"},
        {"item": "b", "model": "m", "acc": False, "f1": None, "answer": "C"},
    ]
    rows = [
        {"item": row["item"], "model": "m", "metric": metric, "score": row[metric]}
        for row in columns
        for metric in ("acc", "f1")
    ]
    tables = []
    for suffix, writer in WRITERS.items():
        for number, content in enumerate((columns, rows)):
            path = tmp_path / f"{number}.{suffix}"
            path.write_bytes(writer(content))
            tables.append(read_scores(path))

    assert tables[0].metrics == ("acc", "f1")
    assert tables[0].matrix("acc").values.tolist() == [[1, 0]]
    assert all(same(table, tables[0]) for table in tables)
    assert [note.code for note in tables[0].notes] == ["columns-aside"]


@pytest.mark.slow
@settings(max_examples=60)
@given(
    scores=st.dictionaries(
        st.sampled_from(AWKWARD) | st.text(st.characters(exclude_categories=["Cs"]), max_size=6),
        st.none() | st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**70), 2**70),
        min_size=1,
    ).filter(lambda scores: any(score is not None for score in scores.values()))
)
def test_ids_and_scores_come_through_as_they_were_written(
    scores: dict[str, float | None], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("trip")
    rows = [
        {"item": item, "score": None if score is None else float(score)}
        for item, score in scores.items()
    ]
    for suffix, writer in WRITERS.items():
        path = folder / f"m.{suffix}"
        path.write_bytes(writer(rows))

        table = read_scores(path)

        assert dict(table.rows.select("item", "score").rows()) == {
            row["item"]: row["score"] for row in rows
        }
        table.write(folder / "again.parquet", force=True)
        assert same(read_scores(folder / "again.parquet"), table)


@settings(max_examples=30)
@given(ids=st.lists(st.integers(-(2**80), 2**80), min_size=1, unique=True))
def test_whole_numbers_are_ids_by_their_digits_however_large(
    ids: list[int], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("ids") / "m.jsonl"
    path.write_bytes(as_jsonl([{"id": number, "score": 1} for number in ids]))

    assert set(read_scores(path).items["item"]) == {str(number) for number in ids}


def test_an_id_may_be_a_number_in_one_file_and_text_in_another(tmp_path: Path) -> None:
    ids: dict[str, list[Any]] = {"a": [1, 2, 10], "b": ["1", "2", "10"], "c": [1.0, 2.0, 10.0]}
    for name, column in ids.items():
        (tmp_path / f"{name}.jsonl").write_bytes(as_jsonl([{"id": i, "score": 1} for i in column]))

    table = read_scores(tmp_path)

    assert table.models == ("a", "b", "c")
    assert table.items["item"].to_list() == ["1", "10", "2"]
    assert table.notes == ()


@pytest.mark.parametrize("dtype", [pl.Int8, pl.UInt64, pl.Float32, pl.Categorical, pl.Decimal(9)])
def test_ids_may_be_of_many_types(dtype: pl.DataType) -> None:
    ids = pl.Series([1, 2, 3]).cast(pl.String if dtype == pl.Categorical else pl.Int64)

    table = read_scores(pl.DataFrame({"item": ids.cast(dtype), "score": [1, 0, 1]}))

    assert table.items["item"].to_list() == ["1", "2", "3"]


def test_a_named_index_of_pandas_counts_as_a_column() -> None:
    frame = pd.DataFrame({"m1": [1, 0], "m2": [0.5, float("nan")]}, index=["a", "b"])
    frame.index.name = "item"

    table = read_scores(frame)

    assert table.models == ("m1", "m2")
    assert table.counts().missing == 1


def test_numpy_scalars_in_a_column_of_this_and_that_are_read() -> None:
    values = pl.Series([1, 0]).to_numpy()
    frame = pd.DataFrame({"item": [values[0], "b"], "score": [values[1], True]}, dtype=object)

    assert read_scores(frame).rows["score"].to_list() == [0.0, 1.0]


@pytest.mark.parametrize("name", ["scores", "gpt-4.1", "scores.dat", "scores.csv", "scores.txt"])
@pytest.mark.parametrize("suffix", WRITERS)
def test_what_a_file_holds_counts_more_than_its_name(
    name: str, suffix: str, tmp_path: Path, expected: ScoreTable
) -> None:
    (tmp_path / name).write_bytes(WRITERS[suffix](ROWS))

    assert same(read_scores(tmp_path / name), expected)


def test_a_parquet_file_of_whole_numbers_too_large_for_floats_keeps_its_items(
    tmp_path: Path,
) -> None:
    ids = pl.Series([2**53 + 1, 2**53, 2**63 + 1, 2**63], dtype=pl.UInt64)
    pl.DataFrame({"id": ids, "score": [1, 0, 1, 0]}).write_parquet(tmp_path / "m.parquet")

    assert read_scores(tmp_path / "m.parquet").items.height == 4


@pytest.mark.parametrize(
    "source", [None, 5, {"m": pl.DataFrame({"item": ["a"]})}, pl.LazyFrame({"item": ["a"]}), b"x"]
)
def test_what_is_neither_path_nor_table_is_refused(source: object) -> None:
    with pytest.raises(InputError, match=r"must be paths or a pandas|must lead from model names"):
        read_scores(source)


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame([["a", 1, 2]], columns=["item", "m", "m"]),
        pa.table([["a"], [1], [2]], names=["item", "m", "m"]),
        pd.DataFrame([["a", 1, 2]], columns=["item", 1, "1"]),
    ],
)
def test_a_column_that_comes_twice_is_refused(frame: object) -> None:
    with pytest.raises(InputError, match="Column names must be distinct"):
        read_scores(frame)


@pytest.mark.parametrize("frame", [pd.DataFrame(), pl.DataFrame(), pl.DataFrame({"item": []})])
def test_a_frame_without_rows_is_refused(frame: object) -> None:
    with pytest.raises(FileError, match="<table>: no rows"):
        read_scores(frame)

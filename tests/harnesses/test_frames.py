"""Data frames: decimals, columns in levels, and what an index holds."""

import io
from decimal import Decimal
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from bestrand import FileError, InputError, read_scores


HALF, ONE = Decimal("0.5"), Decimal(1)
LONG = pd.DataFrame(
    {"item": ["q1", "q2"] * 2, "model": ["a", "a", "b", "b"], "score": [1, 0, 0.5, 1]}
)
MATRIX = [[1, 0], [0.5, 1]]
DECIMALS = {
    "pandas objects": pd.DataFrame({"item": ["q1", "q2"], "model": "a", "score": [HALF, ONE]}),
    "pandas on arrow": pd.DataFrame(
        {
            "item": ["q1", "q2"],
            "model": "a",
            "score": pd.array([HALF, ONE], dtype=pd.ArrowDtype(pa.decimal128(5, 2))),
        }
    ),
    "pyarrow": pa.table(
        {
            "item": ["q1", "q2"],
            "model": ["a"] * 2,
            "score": pa.array([HALF, ONE], pa.decimal128(9, 2)),
        }
    ),
    "pyarrow wide": pa.table(
        {
            "item": ["q1", "q2"],
            "model": ["a"] * 2,
            "score": pa.array([HALF, ONE], pa.decimal256(50, 20)),
        }
    ),
    "polars": pl.DataFrame(
        {
            "item": ["q1", "q2"],
            "model": "a",
            "score": pl.Series([HALF, ONE], dtype=pl.Decimal(5, 2)),
        }
    ),
    "polars objects": pl.DataFrame(
        {"item": ["q1", "q2"], "model": "a", "score": pl.Series([HALF, ONE], dtype=pl.Object)}
    ),
}


@pytest.mark.parametrize("library", DECIMALS)
def test_decimals_are_numbers(library: str) -> None:
    assert read_scores(DECIMALS[library]).matrix().values.tolist() == [[0.5, 1.0]]


@pytest.mark.parametrize("form", ["score", "metric", "wide"])
def test_decimals_are_numbers_in_every_form(form: str) -> None:
    values = {
        "score": {"model": "a", "score": [HALF, ONE]},
        "metric": {"model": "a", "f1": [HALF, ONE]},
    }
    frame = pd.DataFrame(
        {"item": [Decimal(1), Decimal("2.0")], **values.get(form, {"a": [HALF, ONE]})}
    )

    table = read_scores(frame)

    assert table.items["item"].to_list() == ["1", "2"]
    assert table.matrix().values.tolist() == [[0.5, 1.0]]


def test_decimals_that_are_no_number_are_no_score_and_infinite_ones_are_refused() -> None:
    frame = pd.DataFrame(
        {"item": ["q1", "q2", "q3"], "model": "a", "score": [HALF, None, Decimal("nan")]}
    )
    assert read_scores(frame).counts()[:4] == (1, 0, 0, 2)

    frame["score"] = [HALF, ONE, Decimal("Infinity")]
    with pytest.raises(FileError, match="row 3: 'score' is infinite"):
        read_scores(frame)


@pytest.mark.parametrize(
    "frame",
    [
        LONG.pivot_table(index="item", columns="model", values=["score"]),
        LONG.set_index(["item", "model"]).unstack(),
        pd.DataFrame(
            [[1, 0], [0, 1]],
            index=pd.Index(["q1", "q2"], name="item"),
            columns=pd.MultiIndex.from_tuples([("score", "a"), ("score", "b")]),
        ),
    ],
    ids=["pivot", "unstack", "by hand"],
)
def test_columns_in_levels_are_refused_and_what_the_message_offers_works(
    frame: pd.DataFrame,
) -> None:
    with pytest.raises(
        InputError, match=r"in one level, and these are in 2 \(first: \('score', 'a'\)\)"
    ) as caught:
        read_scores(frame)

    said = "frame.columns = ['_'.join(map(str, name)) for name in frame.columns]"
    assert said in str(caught.value)
    frame = frame.copy()
    frame.columns = ["_".join(map(str, name)) for name in frame.columns]
    assert read_scores(frame).models == ("score_a", "score_b")


def test_the_level_that_tells_columns_apart_can_be_kept() -> None:
    frame = LONG.pivot_table(index="item", columns="model", values=["score"])

    with pytest.raises(
        InputError, match=r"or keep one: frame.columns = .*get_level_values\(1\)\.$"
    ):
        read_scores(frame)
    frame.columns = frame.columns.get_level_values(1)
    assert read_scores(frame).matrix().values.tolist() == MATRIX


def test_an_index_in_levels_is_columns() -> None:
    assert read_scores(LONG.set_index(["item", "model"])).matrix().values.tolist() == MATRIX


def test_an_index_in_levels_without_names_can_be_named() -> None:
    frame = LONG.set_index(["item", "model"])
    frame.index.names = [None, None]

    with pytest.raises(FileError, match="there are 'level_0', 'level_1', 'score'"):
        read_scores(frame)
    table = read_scores(frame, columns={"item": "level_0", "model": "level_1"})
    assert table.matrix().values.tolist() == MATRIX


@pytest.mark.parametrize("kind", ["object", "string", "category"])
def test_an_index_of_names_is_the_items_where_no_column_is(kind: str) -> None:
    frame = pd.DataFrame({"a": {"q1": 1, "q2": 0}, "b": {"q1": 0.5, "q2": 1}})
    frame.index = frame.index.astype(kind)

    table = read_scores(frame)

    assert table.items["item"].to_list() == ["q1", "q2"]
    assert table.matrix().values.tolist() == MATRIX
    assert [note.code for note in table.notes] == ["nameless-items", "wide-form"]


def test_ids_in_a_column_without_a_name_are_the_items_in_files_too(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": {"q1": 1, "q2": 0}, "b": {"q1": 0.5, "q2": 1}})
    frame.to_csv(tmp_path / "m.csv")
    frame.to_parquet(tmp_path / "m.parquet")
    pd.read_csv(tmp_path / "m.csv").to_csv(tmp_path / "again.csv", index=False)

    for name in ("m.csv", "m.parquet", "again.csv"):
        table = read_scores(tmp_path / name)
        assert table.matrix().values.tolist() == MATRIX
        assert table.models == ("a", "b")


@pytest.mark.parametrize(
    "index", [["x", "y", "z", "z"], [7, 3, 5, 1], pd.date_range("2020", periods=4)]
)
def test_an_index_beside_an_item_column_is_no_matter(index: object) -> None:
    frame = LONG.set_axis(index, axis=0)

    assert read_scores(frame).matrix().values.tolist() == MATRIX
    assert read_scores(frame).metrics == ("score",)


def test_columns_that_are_called_by_numbers_are_not_taken_by_place() -> None:
    frame = pd.DataFrame({"item": ["q1", "q2"], 2: [1, 0], 1: [0.5, 1], ("x", 5): [0, 0]})

    table = read_scores(frame)

    assert table.models == ("('x', 5)", "1", "2")
    assert table.matrix().values.tolist() == [[0, 0], [0.5, 1], [1, 0]]


def test_an_index_that_a_column_is_called_like_is_refused() -> None:
    with pytest.raises(InputError, match="Column names must be distinct: cannot insert item"):
        read_scores(LONG.set_index("item", drop=False))


def test_what_pandas_writes_is_read_from_feather_too() -> None:
    made = io.BytesIO()
    LONG.to_feather(made)
    made.seek(0)

    assert read_scores(pl.read_ipc(made)).matrix().values.tolist() == MATRIX

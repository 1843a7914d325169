"""Data frames: decimals, columns in levels, and what an index holds."""

import io
from dataclasses import astuple
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from bestrand import ArgumentError, FileError, InputError, read_scores


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
    assert astuple(read_scores(frame).counts())[:4] == (1, 0, 0, 2)

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

    said = r"2 levels, 'level_0', 'level_1' \(first row: \('q1', 'a'\)\).*\['item', 'model'\], or"
    with pytest.raises(InputError, match=said):
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


def test_a_level_without_a_name_is_the_model_where_the_items_come_again() -> None:
    frame = LONG.set_index(["item", "model"])
    frame.index.names = ["item", None]
    assert read_scores(frame).matrix().values.tolist() == MATRIX

    frame.index.names = [None, "model"]
    assert read_scores(frame).matrix().values.tolist() == MATRIX

    parts = {name: part.drop(columns="model") for name, part in LONG.groupby("model")}
    assert read_scores(pd.concat(parts)).matrix().values.tolist() == MATRIX


def test_levels_without_names_are_items_and_groups_where_one_is_distinct() -> None:
    index = pd.MultiIndex.from_tuples([("math", "q1"), ("math", "q2"), ("code", "q3")])
    table = read_scores(pd.DataFrame({"a": [1, 0, 1], "b": [0, 1, 1]}, index=index))

    assert table.models == ("a", "b")
    assert table.items["group"].to_list() == ["math", "math", "code"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (pl.DataFrame({"item": ["q1"], "score": [1]}).lazy(), "got LazyFrame of polars. Collect"),
        (pl.Series([1, 0]), "got Series of polars. One column does not say which item"),
        (pd.Series([1, 0]), "got Series of pandas. One column"),
        (np.ones((2, 2)), r"got ndarray of numpy. An array has no ids .* with an item a row"),
        ([1, 0], r"got a list of int. Values alone .*'score': values"),
        ([{"item": "q1", "score": 1}], r"got a list of dict. Make a table of the rows: polars"),
        ([LONG, LONG], "got a list of DataFrame of pandas. Put tables below each other"),
        ({"a.csv", "b.csv"}, "got a set of str. Give the paths in a list"),
        (iter(["a.csv"]), "got list_iterator. Make a list"),
        (None, "got None. Give a path, a list of paths"),
        (3, "got int. Give a path"),
        (b"item,score", "got bytes. Write it to a file"),
        (io.StringIO("item,score"), "got StringIO of _?io. Give the file's path"),
        (read_scores(LONG), "got ScoreTable of bestrand. It has been read already"),
    ],
    ids=lambda value: value[:20] if isinstance(value, str) else type(value).__name__,
)
def test_what_is_no_table_is_named_with_what_to_do(given: object, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_scores(given)


def test_wide_form_and_a_column_of_scores_contradict_each_other() -> None:
    frame = pd.DataFrame({"item": ["q1", "q2"], "acc": [1, 0], "b": [0, 1]})

    with pytest.raises(ArgumentError, match=r"'acc' is the score column, and form='wide' that"):
        read_scores(frame, form="wide", columns={"score": "acc"})
    with pytest.raises(ArgumentError, match="'b' is the model column"):
        read_scores(frame, form="wide", columns={"model": "b"})
    with pytest.raises(ArgumentError, match=r"'score' holds the scores, by its name.*'aside': 'sc"):
        read_scores(frame.rename(columns={"acc": "score"}), form="wide")

    told = read_scores(
        frame.rename(columns={"acc": "score"}), form="wide", columns={"aside": "score"}
    )
    assert told.models == ("b",)

"""Row numbers: an index that was saved with the table is neither model nor metric."""

import io
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

from bestrand import read_scores


ITEMS = ["q1", "q2", "q3", "q4"]
A, B = [1, 0, 0, 1], [0, 1, 0, 1]


def models(numbers: dict[str, list[Any]], *, behind: bool = False) -> tuple[str, ...]:
    """Read a wide table of the models a and b with other columns, as a frame and as a CSV file."""
    items = {"item": ITEMS}
    front = {**items, **numbers} if behind else {**numbers, **items}
    frame = pl.DataFrame({**front, "a": A, "b": B})
    found = read_scores(frame).models
    made = io.StringIO()
    frame.to_pandas().to_csv(made, index=False)
    assert read_scores(pd.read_csv(io.StringIO(made.getvalue()))).models == found
    return found


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize(
    "name",
    [
        *("Unnamed: 0", "Unnamed: 0.1", "Unnamed: 0.1.1", "Unnamed: 1", "__index_level_0__"),
        *("index", "Index", "idx", "level_0", "level_1", "row_nr", "row_index", "Row Number"),
        *("rownum", "rownames", "rn", "#", "No.", "nr", "S.No", "line", "position", "item_index"),
        *("id", "doc_id", "sample_id", "X", "X.1", "...1", "V1"),
    ],
)
def test_row_numbers_are_no_model(name: str, first: int) -> None:
    assert models({name: [first + row for row in range(4)]}) == ("a", "b")


def test_an_index_that_was_saved_again_and_again_is_no_model(tmp_path: Path) -> None:
    path = tmp_path / "m.csv"
    pd.DataFrame({"item": ITEMS, "a": A, "b": B}).to_csv(path)
    for _ in range(3):
        pd.read_csv(path).to_csv(path)

    table = read_scores(path)

    assert table.models == ("a", "b")
    aside = next(note.text for note in table.notes if note.code == "columns-aside")
    assert "'Unnamed: 0'" in aside
    assert "'Unnamed: 0.1'" in aside


@pytest.mark.parametrize("left", [[0, 2, 5, 9], [3, 0, 7, 1], [0, 1, 2, 0], [1, 2, 3, 1]])
@pytest.mark.parametrize("name", ["index", "level_0", "Unnamed: 1", "row_nr"])
def test_what_is_left_of_row_numbers_is_no_model(name: str, left: list[int]) -> None:
    assert models({name: left}, behind=True) == ("a", "b")


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("index", [1, 0, 0, 1]),
        ("index", [0, 1, 0, 1]),
        ("index", [0.0, 0.5, 1.0, 0.25]),
        ("Unnamed: 1", [1, 0, 0, 1]),
        ("number", [0, 2, 5, 9]),
        ("llama", [0, 1, 2, 3]),
        ("v1", [1, 0, 0, 1]),
        ("rank", [1, 2, 3, 4]),
    ],
)
def test_scores_under_a_name_like_an_index_are_a_model(name: str, values: list[float]) -> None:
    assert models({name: values}, behind=True) == tuple(sorted([name, "a", "b"]))


@pytest.mark.parametrize("name", ["X", "V1", "n", "i"])
def test_short_names_count_as_row_numbers_only_in_front(name: str) -> None:
    assert models({name: [0, 1, 2, 3]}) == ("a", "b")
    assert models({name: [0, 1, 2, 3]}, behind=True) == tuple(sorted([name, "a", "b"]))


def test_two_rows_number_nothing_under_a_name_that_a_model_may_have() -> None:
    frame = pl.DataFrame({"v1": [0, 1], "item": ["q1", "q2"], "v2": [1, 1]})

    assert read_scores(frame).models == ("v1", "v2")


@pytest.mark.parametrize("name", ["index", "level_0", "Unnamed: 0.1", "doc_id", "row_nr"])
def test_row_numbers_are_no_metric(name: str) -> None:
    frame = pl.DataFrame(
        {
            "item": ITEMS * 2,
            "model": ["a"] * 4 + ["b"] * 4,
            name: [0, 1, 2, 3] * 2,
            "acc": A + B,
        }
    )

    table = read_scores(frame)

    assert table.metrics == ("acc",)
    assert [note.code for note in table.notes] == ["columns-aside"]


def test_row_numbers_may_be_asked_for() -> None:
    frame = pl.DataFrame({"item": ITEMS, "index": [0, 1, 2, 3], "model": "m", "acc": A})

    assert read_scores(frame, metric="index").matrix().values.tolist() == [[0, 1, 2, 3]]
    assert read_scores(frame, columns={"item": "index"}).items["item"].to_list() == list("0123")


def test_words_under_the_name_of_an_index_are_left_as_they_were() -> None:
    frame = pl.DataFrame({"item": ITEMS, "model": "m", "index": ["a", "b", "c", "d"], "acc": A})

    assert read_scores(frame).metrics == ("acc",)

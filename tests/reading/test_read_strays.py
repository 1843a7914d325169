"""A column of numbers with a few cells that are none never gives way to another column."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

from bestrand import FileError, read_scores


def csv(path: Path, *cells: str, names: str = "acc,latency") -> Path:
    rows = [f"q{i},m,{cell},0.{i % 9 + 1}" for i, cell in enumerate(cells)]
    path.write_text("\n".join([f"item,model,{names}", *rows]))
    return path


@pytest.mark.parametrize("word", ["N/A", "nan", "null", "-", "ERR", "85%", "pass", "1,5", "inf"])
def test_one_word_among_numbers_is_refused_by_line(word: str, tmp_path: Path) -> None:
    path = csv(tmp_path / "runs.csv", *["1", "0"] * 4, f'"{word}"', *["1", "0"] * 6)

    with pytest.raises(FileError) as refused:
        read_scores(path)

    assert refused.value.line == 10
    assert str(refused.value) == (
        f"{path}:10: 'acc' is a column of numbers but for 1 of 21 cells (first: {word!r}, here). "
        "Leave a cell empty where there is no score; or, if the scores are in another column, say "
        "which, as in --column score=NAME."
    )


def test_marks_may_be_more_than_the_numbers(tmp_path: Path) -> None:
    path = csv(tmp_path / "runs.csv", "1", *["timeout", "ERR", "N/A"] * 5)

    with pytest.raises(FileError, match=r":3: 'acc' .* 15 of 16 cells \(first: 'timeout', here"):
        read_scores(path)


def test_answers_of_which_some_are_numbers_are_left_aside(tmp_path: Path) -> None:
    answers = ["42", "Paris", "7", "a dog", "no", "blue", "x + 1", "Rome"]
    path = csv(tmp_path / "runs.csv", *answers, names="answer,acc")

    table = read_scores(path)

    assert table.metrics == ("acc",)
    assert [note.text for note in table.notes] == [f"{path}: columns left aside: 'answer'."]


@pytest.mark.parametrize("options", [{"metric": "latency"}, {"columns": {"score": "latency"}}])
def test_naming_the_metric_settles_it_and_the_note_names_the_cell(
    options: dict[str, Any], tmp_path: Path
) -> None:
    path = csv(tmp_path / "runs.csv", "1", "N/A", "0", "1", "")

    table = read_scores(path, **options)

    assert table.counts().scored == 5
    assert table.notes[0].text == (
        f"{path}: columns left aside: 'acc'. 'acc' is numbers but for 1 of 4 cells (first: 'N/A', "
        f"at {path}:3)."
    )


def test_beside_a_score_column_no_other_can_be_the_metric(tmp_path: Path) -> None:
    path = csv(tmp_path / "runs.csv", "1", "N/A", "0", "1", names="guess,score")

    table = read_scores(path)

    assert table.metrics == ("score",)
    assert "'guess' is numbers but for 1 of 4 cells" in table.notes[0].text


@pytest.mark.parametrize("stray", ["N/A", [1], {"x": 1}])
def test_a_stray_value_in_json_is_refused_by_line(stray: object, tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    rows = [{"id": i, "model": "m", "acc": 1, "cost": 0.1} for i in range(9)]
    rows[4]["acc"] = stray
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))

    with pytest.raises(FileError, match=r"m.jsonl:5: 'acc' is a column of numbers but for 1 of 9"):
        read_scores(path)


def test_text_in_quotes_is_an_answer_in_json_and_a_number_beside_numbers(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    rows = [
        {"id": 0, "model": "m", "target": "12", "acc": 1},
        {"id": 1, "model": "m", "target": "7", "acc": "0"},
        {"id": 2, "model": "m", "target": "x", "acc": ""},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))

    table = read_scores(path)

    assert table.metrics == ("acc",)
    assert table.rows["score"].to_list() == [1, 0, None]


@pytest.mark.parametrize("make", [pl.DataFrame, pd.DataFrame])
@pytest.mark.parametrize("acc", [["1", "0", "N/A", "1"], ["1", "N/A", "N/A", "N/A"]])
def test_a_column_that_a_stray_word_made_text_is_refused_in_memory_too(
    make: type[pl.DataFrame] | type[pd.DataFrame], acc: list[str]
) -> None:
    frame = make({"item": list("abcd"), "model": "m", "acc": acc, "latency": [0.5, 0.6, 0.7, 0.8]})

    with pytest.raises(FileError, match=r"row \d: 'acc' is a column of numbers but for"):
        read_scores(frame)


def test_empty_cells_are_no_strays(tmp_path: Path) -> None:
    path = csv(tmp_path / "runs.csv", "1", "", " ", "0")

    assert read_scores(path, metric="acc").counts().unscored == 2
    assert read_scores(path).metrics == ("acc", "latency")

"""Scores that are written as words, in percent, or in lists and objects."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from bestrand import FileError, InputError, ScoreTable, read_scores


N = 12


def long(path: Path, name: str, cells: list[Any]) -> Path:
    rows = [{"item": f"q{i:02}", "model": "m", name: cells[i % len(cells)]} for i in range(N)]
    path.write_text("\n".join(json.dumps(row) for row in rows))
    return path


def codes(table: ScoreTable) -> list[str]:
    return [note.code for note in table.notes]


@pytest.mark.parametrize("name", ["score", "acc", "is_correct"])
@pytest.mark.parametrize(
    ("cells", "mean"),
    [
        (["yes", "no"], 0.5),
        (["YES ", "No", "no"], 1 / 3),
        (["Correct", "Incorrect", None], 0.5),
        (["pass", "fail", "fail", ""], 1 / 3),
        (["PASSED", "FAILED"], 0.5),
        (["C", "I", "I"], 1 / 3),
        (["85%", "20 %"], 0.525),
        (["100%", "0%", "12.5%"], 0.375),
        ([[1], [0]], 0.5),
        ([[0.25]], 0.25),
        ([{"value": 1}, {"value": 0, "answer": "B"}], 0.5),
        ([{"score": 0.5}], 0.5),
    ],
)
def test_verdicts_of_one_kind_are_scores(
    name: str, cells: list[Any], mean: float, tmp_path: Path
) -> None:
    table = read_scores(long(tmp_path / "m.jsonl", name, cells))

    assert table.rows["score"].mean() == pytest.approx(mean)
    assert codes(table).count("verdicts") == 1


@pytest.mark.parametrize("name", ["score", "acc"])
@pytest.mark.parametrize(
    "cells",
    [
        ["yes", "no", "maybe"],
        ["yes", "Correct"],
        ["C", "C"],
        ["C", "I", "P"],
        ["A", "C", "I"],
        ["85%", "x"],
        ["85%", "0.2"],
        [[1, 0]],
        [[1], []],
        [{"v": 1}],
        [{"value": 1, "score": 0}],
        [{"value": "1"}],
    ],
)
def test_anything_else_is_refused_with_its_line(
    name: str, cells: list[Any], tmp_path: Path
) -> None:
    with pytest.raises(FileError, match=r"m\.jsonl:1: .* must be one number, got") as refused:
        read_scores(long(tmp_path / "m.jsonl", name, cells))

    assert refused.value.line == 1


def test_verdicts_beside_costs_are_the_scores(tmp_path: Path) -> None:
    rows = [f"q{i},m,{['yes', 'no'][i % 2]},{i + 0.5}" for i in range(N)]
    (tmp_path / "m.csv").write_text("\n".join(["item,model,correct,latency", *rows]))

    assert read_scores(tmp_path / "m.csv", metric="correct").rows["score"].mean() == 0.5


def test_a_verdict_beside_scores_is_no_metric(tmp_path: Path) -> None:
    rows = [f"q{i},m,{i % 2},{['yes', 'no'][i % 3 // 2]}" for i in range(N)]
    (tmp_path / "m.csv").write_text("\n".join(["item,model,acc,result", *rows]))
    table = read_scores(tmp_path / "m.csv")

    assert table.metrics == ("acc",)
    assert "verdicts" not in codes(table)


@pytest.mark.parametrize("words", [("pass", "fail"), ("50%", "0%")])
def test_a_wide_table_of_verdicts_is_read(words: tuple[str, str], tmp_path: Path) -> None:
    rows = [f"q{i},{words[i % 2]},{words[i % 3 // 2]}" for i in range(N)]
    (tmp_path / "w.csv").write_text("\n".join(["item,a,b", *rows]))
    table = read_scores(tmp_path / "w.csv")

    assert set(table.models) == {"a", "b"}
    assert codes(table).count("verdicts") == 1


def test_wide_answers_are_no_verdicts(tmp_path: Path) -> None:
    (tmp_path / "w.csv").write_text("item,gold,prediction\nq1,yes,no\nq2,no,no\n")

    with pytest.raises(FileError, match="must be one number, got"):
        read_scores(tmp_path / "w.csv")


def test_several_sentinels_are_refused_together(tmp_path: Path) -> None:
    cells = [-1, -999, *[0, 1] * 10]
    rows = [f"q{i},m,{cell}" for i, cell in enumerate(cells)]
    (tmp_path / "m.csv").write_text("\n".join(["item,model,score", *rows]))

    with pytest.raises(InputError, match=r"2 scores .* are -1 or -999, .*all 20 others .*m.csv:2"):
        read_scores(tmp_path / "m.csv")
    table = read_scores(tmp_path / "m.csv", errors="missing")
    assert (table.counts().errored, table.rows["score"].mean()) == (2, 0.5)


def test_errored_repeats_are_counted_in_a_note(tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text(
        "item,model,score,status\nq1,m,1,ok\nq1,m,,error\nq1,m,0,ok\nq2,m,1,ok\nq2,m,0,ok\n"
    )
    table = read_scores(tmp_path / "m.csv", duplicates="mean")
    [note] = [note for note in table.notes if note.code == "errored-repeats"]

    assert table.rows["score"].to_list() == [0.5, 0.5]
    assert note.text.startswith("Of 3 repeated rows of 1 scores, 1 errored or have no score")
    whole = read_scores(tmp_path / "m.csv", duplicates="mean", errors="zero")
    assert whole.rows["score"].to_list() == [pytest.approx(1 / 3), 0.5]
    assert "errored-repeats" not in codes(whole)


@pytest.mark.parametrize("make", [dict, pa.table, pa.record_batch])
def test_columns_in_memory_are_a_table(make: Callable[..., object]) -> None:
    table = read_scores(make({"item": ["a", "b"], "model": ["m", "m"], "score": [1, 0]}))

    assert table.rows["score"].to_list() == [1, 0]


def test_columns_of_unequal_length_are_refused() -> None:
    with pytest.raises(InputError, match="Columns must be of one length"):
        read_scores({"item": ["a"], "model": ["m"], "score": [1, 0]})


@pytest.mark.parametrize("names", [("run_1", "run_2"), ("gpt.1", "gpt.2")])
def test_numbered_runs_of_other_items_get_the_hint(names: tuple[str, str], tmp_path: Path) -> None:
    for k, name in enumerate(names):
        rows = [f"q{10 * k + i},{i % 2}" for i in range(10)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["item,score", *rows]))
    table = read_scores([tmp_path / f"{name}.csv" for name in names])

    assert "shards" in codes(table)

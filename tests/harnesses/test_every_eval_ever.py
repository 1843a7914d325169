"""Rows of Every Eval Ever: what a converter got wrong, and what is no score."""

import json
from pathlib import Path

import pytest

from bestrand import FileError, InputError, read_scores
from tests.harnesses.conftest import LOGS


OWN = LOGS / "every_eval_ever"


def write(path: Path, *rows: dict[str, object]) -> Path:
    plain: dict[str, object] = {
        "schema_version": "0.3.0",
        "evaluation_id": "e",
        "model_id": "acme/p1",
        "evaluation_name": "sums",
        "evaluation_result_id": "acc",
    }
    path.write_text("\n".join(json.dumps(plain | row) for row in rows))
    return path


def test_rows_of_another_task_are_refused_by_the_total_beside_them() -> None:
    with pytest.raises(InputError, match=r"mean of 'acc' of task 'tiny' is 0.5625 .* and 0.5 by"):
        read_scores(OWN / "other_task")
    table = read_scores(OWN / "other_task", check_totals=False)

    assert "totals-differ" in {note.code for note in table.notes}


def test_rows_that_name_no_result_are_no_scores() -> None:
    with pytest.raises(InputError, match=r"no metric has a score for each item: 'bits_per_byte'"):
        read_scores(OWN / "perplexity")


def test_a_row_with_an_error_is_errored_whatever_score_stands_there(tmp_path: Path) -> None:
    path = write(
        tmp_path / "x_samples.jsonl",
        {"sample_id": "a", "evaluation": {"score": 0.0}, "error": "timeout"},
        {"sample_id": "b", "evaluation": {"score": 1.0}, "error": None},
    )
    table = read_scores(path)

    assert dict(table.rows.select("item", "score").iter_rows()) == {"sums:a": None, "sums:b": 1.0}
    assert table.counts().errored == 1


def test_the_range_is_that_of_the_aggregate() -> None:
    assert read_scores(OWN / "out", metric="acc").bounds == {"acc": (0.0, 1.0)}
    by_filter = read_scores(OWN / "out", metric="exact_match,strict-match")
    assert by_filter.bounds == {"exact_match,strict-match": (0.0, 1.0)}


def test_a_row_without_its_sample_is_refused_with_its_line(tmp_path: Path) -> None:
    path = write(
        tmp_path / "x_samples.jsonl",
        {"sample_id": "a", "evaluation": {"score": 0.0}},
        {"evaluation": {"score": 1.0}},
    )

    with pytest.raises(FileError, match=r"x_samples.jsonl:2: a row must have `sample_id`"):
        read_scores(path)

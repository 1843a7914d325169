"""Test runs of DeepEval."""

import json
from pathlib import Path

import pytest

from bestrand import InputError, read_scores


def write(path: Path, *cases: tuple[str, str, float | None]) -> Path:
    rows = []
    for name, asked, score in cases:
        metric = {"name": "Exact", "score": score} if score is not None else {
            "name": "Exact", "error": "judge failed\ntrace"}  # fmt: skip
        rows.append({"name": name, "input": asked, "metricsData": [metric]})
    path.write_text(json.dumps({"testCases": rows}))
    return path


def test_a_metric_that_raised_is_errored_and_not_failed(tmp_path: Path) -> None:
    path = write(tmp_path / "gpt.json", ("a", "q0", 1.0), ("b", "q1", None))
    table = read_scores(path)

    assert (table.counts().scored, table.counts().errored) == (1, 1)
    assert table.faults is not None
    assert table.faults["fault"].to_list() == ["judge failed"]


def test_positions_are_not_joined_where_the_inputs_differ(tmp_path: Path) -> None:
    write(tmp_path / "a.json", ("test_case_0", "q0", 1.0), ("test_case_1", "q1", 1.0))
    write(tmp_path / "b.json", ("test_case_0", "q1", 0.0))

    with pytest.raises(InputError, match="An id must stand for one document"):
        read_scores(tmp_path)

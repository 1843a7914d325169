"""Run reports of SWE-bench: what became of each instance."""

import json
from pathlib import Path
from typing import Any

import pytest

from bestrand import FileError, InputError, read_scores


def report(path: Path, **lists: object) -> Path:
    content: dict[str, Any] = {"total_instances": 6, "resolved_instances": 1}
    content |= {"resolved_ids": ["a"], "unresolved_ids": ["b"], "submitted_ids": ["a", "b"]}
    path.write_text(json.dumps(content | lists))
    return path


def statuses(path: Path, **how: Any) -> dict[str, Any]:  # noqa: ANN401
    rows = read_scores(path, **how).rows
    return {
        item: (status, score)
        for item, status, score in rows.select("item", "status", "score").iter_rows()
    }


def test_errors_and_empty_patches_are_zero_or_errored_as_said(tmp_path: Path) -> None:
    path = report(
        tmp_path / "acme__agent-1.5.demo.json",
        error_ids=["c"],
        empty_patch_ids=["d"],
        incomplete_ids=["e"],
    )

    assert statuses(path) == {
        "a": ("scored", 1.0),
        "b": ("scored", 0.0),
        "c": ("scored", 0.0),
        "d": ("scored", 0.0),
    }
    assert statuses(path, errors="missing")["c"] == ("errored", None)
    table = read_scores(path)
    assert table.models == ("acme/agent-1.5",)
    assert table.items["item"].to_list() == ["a", "b", "c", "d", "e"]
    assert "errors-kept" in {note.code for note in table.notes}


def test_infrastructure_failures_are_errored_and_no_further_outcome(tmp_path: Path) -> None:
    path = report(tmp_path / "m.run.json", error_ids=["c"], infra_failure_ids=["c"])

    assert statuses(path)["c"] == ("errored", None)
    assert statuses(path, errors="zero")["c"] == ("scored", 0.0)


def test_an_instance_in_two_lists_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="instance 'a' stands in two lists"):
        read_scores(report(tmp_path / "m.run.json", unresolved_ids=["a"]))


def test_a_count_that_differs_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"sum of 'resolved' is 1 .* and 2 by the harness"):
        read_scores(report(tmp_path / "m.run.json", resolved_instances=2))


def test_a_list_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="`error_ids` must be a list of ids"):
        read_scores(report(tmp_path / "m.run.json", error_ids=3))

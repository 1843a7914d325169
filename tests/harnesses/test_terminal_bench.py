"""Runs of Terminal-Bench: attempts by task, and the run's own accuracy."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from bestrand import FileError, InputError, read_scores
from tests.harnesses.conftest import LOGS


RUN = LOGS / "terminal_bench" / "runs" / "2026-11-30__12-00-00"
OTHER = RUN.with_name("2026-11-30__13-00-00")


def edited(tmp_path: Path, change: dict[str, Any], *, drop: int = 0) -> Path:
    """Copy the run and change its results."""
    folder = tmp_path / "run"
    shutil.copytree(RUN, folder)
    path = folder / "results.json"
    whole = json.loads(path.read_text()) | change
    whole["results"] = whole["results"][: len(whole["results"]) - drop]
    path.write_text(json.dumps(whole))
    return folder


def scores(path: Path, **how: Any) -> dict[str, tuple[str, float | None]]:  # noqa: ANN401
    rows = read_scores(path, **how).rows
    return {row["item"]: (row["status"], row["score"]) for row in rows.iter_rows(named=True)}


def test_attempts_are_averaged_and_those_not_judged_are_errored() -> None:
    assert scores(RUN) == {
        "hello-world": ("scored", 1.0),
        "fix-git": ("scored", 0.5),
        "lost": ("errored", None),
        "half": ("scored", 0.0),
    }
    assert scores(RUN, errors="zero")["lost"] == ("scored", 0.0)
    table = read_scores(RUN.parent)
    assert table.models == ("terminus__acme/agent-1", "terminus__acme/agent-2")
    assert table.runs[0].versions == {"": "demo-core==0.1.1"}
    assert "files-aside" not in {note.code for note in table.notes}


def test_a_failure_that_is_not_the_agents_counts_and_is_taken_out_if_said() -> None:
    assert scores(OTHER)["half"] == ("scored", 0.0)
    assert scores(OTHER, errors="missing")["half"] == ("errored", None)
    assert scores(RUN, errors="missing")["fix-git"] == ("scored", 0.5)


def test_without_metadata_a_run_is_named_after_its_folder(tmp_path: Path) -> None:
    shutil.copy(RUN / "results.json", tmp_path / "results.json")

    assert read_scores(tmp_path).models == (tmp_path.name,)


def test_an_accuracy_that_differs_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"mean of 'resolved' is 0\.375 .* and 0\.5 by the"):
        read_scores(edited(tmp_path, {"accuracy": 0.5}))


def test_a_run_that_did_not_end_is_read_if_asked_for(tmp_path: Path) -> None:
    folder = edited(tmp_path, {"accuracy": 3 / 7}, drop=1)

    with pytest.raises(InputError, match=r"did not end \(7 of 8 trials\)"):
        read_scores(folder)
    assert scores(folder, unfinished=True)["half"] == ("errored", None)


@pytest.mark.parametrize("value", ["yes", 1])
def test_a_verdict_that_is_none_is_refused(value: object, tmp_path: Path) -> None:
    trial = {"trial_name": "a.1", "task_id": "a", "is_resolved": value, "failure_mode": "unset"}

    with pytest.raises(FileError, match="`is_resolved` of task 'a' must be true, false or null"):
        read_scores(edited(tmp_path, {"results": [trial]}))

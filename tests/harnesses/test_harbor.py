"""Jobs of Harbor: trials by task, valid rewards, and the job's own mean."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from bestrand import FileError, InputError, read_scores
from tests.harnesses.conftest import LOGS


JOBS = LOGS / "harbor" / "jobs"
ONE = JOBS / "2026-11-30__agent-1"


def job(folder: Path, *trials: dict[str, Any], stats: dict[str, Any] | None = None) -> Path:
    """Write a job as Harbor did before it said which rewards are valid."""
    for number, trial in enumerate(trials):
        path = folder / f"t__{number}" / "result.json"
        path.parent.mkdir(parents=True)
        agent = {"name": "oracle", "version": "1", "model_info": None}
        head = {"id": str(number), "task_name": "a", "trial_name": f"t__{number}"}
        path.write_text(json.dumps(head | {"agent_info": agent, "task_checksum": "c"} | trial))
    if stats is not None:
        whole = {"id": "j", "started_at": "t", "finished_at": "t", "n_total_trials": len(trials)}
        (folder / "result.json").write_text(json.dumps(whole | stats))
    return folder


def rewards(**keys: float) -> dict[str, Any]:
    return {"verifier_result": {"rewards": keys}}


def mean(value: float) -> dict[str, Any]:
    return {"stats": {"n_trials": 2, "evals": {"oracle__adhoc": {"metrics": [{"mean": value}]}}}}


def scores(path: Path, **how: Any) -> dict[str, tuple[str, float | None]]:  # noqa: ANN401
    rows = read_scores(path, **how).rows
    return {row["item"]: (row["status"], row["score"]) for row in rows.iter_rows(named=True)}


def test_trials_are_averaged_and_rewards_that_do_not_count_are_errored() -> None:
    assert scores(ONE) == {
        "fix-git": ("scored", 1.0),
        "case[1]": ("scored", 0.5),
        "题": ("scored", 0.0),
        "a.b": ("scored", 0.5),
        "lost": ("errored", None),
    }
    assert scores(ONE, errors="zero")["a.b"] == ("scored", 0.25)
    table = read_scores(JOBS)
    assert table.models == ("terminus-2__agent-1", "terminus-2__agent-2")
    assert table.groups == ("demo",)
    assert "files-aside" not in {note.code for note in table.notes}


def test_a_mean_that_differs_is_refused(tmp_path: Path) -> None:
    shutil.copytree(ONE, tmp_path / "job")
    shutil.rmtree(tmp_path / "job" / "task-1__0000001")

    with pytest.raises(InputError, match=r"mean of 'reward' is 0\.5 .* and 0\.583333 by the"):
        read_scores(tmp_path)


def test_trials_alone_are_read_too(tmp_path: Path) -> None:
    shutil.copytree(ONE, tmp_path / "job")
    (tmp_path / "job" / "result.json").unlink()

    assert scores(tmp_path) == scores(ONE)


def test_a_job_that_did_not_end_is_read_if_asked_for(tmp_path: Path) -> None:
    shutil.copytree(ONE, tmp_path / "job")
    result = tmp_path / "job" / "result.json"
    whole = json.loads(result.read_text())
    result.write_text(json.dumps(whole | {"finished_at": None, "n_total_trials": 12}))

    with pytest.raises(InputError, match=r"did not end \(10 of 12 trials\)"):
        read_scores(tmp_path)
    assert scores(tmp_path, unfinished=True) == scores(ONE)


@pytest.mark.parametrize("value", [0.5, 0.0])
def test_an_older_mean_counts_a_missing_reward_as_0(value: float, tmp_path: Path) -> None:
    lost = {"task_name": "b", "verifier_result": None, "exception_info": {"exception_type": "E"}}
    job(tmp_path / "job", rewards(reward=1.0), lost, stats=mean(0.5))
    assert scores(tmp_path) == {"a": ("scored", 1.0), "b": ("errored", None)}

    if value != 0.5:
        job(tmp_path / "other", rewards(reward=1.0), lost, stats=mean(value))
        with pytest.raises(InputError, match="by the harness"):
            read_scores(tmp_path / "other")


def test_a_reward_beside_an_exception_counts_and_is_taken_out_if_said(tmp_path: Path) -> None:
    late = rewards(reward=1.0) | {"exception_info": {"exception_type": "AgentTimeoutError"}}
    job(tmp_path, late, {"task_name": "b"} | rewards(reward=0.0))

    assert scores(tmp_path)["a"] == ("scored", 1.0)
    assert scores(tmp_path, errors="missing")["a"] == ("errored", None)


def test_a_fault_of_a_step_is_seen(tmp_path: Path) -> None:
    steps = {"step_results": [{}, {"exception_info": {"exception_type": "E"}}]}
    job(tmp_path, rewards(reward=1.0) | steps, {"task_name": "b"} | rewards(reward=0.0))

    assert read_scores(tmp_path, errors="missing").counts().errored == 1


def test_each_key_of_the_rewards_is_a_metric(tmp_path: Path) -> None:
    job(tmp_path, rewards(style=0.5, works=1.0), {"task_name": "b"} | rewards(works=0.0))

    assert read_scores(tmp_path).metrics == ("style", "works")
    assert scores(tmp_path, metric="works") == {"a": ("scored", 1.0), "b": ("scored", 0.0)}
    assert scores(tmp_path, metric="style") == {"a": ("scored", 0.5), "b": ("scored", 0.0)}


def test_a_trial_without_a_task_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="`task_name` must be text"):
        read_scores(job(tmp_path, rewards(reward=1.0) | {"task_name": None}))

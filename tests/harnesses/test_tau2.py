"""Results of tau2-bench. Files are made in the documented form, of one file and of a folder."""

import json
from pathlib import Path
from typing import Any

import pytest

from bestrand import FileError, InputError, read_scores


ENDS = ("user_stop", "agent_stop")


def results(
    rewards: dict[str | int, list[float | None]],
    *,
    ends: dict[tuple[str | int, int], str] | None = None,
    trials: int | None = None,
    folder: bool = True,
    **more: object,
) -> dict[str, Any]:
    """Make results of tasks, each with the rewards of its trials."""
    entries = []
    for task, of_task in rewards.items():
        for trial, reward in enumerate(of_task):
            ended = (ends or {}).get((task, trial), ENDS[trial % 2])
            entry = {"id": f"{task}-{trial}", "task_id": task, "trial": trial}
            inside = None if reward is None else {"reward": reward}
            told = {"reward": reward} if folder else {"reward_info": inside}
            entries.append(entry | told | {"termination_reason": ended, "agent_cost": 0.1})
    info = {
        "git_commit": "abc123",
        "num_trials": trials or max(len(of_task) for of_task in rewards.values()),
        "agent_info": {"implementation": "llm_agent", "llm": "acme/agent-1"},
        "environment_info": {"domain_name": "airline", "policy": "Be kind."},
    }
    tasks = [{"id": str(task)} for task in rewards]
    key = "simulation_index" if folder else "simulations"
    return {"timestamp": "2026-01-01", "info": info, "tasks": tasks, key: entries} | more


def write(path: Path, content: dict[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=2))
    return path


def scores(path: Path, metric: str = "success") -> dict[str, tuple[str, float | None]]:
    rows = read_scores(path, metric=metric).rows
    return {row["item"]: (row["status"], row["score"]) for row in rows.iter_rows(named=True)}


@pytest.mark.parametrize("folder", [True, False])
def test_trials_are_averaged_inside_a_task(tmp_path: Path, *, folder: bool) -> None:
    made = results({"0": [1.0, 0.0], "7": [1.0, 0.9999999]}, folder=folder)
    path = write(tmp_path / "run" / "results.json", made)
    table = read_scores(tmp_path)

    assert scores(path) == {"airline:0": ("scored", 0.5), "airline:7": ("scored", 1.0)}
    assert scores(path, "reward")["airline:7"][1] == pytest.approx(0.99999995, abs=1e-12)
    assert table.models == ("acme/agent-1",)
    assert table.metrics == ("reward", "success")
    assert table.runs[0].versions == {"airline": "abc123"}


def test_of_a_folder_the_index_is_read_and_the_simulations_are_no_tables(tmp_path: Path) -> None:
    write(tmp_path / "results.json", results({"0": [1.0]}))
    simulation = {"id": "0-0", "task_id": "0", "timestamp": "t", "reward_info": {"reward": 0.0}}
    write(tmp_path / "simulations" / "0-0.json", simulation)
    table = read_scores(tmp_path)

    assert scores(tmp_path) == {"airline:0": ("scored", 1.0)}
    assert "files-aside" not in {note.code for note in table.notes}


def test_a_reward_that_is_not_1_is_no_success(tmp_path: Path) -> None:
    path = write(tmp_path / "r.json", results({"a": [0.5], "b": [0.99999]}))

    assert [score for _, score in scores(path).values()] == [0, 0]
    assert [score for _, score in scores(path, "reward").values()] == [0.5, 0.99999]


@pytest.mark.parametrize("reason", ["infrastructure_error", "context_window_exceeded"])
def test_what_never_ran_is_errored_though_a_reward_stands_there(
    reason: str, tmp_path: Path
) -> None:
    made = results({"0": [1.0, 0.0], "1": [0.0, 0.0]}, ends={("0", 1): reason, ("1", 0): reason})
    path = write(tmp_path / "r.json", made)
    alone = write(tmp_path / "s.json", results({"0": [0.0], "1": [1.0]}, ends={("0", 0): reason}))

    assert scores(path) == {"airline:0": ("scored", 1.0), "airline:1": ("scored", 0.0)}
    assert scores(alone) == {"airline:0": ("errored", None), "airline:1": ("scored", 1.0)}


def test_a_run_of_errors_alone_is_refused_until_they_count_as_0(tmp_path: Path) -> None:
    reason = "infrastructure_error"
    made = results({"0": [0.0], "1": [0.0]}, ends={("0", 0): reason, ("1", 0): reason})
    path = write(tmp_path / "r.json", made)

    with pytest.raises(InputError, match=r"No item has a score.* 2 errored"):
        read_scores(path, metric="success")
    table = read_scores(path, metric="success", errors="zero")
    assert table.rows["score"].to_list() == [0, 0]


@pytest.mark.parametrize("reason", ["too_many_errors", "max_steps", "agent_error", "timeout"])
def test_what_the_agent_did_wrong_is_0(reason: str, tmp_path: Path) -> None:
    made = results({"0": [0.0], "1": [1.0]}, ends={("0", 0): reason})
    path = write(tmp_path / "r.json", made)

    assert read_scores(path, errors="missing").counts().errored == 0
    assert scores(path)["airline:0"] == ("scored", 0.0)


def test_faults_of_the_user_simulator_count_as_tau2_bench_has_it_or_are_taken_out(
    tmp_path: Path,
) -> None:
    made = results({"0": [0.0], "1": [1.0]}, ends={("0", 0): "user_error"})
    path = write(tmp_path / "r.json", made)

    assert scores(path)["airline:0"] == ("scored", 0.0)
    assert read_scores(path, metric="success", errors="missing").counts().errored == 1


def test_a_simulation_without_a_reward_is_unscored(tmp_path: Path) -> None:
    path = write(tmp_path / "r.json", results({"0": [None], "1": [1.0]}))

    assert scores(path)["airline:0"] == ("unscored", None)


def test_whole_numbers_are_ids_as_text(tmp_path: Path) -> None:
    path = write(tmp_path / "r.json", results({0: [1.0], 12: [0.0]}))

    assert list(scores(path)) == ["airline:0", "airline:12"]


def test_a_run_that_did_not_end_is_read_if_asked_for(tmp_path: Path) -> None:
    path = write(tmp_path / "r.json", results({"0": [1.0], "1": [0.0, 1.0]}, trials=2))

    with pytest.raises(InputError, match=r"did not end \(3 of 4 simulations\)"):
        read_scores(path)
    assert read_scores(path, metric="success", unfinished=True).counts().scored == 2


def test_a_folder_without_an_index_is_refused(tmp_path: Path) -> None:
    made = results({"0": [1.0]}) | {"simulation_index": None}

    with pytest.raises(FileError, match="neither `simulation_index` nor `simulations`"):
        read_scores(write(tmp_path / "results.json", made))

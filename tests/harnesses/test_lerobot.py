"""Evaluations of LeRobot. Files are made in the documented form."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from bestrand import FileError, InputError, read_scores


def means(successes: Sequence[object]) -> dict[str, Any]:
    scored = [float(bool(one)) for one in successes if one is not None]
    share = sum(scored) / len(scored)
    return {"avg_sum_reward": 2 * share, "avg_max_reward": share, "pc_success": 100 * share}


def suites(
    tasks: Mapping[tuple[str, int], Sequence[bool | None]], **changed: object
) -> dict[str, Any]:
    """Make an evaluation of suites: by suite and task, what became of each episode."""
    every = [one for of_task in tasks.values() for one in of_task]
    per_task = [
        {
            "task_group": suite,
            "task_id": task,
            "metrics": {
                "sum_rewards": [None if one is None else 2.0 * one for one in episodes],
                "max_rewards": [None if one is None else 1.0 * one for one in episodes],
                "successes": list(episodes),
                "video_paths": [],
            },
        }
        for (suite, task), episodes in tasks.items()
    ]
    per_group = {
        suite: means([one for (of, _), each in tasks.items() if of == suite for one in each])
        for suite, _ in tasks
    }
    return {"per_task": per_task, "per_group": per_group, "overall": means(every)} | changed


def environment(successes: Sequence[bool], *, seed: int | None = 1000) -> dict[str, Any]:
    episodes = [
        {
            "episode_ix": number,
            "sum_reward": 2.0 * success,
            "max_reward": 1.0 * success,
            "success": success,
            "seed": None if seed is None else seed + number,
        }
        for number, success in enumerate(successes)
    ]
    return {"per_episode": episodes, "aggregated": means(successes)}


def write(folder: Path, content: dict[str, Any]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "eval_info.json"
    path.write_text(json.dumps(content, indent=2))
    return path


def scores(path: Path, metric: str = "success") -> dict[str, float | None]:
    return dict(read_scores(path, metric=metric).rows.select("item", "score").iter_rows())


def test_an_episode_is_an_item_by_suite_and_task(tmp_path: Path) -> None:
    made = suites({("libero_10", 3): [True, False], ("libero_10", 0): [True], ("goal", 3): [False]})
    write(tmp_path / "pi0", made)
    table = read_scores(tmp_path)

    assert scores(tmp_path) == {
        "libero_10:3/0": 1,
        "libero_10:3/1": 0,
        "libero_10:0/0": 1,
        "goal:3/0": 0,
    }
    assert scores(tmp_path, "sum_reward")["libero_10:3/0"] == 2
    assert table.models == ("pi0",)
    assert table.groups == ("goal", "libero_10")
    assert table.metrics == ("max_reward", "success", "sum_reward")


def test_episodes_of_one_environment_are_told_by_their_seeds(tmp_path: Path) -> None:
    write(tmp_path / "a", environment([True, False]))
    write(tmp_path / "b", environment([True, False, False]))
    assert read_scores(tmp_path, metric="success").matrix().values.shape == (2, 3)

    write(tmp_path / "c", environment([True, False], seed=7))
    with pytest.raises(InputError, match="An id must stand for one document"):
        read_scores(tmp_path)


def test_episodes_without_a_seed_are_read(tmp_path: Path) -> None:
    assert scores(write(tmp_path, environment([True, False], seed=None))) == {"0": 1, "1": 0}


@pytest.mark.parametrize("key", ["pc_success", "avg_sum_reward", "avg_max_reward"])
@pytest.mark.parametrize("where", ["per_group", "overall"])
def test_a_total_that_differs_is_refused(key: str, where: str, tmp_path: Path) -> None:
    made = suites({("goal", 0): [True, False]})
    (made[where]["goal"] if where == "per_group" else made[where])[key] = 75.0

    with pytest.raises(InputError, match="by the harness"):
        read_scores(write(tmp_path, made))


def test_the_mean_of_one_environment_is_checked(tmp_path: Path) -> None:
    made = environment([True, False])
    made["aggregated"]["pc_success"] = 60.0

    with pytest.raises(InputError, match=r"mean of 'success' is 0\.5 .* and 0\.6 by the harness"):
        read_scores(write(tmp_path, made))


def test_an_episode_without_an_outcome_is_unscored(tmp_path: Path) -> None:
    path = write(tmp_path, suites({("goal", 0): [True, None, False]}))

    counts = read_scores(path, metric="success").counts()
    assert (counts.scored, counts.unscored) == (2, 1)


@pytest.mark.parametrize("successes", [[True], 1.0, None])
def test_lists_that_do_not_agree_are_refused(successes: object, tmp_path: Path) -> None:
    made = suites({("goal", 0): [True, False]})
    made["per_task"][0]["metrics"]["successes"] = successes

    with pytest.raises(FileError, match="task '0' needs lists of one length"):
        read_scores(write(tmp_path, made))

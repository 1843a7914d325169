"""LeRobot: episodes of a policy, by task and suite."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, final

from bestrand.errors import FileError
from bestrand.harnesses.base import (
    FOLDER,
    Claim,
    Export,
    Harness,
    LogPart,
    LogRow,
    Run,
    Selection,
    Total,
)
from bestrand.harnesses.files import LogFile
from bestrand.harnesses.selection import is_position, positions, require_ids
from bestrand.harnesses.values import json_file, to_id, to_number
from bestrand.notes import Note
from bestrand.reading.paths import unpacked_name


SUITES = re.compile(rb'\s*\{\s*"per_task":\s*\[\s*\{\s*"task_group":')
EPISODES = re.compile(rb'\s*\{\s*"per_episode":\s*\[\s*\{\s*"episode_ix":')
# by metric: the list in a task, the field of an episode, the total, and by what that is multiplied
METRICS = {
    "success": ("successes", "success", "pc_success", 100.0),
    "sum_reward": ("sum_rewards", "sum_reward", "avg_sum_reward", 1.0),
    "max_reward": ("max_rewards", "max_reward", "avg_max_reward", 1.0),
}


@final
class LeRobot(Harness):
    """The `eval_info.json` that `lerobot-eval` writes, of suites of tasks or of one environment.

    An item is an episode: `SUITE:task_id/episode`, or its number where there is one environment;
    there the seed must be the same in all runs. Metrics: `success`, `sum_reward`, `max_reward`.
    A file is one model's, named after its folder.
    """

    name: ClassVar[str] = "lerobot"
    title: ClassVar[str] = "LeRobot"
    versions: ClassVar[str] = "0.6.1"
    has_tasks: ClassVar[bool] = True

    def claim(self, file: LogFile) -> Claim | None:
        """Claim evaluations; see `Harness.claim`."""
        return "log" if SUITES.match(file.head) or EPISODES.match(file.head) else None

    def read(self, files: Sequence[LogFile]) -> Iterator[Run]:
        """Read a run a file; see `Harness.read`."""
        for file in files:
            yield _read(file)

    def export(self, chosen: Selection) -> Export:
        """Pass the task ids of each suite, and list them in a file; see `Harness.export`."""
        require_ids(chosen, is_position, self, "Task ids are whole numbers; episodes have none.")
        lists = {suite: positions(items) for suite, items in chosen.by_task.items()}
        commands = [
            [
                *("lerobot-eval", "--policy.path=POLICY", "--env.type=libero"),
                *(f"--env.task={suite}", f"--env.task_ids={json.dumps(ids)}"),
                f"--output_dir={FOLDER}/{chosen.run_name}-{suite}",
            ]
            for suite, ids in lists.items()
        ]
        text = "Tasks are chosen; the episodes of each are the first ones, by --eval.n_episodes."
        return Export({"task_ids.json": json_file(lists)}, commands, [Note("episodes", text)])


def _read(file: LogFile) -> Run:
    info = file.json()
    name = unpacked_name(file.path).stem
    if "per_task" in info:
        rows: dict[str, list[LogRow]] = {}
        for task in info["per_task"]:
            rows.setdefault(to_id(task.get("task_group"), file), []).extend(_of_task(task, file))
        groups = info.get("per_group") or {}
        totals = [one for group, told in groups.items() for one in _totals(told, group)]
        totals.extend(_totals(info.get("overall") or {}, None))
    else:
        rows = {"": [row for one in info["per_episode"] for row in _of_episode(one, file)]}
        totals = list(_totals(info.get("aggregated") or {}, None))
    return Run(
        harness=LeRobot.name,
        model=(file.path.parent.name if name == "eval_info" else name) or name,
        parts=[LogPart(file.path, each, task, file.given.model) for task, each in rows.items()],
        totals=totals,
        bounds={"success": (0.0, 1.0)},
    )


def _of_task(task: Mapping[str, Any], file: LogFile) -> Iterator[LogRow]:
    """Give the episodes of a task of a suite, by metric.

    Raises:
        FileError: the lists are none, or not of one length.
    """
    own = to_id(task.get("task_id"), file)
    told = task.get("metrics") or {}
    lists = {metric: told.get(key) for metric, (key, *_) in METRICS.items()}
    lengths = {len(one) if isinstance(one, list) else -1 for one in lists.values()}
    if len(lengths) != 1 or -1 in lengths:
        needed = ", ".join(key for key, *_ in METRICS.values())
        raise FileError(f"task {own!r} needs lists of one length: {needed}.", path=file.path)
    for metric, values in lists.items():
        for episode, value in enumerate(values or ()):
            score = to_number(value, metric, file)
            yield _row(f"{own}/{episode}", metric, score)


def _of_episode(episode: Mapping[str, Any], file: LogFile) -> Iterator[LogRow]:
    """Give the metrics of an episode of one environment, which the seed tells."""
    own = to_id(episode.get("episode_ix"), file)
    seed = episode.get("seed")
    digest = None if seed is None else f"seed {seed}"
    for metric, (_, key, *_rest) in METRICS.items():
        yield _row(own, metric, to_number(episode.get(key), metric, file), digest)


def _row(item: str, metric: str, score: float | None, digest: str | None = None) -> LogRow:
    return LogRow(item, metric, score, "unscored" if score is None else "scored", digest=digest)


def _totals(told: Mapping[str, Any], task: str | None) -> Iterator[Total]:
    for metric, (_, _, key, times) in METRICS.items():
        if told.get(key) is not None:
            yield Total(metric, float(told[key]) / times, task)

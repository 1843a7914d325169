"""LeRobot: the chosen tasks of each suite as an option."""

import json
from typing import ClassVar, final

from bestrand.harnesses.base import FOLDER, Export, Harness, Selection
from bestrand.harnesses.selection import is_position, positions, require_ids
from bestrand.harnesses.values import json_file
from bestrand.notes import Note


@final
class LeRobot(Harness):
    """The option `--env.task_ids` of `lerobot-eval` on LIBERO, a command a suite."""

    name: ClassVar[str] = "lerobot"
    title: ClassVar[str] = "LeRobot"
    versions: ClassVar[str] = "0.6.1"
    has_tasks: ClassVar[bool] = True

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

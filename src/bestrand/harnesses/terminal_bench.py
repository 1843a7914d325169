"""Terminal-Bench: the chosen tasks as options."""

import glob
from typing import ClassVar, final

from bestrand.harnesses.base import Export, Harness, Selection
from bestrand.harnesses.selection import is_one_line, require_ids


@final
class TerminalBench(Harness):
    """The options `--task-id` of `tb run`."""

    name: ClassVar[str] = "terminal-bench"
    title: ClassVar[str] = "Terminal-Bench"
    versions: ClassVar[str] = "0.2.18"

    def export(self, chosen: Selection) -> Export:
        """Pass the tasks, escaped as patterns, and list them in a file; see `Harness.export`."""
        require_ids(chosen, is_one_line, self, "A task is called by one line.")
        command = [
            *("tb", "run", "--dataset", chosen.dataset or "DATASET"),
            *("--run-id", chosen.run_name, "--agent", "AGENT", "--model", "MODEL"),
            *(word for item in chosen.ids for word in ("--task-id", glob.escape(item))),
        ]
        return Export({"task_ids.txt": "".join(f"{i}\n" for i in chosen.ids).encode()}, [command])

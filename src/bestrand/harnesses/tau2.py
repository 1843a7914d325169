"""tau2-bench: the chosen tasks of each domain as options."""

from typing import ClassVar, final

from bestrand.harnesses.base import Export, Harness, Selection
from bestrand.harnesses.selection import is_one_word, require_ids
from bestrand.harnesses.values import json_file


@final
class Tau2Bench(Harness):
    """The options `--task-ids` of `tau2 run`, a command a domain."""

    name: ClassVar[str] = "tau2"
    title: ClassVar[str] = "tau2-bench"
    versions: ClassVar[str] = "1.0.1"
    has_tasks: ClassVar[bool] = True

    def export(self, chosen: Selection) -> Export:
        """Pass the tasks of each domain, and list them in a file; see `Harness.export`."""
        require_ids(chosen, is_one_word, self, "A task id is one word.")
        commands = [
            [
                *("tau2", "run", "--domain", domain, "--agent-llm", "MODEL"),
                *("--user-llm", "USER_MODEL", "--save-to", f"{chosen.run_name}-{domain}"),
                *("--task-ids", *items),
            ]
            for domain, items in chosen.by_task.items()
        ]
        lists = {domain: list(items) for domain, items in chosen.by_task.items()}
        return Export({"task_ids.json": json_file(lists)}, commands)

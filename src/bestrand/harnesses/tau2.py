"""tau2-bench: simulations of a domain's tasks, in one file or a folder, and the tasks to run."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, final

from bestrand.errors import FileError
from bestrand.harnesses.base import Claim, Export, Harness, LogPart, LogRow, Run, Selection
from bestrand.harnesses.files import LogFile
from bestrand.harnesses.selection import is_one_word, require_ids
from bestrand.harnesses.values import json_file, to_id, to_number


BEGIN = rb'\s*\{\s*(?:"format_version":[^,{]*,\s*)?(?:"timestamp":[^,{]*,\s*)?'
RUN = re.compile(BEGIN + rb'"info":\s*\{\s*"git_commit":')
SIMULATION = re.compile(rb'\s*\{\s*"id":\s*"[^"]*",\s*"task_id":\s*[^,{]*,\s*"timestamp":')

# simulations that never were, which tau2-bench leaves out
NOT_RUN = ("infrastructure_error", "context_window_exceeded")
# faults of the surroundings, which tau2-bench counts with the reward that stands there
NOT_THE_AGENT = ("user_error", "unexpected_error")


@final
class Tau2Bench(Harness):
    """The results of `tau2 run`: one JSON file, or `results.json` beside a folder `simulations`.

    An item is `DOMAIN:task_id`; trials are averaged. Metrics: `success` (the reward is 1, within a
    millionth) and `reward`. Of a folder the index in `results.json` is read alone. Simulations that
    infrastructure ended, or a full context window, are errored.
    """

    name: ClassVar[str] = "tau2"
    title: ClassVar[str] = "tau2-bench"
    versions: ClassVar[str] = "1.0.1"
    has_tasks: ClassVar[bool] = True

    def claim(self, file: LogFile) -> Claim | None:
        """Claim results, and the simulations beside them; see `Harness.claim`."""
        if RUN.match(file.head):
            return "log"
        beside = file.path.parent.name == "simulations" and SIMULATION.match(file.head)
        return "companion" if beside else None

    def read(self, files: Sequence[LogFile]) -> Iterator[Run]:
        """Read a run a results file; see `Harness.read`."""
        for file in files:
            if self.claim(file) == "log":
                yield _read(file)

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


def _read(file: LogFile) -> Run:
    results = file.json()
    info = results["info"]
    domain = (info.get("environment_info") or {}).get("domain_name")
    if not isinstance(domain, str):
        raise FileError("`info.environment_info.domain_name` must be text.", path=file.path)
    agent = info.get("agent_info") or {}
    index = results.get("simulation_index")
    entries = results.get("simulations") if index is None else index
    if not isinstance(entries, list) or (index is None and not entries):
        raise FileError(
            "neither `simulation_index` nor `simulations` lists what was run. Let the run end, or "
            "write it as one file with tau2-bench.",
            path=file.path,
        )
    trials = info.get("num_trials") or 1
    planned = len(results.get("tasks") or []) * trials
    commit = str(info.get("git_commit") or "")
    rows = [row for one in entries for row in _rows(one, file, again=trials > 1)]
    return Run(
        harness=Tau2Bench.name,
        model=str(agent.get("llm") or agent.get("implementation") or file.path.stem),
        parts=[LogPart(file.path, rows, domain, file.given.model)],
        versions={domain: commit} if commit else {},
        harness_version=commit,
        bounds={"success": (0.0, 1.0)},
        unfinished=f"{len(entries)} of {planned} simulations" if len(entries) < planned else "",
    )


def _rows(entry: Mapping[str, Any], file: LogFile, *, again: bool) -> Iterator[LogRow]:
    """Give both metrics of a simulation, as the index or the simulation itself has it."""
    item = to_id(entry.get("task_id"), file)
    repeat = str(entry.get("trial")) if again else None
    said = entry["reward"] if "reward" in entry else (entry.get("reward_info") or {}).get("reward")
    reward = to_number(said, "reward", file)
    ended = str(entry.get("termination_reason") or "")
    for metric in ("success", "reward"):
        if ended in NOT_RUN:
            yield LogRow(item, metric, None, "errored", fault=ended, repeat=repeat)
        elif reward is None:
            yield LogRow(item, metric, None, "unscored", repeat=repeat)
        else:
            score = reward if metric == "reward" else float(abs(reward - 1.0) <= 1e-6)
            fault = ended if ended in NOT_THE_AGENT else None
            yield LogRow(item, metric, score, fault=fault, repeat=repeat)

"""Terminal-Bench: the results of a run, with its metadata beside them."""

import glob
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, final

from bestrand.errors import FileError
from bestrand.harnesses.base import Claim, Export, Harness, LogPart, LogRow, Run, Selection, Total
from bestrand.harnesses.files import LogFile
from bestrand.harnesses.selection import is_one_line, require_ids
from bestrand.harnesses.values import digest_of, short


METRIC = "resolved"
RUN = re.compile(rb'\s*\{\s*(?:"id":\s*"[^"]*",\s*)?"results":\s*\[\s*\{')
TRIAL = re.compile(rb'\s*\{\s*(?:"id":\s*"[^"]*",\s*)?"trial_name":\s*"[^"]*",\s*"task_id":')
METADATA = "run_metadata.json"
# failures that are not the agent's own, as running out of time or of context is
NOT_THE_AGENT = ("unknown", "unknown_agent_error", "agent_installation_failed", "test_timeout")


@final
class TerminalBench(Harness):
    """The runs that `tb run` writes: `RUN/results.json`, with `run_metadata.json`.

    An item is a task, by its id; attempts are averaged. A model is `AGENT__MODEL`. An attempt that
    was not judged is errored; Terminal-Bench counts it as not resolved.
    """

    name: ClassVar[str] = "terminal-bench"
    title: ClassVar[str] = "Terminal-Bench"
    versions: ClassVar[str] = "0.2.18"

    def claim(self, file: LogFile) -> Claim | None:
        """Claim results of runs, and what goes with them; see `Harness.claim`."""
        head = file.head
        if file.name == METADATA:
            return "companion" if b'"run_id":' in head and b'"agent_name":' in head else None
        if TRIAL.match(head) and b'"failure_mode":' in head:
            return "companion"
        is_run = RUN.match(head) and b'"trial_name":' in head and b'"task_id":' in head
        return "log" if is_run else None

    def read(self, files: Sequence[LogFile]) -> Iterator[Run]:
        """Read a run a results file; see `Harness.read`."""
        beside = {file.path.parent: file for file in files if file.name == METADATA}
        for file in files:
            if self.claim(file) == "log":
                metadata = beside.get(file.path.parent)
                yield _read(file, metadata.json() if metadata else {})

    def export(self, chosen: Selection) -> Export:
        """Pass the tasks, escaped as patterns, and list them in a file; see `Harness.export`."""
        require_ids(chosen, is_one_line, self, "A task is called by one line.")
        command = [
            *("tb", "run", "--dataset", chosen.dataset or "DATASET"),
            *("--run-id", chosen.run_name, "--agent", "AGENT", "--model", "MODEL"),
            *(word for item in chosen.ids for word in ("--task-id", glob.escape(item))),
        ]
        return Export({"task_ids.txt": "".join(f"{i}\n" for i in chosen.ids).encode()}, [command])


def _read(file: LogFile, metadata: Mapping[str, Any]) -> Run:
    whole = file.json()
    trials: list[Mapping[str, Any]] = whole["results"]
    tasks = [_task(trial, file) for trial in trials]
    rows = [
        _row(task, trial, file, again=tasks.count(task) > 1)
        for task, trial in zip(tasks, trials, strict=True)
    ]
    names = [str(metadata[key]) for key in ("agent_name", "model_name") if metadata.get(key)]
    planned = (metadata.get("dataset_size") or 0) * (metadata.get("n_attempts") or 1)
    accuracy = whole.get("accuracy")
    has_version = metadata.get("dataset_version") and metadata.get("dataset_name")
    version = f"{metadata['dataset_name']}=={metadata['dataset_version']}" if has_version else ""
    return Run(
        harness=TerminalBench.name,
        model="__".join(names) or file.path.parent.name or file.path.stem,
        parts=[LogPart(file.path, rows, named=file.given.model)],
        totals=[]
        if accuracy is None
        else [Total(METRIC, float(accuracy), errors="zero", over="rows")],
        versions={"": version} if version else {},
        bounds={METRIC: (0.0, 1.0)},
        unfinished=f"{len(trials)} of {planned} trials" if len(trials) < planned else "",
    )


def _task(trial: Mapping[str, Any], file: LogFile) -> str:
    task = trial.get("task_id")
    if not isinstance(task, str):
        raise FileError("`task_id` must be text.", path=file.path)
    return task


def _row(task: str, trial: Mapping[str, Any], file: LogFile, *, again: bool) -> LogRow:
    resolved, mode = trial.get("is_resolved"), str(trial.get("failure_mode"))
    if not isinstance(resolved, bool | None):
        raise FileError(
            f"`is_resolved` of task {task!r} must be true, false or null, got {short(resolved)}.",
            path=file.path,
        )
    instruction = trial.get("instruction")
    return LogRow(
        task,
        METRIC,
        None if resolved is None else float(resolved),
        "errored" if resolved is None else "scored",
        fault=mode if resolved is None or mode in NOT_THE_AGENT else None,
        repeat=str(trial.get("trial_name")) if again else None,
        digest=digest_of(instruction) if isinstance(instruction, str) else None,
    )

"""Harbor: trials of agents on tasks, one folder each, with a job's result beside them."""

import glob
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple, final

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
from bestrand.harnesses.values import json_file, to_number


BEGIN = rb'\s*\{\s*(?:"schema_version":\s*\d+,\s*)?'
TRIAL = re.compile(BEGIN + rb'"id":\s*"[^"]*",\s*"task_name":')
JOB = re.compile(BEGIN + rb'"id":\s*"[^"]*",\s*"started_at":')
USUAL = "reward"


class _Key(NamedTuple):
    """What Harbor puts together: trials of a job by one agent and model on one dataset."""

    job: Path
    model: str
    dataset: str


@final
class Harbor(Harness):
    """The jobs that Harbor writes: `JOB/TRIAL/result.json`, and `JOB/result.json`.

    An item is a task, by its name; its trials are averaged. A model is `AGENT__MODEL`, as Harbor
    calls the pair. A metric is a key of the rewards. A trial without a reward, or one whose reward
    Harbor holds for invalid, is errored.
    """

    name: ClassVar[str] = "harbor"
    title: ClassVar[str] = "Harbor"
    versions: ClassVar[str] = "0.26.0"

    def claim(self, file: LogFile) -> Claim | None:
        """Claim results of trials, and what goes with them; see `Harness.claim`."""
        if file.name == "result.json":
            if TRIAL.match(file.head) and b'"trial_name":' in file.head:
                return "log"
            return (
                "companion" if JOB.match(file.head) and b'"n_total_trials"' in file.head else None
            )
        if file.name not in ("config.json", "lock.json"):
            return None
        with_trials = b'"trials_dir":' in file.head or b'"jobs_dir":' in file.head
        is_lock = file.name == "lock.json" and b'"harbor":' in file.head
        return "companion" if with_trials or is_lock else None

    def read(self, files: Sequence[LogFile]) -> Iterator[Run]:
        """Read a run a job, agent, model and dataset; see `Harness.read`."""
        jobs = {file.path.parent: file for file in files if _is_job(file)}
        found: dict[_Key, list[tuple[LogFile, Mapping[str, Any]]]] = {}
        for file in files:
            if self.claim(file) == "log":
                trial = file.json()
                found.setdefault(_key(trial, file), []).append((file, trial))
        for key, trials in found.items():
            yield _run(key, trials, jobs.get(key.job))

    def export(self, chosen: Selection) -> Export:
        """Write a job with the tasks by name, escaped as patterns; see `Harness.export`."""
        names = [glob.escape(item) for item in chosen.ids]
        job = {
            "job_name": chosen.run_name,
            "datasets": [{"name": chosen.dataset or "DATASET", "task_names": names}],
        }
        command = ["harbor", "run", "-c", f"{FOLDER}/job.json", "-a", "AGENT", "-m", "MODEL"]
        return Export({"job.json": json_file(job)}, [command])


def _is_job(file: LogFile) -> bool:
    return file.name == "result.json" and not TRIAL.match(file.head)


def _key(trial: Mapping[str, Any], file: LogFile) -> _Key:
    agent = trial.get("agent_info") or {}
    model = (agent.get("model_info") or {}).get("name")
    names = [agent.get("name") or "agent", model]
    return _Key(
        file.path.parent.parent,
        "__".join(str(name) for name in names if name),
        str(trial.get("source") or "adhoc"),
    )


def _run(
    key: _Key, trials: Sequence[tuple[LogFile, Mapping[str, Any]]], job_file: LogFile | None
) -> Run:
    tasks = [_task(trial, file) for file, trial in trials]
    metrics = sorted({name for _, trial in trials for name in _rewards(trial)}) or [USUAL]
    job = job_file.json() if job_file else {}
    stats = job.get("stats") or {}
    done = stats.get("n_completed_trials", stats.get("n_trials"))
    ended = not job or job.get("finished_at") is not None
    rows = [
        _row(task, trial, metric, file, again=tasks.count(task) > 1)
        for task, (file, trial) in zip(tasks, trials, strict=True)
        for metric in metrics
    ]
    path = (job_file or trials[0][0]).path
    judged = all("reward_valid" in trial for _, trial in trials)
    return Run(
        harness=Harbor.name,
        model=key.model,
        parts=[LogPart(path, rows, named=trials[0][0].given.model)],
        totals=list(_totals(stats, key, metrics, judged=judged)),
        unfinished="" if ended else f"{done} of {job.get('n_total_trials')} trials",
    )


def _task(trial: Mapping[str, Any], file: LogFile) -> str:
    task = trial.get("task_name")
    if not isinstance(task, str):
        raise FileError("`task_name` must be text.", path=file.path)
    return task


def _rewards(trial: Mapping[str, Any]) -> Mapping[str, Any]:
    rewards = (trial.get("verifier_result") or {}).get("rewards")
    return rewards if isinstance(rewards, dict) else {}


def _row(task: str, trial: Mapping[str, Any], metric: str, file: LogFile, *, again: bool) -> LogRow:
    """Give one reward of a trial; where others are there and this one is not, Harbor counts 0."""
    rewards = _rewards(trial)
    fault = _fault(trial)
    valid = bool(rewards) and trial.get("reward_valid", True)
    score = to_number(rewards.get(metric, 0.0), metric, file) if valid else None
    if not valid and fault is None:
        fault = "no reward"
    return LogRow(
        task,
        metric,
        score,
        "errored" if not valid else "unscored" if score is None else "scored",
        fault=fault,
        repeat=str(trial.get("trial_name")) if again else None,
        group=trial.get("source"),
        digest=trial.get("task_checksum"),
    )


def _fault(trial: Mapping[str, Any]) -> str | None:
    """Give the type of the first exception, of the trial or of one of its steps."""
    for one in (trial, *(trial.get("step_results") or ())):
        if one.get("exception_info"):
            return str(one["exception_info"].get("exception_type"))
    return None


def _totals(
    stats: Mapping[str, Any], key: _Key, metrics: Sequence[str], *, judged: bool
) -> Iterator[Total]:
    """Give the mean where there is one kind of reward; else the keys do not say what was done.

    Harbor leaves invalid rewards out since it says which are valid, and counted them as 0 before.
    """
    of_run = (stats.get("evals") or {}).get(f"{key.model}__{key.dataset}") or {}
    means = [one["mean"] for one in of_run.get("metrics") or () if list(one) == ["mean"]]
    if means and len(metrics) == 1:
        errors: Literal["missing", "zero"] = "missing" if judged else "zero"
        yield Total(metrics[0], float(means[0]), errors=errors, over="rows")

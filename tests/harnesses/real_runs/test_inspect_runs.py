"""Inspect, run for real: export, run, verify; then each fault made on purpose."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import bestrand as br
from bestrand.core.manifest import Manifest
from bestrand.errors import ManifestError
from tests.conftest import Run
from tests.harnesses.real_runs.environment import (
    MARKS,
    Environment,
    checks_of,
    environment,
    filled,
)


pytestmark = MARKS
HOSTILE = [
    *("case[1]", "a,b", "*_adv", "题/3", "x:10", " lead", "caf\u00e9", "cafe\u0301", "=1+1"),
    *("null", "NA", "-3", "a?b", "!z", 'q"uote', "new\nline", "#h", "{x}"),
]
OTHERS = ["case1", "x_adv", "axb", "lead", "h", "Null", "\U0001f600", "-" * 200]
NUMBERS = ["7", "007", "٧", "8", "9", "09", "70"]
IDS: dict[str, list[Any]] = {
    "hostile": [*HOSTILE, *OTHERS],
    "numbers": NUMBERS,
    "whole": list(range(1, 13)),
    "plain": [f"p{k}" for k in range(10)],
    # names that Inspect does not tell apart from others, in one run
    "Plain": ["p0", "p1"],
    "co:lon": ["a", "b:c", "co:lon:a", "plain:p1"],
}
CHOSEN: dict[str, list[str]] = {
    "hostile": HOSTILE,
    "numbers": ["7", "007", "٧", "8"],
    "whole": ["3", "12"],
    "plain": ["p0", "p9"],
}
ODD = {"Plain": ["p1"], "co:lon": ["b:c", "co:lon:a", "plain:p1"]}
EVALS = '''
"""Four tasks; answers depend on model and item alone."""
import hashlib
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import includes
from inspect_ai.solver import solver

@solver
def toss():
    async def solve(state, generate):
        if "fails" in str(state.model) and state.sample_id in ("a,b", "p9"):
            raise RuntimeError("boom")
        key = f"{state.model}|{state.sample_id}".encode()
        right = hashlib.sha256(key).digest()[0] < 150
        state.output = ModelOutput.from_content(str(state.model), "yes" if right else "no")
        return state
    return solve

def make(ids):
    samples = [Sample(id=item, input=f"Question {k}?", target="yes") for k, item in enumerate(ids)]
    data = MemoryDataset(samples, name="data")
    return Task(data, solver=[toss()], scorer=[includes()], fail_on_error=False, version=VERSION)

'''
EVAL_SET = """
import json, sys
from inspect_ai import eval_set

folder, *lists = json.loads(sys.stdin.read())
for config in lists:
    eval_set(["evals.py@plain"], model="mockllm/target", log_dir=folder, display="none",
             sample_id=config["eval_config"]["sample_id"], metadata=config["metadata"])
"""
SHOW = """
import json, sys
from inspect_ai.log import list_eval_logs, read_eval_log

found = {}
for one in list_eval_logs(sys.argv[1]):
    log = read_eval_log(one)
    found.setdefault(log.eval.task, []).extend(str(sample.id) for sample in log.samples or [])
print(json.dumps(found))
"""
MAIN = ("inspect_ai._cli.main", "main")


def evals(ids: dict[str, list[Any]], version: int = 1) -> str:
    """Return a module of tasks."""
    tasks = [
        f"@task(name={name!r})\ndef task_{k}():\n    return make({each!r})\n"
        for k, (name, each) in enumerate(ids.items())
    ]
    return "\n".join([EVALS.replace("VERSION", str(version)), *tasks])


class Benchmark(NamedTuple):
    """Four tasks, logs of two models over all of them, and chosen items."""

    env: Environment
    folder: Path
    full: Path
    scores: br.ScoreTable
    subset: Manifest


@pytest.fixture(scope="module")
def benchmark(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    """Run everything with two models, and choose the hostile ids and some others."""
    env = environment("inspect", "inspect_ai==0.3.285")
    folder = tmp_path_factory.mktemp("inspect")
    (folder / "evals.py").write_text(evals(IDS), encoding="utf-8")
    models = "mockllm/one,mockllm/two"
    words = ["inspect", "eval", "evals.py", "--model", models, "--log-dir", "full"]
    env.run([*words, "--display", "none"], folder)
    scores = br.read_scores(folder / "full")
    ids = [f"{task}:{item}" for task, items in CHOSEN.items() for item in items]
    return Benchmark(env, folder, folder / "full", scores, br.adopt(ids, frame=scores))


def config_of(benchmark: Benchmark, ids: Iterable[str], folder: Path) -> dict[str, Any]:
    """Export items, and return the configuration that was written."""
    subset = br.adopt(list(ids), frame=benchmark.scores)
    br.export(subset, "inspect-ai", folder, items=benchmark.scores.matrix().frame)
    config = json.loads((folder / "run_config.json").read_bytes())

    assert isinstance(config, dict)
    return config


def command(tasks: Iterable[str], config: Path, logs: Path, model: str) -> list[str]:
    """Return the command that runs tasks with a configuration."""
    return [
        *("inspect", "eval", *tasks, "--run-config", str(config)),
        *("--model", model, "--log-dir", str(logs), "--display", "none"),
    ]


def test_exactly_the_chosen_samples_run(benchmark: Benchmark, tmp_path: Path, run: Run) -> None:
    path, logs = tmp_path / "subset.json", tmp_path / "run" / "logs"
    chosen = {**CHOSEN, **ODD}
    items = [f"{task}:{item}" for task, each in chosen.items() for item in each]
    br.adopt(items, frame=benchmark.scores).write(path)
    every = tmp_path / "every.json"
    every.write_text(json.dumps(benchmark.scores.items["item"].to_list()))
    options = ["--to", "inspect-ai", "--items", every, "-o", tmp_path / "run", "--json"]
    exported = run("export", path, *options)

    assert exported.code == 0, exported.err
    commands = exported.json["commands"]

    assert len(commands) == 1 + len(ODD)
    for one in commands:
        filled_in = filled(one, **{"FILE.py": "evals.py", "MODEL": "mockllm/target"})
        benchmark.env.run([*filled_in, "--display", "none"], benchmark.folder)
    shown = benchmark.env.run(["python", "-c", SHOW, str(logs)], tmp_path)
    ran = json.loads(shown)

    assert {task: sorted(items) for task, items in ran.items()} == {
        task: sorted(items) for task, items in chosen.items()
    }
    verified = run("verify", path, logs, "--against", benchmark.full, "--json")

    assert verified.code == 0, verified.out + verified.err
    passed = [check["name"] for check in verified.json["checks"] if check["outcome"] == "passed"]
    assert passed == ["items", "manifest"]


def test_ids_that_are_one_number_are_refused(benchmark: Benchmark, tmp_path: Path) -> None:
    subset = br.adopt(["numbers:7", "plain:p0"], frame=benchmark.scores)
    with pytest.raises(ManifestError, match="007"):
        br.export(subset, "inspect-ai", tmp_path, items=benchmark.scores.matrix().frame)

    assert not list(tmp_path.iterdir())


def _left_out(config: dict[str, Any]) -> None:
    config["eval_config"]["sample_id"].remove("hostile:case[[]1]")


def _a_pattern(config: dict[str, Any]) -> None:
    ids = config["eval_config"]["sample_id"]
    ids[ids.index("hostile:[*]_adv")] = "hostile:*_adv"


def _one_number(config: dict[str, Any]) -> None:
    config["eval_config"]["sample_id"].append("numbers:9")


def _of_another(config: dict[str, Any]) -> None:
    config["metadata"]["bestrand"]["digest"] = "0" * 64


Wrong = dict[str, set[str]]
FAULTS: list[tuple[str, Callable[[dict[str, Any]], None] | None, str, Wrong]] = [
    ("left out", _left_out, "target", {"missing": {"hostile:case[1]"}}),
    ("a pattern", _a_pattern, "target", {"extra": {"hostile:x_adv"}}),
    ("one number", _one_number, "target", {"extra": {"numbers:9", "numbers:09"}}),
    ("of another", _of_another, "target", {"manifest": set()}),
    ("errors", None, "fails", {"errored": {"hostile:a,b", "plain:p9"}}),
]


@pytest.fixture(scope="module")
def faulty(benchmark: Benchmark, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run each fault of the list into a folder called after it, in one process."""
    folder = tmp_path_factory.mktemp("faults")
    commands = []
    tasks = [f"evals.py@{task}" for task in CHOSEN]
    for name, change, model, _ in FAULTS:
        config = config_of(benchmark, benchmark.subset.items, folder / name)
        if change is not None:
            change(config)
        path = folder / name / "changed.json"
        path.write_text(json.dumps(config))
        commands.append(command(tasks, path, folder / name / "logs", f"mockllm/{model}"))
    benchmark.env.run_all(MAIN, commands, benchmark.folder)
    return folder


@pytest.mark.parametrize(("name", "wrong"), [(name, wrong) for name, _, _, wrong in FAULTS])
def test_faults_are_named(benchmark: Benchmark, faulty: Path, name: str, wrong: Wrong) -> None:
    assert checks_of(benchmark.subset, faulty / name / "logs") == wrong


def test_another_version_of_the_benchmark_is_named(benchmark: Benchmark, tmp_path: Path) -> None:
    config_of(benchmark, benchmark.subset.items, tmp_path)
    grown = {**IDS, "plain": [*IDS["plain"], "p10"]}
    (tmp_path / "evals.py").write_text(evals(grown, version=2), encoding="utf-8")
    tasks = [f"evals.py@{task}" for task in CHOSEN]
    words = command(tasks, tmp_path / "run_config.json", tmp_path / "logs", "mockllm/target")
    benchmark.env.run(words, tmp_path)
    found = br.verify(benchmark.subset, br.read_scores(tmp_path / "logs"))
    failed = [check for check in found.checks if check.outcome == "failed"]

    assert [check.name for check in failed if "'plain'" in check.text] == ["size", "version"]
    assert {check.name for check in failed} == {"size", "version"}


def test_an_eval_set_that_hands_back_another_run_is_named(
    benchmark: Benchmark, tmp_path: Path
) -> None:
    lists = [[f"plain:p{k}" for k in chosen] for chosen in ((0, 1, 2), (2, 3, 4))]
    configs = [config_of(benchmark, ids, tmp_path / ids[-1][-1]) for ids in lists]
    benchmark.env.run(
        ["python", "-c", EVAL_SET],
        benchmark.folder,
        stdin=json.dumps([str(tmp_path / "logs"), *configs]),
    )
    wrong = checks_of(br.adopt(lists[1], frame=benchmark.scores), tmp_path / "logs")

    assert wrong == {
        "missing": {"plain:p3", "plain:p4"},
        "extra": {"plain:p0", "plain:p1"},
        "manifest": set(),
    }


def test_two_runs_of_one_model_are_named(benchmark: Benchmark, tmp_path: Path) -> None:
    config_of(benchmark, ["plain:p0", "plain:p9"], tmp_path)
    words = command(
        ["evals.py@plain"], tmp_path / "run_config.json", tmp_path / "logs", "mockllm/target"
    )
    benchmark.env.run_all(MAIN, [words, words], benchmark.folder)

    assert len(list((tmp_path / "logs").glob("*.eval"))) == 2
    subset = br.adopt(["plain:p0", "plain:p9"], frame=benchmark.scores)

    assert checks_of(subset, tmp_path / "logs") == {"duplicate": {"plain:p0", "plain:p9"}}


def test_tasks_without_a_chosen_sample_are_left_aside(benchmark: Benchmark, tmp_path: Path) -> None:
    config_of(benchmark, ["plain:p0", "plain:p9"], tmp_path)
    words = command(["evals.py"], tmp_path / "run_config.json", tmp_path / "logs", "mockllm/target")
    benchmark.env.run(words, benchmark.folder)
    subset = br.adopt(["plain:p0", "plain:p9"], frame=benchmark.scores)

    assert len(list((tmp_path / "logs").glob("*.eval"))) == len(IDS)
    # the case of a task's name does not count, so that the command must name the tasks
    assert checks_of(subset, tmp_path / "logs") == {"extra": {"Plain:p0"}}

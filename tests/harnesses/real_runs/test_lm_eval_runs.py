"""lm-eval, run for real: export, run, verify; then each fault made on purpose."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

import bestrand as br
from bestrand.core.manifest import Manifest
from bestrand.errors import BestrandError
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
    *("007", "a,b", "case[1]", "*_adv", "题/3", "x:10", " lead", "caf\u00e9", "cafe\u0301", "=1+1"),
    *("null", "-3", 'q"uote', "it's", "new\nline", "a\\b", "\U0001f600", "z" * 500),
]
CHOSEN = {
    "real": list(range(1, 36, 2)),  # the hostile ones, each after one that is not chosen
    "real_gen": [2, 5],
    "real_shot": [1, 3, 4, 9],
    "real_shot_first": [0, 7, 9],
}
Lists = dict[str, list[int]]
CHOICE = """task: {name}
dataset_path: json
dataset_kwargs: {{data_files: {{test: {name}.jsonl, train: shots.jsonl}}}}
test_split: test
{more}output_type: multiple_choice
doc_to_text: "{{{{q}}}}\\nAnswer:"
doc_to_choice: "{{{{choices}}}}"
doc_to_target: gold
metric_list:
  - {{metric: acc, aggregation: mean, higher_is_better: true}}
metadata: {{version: {version}}}
"""
GENERATED = """task: real_gen
dataset_path: json
dataset_kwargs: {data_files: {test: real_gen.jsonl}}
test_split: test
output_type: generate_until
doc_to_text: "{{q}}"
doc_to_target: "{{a}}"
generation_kwargs: {until: ["\\n"], do_sample: false}
repeats: 2
filter_list:
  - name: strict-match
    filter: [{function: regex, regex_pattern: "(\\\\d+)"}, {function: take_first}]
  - name: flexible-extract
    filter: [{function: take_first}]
metric_list:
  - {metric: exact_match, aggregation: mean, higher_is_better: true}
metadata: {version: 1.0}
"""
SHOTS = "fewshot_split: train\nnum_fewshot: 2\n"
FIRST = "fewshot_split: train\nnum_fewshot: 2\nfewshot_config: {sampler: first_n}\n"
MAIN = ("lm_eval.__main__", "cli_evaluate")
# finding the tasks that come with lm-eval takes it 8 s a run
ONLY_OWN_TASKS = """
import functools
from lm_eval.tasks import TaskManager
TaskManager.__init__ = functools.partialmethod(TaskManager.__init__, include_defaults=False)
"""


def write(folder: Path, *, n: int = 10, version: str = "1.0", word: str = "Is") -> None:
    """Write four tasks with their data; `n` of real_shot_first, `version` of real."""
    folder.mkdir()
    ids = [name for k, item in enumerate(HOSTILE) for name in (f"plain {k}", item)]
    data = {
        "real": [f"{word} {k} ({item}) even?" for k, item in enumerate(ids)],
        "real_shot": [f"Even, {k}?" for k in range(10)],
        "real_shot_first": [f"Odd, {k}?" for k in range(n)],
        "shots": [f"Shot {k}?" for k in range(12)],
    }
    for name, questions in data.items():
        rows = [
            {"id": k, "q": question, "choices": ["yes", "no"], "gold": k % 2}
            for k, question in enumerate(questions)
        ]
        dump(folder / f"{name}.jsonl", rows)
    gen = [{"q": f"What is {k}?", "a": "lol" if k in (2, 4) else "no"} for k in range(8)]
    dump(folder / "real_gen.jsonl", gen)
    for name, more in (("real", ""), ("real_shot", SHOTS), ("real_shot_first", FIRST)):
        own = version if name == "real" else "2.0"
        text = CHOICE.format(name=name, more=more, version=own)
        (folder / f"{name}.yaml").write_text(text)
    (folder / "real_gen.yaml").write_text(GENERATED)


def dump(path: Path, rows: Sequence[Mapping[str, object]]) -> None:
    """Write JSON lines."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


class Benchmark(NamedTuple):
    """Four tasks, logs of two models over all of them, and chosen items."""

    env: Environment
    tasks: Path
    full: Path
    scores: br.ScoreTable
    subset: Manifest
    variables: dict[str, str]


def command(model: str, logs: Path, *more: str, tasks: str = "") -> list[str]:
    """Return the words that run tasks."""
    return [
        *("lm-eval", "run", "--model", "dummy", "--model_args", f"pretrained=acme/{model}"),
        *("--tasks", tasks or ",".join(CHOSEN), "--include_path", ".", "--seed", str(len(model))),
        *("--log_samples", "--output_path", str(logs), *more),
    ]


def run_all(benchmark: Benchmark, commands: list[list[str]], tasks: Path | None = None) -> str:
    """Run several commands in one process."""
    where = tasks or benchmark.tasks
    return benchmark.env.run_all(
        MAIN, commands, where, before=ONLY_OWN_TASKS, variables=benchmark.variables
    )


@pytest.fixture(scope="module")
def benchmark(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    """Run everything with two models, and choose the hostile documents and some others."""
    env = environment("lm-eval", "lm_eval==0.4.13")
    folder = tmp_path_factory.mktemp("lm-eval")
    tasks, full = folder / "tasks", folder / "full"
    write(tasks)
    variables = {
        "HF_HOME": str(folder / "hf"),
        "LM_HARNESS_CACHE_PATH": str(folder / "cache"),
    }
    commands = [command(model, full) for model in ("one", "second")]
    env.run_all(MAIN, commands, tasks, before=ONLY_OWN_TASKS, variables=variables)
    scores = read(full)
    ids = [f"{task}:{k}" for task, places in CHOSEN.items() for k in places]
    return Benchmark(env, tasks, full, scores, br.adopt(ids, frame=scores), variables)


def read(*logs: Path) -> br.ScoreTable:
    """Read logs of tasks with different metrics."""
    return br.read_scores(list(logs))


def test_exactly_the_chosen_documents_run(benchmark: Benchmark, tmp_path: Path, run: Run) -> None:
    path, logs = tmp_path / "subset.json", tmp_path / "run" / "logs"
    benchmark.subset.write(path)
    exported = run("export", path, "--to", "lm-eval", "-o", tmp_path / "run", "--json")

    assert exported.code == 0, exported.err
    [words] = exported.json["commands"]
    words = filled(words, MODEL="dummy", ARGS="pretrained=acme/target")
    words = [*words, "--include_path", "."]
    benchmark.env.run(words, benchmark.tasks, variables=benchmark.variables)
    ran: dict[str, set[int]] = {}
    for file in logs.glob("*/samples_*.jsonl"):
        rows = [json.loads(line) for line in file.read_text("utf-8").split("\n") if line]
        ran[file.name.removeprefix("samples_").rpartition("_")[0]] = {r["doc_id"] for r in rows}

    assert ran == {task: set(places) for task, places in CHOSEN.items()}
    verified = run("verify", path, logs, "--json")

    assert verified.code == 0, verified.out + verified.err
    passed = [check["name"] for check in verified.json["checks"] if check["outcome"] == "passed"]
    assert passed == ["items", "content", "manifest"]
    # the examples before a question move with the list, where they are drawn one by one
    verified = run("verify", path, logs, "--against", benchmark.full, "--json")
    failed = [check for check in verified.json["checks"] if check["outcome"] == "failed"]

    assert verified.code == 1
    assert [check["name"] for check in failed] == ["prompts"]
    assert {item.rpartition(":")[0] for item in failed[0]["items"]} == {"real_shot"}
    assert "first_n" in failed[0]["text"]


def _not_ascending(lists: Lists) -> None:
    lists["real"][2:4] = reversed(lists["real"][2:4])


def _empty(lists: Lists) -> None:
    lists["real_gen"] = []


def _absent(lists: Lists) -> None:
    del lists["real_gen"]


def _left_out(lists: Lists) -> None:
    lists["real_shot"].remove(3)


def _below_0(lists: Lists) -> None:
    lists["real_gen"] = [-1, 5]


Wrong = dict[str, set[str]]
ALL_OF_GEN = {f"real_gen:{k}" for k in range(8)} - {"real_gen:2", "real_gen:5"}
FAULTS: list[tuple[str, Callable[[Lists], None], Wrong]] = [
    ("not ascending", _not_ascending, {"content": {"real:5", "real:7"}}),
    ("empty", _empty, {"extra": ALL_OF_GEN}),
    ("absent", _absent, {"extra": ALL_OF_GEN}),
    ("left out", _left_out, {"missing": {"real_shot:3"}}),
    # document 5 runs, as -1
    (
        "below 0",
        _below_0,
        {"missing": {"real_gen:2", "real_gen:5"}, "extra": {"real_gen:-1"}},
    ),
]


@pytest.fixture(scope="module")
def faulty(benchmark: Benchmark, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run each fault into a folder called after it, in one process."""
    folder = tmp_path_factory.mktemp("faults")
    br.export(benchmark.subset, "lm-eval", folder)
    text = (folder / "samples.json").read_text()
    metadata = json.dumps({"bestrand": benchmark.subset.digest})
    commands = []
    for name, change, _ in FAULTS:
        lists = json.loads(text)
        change(lists)
        more = ("--samples", json.dumps(lists), "--metadata", metadata)
        commands.append(command("target", folder / name, *more))
    other = ("--samples", text, "--metadata", json.dumps({"bestrand": "0" * 64}))
    twice = json.dumps({**json.loads(text), "real": [1, 1, 5]})
    cached = ("--cache_requests", "true")
    commands += [
        command("target", folder / "of another", *other),
        command("target", folder / "twice", "--samples", twice),
        command("target", folder / "first", *cached),
        command("target", folder / "cached", "--samples", text, *cached),
    ]
    run_all(benchmark, commands)
    return folder


@pytest.mark.parametrize(("name", "wrong"), [(name, wrong) for name, _, wrong in FAULTS])
def test_faults_are_named(benchmark: Benchmark, faulty: Path, name: str, wrong: Wrong) -> None:
    assert checks_of(benchmark.subset, faulty / name) == wrong


def test_a_run_for_another_manifest_is_named(benchmark: Benchmark, faulty: Path) -> None:
    assert checks_of(benchmark.subset, faulty / "of another") == {"manifest": set()}


def test_swapped_documents_are_joined_beside_a_full_log(benchmark: Benchmark, faulty: Path) -> None:
    beside = read(benchmark.full, faulty / "not ascending")

    assert [note.code for note in beside.notes if note.code == "rejoined"] == ["rejoined"]
    rows = {
        (row["doc"]["q"], row["acc"])
        for file in (faulty / "not ascending").glob("*/samples_real_20*.jsonl")
        for row in map(json.loads, file.read_text().splitlines())
    }
    joined = beside.rows.filter(
        (beside.rows["model"] == "acme/target") & beside.rows["item"].is_in(["real:5", "real:7"])
    )
    questions = {f"real:{k}": f"Is {k} ({HOSTILE[k // 2]}) even?" for k in (5, 7)}

    assert {(questions[row["item"]], row["score"]) for row in joined.iter_rows(named=True)} <= rows


@pytest.mark.parametrize(("name", "said"), [("twice", "ascending"), ("cached", "--cache_requests")])
def test_logs_that_hold_other_documents_are_refused(
    benchmark: Benchmark, faulty: Path, name: str, said: str
) -> None:
    with pytest.raises(BestrandError, match=said):
        read(faulty / name)


@pytest.mark.parametrize(
    ("change", "names"),
    [
        ({"n": 11}, {"size"}),
        ({"version": "1.1"}, {"version"}),
        ({"word": "Was"}, {"content"}),
    ],
)
def test_another_version_of_the_benchmark_is_named(
    benchmark: Benchmark, tmp_path: Path, change: dict[str, str], names: set[str]
) -> None:
    br.export(benchmark.subset, "lm-eval", tmp_path)
    write(tmp_path / "tasks", **change)  # type: ignore[arg-type]
    words = command("target", tmp_path / "logs", "--samples", str(tmp_path / "samples.json"))
    run_all(benchmark, [words], tmp_path / "tasks")

    assert set(checks_of(benchmark.subset, tmp_path / "logs")) == names

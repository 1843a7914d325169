"""Exports: what is written is parsed again as the harness does it, and gives exactly the ids."""

import csv
import fnmatch
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from xml.etree import ElementTree

import pytest

import bestrand as br
from bestrand.harnesses.base import Harness
from bestrand.harnesses.registry import ALL, HARNESSES
from bestrand.steps.export import Exported, exporting
from tests.conftest import Run


HOSTILE = [
    *("case[1]", "a,b", "*_adv", "题/3", "x:10", " lead", "café", "cafe\u0301", "=1+1"),
    *("null", "NA", "-3", "a?b", "!z", 'q"uote', "new\nline", "#h", "{x}"),
]
OTHERS = ["case1", "b_adv", "a", "axb", "zz", "h", "plain"]


def frame_of(ids: Sequence[str], *, task: str = "") -> br.Frame:
    items = [f"{task}:{item}" if task else item for item in ids]
    return br.Frame.of(items, tasks=[task] * len(items) if task else None)


def chosen(ids: Sequence[str], *, task: str = "") -> br.Manifest:
    """Adopt ids out of a frame with others beside them."""
    frame = frame_of([*ids, *(other for other in OTHERS if other not in ids)], task=task)
    return br.adopt(frame_of(ids, task=task).items, frame=frame)


def exported(made: br.Manifest, to: str, folder: Path, **settings: object) -> Exported:
    return br.export(made, to, folder, **settings)  # type: ignore[arg-type]


def options(words: Sequence[str], name: str) -> list[str]:
    """Take the values of an option out of a command."""
    return [words[k + 1] for k, word in enumerate(words) if word == name]


# --- what each harness takes


def test_lm_eval_lists_are_of_leaf_tasks_ascending_and_never_empty(tmp_path: Path) -> None:
    items = [("b:sub", n) for n in (10, 2, 0)] + [("a", n) for n in (7, 11)]
    frame = br.Frame.of([f"{t}:{n}" for t, n in items], tasks=[t for t, _ in items])
    made = exported(br.adopt(frame.items, frame=frame), "lm-eval", tmp_path / "run")
    lists = json.loads((tmp_path / "run" / "samples.json").read_text())
    [command] = made.commands

    assert lists == {"a": [7, 11], "b:sub": [0, 2, 10]}
    assert options(command, "--tasks") == ["a,b:sub"]
    assert options(command, "--samples") == [str(tmp_path / "run" / "samples.json")]
    assert json.loads(options(command, "--metadata")[0]) == {"bestrand": made.digest}
    assert "--log_samples" in command


@pytest.mark.parametrize("item", ["07", "-1", "a", "1.0", "٣", "²", ""])
def test_lm_eval_takes_positions_alone(item: str, tmp_path: Path) -> None:
    with pytest.raises(br.ManifestError, match=r"cannot be told 1 of the 2 ids: .* positions"):
        exported(chosen(["3", item], task="t"), "lm-eval", tmp_path)
    assert list(tmp_path.iterdir()) == []


def runs_in_inspect(patterns: Sequence[str], task: str, ids: Sequence[str]) -> set[str]:
    """Return the ids that Inspect would run: zero-padded numbers, and patterns of a shell."""

    def padded(item: str) -> str:
        return str(int(item)).zfill(20) if item.isdigit() else item

    own = [name.split(":", 1)[1] for name in patterns if name.split(":", 1)[0] == task]
    return {i for i in ids if any(fnmatch.fnmatchcase(padded(i), padded(p)) for p in own)}


def test_inspect_runs_exactly_the_hostile_ids(tmp_path: Path) -> None:
    made = exported(chosen(HOSTILE, task="demo"), "inspect-ai", tmp_path)
    config = json.loads((tmp_path / "run_config.json").read_text())
    patterns = config["eval_config"]["sample_id"]

    assert runs_in_inspect(patterns, "demo", [*HOSTILE, *OTHERS]) == set(HOSTILE)
    assert config["metadata"]["bestrand"]["digest"] == made.digest
    assert made.commands[0][:3] == ("inspect", "eval", "FILE.py@demo")


@pytest.mark.parametrize(
    ("ids", "text"),
    [
        (["7", "007"], r"same whole number: '007', '7'"),
        (["٧", "07"], "same whole number"),
        (["²", "a"], r"cannot be told 1 of the 2 ids: '²'\. Inspect takes them for numbers"),
    ],
)
def test_inspect_refuses_ids_that_it_takes_for_numbers(
    ids: list[str], text: str, tmp_path: Path
) -> None:
    with pytest.raises(br.ManifestError, match=text):
        exported(chosen(ids, task="t"), "inspect", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_inspect_runs_tasks_alone_whose_names_it_does_not_tell_apart(tmp_path: Path) -> None:
    ids = {"plain": ["a", "b"], "other": ["b"], "Plain": ["a"], "co:lon": ["x", "plain:a"]}
    names = [task for task, items in ids.items() for _ in items]
    every = br.Frame.of(
        [f"{task}:{item}" for task, items in ids.items() for item in items], tasks=names
    )
    made = exported(br.adopt(every.items, frame=every), "inspect", tmp_path)
    tasks = [[word for word in words if "@" in word] for words in made.commands]
    lists = [
        json.loads(Path(options(words, "--run-config")[0]).read_text())["eval_config"]["sample_id"]
        for words in made.commands
    ]

    assert tasks == [["FILE.py@Plain", "FILE.py@other"], ["FILE.py@co:lon"], ["FILE.py@plain"]]
    assert lists == [["Plain:a", "other:b"], ["plain:a", "x"], ["plain:a", "plain:b"]]


def test_inspect_is_told_numbers_that_no_other_item_is(tmp_path: Path) -> None:
    every = frame_of(["7", "007", "٧", "12", "3"], task="t")
    one, all_three = (
        br.adopt([f"t:{i}" for i in ids], frame=every) for ids in (["7", "3"], ["7", "007", "٧"])
    )

    with pytest.raises(br.ManifestError, match="'007', '٧' would run too"):
        exported(one, "inspect", tmp_path, items=every)
    exported(all_three, "inspect", tmp_path, items=every)
    patterns = json.loads((tmp_path / "run_config.json").read_text())["eval_config"]["sample_id"]

    assert runs_in_inspect(patterns, "t", ["7", "007", "٧", "12", "3"]) == {"7", "007", "٧"}
    assert [note.code for note in exported(one, "inspect", tmp_path / "b").notes] == ["numbers"]


def test_promptfoo_matches_exactly_the_hostile_descriptions(tmp_path: Path) -> None:
    made = exported(chosen(HOSTILE), "promptfoo", tmp_path)
    [pattern] = options(made.commands[0], "--filter-pattern")
    found = [item for item in [*HOSTILE, *OTHERS] if re.search(pattern, item)]

    assert found == HOSTILE
    assert options(made.commands[0], "--tag") == [f"bestrand={made.digest}"]
    assert (tmp_path / "pattern.txt").read_text() == f"{pattern}\n"


@pytest.mark.parametrize("by", ["id", "description"])
def test_promptfoo_gets_a_smaller_file_of_tests(by: str, tmp_path: Path) -> None:
    def test_of(item: str) -> dict[str, object]:
        named = {"metadata": {"id": item}} if by == "id" else {"description": item}
        return {**named, "vars": {"q": item}}

    (tmp_path / "all.json").write_text(json.dumps([test_of(i) for i in [*OTHERS, *HOSTILE]]))
    made = exported(chosen(HOSTILE), "promptfoo", tmp_path / "run", source=tmp_path / "all.json")
    tests = json.loads((tmp_path / "run" / "tests.json").read_text())

    assert {test["vars"]["q"] for test in tests} == set(HOSTILE)
    assert options(made.commands[0], "-t") == [str(tmp_path / "run" / "tests.json")]


def test_promptfoo_refuses_tests_without_names(tmp_path: Path) -> None:
    with pytest.raises(br.ManifestError, match="known by the digest of their variables"):
        exported(chosen(["ab" * 32]), "promptfoo", tmp_path)


def test_pytest_runs_exactly_the_chosen_tests(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_x.py").write_text(
        "import pytest\n"
        "@pytest.mark.parametrize('q', ['a,b', 'case[1]', '题', 'x::y', ' lead', '#h', 'z'])\n"
        "def test_q(q):\n    assert q != 'z'\n"
        "class TestIt:\n    def test_a(self):\n        pass\n    def test_b(self):\n        pass\n"
    )

    def run(*words: str) -> br.ScoreTable:
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words]
        subprocess.run(command, cwd=tmp_path, check=False, capture_output=True)
        return br.read_scores(tmp_path / "run.xml")

    full = run("--junitxml=run.xml")
    items = [item for item in full.items["item"] if "test_b" not in item and "z]" not in item]
    subset = br.adopt(items, frame=full.frame())
    made = exported(subset, "pytest", tmp_path)
    again = run(*made.commands[0][1:])

    assert len(items) == 7
    assert br.verify(subset, again).ok
    assert (tmp_path / "ids.txt").read_text().splitlines()[0] == "tests/test_x.py::TestIt::test_a"


def test_commands_of_id_lists_hold_the_ids(tmp_path: Path) -> None:
    words = [item for item in HOSTILE if item.split() == [item]]
    swe = exported(chosen(words), "swe-bench", tmp_path / "s", task="verified")
    terminal = exported(chosen(words), "terminal-bench", tmp_path / "t")
    harbor = exported(chosen(HOSTILE), "harbor", tmp_path / "h", task="org/set")
    job = json.loads((tmp_path / "h" / "job.json").read_text())
    [dataset] = job["datasets"]

    assert sorted(options(swe.commands[0], "-i")) == sorted(words)
    assert swe.commands[0][:3] == ("swebench", "eval", "verified")
    assert (tmp_path / "s" / "instance_ids.txt").read_text().split("\n")[:-1] == sorted(words)
    for patterns, ids in (
        (options(terminal.commands[0], "--task-id"), words),
        (dataset["task_names"], HOSTILE),
    ):
        every = [*ids, *OTHERS]
        found = {i for i in every for pattern in patterns if fnmatch.fnmatchcase(i, pattern)}
        assert found == set(ids)
    assert dataset["name"] == "org/set"
    assert job["job_name"] == f"bestrand-{harbor.digest[:12]}"


def test_tasks_of_several_domains_are_a_command_each(tmp_path: Path) -> None:
    items = {"airline": ["0", "12"], "retail": ["3"]}
    pairs = [(task, item) for task, ids in items.items() for item in ids]
    frame = br.Frame.of([f"{t}:{i}" for t, i in pairs], tasks=[t for t, _ in pairs])
    subset = br.adopt(frame.items, frame=frame)
    tau = exported(subset, "tau2", tmp_path / "tau")
    robots = exported(subset, "lerobot", tmp_path / "robots")
    bfcl = exported(subset, "bfcl", tmp_path / "bfcl")

    for words, (domain, ids) in zip(tau.commands, items.items(), strict=True):
        assert options(words, "--domain") == [domain]
        assert list(words[words.index("--task-ids") + 1 :]) == ids
    assert "--env.task_ids=[0, 12]" in robots.commands[0]
    listed = json.loads((tmp_path / "bfcl" / "test_case_ids_to_generate.json").read_text())
    assert listed == items
    assert "--partial-eval" in bfcl.commands[1]


def test_opencompass_ranges_choose_the_rows(tmp_path: Path) -> None:
    exported(chosen(["17", "3", "42"], task="gsm8k"), "opencompass", tmp_path)
    names: dict[
        str, Callable[[list[dict[str, object]]], list[Mapping[str, Mapping[str, str]]]]
    ] = {}
    exec((tmp_path / "subset.py").read_text(), names)
    datasets: list[dict[str, object]] = [
        {"abbr": "gsm8k", "reader_cfg": {}},
        {"abbr": "other", "reader_cfg": {}},
    ]
    [dataset] = names["take_subset"](datasets)
    rows = list(range(50))
    kept = eval(f"rows{dataset['reader_cfg']['test_range']}", {"rows": rows})

    assert kept == [3, 17, 42]


def test_routes_are_chosen_by_number_and_file(tmp_path: Path) -> None:
    source = tmp_path / "routes.xml"
    source.write_text(
        "<routes>" + "".join(f'<route id="{i}"><w/></route>' for i in range(9)) + "</routes>"
    )
    made = exported(
        chosen(["RouteScenario_7", "RouteScenario_2"]), "carla", tmp_path / "run", source=source
    )
    tree = ElementTree.parse(tmp_path / "run" / "routes.xml")

    assert "--routes-subset=2,7" in made.commands[0]
    assert [route.get("id") for route in tree.getroot()] == ["2", "7"]


def test_tables_of_vlmevalkit_keep_rotations(tmp_path: Path) -> None:
    source = tmp_path / "MMBench.tsv"
    rows = [[str(i), f"q\t{i}\n", "A"] for i in (1, 2, 3, 1_000_001, 1_000_003)]
    with source.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter="\t").writerows([["index", "question", "answer"], *rows])
    made = exported(
        chosen(["1", "2"], task="MMBench"), "vlmevalkit", tmp_path / "run", source=source
    )
    with Path(made.files[0]).open(encoding="utf-8", newline="") as file:
        header, *kept = csv.reader(file, delimiter="\t")

    assert header == ["index", "question", "answer"]
    assert kept == [rows[0], rows[1], rows[3]]
    assert Path(made.files[0]).stem in made.commands[0]


def review(folder: Path, groups: Sequence[int], score: float = 1.0) -> None:
    """Write reviews of EvalScope."""
    folder.mkdir(parents=True)
    rows = [
        {
            "index": k,
            "target": "a",
            "sample_score": {
                "group_id": k,
                "score": {"value": {"accuracy": score}, "status": "success"},
            },
        }
        for k in groups
    ]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / "general_qa_tiny.jsonl").write_text(lines)


def test_local_files_of_evalscope_keep_the_chosen_samples(tmp_path: Path) -> None:
    source = tmp_path / "tiny.jsonl"
    source.write_text("".join(json.dumps({"query": f"q{i}"}) + "\n" for i in range(12)))
    subset = chosen(["7", "0", "11"], task="general_qa_tiny")
    made = exported(subset, "evalscope", tmp_path / "run", source=source)
    kept = [json.loads(line)["query"] for line in Path(made.files[0]).read_text().splitlines()]
    order = json.loads((tmp_path / "run" / "positions.json").read_text())
    [given] = options(made.commands[0], "--dataset-args")

    assert [f"q{item}" for item in order["general_qa_tiny"]] == kept
    assert set(kept) == {"q7", "q0", "q11"}
    assert json.loads(given) == {
        "general_qa": {"local_path": str(tmp_path / "run"), "subset_list": ["tiny"]}
    }


def test_samples_that_evalscope_numbers_anew_are_read_by_their_positions(tmp_path: Path) -> None:
    source = tmp_path / "tiny.jsonl"
    source.write_text("".join(json.dumps({"query": f"q{i}"}) + "\n" for i in range(12)))
    subset = chosen(["7", "0", "11"], task="general_qa_tiny")
    exported(subset, "evalscope", tmp_path / "run", source=source)
    review(tmp_path / "run" / "outputs" / "1" / "reviews" / "acme" / "p1", [2, 0, 1])
    review(tmp_path / "elsewhere" / "reviews" / "acme" / "p1", [2, 0, 1])

    for folder in ("run", "run/outputs"):
        assert tuple(br.read_scores(tmp_path / folder).items["item"]) == subset.items
    assert sorted(br.read_scores(tmp_path / "elsewhere").items["item"]) == [
        f"general_qa_tiny:{k}" for k in range(3)
    ]
    review(tmp_path / "run" / "full" / "reviews" / "acme" / "p1", range(12))
    with pytest.raises(br.FileError, match=r"lists 3 items of 'general_qa_tiny', .* has 12"):
        br.read_scores(tmp_path / "run" / "full")


def test_details_that_opencompass_numbers_anew_are_read_by_their_positions(tmp_path: Path) -> None:
    subset = chosen(["7", "0", "11"], task="demo")
    made = exported(subset, "opencompass", tmp_path)
    folder = Path(options(made.commands[0], "--work-dir")[0]) / "20261201" / "results" / "acme"
    folder.mkdir(parents=True)
    answers = {"0": True, "1": False, "2": True}  # of rows 0, 7, 11
    details = {
        key: {"prompt": f"q{key}", "references": "a", "correct": right}
        for key, right in answers.items()
    }
    log = {"accuracy": 200 / 3, "details": {"type": "GEN", **details}}
    (folder / "demo.json").write_text(json.dumps(log))
    rows = br.read_scores(tmp_path).rows

    assert dict(rows.select("item", "score").iter_rows()) == {
        "demo:0": 1,
        "demo:7": 0,
        "demo:11": 1,
    }


@pytest.mark.parametrize("form", ["txt", "json", "csv"])
def test_plain_ids_are_read_again(form: str, tmp_path: Path) -> None:
    ids = [item for item in HOSTILE if form != "txt" or item.strip() == item.replace("\n", " ")]
    subset = chosen(ids)
    [path] = exported(subset, form, tmp_path).files

    assert br.read_items(path).items == subset.items


def test_a_text_file_refuses_what_it_cannot_hold(tmp_path: Path) -> None:
    with pytest.raises(br.ManifestError, match=r"2 ids have a line break .* Take --to json"):
        exported(chosen(HOSTILE), "txt", tmp_path)


@pytest.mark.parametrize("task", ["a,b", "-m", ""])
def test_lm_eval_is_told_no_odd_tasks(task: str, tmp_path: Path) -> None:
    with pytest.raises(br.ManifestError, match="cannot be told"):
        exported(br.adopt(["1", "2"], of=9), "lm-eval", tmp_path, task=task)


@pytest.mark.parametrize("item", ["--help", "@f", " ", "a\nb"])
def test_pytest_is_told_no_options(item: str, tmp_path: Path) -> None:
    with pytest.raises(br.ManifestError, match="takes such a line for an option"):
        exported(chosen([item, "tests/test_x.py::test_y"]), "pytest", tmp_path)


@pytest.mark.parametrize("ids", [["Town1_7", "Town2_7"], ["R_07", "R_7"]])
def test_routes_of_one_number_are_refused(ids: list[str], tmp_path: Path) -> None:
    with pytest.raises(br.ManifestError, match="one item's alone: "):
        exported(chosen(ids), "carla", tmp_path)


def test_ids_that_no_command_can_hold_are_refused(tmp_path: Path) -> None:
    for word in ("promptfoo", "harbor", "swe-bench"):
        with pytest.raises(br.ManifestError, match="NUL"):
            exported(chosen(["a\0b"]), word, tmp_path)
    with pytest.raises(br.ManifestError, match="cannot be told 1 of the 1 ids"):
        exported(chosen(["1" * 5000], task="t"), "lm-eval", tmp_path)
    long = exported(
        chosen([f"description {k} of many" for k in range(8000)]), "promptfoo", tmp_path
    )
    assert "too-long" in [note.code for note in long.notes]


# --- all of them


@pytest.mark.parametrize("harness", ALL, ids=lambda harness: harness.name)
def test_a_harness_exports_or_says_that_it_does_not(harness: Harness, tmp_path: Path) -> None:
    subset = chosen(["3", "5"], task="t")
    if not harness.exports:
        with pytest.raises(br.ArgumentError, match="takes no list of items"):
            exported(subset, harness.name, tmp_path)
        assert harness.name not in exporting()
        return
    assert harness.name in exporting()
    assert harness.reads or harness.name in {
        "harbor",
        "terminal-bench",
        "tau2",
        "opencompass",
        "vlmevalkit",
        "lerobot",
    }


def test_tasks_are_known_or_asked_for(tmp_path: Path) -> None:
    grouped = br.Frame.of(["a:b:1", "a:b:2", "c:1"], groups=["a:b", "a:b", "c"])
    by_groups = br.adopt(grouped.items, frame=grouped)
    plain = br.adopt(["a:b:1", "a:b:2"], of=9)
    bare = br.adopt(["1", "2"], of=9)

    exported(by_groups, "lm-eval", tmp_path / "groups")
    exported(bare, "lm-eval", tmp_path / "bare", task="arc")
    exported(br.adopt(["arc:1", "boolq:2"], of=9), "lm-eval", tmp_path / "colons")
    for manifest in (plain, bare):
        with pytest.raises(br.ManifestError, match="does not say of which task its items are"):
            exported(manifest, "lm-eval", tmp_path / "none")

    def lists(folder: str) -> dict[str, list[int]]:
        found: dict[str, list[int]] = json.loads((tmp_path / folder / "samples.json").read_text())
        return found

    assert lists("groups") == {"a:b": [1, 2], "c": [1]}
    assert lists("bare") == {"arc": [1, 2]}
    assert lists("colons") == {"arc": [1], "boolq": [2]}


def test_nothing_is_written_over_another_file(tmp_path: Path) -> None:
    subset = chosen(["3", "5"], task="t")
    exported(subset, "lm-eval", tmp_path)
    exported(subset, "lm-eval", tmp_path)
    (tmp_path / "samples.json").write_text("mine")

    with pytest.raises(br.OutputError, match="holds something else"):
        exported(subset, "lm-eval", tmp_path)
    assert (tmp_path / "samples.json").read_text() == "mine"
    exported(subset, "lm-eval", tmp_path, force=True)
    assert json.loads((tmp_path / "samples.json").read_text()) == {"t": [3, 5]}


def test_the_command_line_prints_what_runs_it(run: Run, tmp_path: Path) -> None:
    chosen(["3", "5"], task="t").write(tmp_path / "subset.json")
    words = ("export", tmp_path / "subset.json", "--to", "lm-eval", "-o", tmp_path / "run dir")
    said, printed = run(*words), run(*words, "--json")
    command = next(line for line in said.out.splitlines() if line.startswith("lm-eval"))

    assert (said.code, printed.code) == (0, 0)
    assert tuple(shlex.split(command)) == tuple(printed.json["commands"][0])
    unknown = run("export", tmp_path / "subset.json", "--to", "lm_eval", "-o", tmp_path / "x")
    assert unknown.code == 2
    assert "must be one of 'txt', 'json', 'csv', 'lm-eval'" in unknown.err


def test_there_is_one_word_a_harness() -> None:
    assert len(HARNESSES) == len(ALL)

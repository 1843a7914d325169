"""Runs of harnesses against the manifest that they were made for, on genuine logs and on faults."""

import hashlib
import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

import bestrand as br
from bestrand.steps.verify import Verification
from bestrand.steps.verify_run import Check
from tests.harnesses.conftest import LOGS


LM_EVAL, INSPECT = LOGS / "lm_eval", LOGS / "inspect_ai"
FULL = br.read_scores(LM_EVAL / "out")
LISTS: dict[str, list[int]] = json.loads((LM_EVAL / "subset_samples.json").read_text())
CHOSEN = [f"{task}:{number}" for task, numbers in LISTS.items() for number in numbers]
SUBSET = br.adopt(CHOSEN, frame=FULL.frame())


def failed(seen: Verification) -> dict[str, Check]:
    return {check.name: check for check in seen.checks if check.outcome == "failed"}


def passed(seen: Verification) -> list[str]:
    return [check.name for check in seen.checks if check.outcome == "passed"]


def rewritten(folder: Path, *, change: str, task: str = "tiny_alpha") -> br.ScoreTable:
    """Read the genuine subset run once one of its faults was made in a copy."""
    run = folder / "run"
    shutil.copytree(LM_EVAL / "out_subset", run)
    [path] = run.glob(f"*/samples_{task}_*.jsonl")
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    if change == "lost":
        rows = rows[1:]
    elif change == "other":
        rows[0]["doc_id"] = 0
    elif change == "twice":
        rows.append(rows[0])
    elif change == "swapped":
        rows[0]["doc_id"], rows[1]["doc_id"] = rows[1]["doc_id"], rows[0]["doc_id"]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return br.read_scores(run, check_totals=False)


def test_a_manifest_of_logs_says_where_its_items_come_from() -> None:
    assert SUBSET.schema_version == 2
    assert SUBSET.source is not None
    assert (SUBSET.source.harness, SUBSET.source.version) == ("lm-eval", "0.4.13")
    assert SUBSET.source.tasks["tiny_beta"].n == 6
    assert SUBSET.source.tasks["tiny_beta"].version == "2.0"
    assert SUBSET.item_tasks == tuple(item.partition(":")[0] for item in SUBSET.items)
    assert SUBSET.item_hashes is not None
    assert all(SUBSET.item_hashes)
    assert br.Manifest.from_json(SUBSET.to_json()) == SUBSET


def test_a_run_of_the_chosen_items_passes() -> None:
    seen = br.verify(SUBSET, br.read_scores(LM_EVAL / "out_subset"))

    assert seen.ok
    assert passed(seen) == ["items", "content"]


@pytest.mark.parametrize(
    ("change", "name", "items", "text"),
    [
        ("lost", "missing", ("tiny_alpha:1",), "1 of the 16 chosen items did not run"),
        ("other", "extra", ("tiny_alpha:0",), "1 ran and were not chosen"),
        ("twice", "duplicate", ("tiny_alpha:1",), "1 ran more than once"),
        (
            "swapped",
            "content",
            ("tiny_alpha:1", "tiny_alpha:2"),
            "2 items with the content of others ('acme/p2'): 'tiny_alpha:1' is 'tiny_alpha:2'",
        ),
    ],
)
def test_each_fault_of_a_run_is_named(
    change: str, name: str, items: tuple[str, ...], text: str, tmp_path: Path
) -> None:
    seen = br.verify(SUBSET, rewritten(tmp_path, change=change))

    assert not seen.ok
    assert failed(seen)[name].items == items
    assert failed(seen)[name].models == ("acme/p2",)
    assert text in failed(seen)[name].text


def test_prompts_that_moved_are_named_against_the_full_log() -> None:
    moved = br.read_scores(LM_EVAL / "out_subset_same_seed")
    seen = failed(br.verify(SUBSET, moved, against=FULL))

    assert seen["prompts"].items == tuple(sorted(f"tiny_shot:{n}" for n in LISTS["tiny_shot"]))
    assert "6 of 16 items were asked with another prompt" in seen["prompts"].text
    assert "made for another manifest (0000…" in seen["manifest"].text


def test_prompts_that_stayed_pass() -> None:
    names = [item for item in CHOSEN if not item.startswith("tiny_shot")]
    subset = br.adopt(names, frame=FULL.frame())
    seen = br.verify(subset, br.read_scores(LM_EVAL / "out_subset"), against=FULL)

    assert "prompts" not in failed(seen)
    assert list(failed(seen)) == ["extra"]


def test_another_size_and_version_of_the_benchmark_are_named(tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(LM_EVAL / "out_subset", run)
    [path] = run.glob("*/results_*.json")
    results = json.loads(path.read_text("utf-8"))
    results["n-samples"]["tiny_alpha"]["original"] = 17
    results["versions"]["tiny_beta"] = 3.0
    path.write_text(json.dumps(results))
    seen = failed(br.verify(SUBSET, br.read_scores(run)))

    assert "17 items of task 'tiny_alpha' in the run of 'acme/p2', and 16" in seen["size"].text
    assert "is '3.0' in the run of 'acme/p2', and was '2.0'" in seen["version"].text


def test_the_run_of_another_list_is_named_with_both_lists() -> None:
    frame = br.read_scores(INSPECT / "models_tasks").frame()
    run = br.read_scores(INSPECT / "subset")
    here = run.items["item"].to_list()
    others = [item for item in frame.items if item not in here][:8]
    subset = br.adopt([*here[:-8], *others], frame=frame)
    seen = failed(br.verify(subset, run))

    assert set(seen["missing"].items) == set(others)
    assert set(seen["extra"].items) == set(here[-8:])


def test_the_digest_in_a_log_tells_the_manifest(tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(LM_EVAL / "out_subset", run)
    [path] = run.glob("*/results_*.json")
    results = json.loads(path.read_text("utf-8"))
    for task in results["configs"].values():
        task.setdefault("metadata", {})["bestrand"] = SUBSET.digest
    path.write_text(json.dumps(results))
    seen = br.verify(SUBSET, br.read_scores(run))

    assert seen.ok
    assert passed(seen) == ["items", "content", "manifest"]


@pytest.mark.parametrize("own", [True, False])
def test_the_name_of_a_run_tells_the_manifest_too(own: bool, tmp_path: Path) -> None:  # noqa: FBT001
    ids = ["org__repo-1", "org__repo-2"]
    subset = br.adopt(ids, of=500)
    digest = subset.digest if own else "0" * 64
    report = {
        "total_instances": 2,
        "submitted_ids": ids,
        "completed_ids": ids,
        "resolved_ids": ids[:1],
        "unresolved_ids": ids[1:],
        "schema_version": 2,
    }
    path = tmp_path / f"acme__m1.bestrand-{digest[:12]}.json"
    path.write_text(json.dumps(report))
    seen = br.verify(subset, br.read_scores(path, check_totals=False))

    assert ("manifest" in passed(seen)) is own
    assert ("manifest" in failed(seen)) is not own


def test_a_table_of_a_run_is_checked_by_model(tmp_path: Path) -> None:
    frame = br.Frame.of([f"q{i:03}" for i in range(200)])
    subset = br.select(frame, 20, design=br.SimpleRandom(), seed=1)
    rows = [f"{item},m,1\n" for item in subset.items[1:]]
    rows += [f"{item},k,0\n" for item in (*subset.items, "other")]
    (tmp_path / "run.csv").write_text("item,model,score\n" + "".join(rows))
    seen = failed(br.verify(subset, br.read_scores(tmp_path / "run.csv")))

    assert (seen["missing"].models, seen["missing"].items) == (("m",), subset.items[:1])
    assert (seen["extra"].models, seen["extra"].items) == (("k",), ("other",))


def test_ids_without_their_task_are_explained(tmp_path: Path) -> None:
    ids = [item.partition(":")[2] for item in SUBSET.items if item.startswith("tiny_alpha")]
    subset = br.adopt(["tiny_alpha:" + item for item in ids], of=16)
    (tmp_path / "run.csv").write_text("item,score\n" + "".join(f"{i},1\n" for i in ids))
    seen = failed(br.verify(subset, br.read_scores(tmp_path / "run.csv")))

    assert "would match but for the task in front" in seen["missing"].text


def lm_eval_run(
    folder: Path, model: str, numbers: list[int], *, of: int = 40, doc: str = "q"
) -> None:
    """Write a log of one task: documents of their own, N, and a total."""
    place = folder / f"org__{model}"
    place.mkdir(parents=True)
    date = "2026-01-01T00-00-00.000000"
    rows = []
    for number in numbers:
        text = json.dumps({"q": f"{doc} {number}"}, indent=2, ensure_ascii=False)
        rows.append(
            {
                "doc_id": number,
                "doc": {"q": f"{doc} {number}"},
                "filter": "none",
                "metrics": ["acc"],
                "doc_hash": hashlib.sha256(text.encode()).hexdigest(),
                "acc": number % 2,
            }
        )
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (place / f"samples_t_{date}.jsonl").write_text(lines)
    results = {
        "results": {},
        "model_name": f"org/{model}",
        "versions": {"t": 1.0},
        "n-samples": {"t": {"original": of, "effective": len(numbers)}},
    }
    (place / f"results_{date}.json").write_text(json.dumps(results))


def test_runs_are_checked_though_together_they_cover_the_benchmark(tmp_path: Path) -> None:
    every = list(range(40))
    lm_eval_run(tmp_path / "full", "f", every)
    full = br.read_scores(tmp_path / "full")
    subset = br.adopt([f"t:{number}" for number in range(8)], frame=full.frame())
    lm_eval_run(tmp_path / "runs", "x", every[1:8])
    lm_eval_run(tmp_path / "runs", "y", every)
    seen = br.verify(subset, br.read_scores(tmp_path / "runs"))
    faults = {(check.name, check.models) for check in seen.checks if check.outcome == "failed"}

    assert not seen.ok
    assert faults == {("missing", ("org/x",)), ("extra", ("org/y",))}


def test_a_full_log_of_another_benchmark_is_no_frame(tmp_path: Path) -> None:
    every = list(range(40))
    lm_eval_run(tmp_path / "full", "f", every)
    lm_eval_run(tmp_path / "other", "f", every, of=77, doc="another")
    full = br.read_scores(tmp_path / "full")
    subset = br.adopt([f"t:{number}" for number in range(8)], frame=full.frame())

    assert br.verify(subset, full).ok
    assert set(failed(br.verify(subset, br.read_scores(tmp_path / "other")))) == {"content", "size"}


def test_a_full_log_that_contradicts_the_manifest_is_named(tmp_path: Path) -> None:
    lm_eval_run(tmp_path / "full", "f", list(range(40)))
    lm_eval_run(tmp_path / "other", "f", list(range(40)), doc="another")
    lm_eval_run(tmp_path / "run", "x", list(range(8)))
    full = br.read_scores(tmp_path / "full")
    subset = br.adopt([f"t:{number}" for number in range(8)], frame=full.frame())
    run, other = br.read_scores(tmp_path / "run"), br.read_scores(tmp_path / "other")

    assert br.verify(subset, run, against=full).ok
    assert failed(br.verify(subset, run, against=other))["against"].items == subset.items


def test_some_letters_of_a_digest_are_no_digest() -> None:
    run = br.read_scores(LM_EVAL / "out_subset")
    for letters, is_named in ((1, False), (12, True), (13, False), (64, True)):
        facts = replace(run.runs[0], digest=SUBSET.digest[:letters])
        seen = br.verify(SUBSET, replace(run, runs=(facts,)))
        assert ("manifest" in passed(seen)) is is_named
        assert ("manifest" in failed(seen)) is not is_named

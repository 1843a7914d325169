"""Logs that look alike and are not: several runs, models and documents under one name."""

import io
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import bestrand as br


def lines(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def means(table: br.ScoreTable) -> dict[str, float]:
    return dict(table.rows.group_by("model").agg(pl.col("score").mean()).iter_rows())


# --- BFCL


def bfcl_run(folder: Path, n_right: int, *, version: str = "v4", ids: int = 2) -> None:
    names = [f"simple_{k}" for k in range(ids)]
    name = f"BFCL_{version}_simple"
    lines(folder / "result" / "m" / f"{name}_result.json", [{"id": i, "result": ""} for i in names])
    head = {"accuracy": n_right / ids, "correct_count": n_right, "total_count": ids}
    failures = [{"id": i, "valid": False} for i in names[n_right:]]
    lines(folder / "score" / "m" / f"{name}_score.json", [head, *failures])


def test_two_runs_of_one_model_contradict_each_other(tmp_path: Path) -> None:
    bfcl_run(tmp_path / "run1", 0)
    bfcl_run(tmp_path / "run2", 2)

    with pytest.raises(br.InputError, match="Files contradict each other"):
        br.read_scores(tmp_path)
    assert means(br.read_scores({"a": tmp_path / "run1", "b": tmp_path / "run2"})) == {
        "a": 0,
        "b": 1,
    }


def test_results_and_scores_of_two_runs_are_not_joined(tmp_path: Path) -> None:
    bfcl_run(tmp_path / "x1", 1)
    bfcl_run(tmp_path / "x2", 1)
    (tmp_path / "x1" / "score" / "m" / "BFCL_v4_simple_score.json").unlink()

    with pytest.raises(br.InputError, match="there is no score file"):
        br.read_scores(tmp_path)


def test_conversations_before_the_questions_have_no_score(tmp_path: Path) -> None:
    bfcl_run(tmp_path, 1)
    path = tmp_path / "result" / "m" / "BFCL_v4_memory_kv_prereq_result.json"
    lines(path, [{"id": "memory_prereq_0", "result": ""}])

    assert br.read_scores(tmp_path).items.height == 2


# --- lighteval


def details(path: Path, docs: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    table = pl.DataFrame(
        {
            "doc": [{"task_name": "t|0", "choices": ["a"], **doc} for doc in docs],
            "metric": [{"em": float(k % 2)} for k in range(len(docs))],
        }
    )
    buffer = io.BytesIO()
    table.write_parquet(buffer)
    path.write_bytes(buffer.getvalue())
    return path


def doc(number: int, specific: object) -> dict[str, Any]:
    return {"id": str(number), "query": f"q{number}", "specific": {"own_id": specific}}


@pytest.mark.parametrize("own", [["5", "7", "0"], ["", "7", "x"]])
def test_own_ids_may_be_0_or_empty(own: list[str], tmp_path: Path) -> None:
    path = details(
        tmp_path / "details_t|0_2026-01-01T00-00-00.000000.parquet",
        [doc(k, i) for k, i in enumerate(own)],
    )

    assert set(br.read_scores(path).items["item"]) == {f"t|0:{i}" for i in own}


@pytest.mark.parametrize("own", [["x", "x", "y"], [None, None, None]])
def test_two_documents_of_one_id_are_refused(own: list[str | None], tmp_path: Path) -> None:
    docs = [doc(k, i) for k, i in enumerate(own)]
    if own[0] is None:
        docs[1]["id"] = "0"
    path = details(tmp_path / "details_t|0_2026-01-01T00-00-00.000000.parquet", docs)

    with pytest.raises(br.InputError, match="stands for two documents"):
        br.read_scores(path)


def test_own_ids_of_some_documents_alone_do_not_count(tmp_path: Path) -> None:
    path = details(
        tmp_path / "details_t|0_2026-01-01T00-00-00.000000.parquet", [doc(0, "1"), doc(1, None)]
    )

    assert set(br.read_scores(path).items["item"]) == {"t|0:0", "t|0:1"}


# --- Every Eval Ever


def test_a_file_of_two_models_is_two_models(tmp_path: Path) -> None:
    rows = [
        {
            "schema_version": "0.3.0",
            "evaluation_id": "e",
            "model_id": model,
            "evaluation_name": "t",
            "sample_id": str(k),
            "sample_hash": str(k),
            "interaction_type": "single_turn",
            "input": {"raw": f"q{k}"},
            "evaluation_result_id": "acc",
            "evaluation": {"score": score, "is_correct": bool(score)},
        }
        for model, score in (("a", 1.0), ("b", 0.0))
        for k in range(3)
    ]

    assert means(br.read_scores(lines(tmp_path / "x_samples.jsonl", rows))) == {"a": 1.0, "b": 0.0}


# --- promptfoo


def result(test: int, score: float, **more: object) -> dict[str, Any]:
    return {
        "testIdx": test,
        "promptIdx": 0,
        "score": score,
        "success": bool(score),
        "provider": {"id": "echo", "label": "p"},
        "vars": {"q": test},
        "testCase": {"description": f"t{test}"},
        **more,
    }


def test_an_error_is_one_in_logs_without_a_reason_too(tmp_path: Path) -> None:
    rows = [
        result(0, 1.0),
        result(1, 0.0, error="expected yes", gradingResult={"pass": False}),
        result(2, 0.0, error="API error: 500"),
    ]
    path = tmp_path / "out.json"
    path.write_text(json.dumps({"results": {"results": rows}}))
    counts = br.read_scores(path).counts("score")

    assert (counts.scored, counts.errored) == (2, 1)


def test_providers_of_one_label_are_told_apart(tmp_path: Path) -> None:
    rows = [result(k, score, promptIdx=c) for c, score in ((0, 1.0), (1, 0.0)) for k in range(2)]
    table = br.read_scores(lines(tmp_path / "out.jsonl", rows))

    assert means(table) == {"p (column 0)": 1.0, "p (column 1)": 0.0}


def test_a_named_score_does_not_replace_the_score(tmp_path: Path) -> None:
    rows = [result(0, 1.0, namedScores={"score": 0.2}), result(1, 1.0)]

    assert means(br.read_scores(lines(tmp_path / "out.jsonl", rows), metric="score")) == {"p": 1.0}


# --- SWE-bench


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"unresolved_ids": []}, "`unresolved_ids` holds 0 ids, and the report counts 1"),
        ({"submitted_ids": ["a", "b", "c"]}, "of 1 ids of `submitted_ids` .*: 'c'"),
    ],
)
def test_lists_that_are_not_what_the_report_counts_are_refused(
    change: dict[str, Any], text: str, tmp_path: Path
) -> None:
    report = {
        "total_instances": 2,
        "resolved_instances": 1,
        "unresolved_instances": 1,
        "resolved_ids": ["a"],
        "unresolved_ids": ["b"],
        "submitted_ids": ["a", "b"],
    }
    path = tmp_path / "m.run.json"
    path.write_text(json.dumps(report))
    assert means(br.read_scores(path)) == {"m": 0.5}
    path.write_text(json.dumps(report | change))

    with pytest.raises(br.InputError, match=text):
        br.read_scores(path)


# --- JUnit


def test_tests_without_a_class_are_called_by_their_suite(tmp_path: Path) -> None:
    suites = "".join(
        f'<testsuite name="{name}" tests="1" failures="{k}"><testcase name="x">'
        f"{'<failure/>' * k}</testcase></testsuite>"
        for k, name in enumerate(("s1", "s2"))
    )
    path = tmp_path / "run.xml"
    path.write_text(
        f'<testsuites><testsuite name="all" tests="2">{suites}</testsuite></testsuites>'
    )
    table = br.read_scores(path)

    assert dict(table.rows.select("item", "score").iter_rows()) == {"s1::x": 1.0, "s2::x": 0.0}


# --- HELM and lm-eval


def helm_run(folder: Path, splits: dict[str, list[float]], *, start: int = 0) -> Path:
    place = folder / "law:model=acme_m"
    place.mkdir(parents=True)
    instances: list[dict[str, Any]] = []
    stats: list[dict[str, Any]] = []
    states: list[dict[str, Any]] = []
    for split, scores in splits.items():
        named = {"name": "exact_match", "split": split}
        for k, score in enumerate(scores):
            item = f"id{len(instances)}"
            stat = {"name": named, "count": 1, "sum": score, "mean": score}
            instances.append({"instance_id": item, "train_trial_index": 0, "stats": [stat]})
            states.append({"instance": {"id": item, "input": {"text": f"{split} {start + k}"}}})
        stats.append({"name": named, "count": len(scores), "mean": sum(scores) / len(scores)})
    adapter = {"adapter_spec": {"model": folder.name}, "name": "law:model=acme_m"}
    for name, value in (
        ("per_instance_stats", instances),
        ("stats", stats),
        ("run_spec", adapter),
        ("scenario_state", {"request_states": states}),
    ):
        (place / f"{name}.json").write_text(json.dumps(value))
    return folder


def test_instances_of_one_split_are_read(tmp_path: Path) -> None:
    table = br.read_scores(helm_run(tmp_path / "m", {"valid": [1, 1], "test": [0, 1, 0]}))

    assert means(table)["m"] == pytest.approx(1 / 3)
    assert "one-split" in [note.code for note in table.notes]


def test_instances_that_were_numbered_anew_are_not_joined(tmp_path: Path) -> None:
    helm_run(tmp_path / "full", {"test": [0, 1, 0, 1]})
    helm_run(tmp_path / "part", {"test": [1, 0]}, start=2)

    with pytest.raises(br.InputError, match="An id must stand for one document"):
        br.read_scores(tmp_path)


def test_a_log_that_lost_rows_is_refused_by_the_harness_s_count(tmp_path: Path) -> None:
    date = "2026-01-01T00-00-00.000000"
    rows = [
        {"doc_id": k, "doc": {"q": k}, "filter": "none", "metrics": ["acc"], "acc": 1.0}
        for k in range(2)
    ]
    lines(tmp_path / f"samples_t_{date}.jsonl", rows)
    counts = {"t": {"original": 40, "effective": 8}}
    (tmp_path / f"results_{date}.json").write_text(
        json.dumps({"results": {}, "n-samples": counts, "model_name": "m"})
    )

    with pytest.raises(br.InputError, match="task 't' has 2 items, and 8 ran by the harness"):
        br.read_scores(tmp_path)
    assert br.read_scores(tmp_path, check_totals=False).items.height == 2


# --- all


def test_a_score_of_very_many_digits_is_refused_by_line(tmp_path: Path) -> None:
    row = json.dumps(result(0, 1.0)).replace('"score": 1.0', '"score": 1' + "0" * 400)
    (tmp_path / "out.jsonl").write_text(row + "\n")

    with pytest.raises(br.FileError, match=r"out.jsonl:1: 'score' must be a number, got 1000"):
        br.read_scores(tmp_path / "out.jsonl")

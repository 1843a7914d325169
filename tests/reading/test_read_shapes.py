"""Ids that are not what they seem: documents, tasks and filters of harnesses' own rows."""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from bestrand import FileError, InputError, read_items, read_scores
from bestrand.reading.merge import Duplicates
from bestrand.reading.shapes import task_of


DATE = "2026-01-01T00-00-00"
ARC, BOOLQ = f"samples_arc_{DATE}.jsonl", f"samples_boolq_{DATE}.jsonl"
CHOICES: tuple[Duplicates, ...] = ("error", "mean", "first", "last")


def samples(task: str, n: int, *, scores: Sequence[float] = (0, 1)) -> list[dict[str, Any]]:
    """Rows as lm-evaluation-harness logs them."""
    rows = []
    for i in range(n):
        doc = {"q": f"{task} {i}"}
        text = json.dumps(doc, indent=2, ensure_ascii=False)
        rows.append(
            {
                "doc_id": i,
                "doc": doc,
                "target": "A",
                "filter": "none",
                "metrics": ["acc"],
                "doc_hash": hashlib.sha256(text.encode()).hexdigest(),
                "acc": scores[i % len(scores)],
            }
        )
    return rows


def without(rows: list[dict[str, Any]], *names: str) -> list[dict[str, Any]]:
    return [{key: value for key, value in row.items() if key not in names} for row in rows]


def write(path: Path, rows: Sequence[dict[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


# --- tasks and documents


@pytest.mark.parametrize("duplicates", CHOICES)
@pytest.mark.parametrize("scores", [(0, 1), (1, 0)])
@pytest.mark.parametrize("lost", [(), ("doc_hash",), ("doc_hash", "doc")])
def test_two_tasks_of_lm_eval_are_not_joined(
    lost: tuple[str, ...], scores: Sequence[float], duplicates: Duplicates, tmp_path: Path
) -> None:
    write(tmp_path / "m1" / ARC, without(samples("arc", 6), *lost))
    write(tmp_path / "m1" / BOOLQ, without(samples("boolq", 4, scores=scores), *lost))

    for source in ({"m1": tmp_path / "m1"}, tmp_path):
        with pytest.raises(InputError, match=r"Samples of 2 tasks of lm-eval, 'arc', 'boolq'"):
            read_scores(source, metric="acc", duplicates=duplicates)
    with pytest.raises(InputError, match=r"'arc:0' and 'boolq:0'"):
        read_items(tmp_path)


@pytest.mark.parametrize("duplicates", CHOICES)
@pytest.mark.parametrize("lost", ["", "doc_hash"])
def test_one_id_for_two_documents_is_refused_whatever_the_files_are_called(
    lost: str, duplicates: Duplicates, tmp_path: Path
) -> None:
    a = write(tmp_path / "ab" / "a.jsonl", without(samples("arc", 3), lost))
    b = write(tmp_path / "ab" / "b.jsonl", without(samples("boolq", 2), lost))
    both = write(tmp_path / "c" / "m.jsonl", samples("arc", 3) + samples("boolq", 2))

    for source in ({"m": [a, b]}, [a, b]):
        with pytest.raises(InputError) as refused:
            read_scores(source, metric="acc", duplicates=duplicates)
        assert "2 stand for several by their doc_hash: '0', '1' (first: " in str(refused.value)
        assert f"{a}:1" in str(refused.value)
        assert f"{b}:1" in str(refused.value)
        assert "--duplicates" not in str(refused.value)
        assert refused.value.facts["items"] == ["0", "1"]
    with pytest.raises(InputError, match=r"m.jsonl:1 .*m.jsonl:4 "):
        read_scores(both, metric="acc", duplicates=duplicates)
    with pytest.raises(InputError, match="An id must stand for one document"):
        read_items(tmp_path / "ab")


def test_ids_that_a_run_of_some_items_swapped_are_refused_by_name(tmp_path: Path) -> None:
    whole = samples("t", 6)
    write(tmp_path / "full_samples_t.jsonl", whole)
    swapped = [whole[2] | {"doc_id": 5}, whole[5] | {"doc_id": 2}]
    write(tmp_path / "subset_samples_t.jsonl", swapped)

    with pytest.raises(InputError, match=r"'2', '5' \(first: .*full_samples_t.jsonl:3 .*ascending"):
        read_scores(tmp_path, metric="acc")


def test_one_task_is_read_of_many_models_and_a_hash_fits_a_document(tmp_path: Path) -> None:
    write(tmp_path / "m1" / ARC, samples("arc", 6))
    write(tmp_path / "m2" / ARC, without(samples("arc", 6, scores=[1]), "doc_hash"))

    table = read_scores({"m1": tmp_path / "m1", "m2": tmp_path / "m2"}, metric="acc")

    assert table.matrix().values.tolist() == [[0, 1, 0, 1, 0, 1], [1] * 6]


def test_samples_that_name_neither_task_nor_document_are_not_joined(tmp_path: Path) -> None:
    lost = ("doc_hash", "doc")
    a = write(tmp_path / "a.jsonl", without(samples("arc", 3), *lost))
    b = write(tmp_path / "b.jsonl", without(samples("boolq", 2), *lost))

    with pytest.raises(InputError, match=r"neither their names nor a `doc_hash` say whether it is"):
        read_scores({"m": [a, b]}, metric="acc", duplicates="mean")


def test_a_column_of_tasks_tells_them_apart(tmp_path: Path) -> None:
    for name, task, n in ((ARC, "arc", 6), (BOOLQ, "boolq", 4)):
        rows = [row | {"task": task, "item": f"{task}:{row['doc_id']}"} for row in samples(task, n)]
        write(tmp_path / "m1" / name, rows)

    assert read_scores({"m1": tmp_path / "m1"}, metric="acc").counts().scored == 10


@pytest.mark.parametrize(
    ("name", "task"),
    [
        (ARC, "arc"),
        ("samples_mmlu_pro_law_2026-01-01T00-00-00.123456.jsonl", "mmlu_pro_law"),
        ("samples_a_b_2026-01-01T00:00:00.jsonl.gz", "a_b"),
        ("20260101_000000_samples_mmmu_val.jsonl", "mmmu_val"),
        ("samples_gpt4.jsonl", None),
        ("m1.jsonl", None),
    ],
)
def test_a_task_is_known_by_the_name_of_its_file(name: str, task: str | None) -> None:
    assert task_of(Path("runs", name)) == task


# --- filters


def filtered(n: int = 4) -> list[dict[str, Any]]:
    strict, flexible = samples("gen", n), samples("gen", n, scores=[1])
    for row in strict:
        row["filter"] = "strict-match"
    for row in flexible:
        row["filter"] = "flexible-extract"
    return strict + flexible


@pytest.mark.parametrize("duplicates", CHOICES)
@pytest.mark.parametrize("score", [None, 1])
def test_two_filters_are_two_metrics_and_never_one(
    score: float | None, duplicates: Duplicates, tmp_path: Path
) -> None:
    rows = filtered() if score is None else [row | {"acc": score} for row in filtered()]
    path = write(tmp_path / "m.jsonl", rows)

    with pytest.raises(InputError) as refused:
        read_scores(path, metric="acc", duplicates=duplicates)

    said = str(refused.value)
    assert said.startswith("Rows of several filters, 'strict-match', 'flexible-extract', hold")
    assert f"at {path}:1, {path}:5)" in said
    assert "--metric acc,strict-match" in said
    assert "--duplicates" not in said


def test_a_filter_is_chosen_with_the_metric(tmp_path: Path) -> None:
    path = write(tmp_path / "m.jsonl", filtered())
    both = ["acc,strict-match", "acc,flexible-extract"]

    assert read_scores(path, metric=both[0]).matrix().values.tolist() == [[0, 1, 0, 1]]
    assert read_scores(path, metric=both[1]).matrix().values.tolist() == [[1, 1, 1, 1]]
    assert read_scores(path, metric=both).metrics == tuple(sorted(both))
    with pytest.raises(InputError, match=r"No metric 'acc,x' here; .* 'flexible-extract', 'strict"):
        read_scores(path, metric="acc,x")


def test_filters_in_several_files_and_beside_a_score_column(tmp_path: Path) -> None:
    rows = [
        {"item": "q", "model": "m", "score": s, "filter": f} for f, s in (("a", 1), ("b", 0))
    ]  # fmt: skip
    for row in rows:
        write(tmp_path / f"{row['filter']}.jsonl", [row])

    with pytest.raises(InputError, match=r"Rows of several filters, 'a', 'b', hold .*score,a"):
        read_scores(tmp_path, duplicates="mean")
    assert read_scores(tmp_path, metric="score,b").matrix().values.tolist() == [[0]]


def test_a_filter_that_tells_items_apart_is_no_matter(tmp_path: Path) -> None:
    rows = [{"item": i, "score": i, "filter": "ab"[i]} for i in range(2)]

    assert read_scores(write(tmp_path / "m.jsonl", rows)).matrix().values.tolist() == [[0, 1]]


# --- clashes between files


def test_where_files_clash_no_choice_of_rows_is_advised(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,model,score\nx,m,1\n")
    (tmp_path / "b.csv").write_text("id,model,score\nx,m,0\n")

    with pytest.raises(InputError) as refused:
        read_scores(tmp_path)

    assert "--duplicates" not in str(refused.value)
    assert "Files contradict each other: " in str(refused.value)
    assert read_scores(tmp_path, duplicates="mean").matrix().values.tolist() == [[0.5]]


# --- promptfoo


def results(*lost: str) -> list[dict[str, Any]]:
    return without(
        [
            {
                "id": f"f0798921-{i}{model}",
                "testIdx": i,
                "promptIdx": 0,
                "provider": {"id": f"toss:{model}", "label": model},
                "score": i,
                "cost": 0,
                "latencyMs": 1,
                "failureReason": 0,
            }
            for i in range(2)
            for model in ("p1", "p2")
        ],
        *lost,
    )


@pytest.mark.parametrize("lost", ["", "promptIdx", "provider"])
@pytest.mark.parametrize("name", ["full.jsonl", "full.json"])
def test_results_of_promptfoo_are_refused_by_name(name: str, lost: str, tmp_path: Path) -> None:
    path = tmp_path / name
    rows = results(lost)
    text = json.dumps(rows) if name == "full.json" else "\n".join(map(json.dumps, rows))
    path.write_text(text)

    for read in (read_scores, read_items):
        with pytest.raises(FileError, match=r"results of promptfoo .*Write a table with the col"):
            read(path)
    with pytest.raises(FileError, match="results of promptfoo"):
        read_scores(path, metric="score")


def test_results_of_promptfoo_are_read_where_item_and_model_are_named(tmp_path: Path) -> None:
    rows = [row | {"key": f"k{row['testIdx']}", "who": row["id"][-2:]} for row in results()]
    path = write(tmp_path / "full.jsonl", rows)

    table = read_scores(path, columns={"item": "key", "model": "who"}, metric="score")

    assert table.models == ("p1", "p2")
    assert table.matrix().values.tolist() == [[0, 1], [0, 1]]

"""Rows of lm-evaluation-harness: tasks, documents, filters, metrics, and what it gets wrong."""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from bestrand import FileError, InputError, adopt, estimate, read_items, read_scores
from bestrand.reading.merge import Duplicates
from tests.harnesses.conftest import LOGS


DATE = "2026-01-01T00-00-00"
ARC, BOOLQ = f"samples_arc_{DATE}.jsonl", f"samples_boolq_{DATE}.jsonl"
CHOICES: tuple[Duplicates, ...] = ("error", "mean", "first", "last")
OWN = LOGS / "lm_eval"


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
def test_items_of_two_tasks_are_two_items(
    lost: tuple[str, ...], scores: Sequence[float], duplicates: Duplicates, tmp_path: Path
) -> None:
    write(tmp_path / "m1" / ARC, without(samples("arc", 6), *lost))
    write(tmp_path / "m1" / BOOLQ, without(samples("boolq", 4, scores=scores), *lost))

    table = read_scores({"m1": tmp_path / "m1"}, metric="acc", duplicates=duplicates)

    assert table.models == ("m1",)
    assert table.items["item"].to_list() == [
        *(f"arc:{i}" for i in range(6)),
        *(f"boolq:{i}" for i in range(4)),
    ]
    assert table.groups == ("arc", "boolq")
    assert (table.n_duplicates, table.counts().scored) == (0, 10)
    assert read_items(tmp_path / "m1").items == tuple(table.items["item"])


def test_an_item_is_called_alike_whatever_else_is_read(tmp_path: Path) -> None:
    alone = write(tmp_path / "m1" / ARC, samples("arc", 3))

    assert read_scores(alone).items["item"].to_list() == ["arc:0", "arc:1", "arc:2"]


@pytest.mark.parametrize("duplicates", CHOICES)
@pytest.mark.parametrize("lost", ["", "doc_hash"])
def test_one_id_for_two_documents_is_refused_whatever_the_files_are_called(
    lost: str, duplicates: Duplicates, tmp_path: Path
) -> None:
    a = write(tmp_path / "ab" / "a.jsonl", without(samples("arc", 3), lost))
    b = write(tmp_path / "ab" / "b.jsonl", without(samples("boolq", 2), lost))
    both = write(tmp_path / "c" / "m.jsonl", samples("arc", 3) + samples("boolq", 2))

    for source in ({"m": [a, b]}, [a, b]):
        with pytest.raises(
            InputError, match=r"b.jsonl: 2 ids stand for other documents"
        ) as refused:
            read_scores(source, metric="acc", duplicates=duplicates)
        assert "--duplicates" not in str(refused.value)
        assert refused.value.facts["items"] == ["0", "1"]
    with pytest.raises(InputError, match=r"m.jsonl:1 .*m.jsonl:4 "):
        read_scores(both, metric="acc", duplicates=duplicates)
    with pytest.raises(InputError, match="stand for other documents"):
        read_items(tmp_path / "ab")


def test_swapped_ids_are_joined_by_their_documents(tmp_path: Path) -> None:
    whole = samples("t", 6)
    write(tmp_path / "full_samples_t.jsonl", whole)
    swapped = [whole[2] | {"doc_id": 5, "acc": 1}, whole[5] | {"doc_id": 2, "acc": 0}]
    write(tmp_path / "subset_samples_t.jsonl", swapped)

    table = read_scores(tmp_path, metric="acc")
    rows = table.rows.filter(table.rows["model"] == "subset_samples_t")

    assert dict(rows.select("item", "score").iter_rows()) == {"t:2": 1.0, "t:5": 0.0}
    [note] = [note.text for note in table.notes if note.code == "rejoined"]
    assert "2 ids belonged to other documents ('2', '5')" in note


def test_a_document_that_is_in_the_benchmark_twice_is_not_joined_by_its_hash(
    tmp_path: Path,
) -> None:
    whole = samples("t", 4)
    twice = [*whole, whole[0] | {"doc_id": 4}]
    write(tmp_path / "full_samples_t.jsonl", twice)
    write(tmp_path / "subset_samples_t.jsonl", [whole[0] | {"doc_id": 2}])

    with pytest.raises(InputError, match=r"Document of item '2' is there twice"):
        read_scores(tmp_path, metric="acc")


def test_the_answer_to_another_prompt_is_refused(tmp_path: Path) -> None:
    rows = samples("t", 3)
    rows[1]["doc_hash"] = rows[0]["doc_hash"]

    with pytest.raises(FileError, match=r"t.jsonl:2: item '1': .* without --cache_requests"):
        read_scores(write(tmp_path / "samples_t.jsonl", rows), metric="acc")


def test_a_run_of_chosen_samples_logged_under_other_ids_is_joined_by_the_full_one() -> None:
    table = read_scores([OWN / "out_swapped", OWN / "out_filters"], metric="acc")
    rows = table.rows.filter(table.rows["model"] == "acme/probe-2")

    assert {"demo_mc_a:2", "demo_mc_a:5"} <= set(rows["item"])
    assert "rejoined" in {note.code for note in table.notes}


def test_one_task_is_read_of_many_models_and_a_hash_fits_a_document(tmp_path: Path) -> None:
    write(tmp_path / "m1" / ARC, samples("arc", 6))
    write(tmp_path / "m2" / ARC, without(samples("arc", 6, scores=[1]), "doc_hash"))

    table = read_scores({"m1": tmp_path / "m1", "m2": tmp_path / "m2"}, metric="acc")

    assert table.matrix().values.tolist() == [[0, 1, 0, 1, 0, 1], [1] * 6]


def test_samples_that_name_neither_task_nor_document_are_not_joined(tmp_path: Path) -> None:
    lost = ("doc_hash", "doc")
    a = write(tmp_path / "a.jsonl", without(samples("arc", 3), *lost))
    b = write(tmp_path / "b.jsonl", without(samples("boolq", 2), *lost))

    with pytest.raises(InputError, match=r"neither their names nor a `doc_hash` say whether"):
        read_scores({"m": [a, b]}, metric="acc", duplicates="mean")


def test_rows_with_a_column_of_items_are_a_table(tmp_path: Path) -> None:
    for name, task, n in ((ARC, "arc", 6), (BOOLQ, "boolq", 4)):
        rows = [row | {"task": task, "item": f"{task}:{row['doc_id']}"} for row in samples(task, n)]
        write(tmp_path / "m1" / name, rows)
    table = read_scores({"m1": tmp_path / "m1"}, metric="acc")

    assert (table.counts().scored, table.runs) == (10, ())


@pytest.mark.parametrize(
    ("name", "first"),
    [
        (ARC, "arc:0"),
        ("samples_mmlu_pro_law_2026-01-01T00-00-00.123456.jsonl", "mmlu_pro_law:0"),
        ("samples_a_b_2026-01-01T00:00:00.jsonl", "a_b:0"),
        ("samples_gpt4.jsonl", "gpt4:0"),
        ("m1.jsonl", "0"),
    ],
)
def test_a_task_is_known_by_the_name_of_its_file(name: str, first: str, tmp_path: Path) -> None:
    assert read_scores(write(tmp_path / name, samples("t", 2))).items["item"][0] == first


# --- models, sizes, digests


def test_a_run_says_its_model_size_version_and_manifest() -> None:
    table = read_scores(OWN / "out_subset", metric="acc")
    [run] = table.runs

    assert (run.model, run.harness, run.harness_version) == ("acme/p2", "lm-eval", "0.4.13")
    assert run.sizes == {"tiny_alpha": 16, "tiny_beta": 6, "tiny_gen": 8, "tiny_shot": 16}
    assert run.versions["tiny_beta"] == "2.0"
    assert read_scores(OWN / "out", metric="acc").runs[0].digest == "0000"


def test_the_name_of_the_model_is_the_folder_without_a_results_file(tmp_path: Path) -> None:
    path = write(tmp_path / "acme__p1" / ARC, samples("arc", 2))

    assert read_scores(path).models == ("acme/p1",)
    assert read_scores({"mine": path}).models == ("mine",)


def test_a_results_file_alone_is_named(tmp_path: Path) -> None:
    results = next((OWN / "out" / "acme__p1").glob("results_*.json"))
    (tmp_path / results.name).write_bytes(results.read_bytes())

    with pytest.raises(InputError, match=r"results_.* belong to logs that are not here"):
        read_scores(tmp_path)


def test_a_total_that_differs_is_refused_with_both_numbers(tmp_path: Path) -> None:
    for path in (OWN / "out" / "acme__p1").iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    [results] = tmp_path.glob("results_*.json")
    results.write_text(results.read_text().replace('"acc,none": 0.5625', '"acc,none": 0.75'))

    with pytest.raises(InputError, match=r"mean of 'acc' .* is 0.5625 .* and 0.75 by the harness"):
        read_scores(tmp_path, metric="acc")
    table = read_scores(tmp_path, metric="acc", check_totals=False)
    assert "totals-differ" in {note.code for note in table.notes}


def test_metrics_without_a_score_an_item_are_refused_by_name(tmp_path: Path) -> None:
    rows = [row | {"f1": [0, 1], "metrics": ["acc", "f1"]} for row in samples("t", 2)]
    path = write(tmp_path / "samples_t.jsonl", rows)
    table = read_scores(path)

    assert table.metrics == ("acc",)
    assert "'f1' has a list for each item" in next(
        note.text for note in table.notes if note.code == "metrics-aside"
    )
    with pytest.raises(InputError, match=r"'f1' has a list for each item.* Usable: 'acc'"):
        read_scores(path, metric="f1")
    with pytest.raises(InputError, match=r"no metric has a score for each item: 'f1' has a list"):
        read_scores(write(tmp_path / "samples_u.jsonl", [r | {"metrics": ["f1"]} for r in rows]))


def test_members_of_an_object_are_metrics_by_their_path(tmp_path: Path) -> None:
    rows = [row | {"metrics": ["v"], "v": {"score": i, "why": "x"}} for i, row in
            enumerate(samples("t", 2))]  # fmt: skip

    assert read_scores(write(tmp_path / "samples_t.jsonl", rows)).metrics == ("v.score",)


@pytest.mark.parametrize("value", ["1", "yes", 1e999])
def test_scores_that_are_no_numbers_are_refused_with_their_line(
    value: object, tmp_path: Path
) -> None:
    rows = samples("t", 2)
    rows[1]["acc"] = value

    with pytest.raises(FileError, match=r"samples_t.jsonl:2: 'acc' must be a number, got "):
        read_scores(write(tmp_path / "samples_t.jsonl", rows))


def test_nan_and_null_are_unscored(tmp_path: Path) -> None:
    rows = samples("t", 3)
    rows[0]["acc"], rows[1]["acc"] = float("nan"), None

    counts = read_scores(write(tmp_path / "samples_t.jsonl", rows)).counts()

    assert (counts.scored, counts.unscored) == (1, 2)


# --- filters


def filtered(n: int = 4) -> list[dict[str, Any]]:
    strict, flexible = samples("gen", n), samples("gen", n, scores=[1])
    for row in strict:
        row["filter"] = "strict-match"
    for row in flexible:
        row["filter"] = "flexible-extract"
    return strict + flexible


def test_the_first_filter_is_taken_with_a_note_and_none_is_averaged(tmp_path: Path) -> None:
    path = write(tmp_path / "samples_gen.jsonl", filtered())
    table = read_scores(path)

    assert table.matrix().values.tolist() == [[0, 1, 0, 1]]
    [note] = [note.text for note in table.notes if note.code == "first-filter"]
    assert "'strict-match', 'flexible-extract'; 'strict-match', the first in the file" in note
    assert "--filter flexible-extract" in note
    other = read_scores(path, filter="flexible-extract")
    assert other.matrix().values.tolist() == [[1, 1, 1, 1]]
    assert "first-filter" not in {note.code for note in other.notes}
    with pytest.raises(InputError, match=r"No filter 'x' here; there are 'strict-match', 'flex"):
        read_scores(path, filter="x")


@pytest.mark.parametrize("duplicates", CHOICES)
def test_filters_that_agree_are_no_duplicates(duplicates: Duplicates, tmp_path: Path) -> None:
    rows = [row | {"acc": 1} for row in filtered()]
    table = read_scores(write(tmp_path / "samples_gen.jsonl", rows), duplicates=duplicates)

    assert (table.counts().scored, table.n_duplicates) == (4, 0)


def test_a_filter_is_chosen_with_the_metric(tmp_path: Path) -> None:
    path = write(tmp_path / "samples_gen.jsonl", filtered())
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

    assert read_scores(tmp_path, duplicates="mean").matrix().values.tolist() == [[1]]
    assert read_scores(tmp_path, metric="score,b").matrix().values.tolist() == [[0]]


def test_a_filter_that_tells_items_apart_is_no_matter(tmp_path: Path) -> None:
    rows = [{"item": i, "score": i, "filter": "ab"[i]} for i in range(2)]

    assert read_scores(write(tmp_path / "m.jsonl", rows)).matrix().values.tolist() == [[0, 1]]


def test_the_log_says_that_a_lower_score_is_better(tmp_path: Path) -> None:
    for model, scores in (("m1", (1.0, 2.0)), ("m2", (3.0, 4.0))):
        rows = [
            {**row, "metrics": ["loss"], "loss": row["acc"]}
            for row in samples("arc", 20, scores=scores)
        ]
        write(tmp_path / model / ARC, without(rows, "acc"))
        results = {"results": {}, "higher_is_better": {"arc": {"loss": False}}, "model_name": model}
        (tmp_path / model / f"results_{DATE}.json").write_text(json.dumps(results))
    table = read_scores(tmp_path)
    subset = adopt(table.items["item"].to_list()[:15], of=20, inclusion="random")
    stated, turned = (estimate(table, subset, higher_is_better=wanted) for wanted in (None, True))

    assert [run.lower_is_better for run in table.runs] == [("loss",), ("loss",)]
    assert stated.differences(baseline="m1")[0].verdict == "worse"
    assert turned.differences(baseline="m1")[0].verdict == "better"
    for result in (stated, turned):
        assert "A lower 'loss' is better, by the logs." in "".join(n.text for n in result.notes)

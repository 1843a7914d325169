"""Logs of lmms-eval. Files are made in the documented form."""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from bestrand import FileError, InputError, read_scores


DATE = "20260101_120000"
NO_DOCUMENT = hashlib.sha256(b"null").hexdigest()


def row(item: int, target: str = "A", **metrics: object) -> dict[str, Any]:
    facts = {"doc_id": item, "target": target, "filtered_resps": "A", "token_counts": [None]}
    return facts | {"doc_hash": NO_DOCUMENT} | metrics | {"input": f"Question {item}?"}


def write(
    folder: Path,
    rows: Sequence[dict[str, Any]],
    totals: dict[str, Any] | None = None,
    *,
    task: str = "gqa_lite",
    metrics: Sequence[dict[str, Any]] = (),
) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{DATE}_samples_{task}.jsonl"
    path.write_text("\n".join(json.dumps(one) for one in rows))
    if totals is not None:
        results = {
            "results": {task: {"alias": task} | totals},
            "configs": {task: {"metric_list": list(metrics)}},
            "versions": {task: "1.0"},
            "higher_is_better": {task: {"exact_match": True, "wer": False}},
            "n-samples": {task: {"original": 500, "effective": len(rows)}},
            "model_name": "acme/eye-7b",
        }
        (folder / f"{DATE}_results.json").write_text(json.dumps(results))
    return folder


def scores(path: Path, **how: Any) -> dict[str, float | None]:  # noqa: ANN401
    return dict(read_scores(path, **how).rows.select("item", "score").iter_rows())


def test_samples_are_read_with_their_results(tmp_path: Path) -> None:
    rows = [row(k, exact_match=one, wer=0.25) for k, one in ((0, 1.0), (7, 0.0), (8, None))]
    totals = {"exact_match,none": 0.5, "exact_match_stderr,none": 0.2}
    table = read_scores(write(tmp_path, rows, totals))

    assert scores(tmp_path, metric="exact_match") == {
        "gqa_lite:0": 1,
        "gqa_lite:7": 0,
        "gqa_lite:8": None,
    }
    assert table.runs[0].lower_is_better == ("wer",)
    assert table.models == ("acme/eye-7b",)
    assert table.metrics == ("exact_match", "wer")
    assert (table.runs[0].sizes, table.runs[0].versions) == ({"gqa_lite": 500}, {"gqa_lite": "1.0"})
    assert "files-aside" not in {note.code for note in table.notes}


def test_without_results_the_model_is_that_of_the_folder(tmp_path: Path) -> None:
    assert read_scores(write(tmp_path / "acme__eye", [row(0, acc=1)])).models == ("acme/eye",)


def test_a_total_that_differs_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"mean of 'acc' .* is 1 over .* and 0\.5 by the harness"):
        read_scores(write(tmp_path, [row(0, acc=1.0)], {"acc,none": 0.5}))


def test_members_of_an_object_are_metrics(tmp_path: Path) -> None:
    said = {"question_id": "q", "score": 1.0, "category": "OCR"}
    listed = [{"metric": "mme_score", "aggregation": "<function mme_aggregate_results>"}]
    write(tmp_path, [row(0, mme_score=said)], {"mme_score,none": 1500.0}, metrics=listed)

    assert read_scores(tmp_path).metrics == ("mme_score.score",)
    with pytest.raises(InputError, match=r"has an object .* its numbers are 'mme_score\.score'"):
        read_scores(tmp_path, metric="mme_score")


def test_what_is_not_averaged_is_refused_by_name(tmp_path: Path) -> None:
    listed = [{"metric": "cider", "aggregation": "<function cider at 0x7f>"}]
    write(tmp_path, [row(0, cider=1.0, acc=1.0)], {"cider,none": 0.3}, metrics=listed)

    assert read_scores(tmp_path).metrics == ("acc",)
    with pytest.raises(InputError, match="'cider' is not averaged over items"):
        read_scores(tmp_path, metric="cider")


@pytest.mark.parametrize(("value", "what"), [([0, 1], "a list"), ("B", "a text")])
def test_lists_and_texts_are_refused_by_name(value: object, what: str, tmp_path: Path) -> None:
    write(tmp_path, [row(0, acc=1, submission=value)])

    with pytest.raises(InputError, match=f"'submission' has {what} for each item"):
        read_scores(tmp_path, metric="submission")


def test_filters_are_told_by_the_order_of_rows(tmp_path: Path) -> None:
    rows = [row(0, acc=1.0), row(1, acc=1.0), row(0, acc=0.0), row(1, acc=1.0)]
    write(tmp_path, rows, {"acc,strict": 1.0, "acc,flexible": 0.5})

    assert list(scores(tmp_path, filter="strict").values()) == [1, 1]
    assert list(scores(tmp_path, filter="flexible").values()) == [0, 1]


def test_rows_that_do_not_fit_the_filters_are_refused(tmp_path: Path) -> None:
    rows = [row(0, acc=1.0), row(1, acc=1.0), row(0, acc=0.0)]

    with pytest.raises(FileError, match=r"2 filters .* need as many rows of each document"):
        read_scores(write(tmp_path, rows, {"acc,strict": 1.0, "acc,flexible": 0.5}))


def test_a_file_to_which_two_runs_appended_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="gqa_lite:0"):
        read_scores(write(tmp_path, [row(0, acc=1.0), row(0, acc=0.0)]))


def test_one_id_with_two_targets_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "a", [row(0, "A", acc=1)])
    write(tmp_path / "b", [row(0, "B", acc=1)])

    with pytest.raises(InputError, match="An id must stand for one document"):
        read_scores(tmp_path)


def test_rows_longer_than_the_first_bytes_are_known_by_the_name(tmp_path: Path) -> None:
    path = write(tmp_path, [row(0, acc=1, target="A" * 70_000)])

    assert scores(path) == {"gqa_lite:0": 1}

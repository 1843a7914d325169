"""Reviews of EvalScope: attempts, errors that stand as 0, ids of samples."""

import json
from pathlib import Path
from typing import Any

import pytest

from bestrand import FileError, InputError, read_scores
from tests.harnesses.conftest import LOGS


OWN = LOGS / "evalscope"


def review(group: int, score: float, attempt: int = 0, **more: Any) -> dict[str, Any]:  # noqa: ANN401
    sample = {"group_id": group, "generation_index": attempt, "score": {"value": {"acc": score}}}
    for name, value in more.items():
        (sample["score"] if name in ("status", "metadata") else sample)[name] = value  # type: ignore[index]
    return {
        "index": attempt,
        "messages": [{"role": "user", "content": f"question {group}"}],
        "sample_score": sample,
    }


def write(path: Path, *rows: dict[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


def test_an_item_is_a_group_and_index_counts_attempts(tmp_path: Path) -> None:
    rows = [review(group, attempt, attempt) for group in range(3) for attempt in range(2)]
    table = read_scores(write(tmp_path / "reviews" / "acme" / "p1" / "qa_main.jsonl", *rows))

    assert table.models == ("acme/p1",)
    assert table.frame().items == ("qa_main:0", "qa_main:1", "qa_main:2")
    assert table.matrix().values.tolist() == [[0.5, 0.5, 0.5]]


def test_the_id_of_the_sample_is_the_items_own(tmp_path: Path) -> None:
    rows = [review(k, 1, sample_metadata={"id": f"own-{k}"}) for k in range(2)]

    assert read_scores(write(tmp_path / "qa.jsonl", *rows)).frame().items == (
        "qa:own-0",
        "qa:own-1",
    )
    twice = [review(k, 1, sample_metadata={"id": "same"}) for k in range(2)]
    assert read_scores(write(tmp_path / "qa.jsonl", *twice)).frame().items == ("qa:0", "qa:1")


def test_a_metric_that_raised_is_errored_though_zero_stands_there() -> None:
    table = read_scores(OWN / "qa")
    rows = table.rows.filter(table.rows["metric"] == "bleu-1")

    assert rows["status"].to_list() == ["errored"] * 6
    assert rows["score"].null_count() == 6
    assert table.faults is not None
    assert set(table.faults["metric"]) == {f"bleu-{k}" for k in range(1, 5)}
    with pytest.raises(InputError, match="6 errored, 0 ran and were not scored"):
        read_scores(OWN / "qa", metric="bleu-1")


def test_another_status_than_success_is_unscored(tmp_path: Path) -> None:
    path = write(tmp_path / "qa.jsonl", review(0, 1), review(1, 0, status="failed"))

    assert (read_scores(path).counts().scored, read_scores(path).counts().unscored) == (1, 1)


def test_groups_of_other_questions_are_not_joined(tmp_path: Path) -> None:
    write(tmp_path / "reviews" / "a" / "qa.jsonl", review(0, 1), review(1, 1))
    other = review(0, 1)
    other["messages"][0]["content"] = "question 1"
    write(tmp_path / "reviews" / "b" / "qa.jsonl", other)

    with pytest.raises(InputError, match="An id must stand for one document"):
        read_scores(tmp_path)


def test_a_row_without_its_sample_is_refused_with_its_line(tmp_path: Path) -> None:
    broken = review(1, 1) | {"sample_score": None}

    with pytest.raises(FileError, match=r"qa.jsonl:2: no review"):
        read_scores(write(tmp_path / "qa.jsonl", review(0, 1), broken))


def test_the_version_is_that_of_the_configuration_without_the_fingerprint_of_the_run() -> None:
    [run] = read_scores(OWN / "mcq").runs

    assert run.harness_version == "1.14.1"
    assert run.versions["general_mcq_alpha"] == "v1.1"

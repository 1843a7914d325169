"""Logs of OpenAI Evals. Files are made in the documented form."""

import json
from pathlib import Path
from typing import Any

import pytest

from bestrand import FileError, InputError, read_scores


NAME = "sums.test.v0"
Event = tuple[int, str, dict[str, Any]]


def match(sample: int, correct: object, expected: object = "4") -> Event:
    return sample, "match", {"correct": correct, "expected": expected, "picked": "5"}


def metrics(sample: int, **values: object) -> Event:
    return sample, "metrics", values


def error(sample: int) -> Event:
    return sample, "error", {"type": "APIError", "message": "gone"}


def sampling(sample: int) -> Event:
    return sample, "sampling", {"prompt": f"{sample}+1?", "sampled": ["5"]}


def write(
    path: Path, *events: Event, report: dict[str, Any] | None = None, model: str = "acme"
) -> Path:
    spec = {"completion_fns": [model], "eval_name": NAME, "base_eval": "sums", "split": "test"}
    rows: list[dict[str, Any]] = [{"spec": spec}]
    rows += [
        {"run_id": "r", "event_id": n, "sample_id": f"sums.test.{k}", "type": kind, "data": data}
        for n, (k, kind, data) in enumerate(events)
    ]
    rows += [] if report is None else [{"final_report": report, "run_id": "r"}]
    path.write_text("\n".join(json.dumps(row) for row in rows))
    return path


def scores(path: Path, metric: str | None = None) -> dict[str, tuple[str, float | None]]:
    rows = read_scores(path, metric=metric).rows
    return {
        row["item"].removeprefix(f"{NAME}:sums.test."): (row["status"], row["score"])
        for row in rows.iter_rows(named=True)
    }


def test_matches_are_scores(tmp_path: Path) -> None:
    events = [sampling(3), match(3, correct=True), sampling(0), match(0, correct=False)]
    path = write(tmp_path / "a.jsonl", *events, report={"accuracy": 0.5, "boostrap_std": 0.1})
    table = read_scores(path)

    assert scores(path) == {"3": ("scored", 1.0), "0": ("scored", 0.0)}
    assert table.models == ("acme",)
    assert table.items["item"].to_list() == [f"{NAME}:sums.test.{k}" for k in (0, 3)]


def test_a_sample_with_an_error_alone_is_errored_and_one_with_neither_is_unscored(
    tmp_path: Path,
) -> None:
    events = [match(0, correct=True), error(1), sampling(2), match(3, correct=False), error(3)]
    path = write(tmp_path / "a.jsonl", *events, report={"accuracy": 0.5})

    assert scores(path) == {
        "0": ("scored", 1.0),
        "1": ("errored", None),
        "2": ("unscored", None),
        "3": ("scored", 0.0),
    }


def test_graded_choices_are_scored_by_their_numbers(tmp_path: Path) -> None:
    events = [metrics(0, choice="A", score=1.0), metrics(1, choice=None, score=None)]
    report = {"counts/A": 1, "counts/__invalid__": 1, "score": 1.0}
    path = write(tmp_path / "a.jsonl", *events, report=report)

    assert scores(path, "score") == {"0": ("scored", 1.0), "1": ("unscored", None)}
    with pytest.raises(InputError, match=r"metric 'choice' is no number.* Usable: 'score'"):
        read_scores(path, metric="choice")


def test_a_number_that_is_a_text_in_another_event_is_refused_with_its_line(tmp_path: Path) -> None:
    events = [metrics(0, score=1.0), metrics(1, score="85%")]

    with pytest.raises(FileError, match=r":3: 'score' must be a number"):
        read_scores(write(tmp_path / "a.jsonl", *events, report={}))


def test_matches_and_metrics_stand_beside_each_other(tmp_path: Path) -> None:
    events = [
        event
        for k, f1 in ((0, 0.5), (1, 1.0))
        for event in (match(k, correct=f1 == 1), metrics(k, accuracy=f1 == 1, f1_score=f1))
    ]
    path = write(tmp_path / "a.jsonl", *events, report={"accuracy": 0.5, "f1_score": 0.75})

    assert read_scores(path).metrics == ("accuracy", "correct", "f1_score")


def test_several_matches_of_a_sample_are_averaged(tmp_path: Path) -> None:
    events = [match(0, correct=True), match(0, correct=False), match(1, correct=True)]
    path = write(tmp_path / "a.jsonl", *events, report={"accuracy": 2 / 3})

    assert scores(path) == {"0": ("scored", 0.5), "1": ("scored", 1.0)}


@pytest.mark.parametrize("name", ["accuracy", "score"])
def test_a_report_that_differs_is_refused(name: str, tmp_path: Path) -> None:
    event = match(0, correct=True) if name == "accuracy" else metrics(0, score=1.0)

    with pytest.raises(InputError, match=r"is 1 over .* and 0\.5 by the harness"):
        read_scores(write(tmp_path / "a.jsonl", event, report={name: 0.5}))


def test_a_run_without_a_report_is_read_if_asked_for(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", match(0, correct=True))

    with pytest.raises(InputError, match=r"did not end \(no final report\)"):
        read_scores(path)
    assert read_scores(path, unfinished=True).counts().scored == 1


def test_places_in_another_samples_file_are_not_joined(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", match(0, True, "4"), match(1, True, "5"), report={})  # noqa: FBT003
    write(tmp_path / "b.jsonl", match(0, True, "5"), report={}, model="b")  # noqa: FBT003

    with pytest.raises(InputError, match=r"'sums\.test\.v0:sums\.test\.0'"):
        read_scores(tmp_path)


def test_a_score_of_all_samples_alone_is_refused_by_name(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", sampling(0), sampling(1), report={"sacrebleu_score": 31.2})

    with pytest.raises(InputError, match="'sacrebleu_score' has no score for each sample"):
        read_scores(path)


def test_a_run_of_errors_alone_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", error(0), error(1), report={"accuracy": 0.0})

    with pytest.raises(InputError):
        read_scores(path)
    with pytest.raises(InputError, match="acme"):
        read_scores(path, check_totals=False)


def test_two_runs_in_one_file_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", match(0, correct=True), report={})
    path.write_text(path.read_text() + "\n" + path.read_text())

    with pytest.raises(FileError, match="jsonl:4: a second spec"):
        read_scores(path)

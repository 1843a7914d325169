"""Logs of Inspect: values, errors, epochs, runs that did not end, logs that came again."""

import json
from pathlib import Path
from typing import Any

import pytest

from bestrand import FileError, InputError, read_scores
from tests.harnesses.conftest import LOGS


OWN = LOGS / "inspect_ai"


def sample(item: object, value: object, epoch: int = 1, **more: object) -> dict[str, Any]:
    return {"id": item, "epoch": epoch, "scores": {"match": {"value": value}}, **more}


def log(samples: list[dict[str, Any]], **more: object) -> dict[str, Any]:
    spec = {"task": "sums", "task_id": "t1", "model": "acme/p1", "dataset": {"samples": 9}}
    return {"version": 2, "status": "success", "eval": spec, "samples": samples, **more}


def write(path: Path, content: dict[str, Any]) -> Path:
    path.write_text(json.dumps(content))
    return path


def scores_of(path: Path) -> dict[str, float | None]:
    return dict(read_scores(path).rows.select("item", "score").iter_rows())


def test_letters_words_and_numbers_are_those_of_inspect(tmp_path: Path) -> None:
    values = ["C", "P", "I", "N", "yes", "no", True, "0.25", 0.5]
    path = write(tmp_path / "a.json", log([sample(f"q{i}", v) for i, v in enumerate(values)]))

    assert list(scores_of(path).values()) == [1, 0.5, 0, 0, 1, 0, 1, 0.25, 0.5]


def test_what_inspect_would_count_as_zero_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", log([sample("q", "B")]))

    with pytest.raises(FileError, match=r"'match' has the value 'B', which is none of C, P, I"):
        read_scores(path)


def test_nan_is_unscored_and_an_error_is_no_zero(tmp_path: Path) -> None:
    failed = {"id": "b", "epoch": 1, "scores": {}, "error": {"message": "boom\ntrace"}}
    path = write(tmp_path / "a.json", log([sample("a", float("nan")), failed, sample("c", 1)]))
    table = read_scores(path)

    assert dict(table.rows.select("item", "status").iter_rows()) == {
        "sums:a": "unscored",
        "sums:b": "errored",
        "sums:c": "scored",
    }
    assert table.faults is not None
    assert table.faults["fault"].to_list() == ["boom"]
    assert read_scores(path, errors="zero").rows["score"].drop_nulls().to_list() == [0, 1]


def test_epochs_are_averaged_inside_an_item_and_errored_ones_named(tmp_path: Path) -> None:
    failed = {"id": "b", "epoch": 2, "scores": {}, "error": "boom"}
    samples = [sample("a", 1), sample("b", 1), sample("a", 0, 2), failed]
    path = write(tmp_path / "a.json", log(samples))

    assert scores_of(path) == {"sums:a": 0.5, "sums:b": 1.0}
    notes = {note.code: note.text for note in read_scores(path).notes}
    assert (
        "1 repeats of 1 items have no score, of model 'acme/p1'" in notes["repeats-without-score"]
    )
    zero = read_scores(path, errors="zero")
    assert dict(zero.rows.select("item", "score").iter_rows())["sums:b"] == 0.5


def test_scorers_with_several_values_are_several_metrics_and_lists_are_none(tmp_path: Path) -> None:
    scores = {"style": {"value": {"tone": 1, "flow": 0.5}}, "steps": {"value": [1, 0]}}
    path = write(tmp_path / "a.json", log([{"id": 1, "epoch": 1, "scores": scores}]))
    table = read_scores(path)

    assert table.metrics == ("style.flow", "style.tone")
    with pytest.raises(InputError, match=r"'steps' has a list for each sample. Usable: 'style.fl"):
        read_scores(path, metric="steps")


def test_an_id_that_is_a_number_and_a_text_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", log([sample(1, 1), sample("1", 0)]))

    with pytest.raises(InputError, match="id '1' is a number and a text"):
        read_scores(path)


def test_a_run_that_succeeded_and_has_errors_alone_is_refused(tmp_path: Path) -> None:
    samples = [{"id": item, "epoch": 1, "error": {"message": "gone"}} for item in ("a", "b")]
    path = write(tmp_path / "a.json", log(samples, results=None))

    with pytest.raises(InputError, match=r"No item has a score, of model 'acme/p1': 2 errored"):
        read_scores(path)


def test_a_run_that_did_not_end_is_read_if_asked_for() -> None:
    with pytest.raises(InputError, match=r"did not end \(status 'started', with 3 of 4 samples\)"):
        read_scores(OWN / "crashed")
    table = read_scores(OWN / "crashed", unfinished=True)

    assert table.counts().scored == 3
    assert "unfinished" in {note.code for note in table.notes}


def test_of_logs_of_one_task_the_newest_is_read(tmp_path: Path) -> None:
    for number, value in enumerate([0, 1]):
        content = log([sample("q", value)])
        content["eval"]["created"] = f"2026-01-0{number + 1}T00:00:00+00:00"
        write(tmp_path / f"{number}.json", content)
    table = read_scores(tmp_path)

    assert table.rows["score"].to_list() == [1]
    assert "older-logs" in {note.code for note in table.notes}


def test_tasks_of_which_no_sample_was_chosen_are_left_aside(tmp_path: Path) -> None:
    write(tmp_path / "a.json", log([sample("x", "C")]))
    empty = log([])
    empty["eval"] |= {"task": "other", "task_id": "t2", "config": {"sample_id": []}}
    write(tmp_path / "b.json", empty)
    scores = read_scores(tmp_path)

    assert scores.rows["item"].to_list() == ["sums:x"]
    assert [note.text for note in scores.notes if note.code == "empty-tasks"] == [
        "Tasks of which no sample was chosen are left aside: 'other'."
    ]
    with pytest.raises(InputError, match="no rows"):
        read_scores(tmp_path / "b.json")
    empty["eval"]["config"] = {}  # no list was given: the run ended before its first sample
    write(tmp_path / "b.json", empty)
    with pytest.raises(InputError, match="no rows"):
        read_scores(tmp_path)


def test_a_total_that_differs_is_refused(tmp_path: Path) -> None:
    metrics = {"accuracy": {"name": "accuracy", "value": 0.5}}
    results = {"scores": [{"name": "match", "scorer": "match", "metrics": metrics}]}
    path = write(tmp_path / "a.json", log([sample("q", 1)], results=results))

    with pytest.raises(InputError, match=r"mean of 'match' of task 'sums' is 1 .* and 0.5 by the"):
        read_scores(path)


def test_the_manifest_that_a_run_was_for_is_known() -> None:
    [run] = read_scores(OWN / "subset").runs

    assert run.digest == "0" * 64
    assert (run.harness, run.harness_version) == ("inspect-ai", "0.3.285")
    assert run.sizes == {"hostile": 26}


def test_a_damaged_archive_is_refused(tmp_path: Path) -> None:
    [genuine] = (OWN / "subset").glob("*.eval")
    content = genuine.read_bytes()
    (tmp_path / "a.eval").write_bytes(content[: len(content) // 2])

    with pytest.raises(FileError, match="the archive is damaged"):
        read_scores(tmp_path / "a.eval")


def test_what_an_eval_set_leaves_beside_is_no_log() -> None:
    table = read_scores(OWN / "eval_set")

    assert table.models == ("mockllm/p1", "mockllm/p2", "mockllm/p3")
    assert table.counts().scored == 21

"""Scores beside an error or a status that is not known: counted, noted, and settled as told."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from bestrand import ArgumentError, InputError, ScoreTable, read_scores
from bestrand.core.summary import Counts
from bestrand.reading.faults import ErrorPolicy


LIMIT = "RateLimitError: 429"
NOTHING: list[Any] = [None, "", " ", False, 0, "None", "null", "NaN", "n/a", "-", [], {}, "no"]
WORDS = [None, "", "ok", "SUCCESS", " done ", "completed", "passed"]
NO_FAULTS = [{"error": none} for none in NOTHING] + [{"status": word} for word in WORDS]


def write(path: Path, rows: Sequence[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def runs(**fault: object) -> list[dict[str, Any]]:
    """Two models on twenty items; the last five of `base` failed and were scored 0."""
    rows: list[dict[str, Any]] = [
        {"item": f"q{i}", "model": model, "score": i % 2} for model in ("base", "new")
        for i in range(20)
    ]  # fmt: skip
    for row in rows[15:20]:
        row |= {"score": 0, **fault}
    return rows


def note_of(table: ScoreTable) -> tuple[str, str]:
    (note,) = [note for note in table.notes if note.code.startswith("errors-")]
    return note.code, note.text


@pytest.mark.parametrize(
    ("fault", "word"),
    [
        ({"error": LIMIT}, f"'{LIMIT}' 5"),
        ({"error": {"type": "Timeout"}}, "{'type': 'Timeout'} 5"),
        ({"error": True}, "True 5"),
        ({"status": "timeout"}, "status 'timeout' 5"),
        ({"status": "Cancelled "}, "status 'Cancelled' 5"),
        ({"status": 429}, "status '429' 5"),
        ({"status": "timeout", "error": LIMIT}, f"'{LIMIT}' 5"),
        ({"status": "ok", "error": LIMIT}, f"'{LIMIT}' 5"),
    ],
)
def test_a_score_beside_a_fault_is_counted_by_model_and_word(
    fault: dict[str, object], word: str, tmp_path: Path
) -> None:
    path = write(tmp_path / "runs.jsonl", runs(**fault))

    kept = read_scores(path)
    zero, missing = (read_scores(path, errors=errors) for errors in ("zero", "missing"))

    assert kept.counts() == zero.counts() == Counts(40, 0, 0, 0, 0)
    assert missing.counts() == Counts(35, 0, errored=5, unscored=0, duplicate=0)
    assert note_of(kept)[0] == "errors-kept"
    assert f"as they stand: 5 of model 'base' ({word}). " in note_of(kept)[1]
    assert "Rows with a score of 0 among them: 5 of 5." in note_of(kept)[1]
    assert note_of(zero)[0] == "errors-as-zero"
    assert note_of(missing)[0] == "errors-as-missing"
    for table in (zero, missing):
        assert note_of(table)[1].endswith(f": 5 of model 'base' ({word}).")
    with pytest.raises(InputError, match="No row may have an error, and some have: 5 of model"):
        read_scores(path, errors="refuse")


@pytest.mark.parametrize(
    "fault",
    NO_FAULTS,
)
@pytest.mark.parametrize("errors", ["keep", "zero", "missing", "refuse"])
def test_where_nothing_failed_nothing_is_said_or_done(
    fault: dict[str, object], errors: ErrorPolicy, tmp_path: Path
) -> None:
    table = read_scores(write(tmp_path / "runs.jsonl", runs(**fault)), errors=errors)

    assert table.counts() == Counts(40, 0, 0, 0, 0)
    assert table.notes == ()


def test_rows_without_a_score_are_errors_too(tmp_path: Path) -> None:
    path = write(
        tmp_path / "m.jsonl",
        [
            {"id": "a", "score": 1},
            {"id": "b", "score": None, "error": LIMIT},
            {"id": "c", "score": 0.7, "status": "error"},
            {"id": "d", "score": None, "status": "timeout"},
            {"id": "e", "score": None, "status": "missing", "error": "was not started"},
            {"id": "f", "score": None},
        ],
    )

    assert read_scores(path).counts() == Counts(1, missing=1, errored=2, unscored=2, duplicate=0)
    assert read_scores(path, errors="missing").counts() == read_scores(path).counts()
    zero = read_scores(path, errors="zero")
    assert zero.counts() == Counts(4, missing=1, errored=0, unscored=1, duplicate=0)
    assert zero.rows["score"].to_list() == [1, 0, 0, 0, None]
    with pytest.raises(InputError, match=r"3 of model 'm' \('RateLimitError: 429' 1, status 'e"):
        read_scores(path, errors="refuse")


def test_rows_are_counted_once_for_all_metrics_and_most_first(tmp_path: Path) -> None:
    rows = [
        {"id": i, "model": f"m{m}", "acc": 1, "f1": 0.5, "error": f"E{i % (m + 1)}"}
        for m in range(7)
        for i in range(m + 1)
    ]
    (_, text) = note_of(read_scores(write(tmp_path / "m.jsonl", rows)))

    assert "as they stand: 7 of model 'm6' ('E0' 1, 'E1' 1, 'E2' 1 and 4 other words); 6 " in text
    assert "; and 2 more models. Rows with a score of 0 among them: 0 of 28; --errors zero " in text


def test_wide_form_says_it_of_every_model(tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    path.write_text(f"item,acc,error\nq1,1,\nq2,0,{LIMIT}\nq3,,{LIMIT}\nq4,,\n")

    assert "1 of model 'acc'" in note_of(read_scores(path))[1]
    assert read_scores(path).counts() == Counts(2, missing=1, errored=1, unscored=0, duplicate=0)
    assert read_scores(path, errors="missing").counts().errored == 2
    assert read_scores(path, errors="zero").counts().scored == 3
    assert "1 of model 'run'" in note_of(read_scores(path, metric="acc"))[1]


def test_a_run_that_failed_whole_may_count_as_zero(tmp_path: Path) -> None:
    rows = [{"id": i, "score": None, "error": "no net"} for i in range(4)]
    path = write(tmp_path / "run.jsonl", rows)

    with pytest.raises(InputError, match=r"4 errored, 0 ran .* or say --errors zero"):
        read_scores(path)
    assert read_scores(path, errors="zero").matrix().values.tolist() == [[0] * 4]


def test_zero_must_be_a_score_that_is_possible(tmp_path: Path) -> None:
    path = write(tmp_path / "m.jsonl", [{"id": 1, "score": 4}, {"id": 2, "score": 1, "error": "x"}])

    with pytest.raises(InputError, match=r"1 scores of metric 'score' lie outside 1..5 \(first: 0"):
        read_scores(path, errors="zero", bounds=(1, 5))


def test_an_unknown_word_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="`errors` must be keep, zero, missing or refuse, got"):
        read_scores(write(tmp_path / "m.jsonl", runs()), errors="drop")  # type: ignore[arg-type]


def test_a_status_whose_rows_all_have_the_highest_score_is_no_fault(tmp_path: Path) -> None:
    """As `Perfect` of a driving benchmark; but a word of a broken run is one, and so is a rare."""
    rows = [
        {"id": i, "model": "m", "score": [1, 0.5, 0][i % 3], "status": status}
        for i in range(60)
        for status in [["Perfect", "Completed", "Failed"][i % 3]]
    ]
    path = write(tmp_path / "m.jsonl", rows)
    table = read_scores(path, errors="zero")

    assert table.matrix().full_scores()[0] == pytest.approx(0.5)
    assert not [note for note in table.notes if note.code.startswith("errors-")]
    for word, n in (("Timeout", 20), ("Perfect", 2)):
        odd = [row | {"status": word} if row["score"] == 1 else row for row in rows]
        odd = [row for k, row in enumerate(odd) if row["status"] != word or k < 3 * n]
        assert f"'{word}' {n}" in note_of(read_scores(write(tmp_path / "o.jsonl", odd)))[1]

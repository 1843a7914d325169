"""Flags, counts and words beside scores: what they mark, what they repeat, what is a metric."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from bestrand import FileError, ScoreTable, read_items, read_scores
from bestrand.core.summary import Counts


SCORES = [1, 1, 0, 0, 1, 0, 1, 0]
THIRD = [0, 0, 1, 0, 0, 0, 0, 0]  # the third row failed, others have a score of 0 too
NONE = [0] * 8


def table(**columns: list[Any]) -> pl.DataFrame:
    score = {} if {"score", "acc"} & columns.keys() else {"score": SCORES}
    return pl.DataFrame(
        {"item": [f"q{i}" for i in range(8)], "model": ["m"] * 8, **score, **columns}
    )


def faults(read: ScoreTable) -> dict[str, str]:
    assert read.faults is not None
    return dict(read.faults.select("item", "fault").iter_rows())


def notes(read: ScoreTable) -> dict[str, str]:
    return {note.code: note.text for note in read.notes}


def as_words(yes: str, no: str) -> list[str]:
    return [yes if flag else no for flag in THIRD]


@pytest.mark.parametrize(
    "name",
    [
        *("is_error", "errored", "has_error", "hadError", "isError", "Errors", "n_errors"),
        *("timed_out", "timeout", "TimedOut", "is timeout", "crashed", "killed", "infra_error"),
        *("Error Count", "num-errors", "aborted", "cancelled", "run_crashed", "oom", "exception"),
        *("failed", "is_failed", "failure", "rate_limited"),
    ],
)
def test_a_flag_marks_the_rows_on_which_it_is_set(name: str) -> None:
    kept = read_scores(table(**{name: THIRD}))
    missing = read_scores(table(**{name: THIRD}), errors="missing")

    assert kept.metrics == ("score",)
    assert kept.counts().scored == 8
    assert f"as they stand: 1 of model 'm' ({name} 1)." in notes(kept)["errors-kept"]
    assert f"not as metrics: {name!r}" in notes(kept)["error-marks"]
    assert f"--metric {name}" in notes(kept)["error-marks"]
    assert missing.counts() == Counts(7, 0, errored=1, unscored=0, duplicate=0)


@pytest.mark.parametrize(
    "cells",
    [
        [bool(flag) for flag in THIRD],
        [float(flag) for flag in THIRD],
        as_words("yes", "no"),
        as_words("Y", ""),
        as_words("True", "False"),
        as_words("1.0", "0.0"),
        [True if flag else None for flag in THIRD],
    ],
)
def test_flags_are_written_in_many_ways(cells: list[Any], tmp_path: Path) -> None:
    frame = table(timed_out=cells)
    frame.write_csv(tmp_path / "m.csv")
    frame.write_parquet(tmp_path / "m.parquet")
    frame.write_ndjson(tmp_path / "m.jsonl")

    for source in (frame, *(tmp_path / f"m.{kind}" for kind in ("csv", "parquet", "jsonl"))):
        read = read_scores(source)
        assert read.metrics == ("score",)
        assert faults(read) == {"q2": "timed_out"}


def test_counts_and_codes_mark_too() -> None:
    counts = [0, 0, 3, 0, 0, 0, 0, 0]
    assert faults(read_scores(table(n_errors=counts))) == {"q2": "n_errors"}
    http = [200, 200, 429, 200, 200, 200, 200, 503]
    said = faults(read_scores(table(http_status=http)))
    assert said == {"q2": "http_status=429", "q7": "http_status=503"}
    # an exit code of 1 is a verdict of tests here; one of a signal is none
    codes = [0, 0, 1, 1, 0, 137, 0, 1]
    assert faults(read_scores(table(exit_code=codes))) == {"q5": "exit_code=137"}
    assert faults(read_scores(table(exit_code=THIRD))) == {"q2": "exit_code=1"}
    assert faults(read_scores(table(returncode=[-9 * flag for flag in THIRD]))) == {
        "q2": "returncode=-9"
    }


def test_a_flag_that_is_not_set_is_left_aside() -> None:
    read = read_scores(table(is_error=NONE, success=[1] * 8))

    assert read.metrics == ("score",)
    assert "columns left aside: 'is_error', 'success'." in notes(read)["columns-aside"]
    assert set(notes(read)) == {"columns-aside"}


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("success", SCORES),
        ("passed", [bool(score) for score in SCORES]),
        ("failed", [1 - score for score in SCORES]),
        ("is_failed", ["no" if score else "yes" for score in SCORES]),
    ],
)
def test_a_verdict_that_is_the_score_again_is_left_aside(name: str, cells: list[Any]) -> None:
    read = read_scores(table(**{name: cells}))

    assert read.metrics == ("score",)
    assert set(notes(read)) == {"columns-aside"}
    assert f"{name!r} says the same as the scores" in notes(read)["columns-aside"]
    if not isinstance(cells[0], str):
        assert read_scores(table(**{name: cells}), metric=name).metrics == (name,)


def test_a_verdict_that_is_not_the_score_again_marks() -> None:
    assert faults(read_scores(table(success=[1 - flag for flag in THIRD]))) == {"q2": "no success"}
    beside_one = read_scores(table(success=[0, 1, 1, 1, 1, 1, 1, 1]))
    assert faults(beside_one) == {"q0": "no success"}
    blank = table(score=[1, 1, None, 0, 1, 0, 1, 0], failed=THIRD)
    assert read_scores(blank).counts() == Counts(7, 0, errored=1, unscored=0, duplicate=0)
    # no column is called `score`, and one other has numbers, 0 and 1
    assert faults(read_scores(table(acc=SCORES, failed=THIRD))) == {"q2": "failed"}


@pytest.mark.parametrize(
    "columns",
    [
        {"error_rate": [0.1] * 8},
        {"squared_error": THIRD},
        {"timeout": [30] * 8},
        {"correct": SCORES},
        {"pass@1": THIRD},
        {"pass_rate": [0.5] * 8},
        {"score": [0.1, 0.9, 0.4, 0.0, 0.7, 0.3, 0.8, 0.2], "success": SCORES},
        {"score": [0.9, 0.1, 0.8, 0.0, 0.7, 0.3, 0.2, 1.0], "failed": [1 - s for s in SCORES]},
        {"score": [0.9, 0.8, 0.7, 0.6, 0.5, 1, 1, 1], "errors": [1, 2, 3, 4, 5, 0, 0, 0]},
    ],
)
def test_another_metric_stays_one(columns: dict[str, list[Any]]) -> None:
    read = read_scores(table(**columns))

    (other,) = columns.keys() - {"score"}
    assert read.metrics == ("score", other)
    assert not read.notes


def test_a_flag_is_a_metric_where_it_is_named_or_alone() -> None:
    assert read_scores(table(is_error=THIRD), metric="is_error").metrics == ("is_error",)
    both = read_scores(table(is_error=THIRD), metric=["score", "is_error"])
    assert both.metrics == ("score", "is_error")
    assert not both.notes
    assert read_scores(table(error=[0.5] * 8), metric="error").metrics == ("error",)
    alone = table().drop("score").with_columns(is_error=pl.Series(THIRD))
    assert read_scores(alone).metrics == ("is_error",)
    several = table(acc=SCORES, failed=THIRD, latency=[float(i) for i in range(8)])
    assert read_scores(several).metrics == ("acc", "failed", "latency")


def test_a_metric_that_a_verdict_fits_by_chance_hides_no_error() -> None:
    long = table(failed=THIRD).with_columns(metric=pl.lit("acc"))
    costs = [7.0, 8, 2, 3, 11, 5, 13, 7]  # the third is the lowest
    both = pl.concat([long, long.with_columns(metric=pl.lit("cost"), score=pl.Series(costs))],
                     how="vertical_relaxed")  # fmt: skip

    read = read_scores(both)

    assert read.metrics == ("acc", "cost")
    assert set(faults(read).values()) == {"failed"}
    assert "errors-kept" in notes(read)


@pytest.mark.parametrize(
    ("name", "words", "said"),
    [
        ("outcome", "pass pass fail fail pass timeout pass fail", {"q5": "timeout"}),
        ("result", "PASS PASS ERROR FAIL PASS FAIL PASS FAIL", {"q2": "ERROR"}),
        ("finish_reason", "stop length stop stop stop stop stop stop", {"q1": "length"}),
        ("stop_reason", "end_turn end_turn max_tokens refusal a b c d",
         {"q2": "max_tokens", "q3": "refusal"}),
        ("state", "done done OOMKilled done done done done done", {"q2": "OOMKilled"}),
        ("finishReason", "STOP STOP SAFETY STOP STOP STOP STOP STOP", {"q2": "SAFETY"}),
        ("exit_reason", "ok ok TimeoutError ok ok ok ok ok", {"q2": "TimeoutError"}),
        ("outcome", "passed passed failed passed passed passed passed passed", {"q2": "failed"}),
        ("outcome", "no_error no_error no_error none ok ok ok ok", {}),
        ("result", "pass pass fail fail pass fail pass fail", {}),
        ("outcome", "refused refused complied complied refused complied refused complied", {}),
        ("result", "A B C D A B C D", {}),
    ],
)  # fmt: skip
def test_words_that_say_that_a_run_broke_off_mark(
    name: str, words: str, said: dict[str, str]
) -> None:
    read = read_scores(table(**{name: words.split()}))

    assert faults(read) == {item: f"{name} {word!r}" for item, word in said.items()}
    assert read.metrics == ("score",)


def test_a_status_that_is_the_score_again_is_no_error() -> None:
    words = ["passed" if score else "failed" for score in SCORES]
    assert not read_scores(table(status=words)).notes
    words[2] = "passed"
    read = read_scores(table(status=words))
    assert faults(read) == {f"q{i}": "status 'failed'" for i in (3, 5, 7)}
    assert "beside a status that is not known, and" in notes(read)["errors-kept"]


def test_a_table_in_wide_form_keeps_a_flag_out_of_the_models(tmp_path: Path) -> None:
    path = tmp_path / "m.csv"
    path.write_text(
        "item,acc,is_error\n" + "".join(f"q{i},{i % 2},{int(i == 2)}\n" for i in range(6))
    )

    read = read_scores(path)

    assert read.models == ("acc",)
    assert faults(read) == {"q2": "is_error"}


@pytest.mark.parametrize(
    "column",
    [
        {"timed_out": THIRD},
        {"error": [None, None, "429", *[None] * 5]},
        {"status": ["ok", "ok", "lost", *["ok"] * 5]},
    ],
)
def test_a_table_that_was_written_still_says_what_failed(
    column: dict[str, list[Any]], tmp_path: Path
) -> None:
    first = read_scores(table(**column))
    first.write(tmp_path / "1.parquet")
    again = read_scores(tmp_path / "1.parquet")
    again.write(tmp_path / "2.parquet")
    third = read_scores(tmp_path / "2.parquet")

    assert notes(first)["errors-kept"] == notes(again)["errors-kept"] == notes(third)["errors-kept"]
    assert faults(first) == faults(third)
    missing = read_scores(tmp_path / "2.parquet", errors="missing")
    missing.write(tmp_path / "3.parquet")
    assert read_scores(tmp_path / "3.parquet").counts() == Counts(7, 0, 1, 0, 0)
    zero = read_scores(tmp_path / "2.parquet", errors="zero")
    zero.write(tmp_path / "4.parquet")
    assert not read_scores(tmp_path / "4.parquet").notes


def test_notes_name_what_there_is() -> None:
    for column, kind in (
        ({"timed_out": THIRD}, "an error"),
        ({"status": ["lost", *["ok"] * 7]}, "a status that is not known"),
        ({"status": ["lost", *["ok"] * 7], "crashed": THIRD}, "an error or a status that is not "),
    ):
        zero = read_scores(table(**column), errors="zero")
        assert notes(zero)["errors-as-zero"].startswith(f"Rows with {kind}")


def test_a_list_of_items_says_which_row_was_left_aside(tmp_path: Path) -> None:
    path = tmp_path / "m.csv"
    path.write_text("item,a,b\nq1,1,0\nq2,1,1\nq3,0,0\naverage,0.6667,0.3333\n")

    frame = read_items(path)

    assert frame.items == ("q1", "q2", "q3")
    (note,) = frame.notes
    assert note.code == "summary-aside"
    assert "item 'average' is the mean" in note.text


def test_a_last_line_that_ends_early_is_named_as_such(tmp_path: Path) -> None:
    path = tmp_path / "m.csv"
    for end, said in (
        ("q3,a", "m.csv:3: the last line ends after 2 of 3 fields.* take it out"),
        ('q3,"a', "m.csv:3: a field opens with a double quote that nothing closes"),
        ("q3,a\n", "m.csv:3: 2 fields where the header has 3"),
    ):
        path.write_text(f"item,model,score\nq1,a,1\n{end}")
        with pytest.raises(FileError, match=said):
            read_scores(path)

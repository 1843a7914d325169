"""Bad inputs: each is refused by name and line, or read, counted and noted."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

from bestrand import ArgumentError, FileError, InputError, ScoreTable, read_scores
from bestrand.core.summary import Counts
from bestrand.reading.merge import Duplicates


Rows = Sequence[dict[str, Any]]


def write(path: Path, rows: Rows) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def notes_of(table: ScoreTable) -> dict[str, str]:
    return {note.code: note.text for note in table.notes}


# --- values that are no scores


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("C", "'score' must be one number, got 'C'. Turn verdicts into numbers"),
        ("yes", "got 'yes'. Turn verdicts"),
        ("85%", "got '85%'. Write 0.85 or 85, for all scores alike"),
        ("nan", "got 'nan'. Leave it empty if there is no score"),
        ("Infinity", "got 'Infinity'. Turn verdicts"),
        (float("inf"), "'score' is infinite. Leave it empty"),
        (-float("inf"), "'score' is infinite"),
        (10**400, "'score' is infinite"),
        ("1e999", "'score' is infinite"),
        ("1,5", "got '1,5'"),
        ("0x1", "got '0x1'"),
        ("1_0", "got '1_0'"),
        ("٣", "must be one number"),
        ([0, 1], r"got [0, 1]. A list or an object has no score of its own; take a column of num"),
        ({"x": 1}, "got {'x': 1}. A list or an object"),
    ],
)
def test_what_is_no_score_is_refused_by_line(value: object, message: str, tmp_path: Path) -> None:
    path = write(tmp_path / "m.jsonl", [{"id": "a", "score": 1}, {"id": "b", "score": value}])

    with pytest.raises(FileError) as refused:
        read_scores(path)

    assert message in str(refused.value)
    assert refused.value.line == 2
    assert refused.value.path == path
    assert str(refused.value).startswith(f"{path}:2: ")


def test_what_is_no_score_is_refused_in_csv_too(tmp_path: Path) -> None:
    path = tmp_path / "m.csv"
    path.write_text('id,note,score\na,"two\nlines",1\nb,,85%\n')

    with pytest.raises(FileError, match=r"m.csv:4: 'score' must be one number, got '85%'"):
        read_scores(path)


def test_a_row_without_a_line_is_refused_by_its_number(tmp_path: Path) -> None:
    path = tmp_path / "m.parquet"
    pl.DataFrame({"id": ["a", "b"], "score": ["1", "B"]}).write_parquet(path)

    with pytest.raises(FileError, match=r"m.parquet: row 2: 'score' must be one number, got 'B'"):
        read_scores(path)


def test_numbers_may_be_text_and_true_is_one(tmp_path: Path) -> None:
    values = ["0.5", True, "true", "FALSE", " 1 ", "+.5", "1e-1", 1]
    path = write(tmp_path / "m.jsonl", [{"id": i, "score": v} for i, v in enumerate(values)])

    assert read_scores(path).rows["score"].to_list() == [0.5, 1, 1, 0, 1, 0.5, 0.1, 1]


def test_nan_and_null_and_nothing_are_unscored_and_not_zero(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    path.write_text(
        '{"id": "a", "score": NaN}\n{"id": "b", "score": null}\n{"id": "c", "score": ""}\n'
        '{"id": "d", "score": "", "error": "timeout"}\n{"id": "e", "score": 1}\n{"id": "f"}\n'
    )

    assert read_scores(path).counts() == Counts(1, 0, errored=1, unscored=4, duplicate=0)


def test_a_list_as_metric_names_those_that_can_be_used(tmp_path: Path) -> None:
    row = {"id": "a", "model": "m", "f1": [0, 1], "acc": 1, "em": True, "loss": {"x": 1}}
    path = write(tmp_path / "m.jsonl", [row])

    with pytest.raises(FileError, match=r"got \[0, 1\]. .* There are numbers in 'acc', 'em'"):
        read_scores(path, metric="f1")


# --- ids


def test_an_id_both_as_number_and_as_text_in_one_file_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "m.jsonl", [{"id": 1, "score": 1}, {"id": "1", "score": 0}])

    with pytest.raises(FileError, match=r":2: id '1' comes both as a number and as text \(first"):
        read_scores(path)


def test_ids_that_differ_in_form_are_two_items_and_the_form_is_named(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", [{"id": i, "score": 1} for i in (1, 2, 10)])
    (tmp_path / "b.csv").write_text("id,score\n01,1\n02,0\n10,1\n")

    table = read_scores(tmp_path)

    assert table.items.height == 5
    assert "The ids would match but for the way numbers are written" in notes_of(table)[
        "holes"
    ] or (table.notes[0].text)
    assert notes_of(table)["shared-items"] == "1 of 5 items are in every model's run."


def test_huge_whole_numbers_do_not_merge(tmp_path: Path) -> None:
    ids = [2**53 + 1, 2**53, 2**64 + 1, 2**64]
    path = write(tmp_path / "m.jsonl", [{"id": i, "score": 1} for i in ids])

    assert sorted(read_scores(path).items["item"]) == sorted(map(str, ids))


@pytest.mark.parametrize(
    "value", [1.5, float("nan"), float("inf"), float(2**60), True, [1], {"a": 1}]
)
def test_what_is_no_id_is_refused(value: object, tmp_path: Path) -> None:
    path = write(tmp_path / "m.jsonl", [{"id": value, "score": 1}])

    with pytest.raises(FileError, match=r":1: 'id' must be text or a whole number, got .* as text"):
        read_scores(path)


@pytest.mark.parametrize("frame", [{"id": ["a", None]}, {"id": [1, None]}, {"id": [None, None]}])
def test_a_row_without_an_id_is_refused(frame: dict[str, list[Any]]) -> None:
    with pytest.raises(FileError, match=r"row \d: 'id' is empty. Give every row an id"):
        read_scores(pl.DataFrame(frame | {"score": [1, 0]}))


def test_awkward_ids_are_kept_and_look_alikes_are_noted(tmp_path: Path) -> None:
    ids = [
        "题/3",
        "a,b",
        "=1+1",
        "*_adv",
        "case[1]",
        " lead",
        "e\u0301",
        "\u00e9",
        "",
        "null",
        "NA",
    ]
    ids += ["-5", "x\ny", "007", "a/../b"]
    path = write(tmp_path / "m.jsonl", [{"id": i, "score": 1} for i in ids])

    table = read_scores(path)

    assert table.items["item"].to_list() == sorted(ids)
    assert notes_of(table)["unicode-twins"] == (
        r"1 pairs of ids look the same and are not (first: 'e\u0301', '\xe9'); they are kept as "
        "two items."
    )
    assert notes_of(table)["empty-id"] == "One id is empty text; it is kept as an item."


@pytest.mark.parametrize("column", ["id", "model", "group"])
def test_half_a_surrogate_pair_is_refused_by_line(column: str, tmp_path: Path) -> None:
    row = {"id": "a", "model": "m", "group": "g", "score": 1}
    path = write(tmp_path / "m.jsonl", [row, row | {column: "x\ud83d"}])

    with pytest.raises(
        FileError, match=rf":2: '{column}' holds an unpaired surrogate, .*'x\\ud83d"
    ):
        read_scores(path)


def test_half_a_surrogate_pair_in_what_nobody_reads_is_no_matter(tmp_path: Path) -> None:
    path = write(tmp_path / "m.jsonl", [{"id": "a", "score": 1, "answer": "x\ud83d"}])

    assert read_scores(path).items.height == 1


def test_half_a_surrogate_pair_in_a_column_name_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "m.jsonl", [{"id": "a", "m\ud83d": 1}])

    with pytest.raises(FileError, match=r"column 'm\\ud83d' has an unpaired surrogate in its name"):
        read_scores(path)


# --- the same item twice


def test_scores_that_agree_are_kept_once_and_counted(tmp_path: Path) -> None:
    path = write(tmp_path / "m.jsonl", [{"id": i, "score": s} for i, s in [("x", 1), ("y", 0)] * 3])

    table = read_scores(path)

    assert table.matrix().values.tolist() == [[1, 0]]
    assert table.counts() == Counts(2, 0, errored=0, unscored=0, duplicate=4)


def test_scores_that_clash_are_refused_by_file_and_line(tmp_path: Path) -> None:
    path = write(
        tmp_path / "m.jsonl", [{"id": i, "score": s} for i, s in [("x", 1), ("y", 0), ("x", 0)]]
    )

    with pytest.raises(InputError) as refused:
        read_scores(path)

    assert str(refused.value) == (
        "An item must have one score of a model and metric, and 1 have scores that clash (first: "
        f"item 'x', model 'm', metric 'score': 1, 0, at {path}:1, {path}:3). Mend the file, or say "
        "which to take: --duplicates mean, first or last."
    )
    assert refused.value.facts["item"] == "x"


def test_a_clash_between_files_names_both(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,model,score\nx,m,1\n")
    pl.DataFrame({"id": ["w", "x"], "model": "m", "score": [None, None]}).write_parquet(
        tmp_path / "b.parquet"
    )

    with pytest.raises(InputError, match=r"1, unscored, at .*a.csv:2, .*b.parquet row 2\)"):
        read_scores(tmp_path)


@pytest.mark.parametrize(("duplicates", "score"), [("mean", 0.75), ("first", 1), ("last", 0)])
def test_scores_that_clash_are_settled_as_told(
    duplicates: Duplicates, score: float, tmp_path: Path
) -> None:
    rows = [{"id": "x", "score": s} for s in (1, 1, None, 1, 0)]
    path = write(tmp_path / "m.jsonl", [*rows, {"id": "y", "score": 1}])

    table = read_scores(path, duplicates=duplicates)

    assert table.matrix().values.tolist() == [[score, 1]]
    assert table.counts() == Counts(2, 0, errored=0, unscored=0, duplicate=4)


def test_the_same_question_under_two_ids_is_two_items(tmp_path: Path) -> None:
    path = write(
        tmp_path / "m.jsonl", [{"id": i, "q": "same", "score": s} for i, s in enumerate([1, 0])]
    )

    assert read_scores(path).items.height == 2


# --- holes, errors, groups, weights, scales


def test_holes_are_named_and_a_run_with_a_limit_is_suspected(tmp_path: Path) -> None:
    for name, ids in {"m1": range(8), "m2": range(4, 12), "m3": range(3)}.items():
        write(tmp_path / f"{name}.jsonl", [{"id": i, "score": 1} for i in ids])

    table = read_scores(tmp_path)

    assert [note.text for note in table.notes] == [
        "Model 'm1' has 8 of 12 items, first missing: '10'. These are the first ones: a run with "
        "a limit?",
        "Model 'm2' has 8 of 12 items, first missing: '0'.",
        "Model 'm3' has 3 of 12 items, first missing: '10'. These are the first ones: a run with "
        "a limit?",
        "0 of 12 items are in every model's run.",
    ]
    assert table.counts().missing == 17


def test_a_run_without_any_score_is_refused_by_name(tmp_path: Path) -> None:
    rows = [{"id": i, "score": None, "error": "name not resolved"} for i in range(4)]
    path = write(tmp_path / "run.jsonl", [*rows, {"id": 9, "score": None}])

    with pytest.raises(InputError, match="No item has a score, of model 'run': 4 errored, 1 ran"):
        read_scores(path)


def test_one_model_without_any_score_is_named_and_stays_without(tmp_path: Path) -> None:
    write(tmp_path / "bad.jsonl", [{"id": i, "score": None, "error": "no net"} for i in range(2)])
    write(tmp_path / "good.jsonl", [{"id": i, "score": i} for i in range(2)])

    table = read_scores(tmp_path)

    assert pd.isna(table.matrix().values[0]).all()
    assert notes_of(table)["no-scores"] == (
        "Model 'bad' has no score of metric 'score': 2 errored, 0 ran and were not scored."
    )


@pytest.mark.parametrize("column", ["group", "task", "weight"])
def test_an_item_of_which_two_things_are_said_is_refused(column: str, tmp_path: Path) -> None:
    rows = [{"id": "a", "model": f"m{n}", column: n, "score": 1} for n in range(2)]
    path = write(tmp_path / "m.jsonl", rows)

    with pytest.raises(
        InputError, match=f"must have one {column}, and 1 have more .first: item 'a', "
    ):
        read_scores(path)


def test_what_only_some_files_say_of_an_item_holds_for_all(tmp_path: Path) -> None:
    (tmp_path / "m1.csv").write_text("id,group,score\na,g,1\n")
    (tmp_path / "m2.csv").write_text("id,score\na,0\n")

    assert read_scores(tmp_path).groups == ("g",)


def test_which_total_is_the_full_score_is_told_by_weights(tmp_path: Path) -> None:
    rows = [{"id": f"law-{n}", "subtask": "law", "score": 0} for n in range(9)]
    path = write(tmp_path / "m.jsonl", [*rows, {"id": "art-0", "subtask": "art", "score": 1}])

    table = read_scores(path)

    assert table.matrix(weighting="micro").full_scores() == pytest.approx([0.1])
    assert table.matrix(weighting="macro").full_scores() == pytest.approx([0.5])


def test_macro_weights_need_groups(tmp_path: Path) -> None:
    table = read_scores(write(tmp_path / "m.jsonl", [{"id": "a", "score": 1}]))

    with pytest.raises(InputError, match='"macro" counts every group the same, and these items ha'):
        table.frame("macro")
    with pytest.raises(
        InputError, match='"explicit" needs a weight for every item, and these items'
    ):
        table.frame("explicit")


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (-1, "Weights must be finite and 0 or more; 1 are not, of items 'a'"),
        (None, "1 of 2 items have no weight: 'a'. Give every item a weight, or none"),
    ],
)
def test_weights_that_are_none_are_refused_unless_they_do_not_count(
    weight: float | None, message: str, tmp_path: Path
) -> None:
    rows: Rows = [{"id": "a", "weight": weight, "score": 1}, {"id": "b", "weight": 2, "score": 1}]
    table = read_scores(write(tmp_path / "m.jsonl", rows))

    assert table.frame("micro").weights.tolist() == [0.5, 0.5]
    with pytest.raises(InputError, match=message):
        table.frame()


@pytest.mark.parametrize("other", [[20, 90, 100], [2, 9, 10]])
def test_models_on_different_scales_are_refused_unless_told(
    other: list[float], tmp_path: Path
) -> None:
    for name, scores in {"unit": [0.2, 0.9, 1.0], "other": other}.items():
        write(tmp_path / f"{name}.jsonl", [{"id": i, "score": s} for i, s in enumerate(scores)])

    with pytest.raises(InputError, match=r"all be on one scale: .*'unit' stay within 1, .*--range"):
        read_scores(tmp_path).matrix()
    assert read_scores(tmp_path, bounds=(0, 100)).matrix().bounds == (0, 100)


def test_a_metric_without_an_upper_bound_is_on_one_scale(tmp_path: Path) -> None:
    inf = float("inf")
    for name, scores in {"cheap": [0.2, 0.9, 1.0], "dear": [2.0, 90.0, 500.0]}.items():
        write(tmp_path / f"{name}.jsonl", [{"id": i, "score": s} for i, s in enumerate(scores)])

    for bounds in ((0, inf), (-inf, inf), (-inf, 500), {"score": (0, inf)}):
        assert read_scores(tmp_path, bounds=bounds).matrix().bounds is None
    with pytest.raises(InputError, match=r"3 scores of metric 'score' lie outside 2..inf"):
        read_scores(tmp_path, bounds=(2, inf))
    with pytest.raises(InputError, match=r"6 scores of metric 'score' lie outside -inf..0"):
        read_scores(tmp_path, bounds=(-inf, 0))
    with pytest.raises(InputError, match=r"--range 0:100 .*, --range 0: .* for costs"):
        read_scores(tmp_path).matrix()


def test_scores_out_of_bounds_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "m.jsonl", [{"id": "a", "score": 1}, {"id": "b", "score": 20}])

    with pytest.raises(
        InputError, match=r"1 scores of metric 'score' lie outside 0..10 \(first: 20"
    ):
        read_scores(path, bounds=(0, 10))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"bounds": (1, 0)},
            "`bounds` must have its lower end first, got 1..0 for 'score'",
        ),
        ({"bounds": (float("inf"), float("inf"))}, "`bounds` must have its lower end first"),
        ({"bounds": (-float("inf"), -float("inf"))}, "`bounds` must have its lower end first"),
        ({"bounds": (float("nan"), 1)}, "`bounds` must have its lower end first"),
        ({"bounds": (1,)}, r"`bounds` must be two numbers, got \(1,\)"),
        ({"bounds": "ab"}, "`bounds` must be two numbers"),
        ({"bounds": {"acc": (0, 1)}}, "`bounds` name metric 'acc'; there are 'score'"),
        ({"duplicates": "best"}, "`duplicates` must be error, mean, first or last, got 'best'"),
        ({"form": "tall"}, "`form` must be auto, long or wide, got 'tall'"),
        ({"columns": {"answer": "id"}}, "`columns` knows the roles item, .*got 'answer'"),
    ],
)
def test_arguments_that_can_never_be_right_are_refused(
    arguments: dict[str, Any], message: str, tmp_path: Path
) -> None:
    path = write(tmp_path / "m.jsonl", [{"id": "a", "score": 1}])

    with pytest.raises(ArgumentError, match=message):
        read_scores(path, **arguments)


@pytest.mark.parametrize("name", ["error_message", "exception", "Traceback", "exit_status"])
def test_an_error_under_another_name_is_counted_too(name: str, tmp_path: Path) -> None:
    said = "timeout" if name == "exit_status" else "TimeoutError: 60 s"
    path = write(
        tmp_path / "run.jsonl",
        [{"id": i, "score": i % 2, name: None if i % 2 else said} for i in range(10)],
    )
    table = read_scores(path)
    note = {note.code: note.text for note in table.notes}["errors-kept"]

    assert "5" in note
    assert table.counts().scored == 10
    assert read_scores(path, errors="missing").counts().errored == 5


def test_a_column_of_error_codes_stays_a_metric(tmp_path: Path) -> None:
    rows = [{"id": i, "score": 1, "error_type": 200 + i} for i in range(5)]
    table = read_scores(write(tmp_path / "run.jsonl", rows))

    assert table.metrics == ("score", "error_type")

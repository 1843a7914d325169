"""Layouts: what the columns of a table are taken for, in long and in wide form."""

from typing import Any

import polars as pl
import pytest

from bestrand import FileError, InputError, ScoreTable, read_scores
from bestrand.core.summary import Counts
from bestrand.reading.rows import Form


def read(table: dict[str, list[Any]], /, **arguments: Any) -> ScoreTable:  # noqa: ANN401
    return read_scores(pl.DataFrame(table, strict=False), **arguments)


def codes(table: ScoreTable) -> list[str]:
    return [note.code for note in table.notes]


@pytest.mark.parametrize(
    "name",
    ["item", "item_id", "id", "doc_id", "sample_id", "instance_id", "question_id", "example_id"],
)
def test_the_item_column_has_many_names(name: str) -> None:
    assert read({name: ["a"], "score": [1]}).items["item"].to_list() == ["a"]


def test_roles_are_known_in_whatever_case() -> None:
    table = read({"Item": ["a"], " Model": ["m"], "SCORE": [1], "Subtask": ["g"]})

    assert table.models == ("m",)
    assert table.groups == ("g",)
    assert table.metrics == ("score",)


def test_the_exact_name_comes_before_another_case() -> None:
    table = read({"Item": ["x"], "item": ["a"], "score": [1]})

    assert table.items["item"].to_list() == ["a"]


def test_item_comes_before_id() -> None:
    table = read({"id": ["x"], "item": ["a"], "score": [1]})

    assert table.items["item"].to_list() == ["a"]
    assert codes(table) == ["columns-aside"]


def test_columns_say_which_column_is_what() -> None:
    columns: dict[str, list[Any]] = {"id": ["x"], "qid": ["a"], "who": ["m"], "acc": [1]}

    table = read(columns, columns={"item": "qid", "model": "who", "score": "acc"})

    assert table.items["item"].to_list() == ["a"]
    assert table.models == ("m",)
    assert table.metrics == ("score",)


@pytest.mark.parametrize("name", ["score", "SCORE", " Score"])
@pytest.mark.parametrize("metric", [None, "score"])
def test_the_column_said_to_be_the_score_comes_before_one_called_so(
    name: str, metric: str | None
) -> None:
    columns: dict[str, list[Any]] = {"id": ["a", "b"], name: [1, 0], "cost_usd": [0.25, 0.5]}
    for order in (columns, dict(reversed(columns.items()))):
        table = read(order, columns={"score": "cost_usd"}, metric=metric)

        assert table.metrics == ("score",)
        assert table.rows["score"].to_list() == [0.25, 0.5]
        assert table.notes[0].text == f"<table>: columns left aside: {name!r}."


def test_a_score_column_is_found_by_its_own_name_too() -> None:
    columns: dict[str, list[Any]] = {"id": ["a", "b"], "score": [1, 0], "cost_usd": [0.25, 0.5]}
    said = {"score": "cost_usd"}

    own = read(columns, columns=said, metric="cost_usd")
    both = read(columns, columns=said, metric=["score", "cost_usd"])

    assert own.metrics == ("cost_usd",)
    assert own.rows["score"].to_list() == [0.25, 0.5]
    assert both.rows["score"].to_list() == [0.25, 0.25, 0.5, 0.5]
    assert read({"id": ["a"], "SCORE": [1]}, metric="SCORE").metrics == ("SCORE",)


ROLES = [
    ("item", "item"),
    ("item", "doc_id"),
    ("model", "model"),
    ("group", "category"),
    ("task", "Task"),
    ("weight", "weight"),
    ("status", "status"),
    ("filter", "filter"),
    ("metric", "metric"),
]
LONG_ONLY = ("model", "metric")  # a wide table has no such column


@pytest.mark.parametrize(("role", "name"), ROLES)
def test_a_column_out_of_its_role_is_no_metric_and_no_model(role: str, name: str) -> None:
    said: dict[str, list[Any]] = {"qid": ["a", "b"], name: [4, 6], "x": ["1", "1"]}
    columns = {"item": "qid"} if role == "item" else {"item": "qid", role: "x"}
    long = read(said | {"score": [1, 0]}, columns=columns)

    assert long.rows["score"].to_list() == [1, 0]
    assert len(long.metrics) == 1
    assert any(f"left aside: {name!r}" in note.text for note in long.notes)


@pytest.mark.parametrize(("role", "name"), [each for each in ROLES if each[0] not in LONG_ONLY])
def test_a_column_out_of_its_role_is_no_model_of_a_wide_table(role: str, name: str) -> None:
    said: dict[str, list[Any]] = {"qid": ["a", "b"], name: [4, 6], "x": [1, 1], "m": [1, 0]}
    columns = {"item": "qid"} if role == "item" else {"item": "qid", role: "x"}
    wide = read(said, columns=columns)

    assert wide.models == (("m", "x") if role == "item" else ("m",))
    assert any(f"left aside: {name!r}" in note.text for note in wide.notes)


def test_a_weight_column_out_of_its_role_is_a_metric_by_its_own_name() -> None:
    columns: dict[str, list[Any]] = {"id": ["a"], "model": ["m"], "weight": [4], "w": [1]}

    table = read(columns, columns={"weight": "w"}, metric="weight")

    assert table.rows["score"].to_list() == [4]


def test_a_column_that_is_not_there_is_refused() -> None:
    with pytest.raises(FileError, match=r"no column 'qid'; there are 'id', 'score'. Say which of"):
        read({"id": ["x"], "score": [1]}, columns={"item": "qid"})


def test_a_metric_column_is_taken_by_name_from_a_table_of_one_model() -> None:
    columns: dict[str, list[Any]] = {"id": ["a", "b"], "acc": [1, 0], "loss": [0.1, float("inf")]}

    table = read(columns, metric="acc")

    assert table.models == ("model",)
    assert table.metrics == ("acc",)
    assert table.matrix().values.tolist() == [[1, 0]]


def test_a_table_of_numbers_is_wide_and_that_is_noted() -> None:
    table = read({"id": ["a", "b"], "m1": [1, 0], "m2": [0, None]})

    assert table.models == ("m1", "m2")
    assert table.notes[0].text == (
        "<table>: read as one column a model ('m1', 'm2'). If these are metrics of one model, "
        "name the one meant with --metric."
    )


def test_long_form_may_be_asked_for() -> None:
    table = read({"id": ["a"], "acc": [1], "f1": [0.5]}, form="long")

    assert table.metrics == ("acc", "f1")


def test_wide_form_may_be_asked_for() -> None:
    table = read({"id": ["a"], "m1": [1], "m2": [0.5]}, form="wide", metric="acc")

    assert table.metrics == ("acc",)
    assert table.models == ("m1", "m2")


@pytest.mark.parametrize("name", ["", "Unnamed: 0", "__index_level_0__"])
def test_row_numbers_that_came_along_are_left_aside(name: str) -> None:
    wide = read({name: [0, 1], "id": ["a", "b"], "m1": [1, 0]})
    long = read({name: [0, 1], "id": ["a", "b"], "model": ["m", "m"], "acc": [1, 0]})

    assert wide.models == ("m1",)
    assert long.metrics == ("acc",)
    assert "columns-aside" in codes(wide)
    assert codes(long) == ["columns-aside"]


def test_text_is_left_aside_in_long_form_and_that_is_noted() -> None:
    table = read({"id": ["a"], "score": [1], "answer": ["B"], "log": [{"x": 1}]})

    assert table.metrics == ("score",)
    assert table.notes[0].text == "<table>: columns left aside: 'answer', 'log'."


def test_text_is_refused_in_wide_form() -> None:
    with pytest.raises(
        FileError, match=r"'verdict' must be one number, got 'B'.*In wide form every"
    ):
        read({"id": ["a"], "m1": [1], "verdict": ["B"]})


def test_digits_that_are_typed_as_text_are_no_metric() -> None:
    table = read({"id": ["a"], "model": ["m"], "acc": [1], "answer": ["42"]})

    assert table.metrics == ("acc",)
    assert codes(table) == ["columns-aside"]


def test_an_empty_column_is_no_metric() -> None:
    table = read({"id": ["a"], "model": ["m"], "acc": [1], "f1": [None], "em": [float("nan")]})

    assert table.metrics == ("acc",)


def test_true_and_false_are_a_metric_in_csv_as_elsewhere(tmp_path: Any) -> None:  # noqa: ANN401
    (tmp_path / "m.csv").write_text("id,model,right,answer\na,m,True,x\nb,m,,y\nc,m,false,z\n")

    table = read_scores(tmp_path / "m.csv")

    assert table.metrics == ("right",)
    assert table.rows["score"].to_list() == [1, None, 0]


@pytest.mark.parametrize(
    ("columns", "arguments", "message"),
    [
        ({"id": ["a"]}, {}, "no scores: besides 'id' there is no column. Add `score`, or a column"),
        ({"id": ["a"], "model": ["m"]}, {}, "no column of scores; looked for `score` and columns"),
        ({"id": ["a"], "model": ["m"], "acc": [1]}, {"metric": "f1"}, "looked for 'f1' .*'acc'"),
        ({"id": ["a"], "metric": ["acc"], "value": [1]}, {}, "Wide form holds one metric"),
        ({"id": ["a"], "metric": ["acc"], "model": ["m"]}, {}, "there is no column `score`"),
        ({"id": ["a"], "model": [None], "score": [1]}, {}, "row 1: 'model' is empty. Name the mo"),
        ({"id": ["a"], "metric": [""], "score": [1]}, {}, "row 1: 'metric' is empty. Name the me"),
        ({"id": ["a"], "group": [["g"]], "score": [1]}, {}, r"'group' must be text, got \['g'\]"),
        ({"id": ["a"], "weight": ["x"], "score": [1]}, {}, "'weight' must be one number, got 'x'"),
        ({"name": ["a"], "score": [1]}, {}, "no column of item ids; .* there are 'name', 'score'"),
    ],
)
def test_what_cannot_be_understood_is_refused(
    columns: dict[str, list[Any]], arguments: dict[str, str], message: str
) -> None:
    with pytest.raises(FileError, match=message):
        read(columns, **arguments)


def test_a_metric_that_no_row_names_is_refused() -> None:
    with pytest.raises(InputError, match="No metric 'f1' here; there are 'acc'"):
        read({"id": ["a"], "metric": ["acc"], "score": [1]}, metric="f1")


def test_one_metric_of_several_is_kept_with_its_own_items() -> None:
    columns: dict[str, list[Any]] = {"id": ["a", "b"], "metric": ["acc", "f1"], "score": [1, 0.5]}

    table = read(columns, metric="f1")

    assert table.metrics == ("f1",)
    assert table.items["item"].to_list() == ["b"]


def test_an_empty_group_is_no_group() -> None:
    table = read({"id": ["a", "b"], "score": [1, 0], "group": ["", "g"]})

    assert table.items["group"].to_list() == [None, "g"]
    with pytest.raises(InputError, match=r"1 of 2 items have no group: 'a'. Give every item a gro"):
        table.frame()


def test_names_that_are_numbers_are_written_as_text() -> None:
    table = read({"id": ["a", "b"], "model": [1.0, 2.5], "score": [1, 0], "group": [True, None]})

    assert table.models == ("1", "2.5")
    assert table.groups == ("true",)


def test_what_became_of_each_row_is_told_apart() -> None:
    table = read(
        {
            "id": ["a", "b", "c", "d", "e", "f"],
            "score": [1, 1, None, None, None, 0],
            "status": ["ok", "error", "errored", None, "missing", "skipped"],
            "error": [None, None, None, "timeout", None, "but answered"],
        }
    )

    assert table.counts() == Counts(2, missing=1, errored=3, unscored=0, duplicate=0)
    assert table.items.height == 6


@pytest.mark.parametrize("none", ["", "false", "None", "nan", 0, False, None, float("nan")])
def test_an_error_column_may_say_that_there_was_none(none: object) -> None:
    table = read({"id": ["a", "b"], "score": [1, None], "error": [None, none]})

    assert table.counts().unscored == 1


@pytest.mark.parametrize("error", ["timeout", 1, True, {"type": "TimeoutError"}, ["x"]])
def test_an_error_may_be_of_any_type(error: object) -> None:
    table = read({"id": ["a", "b"], "score": [1, None], "error": [None, error]})

    assert table.counts().errored == 1


def test_an_item_that_no_model_ran_is_an_item_all_the_same() -> None:
    table = read({"id": ["a", "b"], "m1": [1, None], "m2": [0, float("nan")]})

    assert table.items["item"].to_list() == ["a", "b"]
    assert table.counts() == Counts(2, missing=2, errored=0, unscored=0, duplicate=0)


@pytest.mark.parametrize("form", ["long", "wide"])
def test_no_scores_at_all_are_refused(form: Form) -> None:
    with pytest.raises((InputError, FileError), match=r"No item has a score|no column of scores"):
        read({"id": ["a", "b"], "m1": [None, None]}, form=form)


@pytest.mark.parametrize("word", ["error", "ERROR", " Errored "])
def test_a_status_is_understood_in_whatever_case(word: str) -> None:
    columns: dict[str, list[Any]] = {"id": ["a", "b"], "score": [0, 1], "status": [word, "ok"]}
    counts = read(columns).counts()

    assert (counts.errored, counts.scored) == (1, 1)

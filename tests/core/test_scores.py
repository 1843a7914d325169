"""Scores: nan where there is none and never 0, one scale, and full scores by the weights."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bestrand as br
from bestrand import (
    ArgumentError,
    Frame,
    InputError,
    OutputError,
    ScoreMatrix,
    ScoreTable,
    read_scores,
)
from bestrand.core.scores import Unknown
from bestrand.core.summary import Counts
from bestrand.steps.scale import known_bounds
from bestrand.types import FloatArray


NAN = float("nan")


def matrix_of(
    values: list[list[float]] | FloatArray, bounds: tuple[float, float] | None = None
) -> ScoreMatrix:
    array = np.asarray(values)
    n_models, n_items = array.shape
    models = tuple(f"m{number}" for number in range(n_models))
    items = [f"q{number}" for number in range(n_items)]
    return ScoreMatrix(Frame.of(items), models, array, bounds=bounds)


def table_of(columns: dict[str, list[Any]]) -> ScoreTable:
    return read_scores(pl.DataFrame(columns, strict=False), form="long")


# --- the matrix


def test_values_cannot_be_changed_and_the_callers_array_can() -> None:
    values = np.array([[1.0, 0.0]])
    matrix = matrix_of(values)
    values[0, 0] = 0.5

    assert values.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        matrix.values[0, 0] = 2


def test_whole_numbers_and_truth_values_are_scores() -> None:
    matrix = matrix_of(np.array([[True, False]]))

    assert matrix.values.dtype == np.float64
    assert matrix.values.tolist() == [[1, 0]]


@pytest.mark.parametrize(
    ("models", "values", "message"),
    [
        (("a",), [[1.0]], r"`values` must be models by items, \(1, 2\), got \(1, 1\)"),
        (("a", "a"), [[1.0, 0.0]] * 2, "Model names must be distinct; 'a' come more than once"),
        (("a",), [[1.0, np.inf]], "Scores must be finite, or nan where there is none"),
    ],
)
def test_a_matrix_that_does_not_fit_is_refused(
    models: tuple[str, ...], values: list[list[float]], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        ScoreMatrix(Frame.of(["x", "y"]), models, np.array(values))


def test_full_scores_are_weighted_sums() -> None:
    frame = Frame.of(["x", "y"], weights=[1, 3])
    matrix = ScoreMatrix(frame, ("a", "b"), np.array([[1.0, 0.0], [0.0, 1.0]]))

    assert matrix.full_scores().tolist() == [0.25, 0.75]


def test_a_full_score_is_unknown_where_one_score_is_missing() -> None:
    matrix = matrix_of([[1, NAN], [1, 0]])

    assert matrix.missing.tolist() == [[False, True], [False, False]]
    assert np.isnan(matrix.full_scores()).tolist() == [True, False]


def test_models_are_taken_in_the_order_asked_for() -> None:
    matrix = matrix_of([[1, 0], [0, 0], [0, 1]]).take_models(["m2", "m0"])

    assert matrix.models == ("m2", "m0")
    assert matrix.values.tolist() == [[0, 1], [1, 0]]
    with pytest.raises(InputError, match="No scores of model 'm9'; there are 'm2', 'm0'"):
        matrix.take_models(["m9"])


def test_items_that_are_not_there_are_refused_unless_asked_for() -> None:
    whole = matrix_of([[1, 0.5], [0, 1]])
    with pytest.raises(InputError, match=r"1 of 3 items asked for have no scores here: 'q9'"):
        whole.take_items(["q1", "q9", "q0"])
    with pytest.raises(ArgumentError, match="`unknown` must be error or nan, got 'skip'"):
        whole.take_items(["q1"], unknown="skip")  # type: ignore[arg-type]
    matrix = whole.take_items(["q1", "q9", "q0"], unknown="nan")

    assert matrix.frame.items == ("q1", "q9", "q0")
    assert matrix.values[:, [0, 2]].tolist() == [[0.5, 1], [1, 0]]
    assert np.isnan(matrix.values[:, 1]).all()


def test_taking_items_says_which_ids_are_nearly_there() -> None:
    with pytest.raises(InputError, match="would match but for the way numbers are written"):
        ScoreMatrix(Frame.of(["01", "02"]), ("m",), np.ones((1, 2))).take_items(["1", "2"])
    with pytest.raises(InputError, match="must be distinct; 'q0' come more than once"):
        matrix_of([[1, 0]]).take_items(["q0", "q0"])
    with pytest.raises(InputError, match="must be several ids, got the text 'q0'"):
        matrix_of([[1, 0]]).take_items("q0")


@pytest.mark.parametrize("unknown", ["error", "nan"])
def test_items_taken_keep_groups_and_weights(unknown: Unknown) -> None:
    frame = Frame.of(list("abcd"), groups=["x", "x", "x", "y"], weighting="macro")
    matrix = ScoreMatrix(frame, ("p", "q"), np.array([[1, 1, 1, 0], [0, 0, 1, 1.0]]))
    turned = matrix.take_items(["d", "c", "b", "a"], unknown=unknown)
    part = matrix.take_items(["a", "d"], unknown=unknown)

    assert matrix.full_scores() == pytest.approx([1 / 2, 2 / 3])
    assert turned.full_scores() == pytest.approx(matrix.full_scores())
    assert (turned.frame.groups, turned.frame.weighting) == (("y", "x", "x", "x"), "macro")
    assert part.frame.weights == pytest.approx([1 / 4, 3 / 4])
    assert part.frame.groups == ("x", "y")


def test_a_part_in_another_order_is_drawn_from_as_the_same_items() -> None:
    rng = np.random.default_rng(0)
    matrix = matrix_of(rng.integers(0, 2, size=(3, 40)).tolist())
    turned = matrix.take_items(matrix.frame.items[::-1])

    assert br.select(turned, 10, seed=1) == br.select(matrix, 10, seed=1)
    assert br.draw_pool(turned, 5, seed=1) == br.draw_pool(matrix, 5, seed=1)


def test_no_items_at_all_may_be_taken() -> None:
    assert matrix_of([[1, 0]]).take_items([]).values.shape == (1, 0)


@given(
    values=st.lists(st.floats(-100, 100) | st.just(NAN), min_size=1, max_size=6),
    bounds=st.none() | st.just((-100.0, 100.0)),
)
def test_scaled_scores_lie_within_zero_and_one(
    values: list[float], bounds: tuple[float, float] | None
) -> None:
    scaled = matrix_of([values], bounds).scaled()

    assert np.isnan(scaled).tolist() == [[np.isnan(value) for value in values]]
    assert ((scaled >= 0) & (scaled <= 1) | np.isnan(scaled)).all()


def test_bounds_set_the_scale() -> None:
    assert matrix_of([[25, 50]], (0, 100)).scaled().tolist() == [[0.25, 0.5]]
    assert matrix_of([[25, 50]]).scaled().tolist() == [[0, 1]]
    assert matrix_of([[7, 7]]).scaled().tolist() == [[0, 0]]


# --- bounds of several matrices


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (matrix_of([[0, 1]], (0, 1)), matrix_of([[0, 0]], (0, 1)), (0, 1)),
        (matrix_of([[2, 3]]), matrix_of([[4, 9]]), None),
        (matrix_of([[1, 1]], (0, 1)), matrix_of([[1, 1]]), (0, 1)),
        (matrix_of([[0.2, 0.3]], (0, 1)), matrix_of([[0.4, 3]]), None),
        (matrix_of([[2, 3]], (0, 10)), matrix_of([[4, 9]]), (0, 10)),
        (matrix_of([[2, 3]], (0, 10)), matrix_of([[4, 90]], (0, 10)), (0, 90)),
        (replace(matrix_of([[0.2, 0.3]]), open_ended=True), matrix_of([[0.4, 0.5]]), None),
        (replace(matrix_of([[0.2, 0.3]]), open_ended=True), matrix_of([[4, 50]]), None),
        (matrix_of([[NAN, NAN]]), matrix_of([[0.5, 1]], (0, 1)), (0, 1)),
    ],
)
def test_known_bounds_hold_for_all(
    one: ScoreMatrix, other: ScoreMatrix, expected: tuple[float, float] | None
) -> None:
    assert known_bounds([one, other]) == expected
    assert known_bounds([other, one]) == expected


def test_scores_within_the_unit_by_chance_have_no_bounds() -> None:
    near = ScoreMatrix(Frame.of(["a", "b"]), ("m",), np.array([[0.0, 1.0]]))

    assert known_bounds([near, near]) == (0.0, 1.0)
    assert known_bounds([near, near], np.array([[0.0, np.nan, 1.0]])) == (0.0, 1.0)
    assert known_bounds([near, near], np.array([[0.0, 100.0]])) is None


@pytest.mark.parametrize("other", [matrix_of([[2, 90]]), matrix_of([[0, 1]], (0, 100))])
def test_a_scale_of_one_beside_a_hundred_is_refused(other: ScoreMatrix) -> None:
    unit = matrix_of([[0, 1]], (0, 1))

    with pytest.raises(InputError, match=r"on one scale, got 0..1 beside 0..\d+. Bring them to"):
        known_bounds([unit, other])


# --- the table


def test_each_fate_of_a_score_is_counted_apart() -> None:
    table = table_of(
        {
            "item": ["a", "b", "c", "a", "a", "b"],
            "model": ["m", "m", "m", "n", "n", "n"],
            "score": [1, None, None, 0, 0, None],
            "error": [None, "timeout", None, None, None, None],
        }
    )

    assert table.counts() == Counts(scored=2, missing=1, errored=1, unscored=2, duplicate=1)
    assert np.isnan(table.matrix().values[0]).tolist() == [False, True, True]


def test_counts_may_be_of_one_metric() -> None:
    table = table_of({"item": ["a", "b"], "metric": ["acc", "f1"], "score": [1, None]})

    assert table.counts() == Counts(1, missing=2, errored=0, unscored=1, duplicate=0)
    assert table.counts("acc") == Counts(1, missing=1, errored=0, unscored=0, duplicate=0)


def test_score_is_the_main_metric() -> None:
    table = table_of({"item": ["a"], "acc": [1], "score": [0.5]})

    assert table.metrics == ("score", "acc")
    assert table.take_metric() == "score"
    assert table.take_metric("acc") == "acc"
    assert table.matrix().metric == "score"


def test_one_of_several_metrics_must_be_named() -> None:
    table = table_of({"item": ["a"], "acc": [1], "f1": [0.5]})

    with pytest.raises(
        InputError, match=r"There are 2 metrics, 'acc', 'f1'. Say which with --metric"
    ):
        table.matrix()
    with pytest.raises(InputError, match="No metric 'em' here; there are 'acc', 'f1'"):
        table.matrix("em")


def test_scores_within_zero_and_one_are_on_that_scale() -> None:
    assert table_of({"item": ["a"], "score": [0.5]}).matrix().bounds == (0, 1)
    assert table_of({"item": ["a"], "score": [1.5]}).matrix().bounds is None
    assert table_of({"item": ["a"], "score": [-0.5]}).matrix().bounds is None


def test_a_model_of_zeros_fits_any_scale() -> None:
    columns: dict[str, list[Any]] = {
        "item": ["a", "b"] * 2,
        "model": ["m", "m", "n", "n"],
        "score": [0, 0, 20, 90],
    }

    assert table_of(columns).matrix().full_scores().tolist() == [0, 55]


def test_a_frame_takes_what_the_table_knows() -> None:
    columns: dict[str, list[Any]] = {"item": ["b", "a"], "score": [1, 0]}
    extra: dict[str, list[Any]] = {"weight": [1, 3], "group": ["g", "h"], "task": ["t", "t"]}
    plain, rich = table_of(columns).frame(), table_of(columns | extra).frame()

    assert (plain.groups, plain.tasks, plain.weighting) == (None, None, "micro")
    assert (rich.groups, rich.tasks, rich.weighting) == (("h", "g"), ("t", "t"), "explicit")
    assert rich.weights.tolist() == [0.75, 0.25]


def test_what_was_written_is_read_again(tmp_path: Path) -> None:
    table = read_scores(
        pl.DataFrame({"item": ["a", "b"], "group": ["g", None], "m": [1, None], "n": [0, None]})
    )
    table.write(tmp_path / "scores.parquet")
    table.write(tmp_path / "scores.parquet")
    again = read_scores(tmp_path / "scores.parquet")

    assert again.rows.equals(table.rows)
    assert again.items.equals(table.items)
    assert again.counts() == table.counts()
    with pytest.raises(OutputError, match="holds something else"):
        table_of({"item": ["x"], "score": [1]}).write(tmp_path / "scores.parquet")

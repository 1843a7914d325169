"""Columns of wide tables that are about other columns, and are no models."""

import numpy as np
import polars as pl
import pytest

import bestrand as br
from bestrand.types import FloatArray


RNG = np.random.default_rng(0)
N = 60
A, B, C = (RNG.integers(0, 2, N) * 1.0 for _ in range(3))
GRADED = RNG.random(N)
ERROR = RNG.uniform(0.05, 0.3, N).round(4)


def read(**columns: object) -> br.ScoreTable:
    return br.read_scores(pl.DataFrame({"item": [f"q{i}" for i in range(N)], **columns}))


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("a_stderr", ERROR),
        ("stderr a", ERROR),
        ("a.std", ERROR),
        ("aStderr", ERROR),
        ("a_se", ERROR),
        ("a_ci95_low", A * 0.8),
        ("a_hi", A * 0.8 + 0.2),
        ("a_p_value", ERROR),
        ("a_n", np.full(N, 5.0)),
        ("answer", B),
        ("agree", (A == B) * 1.0),
        ("changed", np.abs(A - B)),
        ("a_vs_b", (A == B) * 1.0),
        ("diff b-a", B - A),
        ("hard", (A + B + C < 2) * 1.0),
        ("contaminated", RNG.integers(0, 2, N) * 1.0),
        ("p_value", ERROR),
        ("oracle", np.max([A, B, C], axis=0)),
        ("ensemble", (A + B + C >= 2) * 1.0),
    ],
)
def test_what_is_no_model_is_left_aside_and_named(name: str, values: FloatArray) -> None:
    table = read(a=A, b=B, c=C, **{name: values})

    assert table.models == ("a", "b", "c")
    assert any(name in note.text and "keep=" in note.text for note in table.notes)


@pytest.mark.parametrize("name", ["a-high", "a-low", "a-se", "a-max", "gpt-5", "llama-base"])
def test_models_that_are_called_like_ends_or_errors_are_kept(name: str) -> None:
    assert name in read(a=A, b=B, c=C, **{name: RNG.integers(0, 2, N) * 1.0}).models


def test_a_relation_without_a_name_is_kept_and_noted() -> None:
    table = read(a=A, b=B, z=(A == B) * 1.0)

    assert table.models == ("a", "b", "z")
    assert "pair-like" in {note.code for note in table.notes}


def test_the_note_names_all_columns_and_the_odd_ones_first() -> None:
    table = read(a=A, b=B, c=C, d=1 - A * B, zzz=GRADED)
    said = {note.code: note.text for note in table.notes}["wide-form"]

    assert "('zzz', 'a', 'b', 'c', 'd')" in said
    assert "aside=zzz" in said


@pytest.mark.parametrize("form", ["long", "wide"])
def test_a_vote_is_found_in_long_form_too(form: str) -> None:
    wide = pl.DataFrame(
        {"item": [f"q{i}" for i in range(N)], "a": A, "b": B, "c": C, "ensemble": A + B + C >= 2}
    ).with_columns(pl.col("ensemble").cast(pl.Float64))
    long = wide.unpivot(index="item", variable_name="model", value_name="score")

    assert br.read_scores(long if form == "long" else wide).models == ("a", "b", "c")


@pytest.mark.parametrize("asked", [[1, 2], (1.5,), [None], [["a"]], 7])
def test_ids_and_names_that_are_no_text_are_refused(asked: object) -> None:
    matrix = read(a=A, b=B).matrix()
    for take in (matrix.take_items, matrix.take_models):
        with pytest.raises(br.ArgumentError, match=r"must be (texts|a list of texts)"):
            take(asked)  # type: ignore[arg-type]

"""Derived columns and rows: several at once, of some of the others, and models that are none."""

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from bestrand import ArgumentError, ScoreTable, read_items, read_scores
from bestrand.cli import app


RNG = np.random.default_rng(3)
MODELS = ["gpt-a", "gpt-b", "llama-x", "llama-y", "qwen-max", "mistral"]
L, N = len(MODELS), 40
SHARES = np.linspace(0.3, 0.8, L)[:, None]
V = (RNG.random((L, N)) < SHARES).astype(float)  # models x items
C = RNG.random((L, N)).round(3)
ITEMS = [f"q{number:02}" for number in range(N)]


def summaries(values: Any) -> dict[str, Any]:  # noqa: ANN401
    mean = values.mean(axis=0)
    return {
        "avg": mean,
        "mean3": mean.round(3),
        "best": values.max(axis=0),
        "worst": values.min(axis=0),
        "median": np.median(values, axis=0),
        "std": values.std(axis=0, ddof=1).round(3),
        "n_correct": values.sum(axis=0),
        "difficulty": 1 - mean,
        "hard": 1 - mean,
        "gpt avg": values[:2].mean(axis=0),
        "open models mean": values[2:].mean(axis=0).round(3),
        "macro avg": (values[:2].mean(axis=0) + values[2:4].mean(axis=0) + values[4:].mean(axis=0))
        / 3,
        "count": np.full(N, float(L)),
        "pass rate (%)": (100 * mean).round(1),
        "zz": mean,
    }


BINARY = {
    "any_correct": V.max(axis=0),
    "all_correct": V.min(axis=0),
    "solved_by": V.sum(axis=0),
    "n_failed": L - V.sum(axis=0),
    "majority": (V.mean(axis=0) > 0.5).astype(float),
}
FACTS = {
    "split_id": RNG.integers(0, 3, N),
    "fold": np.arange(N) % 5,
    "level": RNG.integers(1, 6, N),
    "label": np.ones(N),
    "version": np.full(N, 2),
    "year": RNG.integers(2019, 2025, N),
    "is_hard": RNG.integers(0, 2, N),
    "split": np.array(["test"] * N),
    "vintage": RNG.integers(1990, 2000, N),
}


def wide(values: Any = V, /, **more: Any) -> pl.DataFrame:  # noqa: ANN401
    return pl.DataFrame({"item": ITEMS, **dict(zip(MODELS, values, strict=True)), **more})


def below(frame: pl.DataFrame, rows: dict[str, Any], *, in_front: bool = False) -> pl.DataFrame:
    more = pl.DataFrame(
        {
            "item": list(rows),
            **{m: [float(r[k]) for r in rows.values()] for k, m in enumerate(MODELS)},
        }
    )
    base = frame.cast(dict.fromkeys(MODELS, pl.Float64))
    return pl.concat([more, base] if in_front else [base, more], how="diagonal")


def longer(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.unpivot(MODELS, index="item", variable_name="model", value_name="score")


def is_clean(table: ScoreTable) -> bool:
    return set(table.models) == set(MODELS) and table.items["item"].to_list() == ITEMS


def longer_of(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.unpivot(index="item", variable_name="model", value_name="score")


@pytest.mark.slow
@pytest.mark.parametrize("name", [*summaries(V), *BINARY, *FACTS])
def test_two_columns_that_are_no_models_do_not_hide_each_other(name: str) -> None:
    columns = {**summaries(V), **BINARY, **FACTS}
    for other in list(columns)[list(columns).index(name) :]:
        pair = {name: columns[name], other: columns[other]}
        assert is_clean(read_scores(wide(**pair))), other


@pytest.mark.parametrize("name", summaries(C))
def test_two_summaries_of_scores_of_all_kinds_do_not_hide_each_other(name: str) -> None:
    columns = summaries(C)
    for other in list(columns)[list(columns).index(name) :]:
        assert is_clean(read_scores(wide(C, **{name: columns[name], other: columns[other]}))), other


def test_all_of_them_together_are_left_aside() -> None:
    columns = {**summaries(V), **BINARY, **FACTS}

    table = read_scores(wide(**columns))

    assert is_clean(table)
    assert np.array_equal(table.matrix().values, V[np.argsort(MODELS)])


@pytest.mark.parametrize(
    "name",
    ["gpt-5", "qwen-max2", "best-rq", "minimax", "mini", "maximus", "gemini-all", "mean-field-7b"],
)
def test_a_model_that_solves_all_that_any_solves_is_a_model(name: str) -> None:
    table = read_scores(wide(**{name: V.max(axis=0)}))

    assert name in table.models
    assert len(table.models) == L + 1


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_models_that_are_right_on_all_or_on_none_are_models(value: float) -> None:
    assert "flat" in read_scores(wide(flat=np.full(N, value))).models


ROWS = {
    "mean": V.mean(axis=1),
    "Average": V.mean(axis=1).round(3),
    "total": V.sum(axis=1),
    "Accuracy (%)": (100 * V.mean(axis=1)).round(1),
    "score": V.mean(axis=1),
    "n_correct": V.sum(axis=1),
    "std": V.std(axis=1, ddof=1),
    "median": np.median(V, axis=1),
    "min": V.min(axis=1),
    "count": np.full(L, N),
    "Σ": V.sum(axis=1),
    "mean_first_half": V[:, :20].mean(axis=1),
    "zz": V.mean(axis=1),
}


@pytest.mark.parametrize("in_front", [False, True])
@pytest.mark.parametrize("name", [name for name in ROWS if name not in ("median", "min")])
def test_rows_of_summaries_are_no_items_in_any_form(name: str, in_front: bool) -> None:  # noqa: FBT001
    for other in ("mean", "total", name):
        frame = below(wide(), {name: ROWS[name], other: ROWS[other]}, in_front=in_front)
        read = read_scores(frame), read_scores(longer(frame))
        assert all(set(table.items["item"]) == set(ITEMS) for table in read), other


def test_a_copy_of_an_item_is_a_summary_beside_one_that_is_sure() -> None:
    alone = read_scores(below(wide(), {"best": V.max(axis=1)}))
    together = read_scores(below(wide(), {"mean": ROWS["mean"], "best": V.max(axis=1)}))

    assert "best" in alone.items["item"]
    assert is_clean(together)


def test_rows_and_columns_of_summaries_together_are_left_aside() -> None:
    frame = below(wide(), ROWS).with_columns(
        avg=pl.mean_horizontal(MODELS),
        n_correct=pl.sum_horizontal(MODELS),
        best=pl.max_horizontal(MODELS),
    )
    assert is_clean(read_scores(frame))


def test_a_table_that_lies_on_its_side_loses_its_summaries_too() -> None:
    frame = pl.DataFrame({"item": MODELS, **dict(zip(ITEMS, V.T, strict=True))})
    columns = frame.with_columns(avg=pl.mean_horizontal(ITEMS), n_correct=pl.sum_horizontal(ITEMS))
    row = columns.select(pl.lit("mean").alias("item"), pl.exclude("item").mean())
    part = columns[:2].select(pl.lit("gpt avg").alias("item"), pl.exclude("item").mean())

    table = read_scores(pl.concat([columns, row, part]))

    assert set(table.models) == set(ITEMS)
    assert table.items.height == L


@pytest.mark.parametrize("names", [("math mean", "code mean"), ("subtotal", "subtotal 2")])
@pytest.mark.parametrize("has_groups", [True, False])
def test_subtotals_of_groups_are_no_items(names: tuple[str, str], has_groups: bool) -> None:  # noqa: FBT001
    groups = pl.Series(["math"] * 15 + ["code"] * 25)
    frame = wide().with_columns(group=groups)
    means = V[:, :15].mean(axis=1).round(3), V[:, 15:].mean(axis=1).round(3)
    parts = [
        below(part, {name: mean}).with_columns(pl.col("group").fill_null(strategy="forward"))
        for part, name, mean in zip((frame[:15], frame[15:]), names, means, strict=True)
    ]
    whole = below(pl.concat(parts), {"Total": V.mean(axis=1), "macro avg": sum(means) / 2})

    table = read_scores(whole if has_groups else whole.drop("group"))

    assert set(table.items["item"]) == set(ITEMS)


def test_summaries_of_what_there_is_are_summaries() -> None:
    holes = np.where(RNG.random(V.shape) < 0.15, np.nan, V)
    frame = wide(holes).fill_nan(None)
    frame = frame.with_columns(
        avg=pl.mean_horizontal(MODELS),
        n_correct=pl.sum_horizontal(MODELS),
        best=pl.max_horizontal(MODELS),
        n_models=pl.sum_horizontal(pl.col(name).is_not_null() for name in MODELS),
        **{"gpt avg": pl.mean_horizontal(MODELS[:2])},
    )
    assert set(read_scores(frame).models) == set(MODELS)


def test_items_of_code_that_are_called_like_a_summary_are_items() -> None:
    names = ["max_element", "sum_pairs", "count_vowels", "mean_filter", "any_int", "rolling_max"]
    for seed in range(60):
        rng = np.random.default_rng(seed)
        values = rng.random((rng.integers(1, 6), 20))
        values = values.round(2) if seed % 2 else (values < 0.6).astype(float)
        models = dict(zip(["qwen-max", "best-rq", "gpt-all", "n", "o3"], values, strict=False))
        frame = pl.DataFrame({"item": [*names, *ITEMS[6:20]], **models})
        table = read_scores(frame)
        assert (len(table.models), table.items.height) == (len(values), 20), seed


def test_what_is_beyond_the_scale_in_part_is_kept_and_noted() -> None:
    table = read_scores(wide(graded=RNG.integers(0, 4, N)))

    assert "graded" in table.models
    said = [note.text for note in table.notes if note.code == "other-scale"]
    assert len(said) == 1
    assert "--column aside=graded" in said[0]


def test_the_user_has_the_last_word() -> None:
    columns = {"best": V.max(axis=0), "year": FACTS["year"], "vintage": FACTS["vintage"]}

    kept = read_scores(wide(**columns), columns={"keep": ["best", "year", "vintage"]})
    aside = read_scores(wide(), columns={"aside": ["mistral", "q00"]})
    long = read_scores(longer(wide()), columns={"aside": "mistral"})

    assert set(kept.models) == {*MODELS, *columns}
    assert set(aside.models) == set(long.models) == set(MODELS) - {"mistral"}
    assert aside.items.height == N - 1
    with pytest.raises(ArgumentError, match="aside or keep of 'nobody', and no column, model or"):
        read_scores(wide(), columns={"aside": "nobody"})
    with pytest.raises(ArgumentError, match="both aside and keep of 'mistral'"):
        read_scores(wide(), columns={"aside": "mistral", "keep": "mistral"})
    with pytest.raises(ArgumentError, match="one column name for 'item'"):
        read_scores(wide(), columns={"item": ["item"]})


@pytest.mark.parametrize("name", ["percent", "pct", "total", "difficulty", "best"])
@pytest.mark.parametrize("n_others", [1, 2])
def test_one_of_the_others_on_another_scale_is_a_model(name: str, n_others: int) -> None:
    others = {"a": V[0], "b": V[0]}
    for own in (100 * V[0], 1 - V[0], np.full(N, 100.0)):
        frame = pl.DataFrame({"item": ITEMS, **dict(list(others.items())[:n_others]), name: own})
        assert name in read_scores(longer_of(frame)).models


def test_a_table_of_facts_alone_has_models() -> None:
    frame = pl.DataFrame({"item": ITEMS, "level": V[0], "label": V[1]})

    assert read_scores(frame).models == ("label", "level")


def test_the_command_line_leaves_them_aside_and_takes_a_word(tmp_path: Path) -> None:
    path, run = tmp_path / "m.csv", CliRunner()
    some = {name: {**summaries(V), **FACTS}[name] for name in ("best", "n_correct", "avg", "fold")}
    below(wide(**some), {"mean": ROWS["mean"]}).write_csv(path)

    def models(*words: str) -> set[str]:
        result = run.invoke(app, ["read", str(path), "--json", *words])
        assert result.exit_code == 0, result.output
        return set(json.loads(result.stdout)["models"])

    assert models() == set(MODELS)
    assert models("--column", "keep=fold") == {*MODELS, "fold"}
    out = [*MODELS[:2], "best", "n_correct", "avg"]
    words = itertools.chain(*(["--column", f"aside={name}"] for name in out))
    assert models(*words) == set(MODELS[2:])
    assert list(read_items(path).items) == ITEMS

"""Summaries: a mean or a sum of the others is no model and no item."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from bestrand import ScoreTable, read_items, read_scores
from bestrand.reading import derived
from bestrand.reading.summary_names import is_summary_name


RNG = np.random.default_rng(7)
VALUES = (RNG.random((3, 30)) < [[0.3], [0.6], [0.8]]).astype(float)  # models x items
ITEMS = [f"q{number:02}" for number in range(30)]


def wide(values: Any = VALUES, /, **more: Any) -> pl.DataFrame:  # noqa: ANN401
    models = dict(zip("abcdefgh", np.asarray(values), strict=False))
    items = ITEMS[: len(next(iter(models.values())))]
    return pl.DataFrame({"item": items, **models, **more})


def with_row(name: str, cells: Any) -> pl.DataFrame:  # noqa: ANN401
    row = pl.DataFrame(
        {"item": [name], **{model: [cell] for model, cell in zip("abc", cells, strict=True)}}
    )
    return pl.concat([wide(), row.select(wide().columns).cast(wide().schema)])


def longer(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.unpivot(index="item", variable_name="model", value_name="score").drop_nulls()


def codes(table: ScoreTable) -> list[str]:
    return [note.code for note in table.notes if note.code.startswith("summary")]


@pytest.mark.parametrize(
    "name",
    [
        *(
            "mean",
            "Mean",
            "avg",
            "Avg.",
            "average",
            "MEAN SCORE",
            "mean_acc",
            "meanScore",
            "(mean)",
        ),
        *("macro avg", "average over models", "Overall", "overall score", "total", "Sum", "all"),
        *("row_mean", "Durchschnitt", "moyenne", "平均", "Grand Total"),
    ],
)
def test_names_of_summaries_are_known(name: str) -> None:
    assert is_summary_name(name)


@pytest.mark.parametrize(
    "name",
    ["", "a", "meanwhile", "mean-7b", "qwen-max", "allama", "score", "models", "mean2", "item"],
)
def test_other_names_are_none_of_a_summary(name: str) -> None:
    assert not is_summary_name(name)


@pytest.mark.parametrize("form", ["wide", "long"])
@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("mean", VALUES.mean(axis=0)),
        ("mean", VALUES.mean(axis=0).round(4)),
        ("Average", VALUES.mean(axis=0).round(2)),
        ("avg", np.floor(VALUES.mean(axis=0) * 1000) / 1000),
        ("mean", VALUES.mean(axis=0).round(1)),
        ("mean", VALUES.mean(axis=0).astype(np.float32)),
        ("overall", 100 * VALUES.mean(axis=0)),
        ("all", VALUES.mean(axis=0)),
        ("Total", VALUES.sum(axis=0)),
        ("sum", VALUES.sum(axis=0)),
        ("median", np.median(VALUES, axis=0)),
        ("std", VALUES.std(axis=0, ddof=1).round(3)),
        ("std", VALUES.std(axis=0, ddof=0)),
    ],
)
def test_a_summary_of_the_models_is_no_model(
    name: str, cells: np.ndarray[Any, Any], form: str
) -> None:
    frame = wide(**{name: cells.astype(float)})

    table = read_scores(frame if form == "wide" else longer(frame))

    assert table.models == ("a", "b", "c")
    assert np.array_equal(table.matrix().values, VALUES)
    assert codes(table) == ["summary-aside"]


@pytest.mark.parametrize("form", ["wide", "long"])
@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("mean", VALUES.mean(axis=1)),
        ("Average", VALUES.mean(axis=1).round(3)),
        ("AVG", (100 * VALUES.mean(axis=1)).round(2)),
        ("Total", VALUES.sum(axis=1)),
    ],
)
def test_a_summary_of_the_items_is_no_item(
    name: str, cells: np.ndarray[Any, Any], form: str
) -> None:
    frame = with_row(name, cells)

    table = read_scores(frame if form == "wide" else longer(frame))

    assert table.items["item"].to_list() == ITEMS
    assert np.array_equal(table.matrix().values, VALUES)
    assert codes(table) == ["summary-aside"]


def test_a_row_and_columns_of_summaries_are_left_aside_together() -> None:
    frame = with_row("mean", VALUES.mean(axis=1)).with_columns(
        mean=pl.mean_horizontal("a", "b", "c"), total=pl.sum_horizontal("a", "b", "c")
    )

    table = read_scores(frame)

    assert np.array_equal(table.matrix().values, VALUES)
    assert codes(table) == ["summary-aside"] * 3


def test_a_mean_over_what_there_is_is_a_mean() -> None:
    values = np.where(RNG.random(VALUES.shape) < 0.2, np.nan, VALUES)
    values[:, 0] = np.nan
    frame = (
        wide(values)
        .with_columns(pl.col("a", "b", "c").fill_nan(None))
        .with_columns(mean=pl.mean_horizontal("a", "b", "c"))
    )

    assert read_scores(frame).models == ("a", "b", "c")


def test_files_of_models_and_of_their_mean_are_told_apart(tmp_path: Path) -> None:
    for model, cells in zip("abc", VALUES, strict=True):
        pl.DataFrame({"item": ITEMS, "score": cells}).write_csv(tmp_path / f"{model}.csv")
    pl.DataFrame({"item": ITEMS, "score": VALUES.mean(axis=0)}).write_csv(tmp_path / "average.csv")

    table = read_scores(tmp_path)

    assert table.models == ("a", "b", "c")
    assert codes(table) == ["summary-aside"]


def test_scores_that_are_not_the_mean_are_kept_whatever_they_are_called() -> None:
    table = read_scores(wide(mean=VALUES[0], overall=1 - VALUES[1]))

    assert table.models == ("a", "b", "c", "mean", "overall")
    assert codes(table) == ["summary-name"]


def test_a_copy_is_a_summary_only_under_a_name_that_no_model_has() -> None:
    same = np.repeat(VALUES[:1], 2, axis=0)

    assert read_scores(wide(same, mean=VALUES[0])).models == ("a", "b")
    assert read_scores(wide(same, all=VALUES[0])).models == ("a", "all", "b")
    assert read_scores(wide(VALUES[:1], mean=VALUES[0])).models == ("a",)
    assert read_scores(wide(VALUES[:1], total=VALUES[0])).models == ("a", "total")


def test_items_that_are_called_like_a_summary_are_items() -> None:
    names = ["max", "sum", "all", "total", "mean", *ITEMS[5:]]

    table = read_scores(wide().with_columns(item=pl.Series(names)))

    assert table.items.height == 30
    assert codes(table) == ["summary-name"]


def test_models_that_are_all_called_like_a_summary_are_models() -> None:
    table = read_scores(pl.DataFrame({"item": ITEMS, "mean": VALUES[0], "total": VALUES[1]}))

    assert table.models == ("mean", "total")


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([*VALUES, VALUES.mean(axis=0)], "model 'd' is the mean of the other models"),
        ([*VALUES, VALUES.mean(axis=0).round(3)], "model 'd' is the mean of the other models"),
        ([*VALUES, VALUES.sum(axis=0)], "model 'd' is the sum of the other models"),
        ([*VALUES[:2].tolist(), VALUES[:2].mean(axis=0)], "model 'c' is the mean of the other"),
    ],
)
def test_a_summary_without_the_name_of_one_is_left_aside(values: Any, said: str) -> None:  # noqa: ANN401
    for frame in (wide(values), longer(wide(values))):
        assert len(read_scores(frame).models) == len(values) - 1

    table = read_scores(wide(values))
    assert codes(table) == ["summary-aside"]
    assert any(said in note.text for note in table.notes)


def test_a_row_without_the_name_of_a_summary_is_left_aside() -> None:
    table = read_scores(with_row("zz", VALUES.mean(axis=1)))

    assert table.items["item"].to_list() == ITEMS
    assert codes(table) == ["summary-aside"]
    assert any("item 'zz' is the mean of the other items" in note.text for note in table.notes)


@pytest.mark.parametrize(
    "values",
    [
        np.ones((4, 30)),
        np.zeros((4, 30)),
        np.repeat(VALUES[:1], 4, axis=0),
        np.repeat(VALUES[:1], 2, axis=0),
        [VALUES[0], np.zeros(30), VALUES[0]],
        [VALUES[0], 1 - VALUES[0], np.ones(30)],
        [[0, 1, 1], [1, 1, 0], [0.5, 1, 0.5]],
    ],
    ids=["ones", "zeros", "four alike", "two alike", "a zero", "an opposite", "three items"],
)
def test_models_that_are_alike_are_no_summaries_of_each_other(values: Any) -> None:  # noqa: ANN401
    assert codes(read_scores(wide(values))) == []


@pytest.mark.slow
def test_chance_makes_no_summary() -> None:
    for seed in range(200):
        rng = np.random.default_rng(seed)
        values = rng.integers(0, rng.integers(2, 6), (rng.integers(2, 5), 8))
        assert codes(read_scores(wide(values))) == []


@pytest.mark.parametrize("form", ["wide", "long"])
def test_a_summary_is_no_item_of_a_frame_either(form: str, tmp_path: Path) -> None:
    frame = with_row("Average", VALUES.mean(axis=1))
    (frame if form == "wide" else longer(frame)).write_csv(tmp_path / "m.csv")

    assert list(read_items(tmp_path / "m.csv").items) == ITEMS


def test_a_list_of_items_may_hold_the_names_of_summaries(tmp_path: Path) -> None:
    (tmp_path / "items.csv").write_text("item,prompt\nmax,x\nmean,y\nsum,z\n")
    (tmp_path / "items.txt").write_text("max\nmean\nsum\n")

    for name in ("items.csv", "items.txt"):
        assert read_items(tmp_path / name).items == ("max", "mean", "sum")


@pytest.mark.parametrize(
    "columns",
    [
        {"a": [3.0] * 300, "b": [3.0] * 300, "c": [4.0] * 300},
        {name: [0.9 + (i * k % 11) / 1e4 for i in range(300)] for k, name in ((3, "a"), (5, "b"))}
        | {"c": [0.9] * 300},
        {name: [1e9 + i % 7 for i in range(300)] for name in ("a", "b", "c")},
    ],
)
def test_flat_and_narrow_scores_are_not_compared_one_by_one(
    columns: dict[str, list[float]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where no score tells a summary, nothing is looked at closely: reading takes no longer."""
    closely: list[str] = []

    def counted(own: object, base: object, function: str, limit: float = 0.0) -> int:
        closely.append(function)
        return 0

    monkeypatch.setattr(derived, "n_telling", counted)
    table = read_scores(pl.DataFrame({"item": [f"q{i}" for i in range(300)], **columns}))

    assert table.items.height == 300
    assert len(closely) <= 300


@pytest.mark.parametrize(
    "scores",
    [
        {"": 0.125, "a,b": 1.797693134862316e305, "Ø": 0.0},
        {"": 0.0, "a,b": 1.7976931348623155e308, "N": 2.9937604643020797e292},
    ],
)
def test_scores_as_large_as_numbers_go_are_read(scores: dict[str, float]) -> None:
    rows = {"item": list(scores), "score": list(scores.values())}
    table = read_scores(pl.DataFrame(rows))

    assert dict(table.rows.select("item", "score").rows()) == scores

"""Missing scores in diagnose, plan and backtest: refused, or left out as the user says."""

import numpy as np
import polars as pl
import pytest

import bestrand as br
from bestrand.data import load
from tests.conftest import Files, Run


WHOLE = load("intercode_sql").matrix()


def holed(*holes: tuple[int, int]) -> br.ScoreMatrix:
    """The matrix, without the scores of these models on these items, by number."""
    values = WHOLE.values.copy()
    for model, item in holes:
        values[model, item] = np.nan
    return br.ScoreMatrix(WHOLE.frame, WHOLE.models, values, bounds=(0, 1))


HOLES = holed((1, 5), (1, 6), (4, 6))
WITHOUT_MODELS = WHOLE.take_models([m for j, m in enumerate(WHOLE.models) if j not in (1, 4)])
WITHOUT_ITEMS = WHOLE.take_items([i for k, i in enumerate(WHOLE.frame.items) if k not in (5, 6)])


def test_missing_scores_are_refused_with_what_can_be_done() -> None:
    for look in (br.diagnose, br.plan, lambda scores: br.backtest(scores, 20)):
        with pytest.raises(br.InputError, match="3 in all") as caught:
            look(HOLES)
        text = str(caught.value)
        assert "models that lack some, 2 of 14, --missing models" in text
        assert "items that lack some, 2 of 1032, --missing items" in text


def test_models_or_items_are_left_out() -> None:
    seen = br.diagnose(HOLES, retentions=[0.05], missing="models")
    assert seen.names == WITHOUT_MODELS.models
    assert seen.sizes == br.diagnose(WITHOUT_MODELS, retentions=[0.05]).sizes
    assert seen.left_out_models == (WHOLE.models[1], WHOLE.models[4])
    assert [note.code for note in seen.notes] == ["left-out-models"]

    seen = br.diagnose(HOLES, retentions=[0.05], missing="items")
    assert (seen.n_items, seen.n_scored) == (1032, 1030)
    assert seen.sizes == br.diagnose(WITHOUT_ITEMS, n_items=1032, retentions=[0.05]).sizes
    assert seen.left_out_items == WHOLE.frame.items[5:7]
    assert "2 of 1032 items" in seen.notes[0].text
    br.chart(seen, HOLES)
    br.chart(br.diagnose(HOLES, missing="models"), HOLES)

    made = br.plan(HOLES, max_error=0.05, missing="items")
    assert made.options == br.plan(WITHOUT_ITEMS, max_error=0.05, n_items=1032).options
    assert [note.code for note in made.notes] == ["left-out-items"]

    tested = br.backtest(HOLES, 20, n_draws=2, missing="models")
    assert tested.models == br.backtest(WITHOUT_MODELS, 20, n_draws=2).models
    assert br.backtest(HOLES, 20, n_draws=2, missing="items").n_items == 1030

    split = br.plan_suite({"a": HOLES, "b": WHOLE}, 100, missing="items")
    assert split.benchmarks[0].n_items == 1032
    assert split.notes[0].text.startswith("a: Left out: 2 of 1032 items")


def test_nothing_is_left_out_where_nothing_is_missing() -> None:
    assert br.diagnose(WHOLE, missing="items").notes == ()
    assert br.plan(WHOLE, missing="models").notes == ()


def test_where_nothing_would_be_left_the_other_way_is_named() -> None:
    each_model = holed(*((j, j) for j in range(14)))
    with pytest.raises(br.InputError, match=r"14 of 1032, --missing items") as caught:
        br.diagnose(each_model, missing="models")
    assert "--missing models" not in str(caught.value)
    with pytest.raises(br.ArgumentError, match="`missing` must be error, models or items"):
        br.diagnose(WHOLE, missing="zero")  # type: ignore[arg-type]


def test_probes_on_a_pool_may_lack_items() -> None:
    pool = br.draw_pool(WHOLE, 50, seed=0)
    on_pool = WHOLE.take_items(pool.items)
    values = on_pool.values.copy()
    values[2, :3] = np.nan
    holes = br.ScoreMatrix(on_pool.frame, on_pool.models, values, bounds=(0, 1))
    seen = br.diagnose(holes, pool=pool, missing="items", retentions=[0.05])

    assert (seen.n_items, seen.n_scored) == (1032, pool.n - 3)
    assert not np.isnan(seen.sizes[0].balanced_p95)


def test_a_pool_of_other_items_is_named(run: Run, files: Files) -> None:
    other = files.folder / "other.txt"
    other.write_text("".join(f"other {number}\n" for number in range(300)))
    run("pool", other, "-n", 20, "-o", files.folder / "other.json")
    done = run("diagnose", files.probes, "--pool", files.folder / "other.json")

    assert done.code == 3
    assert "80 of the pool's 80 items have no row in these scores: 'other " in done.err
    assert "unknown=" not in done.err


def test_the_option_does_it(run: Run, files: Files) -> None:
    path = files.folder / "holes.parquet"
    rows = pl.read_parquet(files.probes)
    first = (pl.col("model") == rows["model"][0]) & (pl.col("item") == rows["item"][0])
    rows.filter(~first).write_parquet(path)
    for words in (("diagnose", path), ("plan", path), ("backtest", path, "-n", 20, "--draws", 2)):
        assert "--missing items." in run(*words).err
        for missing, n_models in (("models", 5), ("items", 6)):
            done = run(*words, "--missing", missing, "--json")
            assert len(done.json["models"]) == n_models
            notes = {note["code"]: note["text"] for note in done.json["notes"]}
            assert notes[f"left-out-{missing}"].startswith("Left out: 1 of ")

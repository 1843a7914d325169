"""One budget over several benchmarks: against enumeration and simulation."""

import itertools
import math

import numpy as np
import polars as pl
import pytest

import bestrand as br
from bestrand.data import load
from bestrand.planning.suite import proportional_sizes
from tests.cli.test_verbs import validate
from tests.conftest import Files, Run


BLINK, SQL = load("blink_val").matrix(), load("intercode_sql").matrix()
MMLU = load("mmlu_pro").matrix()


def first(matrix: br.ScoreMatrix, n: int) -> br.ScoreMatrix:
    return matrix.take_items(matrix.frame.items[:n])


def test_sizes_sum_to_the_budget_and_keep_to_their_bounds() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        frames = rng.integers(3, 500, 5)
        low = int(np.minimum(frames, 8).sum())
        budget = int(rng.integers(low, frames.sum() + 1))
        sizes = proportional_sizes(rng.random(5) * rng.integers(0, 2, 5), frames, budget)

        assert sizes.sum() == budget
        assert (sizes <= frames).all()
        assert (sizes >= np.minimum(frames, 8)).all()


def test_neyman_is_the_best_of_all_splits() -> None:
    """By enumeration of every split of 60 items over three benchmarks."""
    suite = {"a": first(BLINK, 60), "b": first(SQL, 100), "c": first(MMLU, 80)}
    made = br.plan_suite(suite, 60, probes=False)
    spread = np.array([row.spread for row in made.benchmarks])
    frames = np.array([row.n_items for row in made.benchmarks])

    def variance(sizes: tuple[int, ...]) -> float:
        return float((spread**2 * (1 / np.array(sizes) - 1 / frames)).sum())

    splits = [
        (i, j, 60 - i - j)
        for i, j in itertools.product(range(8, 61), repeat=2)
        if 8 <= 60 - i - j <= 80
    ]
    best = min(splits, key=variance)
    neyman = tuple(row.sizes["neyman"] for row in made.benchmarks)

    assert max(abs(a - b) for a, b in zip(neyman, best, strict=True)) <= 1


def test_the_error_of_the_suite_is_what_happens() -> None:
    models = [f"m{k}" for k in range(12)]
    suite = {}
    for name, matrix, n in (("a", BLINK, 1500), ("b", SQL, 300)):
        chosen = first(matrix, n)
        suite[name] = br.ScoreMatrix(chosen.frame, tuple(models), chosen.values[:12], bounds=(0, 1))
    made = br.plan_suite(suite, 120, probes=False)
    said = {error.rule: error.mean for error in made.errors}
    rng = np.random.default_rng(0)
    for rule in ("equal", "equal retention"):
        sizes = {row.benchmark: row.sizes[rule] for row in made.benchmarks}
        errors = []
        for _ in range(3000):
            parts = []
            for name, matrix in suite.items():
                columns = rng.choice(matrix.frame.n, sizes[name], replace=False)
                parts.append(matrix.values[:, columns].mean(axis=1) - matrix.values.mean(axis=1))
            errors.append(np.abs(np.mean(parts, axis=0)).mean())

        assert np.mean(errors) == pytest.approx(said[rule], rel=0.03)


def test_unequal_benchmarks_take_equal_sizes() -> None:
    made = br.plan_suite({"large": MMLU, "small": first(BLINK, 150)}, 300)

    assert made.best == "equal"
    assert [row.sizes["equal"] for row in made.benchmarks] == [150, 150]
    assert [row.sizes["equal retention"] for row in made.benchmarks] == [292, 8]
    assert "below that of equal retention" in made.verdict


def test_a_nearly_constant_benchmark_asks_for_neyman() -> None:
    easy = br.ScoreMatrix(
        BLINK.frame,
        BLINK.models,
        np.where(np.arange(1901) % 97 == 0, BLINK.values, 1.0),
        bounds=(0, 1),
    )
    made = br.plan_suite({"easy": easy, "hard": MMLU}, 400)

    assert made.best == "neyman"
    assert made.benchmarks[0].sizes["neyman"] < 100


def test_where_items_count_the_same_equal_retention_is_right() -> None:
    made = br.plan_suite({"large": MMLU, "small": first(BLINK, 600)}, 630, suite_mean="micro")

    assert made.best == "equal retention"


def test_bad_suites_are_refused() -> None:
    suite = {"a": BLINK, "b": SQL}
    with pytest.raises(br.ArgumentError, match="two benchmarks or more, got 1"):
        br.plan_suite({"a": BLINK}, 100)
    with pytest.raises(br.InputError, match="must be 16 to 2933 items"):
        br.plan_suite(suite, 10)
    with pytest.raises(br.ArgumentError, match="macro or micro"):
        br.plan_suite(suite, 100, suite_mean="mean")  # type: ignore[arg-type]
    flat = br.ScoreMatrix(BLINK.frame, BLINK.models, np.ones_like(BLINK.values))
    with pytest.raises(br.InputError, match="Every model scores all items alike"):
        br.plan_suite({"a": flat, "b": SQL}, 100)


def test_a_suite_needs_the_scale_of_every_benchmark(run: Run, files: Files) -> None:
    other = files.folder / "points.csv"
    rows = load("intercode_sql").rows.select("item", "model", 30 + 40 * pl.col("score"))
    rows.write_csv(other)
    words = ("plan", files.scores, other, "--suite", "--budget", 200, "--json")
    done = run(*words)
    assert done.code == 3
    assert "The scale of 'points' is not known" in done.err

    ranged = run(*words, "--range", "points=0:100")
    assert ranged.code == 0
    blink, points = ranged.json["benchmarks"]
    assert points["spread"] == pytest.approx(0.4 * 0.289, abs=0.01)
    assert blink["spread"] > 0.3
    for more in (["--targets", 3], ["--retention", 0.1], ["--budget", "nan"]):
        assert run(*words, *more).code == 2
    assert run("plan", f"={files.scores}", other, "--suite", "--budget", 200).code == 2


def test_the_command_prints_its_contract(run: Run, files: Files) -> None:
    other = files.folder / "sql.csv"
    rows = load("intercode_sql").rows.select("item", "model", pl.col("score"))
    rows.write_csv(other)
    words = ("plan", f"vision={files.scores}", other, "--suite", "--budget", 200)
    done = run(*words, "--json")
    validate("suite", done.json)

    assert [row["benchmark"] for row in done.json["benchmarks"]] == ["vision", "sql"]
    assert sum(row["sizes"]["equal"] for row in done.json["benchmarks"]) == 200
    assert not math.isnan(done.json["errors"][0]["mean"])
    assert "Items of each benchmark, 200 in all" in run(*words).out
    assert run("plan", files.scores, files.scores, "--suite", "--budget", 200).code == 2
    assert run("plan", files.scores, other, "--suite").code == 2


def test_a_range_with_one_end_is_not_enough_for_a_suite(run: Run, files: Files) -> None:
    other = files.folder / "cost.csv"
    rows = load("intercode_sql").rows.select("item", "model", 812.3 * pl.col("score"))
    rows.write_csv(other)
    words = ("plan", files.scores, other, "--suite", "--budget", 200)
    unknown = run(*words)
    assert "as in --range cost=0:813." in unknown.err

    open_ended = run(*words, "--range", "cost=0:")
    assert open_ended.code == 3
    assert "The scale of 'cost' has one end only" in open_ended.err
    assert "--range cost=LOW:HIGH; the scores seen go from 0 to 812.3." in open_ended.err
    assert "0:100" not in open_ended.err
    for order in (("0:", "cost=0:900", "probes=0:1"), ("cost=0:900", "scores=0:1", "0:")):
        named = [word for span in order for word in ("--range", span)]
        done = run(*words, *named)
        assert ("cost" in done.err) is False, "the range that names a benchmark holds for it"

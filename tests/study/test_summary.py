import math

import numpy as np
import polars as pl
import pytest
from scipy import stats

from bestrand.rng import Stream
from bestrand.stats.monte_carlo import mean_and_error
from bestrand.study.averages import averages, clustered
from bestrand.study.columns import CELL, LOSSES, ROWS
from bestrand.study.summary import cells, high_error, paired, ratios, spread
from bestrand.types import FloatArray


def draws(name: str, n: int = 400) -> FloatArray:
    return Stream.of(0, name).generator().gamma(4.0, 0.01, size=n)


def rows_of(**errors: FloatArray) -> pl.DataFrame:
    """Make a table of cells; a name is strategy_benchmark_kind_family."""
    parts = []
    for name, values in errors.items():
        strategy, benchmark, kind, family = name.split("_")
        place = {
            "experiment": "e",
            "figure": [1],
            "benchmark": benchmark,
            "kind": kind,
            "family": family,
            "metric": "score",
            "matched": "score",
            "split": "random",
            "regime": "probes",
            "known": 8.0,
            "n_known": 8,
            "retention": 0.1,
            "n": 10,
            "strategy": strategy,
        }
        losses = dict.fromkeys(LOSSES, math.nan)
        parts += [
            {**place, "replicate": number, **losses, "mae": value}
            for number, value in enumerate(values.tolist())
        ]
    return pl.DataFrame(parts, schema=ROWS)


def test_a_mean_is_over_what_is_defined() -> None:
    mean, error = mean_and_error(np.array([1.0, 3.0, np.nan]))

    assert (mean, error) == pytest.approx((2.0, math.sqrt(2) / math.sqrt(2)))
    assert all(map(math.isnan, mean_and_error(np.array([np.nan]))))


def test_monte_carlo_errors_are_those_seen_over_many_studies() -> None:
    studies = [draws(f"study {k}") for k in range(400)]
    found = [spread(study) for study in studies]
    high = [high_error(study, draws("base"), 0.7) for study in studies]

    for seen, stated in (
        ([f.sd for f in found], [f.sd_se for f in found]),
        ([f.p95 for f in found], [f.p95_se for f in found]),
        ([share for share, _ in high], [error for _, error in high]),
    ):
        assert np.mean(stated) == pytest.approx(np.std(seen), rel=0.2)


def test_spread_of_few() -> None:
    found = spread(np.array([0.1]))

    assert found.p95 == pytest.approx(0.1)
    assert all(map(math.isnan, (found.sd, found.sd_se, found.p95_se)))
    assert spread(np.array([0.1, 0.1])).sd_se == 0.0


def test_high_error_is_strictly_above_the_threshold_of_the_base() -> None:
    base = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0])

    assert high_error(np.array([8.0, 8.1, 20.0, 1.0]), base, 0.7)[0] == 0.5  # the threshold is 8
    assert high_error(np.array([6.0, 6.1]), base, None)[0] == 0.5  # the mean is 6
    assert math.isnan(high_error(base, None, 0.7)[0])


def test_none_of_a_few_is_not_certain() -> None:
    share, error = high_error(np.zeros(20), np.arange(1.0, 21.0), 0.7)

    assert share == 0.0
    assert error == pytest.approx(math.sqrt((2 / 24) * (22 / 24) / 24))


def test_the_interval_of_a_ratio_of_tails_is_that_of_plain_quantiles() -> None:
    rng = np.random.default_rng(5)
    values, base = rng.gamma(2.0, size=(2, 40))
    found = paired(values, base)
    again = np.random.default_rng(6).integers(0, 40, size=(20_000, 40))
    tails = np.quantile(values[again], 0.95, axis=1) / np.quantile(base[again], 0.95, axis=1)

    assert (found.p95_low, found.p95_high) == pytest.approx(
        np.quantile(tails, [0.025, 0.975]), rel=0.05
    )


def test_the_interval_of_a_paired_ratio_is_that_seen_over_many_studies() -> None:
    logs, halves = [], []
    for k in range(400):
        base = draws(f"base {k}", 60)
        found = paired(0.8 * base + 0.2 * draws(f"own {k}", 60), base)
        logs.append(math.log(found.mae_ratio))
        halves.append(math.log(found.mae_high / found.mae_ratio))

    quantile = stats.t.ppf(0.975, 59)
    assert np.mean(halves) / quantile == pytest.approx(np.std(logs), rel=0.1)


def test_a_ratio_to_itself_is_one_without_doubt() -> None:
    values = draws("x", 50)
    found = paired(values, values)

    assert found[:6] == pytest.approx((1.0,) * 6)
    assert paired(2 * values, values)[:3] == pytest.approx((2.0, 2.0, 2.0))
    assert paired(2 * values, values).sd_ratio == pytest.approx(2.0)
    assert math.isnan(paired(values, np.zeros(50)).mae_ratio)


def test_clusters_by_an_independent_computation() -> None:
    """The cluster-robust error of a mean is that of a regression on a constant (HC1 by cluster)."""
    values = np.array([0.1, 0.3, -0.2, 0.5, 0.4, 0.0])
    families = ["a", "a", "b", "c", "c", "c"]
    constant = np.ones((6, 1))
    bread = np.linalg.inv(constant.T @ constant)
    residuals = values - values.mean()
    meat = np.zeros((1, 1))
    for family in "abc":
        belongs = [f == family for f in families]
        score = constant[belongs].T @ residuals[belongs]
        meat += np.outer(score, score)
    se = math.sqrt(float((bread @ meat @ bread)[0, 0]) * 3 / 2)

    found = clustered(values, families)

    assert found.mean == pytest.approx(values.mean())
    assert found.high - found.mean == pytest.approx(stats.t.ppf(0.975, 2) * se)


def test_clusters_of_one_benchmark_each_are_the_plain_t_interval() -> None:
    values = draws("plain", 7)
    found = clustered(values, list("abcdefg"))
    low, high = stats.t.interval(0.95, 6, loc=values.mean(), scale=stats.sem(values))

    assert (found.low, found.high) == pytest.approx((low, high))
    assert math.isnan(clustered(values, ["a"] * 7).low)
    assert math.isnan(clustered(np.empty(0), []).mean)


def test_cells_and_averages_of_a_table() -> None:
    base_a, base_b = draws("a"), draws("b")
    rows = rows_of(
        random_a_text_f=base_a,
        own_a_text_f=0.5 * base_a,
        random_b_agent_g=base_b,
        own_b_agent_g=0.8 * base_b,
        random_c_agent_g=base_b,
    )

    summary = cells(rows)
    average = averages(summary, ratios(rows), ["own", "random"])
    own = average.filter((pl.col("kind") == "all") & pl.col("retention").is_null())

    assert summary.height == 5
    assert summary["mae"][1] == pytest.approx(0.5 * base_a.mean())
    assert summary["high_70"][0] == pytest.approx(0.3, abs=0.01)
    assert own["strategy"].to_list() == ["own", "random"]
    assert own["mae_ratio"][0] == pytest.approx(math.sqrt(0.5 * 0.8))
    assert own["benchmarks"].to_list() == [2, 3]
    assert own["families"].to_list() == [2, 2]
    assert own["base_mae"][0] == pytest.approx((base_a.mean() + base_b.mean()) / 2)
    assert set(average["kind"]) == {"all", "text", "agent"}


def test_ratios_are_told_in_random_items_size_by_size() -> None:
    base = draws("a")
    rows = rows_of(random_a_text_f=base, own_a_text_f=0.5 * base)
    average = averages(cells(rows), ratios(rows))
    of_all = average.filter(pl.col("kind") == "all")
    own = of_all.filter((pl.col("strategy") == "own") & pl.col("retention").is_not_null())
    against_own = averages(cells(rows), ratios(rows, "own"))
    retention = own["retention"][0]

    assert own.height == 1
    for name in ("equals", "equals_p95"):
        assert own[name][0] == pytest.approx(1 / (retention + 0.25 * (1 - retention)))
    assert of_all.filter(pl.col("retention").is_null())["equals"].is_nan().all()
    assert against_own["equals"].is_nan().all()


def test_a_table_without_rows_has_no_averages() -> None:
    rows = pl.DataFrame(schema=ROWS)

    assert averages(cells(rows), ratios(rows)).is_empty()
    assert set(CELL) < set(ROWS)

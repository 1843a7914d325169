"""Random items: the formula by the exact law, on real scores, and its Monte Carlo interval."""

import math
from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bestrand as br
from bestrand.data.demo import repeat
from bestrand.rng import Stream
from bestrand.stats.random_items import (
    RandomRatio,
    in_random_items,
    jackknife_se,
    random_items,
    random_share,
    ratio_of_draws,
    ratio_with_se,
)


@given(n_frame=st.integers(2, 5000), data=st.data())
def test_the_size_is_the_one_whose_error_is_so_much_smaller(
    n_frame: int, data: st.DataObject
) -> None:
    n = data.draw(st.integers(1, n_frame - 1))
    x = data.draw(st.integers(1, n_frame))
    ratio = math.sqrt((1 / x - 1 / n_frame) / (1 / n - 1 / n_frame))

    assert random_items(ratio, n, n_frame) == pytest.approx(x)
    assert n * random_share(ratio, n / n_frame) == pytest.approx(x)


def test_no_error_is_all_items_and_no_gain_is_as_many() -> None:
    assert random_items(0.0, 10, 100) == pytest.approx(100)
    assert random_items(1.0, 10, 100) == pytest.approx(10)
    assert random_items(2.0, 10, 100) < 10
    assert random_items(math.nan, 100, 100) == 100
    assert math.isnan(random_items(math.nan, 10, 100))


def test_a_larger_ratio_is_fewer_items() -> None:
    seen = in_random_items(RandomRatio(0.8, 0.7, 0.9), RandomRatio(0.6, 0.5, 0.7), 50, 1000)

    assert seen.mean == pytest.approx(random_items(0.8, 50, 1000))
    assert (seen.mean_low, seen.mean_high) == pytest.approx(
        (random_items(0.9, 50, 1000), random_items(0.7, 50, 1000))
    )
    assert seen.p95_low < seen.p95 < seen.p95_high


def test_random_subsets_of_that_size_err_as_much_on_real_scores(blink: br.ScoreTable) -> None:
    """Random subsets of X items have the mean error that a balanced subset of n has."""
    matrix, n = blink.matrix(), 100
    probes, targets = matrix.take_models(matrix.models[:8]), matrix.take_models(matrix.models[8:])
    own = repeat(br.Balanced(n_candidates=200), probes, targets, n=n, n_draws=60, seed=5)
    truth = targets.full_scores()
    rng = Stream.of(3, "sizes").generator()

    def errors(size: int) -> float:
        draws = [rng.permutation(matrix.frame.n)[:size] for _ in range(2000)]
        return float(
            np.mean([np.abs(targets.values[:, s].mean(axis=1) - truth).mean() for s in draws])
        )

    x = random_items(own.mean() / errors(n), n, matrix.frame.n)

    assert x > n
    assert errors(round(x)) / own.mean() == pytest.approx(1, abs=0.03)


def test_the_interval_of_draws_holds_what_is_true() -> None:
    rng = np.random.default_rng(2)
    true_mean, true_p95 = 0.7, 0.7
    held = np.zeros(2)
    for number in range(100):
        random = np.abs(rng.standard_normal(200)) + 1
        own = 0.7 * (np.abs(rng.standard_normal(200)) + 1)
        for which, (level, true) in enumerate(((None, true_mean), (0.95, true_p95))):
            seen = ratio_of_draws(own, random, Stream.of(number, "r"), level)
            held[which] += seen.low <= true <= seen.high

    # at 95 % of 100: 87 or fewer have a chance of .2 %
    assert held.min() >= 88


def test_a_ratio_to_no_error_is_not_known() -> None:
    seen = ratio_of_draws(np.ones(5), np.zeros(5), Stream.of(0, "r"))

    assert np.isnan(seen).all()
    assert np.isnan(astuple(in_random_items(seen, seen, 5, 10))).all()


def test_intervals_are_normal_on_the_log() -> None:
    low, high = ratio_with_se(0.5, 0.05).low, ratio_with_se(0.5, 0.05).high

    assert low * high == pytest.approx(0.25)
    assert math.log(high / 0.5) == pytest.approx(1.959964 * 0.1)
    assert ratio_with_se(0.0, 0.1).low == 0.0


def test_the_jackknife_of_a_mean_is_its_standard_error() -> None:
    values = np.array([1.0, 2.0, 4.0, 9.0])
    without = np.array([np.delete(values, i).mean() for i in range(4)])

    assert jackknife_se(without) == pytest.approx(values.std(ddof=1) / 2)

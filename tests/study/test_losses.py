import math

import numpy as np
import pytest

from bestrand.study.losses import cost_of, errors_of, intervals_of, pairs_of


def test_errors_by_hand() -> None:
    found = errors_of(np.array([0.5, 0.2, 0.9]), np.array([0.4, 0.3, 0.6]))

    assert found.mae == pytest.approx((0.1 + 0.1 + 0.3) / 3)
    assert found.max_error == pytest.approx(0.3)
    assert found.shift == pytest.approx((0.1 - 0.1 + 0.3) / 3)
    assert (found.spearman, found.kendall) == pytest.approx((1.0, 1.0))


def test_ranks_by_hand() -> None:
    found = errors_of(np.array([1.0, 2.0, 3.0, 4.0]), np.array([2.0, 1.0, 3.0, 4.0]))

    assert found.spearman == pytest.approx(1 - 6 * 2 / (4 * 15))
    assert found.kendall == pytest.approx((5 - 1) / 6)


def test_rounding_neither_breaks_ties_nor_is_an_error() -> None:
    truth = np.array([0.38, 0.38 + 6e-17, 0.5, 0.7])
    estimate = np.array([0.4, 0.3, 0.5, 0.6])
    exact = errors_of(estimate, np.array([0.38, 0.38, 0.5, 0.7]))

    assert errors_of(estimate, truth) == pytest.approx(exact)
    assert exact.spearman < 0.95
    noise = errors_of(truth + 1e-16, truth)
    assert (noise.mae, noise.max_error, noise.shift) == (0.0, 0.0, 0.0)
    assert errors_of(100 * estimate, 100 * truth).spearman == exact.spearman


def test_estimates_that_are_all_the_same_rank_nothing() -> None:
    found = errors_of(np.array([0.5, 0.5]), np.array([0.4, 0.6]))

    assert math.isnan(found.spearman)
    assert math.isnan(found.kendall)
    assert found.mae == pytest.approx(0.1)


def test_coverage_and_width_by_hand() -> None:
    center, truth = np.array([0.5, 0.5, 0.5]), np.array([0.55, 0.65, 0.4])

    assert intervals_of(center, np.array([0.1, 0.1, 0.2]), truth) == pytest.approx((2 / 3, 0.8 / 3))
    assert intervals_of(center, np.array([0.1, np.nan, 0.2]), truth) == pytest.approx((1.0, 0.3))
    assert all(map(math.isnan, intervals_of(center, np.full(3, np.nan), truth)))


def test_pairs_count_once() -> None:
    truth = np.array([0.1, 0.2, 0.4])
    difference = np.array([[0.0, -0.1, 0.0], [9.0, 0.0, -0.2], [9.0, 9.0, 0.0]])
    half = np.full((3, 3), 0.05)

    assert pairs_of(difference, half, truth) == pytest.approx((2 / 3, 0.1))


def test_costs_by_hand() -> None:
    assert cost_of(8, 100, n=25, n_frame=200, n_targets=4) == pytest.approx((4.0, 4.5))
    assert cost_of(0, 0, n=25, n_frame=200, n_targets=4) == pytest.approx((0.0, 0.5))

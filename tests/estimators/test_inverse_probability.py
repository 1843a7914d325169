"""Horvitz-Thompson, Hájek and post-stratification, by enumeration."""

from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest

import bestrand as br
from bestrand.designs.stratified import Stratified, equal_counts
from bestrand.errors import EstimateError
from bestrand.estimators.base import Seen
from bestrand.estimators.inverse_probability import Hajek, HorvitzThompson
from bestrand.estimators.post_stratified import PostStratified
from bestrand.rng import Stream
from bestrand.stats.intervals import floored_variance, weighted_spread


def seen_of(y: np.ndarray, chance: np.ndarray, n_frame: int, **more: object) -> Seen:
    n = y.shape[1]
    plain = Seen(
        scores=y,
        weights=np.ones(n),
        groups=None,
        group_shares=None,
        probes=None,
        n_pool=n_frame,
        n_frame=n_frame,
        balanced_on=(),
        pool_balanced_on=(),
        inclusion=chance,
    )
    return replace(plain, **more)  # type: ignore[arg-type]


def test_horvitz_thompson_is_unbiased_over_all_stratified_subsets() -> None:
    rng = np.random.default_rng(0)
    y = rng.random((2, 7))
    strata = [[0, 1, 2], [3, 4, 5, 6]]  # one of three, two of four
    chance = np.array([1 / 3] * 3 + [1 / 2] * 4)
    estimates = []
    for one, two in product(combinations(strata[0], 1), combinations(strata[1], 2)):
        chosen = [*one, *two]
        estimates.append(HorvitzThompson().infer(seen_of(y[:, chosen], chance[chosen], 7)).estimate)

    assert np.mean(estimates, axis=0) == pytest.approx(y.mean(axis=1), abs=1e-12)


def test_with_equal_chances_both_are_the_mean_with_its_usual_error() -> None:
    y = np.random.default_rng(1).random((3, 10))
    seen = seen_of(y, np.full(10, 10 / 40), 40)
    plain = np.ones(10)
    floored = floored_variance(weighted_spread(y, plain), y, plain)
    usual = np.sqrt((1 / 10 - 1 / 40) * floored)
    pair = np.sqrt((1 / 10 - 1 / 40) * (y[0] - y[1]).var(ddof=1))
    for estimator in (HorvitzThompson(), Hajek()):
        result = estimator.infer(seen)

        assert result.estimate == pytest.approx(y.mean(axis=1), abs=1e-12)
        assert result.se == pytest.approx(usual, rel=1e-12)
        assert result.pair_se[0, 1] == pytest.approx(pair, rel=1e-9)


def test_hajek_meets_a_constant_score_exactly() -> None:
    chance = np.array([0.1, 0.5, 0.9, 0.3])
    result = Hajek().infer(seen_of(np.full((1, 4), 0.7), chance, 9))

    assert result.estimate == pytest.approx([0.7], abs=1e-15)


def test_a_perfect_score_on_few_items_is_not_certain() -> None:
    result = Hajek().infer(seen_of(np.ones((2, 10)), np.full(10, 0.1), 100))

    assert (result.se > 0.02).all()


def test_items_that_were_certain_leave_no_error() -> None:
    result = Hajek().infer(seen_of(np.array([[0.0, 1.0]]), np.ones(2), 2))

    assert (result.estimate[0], result.se[0]) == (0.5, 0.0)


@pytest.mark.parametrize("estimator", [HorvitzThompson(), Hajek()])
def test_a_design_without_chances_is_refused(estimator: HorvitzThompson | Hajek) -> None:
    with pytest.raises(EstimateError, match="needs inclusion probabilities"):
        estimator.infer(replace(seen_of(np.ones((1, 2)), np.ones(2), 4), inclusion=None))


def test_equal_allocation_gives_each_group_as_much_as_it_has() -> None:
    counts, expected = equal_counts(np.array([2, 50, 50]), 21, Stream.of(0))

    assert counts[0] == 2
    assert sorted(counts[1:].tolist()) == [9, 10]
    assert expected.tolist() == [2.0, 9.5, 9.5]


@pytest.mark.slow
def test_equal_allocation_with_hajek_is_right_on_average() -> None:
    rng = np.random.default_rng(2)
    groups = ["a"] * 5 + ["b"] * 15 + ["c"] * 40
    items = [f"q{i:02d}" for i in range(60)]
    frame = br.Frame.of(items, groups=groups)
    values = (rng.random((2, 60)) < np.repeat([0.9, 0.5, 0.2], [5, 15, 40])).astype(np.float64)
    matrix = br.ScoreMatrix(frame, ("m1", "m2"), values)
    estimates = []
    for seed in range(1500):
        subset = br.select(frame, 13, design=Stratified("equal"), seed=seed)
        estimates.append(br.estimate(matrix, subset).estimate)
    error = np.std(estimates, axis=0) / np.sqrt(1500)

    assert np.abs(np.mean(estimates, axis=0) - matrix.full_scores()).max() < 0.01
    assert (np.abs(np.mean(estimates, axis=0) - values.mean(axis=1)) < 6 * error + 0.005).all()


def test_post_stratification_weighs_group_means_by_their_shares() -> None:
    y = np.array([[1.0, 0.0, 1.0, 0.0, 0.0]])
    groups = np.array([0, 0, 1, 1, 1])
    shares = np.array([0.7, 0.3])
    seen = seen_of(y, np.full(5, 0.05), 100, groups=groups, group_shares=shares)
    result = PostStratified().infer(seen)

    assert result.estimate == pytest.approx([0.7 * 0.5 + 0.3 / 3], abs=1e-15)


def test_post_stratification_leaves_out_groups_that_are_not_there_and_says_so() -> None:
    groups, shares = np.array([0, 0, 2, 2]), np.array([0.5, 0.25, 0.25])
    y = np.array([[1.0, 1.0, 0.0, 0.0]])
    result = PostStratified().infer(
        seen_of(y, np.full(4, 0.1), 40, groups=groups, group_shares=shares)
    )

    assert result.estimate == pytest.approx([2 / 3], abs=1e-15)
    assert [note.code for note in result.notes] == ["absent-groups"]


def test_post_stratification_needs_groups_and_equal_weights_within_them() -> None:
    seen = seen_of(np.ones((1, 2)), np.ones(2), 4)
    with pytest.raises(EstimateError, match="needs each item's group"):
        PostStratified().infer(seen)
    uneven = replace(
        seen,
        groups=np.zeros(2, dtype=np.int64),
        group_shares=np.ones(1),
        weights=np.array([1, 2.0]),
    )
    with pytest.raises(EstimateError, match="weights differ within a group"):
        PostStratified().infer(uneven)

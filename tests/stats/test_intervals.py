import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import multinomial
from scipy.stats import t as student

from bestrand.stats.intervals import (
    Reach,
    floored_variance,
    pair_spread,
    score_reach,
    t_quantile,
    two_phase_factor,
    weighted_spread,
)
from bestrand.types import FloatArray
from tests.strategies import score_arrays, weight_arrays


NAN = float("nan")


@st.composite
def scores_and_weights(
    draw: st.DrawFn, *, equal: bool = False, exact: bool = False, min_items: int = 1
) -> tuple[FloatArray, FloatArray]:
    n_models, n = draw(st.integers(1, 4)), draw(st.integers(min_items, 9))
    weights = np.ones(n) if equal else draw(weight_arrays(n))
    return draw(score_arrays(n_models, n, exact=exact, missing=True)), weights


# --- the spread of each model --------------------------------------------------------------------


@given(given_=scores_and_weights())
def test_the_spread_is_that_of_a_slow_loop(given_: tuple[FloatArray, FloatArray]) -> None:
    y, weights = given_
    spread = weighted_spread(y, weights)
    for j, row in enumerate(y):
        there = [i for i in range(len(row)) if not math.isnan(row[i])]
        n, a = len(there), [weights[i] for i in there]

        assert spread.n[j] == n
        if n == 0:
            assert math.isnan(spread.mean[j])
            continue
        mean = sum(w * row[i] for w, i in zip(a, there, strict=True)) / sum(a)
        assert spread.mean[j] == pytest.approx(mean, abs=1e-12)
        if n == 1:
            assert math.isnan(spread.variance[j])
            continue
        mean_weight = sum(a) / n
        terms = [w / mean_weight * (row[i] - mean) for w, i in zip(a, there, strict=True)]
        variance = sum(u**2 for u in terms) / (n - 1)
        assert spread.variance[j] == pytest.approx(variance, abs=1e-12)


@given(given_=scores_and_weights(equal=True), factor=st.sampled_from([0.25, 1.0, 7.0]))
def test_equal_weights_give_mean_and_variance(
    given_: tuple[FloatArray, FloatArray], factor: float
) -> None:
    y, weights = given_
    spread = weighted_spread(y, factor * weights)
    for j, row in enumerate(y):
        seen = row[~np.isnan(row)]
        if seen.size > 1:
            assert spread.mean[j] == pytest.approx(seen.mean(), abs=1e-12)
            assert spread.variance[j] == pytest.approx(seen.var(ddof=1), abs=1e-12)


# --- the floor -----------------------------------------------------------------------------------


def floored(y: FloatArray, weights: FloatArray) -> FloatArray:
    return floored_variance(weighted_spread(y, weights), y, weights)


def test_the_floor_is_that_of_the_formula() -> None:
    """Right everywhere; graded from 0 to 1; graded from .2 to .6, with one score missing."""
    y = np.array([[1.0] * 5, [0.5, 0.25, 0.0, 1.0, 1.0], [0.2, 0.6, 0.6, 0.5, NAN]])
    n = np.array([5, 5, 4])
    low, high = np.array([0.0, 0.0, 0.2]), np.array([1.0, 1.0, 0.6])
    mean, variance = np.nanmean(y, axis=1), np.nanvar(y, axis=1, ddof=1)
    with np.errstate(invalid="ignore"):
        kappa = variance / ((mean - low) * (high - mean) * n / (n - 1))
    kappa[0] = 1.0
    middle = (n * mean + 2 * low + 2 * high) / (n + 4)
    expected = np.maximum(variance, kappa * (middle - low) * (high - middle) * n / (n - 1))

    assert kappa[1] < 1.0
    assert floored(y, np.ones(5)) == pytest.approx(expected, rel=1e-12)


def test_no_floor_depends_on_who_else_is_there() -> None:
    y = np.vstack([np.ones(20), np.tile([0.1, 0.25], 10), np.full(20, 0.3)])
    together = floored(y, np.ones(20))

    alone = [floored(row[None], np.ones(20))[0] for row in y]

    assert together == pytest.approx(alone, rel=1e-12)
    assert together[0] == pytest.approx(22 / 24 * 2 / 24 * 20 / 19)


@given(given_=scores_and_weights(min_items=2), unit=st.sampled_from([1e-3, 7.0, 250.0]))
def test_the_unit_of_the_scores_is_that_of_the_variance(
    given_: tuple[FloatArray, FloatArray], unit: float
) -> None:
    y, weights = np.round(given_[0], 3), given_[1]  # smaller steps are rounding beside the 4
    moved, bounds = 4 + unit * y, (4.0, 4 + unit)
    spread = weighted_spread(moved, weights)
    variance = floored_variance(spread, moved, weights, bounds)

    assert variance == pytest.approx(unit**2 * floored(y, weights), rel=1e-6, nan_ok=True)
    assert pair_spread(moved, weights, bounds).variance == pytest.approx(
        unit**2 * pair_spread(y, weights).variance, rel=1e-6, nan_ok=True
    )


def test_a_flat_model_on_an_unknown_scale_has_no_variance() -> None:
    y = np.array([[7.0, 7.0, 7.0], [0.0, 7.0, 1.0], [7.0, 7.0, 7.0]])
    spread = weighted_spread(y, np.ones(3))
    variance = floored_variance(spread, y, np.ones(3), None)
    pairs = pair_spread(y, np.ones(3), None).variance

    assert np.isnan(variance).tolist() == [True, False, True]
    assert np.isnan(pairs[0, 2])
    assert pairs[0, 1] > 0.0


@pytest.mark.parametrize(("n_other", "share"), [(0, 1.0), (1, 1.0), (2, 1.0), (4, 0.5), (13, 0.0)])
def test_one_blemish_does_not_make_a_model_surer(n_other: int, share: float) -> None:
    """Fifty items right, some of them only nearly; a quarter and more show a stretch of its own."""
    y = np.ones((1, 50))
    y[0, :n_other] = 0.98
    p = (50 * y.mean() + 2) / 54
    wide = share * p * (1 - p) * 50 / 49

    assert floored(y, np.ones(50))[0] >= wide - 1e-12
    assert floored(y, np.ones(50))[0] == pytest.approx(max(wide, y.var(ddof=1)), abs=2e-4)
    twice = pair_spread(np.vstack([y, np.ones(50)]), np.ones(50)).variance[0, 1]
    assert twice >= share * 2 / 52


def test_a_model_like_it_widens_the_stretch_of_a_model() -> None:
    """Rare high scores may all be absent from a subset: the probe that is nearest shows them."""
    y = np.array([[0.0, 0.1, 0.0, 0.1, 0.0]])
    spread = weighted_spread(y, np.ones(5))
    like = Reach(np.array([0.0]), np.array([1.0]), np.array([0.8]))
    middle = (5 * 0.04 + 2) / 9
    expected = 0.8 * middle * (1 - middle) * 5 / 4

    assert floored_variance(spread, y, np.ones(5), like=like) == pytest.approx([expected])


@given(n=st.integers(2, 40), data=st.data())
def test_right_or_wrong_scores_get_four_more_items(n: int, data: st.DataObject) -> None:
    n_right = data.draw(st.integers(0, n))
    n_wrong = n - n_right
    y = np.array([[1.0] * n_right + [0.0] * n_wrong])
    p, q = (n_right + 2) / (n + 4), n_right / n
    expected = max(p * (1 - p), q * (1 - q)) * n / (n - 1)

    assert floored(y, np.ones(n)) == pytest.approx([expected], rel=1e-12)


@given(given_=scores_and_weights())
def test_the_floor_never_lowers_a_variance(given_: tuple[FloatArray, FloatArray]) -> None:
    y, weights = given_
    spread = weighted_spread(y, weights)
    raised = floored(y, weights)
    known = spread.n > 1

    assert (raised[known] >= spread.variance[known]).all()
    assert np.isnan(raised[~known]).all()


@given(given_=scores_and_weights(exact=True))
def test_wrong_for_right_has_the_same_floor(given_: tuple[FloatArray, FloatArray]) -> None:
    y, weights = given_

    assert floored(1 - y, weights) == pytest.approx(floored(y, weights), abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("score", [0.0, 0.1, 0.25, 0.7, 1.0])
def test_scores_that_are_all_the_same_still_leave_doubt(score: float) -> None:
    y = np.full((2, 10), score)
    p = (10 * score + 2) / 14

    assert floored(y, np.ones(10)) == pytest.approx([p * (1 - p) * 10 / 9] * 2, rel=1e-12)


def test_rounding_is_no_spread() -> None:
    """Scores that differ from 1 in their last bits alone leave as much doubt as scores of 1."""
    y = 1.0 - np.array([[0.0, 1e-13, 2e-13, 1e-13]])
    p = 6 / 8

    assert weighted_spread(y, np.ones(4)).variance[0] > 0.0
    assert floored(y, np.ones(4)) == pytest.approx([p * (1 - p) * 4 / 3], rel=1e-9)


def test_unequal_weights_raise_the_floor_by_their_design_effect() -> None:
    y = np.ones((1, 6))
    weights = np.array([1.0, 1.0, 1.0, 1.0, 2.0, 6.0])
    effect = 6 * (4 + 4 + 36) / 12**2

    assert floored(y, weights) == pytest.approx(effect * floored(y, np.ones(6)), rel=1e-12)
    assert floored(y, 3 * weights) == pytest.approx(floored(y, weights), rel=1e-12)


def test_a_model_of_no_weight_leaves_the_others_as_they_are() -> None:
    weights = np.array([1.0, 1.0, 1.0, 0.0, 0.0])
    y = np.array([[0.25, 0.5, 0.5, 1.0, 0.0], [NAN, NAN, NAN, 1.0, 0.0]])
    raised = floored(y, weights)

    assert raised[0] == floored(y[:1], weights)[0]
    assert math.isnan(raised[1])


# --- the two phases ------------------------------------------------------------------------------


@given(
    sizes=st.lists(st.integers(1, 10_000), min_size=4, max_size=4).map(sorted),
    q=st.floats(0, 1),
    w=st.floats(0, 1),
)
def test_the_factor_is_that_of_the_formula(sizes: list[int], q: float, w: float) -> None:
    n_scored, n, m, n_frame = sizes
    factor = two_phase_factor(
        np.array([n_scored, n]), n=n, n_pool=m, n_frame=n_frame, residual_share=q, within_share=w
    )
    whole = (1 / n - 1 / m) * q + (1 / m - 1 / n_frame) * w

    assert factor == pytest.approx([whole + 1 / n_scored - 1 / n, whole], rel=1e-9, abs=1e-15)


@given(sizes=st.lists(st.integers(1, 10_000), min_size=3, max_size=3).map(sorted))
def test_with_nothing_explained_it_is_simple_random_sampling(sizes: list[int]) -> None:
    n, m, n_frame = sizes
    factor = two_phase_factor(np.array([n]), n=n, n_pool=m, n_frame=n_frame)

    assert factor == pytest.approx([1 / n - 1 / n_frame], rel=1e-9, abs=1e-15)


@given(n=st.integers(1, 10_000), q=st.floats(0, 1), w=st.floats(0, 1))
def test_the_whole_frame_leaves_exactly_nothing(n: int, q: float, w: float) -> None:
    factor = two_phase_factor(
        np.array([n]), n=n, n_pool=n, n_frame=n, residual_share=q, within_share=w
    )

    assert factor.tolist() == [0.0]


def test_no_item_scored_has_no_finite_variance() -> None:
    assert two_phase_factor(np.array([0]), n=5, n_pool=9, n_frame=9).tolist() == [np.inf]


def test_averaged_over_all_pools_and_subsets_the_variance_is_exact() -> None:
    y = np.array([0.0, 1.0, 1.0, 0.25, 0.5, 0.0, 0.75])
    n, m, n_frame = 3, 5, 7
    subsets = [
        list(subset) for pool in combinations(range(n_frame), m) for subset in combinations(pool, n)
    ]
    means = np.array([y[subset].mean() for subset in subsets])
    spreads = [weighted_spread(y[None, subset], np.ones(n)) for subset in subsets]
    variances = [
        (spread.variance * two_phase_factor(spread.n, n=n, n_pool=m, n_frame=n_frame))[0]
        for spread in spreads
    ]

    assert len(subsets) == 21 * 10
    assert means.mean() == pytest.approx(y.mean(), abs=1e-12)
    assert np.mean(variances) == pytest.approx(means.var(), abs=1e-12)


# --- quantiles -----------------------------------------------------------------------------------


@given(level=st.floats(0.5, 0.999), freedom=st.integers(1, 500))
def test_quantiles_are_students(level: float, freedom: int) -> None:
    assert t_quantile(level, np.array([freedom])) == pytest.approx(
        [student.isf((1 - level) / 2, freedom)], rel=1e-9
    )


def test_without_freedom_there_is_no_quantile() -> None:
    assert np.isnan(t_quantile(0.95, np.array([0.0, -1.0, NAN]))).all()


# --- paired differences --------------------------------------------------------------------------


def known_scores(y: FloatArray, *rows: int) -> list[list[float]]:
    """Give the scores of each row that are not nan."""
    return [[float(value) for value in y[row] if not math.isnan(value)] for row in rows]


def slow_pairs(y: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Give mean and variance of every pair, straight from the formula, one item at a time."""
    n_models = len(y)

    def contributions(a: int, b: int) -> list[tuple[float, float]]:
        """Give (weight / mean weight, difference) of each item that both were scored on."""
        there = [i for i in range(y.shape[1]) if not math.isnan(y[a, i] + y[b, i])]
        total = sum(weights[i] for i in there)
        return [(weights[i] * len(there) / total, y[a, i] - y[b, i]) for i in there]

    reach = score_reach(weighted_spread(y, weights), y, weights, (0.0, 1.0))
    pairs = {(a, b): contributions(a, b) for a in range(n_models) for b in range(n_models)}
    mean, variance = np.full((2, n_models, n_models), NAN)
    for (a, b), items in pairs.items():
        n = len(items)
        if n > 0:
            mean[a, b] = sum(w * d for w, d in items) / n
        if n > 1:
            center = n * mean[a, b] / (n + 2)
            heaviness = sum(w**2 for w, _ in items) / n
            both = y[[a, b]][:, ~np.isnan(y[[a, b]]).all(axis=0)]
            width = np.nanmax(both) - np.nanmin(both)
            most = (reach.kappa[a] + reach.kappa[b]) / 2 * (width if width > 1e-9 else 1.0) ** 2
            modes = [max(sorted(set(row)), key=list(row).count) for row in known_scores(y, a, b)]
            others = sum(
                len(row) - list(row).count(mode)
                for row, mode in zip(known_scores(y, a, b), modes, strict=True)
            )
            if modes[0] == modes[1] and others <= n / 4:
                most = max(most, min(1.0, 2 / max(others, 1)))
            square = sum((w * d) ** 2 for w, d in items)
            few = most if square <= 2 * most * heaviness else 2 * most**2 * heaviness / square
            each = max(square / n, few * heaviness)
            two_more = 2 * each + 2 * center**2 * sum(w**2 for w, _ in items) / n
            around = sum((w * (d - center)) ** 2 for w, d in items) + two_more
            variance[a, b] = around / (n + 2) * n / (n - 1)
        if a == b:
            variance[a, b] = 0.0
    return mean, variance


@given(given_=scores_and_weights())
def test_pairs_are_those_of_a_slow_loop(given_: tuple[FloatArray, FloatArray]) -> None:
    y, weights = given_
    pairs = pair_spread(y, weights)
    mean, variance = slow_pairs(y, weights)

    assert pairs.mean == pytest.approx(mean, abs=1e-12, nan_ok=True)
    assert pairs.variance == pytest.approx(variance, abs=1e-9, nan_ok=True)


@pytest.mark.parametrize(("n_better", "added"), [(0, 1.0), (1, 1.0), (4, 0.5), (5, 0.4), (20, 0.4)])
def test_two_more_items_are_added_in_full_while_few_differ(n_better: int, added: float) -> None:
    """Of 50 items; 2 / 4 is one half, and where 20 of 50 differ their own mean is larger."""
    y = np.zeros((2, 50))
    y[0, :n_better], y[1, n_better] = 1.0, 1.0 if n_better == 0 else 0.0
    y[:, 49] = 1.0
    d = y[0] - y[1]
    extra = 2 * (added if n_better else 1.0)
    variance = ((d**2).sum() + extra) / 52 - (d.sum() / 52) ** 2

    assert pair_spread(y, np.ones(50)).variance[0, 1] == pytest.approx(variance * 50 / 49)


def coverage_of_a_lone_pair(n: int, better: float, worse: float) -> float:
    """Enumerate all counts of items on which one of two models alone is right; N is huge."""
    t = student.ppf(0.975, n - 1)
    covered = 0.0
    for b in range(min(n, 60) + 1):
        for c in range(min(n - b, 60) + 1) if worse else (0,):
            y = np.zeros((2, n))
            y[0, :b], y[1, b : b + c] = 1.0, 1.0
            pairs = pair_spread(y, np.ones(n))
            if abs(pairs.mean[0, 1] - (better - worse)) <= t * np.sqrt(pairs.variance[0, 1] / n):
                covered += multinomial.pmf(
                    [b, c, n - b - c], n, [better, worse, 1 - better - worse]
                )
    return covered


@pytest.mark.parametrize("n", [20, 50, 100, 145, 200])
@pytest.mark.parametrize("gap", [0.01, 0.02, 0.03])
def test_a_lone_pair_is_covered_over_all_counts(n: int, gap: float) -> None:
    """Where one model is right whenever the other is, the gap is the hardest to see."""
    assert coverage_of_a_lone_pair(n, gap, 0.0) >= 0.93


@pytest.mark.slow
@pytest.mark.parametrize("n", [20, 50, 100])
@pytest.mark.parametrize("worse", [0.01, 0.03])
def test_a_lone_pair_that_differs_both_ways_is_covered(n: int, worse: float) -> None:
    for gap in (0.01, 0.02, 0.03):
        assert coverage_of_a_lone_pair(n, worse + gap, worse) >= 0.93


@given(given_=scores_and_weights(), shift=st.integers(-4, 4))
def test_pairs_are_antisymmetric_and_know_differences_alone(
    given_: tuple[FloatArray, FloatArray], shift: int
) -> None:
    y, weights = given_
    pairs = pair_spread(y, weights)
    shifted = pair_spread(y + shift, weights, (shift, shift + 1.0))

    assert pairs.mean == pytest.approx(-pairs.mean.T, abs=1e-12, nan_ok=True)
    assert pairs.variance == pytest.approx(pairs.variance.T, abs=1e-12, nan_ok=True)
    assert (pairs.n == pairs.n.T).all()
    assert np.nan_to_num(np.diag(pairs.mean)) == pytest.approx(0.0, abs=1e-12)
    assert not np.diag(pairs.variance).any()
    assert shifted.mean == pytest.approx(pairs.mean, abs=1e-9, nan_ok=True)
    assert shifted.variance == pytest.approx(pairs.variance, abs=1e-9, nan_ok=True)


@given(given_=scores_and_weights(), factor=st.sampled_from([0.5, 3.0]))
def test_only_the_proportions_of_weights_matter(
    given_: tuple[FloatArray, FloatArray], factor: float
) -> None:
    y, weights = given_
    pairs, scaled = pair_spread(y, weights), pair_spread(y, factor * weights)

    assert scaled.mean == pytest.approx(pairs.mean, abs=1e-12, nan_ok=True)
    assert scaled.variance == pytest.approx(pairs.variance, abs=1e-9, nan_ok=True)


def test_models_that_agree_on_all_items_may_still_differ() -> None:
    y = np.array([[1.0, 0.0, 1.0, 1.0], [1.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 1.0]])
    pairs = pair_spread(y, np.ones(4))

    assert pairs.mean[0, 1] == 0.0
    assert pairs.variance[0, 1] == pytest.approx(2 / 6 * 4 / 3, rel=1e-12)
    assert pairs.variance[0, 1] == pair_spread(y[:2], np.ones(4)).variance[0, 1]


def test_two_models_that_share_at_most_one_item_cannot_be_compared() -> None:
    y = np.array([[1.0, 0.0, NAN, NAN], [NAN, 1.0, 1.0, NAN], [NAN, NAN, NAN, 1.0]])
    pairs = pair_spread(y, np.ones(4))

    assert pairs.n[0, 1] == 1
    assert pairs.mean[0, 1] == -1.0
    assert math.isnan(pairs.variance[0, 1])
    assert pairs.n[0, 2] == 0
    assert math.isnan(pairs.mean[0, 2])
    assert math.isnan(pairs.variance[0, 2])


def test_a_pair_that_shares_no_weight_leaves_the_others_as_they_are() -> None:
    weights = np.array([1.0, 1.0, 0.0, 0.0])
    y = np.array([[1.0, 0.0, 1.0, 0.0], [0.0, 0.0, 1.0, 1.0], [NAN, NAN, 1.0, 0.0]])
    pairs = pair_spread(y, weights)

    assert pairs.variance[0, 1] == pytest.approx(pair_spread(y[:2], weights).variance[0, 1])
    assert math.isnan(pairs.variance[0, 2])


def test_a_single_model_has_nothing_to_differ_from() -> None:
    pairs = pair_spread(np.array([[1.0, 0.0]]), np.ones(2))

    assert pairs.mean.tolist() == [[0.0]]
    assert pairs.variance.tolist() == [[0.0]]

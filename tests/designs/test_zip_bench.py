from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bestrand.data import load
from bestrand.designs.base import Features
from bestrand.designs.baselines.zip_bench import (
    N_BINS,
    ZipBench,
    _vote,
    group_budgets,
    spread_models,
    synthetic_responses,
)
from bestrand.errors import ArgumentError
from bestrand.rng import Stream
from bestrand.stats.irt_scores import binarise
from bestrand.types import FloatArray
from tests.designs.test_irt_anchors import irt_scores, seen_of
from tests.strategies import score_arrays


def rows_of_means(*means: float, n_items: int = 100) -> FloatArray:
    """Scores of models that get the first items right, as many as their means say."""
    return np.array([(np.arange(n_items) < mean * n_items) * 1.0 for mean in means])


# --- models --------------------------------------------------------------------------------------


def test_models_of_evenly_spread_accuracy_are_chosen() -> None:
    means = (0.9, 0.11, 0.48, 0.5, 0.1, 0.31, 0.72, 0.52, 0.88)
    scores = rows_of_means(*means)
    chosen = spread_models(scores, np.ones(100), 5)

    assert [means[row] for row in chosen] == [0.1, 0.31, 0.5, 0.72, 0.9]


@given(data=st.data(), n_models=st.integers(1, 9), wanted=st.integers(1, 9))
def test_as_many_models_as_there_are_and_no_more_are_chosen(
    data: st.DataObject, n_models: int, wanted: int
) -> None:
    scores = data.draw(score_arrays(n_models, 6))
    chosen = spread_models(scores, np.ones(6), wanted).tolist()
    means = [scores[row].sum() for row in chosen]

    assert len(set(chosen)) == min(n_models, wanted)
    assert means == sorted(means)


def test_accuracy_is_weighted_as_the_frame_is() -> None:
    scores = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 1.0]])

    assert spread_models(scores, np.ones(3), 2).tolist() == [0, 1]
    assert spread_models(scores, np.array([3.0, 1.0, 1.0]), 2).tolist() == [1, 0]


# --- votes ---------------------------------------------------------------------------------------


def test_a_tie_is_right_or_wrong_by_chance_item_by_item() -> None:
    """Of two models that never agree every item is a tie: half of them come out right."""
    responses = np.array([np.arange(4000) % 2, 1 - np.arange(4000) % 2], dtype=float)
    one, other = (_vote(responses, Stream.of(seed, "ties"), 0) for seed in (0, 1))
    again = _vote(responses, Stream.of(0, "ties"), 0)
    next_ensemble = _vote(responses, Stream.of(0, "ties"), 1)

    assert set(one.tolist()) == {0.0, 1.0}
    assert abs(one.mean() - 0.5) < 4 * 0.5 / np.sqrt(4000)
    assert abs((one == other).mean() - 0.5) < 4 * 0.5 / np.sqrt(4000)
    assert abs((one == next_ensemble).mean() - 0.5) < 4 * 0.5 / np.sqrt(4000)
    assert abs(np.corrcoef(one, responses[0])[0, 1]) < 4 / np.sqrt(4000)
    assert one.tolist() == again.tolist()


@settings(max_examples=40)
@given(data=st.data(), n_models=st.integers(2, 6), seed=st.integers(0, 99))
def test_where_there_is_a_majority_chance_has_no_say(
    data: st.DataObject, n_models: int, seed: int
) -> None:
    responses = np.round(data.draw(score_arrays(n_models, 12)))
    vote = _vote(responses, Stream.of(seed), 3)
    right = responses.sum(axis=0)

    assert (vote[2 * right > n_models] == 1).all()
    assert (vote[2 * right < n_models] == 0).all()


def test_the_vote_of_two_models_scores_near_their_mean() -> None:
    """Were a tie wrong, two models of .3 and .7 that are independent would score .21."""
    rng = np.random.default_rng(0)
    responses = np.array([rng.random(4000) < 0.3, rng.random(4000) < 0.7], dtype=float)

    assert _vote(responses, Stream.of(0), 0).mean() == pytest.approx(0.5, abs=0.04)


@settings(max_examples=60)
@given(data=st.data(), n_models=st.integers(2, 5), n_bins=st.integers(1, 10))
def test_each_bin_holds_the_first_vote_that_scores_within_it(
    data: st.DataObject, n_models: int, n_bins: int
) -> None:
    """A plain search over all ensembles finds the same votes."""
    seed = data.draw(st.integers(0, 9999))
    stream = Stream.of(seed, "ties")
    responses = (np.random.default_rng(seed).random((n_models, 24)) < 0.5).astype(np.float64)
    means = responses.mean(axis=1)
    low, high = means.min(), means.max()
    expected: dict[int, list[float]] = {}
    number = 0
    for size in range(2, n_models + 1):
        for members in combinations(responses, size):
            vote = _vote(np.array(members), stream, number)
            number += 1
            if low < high and low <= vote.mean() <= high:
                place = (vote.mean() - low) / (high - low) * n_bins
                expected.setdefault(min(int(place + 1e-9), n_bins - 1), vote.tolist())

    votes = synthetic_responses(responses, np.ones(24), stream, n_bins)

    assert votes.shape == (len(expected), 24)
    assert votes.tolist() == [expected[number] for number in sorted(expected)]


def test_ties_by_chance_fill_more_bins_of_real_models() -> None:
    """Six of the bundled models; votes whose ties are wrong fill four bins."""
    scores = load("intercode_sql").matrix().scaled()
    responses = binarise(scores[spread_models(scores, np.ones(scores.shape[1]), 6)])
    weights = np.ones(scores.shape[1])
    filled = [len(synthetic_responses(responses, weights, Stream.of(s, "ties"))) for s in range(8)]

    assert min(filled) >= 5


def test_six_bins_are_filled_unless_said_otherwise() -> None:
    rng, ease = np.random.default_rng(0), np.linspace(0.2, 0.8, 6)[:, None]
    responses = (rng.random((6, 400)) < ease).astype(np.float64)
    stream = Stream.of(0, "ties")
    votes = synthetic_responses(responses, np.ones(400), stream)

    assert N_BINS == 6
    assert votes.tolist() == synthetic_responses(responses, np.ones(400), stream, 6).tolist()
    assert len(synthetic_responses(responses, np.ones(400), stream, 10)) > len(votes)


@pytest.mark.parametrize("responses", [np.ones((3, 4)), np.zeros((1, 4)), np.eye(4)])
def test_models_of_one_accuracy_have_no_bins_to_fill(responses: FloatArray) -> None:
    assert synthetic_responses(responses, np.ones(4), Stream.of(0)).shape == (0, 4)


# --- budgets -------------------------------------------------------------------------------------


@given(data=st.data(), sizes=st.lists(st.integers(1, 40), min_size=1, max_size=8))
def test_budgets_are_the_shares_up_to_rounding(data: st.DataObject, sizes: list[int]) -> None:
    total = sum(sizes)
    n = data.draw(st.integers(len(sizes), total))
    budgets = group_budgets(np.array(sizes), n)
    shares = np.array(sizes) * n / total

    assert budgets.sum() == n
    assert (budgets >= 1).all()
    assert (budgets <= sizes).all()
    if (shares >= 1).all():
        assert (np.abs(budgets - shares) < 1).all()


def test_the_largest_remainders_get_what_is_left() -> None:
    assert group_budgets(np.array([50, 30, 20]), 7).tolist() == [4, 2, 1]  # 3.5, 2.1, 1.4
    assert group_budgets(np.array([97, 2, 1]), 5).tolist() == [3, 1, 1]
    assert group_budgets(np.array([10, 10]), 3).tolist() == [2, 1]


# --- the design ----------------------------------------------------------------------------------


@pytest.mark.parametrize("weighted", [False, True])
def test_each_group_has_its_budget_and_counts_its_weight(weighted: bool) -> None:  # noqa: FBT001
    scores = irt_scores(8, 120)
    groups = np.repeat([0, 1, 2], [60, 40, 20])
    weights = 1.0 / np.array([60, 40, 20])[groups] if weighted else np.ones(120)
    draw = ZipBench().draw(seen_of(scores, groups=groups, weights=weights), 12, Stream.of(0))
    assert draw.design_weights is not None
    chosen = groups[draw.columns]
    shares = np.bincount(groups, weights=weights) / weights.sum()

    assert np.bincount(chosen).tolist() == [6, 4, 2]
    assert np.bincount(chosen, weights=draw.design_weights) / 12 == pytest.approx(shares, rel=1e-12)


def test_fewer_items_than_groups_stand_for_all_items() -> None:
    scores = irt_scores(8, 60)
    draw = ZipBench().draw(seen_of(scores, groups=np.arange(60) % 9), 5, Stream.of(0))

    assert len(draw.columns) == 5
    assert draw.design_weights is not None
    assert draw.design_weights.sum() == pytest.approx(5)


def test_other_streams_give_other_items() -> None:
    seen = seen_of(irt_scores(8, 200))
    drawn = {tuple(ZipBench().draw(seen, 10, Stream.of(seed)).columns) for seed in range(6)}

    assert len(drawn) > 1


def test_models_beyond_those_chosen_are_not_looked_at() -> None:
    scores = rows_of_means(0.1, 0.5, 0.51, 0.9)
    changed = scores.copy()
    changed[2] = np.roll(scores[2], 1)  # as accurate, and never taken
    drawn = [
        ZipBench(n_sources=3).draw(Features(100, s, None, np.ones(100)), 9, Stream.of(0))
        for s in (scores, changed)
    ]

    assert drawn[0].columns.tolist() == drawn[1].columns.tolist()


def test_a_design_needs_a_source() -> None:
    with pytest.raises(ArgumentError, match=r"`n_sources` must be 1 or more, got 0\."):
        ZipBench(n_sources=0)


def test_a_group_whose_items_have_weight_0_is_clustered_as_if_they_weighed_the_same() -> None:
    scores = np.random.default_rng(0).integers(0, 2, (4, 12)).astype(np.float64)
    groups, weights = np.repeat(np.arange(2), 6), np.repeat([0.0, 2.0], 6)
    draw = ZipBench().draw(Features(12, scores, groups, weights), 6, Stream.of(0))

    assert draw.design_weights is not None
    assert (draw.columns < 6).sum() == 3
    assert draw.design_weights[:3].tolist() == [0.0] * 3
    assert draw.design_weights.mean() == pytest.approx(1.0)

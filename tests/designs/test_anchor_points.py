"""AnchorPoints: medoids that stand for clusters, and count for what their clusters count for."""

import re
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bestrand.core.frame import Frame
from bestrand.core.scores import ScoreMatrix
from bestrand.designs.base import Draw, Features
from bestrand.designs.baselines import anchor_points
from bestrand.designs.baselines.anchor_points import AnchorPoints, Likeness
from bestrand.designs.simple_random import SimpleRandom
from bestrand.errors import ArgumentError, DesignError
from bestrand.rng import Stream
from bestrand.steps.select import select
from bestrand.types import FloatArray
from tests.strategies import score_arrays, weight_arrays


LIKENESSES: tuple[Likeness, ...] = ("signed", "absolute")


def features_of(scores: FloatArray, weights: FloatArray | None = None) -> Features:
    m = scores.shape[1]
    return Features(m, scores, None, np.ones(m) if weights is None else weights)


@st.composite
def features(draw: st.DrawFn) -> Features:
    m = draw(st.integers(1, 25))
    scores = draw(score_arrays(draw(st.integers(3, 7)), m))
    return features_of(scores, draw(weight_arrays(m)) if draw(st.booleans()) else None)


def clustered(n_models: int, *, noise: float, seed: int) -> FloatArray:
    """Give scores of items in six clusters of 10 to 60; alike within, but for the noise."""
    rng = np.random.default_rng(seed)
    kinds = np.repeat(np.arange(6), [10, 20, 30, 40, 50, 60])
    right = rng.random((n_models, 6)) < rng.random((n_models, 1))
    flipped = rng.random((n_models, kinds.size)) < noise
    return np.asarray(right[:, kinds] ^ flipped, dtype=np.float64)


def weighted_means(draw: Draw, scores: FloatArray) -> FloatArray:
    assert draw.design_weights is not None
    return np.asarray(scores[:, draw.columns] @ draw.design_weights / draw.columns.size)


@settings(max_examples=60)
@given(
    seen=features(), likeness=st.sampled_from(LIKENESSES), seed=st.integers(0, 99), data=st.data()
)
def test_n_distinct_ascending_items_whose_weights_sum_to_n(
    seen: Features, likeness: Likeness, seed: int, data: st.DataObject
) -> None:
    n = data.draw(st.integers(1, seen.n_items))
    draw, again = (AnchorPoints(likeness).draw(seen, n, Stream.of(seed)) for _ in range(2))

    assert draw.design_weights is not None
    assert len(draw.columns) == n
    assert sorted(set(draw.columns.tolist())) == draw.columns.tolist()
    assert draw.design_weights.sum() == pytest.approx(n)
    assert (draw.design_weights >= 0).all()
    assert draw.columns.tolist() == again.columns.tolist()
    assert draw.inclusion is None
    assert draw.balanced_on == ()


@settings(max_examples=40)
@given(seen=features(), seed=st.integers(0, 99), data=st.data())
def test_the_order_of_models_is_nothing(seen: Features, seed: int, data: st.DataObject) -> None:
    assert seen.scores is not None
    n = data.draw(st.integers(1, seen.n_items))
    order = data.draw(st.permutations(range(len(seen.scores))))
    other = replace(seen, scores=seen.scores[order])
    first, second = (AnchorPoints().draw(f, n, Stream.of(seed)) for f in (seen, other))

    assert first.design_weights is not None
    assert second.design_weights is not None
    assert first.columns.tolist() == second.columns.tolist()
    assert first.design_weights.tolist() == second.design_weights.tolist()


@pytest.mark.parametrize("likeness", LIKENESSES)
def test_no_exchange_of_one_anchor_for_another_item_would_be_nearer(likeness: Likeness) -> None:
    rng = np.random.default_rng(3)
    scores = rng.random((9, 24))
    anchors = AnchorPoints(likeness).draw(features_of(scores), 5, Stream.of(0)).columns.tolist()
    alike = np.asarray(np.corrcoef(scores.T))
    unlike = 1.0 - (np.abs(alike) if likeness == "absolute" else alike)
    loss = unlike[:, anchors].min(axis=1).sum()
    exchanged = [
        unlike[:, [*(a for a in anchors if a != goes), comes]].min(axis=1).sum()
        for goes, comes in product(anchors, set(range(24)) - set(anchors))
    ]

    assert loss <= min(exchanged) + 1e-5


def test_each_cluster_of_like_items_gets_an_anchor_that_counts_for_its_size() -> None:
    scores = clustered(12, noise=0.0, seed=1)
    draw = AnchorPoints().draw(features_of(scores), 6, Stream.of(4))
    others = clustered(30, noise=0.0, seed=2)

    assert draw.design_weights == pytest.approx(6 * np.arange(10, 61, 10) / 210)
    assert weighted_means(draw, scores) == pytest.approx(scores.mean(axis=1))
    assert weighted_means(draw, others) == pytest.approx(others.mean(axis=1))


def test_clusters_count_for_what_their_items_weigh() -> None:
    scores = clustered(12, noise=0.0, seed=1)
    weights = 1.0 + np.arange(210.0) % 7
    draw = AnchorPoints().draw(features_of(scores, weights), 6, Stream.of(4))

    assert weighted_means(draw, scores) == pytest.approx(scores @ weights / weights.sum())


def test_weighted_anchors_beat_random_items_where_items_cluster() -> None:
    sources, targets = clustered(20, noise=0.1, seed=5), clustered(40, noise=0.1, seed=6)
    full = targets.mean(axis=1)
    draws = [AnchorPoints().draw(features_of(sources), 12, Stream.of(s)) for s in range(10)]
    plain = [SimpleRandom().draw(features_of(sources), 12, Stream.of(s)) for s in range(10)]
    error = np.mean([np.abs(weighted_means(d, targets) - full).mean() for d in draws])
    random = np.mean([np.abs(targets[:, d.columns].mean(axis=1) - full).mean() for d in plain])
    own = np.mean([np.abs(weighted_means(d, sources) - sources.mean(axis=1)) for d in draws])

    assert error < 0.8 * random
    assert own < 0.06


def test_only_the_absolute_likeness_lets_opposites_stand_for_each_other() -> None:
    rng = np.random.default_rng(0)
    kinds = np.asarray(rng.random((16, 2)).round(), dtype=np.float64)
    one, other = kinds[:, [0] * 9], kinds[:, [1] * 9]
    scores = np.concatenate([one, 1.0 - one, other, 1.0 - other], axis=1)
    seen = features_of(scores)
    signed = AnchorPoints().draw(seen, 4, Stream.of(0))
    absolute = AnchorPoints("absolute").draw(seen, 2, Stream.of(0))

    assert (signed.columns // 9).tolist() == [0, 1, 2, 3]
    assert (absolute.columns // 18).tolist() == [0, 1]


def test_an_item_on_which_all_agree_joins_the_anchor_of_the_nearest_mean() -> None:
    easy, hard = [1.0, 1.0, 1.0, 0.0], [0.0, 1.0, 0.0, 0.0]
    columns = [easy] * 4 + [hard] * 4 + [[1.0] * 4] * 3 + [[0.0] * 4]
    draw = AnchorPoints().draw(features_of(np.array(columns).T), 2, Stream.of(0))

    assert draw.design_weights is not None
    assert (draw.columns // 4).tolist() == [0, 1]
    assert draw.design_weights == pytest.approx(2 * np.array([4 + 3, 4 + 1]) / 12)


def with_constant_items(n_constant: int, n_varying: int, *, seed: int) -> FloatArray:
    """Give 20 sources' scores of items that vary, and of items that all sources score alike."""
    rng = np.random.default_rng(seed)
    ability, ease = rng.random((20, 1)), rng.random((1, n_varying))
    varying = np.asarray(rng.random((20, n_varying)) < 0.5 * (ability + ease), dtype=np.float64)
    varying[0], varying[1] = 0.0, 1.0  # each of them varies
    constant = np.tile(rng.choice([0.0, 0.25, 1.0], n_constant), (20, 1))
    return np.concatenate([varying, constant], axis=1)[:, rng.permutation(n_varying + n_constant)]


@settings(max_examples=40)
@given(
    n_constant=st.integers(1, 30),
    n_varying=st.integers(1, 40),
    seed=st.integers(0, 99),
    likeness=st.sampled_from(LIKENESSES),
    data=st.data(),
)
def test_constant_items_gain_nothing_by_being_chosen(
    n_constant: int, n_varying: int, seed: int, likeness: Likeness, data: st.DataObject
) -> None:
    scores = with_constant_items(n_constant, n_varying, seed=seed)
    n = data.draw(st.integers(1, n_constant + n_varying))
    draw = AnchorPoints(likeness).draw(features_of(scores), n, Stream.of(seed))
    n_chosen = int((np.ptp(scores, axis=0) == 0)[draw.columns].sum())

    assert n_chosen == max(0, n - n_varying)


def test_of_15_constant_items_among_60_none_is_an_anchor() -> None:
    scores = with_constant_items(15, 45, seed=0)
    constant = np.ptp(scores, axis=0) == 0
    drawn = [
        AnchorPoints().draw(features_of(scores), n, Stream.of(seed)).columns
        for n in (20, 25, 30, 35)
        for seed in range(3)
    ]

    assert constant.sum() == 15
    assert [int(constant[columns].sum()) for columns in drawn] == [0] * 12


def test_items_that_tie_between_anchors_count_for_each_in_equal_parts() -> None:
    """Three kinds of items in copies: all copies that are chosen count alike."""
    kinds = np.array([[1, 0, 0], [0, 1, 0], [0, 1, 1], [1, 1, 0]], dtype=np.float64)
    scores = np.repeat(kinds, [12, 20, 8], axis=1)
    kind = np.repeat([0, 1, 2], [12, 20, 8])
    for seed in range(5):
        draw = AnchorPoints().draw(features_of(scores), 12, Stream.of(seed))
        assert draw.design_weights is not None
        chosen = kind[draw.columns]
        sizes = np.array([12, 20, 8]) / np.bincount(chosen, minlength=3)
        assert draw.design_weights == pytest.approx(12 * sizes[chosen] / 40)


def test_constant_items_are_shared_by_the_anchors_whose_means_are_nearest() -> None:
    """Four anchors that one source of six gets right stand together for 20 items none does."""
    hard = np.eye(6)[:, :4]
    easy = 1.0 - np.eye(6)[:, 4:]
    scores = np.concatenate([np.repeat(hard, 3, axis=1), np.repeat(easy, 3, axis=1)], axis=1)
    scores = np.concatenate([scores, np.zeros((6, 20))], axis=1)
    draw = AnchorPoints().draw(features_of(scores), 6, Stream.of(0))

    assert draw.design_weights is not None
    assert (draw.columns // 3).tolist() == [0, 1, 2, 3, 4, 5]
    assert draw.design_weights == pytest.approx(6 * np.array([3 + 5] * 4 + [3] * 2) / 38)


@settings(max_examples=25)
@given(seed=st.integers(0, 99), n=st.integers(1, 30))
def test_the_order_of_items_does_not_decide_ties(seed: int, n: int) -> None:
    """Copies of one item that are anchors have one weight, wherever they stand."""
    scores = np.asarray(np.random.default_rng(seed).random((3, 30)).round(), dtype=np.float64)
    draw = AnchorPoints().draw(features_of(scores), n, Stream.of(seed))
    assert draw.design_weights is not None
    weight_of: dict[bytes, list[float]] = {}
    for column, weight in zip(draw.columns, draw.design_weights, strict=True):
        weight_of.setdefault(scores[:, column].tobytes(), []).append(weight)

    for same in weight_of.values():
        assert same == pytest.approx([same[0]] * len(same))


def test_where_constant_items_are_alike_one_anchor_stands_for_those_of_one_score() -> None:
    scores = with_constant_items(40, 60, seed=3)
    totals, constant = scores.sum(axis=0), np.ptp(scores, axis=0) == 0
    design = AnchorPoints(constant_items="alike")
    for seed in range(3):
        draw = design.draw(features_of(scores), 30, Stream.of(seed))
        assert draw.design_weights is not None
        anchors = {
            totals[column]: weight
            for column, weight in zip(draw.columns, draw.design_weights, strict=True)
            if constant[column]
        }
        assert sorted(anchors) == sorted(set(totals[constant]))
        assert constant[draw.columns].sum() == len(anchors)
        for total, weight in anchors.items():
            assert weight == pytest.approx(30 * (constant & (totals == total)).sum() / 100)


def test_of_few_sources_constant_items_that_are_alike_give_each_kind_its_share() -> None:
    """With as many anchors as there are kinds of items, sources are met exactly."""
    scores = np.asarray(np.random.default_rng(1).random((3, 200)).round(), dtype=np.float64)
    draw = AnchorPoints(constant_items="alike").draw(features_of(scores), 8, Stream.of(0))

    assert len({scores[:, column].tobytes() for column in draw.columns}) == 8
    assert weighted_means(draw, scores) == pytest.approx(scores.mean(axis=1))


def test_what_is_done_with_constant_items_must_be_one_of_two() -> None:
    with pytest.raises(ArgumentError, match=r"`constant_items` must be omit or alike, got 'both'"):
        AnchorPoints(constant_items="both")  # type: ignore[arg-type]


def test_twins_of_an_anchor_come_before_constant_items() -> None:
    """Four kinds of items in five copies each: a copy brings nothing nearer either."""
    kinds = np.array([[1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 1, 0], [1, 1, 0, 0], [0, 1, 1, 1]])
    scores = np.concatenate([np.repeat(kinds, 5, axis=1), np.ones((5, 20))], axis=1).astype(float)
    for seed in range(5):
        columns = AnchorPoints().draw(features_of(scores), 10, Stream.of(seed)).columns
        assert (columns < 20).all()


def test_sources_that_agree_on_all_items_leave_chance_alone() -> None:
    scores = np.tile(np.array([0.0, 1.0, 0.5] * 10), (4, 1))
    drawn = {
        tuple(AnchorPoints().draw(features_of(scores), 6, Stream.of(seed)).columns)
        for seed in range(8)
    }

    assert len(drawn) > 4


@settings(max_examples=25)
@given(n=st.integers(1, 120), seed=st.integers(0, 99))
def test_more_items_than_memory_allows_still_give_n_distinct_anchors(n: int, seed: int) -> None:
    scores = np.asarray(Stream.of(7).words(0, 5 * 120).reshape(5, 120) % 2, dtype=np.float64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(anchor_points, "AT_ONCE", 32)
        draw = AnchorPoints().draw(features_of(scores), n, Stream.of(seed))

    assert draw.design_weights is not None
    assert len(set(draw.columns.tolist())) == n
    assert draw.design_weights.sum() == pytest.approx(n)


def test_all_items_count_for_what_they_weigh() -> None:
    weights = np.array([1.0, 2.0, 5.0])
    draw = AnchorPoints().draw(features_of(np.eye(3), weights), 3, Stream.of(0))

    assert draw.columns.tolist() == [0, 1, 2]
    assert draw.design_weights == pytest.approx(weights * 3 / 8)


def test_another_unit_gives_the_same_anchors() -> None:
    values = np.random.default_rng(0).integers(0, 4, (6, 50)) / 3
    frame = Frame.of([f"q{number:02}" for number in range(50)])
    models = tuple("abcdef")
    one = ScoreMatrix(frame, models, values, bounds=(0.0, 1.0))
    hundred = ScoreMatrix(frame, models, 100 * values, bounds=(0.0, 100.0))
    first, second = (select(m, 9, design=AnchorPoints(), seed=3) for m in (one, hundred))

    assert first.items == second.items
    assert first.estimation_weights == second.estimation_weights
    assert first.estimation_weights is not None
    assert sum(first.estimation_weights) == pytest.approx(9)


@pytest.mark.parametrize("n_sources", [0, 2])
def test_two_sources_are_too_few_to_correlate(n_sources: int) -> None:
    got = n_sources or "none"
    message = f"AnchorPoints needs the scores of at least 3 source models, got {got}. Give more"
    with pytest.raises(DesignError, match=re.escape(message)):
        AnchorPoints().draw(features_of(np.ones((n_sources, 5))), 2, Stream.of(0))


def test_a_likeness_must_be_one_of_two() -> None:
    with pytest.raises(ArgumentError, match=r"`likeness` must be signed or absolute, got 'both'"):
        AnchorPoints("both")  # type: ignore[arg-type]


def test_the_plain_mean_and_further_metrics_are_spoken_of() -> None:
    scores = np.random.default_rng(0).random((4, 12))
    alone = AnchorPoints().draw(features_of(scores), 3, Stream.of(0))
    several = AnchorPoints().draw(replace(features_of(scores), extras=scores), 3, Stream.of(0))

    assert [note.code for note in alone.notes] == ["weighted-anchors"]
    assert [note.code for note in several.notes] == ["weighted-anchors", "main-metric-alone"]
    assert alone.columns.tolist() == several.columns.tolist()

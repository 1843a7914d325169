import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

from bestrand.core.frame import Frame
from bestrand.core.scores import ScoreMatrix
from bestrand.designs.base import Design, Features
from bestrand.designs.baselines.irt_anchors import IrtAnchors, cluster_anchors
from bestrand.designs.baselines.zip_bench import ZipBench
from bestrand.designs.simple_random import SimpleRandom
from bestrand.errors import DesignError
from bestrand.rng import Stream
from bestrand.steps.select import select
from bestrand.types import FloatArray, IntArray
from tests.strategies import group_codes, score_arrays, weight_arrays


IRT_DESIGNS: list[Design] = [IrtAnchors(), ZipBench(), ZipBench(n_sources=3)]
each = pytest.mark.parametrize("design", IRT_DESIGNS, ids=repr)


def irt_scores(n_models: int, n_items: int, seed: int = 0, sharpness: float = 1.0) -> FloatArray:
    """Right-or-wrong scores of a one-dimensional IRT model; the items are always the same."""
    items, rng = np.random.default_rng(7), np.random.default_rng(seed)
    a = sharpness * items.uniform(0.8, 2.5, n_items)
    b = sharpness * items.normal(0.0, 1.5, n_items)
    chances = expit(rng.normal(size=(n_models, 1)) * a - b)
    return (rng.random(chances.shape) < chances).astype(np.float64)


def seen_of(
    scores: FloatArray, *, groups: IntArray | None = None, weights: FloatArray | None = None
) -> Features:
    m = scores.shape[1]
    return Features(m, scores, groups, np.ones(m) if weights is None else weights)


@st.composite
def features(draw: st.DrawFn) -> Features:
    m = draw(st.integers(1, 15))
    scores = draw(score_arrays(draw(st.integers(3, 5)), m))
    weights = np.ones(m) if draw(st.booleans()) else draw(weight_arrays(m))
    return seen_of(scores, groups=draw(group_codes(m)), weights=weights)


# --- what both designs keep ----------------------------------------------------------------------


@each
@settings(max_examples=12)
@given(seen=features(), seed=st.integers(0, 99), data=st.data())
def test_n_distinct_items_of_mean_weight_one(
    design: Design, seen: Features, seed: int, data: st.DataObject
) -> None:
    n = data.draw(st.integers(1, seen.n_items))
    draw = design.draw(seen, n, Stream.of(seed))
    again = design.draw(seen, n, Stream.of(seed))

    assert draw.columns.tolist() == sorted(set(draw.columns.tolist()))
    assert len(draw.columns) == n
    assert draw.inclusion is None
    assert draw.design_weights is not None
    assert draw.design_weights.sum() == pytest.approx(n, rel=1e-12)
    assert (draw.design_weights >= 0).all()
    assert again.columns.tolist() == draw.columns.tolist()
    assert again.design_weights is not None
    assert again.design_weights.tolist() == draw.design_weights.tolist()


@each
@settings(max_examples=8)
@given(seen=features(), data=st.data())
def test_the_order_of_models_is_nothing(
    design: Design, seen: Features, data: st.DataObject
) -> None:
    assert seen.scores is not None
    n = data.draw(st.integers(1, seen.n_items))
    order = data.draw(st.permutations(range(len(seen.scores))))
    first = design.draw(seen, n, Stream.of(3))
    second = design.draw(replace(seen, scores=seen.scores[order]), n, Stream.of(3))

    assert first.columns.tolist() == second.columns.tolist()
    assert first.design_weights is not None
    assert second.design_weights is not None
    assert first.design_weights.tolist() == second.design_weights.tolist()


@each
@settings(max_examples=8)
@given(seen=features())
def test_all_items_count_what_they_weigh_where_all_are_chosen(
    design: Design, seen: Features
) -> None:
    draw = design.draw(seen, seen.n_items, Stream.of(0))

    assert draw.columns.tolist() == list(range(seen.n_items))
    assert draw.design_weights == pytest.approx(seen.weights / seen.weights.mean(), rel=1e-9)


@pytest.mark.parametrize("design", IRT_DESIGNS[:2], ids=repr)
def test_the_weights_bring_back_the_sources_means(design: Design) -> None:
    scores = irt_scores(6, 600, sharpness=3.0)
    draw = design.draw(seen_of(scores), 60, Stream.of(0))
    assert draw.design_weights is not None
    weighted = scores[:, draw.columns] @ draw.design_weights / 60

    assert weighted == pytest.approx(scores.mean(axis=1), abs=0.04)


@pytest.mark.slow
def test_targets_are_estimated_better_than_by_random_subsets_where_the_model_is_true() -> None:
    seen = seen_of(irt_scores(40, 500, sharpness=3.0))
    targets = irt_scores(40, 500, seed=1, sharpness=3.0)
    full = targets.mean(axis=1)
    errors: dict[str, list[float]] = {"anchors": [], "random": []}
    for seed in range(3):
        draw = IrtAnchors().draw(seen, 40, Stream.of(seed))
        assert draw.design_weights is not None
        weighted = targets[:, draw.columns] @ draw.design_weights / 40
        errors["anchors"].append(float(np.abs(weighted - full).mean()))
    for seed in range(40):
        columns = SimpleRandom().draw(seen, 40, Stream.of(seed)).columns
        errors["random"].append(float(np.abs(targets[:, columns].mean(axis=1) - full).mean()))

    assert np.mean(errors["anchors"]) < 0.75 * np.mean(errors["random"])


@each
@pytest.mark.parametrize("poison", [np.nan, 1.0])
def test_targets_are_not_looked_at(design: Design, poison: float) -> None:
    frame = Frame.of([f"i{number:03}" for number in range(60)])
    values = irt_scores(9, 60)
    models = tuple(f"m{row}" for row in range(9))
    clean = ScoreMatrix(frame, models, values, bounds=(0.0, 1.0))
    values = values.copy()
    values[6:] = poison
    poisoned = ScoreMatrix(frame, models, values, bounds=(0.0, 1.0))
    chosen = [
        select(matrix, 12, design=design, probes=models[:6], seed=1) for matrix in (clean, poisoned)
    ]

    assert chosen[0].digest == chosen[1].digest


@each
@pytest.mark.parametrize("scores", [None, np.ones((2, 9))])
def test_too_few_sources_are_refused(design: Design, scores: FloatArray | None) -> None:
    seen = Features(9, scores, None, np.ones(9))
    message = f"{design.name} needs the scores of at least 3 source models, got"
    with pytest.raises(DesignError, match=re.escape(message)):
        design.draw(seen, 2, Stream.of(0))


@each
def test_what_a_reader_should_know_is_noted(design: Design) -> None:
    few, many = (
        [note.code for note in design.draw(seen_of(irt_scores(k, 40)), 8, Stream.of(0)).notes]
        for k in (5, 12)
    )

    assert few == ["weighted-anchors", "few-sources"]
    assert many == few if isinstance(design, ZipBench) else few[:1]


# --- clusters ------------------------------------------------------------------------------------


def test_separate_clusters_are_found_and_stand_for_their_weight() -> None:
    offsets = np.array([[0.0, 0.0], [0.1, 0.0], [0.0, 0.2], [-0.1, 0.0], [0.0, -0.2]])
    corners = np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]])
    places = np.concatenate([corner + offsets for corner in corners])
    weights = np.concatenate([np.full(5, 1.0), np.full(5, 2.0), np.full(5, 0.5)])
    anchors = cluster_anchors(places, weights, 3, Stream.of(0))

    assert anchors.columns.tolist() == [0, 5, 10]  # the middle of each
    assert anchors.shares == pytest.approx(np.array([5.0, 10.0, 2.5]))


@settings(max_examples=40)
@given(data=st.data(), m=st.integers(1, 30), n_places=st.integers(1, 6), seed=st.integers(0, 99))
def test_items_at_few_places_are_shared_out(
    data: st.DataObject, m: int, n_places: int, seed: int
) -> None:
    """Where places coincide there are n anchors all the same, and every place keeps its weight."""
    place = np.array(data.draw(st.lists(st.integers(0, n_places - 1), min_size=m, max_size=m)))
    weights = np.array(data.draw(st.lists(st.sampled_from([0.5, 1, 3]), min_size=m, max_size=m)))
    n = data.draw(st.integers(len(np.unique(place)), m))
    places = np.stack([place, place % 2], axis=1).astype(np.float64)
    anchors = cluster_anchors(places, weights, n, Stream.of(seed))

    assert len(set(anchors.columns.tolist())) == n
    assert np.bincount(place[anchors.columns], weights=anchors.shares) == pytest.approx(
        np.bincount(place, weights=weights), rel=1e-12
    )


@settings(max_examples=25)
@given(data=st.data(), m=st.integers(2, 20), seed=st.integers(0, 99))
def test_items_that_weigh_nothing_do_no_harm(data: st.DataObject, m: int, seed: int) -> None:
    weights = np.array(data.draw(st.lists(st.sampled_from([0, 0, 2.0]), min_size=m, max_size=m)))
    weights[data.draw(st.integers(0, m - 1))] = 1.0
    places = np.random.default_rng(seed).normal(size=(m, 2))
    n = data.draw(st.integers(1, m))
    anchors = cluster_anchors(places, weights, n, Stream.of(seed))

    assert len(set(anchors.columns.tolist())) == n
    assert (anchors.shares >= 0).all()
    assert anchors.shares.sum() == pytest.approx(weights.sum(), rel=1e-12)


def test_an_extra_anchor_goes_where_most_weight_would_hang_on_one() -> None:
    places = np.repeat([[0.0], [1.0]], [6, 4], axis=0)
    weights = np.repeat([1.0, 6.0], [6, 4])
    anchors = cluster_anchors(places, weights, 4, Stream.of(0))

    assert (anchors.columns >= 6).sum() == 3  # 24 on three, and 6 on one
    assert sorted(anchors.shares.tolist()) == pytest.approx([6.0, 8.0, 8.0, 8.0])


def test_which_of_equal_items_is_taken_is_left_to_chance() -> None:
    taken = {
        int(cluster_anchors(np.zeros((10, 2)), np.ones(10), 1, Stream.of(seed)).columns[0])
        for seed in range(60)
    }

    assert len(taken) > 7

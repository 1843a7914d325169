"""RandomSearch: of the same candidates, the one that a ridge of scikit-learn likes best too."""

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bestrand.core.frame import Frame
from bestrand.core.scores import ScoreMatrix
from bestrand.designs.base import Features
from bestrand.designs.baselines.random_search import PENALTIES, VALIDATION_SHARE, RandomSearch
from bestrand.errors import ArgumentError, DesignError
from bestrand.rng import Stream
from bestrand.search.draws import draw_candidate
from bestrand.stats.source_scores import Sources, split_sources
from bestrand.steps.select import select
from bestrand.types import FloatArray
from tests.strategies import score_arrays, weight_arrays


def features_of(scores: FloatArray, weights: FloatArray | None = None) -> Features:
    m = scores.shape[1]
    return Features(m, scores, None, np.ones(m) if weights is None else weights)


@st.composite
def features(draw: st.DrawFn) -> Features:
    m = draw(st.integers(1, 20))
    scores = draw(score_arrays(draw(st.integers(3, 7)), m))
    return features_of(scores, draw(weight_arrays(m)) if draw(st.booleans()) else None)


def answers(n_models: int, n_items: int, seed: int) -> FloatArray:
    """Give right-or-wrong scores that depend on one ability; half of the items on nothing."""
    rng = np.random.default_rng(seed)
    slope = np.repeat([0.0, 12.0], n_items // 2)
    level = np.random.default_rng(99).random((1, n_items))
    chance = 1 / (1 + np.exp(-slope * (rng.random((n_models, 1)) - level)))
    return np.asarray(rng.random((n_models, n_items)) < chance, dtype=np.float64)


@settings(max_examples=40)
@given(seen=features(), seed=st.integers(0, 99), data=st.data())
def test_n_distinct_ascending_items_whatever_the_order_of_models(
    seen: Features, seed: int, data: st.DataObject
) -> None:
    assert seen.scores is not None
    n = data.draw(st.integers(1, seen.n_items))
    order = data.draw(st.permutations(range(len(seen.scores))))
    other = replace(seen, scores=seen.scores[order])
    draw, again = (RandomSearch(8).draw(f, n, Stream.of(seed)) for f in (seen, other))

    assert len(draw.columns) == n
    assert sorted(set(draw.columns.tolist())) == draw.columns.tolist()
    assert draw.columns.tolist() == again.columns.tolist()
    assert draw.design_weights is None
    assert draw.inclusion is None


@pytest.mark.parametrize(("n_models", "n"), [(14, 12), (40, 6)])
def test_the_candidate_kept_is_the_one_that_scikit_learn_predicts_best_from(
    n_models: int, n: int
) -> None:
    from sklearn.linear_model import Ridge, RidgeCV

    scores = answers(n_models, 30, seed=1)
    weights = 1.0 + np.arange(30.0) % 3
    stream = Stream.of(5)
    x, y = Sources.of(scores, weights)
    split = split_sources(n_models, VALIDATION_SHARE, stream.child("split"))
    candidates = [draw_candidate(stream.child("candidates"), k, 30, n) for k in range(25)]
    first = x[np.ix_(split.train, candidates[0])]
    penalty = RidgeCV(PENALTIES).fit(first, y[split.train]).alpha_
    errors = []
    for columns in candidates:
        ridge = Ridge(penalty).fit(x[np.ix_(split.train, columns)], y[split.train])
        predicted = ridge.predict(x[np.ix_(split.validation, columns)])
        errors.append(np.abs(predicted - y[split.validation]).mean())
    draw = RandomSearch(25).draw(features_of(scores, weights), n, stream)

    assert draw.columns.tolist() == candidates[int(np.argmin(errors))].tolist()
    assert y == pytest.approx(x @ weights / weights.sum())


def test_one_candidate_is_a_random_subset() -> None:
    draw = RandomSearch(1).draw(features_of(answers(9, 30, seed=1)), 7, Stream.of(2))

    assert (
        draw.columns.tolist() == draw_candidate(Stream.of(2).child("candidates"), 0, 30, 7).tolist()
    )


def test_a_quarter_of_the_sources_is_held_out_at_random_and_two_are_left() -> None:
    splits = [split_sources(20, VALIDATION_SHARE, Stream.of(seed)) for seed in range(40)]
    held = {tuple(split.validation.tolist()) for split in splits}

    assert {len(split.validation) for split in splits} == {5}
    assert all(sorted({*s.train, *s.validation}) == list(range(20)) for s in splits)
    assert len(held) == 40
    assert [part.size for part in split_sources(3, VALIDATION_SHARE, Stream.of(0))] == [2, 1]


def test_more_candidates_lean_to_items_that_tell_something() -> None:
    seen = features_of(answers(60, 40, seed=3), np.repeat([0.0, 1.0], 20))
    telling = {
        number: np.mean(
            [(RandomSearch(number).draw(seen, 8, Stream.of(s)).columns >= 20) for s in range(12)]
        )
        for number in (1, 100)
    }

    assert telling[1] < 0.6
    assert telling[100] > telling[1] + 0.1


def test_another_unit_gives_the_same_items() -> None:
    values = np.random.default_rng(0).integers(0, 4, (9, 40)) / 3
    frame = Frame.of([f"q{number:02}" for number in range(40)])
    one = ScoreMatrix(frame, tuple("abcdefghi"), values, bounds=(0.0, 1.0))
    hundred = replace(one, values=100 * values, bounds=(0.0, 100.0))
    first, second = (select(m, 9, design=RandomSearch(30), seed=3) for m in (one, hundred))

    assert first.items == second.items
    assert first.estimation_weights is None


def test_all_items_need_no_search() -> None:
    draw = RandomSearch().draw(features_of(np.eye(4)), 4, Stream.of(0))

    assert draw.columns.tolist() == [0, 1, 2, 3]


def test_two_sources_are_too_few_to_hold_one_out() -> None:
    message = "RandomSearch needs the scores of at least 3 source models, got 2. Give more"
    with pytest.raises(DesignError, match=re.escape(message)):
        RandomSearch().draw(features_of(np.ones((2, 5))), 2, Stream.of(0))


def test_a_search_needs_a_candidate() -> None:
    with pytest.raises(ArgumentError, match=r"`n_candidates` must be 1 or more, got 0\."):
        RandomSearch(0)

"""MRMR: the same choice as by going through all items one by one."""

import re
from dataclasses import replace
from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.special import digamma

from bestrand.core.frame import Frame
from bestrand.core.scores import ScoreMatrix
from bestrand.designs.base import Features
from bestrand.designs.baselines.mrmr import DIGITS, MRMR, TINY, Criterion
from bestrand.designs.simple_random import SimpleRandom
from bestrand.errors import ArgumentError, DesignError
from bestrand.rng import Stream
from bestrand.stats.information import (
    BinaryInformation,
    GaussianInformation,
    information_with_full,
)
from bestrand.stats.kernel_ridge import fit_kernel_ridge
from bestrand.stats.source_scores import Sources
from bestrand.steps.select import select
from bestrand.types import BoolArray, FloatArray
from tests.strategies import score_arrays, weight_arrays


CRITERIA: tuple[Criterion, ...] = ("mid", "miq")


def features_of(scores: FloatArray, weights: FloatArray | None = None) -> Features:
    m = scores.shape[1]
    return Features(m, scores, None, np.ones(m) if weights is None else weights)


def members(max_models: int = 12, max_items: int = 10) -> st.SearchStrategy[BoolArray]:
    shapes = st.tuples(st.integers(3, max_models), st.integers(1, max_items))
    return shapes.flatmap(lambda shape: arrays(np.bool_, shape))


@pytest.mark.parametrize("n_right", [1, 11])
def test_a_source_alone_with_its_value_tells_nothing(n_right: int) -> None:
    full = np.sort(np.random.default_rng(0).random(12))
    for place in range(12):
        member = np.full((12, 1), n_right == 11)
        member[place] = not member[place]
        assert information_with_full(member, full)[0] == 0.0


@pytest.mark.parametrize("n_right", [2, 3])
def test_fewer_than_four_sources_of_a_value_look_at_all_of_each_other(n_right: int) -> None:
    """The best sources alone are right: with two or three, one and two neighbours are looked at."""
    full = np.arange(12) / 11
    member = np.arange(12)[:, None] >= 12 - n_right
    more = information_with_full(member, full, n_neighbours=n_right - 1)
    terms = []
    for i in range(12):
        alike = [abs(j - i) for j in range(12) if member[j, 0] == member[i, 0] and j != i]
        k = min(3, len(alike))
        nearer = sum(abs(j - i) < sorted(alike)[k - 1] for j in range(12))
        terms.append(digamma(k) - digamma(len(alike) + 1) - digamma(nearer))
    by_hand = digamma(12) + np.mean(terms)

    assert information_with_full(member, full)[0] == pytest.approx(by_hand, abs=1e-12)
    assert by_hand > 0.2
    assert more[0] > 0


def by_hand_with_full(right: list[bool], full: list[float], k: int) -> float:
    """Do what Ross (2014) says, source by source."""
    if len(set(right)) == 1:
        return 0.0
    terms = []
    for i, own in enumerate(right):
        alike = sorted(abs(full[j] - full[i]) for j, r in enumerate(right) if r == own and j != i)
        if not alike:
            continue
        near = min(k, len(alike))
        radius = alike[near - 1]
        nearer = sum(
            j == i or abs(full[j] - full[i]) < radius or full[j] == full[i]
            for j in range(len(full))
        )
        terms.append(digamma(near) - digamma(len(alike) + 1) - digamma(nearer))
    if not terms:
        return 0.0
    return max(0.0, float(digamma(len(terms))) + sum(terms) / len(terms))


def by_hand_of_pair(one: list[bool], other: list[bool]) -> float:
    """Sum p log(p / (p q)) over the four pairs of values."""
    total = 0.0
    for a in (False, True):
        for b in (False, True):
            both = sum(x == a and y == b for x, y in zip(one, other, strict=True)) / len(one)
            if both:
                total += both * log(both / ((one.count(a) * other.count(b)) / len(one) ** 2))
    return max(0.0, total)


def by_hand(
    relevance: list[float], pairs: list[list[float]], n: int, criterion: Criterion
) -> list[int]:
    """Choose greedily, computing every mean redundancy anew; the first of several best."""
    chosen: list[int] = []
    while len(chosen) < n:
        merits = {}
        for item, worth in enumerate(relevance):
            if item in chosen:
                continue
            mean = sum(pairs[item][other] for other in chosen) / max(1, len(chosen))
            if not chosen:
                merits[item] = worth
            else:
                merits[item] = worth - mean if criterion == "mid" else worth / (mean + TINY)
        most = max(round(merit, DIGITS) for merit in merits.values())
        near = 1e-9 * max(1.0, abs(most))
        chosen.append(min(item for item, merit in merits.items() if merit >= most - near))
    return sorted(chosen)


@settings(max_examples=100)
@given(member=members(), k=st.integers(1, 4), data=st.data())
def test_relevance_is_that_of_ross(member: BoolArray, k: int, data: st.DataObject) -> None:
    quarters = st.integers(0, 12).map(lambda number: number / 4)
    full = data.draw(arrays(np.float64, len(member), elements=quarters))
    found = information_with_full(member, full, n_neighbours=k)
    expected = [by_hand_with_full(column.tolist(), full.tolist(), k) for column in member.T]

    assert found == pytest.approx(np.array(expected), abs=1e-12)


def test_relevance_is_that_of_scikit_learn_but_for_its_rounding() -> None:
    from sklearn.feature_selection import mutual_info_regression

    rng = np.random.default_rng(0)
    full = rng.random(80)
    member = rng.random((80, 200)) < full[:, None]
    theirs = mutual_info_regression(member, full, discrete_features=True, random_state=0)
    apart = np.abs(information_with_full(member, full) - theirs)

    assert (apart < 1e-9).mean() > 0.9
    assert apart.max() < 0.02


@settings(max_examples=60)
@given(member=members())
def test_redundancy_of_two_valued_items_is_that_of_their_counts(member: BoolArray) -> None:
    found = BinaryInformation(member)
    columns = [column.tolist() for column in member.T]
    for item, one in enumerate(columns):
        expected = [by_hand_of_pair(one, other) for other in columns]

        assert found.with_item(item) == pytest.approx(np.array(expected), abs=1e-12)


def test_redundancy_of_graded_items_is_that_of_normal_ones() -> None:
    scores = np.random.default_rng(0).random((9, 6))
    scores[:, 5] = 1.0 - scores[:, 0]
    found = GaussianInformation(scores).with_item(0)
    r = np.asarray(np.corrcoef(scores.T))[0, 1:5]

    assert found[1:5] == pytest.approx(-0.5 * np.log(1 - r**2))
    assert found[[0, 5]] == pytest.approx(log(9))


@settings(max_examples=40)
@given(
    member=members(max_models=8, max_items=9), criterion=st.sampled_from(CRITERIA), data=st.data()
)
def test_the_choice_of_two_valued_items_is_that_made_by_hand(
    member: BoolArray, criterion: Criterion, data: st.DataObject
) -> None:
    m = member.shape[1]
    n = data.draw(st.integers(1, m))
    scores = np.where(member, 0.75, 0.25)
    full = [float(number) for number in member.sum(axis=1)]  # a tie stays a tie
    columns = [column.tolist() for column in member.T]
    relevance = [by_hand_with_full(column, full, 3) for column in columns]
    pairs = [[by_hand_of_pair(one, other) for other in columns] for one in columns]
    draw = MRMR(criterion).draw(features_of(scores), n, Stream.of(0))

    assert draw.columns.tolist() == by_hand(relevance, pairs, n, criterion)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_the_choice_of_graded_items_is_that_made_by_hand(criterion: Criterion) -> None:
    from sklearn.feature_selection import mutual_info_regression

    rng = np.random.default_rng(0)
    ability = rng.random((20, 1))
    scores = np.clip(ability + 0.3 * rng.standard_normal((20, 18)), 0, 1)
    scores[:, :4] = scores[:, :4].round()
    ordered, full = Sources.of(scores, np.ones(18))
    relevance = mutual_info_regression(ordered[:, 4:], full, random_state=0).tolist()
    binary = [by_hand_with_full((c > 0.5).tolist(), full.tolist(), 3) for c in ordered.T[:4]]
    r = np.corrcoef(ordered.T)
    pairs = np.minimum(-0.5 * np.log(np.maximum(1 - r**2, 1e-300)), log(20)).tolist()
    draw = MRMR(criterion).draw(features_of(scores), 7, Stream.of(0))

    assert draw.columns.tolist() == by_hand([*binary, *relevance], pairs, 7, criterion)


@st.composite
def features(draw: st.DrawFn) -> Features:
    m = draw(st.integers(1, 20))
    scores = draw(score_arrays(draw(st.integers(3, 7)), m))
    return features_of(scores, draw(weight_arrays(m)) if draw(st.booleans()) else None)


@settings(max_examples=25)
@given(seen=features(), criterion=st.sampled_from(CRITERIA), data=st.data())
def test_n_distinct_ascending_items_whatever_the_order_of_models(
    seen: Features, criterion: Criterion, data: st.DataObject
) -> None:
    assert seen.scores is not None
    n = data.draw(st.integers(1, seen.n_items))
    order = data.draw(st.permutations(range(len(seen.scores))))
    other = replace(seen, scores=seen.scores[order])
    draw = MRMR(criterion).draw(seen, n, Stream.of(0))
    again = MRMR(criterion).draw(other, n, Stream.of(1))

    assert len(draw.columns) == n
    assert sorted(set(draw.columns.tolist())) == draw.columns.tolist()
    assert draw.columns.tolist() == again.columns.tolist()
    assert draw.design_weights is None
    assert draw.inclusion is None


def test_the_first_item_tells_most_of_the_weighted_full_score() -> None:
    rng = np.random.default_rng(1)
    ability = rng.random(60)
    telling = ability[:, None] > np.linspace(0.05, 0.95, 19)
    noise = rng.random((60, 60)) < 0.5
    scores = np.asarray(np.concatenate([telling, noise], axis=1), dtype=np.float64)
    weights = np.repeat([1.0, 0.0], [19, 60])
    draws = [MRMR(c).draw(features_of(scores, weights), 1, Stream.of(0)) for c in CRITERIA]

    assert all(7 <= draw.columns[0] <= 11 for draw in draws)


def test_a_ridge_on_them_beats_one_on_random_items_for_models_alike() -> None:
    rng = np.random.default_rng(2)
    ability, slope = rng.random((90, 1)), rng.choice([0.0, 12.0], size=(1, 150))
    chance = 1 / (1 + np.exp(-slope * (ability - rng.random((1, 150)))))
    scores = np.asarray(rng.random((90, 150)) < chance, dtype=np.float64)
    sources, targets = scores[:50], scores[50:]

    def error(columns: list[int]) -> float:
        x = sources[:, columns]
        fit = fit_kernel_ridge(x @ x.T, sources.mean(axis=1), (0.1, 1.0, 10.0))
        return float(np.abs(fit.predict(targets[:, columns] @ x.T) - targets.mean(axis=1)).mean())

    seen = features_of(sources)
    random = [SimpleRandom().draw(seen, 10, Stream.of(s)).columns.tolist() for s in range(10)]

    assert error(MRMR().draw(seen, 10, Stream.of(0)).columns.tolist()) < 0.9 * np.mean(
        [error(columns) for columns in random]
    )


@pytest.mark.parametrize("graded", ["two-valued", "graded"])
def test_another_unit_gives_the_same_items(graded: str) -> None:
    values = np.random.default_rng(0).integers(0, 4 if graded == "graded" else 2, (9, 40)) / 3
    frame = Frame.of([f"q{number:02}" for number in range(40)])
    one = ScoreMatrix(frame, tuple("abcdefghi"), values, bounds=(0.0, 1.0))
    hundred = replace(one, values=100 * values, bounds=(0.0, 100.0))
    first, second = (select(m, 9, design=MRMR(), seed=3).items for m in (one, hundred))

    assert first == second


def test_two_sources_are_too_few() -> None:
    message = "MRMR needs the scores of at least 3 source models, got 2. Give more"
    with pytest.raises(DesignError, match=re.escape(message)):
        MRMR().draw(features_of(np.ones((2, 5))), 2, Stream.of(0))


def test_settings_must_be_known() -> None:
    with pytest.raises(ArgumentError, match=r"`criterion` must be mid or miq, got 'max'\."):
        MRMR("max")  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match=r"`n_neighbours` must be 1 or more, got 0\."):
        MRMR(n_neighbours=0)


def test_that_the_plain_mean_will_not_do_is_said() -> None:
    notes = MRMR().draw(features_of(np.eye(4)), 2, Stream.of(0)).notes

    assert [note.code for note in notes] == ["not-a-mean"]
    assert "RidgeScores" in notes[0].text

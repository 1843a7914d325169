"""Draws of designs that take all items alike: levels, proportions, chances, refusals."""

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bestrand.core.frame import Frame, items_digest
from bestrand.core.scores import ScoreMatrix
from bestrand.designs.base import Design, Features
from bestrand.designs.best_rand import BestRand
from bestrand.designs.simple_random import SimpleRandom
from bestrand.designs.stratified import Stratified
from bestrand.errors import ArgumentError, DesignError
from bestrand.rng import Stream
from bestrand.steps.draw_pool import draw_pool
from bestrand.steps.select import select
from bestrand.types import FloatArray
from tests.strategies import group_codes, score_arrays, weight_arrays


DESIGNS: list[Design] = [
    SimpleRandom(),
    Stratified(),
    BestRand(n_candidates=1),
    BestRand(n_candidates=40),
    BestRand(n_candidates=40, norm="l1"),
    BestRand(n_candidates=40, norm="linf"),
]
every_design = pytest.mark.parametrize("design", DESIGNS, ids=repr)


@st.composite
def features(draw: st.DrawFn, *, exact: bool = False, min_items: int = 1) -> Features:
    m = draw(st.integers(min_items, 25))
    return Features(
        n_items=m,
        scores=draw(score_arrays(draw(st.integers(1, 5)), m, exact=exact)),
        groups=draw(group_codes(m)),
        weights=np.ones(m) if draw(st.booleans()) else draw(weight_arrays(m)),
    )


@every_design
def test_other_streams_give_other_draws(design: Design) -> None:
    rng = np.random.default_rng(0)
    groups = np.arange(60, dtype=np.int64) % 3
    seen = Features(60, rng.random((3, 60)), groups, np.ones(60))
    drawn = {tuple(design.draw(seen, 20, Stream.of(seed)).columns.tolist()) for seed in range(20)}

    assert len(drawn) == 20


@every_design
@settings(max_examples=30)
@given(seen=features(), seed=st.integers(0, 1000), data=st.data())
def test_inclusion_is_known_and_alike_or_not_claimed(
    design: Design, seen: Features, seed: int, data: st.DataObject
) -> None:
    n = data.draw(st.integers(1, seen.n_items))
    inclusion = design.draw(seen, n, Stream.of(seed)).inclusion

    assert (inclusion is None) == design.uses_probes
    assert inclusion is None or inclusion.tolist() == [n / seen.n_items] * n


@every_design
@settings(max_examples=30)
@given(seen=features(exact=True), seed=st.integers(0, 1000), data=st.data())
def test_the_level_of_each_model_is_nothing(
    design: Design, seen: Features, seed: int, data: st.DataObject
) -> None:
    assert seen.scores is not None
    n = data.draw(st.integers(1, seen.n_items))
    levels = np.arange(len(seen.scores)) / 4
    alike = replace(seen, weights=np.ones(seen.n_items))
    raised = replace(alike, scores=seen.scores + levels[:, None])
    first, second = (design.draw(f, n, Stream.of(seed)) for f in (alike, raised))

    assert first.columns.tolist() == second.columns.tolist()


@every_design
@settings(max_examples=30)
@given(seen=features(exact=True), seed=st.integers(0, 1000), factor=st.sampled_from([0.5, 4.0]))
def test_only_the_proportions_of_weights_matter(
    design: Design, seen: Features, seed: int, factor: float
) -> None:
    n = (seen.n_items + 1) // 2
    other = replace(seen, weights=factor * seen.weights)
    first, second = (design.draw(f, n, Stream.of(seed)) for f in (seen, other))

    assert first.columns.tolist() == second.columns.tolist()
    assert first.distance == second.distance


@every_design
def test_a_design_holds_its_settings_and_nothing_else(design: Design) -> None:
    again = type(design)(**design.parameters)

    assert again == design
    assert design.name == type(design).__name__
    with pytest.raises((AttributeError, TypeError)):
        design.anything = 1  # type: ignore[attr-defined]


@every_design
def test_what_is_balanced_is_what_was_looked_at(design: Design) -> None:
    rng = np.random.default_rng(0)
    seen = Features(12, rng.random((3, 12)), np.arange(12, dtype=np.int64) % 3, np.ones(12))
    draw = design.draw(seen, 6, Stream.of(0))

    assert (
        draw.balanced_on
        == {
            "SimpleRandom": (),
            "Stratified": ("groups",),
            "BestRand": ("probes",),
        }[design.name]
    )
    assert (draw.distance is not None) == design.uses_probes


# --- what they refuse ----------------------------------------------------------------------------


@pytest.mark.parametrize("scores", [None, np.empty((0, 5))])
def test_a_design_that_looks_at_scores_says_that_there_are_none(
    scores: FloatArray | None,
) -> None:
    seen = Features(5, scores, None, np.ones(5))
    message = "BestRand needs the scores of at least one probe model, got none. Run probes"
    with pytest.raises(DesignError, match=re.escape(message)):
        BestRand().draw(seen, 2, Stream.of(0))


def test_a_design_that_looks_at_groups_says_that_there_are_none() -> None:
    seen = Features(5, np.eye(5), None, np.ones(5))
    message = "Stratified needs each item's group, and these items have none. Add a `group` column"
    with pytest.raises(DesignError, match=re.escape(message)):
        Stratified().draw(seen, 2, Stream.of(0))


def test_a_search_needs_a_candidate() -> None:
    with pytest.raises(ArgumentError, match=r"`n_candidates` must be 1 or more, got 0\."):
        BestRand(n_candidates=0)


def test_a_norm_must_be_one_of_three() -> None:
    with pytest.raises(ArgumentError, match=r"`norm` must be l1, l2 or linf, got 'l3'\."):
        BestRand(norm="l3")  # type: ignore[arg-type]


# --- through the front door ----------------------------------------------------------------------


def made_matrix() -> ScoreMatrix:
    """Scores that are the same on every machine and in every version of numpy."""
    items = [f"item-{number:03d}" for number in range(240)]
    groups = [("algebra", "botany", "chess", "chess")[number % 4] for number in range(240)]
    values = Stream.of(5, "made").words(0, 6 * 240).reshape(6, 240) % 2
    models = tuple(f"m{row}" for row in range(6))
    frame = Frame.of(items, groups=groups, weighting="macro")
    return ScoreMatrix(frame, models, values.astype(np.float64), bounds=(0.0, 1.0))


GOLDEN = {
    "pool": "bba6a07b2848dd69e0525c81b3c1350877b97c593024a21a73a63fbe7db376c7",
    "BestRand": "0534a2426eeae48ed80469950a91a8b79aebb83d0905b1c6543b1209fab02349",
    "SimpleRandom": "3ef4cb0fe6e9c3517d26934e673054134c128665db15d7cde084e2db6b366940",
    "Stratified": "384f42e2e3daaa5b5fc47ee8c29f3833359e3199490f7760fab47a4828368252",
}


def test_the_chosen_items_stay_the_same_everywhere() -> None:
    matrix = made_matrix()
    pool = draw_pool(matrix, 20, design=Stratified(), seed=3)
    designs: list[Design] = [BestRand(), SimpleRandom(), Stratified()]
    chosen = {"pool": pool} | {
        design.name: select(matrix, 20, pool=pool, design=design, seed=3) for design in designs
    }

    assert {name: items_digest(made.items) for name, made in chosen.items()} == GOLDEN

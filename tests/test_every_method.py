"""What every strategy owes on any scores: few, flat, missing, weighted, in any unit."""

import json
import re
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import bestrand as br
from bestrand.core.manifest import Manifest
from bestrand.core.scores import ScoreMatrix
from bestrand.core.texts import ItemTexts, embed_texts
from bestrand.methods import STRATEGIES, Strategy
from bestrand.types import FloatArray
from tests.strategies import frames, score_arrays


UNITS = [(0.0, 1.0), (0.0, 100.0), (-3.0, 0.5), (7.0, 1e-6), (0.0, 1e9)]  # zero and width
WORDS = ["river", "stone", "prime", "verb", "cell", "market", "engine", "poem"]


def needs_groups(strategy: Strategy) -> bool:
    """Whether the strategy refuses frames without groups."""
    return bool({"Stratified", "PostStratified"} & {strategy.design.name, strategy.estimator.name})


class Case(NamedTuple):
    """Scores of models that ran all items, of targets, and how many items to choose."""

    known: ScoreMatrix
    targets: ScoreMatrix
    n: int
    seed: int


@st.composite
def cases(draw: st.DrawFn, strategy: Strategy, *, whole: bool = False) -> Case:
    """Cases of up to 14 items; `whole` chooses all of them, and no target lacks a score."""
    grouped = True if needs_groups(strategy) else None
    frame = draw(frames(min_items=2, max_items=14, grouped=grouped))
    zero, width = draw(st.sampled_from(UNITS))
    bounds = (zero, zero + width) if draw(st.booleans()) else None
    known = draw(score_arrays(draw(st.integers(2, 6)), frame.n))
    missing = not whole and draw(st.booleans())
    seen = draw(score_arrays(draw(st.integers(1, 3)), frame.n, missing=missing))

    def matrix(name: str, values: FloatArray) -> ScoreMatrix:
        names = tuple(f"{name}{row}" for row in range(len(values)))
        return ScoreMatrix(frame, names, zero + width * values, bounds=bounds)

    n = frame.n if whole else draw(st.integers(1, frame.n))
    return Case(matrix("k", known), matrix("t", seen), n, draw(st.integers(0, 99)))


def choose(strategy: Strategy, case: Case) -> Manifest | None:
    """Choose as the strategy does; None where it says that it cannot."""
    frame = case.known.frame
    knows = strategy.needs in ("probes", "sources")
    texts: ItemTexts | None = None
    if strategy.needs == "texts":
        texts = embed_texts(frame.items, [f"{WORDS[i % 8]} {i}" for i in range(frame.n)])
    try:
        return br.select(
            case.known if knows else frame,
            case.n,
            design=strategy.design,
            probes=case.known.models if knows else None,
            texts=texts,
            seed=case.seed,
        )
    except br.DesignError as error:
        if type(strategy.design).__name__ not in str(error):
            raise
        return None


def infer(strategy: Strategy, subset: Manifest, case: Case) -> br.Estimates | None:
    """Estimate as the strategy does; None where it says that it cannot."""
    probes = case.known if strategy.needs in ("probes", "sources") else None
    try:
        return br.estimate(
            case.targets, subset, probes=probes, estimator=strategy.estimator, missing="omit"
        )
    except br.EstimateError as error:
        kinds = re.findall(r"[A-Z]\w+", repr(strategy.estimator))
        if not str(error).startswith(tuple(kinds)):
            raise
        return None


def estimated(strategy: Strategy, case: Case) -> tuple[Manifest, br.Estimates]:
    """Choose and estimate; cases that the strategy refuses by name are passed over."""
    subset = choose(strategy, case)
    assume(subset is not None)
    assert subset is not None
    assume(not case.targets.take_items(subset.items).missing.all(axis=1).any())
    result = infer(strategy, subset, case)
    assume(result is not None)
    assert result is not None
    return subset, result


every_strategy = pytest.mark.parametrize("strategy", STRATEGIES.values(), ids=list(STRATEGIES))


def needs_torch(strategy: Strategy) -> None:
    if "SparseEval" in strategy.estimator.name:
        pytest.importorskip("torch")


@every_strategy
@settings(max_examples=10)
@given(data=st.data())
def test_what_is_chosen_is_n_items_of_the_frame_whatever_the_order(
    strategy: Strategy, data: st.DataObject
) -> None:
    case = data.draw(cases(strategy))
    subset = choose(strategy, case)
    backwards = case.known.take_models(case.known.models[::-1])
    again = choose(strategy, case._replace(known=backwards))

    assume(subset is not None)
    assert subset is not None
    assert again is not None
    assert subset.items == again.items
    assert len(set(subset.items)) == subset.n == case.n
    assert set(subset.items) <= set(case.known.frame.items)
    assert Manifest.from_json(subset.to_json()) == subset
    for numbers in (subset.inclusion or (), subset.estimation_weights or ()):
        assert np.isfinite(numbers).all()
        assert all(number >= 0 for number in numbers)


@every_strategy
@settings(max_examples=10)
@given(data=st.data())
def test_an_estimate_is_a_number_within_its_interval_or_a_note_says_why_not(
    strategy: Strategy, data: st.DataObject
) -> None:
    needs_torch(strategy)
    case = data.draw(cases(strategy))
    _, result = estimated(strategy, case)
    told = {note.code for note in result.notes}
    known = ~np.isnan(result.se)

    assert np.isfinite(result.estimate[result.n > 0]).all()
    assert (result.se[known] >= 0).all()
    slack = 1e-9 * max(1.0, float(np.abs(case.targets.values[~case.targets.missing]).max()))
    assert (result.low[known] <= result.estimate[known] + slack).all()
    assert (result.estimate[known] <= result.high[known] + slack).all()
    assert known.all() or result.n.min() < 2 or told
    if case.targets.bounds is not None:
        low, high = case.targets.bounds
        assert ((result.estimate >= low - slack) & (result.estimate <= high + slack)).all()
    assert json.loads(result.to_json())["estimator"] == result.estimator


@every_strategy
@settings(max_examples=6)
@given(data=st.data())
def test_an_estimate_does_not_depend_on_who_else_is_measured(
    strategy: Strategy, data: st.DataObject
) -> None:
    needs_torch(strategy)
    case = data.draw(cases(strategy))
    subset, together = estimated(strategy, case)
    width = float(np.nanmax(case.known.values) - np.nanmin(case.known.values)) or 1.0
    for row, model in enumerate(case.targets.models):
        one = infer(strategy, subset, case._replace(targets=case.targets.take_models([model])))

        assert one is not None
        assert one.estimate[0] == pytest.approx(together.estimate[row], abs=1e-6 * width)


@every_strategy
@settings(max_examples=6)
@given(data=st.data())
def test_the_whole_benchmark_gives_the_full_score(strategy: Strategy, data: st.DataObject) -> None:
    needs_torch(strategy)
    case = data.draw(cases(strategy, whole=True))
    _, result = estimated(strategy, case)
    full = case.targets.full_scores()
    size = max(1.0, float(np.abs(full).max()))

    assert result.estimate == pytest.approx(full, abs=1e-6 * size)

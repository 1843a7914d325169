"""What every strategy owes, whatever it does: one test for all of them, through the front door."""

from dataclasses import dataclass, replace
from typing import ClassVar, final

import numpy as np
import pytest

import bestrand as br
from bestrand.core.manifest import Manifest
from bestrand.core.method import Method, Needs, word_of
from bestrand.core.scores import ScoreMatrix
from bestrand.core.texts import ItemTexts, embed_texts
from bestrand.designs.base import Design, Draw, Features
from bestrand.errors import DesignError, EstimateError
from bestrand.estimators.base import Estimator, Inference, Seen, without_errors
from bestrand.estimators.history_average import HistoryAverage
from bestrand.methods import (
    DESIGNS,
    ESTIMATORS,
    STRATEGIES,
    Strategy,
    estimator_for,
    make_design,
)
from bestrand.rng import Stream


N_ITEMS, N_KNOWN, N_TARGETS, N_SUBSET = 120, 12, 5, 24
WORDS = ["river", "stone", "prime", "verb", "cell", "market", "engine", "poem"]


def made_matrix(weighting: str = "micro") -> ScoreMatrix:
    """Right-or-wrong scores of a two-parameter item response model, in three groups."""
    rng = np.random.default_rng(0)
    n_models = N_KNOWN + N_TARGETS
    ability, difficulty = rng.normal(size=(n_models, 1)), rng.normal(size=N_ITEMS)
    chance = 1 / (1 + np.exp(-1.5 * (ability - difficulty)))
    values = (rng.random((n_models, N_ITEMS)) < chance).astype(np.float64)
    items = [f"q{i:03d}" for i in range(N_ITEMS)]
    groups = [("algebra", "botany", "chess")[(i * i) % 3] for i in range(N_ITEMS)]
    frame = br.Frame.of(items, groups=groups, weighting=weighting)  # type: ignore[arg-type]
    names = tuple(f"m{k:02d}" for k in range(n_models))
    return ScoreMatrix(frame, names, values, "score", (0.0, 1.0))


MATRIX = made_matrix()
TEXTS = embed_texts(
    MATRIX.frame.items,
    [
        " ".join(np.random.default_rng(i).choice(WORDS, size=6)) + f" {i % 7}"
        for i in range(N_ITEMS)
    ],
)
every_strategy = pytest.mark.parametrize("strategy", STRATEGIES.values(), ids=list(STRATEGIES))


def known(matrix: ScoreMatrix) -> ScoreMatrix:
    return matrix.take_models(matrix.models[:N_KNOWN])


def targets(matrix: ScoreMatrix) -> ScoreMatrix:
    return matrix.take_models(matrix.models[N_KNOWN:])


def choose(strategy: Strategy, scores: ScoreMatrix, n: int = N_SUBSET, seed: int = 1) -> Manifest:
    """Choose by what the strategy may see: nothing, texts, or scores of the known models."""
    knows = strategy.needs in ("probes", "sources")
    texts: ItemTexts | None = TEXTS if strategy.needs == "texts" else None
    return br.select(
        scores if knows else scores.frame,
        n,
        design=strategy.design,
        probes=scores.models if knows else None,
        texts=texts,
        seed=seed,
    )


def infer(strategy: Strategy, subset: Manifest, matrix: ScoreMatrix) -> br.Estimates:
    probes = known(matrix) if strategy.needs in ("probes", "sources") else None
    return br.estimate(targets(matrix), subset, probes=probes, estimator=strategy.estimator)


def test_every_design_and_estimator_is_in_some_strategy() -> None:
    assert {type(s.design) for s in STRATEGIES.values()} == set(DESIGNS.values())
    unused = set(ESTIMATORS.values()) - {type(s.estimator) for s in STRATEGIES.values()}
    assert {kind.__name__ for kind in unused} == {"HorvitzThompson"}


@every_strategy
def test_exactly_n_distinct_items_are_chosen_and_the_same_again(strategy: Strategy) -> None:
    subset = choose(strategy, known(MATRIX))

    assert len(set(subset.items)) == N_SUBSET
    assert list(subset.items) == sorted(subset.items)
    assert choose(strategy, known(MATRIX)) == subset


@every_strategy
def test_estimates_are_better_than_knowing_nothing(strategy: Strategy) -> None:
    result = infer(strategy, choose(strategy, known(MATRIX)), MATRIX)
    truth = targets(MATRIX).full_scores()

    assert result.estimate.shape == truth.shape
    assert np.abs(result.estimate - truth).max() < 0.3
    assert ((result.estimate >= 0) & (result.estimate <= 1)).all()


@every_strategy
def test_hidden_scores_cannot_be_seen(strategy: Strategy) -> None:
    subset = choose(strategy, known(MATRIX))
    poisoned = targets(MATRIX).values.copy()
    outside = [i for i, item in enumerate(MATRIX.frame.items) if item not in set(subset.items)]
    poisoned[:, outside] = np.nan
    values = np.concatenate([known(MATRIX).values, poisoned])
    hidden = replace(MATRIX, values=values)

    assert choose(strategy, known(hidden)) == subset
    one, other = infer(strategy, subset, MATRIX), infer(strategy, subset, hidden)
    assert one.estimate.tolist() == other.estimate.tolist()


@every_strategy
def test_another_unit_gives_the_same_subset_and_estimates_in_that_unit(strategy: Strategy) -> None:
    hundred = replace(MATRIX, values=MATRIX.values * 100, bounds=(0.0, 100.0))
    subset, again = choose(strategy, known(MATRIX)), choose(strategy, known(hundred))
    one = infer(strategy, subset, MATRIX)

    assert again.items == subset.items
    assert infer(strategy, again, hundred).estimate == pytest.approx(100 * one.estimate, rel=1e-6)


@every_strategy
def test_the_order_in_which_models_are_named_is_nothing(strategy: Strategy) -> None:
    backwards = MATRIX.take_models(MATRIX.models[:N_KNOWN][::-1] + MATRIX.models[N_KNOWN:])
    subset, again = choose(strategy, known(MATRIX)), choose(strategy, known(backwards))
    one, other = infer(strategy, subset, MATRIX), infer(strategy, again, backwards)

    assert again.items == subset.items
    assert other.estimate == pytest.approx(one.estimate, abs=1e-6)


@every_strategy
def test_the_whole_frame_gives_the_full_score(strategy: Strategy) -> None:
    subset = choose(strategy, known(MATRIX), n=N_ITEMS)
    result = infer(strategy, subset, MATRIX)

    assert result.estimate == pytest.approx(targets(MATRIX).full_scores(), abs=0.02)


@every_strategy
def test_macro_weights_work(strategy: Strategy) -> None:
    macro = made_matrix("macro")
    subset = choose(strategy, known(macro))
    result = infer(strategy, subset, macro)

    assert subset.weighting == "macro"
    assert np.abs(result.estimate - targets(macro).full_scores()).max() < 0.3


@every_strategy
def test_an_interval_is_given_or_it_is_said_why_not(strategy: Strategy) -> None:
    result = infer(strategy, choose(strategy, known(MATRIX)), MATRIX)
    said = "no-interval" in {note.code for note in result.notes}

    assert np.isnan(result.se).all() == said
    assert np.isnan(result.se).any() == said


@pytest.mark.parametrize(
    "name", [name for name in STRATEGIES if STRATEGIES[name].needs != "nothing"]
)
def test_what_is_needed_and_absent_is_named(name: str) -> None:
    strategy, bare = STRATEGIES[name], br.Frame.of(MATRIX.frame.items)

    def run() -> None:
        subset = br.select(bare, N_SUBSET, design=strategy.design)
        br.estimate(targets(MATRIX), subset, estimator=strategy.estimator)

    with pytest.raises((DesignError, EstimateError), match=r"need"):
        run()


# --- one list ------------------------------------------------------------------------------------


def test_words_and_names_are_one_function_of_each_other() -> None:
    methods: list[type[Method]] = [*DESIGNS.values(), *ESTIMATORS.values()]

    assert {word: word_of(each) for word, each in DESIGNS.items()} == {w: w for w in DESIGNS}
    assert {word: word_of(each) for word, each in ESTIMATORS.items()} == {w: w for w in ESTIMATORS}
    assert {each.__name__ for each in methods if each.word} == {
        "BestRand",
        "SimpleRandom",
        "SparseEvalPredictor",
    }


def test_the_estimator_that_a_design_was_made_for_is_in_the_list() -> None:
    named = {design.estimator for design in DESIGNS.values()} - {None}

    assert named <= {estimator.__name__ for estimator in ESTIMATORS.values()}
    assert estimator_for("History") is HistoryAverage
    assert estimator_for("Balanced") is None
    assert estimator_for("of another version") is None


def test_a_strategy_needs_what_its_parts_need() -> None:
    assert Strategy.of(br.SimpleRandom(), br.Mean()).needs == "nothing"
    assert Strategy.of(br.Stratified(), br.Regression()).needs == "probes"
    assert Strategy.of(br.SimpleRandom(), br.Shrunk(HistoryAverage())).needs == "sources"
    assert Strategy.of(br.SimpleRandom(), br.Mean(), "probes").needs == "probes"


@final
@dataclass(frozen=True, slots=True)
class FirstItems(Design):
    """A design that is in no list yet: the first items, in the order of their ids."""

    estimator: ClassVar[str | None] = "EveryScore"

    def draw(self, features: Features, n: int, stream: Stream) -> Draw:
        """Take the first n."""
        return Draw(np.arange(n), inclusion=None)


@final
@dataclass(frozen=True, slots=True)
class EveryScore(Estimator):
    """An estimator that is in no list yet: the plain mean, and no errors."""

    needs: ClassVar[Needs] = "sources"

    def infer(self, seen: Seen) -> Inference:
        """Take the mean."""
        return without_errors(seen.scores.mean(axis=1), "A test.")


def test_a_new_method_needs_its_class_and_a_line_in_the_list(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(DESIGNS, word_of(FirstItems), FirstItems)
    monkeypatch.setitem(ESTIMATORS, word_of(EveryScore), EveryScore)
    subset = br.select(known(MATRIX), 12, design=make_design("first-items"))
    scores = targets(MATRIX).take_items(subset.items)
    result = br.estimate(scores, subset, probes=known(MATRIX))

    assert br.verify(subset, MATRIX.frame).ok
    assert result.estimator == "EveryScore"
    assert result.estimate == pytest.approx(scores.values.mean(axis=1))

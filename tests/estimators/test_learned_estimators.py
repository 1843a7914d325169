"""Estimators that learn from source models: what they keep, what they compute, what they say."""

import re
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bestrand.core.estimates import Estimates
from bestrand.core.frame import Frame
from bestrand.core.manifest import Manifest
from bestrand.core.scores import ScoreMatrix
from bestrand.designs.baselines.anchor_points import AnchorPoints
from bestrand.designs.simple_random import SimpleRandom
from bestrand.errors import ArgumentError, EstimateError
from bestrand.estimators.base import Estimator
from bestrand.estimators.baselines import sparse_eval
from bestrand.estimators.baselines.anchor_predictor import AnchorPredictor
from bestrand.estimators.baselines.kernel_ridge_scores import KernelRidgeScores
from bestrand.estimators.baselines.ridge_scores import RidgeScores
from bestrand.estimators.baselines.sparse_eval import SparseEvalPredictor
from bestrand.estimators.mean import Mean
from bestrand.stats.kernel_ridge import fit_kernel_ridge
from bestrand.stats.proxy import Effort
from bestrand.steps.estimate import estimate
from bestrand.steps.select import select
from bestrand.types import FloatArray
from tests.strategies import frames, score_arrays, score_matrices


LEARNED: list[Estimator] = [
    AnchorPredictor(),
    RidgeScores(),
    KernelRidgeScores(),
    SparseEvalPredictor(),
]
CONTROLS: list[Estimator] = [RidgeScores(), KernelRidgeScores(), SparseEvalPredictor()]
every_estimator = pytest.mark.parametrize("estimator", LEARNED, ids=lambda e: e.name)
every_control = pytest.mark.parametrize("estimator", CONTROLS, ids=lambda e: e.name)


def matrix(values: FloatArray, name: str, frame: Frame | None = None) -> ScoreMatrix:
    whole = frame or Frame.of([f"q{number:04}" for number in range(values.shape[1])])
    models = tuple(f"{name}{row}" for row in range(len(values)))
    return ScoreMatrix(whole, models, values, bounds=(0.0, 1.0))


def answers(n_models: int, n_items: int, seed: int) -> FloatArray:
    """Give right-or-wrong scores on items of six kinds, nearly alike within each."""
    rng = np.random.default_rng(seed)
    kinds = np.sort(np.sqrt(np.arange(n_items) / n_items) * 6).astype(int)
    right = rng.random((n_models, 6)) < rng.random((n_models, 1))
    return np.asarray(right[:, kinds] ^ (rng.random((n_models, n_items)) < 0.02), dtype=np.float64)


def drawn(frame: Frame, n: int, seed: int = 0) -> Manifest:
    return select(frame, n, design=SimpleRandom(), seed=seed)


class Case:
    """Sources and targets over one frame, weighted in some way, and a random subset of it."""

    def __init__(self, frame: Frame, sources: FloatArray, targets: FloatArray, n: int) -> None:
        self.sources = matrix(sources, "source", frame)
        self.targets = matrix(targets, "target", frame)
        self.subset = drawn(frame, n)

    def estimate(
        self,
        estimator: Estimator,
        targets: ScoreMatrix | None = None,
        sources: ScoreMatrix | None = None,
    ) -> Estimates:
        """Estimate the targets' full scores from the subset."""
        return estimate(
            targets or self.targets,
            self.subset,
            probes=sources or self.sources,
            estimator=estimator,
        )


@st.composite
def cases(draw: st.DrawFn) -> Case:
    frame = draw(frames(min_items=2, max_items=10))
    sources = draw(score_arrays(draw(st.integers(3, 6)), frame.n))
    targets = draw(score_arrays(draw(st.integers(1, 3)), frame.n))
    return Case(frame, sources, targets, draw(st.integers(1, frame.n)))


@pytest.fixture(autouse=True)
def short_training(monkeypatch: pytest.MonkeyPatch) -> None:
    effort = {"linear": Effort(200, 10, 5), "mlp": Effort(100, 25, 2)}
    monkeypatch.setattr(sparse_eval, "EFFORT", effort)


@every_estimator
@settings(max_examples=20)
@given(targets=score_matrices())
def test_the_whole_frame_gives_the_full_scores_without_doubt(
    estimator: Estimator, targets: ScoreMatrix
) -> None:
    result = estimate(targets, drawn(targets.frame, targets.frame.n), estimator=estimator)

    assert result.estimate == pytest.approx(targets.full_scores(), abs=1e-12)
    assert not result.se.any()


@every_estimator
@settings(max_examples=25)
@given(case=cases(), hidden=st.sampled_from([np.nan, 0.0, 0.7]))
def test_scores_beyond_the_subset_are_not_seen(
    estimator: Estimator, case: Case, hidden: float
) -> None:
    chosen = np.isin(case.targets.frame.items, case.subset.items)
    targets = replace(case.targets, values=np.where(chosen, case.targets.values, hidden))

    assert case.estimate(estimator, targets).estimate.tolist() == (
        case.estimate(estimator).estimate.tolist()
    )


@every_estimator
@settings(max_examples=25)
@given(case=cases(), data=st.data())
def test_the_order_of_sources_is_nothing(
    estimator: Estimator, case: Case, data: st.DataObject
) -> None:
    models = data.draw(st.permutations(case.sources.models))
    again = case.estimate(estimator, sources=case.sources.take_models(models))

    assert again.estimate.tolist() == case.estimate(estimator).estimate.tolist()


@every_estimator
@settings(max_examples=25)
@given(case=cases())
def test_a_hundredfold_unit_gives_hundredfold_estimates(estimator: Estimator, case: Case) -> None:
    def hundred(scores: ScoreMatrix) -> ScoreMatrix:
        return replace(scores, values=100 * scores.values, bounds=(0.0, 100.0))

    plain = case.estimate(estimator)
    other = case.estimate(estimator, hundred(case.targets), hundred(case.sources))

    assert other.estimate == pytest.approx(100 * plain.estimate, abs=1e-4)


@every_estimator
@settings(max_examples=25)
@given(case=cases())
def test_estimates_stay_within_bounds_and_do_not_depend_on_who_else_is_measured(
    estimator: Estimator, case: Case
) -> None:
    together = case.estimate(estimator).estimate
    alone = [
        case.estimate(estimator, case.targets.take_models([model])).estimate[0]
        for model in case.targets.models
    ]

    assert ((together >= 0) & (together <= 1)).all()
    # products of another shape round otherwise, and a penalty of 1e-5 makes that 1e5 times larger
    assert together == pytest.approx(np.array(alone), abs=1e-9)


@every_estimator
def test_what_cannot_be_known_is_nan_and_said(estimator: Estimator) -> None:
    sources, targets = answers(12, 60, seed=1), answers(4, 60, seed=2)
    result = Case(matrix(sources, "s").frame, sources, targets, 20).estimate(estimator)
    apart = ~np.eye(4, dtype=np.bool_)

    assert np.isnan(result.se).all()
    assert np.isnan(result.low).all()
    assert np.isnan(result.pair_se[apart]).all()
    assert not np.isnan(result.estimate).any()
    assert "no-interval" in {note.code for note in result.notes}


@every_control
def test_the_shift_of_strength_is_warned_of(estimator: Estimator) -> None:
    sources, targets = answers(12, 60, seed=1), answers(4, 60, seed=2)
    result = Case(matrix(sources, "s").frame, sources, targets, 20).estimate(estimator)
    text = next(note.text for note in result.notes if note.code == "strength-shift")

    assert "stronger than all sources" in text


@every_estimator
@pytest.mark.parametrize("heavy", [1.0, 4.0], ids=["micro", "explicit"])
def test_it_beats_the_mean_of_a_random_subset_where_targets_are_like_sources(
    estimator: Estimator, heavy: float
) -> None:
    sources, targets = answers(60, 200, seed=3), answers(40, 200, seed=4)
    frame = Frame.of([f"q{number:04}" for number in range(200)], weights=[1.0, heavy] * 100)
    known, hidden = matrix(sources, "source", frame), matrix(targets, "target", frame)
    full = hidden.full_scores()
    design = AnchorPoints("absolute") if isinstance(estimator, AnchorPredictor) else None

    def error(how: Estimator, seed: int) -> float:
        plain = drawn(frame, 10, seed)
        chosen = select(known, 10, design=design, seed=seed) if design else plain
        subset = plain if isinstance(how, Mean) else chosen
        found = estimate(hidden, subset, probes=known, estimator=how).estimate
        return float(np.abs(found - full).mean())

    learned, mean = (np.mean([error(how, s) for s in range(6)]) for how in (estimator, Mean()))

    assert learned < 0.85 * mean


# --- what each computes --------------------------------------------------------------------------


@pytest.mark.parametrize("weights", ["micro", "explicit"])
def test_an_anchor_predictor_does_what_a_loop_over_lines_does(weights: str) -> None:
    rng = np.random.default_rng(5)
    sources, targets = rng.random((9, 14)), rng.random((3, 14))
    sources[:, 3] = 0.5
    shares = np.ones(14) if weights == "micro" else 1.0 + np.arange(14.0)
    frame = Frame.of([f"q{number:04}" for number in range(14)], weights=shares)
    case = Case(frame, sources, targets, 5)
    columns = [frame.positions[item] for item in case.subset.items]
    expected = np.zeros(3)
    for item in range(14):
        lines = []
        for anchor in columns:
            if np.ptp(sources[:, anchor]) == 0:
                continue
            slope, start = np.polyfit(sources[:, anchor], sources[:, item], 1)
            residual = ((sources[:, item] - start - slope * sources[:, anchor]) ** 2).sum()
            lines.append((residual, start + slope * targets[:, anchor]))
        predicted = min(lines, key=lambda line: line[0])[1]
        expected += frame.weights[item] * (targets[:, item] if item in columns else predicted)

    assert case.estimate(AnchorPredictor()).estimate == pytest.approx(expected, abs=1e-5)


def test_anchors_that_do_not_vary_foretell_each_item_s_mean() -> None:
    sources = np.concatenate([np.ones((4, 2)), np.eye(4)], axis=1)
    frame = matrix(sources, "s").frame
    case = Case(frame, sources, np.zeros((1, 6)), 2)
    subset = case.subset.model_copy(update={"items": frame.items[:2]})
    result = estimate(case.targets, subset, probes=case.sources, estimator=AnchorPredictor())

    assert result.estimate == pytest.approx([4 * 0.25 / 6], abs=1e-6)


def test_a_ridge_is_that_of_scikit_learn() -> None:
    from sklearn.linear_model import RidgeCV

    rng = np.random.default_rng(6)
    sources, targets = rng.random((15, 40)), rng.random((4, 40))
    sources[0, :2] = 0.0, 1.0  # the penalties are for scores that fill 0..1
    case = Case(matrix(sources, "s").frame, sources, targets, 12)
    columns = [case.targets.frame.positions[item] for item in case.subset.items]
    estimator = RidgeScores(penalties=(0.1, 1.0, 10.0))
    theirs = RidgeCV(estimator.penalties).fit(sources[:, columns], sources.mean(axis=1))

    assert case.estimate(estimator).estimate == pytest.approx(
        theirs.predict(targets[:, columns]), abs=1e-5
    )


def refitted(gram: FloatArray, y: FloatArray, penalty: float, left_out: int) -> float:
    """Fit on all rows but one, intercept and all, from the normal equations; its error on that."""
    rest = np.delete(np.arange(len(y)), left_out)
    inner = gram[np.ix_(rest, rest)]
    system = np.zeros((len(rest) + 1, len(rest) + 1))
    system[:-1, :-1] = inner + penalty * np.eye(len(rest))
    system[:-1, -1] = system[-1, :-1] = 1.0
    solved = np.linalg.solve(system, np.append(y[rest], 0.0))
    return float(y[left_out] - gram[left_out, rest] @ solved[:-1] - solved[-1])


@pytest.mark.parametrize("n_columns", [3, 20])
def test_leaving_one_out_without_refitting_equals_refitting(n_columns: int) -> None:
    rng = np.random.default_rng(7)
    x, y = rng.random((9, n_columns)), rng.random(9)
    penalties = (0.03, 1.0, 0.2)
    for gram in (x @ x.T, (x @ x.T / n_columns + 1) ** 2):
        fit = fit_kernel_ridge(gram, y, penalties)
        errors = {
            penalty: np.mean([refitted(gram, y, penalty, row) ** 2 for row in range(9)])
            for penalty in penalties
        }

        assert fit.loo == pytest.approx([errors[1.0], errors[0.2], errors[0.03]])
        assert fit.penalty == min(errors, key=lambda penalty: errors[penalty])


def test_a_kernel_ridge_solves_its_normal_equations() -> None:
    rng = np.random.default_rng(8)
    sources, targets = rng.random((10, 30)), rng.random((3, 30))
    sources[0, :2] = 0.0, 1.0  # the penalty is for scores that fill 0..1
    case = Case(matrix(sources, "s").frame, sources, targets, 9)
    columns = [case.targets.frame.positions[item] for item in case.subset.items]
    both = np.concatenate([sources, targets])[:, columns]
    kernel = (both @ both[:10].T / 9 + 1) ** 3
    full = sources.mean(axis=1)
    expected = []
    for row in range(3):
        gram = np.zeros((11, 11))
        gram[:10, :10] = kernel[:10]
        gram[10, :10] = kernel[10 + row]
        expected.append(-refitted(gram, np.append(full, 0.0), 0.05, 10))
    found = case.estimate(KernelRidgeScores(degree=3, penalties=(0.05,))).estimate

    assert found == pytest.approx(expected, abs=1e-5)


def test_a_linear_network_that_learns_nothing_is_the_mean(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sparse_eval, "EFFORT", {"linear": Effort(0, 1, 1)})
    rng = np.random.default_rng(9)
    case = Case(matrix(np.eye(20), "s").frame, rng.random((8, 20)), rng.random((3, 20)), 6)

    assert case.estimate(SparseEvalPredictor()).estimate == pytest.approx(
        case.estimate(Mean()).estimate
    )


def test_another_seed_sets_aside_other_sources() -> None:
    case = Case(matrix(np.eye(80), "s").frame, answers(16, 80, 1), answers(3, 80, 2), 30)
    found = {
        tuple(case.estimate(SparseEvalPredictor(seed=seed)).estimate.tolist()) for seed in (0, 1, 2)
    }

    assert len(found) == 3


def test_a_perceptron_gives_the_same_again_and_learns_something() -> None:
    torch: Any = pytest.importorskip("torch")
    sources, targets = answers(60, 200, seed=3), answers(40, 200, seed=4)
    case = Case(matrix(sources, "s").frame, sources, targets, 12)
    state = torch.get_rng_state()
    first, again = (case.estimate(SparseEvalPredictor("mlp")).estimate for _ in range(2))
    full = targets.mean(axis=1)

    assert first.tolist() == again.tolist()
    assert np.abs(first - full).mean() < 0.6 * np.abs(sources.mean() - full).mean()
    assert torch.equal(torch.get_rng_state(), state)


def test_an_estimate_beyond_the_bounds_is_set_to_the_bound_and_counted() -> None:
    rng = np.random.default_rng(10)
    ability = 0.4 + 0.2 * rng.random((8, 1))
    sources = np.repeat(ability, 20, axis=1) ** np.linspace(0.5, 2, 20)
    sources = (sources - 0.3) / 0.4
    sources = np.clip(sources, 0, 1)
    targets = np.stack([np.ones(20), np.zeros(20), sources[0]])
    case = Case(matrix(sources, "s").frame, sources, targets, 3)
    result = case.estimate(RidgeScores(penalties=(1e-6,)))
    told = [note.text for note in result.notes if note.code == "clipped"]

    assert ((result.estimate >= 0) & (result.estimate <= 1)).all()
    assert len(told) == 1
    assert re.match("[12] of 3 estimates fell beyond all scores that were seen", told[0])


# --- what they refuse ----------------------------------------------------------------------------


@every_estimator
def test_without_sources_on_the_whole_frame_it_says_so(estimator: Estimator) -> None:
    case = Case(matrix(np.eye(9), "s").frame, np.eye(9), np.eye(9)[:2], 4)
    message = f"{estimator.name} needs source models' scores on all 9 items."
    with pytest.raises(EstimateError, match=re.escape(message)):
        estimate(case.targets, case.subset, estimator=estimator)


@every_estimator
def test_two_sources_are_too_few(estimator: Estimator) -> None:
    case = Case(matrix(np.eye(9), "s").frame, np.eye(9)[:2], np.eye(9)[:2], 4)
    message = f"{estimator.name} needs at least 3 source models on the whole frame, got 2."
    with pytest.raises(EstimateError, match=re.escape(message)):
        case.estimate(estimator)


@every_estimator
@pytest.mark.parametrize("n", [4, 9])
def test_a_target_that_lacks_a_score_is_refused(estimator: Estimator, n: int) -> None:
    values = np.eye(9)[:2].copy()
    case = Case(matrix(np.eye(9), "s").frame, np.eye(9), values, n)
    values[0, case.targets.frame.positions[case.subset.items[0]]] = np.nan
    targets = replace(case.targets, values=values)
    message = f"{estimator.name} needs every target's score on every item of the subset."
    with pytest.raises(EstimateError, match=re.escape(message)):
        estimate(targets, case.subset, probes=case.sources, estimator=estimator, missing="omit")


def test_without_torch_a_perceptron_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    case = Case(matrix(np.eye(9), "s").frame, np.eye(9), np.eye(9)[:2], 4)
    message = 'SparseEvalPredictor with kind="mlp" needs torch, which is not installed. Install'
    with pytest.raises(EstimateError, match=re.escape(message)):
        case.estimate(SparseEvalPredictor("mlp"))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: RidgeScores(penalties=()), "`penalties` must be one or more numbers above 0"),
        (lambda: KernelRidgeScores(penalties=(0.0,)), "`penalties` must be one or more numbers"),
        (lambda: KernelRidgeScores(degree=0), "`degree` must be 1 or more, got 0."),
        (lambda: SparseEvalPredictor("cnn"), "`kind` must be linear or mlp, got 'cnn'."),  # type: ignore[arg-type]
        (lambda: SparseEvalPredictor(seed=-1), "`seed` must be 0 or more, got -1."),
    ],
)
def test_settings_must_be_possible(make: Callable[[], Estimator], message: str) -> None:
    with pytest.raises(ArgumentError, match=re.escape(message)):
        make()

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bestrand.core.frame import Frame
from bestrand.core.scores import ScoreMatrix
from bestrand.designs.base import Design, Features
from bestrand.designs.baselines.irt_anchors import IrtAnchors
from bestrand.designs.simple_random import SimpleRandom
from bestrand.errors import EstimateError
from bestrand.estimators.base import Estimator, Seen
from bestrand.estimators.baselines.cluster_weighted import ClusterWeighted
from bestrand.estimators.baselines.gp_irt import GpIrt, weighted_share
from bestrand.estimators.baselines.p_irt import PIrt
from bestrand.rng import Stream
from bestrand.stats.irt import fit_ability, probability
from bestrand.stats.irt_scores import _fit, fit_sources
from bestrand.steps.estimate import estimate
from bestrand.steps.select import select
from bestrand.types import FloatArray, IntArray
from tests.designs.test_irt_anchors import irt_scores


ESTIMATORS: list[Estimator] = [ClusterWeighted(), PIrt(), GpIrt()]
each = pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)


def seen_of(
    targets: FloatArray,
    sources: FloatArray,
    columns: IntArray,
    *,
    weights: FloatArray | None = None,
    design_weights: FloatArray | None = None,
) -> Seen:
    """What is seen of targets (T, N) that ran on some columns, the sources on all."""
    n_frame = sources.shape[1]
    whole = np.ones(n_frame) if weights is None else weights
    return Seen(
        scores=targets[:, columns],
        weights=whole[columns],
        groups=None,
        group_shares=None,
        probes=sources[:, columns],
        n_pool=n_frame,
        n_frame=n_frame,
        balanced_on=(),
        pool_balanced_on=(),
        probe_means=sources @ whole / whole.sum(),
        pool_probes=sources,
        pool_weights=whole,
        columns=columns,
        design_weights=design_weights,
    )


def drawn(design: Design, targets: FloatArray, sources: FloatArray, n: int, seed: int = 0) -> Seen:
    n_frame = sources.shape[1]
    draw = design.draw(Features(n_frame, sources, None, np.ones(n_frame)), n, Stream.of(seed))
    return seen_of(targets, sources, draw.columns, design_weights=draw.design_weights)


# --- where the model is true ---------------------------------------------------------------------


@pytest.mark.slow
def test_p_irt_is_near_the_full_score_where_the_model_is_true() -> None:
    sources = irt_scores(60, 800, sharpness=3.0)
    targets = irt_scores(40, 800, seed=1, sharpness=3.0)
    seen, random = (
        drawn(design, targets, sources, 80) for design in (IrtAnchors(), SimpleRandom())
    )
    full = targets.mean(axis=1)

    def error(estimates: FloatArray) -> float:
        return float(np.abs(estimates - full).mean())

    subsets = [np.random.default_rng(seed).permutation(800)[:80] for seed in range(40)]
    plain = sum(error(targets[:, subset].mean(axis=1)) for subset in subsets) / 40

    assert error(PIrt().infer(seen).estimate) < min(0.025, 0.7 * plain)
    assert error(GpIrt().infer(seen).estimate) < min(0.025, 0.7 * plain)
    assert error(PIrt().infer(random).estimate) < 0.85 * plain


def test_p_irt_is_the_mean_of_what_was_seen_and_what_is_expected() -> None:
    sources, targets = irt_scores(12, 60), irt_scores(3, 60, seed=1)
    weights = np.random.default_rng(0).uniform(0.2, 3.0, 60)
    columns = np.arange(0, 60, 4)
    fit = fit_sources(sources)
    expected = probability(fit.model, fit_ability(fit.model, targets[:, columns], columns))
    total = np.zeros(3)
    for item in range(60):
        known = targets[:, item] if item in columns else expected[:, item]
        total += weights[item] * known
    seen = seen_of(targets, sources, columns, weights=weights)

    assert PIrt().infer(seen).estimate == pytest.approx(total / weights.sum(), rel=1e-9)


# --- what they keep ------------------------------------------------------------------------------


@each
def test_the_whole_frame_leaves_no_error(estimator: Estimator) -> None:
    sources, targets = irt_scores(6, 20), irt_scores(4, 20, seed=1)
    weights = np.linspace(0.0, 2.0, 20)
    result = estimator.infer(seen_of(targets, sources, np.arange(20), weights=weights))

    assert result.estimate == pytest.approx(targets @ weights / weights.sum(), abs=1e-12)
    assert not result.se.any()


@each
def test_there_is_no_interval_and_the_reason_is_said(estimator: Estimator) -> None:
    seen = drawn(IrtAnchors(), irt_scores(4, 40, seed=1), irt_scores(6, 40), 8)
    result = estimator.infer(seen)

    assert np.isnan(result.se).all()
    assert [note.code for note in result.notes] == ["no-interval"]
    assert "there is no interval" in result.notes[0].text
    assert np.array_equal(
        result.pair_difference, result.estimate[:, None] - result.estimate[None, :]
    )


@each
@settings(max_examples=10)
@given(seed=st.integers(0, 99), data=st.data())
def test_estimates_are_within_the_bounds_and_each_target_stands_for_itself(
    estimator: Estimator, seed: int, data: st.DataObject
) -> None:
    sources, targets = irt_scores(5, 30), irt_scores(4, 30, seed=seed + 1)
    n = data.draw(st.integers(1, 30))
    seen = drawn(IrtAnchors(), targets, sources, n)
    together = estimator.infer(seen).estimate
    alone = [estimator.infer(replace(seen, scores=row[None])).estimate[0] for row in seen.scores]

    assert ((together >= -1e-12) & (together <= 1 + 1e-12)).all()
    assert together == pytest.approx(np.array(alone), abs=1e-9)


@each
def test_the_order_of_sources_is_nothing(estimator: Estimator) -> None:
    sources, targets = irt_scores(6, 40), irt_scores(3, 40, seed=1)
    seen = drawn(IrtAnchors(), targets, sources, 8)
    again = drawn(IrtAnchors(), targets, sources[::-1], 8)

    assert again.columns is not None
    assert seen.columns is not None
    assert again.columns.tolist() == seen.columns.tolist()
    assert estimator.infer(again).estimate.tolist() == estimator.infer(seen).estimate.tolist()


@each
def test_a_missing_score_is_refused(estimator: Estimator) -> None:
    seen = drawn(IrtAnchors(), irt_scores(3, 40, seed=1), irt_scores(6, 40), 8)
    scores = seen.scores.copy()
    scores[1, 2] = np.nan
    with pytest.raises(EstimateError, match=f"{estimator.name} needs every target's score"):
        estimator.infer(replace(seen, scores=scores))


@pytest.mark.parametrize("estimator", [PIrt(), GpIrt()], ids=repr)
def test_without_sources_on_the_whole_frame_it_says_so(estimator: Estimator) -> None:
    seen = drawn(IrtAnchors(), irt_scores(3, 40, seed=1), irt_scores(6, 40), 8)
    message = f"{estimator.name} needs source models' scores on all 40 items"
    with pytest.raises(EstimateError, match=re.escape(message)):
        estimator.infer(replace(seen, pool_probes=None))


def test_one_run_fits_once() -> None:
    sources, targets = irt_scores(7, 50, seed=11), irt_scores(2, 50, seed=1)
    before = _fit.cache_info().misses
    seen = drawn(IrtAnchors(), targets, sources, 10)
    for estimator in ESTIMATORS:
        estimator.infer(seen)

    assert _fit.cache_info().misses == before + 1


# --- cluster weights -----------------------------------------------------------------------------


def test_each_item_counts_what_the_design_says() -> None:
    targets = np.array([[1.0, 0.0, 0.5, 0.0], [0.2, 0.2, 0.2, 0.2]])
    weights = np.array([2.5, 0.5])
    seen = seen_of(targets, np.ones((3, 4)), np.array([0, 2]), design_weights=weights)

    assert ClusterWeighted().infer(seen).estimate == pytest.approx(
        np.array([(2.5 + 0.25) / 3.0, 0.2]), rel=1e-12
    )


def test_weights_of_the_frame_are_in_the_clusters_shares_already() -> None:
    """Copies of three items, in groups of unequal size that count the same: the truth is met."""
    kinds = np.array([[1.0, 0, 0], [1, 1, 0], [0, 1, 0], [0, 1, 1]])
    kind_of = np.array([0] * 12 + [1] * 3 + [2] * 5)
    groups = ["a"] * 10 + ["b"] * 7 + ["c"] * 3
    frame = Frame.of([f"i{k:02}" for k in range(20)], groups=groups, weighting="macro")
    sources = ScoreMatrix(frame, ("p", "q", "r", "s"), kinds[:, kind_of], bounds=(0.0, 1.0))
    targets = ScoreMatrix(frame, ("t",), np.array([[0.3, 0.9, 0.0]])[:, kind_of], bounds=(0.0, 1.0))
    subset = select(sources, 3, design=IrtAnchors(), seed=0)
    result = estimate(targets, subset, estimator=ClusterWeighted())

    assert subset.weighting == "macro"
    assert result.estimate == pytest.approx(targets.full_scores(), abs=1e-12)
    assert np.isnan(result.se).all()


def test_without_weights_of_the_design_it_says_so() -> None:
    seen = seen_of(irt_scores(2, 20, seed=1), irt_scores(4, 20), np.arange(5))
    message = "ClusterWeighted needs to know how much each item stands for, and the design"
    with pytest.raises(EstimateError, match=message):
        ClusterWeighted().infer(seen)


# --- the blend -----------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [3, 10, 35])
def test_gp_irt_lies_between_both(n: int) -> None:
    seen = drawn(IrtAnchors(), irt_scores(6, 40, seed=1), irt_scores(8, 40), n)
    weighted, predicted, blend = (
        estimator.infer(seen).estimate for estimator in (ClusterWeighted(), PIrt(), GpIrt())
    )

    assert (blend >= np.minimum(weighted, predicted) - 1e-12).all()
    assert (blend <= np.maximum(weighted, predicted) + 1e-12).all()
    assert np.abs(weighted - predicted).max() > 0


def test_gp_irt_takes_the_items_own_weights_where_the_design_gave_none() -> None:
    sources, targets = irt_scores(8, 40), irt_scores(3, 40, seed=1)
    weights, columns = np.linspace(0.5, 2.0, 40), np.arange(0, 40, 5)
    seen = seen_of(targets, sources, columns, weights=weights)
    share = weighted_share(sources, weights, 8, fit_sources(sources).error)
    mean = targets[:, columns] @ weights[columns] / weights[columns].sum()
    expected = share * mean + (1 - share) * PIrt().infer(seen).estimate

    assert GpIrt().infer(seen).estimate == pytest.approx(expected, abs=1e-12)


def test_the_share_of_the_weighted_mean_is_that_of_the_formula() -> None:
    scores = np.array([[0.0, 1.0], [0.0, 0.0]])  # variances 1/4 and 0
    noise = 0.125 / (4 * 5)

    assert weighted_share(scores, np.ones(2), 5, 0.1) == pytest.approx(0.01 / (0.01 + noise))
    assert weighted_share(scores, np.ones(2), 5, 0.0) == 0.0
    assert weighted_share(scores, np.array([1.0, 0.0]), 5, 0.0) == 1.0  # no noise
    assert weighted_share(scores, np.ones(2), 500, 0.1) > weighted_share(scores, np.ones(2), 5, 0.1)


# --- through the front door ----------------------------------------------------------------------


@each
def test_another_unit_carries_through(estimator: Estimator) -> None:
    """Graded scores on 0..100 give the same items, and 100 times the estimate."""
    rng = np.random.default_rng(0)
    graded = np.round(0.5 * irt_scores(9, 60) + 0.5 * rng.random((9, 60)), 6)
    frame = Frame.of([f"i{k:02}" for k in range(60)])
    names = tuple(f"m{row}" for row in range(9))
    results = []
    for unit in (1.0, 100.0):
        matrix = ScoreMatrix(frame, names, unit * graded, bounds=(0.0, unit))
        sources, targets = matrix.take_models(names[:6]), matrix.take_models(names[6:])
        subset = select(sources, 15, design=IrtAnchors(), seed=0)
        results.append(
            (subset.items, estimate(targets, subset, probes=sources, estimator=estimator))
        )
    (items, plain), (items_again, hundredfold) = results

    assert items == items_again
    assert hundredfold.estimate == pytest.approx(100 * plain.estimate, rel=1e-9)

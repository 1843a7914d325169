"""Shrunk: towards the mean, by half a standard error at most, the order kept."""

import numpy as np
import pytest

import bestrand as br
from bestrand.data import load
from bestrand.estimators.mean import Mean
from bestrand.estimators.regression import Regression
from bestrand.estimators.shrunk import Shrunk, shrink


def test_shrinkage_is_what_the_formula_says() -> None:
    estimates = np.array([0.2, 0.4, 0.5, 0.9])
    variance = 0.01
    kept = 1 - variance / estimates.var(ddof=1) * (1 / 3)
    wanted = estimates + np.clip((1 - kept) * (0.5 - estimates), -0.05, 0.05)

    assert shrink(estimates, variance) == pytest.approx(wanted, abs=1e-15)


def test_models_that_cannot_be_told_apart_move_by_half_a_standard_error_at_most() -> None:
    estimates = np.array([0.48, 0.5, 0.51, 0.52, 0.44])
    shrunk = shrink(estimates, 0.04)

    assert shrunk == pytest.approx(np.full(5, estimates.mean()), abs=1e-12)
    assert np.abs(shrink(np.linspace(0, 1, 5), 4.0) - np.linspace(0, 1, 5)).max() <= 1.0


def test_full_shrinkage_keeps_the_order() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        estimates = rng.random(8)
        shrunk = shrink(estimates, 1e-3)

        assert (np.diff(shrunk[np.argsort(estimates)]) >= -np.sqrt(1e-3)).all()


def test_three_targets_are_not_shrunk_and_it_is_said() -> None:
    matrix = load("blink_val").matrix()
    subset = br.select(matrix, 100, design=br.SimpleRandom())
    few = matrix.take_models(matrix.models[:3])
    result = br.estimate(few, subset, estimator=Shrunk(Mean()))

    assert result.estimate.tolist() == br.estimate(few, subset, estimator=Mean()).estimate.tolist()
    assert "not-shrunk" in {note.code for note in result.notes}


def test_the_unshrunk_value_is_kept_and_errors_fall() -> None:
    matrix = load("blink_val").matrix()
    probes = matrix.take_models(matrix.models[:6])
    targets = matrix.take_models(matrix.models[6:])
    truth = targets.full_scores()
    plain, shrunk = [], []
    for seed in range(40):
        subset = br.select(probes, 60, seed=seed)
        raw = br.estimate(targets, subset, probes=probes, estimator=Regression())
        result = br.estimate(targets, subset, probes=probes, estimator=Shrunk())
        assert result.unshrunk is not None
        assert result.unshrunk.tolist() == raw.estimate.tolist()
        plain.append(np.abs(raw.estimate - truth).mean())
        shrunk.append(np.abs(result.estimate - truth).mean())

    assert np.mean(shrunk) < 0.97 * np.mean(plain)

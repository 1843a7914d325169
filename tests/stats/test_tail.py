"""The law of the MAE: by enumeration on small frames, by simulation on a real matrix."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import gaussian_kde, kstest

from bestrand.data import load
from bestrand.rng import Stream
from bestrand.stats.tail import (
    PEAK,
    EqualCorrelation,
    balanced_share,
    correlations,
    draw_mae,
    error_covariance,
    exceedance_bound,
    explain_shift,
    mean_correlation,
    shift_deviation,
)
from tests.strategies import score_arrays


@settings(max_examples=30)
@given(data=st.data(), n_frame=st.integers(2, 7))
def test_the_covariance_of_the_errors_is_exact(data: st.DataObject, n_frame: int) -> None:
    y = data.draw(score_arrays(3, n_frame))
    n = data.draw(st.integers(1, n_frame))
    subsets = [list(s) for s in combinations(range(n_frame), n)]
    errors = np.array([y[:, s].mean(axis=1) - y.mean(axis=1) for s in subsets])

    assert error_covariance(y, n) == pytest.approx(errors.T @ errors / len(subsets), abs=1e-12)
    assert shift_deviation(y, n) ** 2 == pytest.approx(np.mean(errors.mean(axis=1) ** 2), abs=1e-12)


def test_the_mae_is_never_below_the_shift() -> None:
    rng = np.random.default_rng(0)
    errors = rng.normal(size=(500, 4))

    assert (np.abs(errors).mean(axis=1) >= np.abs(errors.mean(axis=1)) - 1e-15).all()


def test_the_closed_law_is_the_general_one_where_all_correlations_are_equal() -> None:
    law = EqualCorrelation(s_e=0.02, rho=0.35)
    n_models = 400
    covariance = np.full((n_models, n_models), 0.35) + 0.65 * np.eye(n_models)
    draws = draw_mae(covariance * 0.02**2, Stream.of(0, "test"), 20_000)

    assert draws.mean() == pytest.approx(law.mean, rel=0.01)
    for level in (0.5, 0.9, 0.95, 0.99):
        assert np.quantile(draws, level) == pytest.approx(law.quantile(level), rel=0.02)
    assert draws.min() > 0.85 * law.lower_end
    for t in (0.015, 0.02, 0.03):
        assert (draws > t).mean() == pytest.approx(law.exceedance(t), abs=0.015)
        assert (draws > t).mean() >= exceedance_bound(t, law.sigma_c) - 0.01


@pytest.mark.parametrize("rho", [0.0, 0.3, 1.0])
def test_quantile_and_exceedance_undo_each_other(rho: float) -> None:
    law = EqualCorrelation(s_e=1.0, rho=rho)
    for level in (0.3, 0.7, 0.95):
        t = law.quantile(level)
        if rho > 0:
            assert law.exceedance(t) == pytest.approx(1 - level, abs=1e-9)
    assert law.exceedance(law.lower_end - 1e-9) == 1.0


@pytest.mark.parametrize("retention", [0.05, 0.2])
def test_the_law_meets_random_draws_of_a_real_matrix(retention: float) -> None:
    y = load("blink_val").matrix().values
    n = round(retention * y.shape[1])
    rng = np.random.default_rng(1)
    full = y.mean(axis=1)
    draws = [
        np.abs(y[:, rng.choice(y.shape[1], n, replace=False)].mean(axis=1) - full).mean()
        for _ in range(4000)
    ]
    law = draw_mae(error_covariance(y, n), Stream.of(0, "law"))

    assert kstest(draws, lambda x: np.searchsorted(law, x) / law.size).statistic < 0.03
    assert np.quantile(draws, 0.95) == pytest.approx(np.quantile(law, 0.95), rel=0.05)


def test_flat_models_have_no_correlation_and_are_left_out() -> None:
    y = np.array([[1.0, 1.0, 1.0], [0.0, 1.0, 0.0], [0.0, 1.0, 0.0]])

    assert np.isnan(correlations(y)[0, 1])
    assert mean_correlation(y) == pytest.approx(1.0)
    assert np.isnan(mean_correlation(y[:1]))


def test_the_two_parts_of_the_shift_are_orthogonal() -> None:
    rng = np.random.default_rng(2)
    probes, difficulty = rng.random((4, 200)), rng.random(200)
    split = explain_shift(difficulty, probes)
    off = probes - probes.mean(axis=1, keepdims=True)

    assert np.abs(off @ split.residuals).max() < 1e-12
    assert abs(split.residuals.sum()) < 1e-12
    assert split.r_squared == pytest.approx(1 - split.residuals.var() / difficulty.var(), abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("alpha", [2.0, 4.0, 8.0])
def test_what_is_left_of_the_shift_after_the_best_of_a_pool_is_as_forecast(alpha: float) -> None:
    """One probe, so that the best of many leaves no gap to the pool."""
    rng = np.random.default_rng(3)
    n_frame, n = 2000, 50
    probe = rng.random(n_frame)
    difficulty = probe + rng.normal(size=n_frame) * 0.35
    r_squared = explain_shift(difficulty, probe[None, :]).r_squared
    plain, best = [], []
    for _ in range(1500):
        plain.append(difficulty[rng.choice(n_frame, n, replace=False)].mean())
        pool = rng.choice(n_frame, int(alpha * n), replace=False)
        tries = [rng.choice(pool, n, replace=False) for _ in range(60)]
        gaps = [abs(probe[t].mean() - probe[pool].mean()) for t in tries]
        best.append(difficulty[tries[int(np.argmin(gaps))]].mean())
    share = np.var(best) / np.var(plain)

    assert share == pytest.approx(balanced_share(r_squared, alpha, n / n_frame), rel=0.15)


def test_a_pool_that_is_the_frame_leaves_what_the_probes_do_not_explain() -> None:
    assert balanced_share(0.4, 100.0, 0.1) == pytest.approx(0.6)
    assert balanced_share(0.4, 1.0, 0.1) == pytest.approx(1.0)


@pytest.mark.slow
@pytest.mark.parametrize("rho", [0.05, 0.35, 0.7])
@pytest.mark.parametrize("n_models", [10, 40])
def test_the_mode_is_where_most_draws_lie(rho: float, n_models: int) -> None:
    law = EqualCorrelation(s_e=0.02, rho=rho)
    covariance = 0.02**2 * (np.full((n_models, n_models), rho) + (1 - rho) * np.eye(n_models))
    draws = draw_mae(covariance, Stream.of(0, "mode"), 200_000)
    density = gaussian_kde(draws[::10], bw_method=0.1)
    grid = np.linspace(draws[0], np.quantile(draws, 0.9), 400)

    assert law.mode(n_models) == pytest.approx(grid[density(grid).argmax()], rel=0.05)
    assert EqualCorrelation.of(covariance) == pytest.approx((0.02, rho))


def test_the_mode_falls_to_the_lower_end_as_one_over_the_root_of_the_models() -> None:
    law = EqualCorrelation(s_e=1.0, rho=0.35)
    gaps = [law.mode(n_models) - law.lower_end for n_models in (1600, 6400, 25_600)]

    assert gaps[0] / gaps[1] == pytest.approx(2, rel=0.1)
    assert gaps[1] / gaps[2] == pytest.approx(2, rel=0.1)
    assert gaps[2] * np.sqrt(25_600) == pytest.approx(law.mode_rate, rel=0.05)
    assert EqualCorrelation(1.0, 1.0).mode(9) == 0.0


def test_the_peak_is_that_of_an_inverse_root_smoothed_by_a_normal() -> None:
    """Of x^(-1/2) on x > 0, the density near 0 of the square of anything smooth."""
    roots = (np.arange(4000) + 0.5) / 1000  # x = u^2 takes the pole away
    at = np.linspace(0.5, 1, 5001)
    smooth = np.exp(-((at[:, None] - roots**2) ** 2) / 2).sum(axis=1)

    assert at[smooth.argmax()] == pytest.approx(PEAK, abs=2e-4)


def test_models_that_are_alike_in_nothing_or_flat_have_no_common_part() -> None:
    assert EqualCorrelation.of(np.zeros((3, 3))) == (0.0, 0.0)
    assert EqualCorrelation.of(np.array([[1.0, -0.5], [-0.5, 1.0]])).rho == 0.0

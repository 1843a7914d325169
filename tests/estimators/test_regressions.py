"""Regression, PPI, AIPW and the history average, each against its formula written out."""

import numpy as np
import pytest

from bestrand.estimators.base import Seen
from bestrand.estimators.baselines.aipw import AIPW
from bestrand.estimators.baselines.ppi import PPI
from bestrand.estimators.history_average import (
    PENALTIES,
    HistoryAverage,
    mean_eigenvalue,
    polynomial_kernel,
    subset_shift,
)
from bestrand.estimators.mean import Mean
from bestrand.estimators.regression import Regression
from bestrand.stats.kernel_ridge import fit_kernel_ridge
from bestrand.types import FloatArray


def made(n_targets: int = 3, n_probes: int = 4, m: int = 60, n: int = 20, seed: int = 0) -> Seen:
    """A subset of a pool of m, with probes that explain the targets in part."""
    rng = np.random.default_rng(seed)
    hard = rng.normal(size=m)
    draw = rng.normal(size=(n_targets + n_probes, m))
    scores = (hard + draw > rng.normal(size=(n_targets + n_probes, 1))).astype(np.float64)
    columns = np.sort(rng.permutation(m)[:n])
    probes = scores[n_targets:]
    return Seen(
        scores=scores[:n_targets, columns],
        weights=np.ones(n),
        groups=None,
        group_shares=None,
        probes=probes[:, columns],
        n_pool=m,
        n_frame=m,
        balanced_on=(),
        pool_balanced_on=(),
        probe_means=probes.mean(axis=1),
        pool_probes=probes,
        pool_weights=np.ones(m),
        columns=columns,
    )


def ridge_by_hand(y: FloatArray, z: FloatArray, means: FloatArray, penalty: float) -> float:
    zc = z - z.mean(axis=1, keepdims=True)
    slope = np.linalg.solve(zc @ zc.T + penalty * np.eye(len(z)), zc @ (y - y.mean()))
    return float(y.mean() + (means - z.mean(axis=1)) @ slope)


@pytest.mark.parametrize(("estimator", "penalty"), [(Regression(), 2.0), (AIPW(), 10.0)])
def test_a_ridge_regression_is_what_the_formula_says(
    estimator: Regression | AIPW, penalty: float
) -> None:
    seen = made()
    assert seen.probes is not None
    assert seen.probe_means is not None
    if isinstance(estimator, Regression):  # for probes of variance 1/4
        penalty *= 4 * seen.probes.var(axis=1).mean()
    by_hand = [ridge_by_hand(y, seen.probes, seen.probe_means, penalty) for y in seen.scores]

    assert estimator.infer(seen).estimate == pytest.approx(by_hand, abs=1e-12)


@pytest.mark.parametrize(("m", "n"), [(60, 3), (60, 20), (60, 59), (400, 20)])
def test_aipw_weighs_the_paper_s_formula_with_the_plain_mean(m: int, n: int) -> None:
    """Theirs averages predictions over the items not run, ours over all items."""
    from sklearn.linear_model import Ridge

    seen = made(m=m, n=n, seed=n)
    assert seen.pool_probes is not None
    assert seen.probes is not None
    assert seen.columns is not None
    rest = np.setdiff1d(np.arange(m), seen.columns)
    for y, estimate in zip(seen.scores, AIPW().infer(seen).estimate, strict=True):
        ridge = Ridge(alpha=10.0).fit(seen.probes.T, y)
        unseen, on_subset = (
            ridge.predict(z.T).mean() for z in (seen.pool_probes[:, rest], seen.probes)
        )
        theirs = unseen + y.mean() - on_subset
        in_their_code = y.mean() + (unseen - on_subset) / (1 + n / (m - n))

        assert estimate == pytest.approx(n / m * y.mean() + (1 - n / m) * theirs, abs=1e-12)
        assert estimate == pytest.approx(in_their_code, abs=1e-12)


def test_aipw_is_mean_prediction_plus_mean_residual() -> None:
    seen = made()
    assert seen.pool_probes is not None
    assert seen.probes is not None
    y, z = seen.scores[0], seen.probes
    zc = z - z.mean(axis=1, keepdims=True)
    slope = np.linalg.solve(zc @ zc.T + 10 * np.eye(len(z)), zc @ (y - y.mean()))
    start = y.mean() - slope @ z.mean(axis=1)
    predicted = start + slope @ seen.pool_probes
    by_hand = predicted.mean() + (y - start - slope @ z).mean()

    assert AIPW().infer(seen).estimate[0] == pytest.approx(by_hand, abs=1e-12)


def test_ppi_takes_the_slope_on_the_mean_prediction() -> None:
    seen = made()
    assert seen.probes is not None
    assert seen.probe_means is not None
    f = seen.probes.mean(axis=0)
    by_hand = []
    for y in seen.scores:
        slope = np.cov(y, f, ddof=1)[0, 1] / f.var(ddof=1)
        by_hand.append(y.mean() + slope * (seen.probe_means.mean() - f.mean()))

    assert PPI().infer(seen).estimate == pytest.approx(by_hand, abs=1e-8)


def test_a_target_that_is_a_probe_is_known_almost_exactly() -> None:
    seen = made(n=40)
    assert seen.probes is not None
    assert seen.probe_means is not None
    copy = Seen(**{**{f: getattr(seen, f) for f in seen.__slots__}, "scores": seen.probes[:1]})
    estimate = Regression(penalty=1e-6).infer(copy).estimate

    assert estimate == pytest.approx(seen.probe_means[:1], abs=1e-6)


def test_a_missing_score_leaves_the_item_out_of_its_own_regression_only() -> None:
    seen = made()
    assert seen.probes is not None
    assert seen.probe_means is not None
    holes = seen.scores.copy()
    holes[1, 4] = np.nan
    with_holes = Seen(**{**{f: getattr(seen, f) for f in seen.__slots__}, "scores": holes})
    estimate = Regression().infer(with_holes).estimate
    there = ~np.isnan(holes[1])
    penalty = 2 * 4 * seen.probes.var(axis=1).mean()
    by_hand = ridge_by_hand(holes[1, there], seen.probes[:, there], seen.probe_means, penalty)

    assert estimate[1] == pytest.approx(by_hand, abs=1e-12)
    assert estimate[[0, 2]] == pytest.approx(Regression().infer(seen).estimate[[0, 2]], abs=1e-12)


@pytest.mark.parametrize("estimator", [Regression(), PPI(), AIPW(), HistoryAverage()])
def test_paired_differences_are_differences_of_estimates(
    estimator: Regression | PPI | AIPW | HistoryAverage,
) -> None:
    result = estimator.infer(made())
    differences = result.estimate[:, None] - result.estimate

    assert result.pair_difference == pytest.approx(differences, abs=1e-12)


def test_regression_on_good_probes_errs_less_than_the_mean_and_says_so() -> None:
    errors: dict[str, list[float]] = {"Mean": [], "Regression": []}
    widths: dict[str, list[float]] = {"Mean": [], "Regression": []}
    for seed in range(150):
        rng = np.random.default_rng(seed)
        hard = rng.random(300)
        scores = (rng.random((9, 300)) < 0.15 + 0.7 * (hard > 0.5)).astype(np.float64)
        columns = np.sort(rng.permutation(300)[:60])
        seen = Seen(
            scores=scores[:1, columns],
            weights=np.ones(60),
            groups=None,
            group_shares=None,
            probes=scores[1:, columns],
            n_pool=300,
            n_frame=300,
            balanced_on=(),
            pool_balanced_on=(),
            probe_means=scores[1:].mean(axis=1),
        )
        for estimator in (Mean(), Regression()):
            result = estimator.infer(seen)
            errors[estimator.name].append(float(result.estimate[0] - scores[0].mean()))
            widths[estimator.name].append(float(result.se[0]))

    assert np.std(errors["Regression"]) < 0.85 * np.std(errors["Mean"])
    assert np.std(errors["Regression"]) == pytest.approx(np.mean(widths["Regression"]), rel=0.2)


def test_the_leave_one_out_error_of_the_kernel_ridge_is_exact() -> None:
    rng = np.random.default_rng(5)
    sources, response = rng.random((9, 6)), rng.normal(size=9)
    weights = np.ones(6)
    kernel = polynomial_kernel(sources, sources, weights)

    def refit(kept: np.ndarray, new: np.ndarray, penalty: float) -> FloatArray:
        k = kernel[np.ix_(kept, kept)]
        centre = np.eye(kept.size) - 1 / kept.size
        inner = centre @ k @ centre
        outer = kernel[np.ix_(new, kept)]
        outer = outer - outer.mean(axis=1, keepdims=True) - k.mean(axis=0) + k.mean()
        y = response[kept]
        weights_ = np.linalg.solve(inner + penalty * np.eye(kept.size), y - y.mean())
        return np.asarray(y.mean() + outer @ weights_)

    everyone = np.arange(9)
    centre = np.eye(9) - 1 / 9
    scale = np.linalg.eigvalsh(centre @ kernel @ centre).clip(0).mean()
    errors = []
    for penalty in PENALTIES * scale:
        out = [
            response[i] - refit(np.delete(everyone, i), np.array([i]), penalty)[0] for i in everyone
        ]
        errors.append(np.mean(np.square(out)))
    best = PENALTIES[int(np.argmin(errors))] * scale
    fit = fit_kernel_ridge(kernel, response, (PENALTIES * mean_eigenvalue(kernel)).tolist())
    predicted = fit.predict(kernel)

    assert predicted == pytest.approx(refit(everyone, everyone, best), abs=1e-8)


def test_the_history_average_is_the_average_of_its_two_halves() -> None:
    seen = made(n_probes=8)
    assert seen.probes is not None
    assert seen.probe_means is not None
    by_item = [ridge_by_hand(y, seen.probes, seen.probe_means, 5.0) for y in seen.scores]
    by_model = seen.scores.mean(axis=1) + subset_shift(
        seen.scores, seen.probes, seen.probe_means, seen.weights
    )

    assert HistoryAverage().infer(seen).estimate == pytest.approx(
        (np.array(by_item) + by_model) / 2, abs=1e-12
    )


def test_sources_whose_subset_means_are_right_need_no_correction() -> None:
    rng = np.random.default_rng(2)
    sources = rng.random((7, 10))
    shift = subset_shift(rng.random((3, 10)), sources, sources.mean(axis=1), np.ones(10))

    assert shift == pytest.approx(np.zeros(3), abs=1e-12)

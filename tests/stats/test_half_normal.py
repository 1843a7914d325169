"""The size of the error of one of several models: against draws."""

import numpy as np
import pytest

from bestrand.stats.half_normal import exceedance, mean_size, quantile_size


VARIANCES = np.array([0.0004, 0.0001, 0.01, 0.0])


def test_figures_are_those_of_draws() -> None:
    rng = np.random.default_rng(0)
    which = rng.integers(0, VARIANCES.size, 400_000)
    sizes = np.abs(np.sqrt(VARIANCES)[which] * rng.standard_normal(which.size))

    assert mean_size(VARIANCES) == pytest.approx(sizes.mean(), rel=0.01)
    assert exceedance(VARIANCES, 0.05) == pytest.approx((sizes > 0.05).mean(), abs=0.002)
    assert quantile_size(VARIANCES, 0.95) == pytest.approx(np.quantile(sizes, 0.95), rel=0.01)


def test_quantile_and_exceedance_are_inverse() -> None:
    for level in (0.5, 0.9, 0.999):
        assert exceedance(VARIANCES[:3], quantile_size(VARIANCES[:3], level)) == pytest.approx(
            1 - level
        )


def test_no_variance_no_error() -> None:
    nothing = np.zeros(3)

    assert mean_size(nothing) == quantile_size(nothing, 0.95) == exceedance(nothing, 0.0) == 0.0
    assert quantile_size(VARIANCES, 0.1) == 0.0  # a quarter of the models never errs

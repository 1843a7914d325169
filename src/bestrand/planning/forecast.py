"""Forecasts: the errors to expect, from the probes alone, before any target has run."""

from typing import NamedTuple

import numpy as np

from bestrand.rng import Stream
from bestrand.stats.explained import explained_by_others, scatter, strata_at
from bestrand.stats.regression import ridge_penalty
from bestrand.types import FloatArray, IntArray


N_DRAWS = 4000


class ForecastErrors(NamedTuple):
    """What to expect of the mean absolute error over targets, on 0..1.

    Attributes:
        mean: over draws.
        p95: its 95th percentile.
    """

    mean: float
    p95: float


class Forecast(NamedTuple):
    """What to expect of a simple random subset and of one balanced on the probes.

    Attributes:
        random: of a simple random subset of n items.
        balanced: of n items that match the probes' means on a pool of m.
    """

    random: ForecastErrors
    balanced: ForecastErrors


def forecast(
    z: FloatArray,
    n: int,
    *,
    n_pool: int,
    n_frame: int,
    n_targets: int,
    stream: Stream,
    groups: IntArray | None = None,
) -> Forecast:
    r"""Forecast errors of n items from the probes' own scores, each probe standing for a target.

    ForecastErrors e_j = sqrt(C) g + sqrt(V_j - C) g_j of a common and an own part are drawn, with

    $$ V_k = W_{kk}\,[a(1-R^2_k) + b], \quad C = \bar W_{\neq}\,[a(1-R_c) + b], \quad
       a = \tfrac1n - \tfrac1m, \; b = \tfrac1m - \tfrac1N $$

    W is the probes' covariance, R^2_k what the other probes explain of probe k, and
    R_c = K rho / (1 + (K-1) rho) what K probes explain of what models have in common.

    Args:
        z: (K, m) scores of the probes on 0..1; those that are flat are left out.
        n: size of the subset.
        n_pool: m of the planned pool.
        n_frame: N.
        n_targets: T, how many targets one error is averaged over.
        stream: the chance.
        groups: (m,) code of each item's group, where subset and pool keep each group's share; W is
            then the covariance within groups.

    Returns:
        mean and 95th percentile of the error for both; nan if every probe is flat.
    """
    usable = np.ptp(z, axis=1) > 0
    if not usable.any():
        unknown = ForecastErrors(float("nan"), float("nan"))
        return Forecast(unknown, unknown)
    z = z[usable]
    strata = strata_at(groups, n)
    explained = explained_by_others(z, strata, penalty=ridge_penalty(z))
    shares = np.clip(np.nan_to_num(explained), 0.0, 1.0)
    own, common = _split(scatter(z).covariance)
    own_within, common_within = _split(scatter(z, strata).covariance)
    rho = max(common_within / own_within.mean(), 0.0) if own_within.any() else 0.0
    common_share = len(z) * rho / (1 + (len(z) - 1) * rho)
    a, b, whole = 1 / n - 1 / n_pool, 1 / n_pool - 1 / n_frame, 1 / n - 1 / n_frame
    return Forecast(
        random=_draw(own * whole, common * whole, n_targets, stream),
        balanced=_draw(
            own_within * (a * (1 - shares) + b),
            common_within * (a * (1 - common_share) + b),
            n_targets,
            stream,
        ),
    )


def _split(covariance: FloatArray) -> tuple[FloatArray, float]:
    """Return the variances, and the mean covariance of two probes (0 of one)."""
    own = np.diag(covariance)
    n_pairs = max(own.size * (own.size - 1), 1)
    return own, float((covariance.sum() - own.sum()) / n_pairs)


def _draw(variances: FloatArray, common: float, n_targets: int, stream: Stream) -> ForecastErrors:
    """Draw the mean absolute error of targets that are like random probes."""
    rng = stream.generator()
    shared = float(np.clip(common, 0.0, 0.98 * variances.min()))
    like = rng.integers(0, variances.size, size=(N_DRAWS, n_targets))
    own = np.sqrt(variances - shared)[like] * rng.standard_normal((N_DRAWS, n_targets))
    errors = np.sqrt(shared) * rng.standard_normal((N_DRAWS, 1)) + own
    mae = np.abs(errors).mean(axis=1)
    return ForecastErrors(float(mae.mean()), float(np.quantile(mae, 0.95)))

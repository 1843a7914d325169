"""Forecasts: the errors to expect, from the probes alone, before any target has run."""

from typing import NamedTuple

import numpy as np

from bestrand.rng import Stream
from bestrand.stats.regression import ridge_residuals
from bestrand.types import FloatArray


N_DRAWS = 4000


class Errors(NamedTuple):
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

    random: Errors
    balanced: Errors


def explained_by_others(z: FloatArray) -> FloatArray:
    """Give the share of each probe's variance that the other probes explain; (K,).

    Ridge regression of each probe on the rest, penalty 2, with its degrees of freedom counted; nan
    for a probe that is flat, and 0 where there is no other.

    Args:
        z: (K, m) scores on 0..1.
    """
    shares = np.full(len(z), np.nan)
    for k, scores in enumerate(z):
        variance = scores.var(ddof=1)
        if variance <= 0:
            continue
        others = np.delete(z, k, axis=0)
        left = ridge_residuals(scores[None, :], others.T).variance[0] if len(others) else variance
        shares[k] = 1 - left / variance
    return shares


def forecast(
    z: FloatArray, n: int, *, n_pool: int, n_frame: int, n_targets: int, stream: Stream
) -> Forecast:
    r"""Forecast errors of n items from the probes' own scores, each probe standing for a target.

    Errors e_j = sqrt(C) g + sqrt(V_j - C) g_j of a common and an own part are drawn, with

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

    Returns:
        mean and 95th percentile of the error for both; nan if every probe is flat.
    """
    shares = explained_by_others(z)
    usable = ~np.isnan(shares)
    if not usable.any():
        unknown = Errors(float("nan"), float("nan"))
        return Forecast(unknown, unknown)
    z, shares = z[usable], np.clip(shares[usable], 0.0, 1.0)
    covariance = np.atleast_2d(np.cov(z))
    own = np.diag(covariance)
    n_probes = len(z)
    common = (covariance.sum() - own.sum()) / max(n_probes * (n_probes - 1), 1)
    rho = max(common / own.mean(), 0.0)
    common_share = n_probes * rho / (1 + (n_probes - 1) * rho)
    a, b, whole = 1 / n - 1 / n_pool, 1 / n_pool - 1 / n_frame, 1 / n - 1 / n_frame
    return Forecast(
        random=_draw(own * whole, common * whole, n_targets, stream),
        balanced=_draw(
            own * (a * (1 - shares) + b),
            common * (a * (1 - common_share) + b),
            n_targets,
            stream,
        ),
    )


def _draw(variances: FloatArray, common: float, n_targets: int, stream: Stream) -> Errors:
    """Draw the mean absolute error of targets that are like random probes."""
    rng = stream.generator()
    shared = float(np.clip(common, 0.0, 0.98 * variances.min()))
    like = rng.integers(0, variances.size, size=(N_DRAWS, n_targets))
    own = np.sqrt(variances - shared)[like] * rng.standard_normal((N_DRAWS, n_targets))
    errors = np.sqrt(shared) * rng.standard_normal((N_DRAWS, 1)) + own
    mae = np.abs(errors).mean(axis=1)
    return Errors(float(mae.mean()), float(np.quantile(mae, 0.95)))

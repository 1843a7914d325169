"""Simple random subsets simulated on real scores, beside the law of their error."""

from typing import NamedTuple

import numpy as np

from bestrand.core.scores import ScoreMatrix
from bestrand.errors import ArgumentError
from bestrand.planning.checks import frame_size
from bestrand.rng import Stream
from bestrand.settings import real_number, whole_number
from bestrand.stats.monte_carlo import quantile_error
from bestrand.stats.tail import draw_mae, error_covariance
from bestrand.types import FloatArray


N_DRAWS = 5000
N_BINS = 40
N_GRID = 201
BLOCK_CELLS = 2_000_000


class ErrorLaw(NamedTuple):
    """Errors of simple random subsets, simulated, and what the law says of them.

    The error of a subset is the mean absolute error over models, in the metric's unit.

    Attributes:
        metric: what was scored.
        n: items of a subset.
        n_items: N.
        retention: n / N as it was asked for.
        n_models: L.
        n_draws: subsets simulated.
        edges: (B + 1,) borders of the bins.
        shares: (B,) share of the simulated subsets whose error is in each bin.
        grid: (G,) errors at which the law is given.
        expected: (G,) density of the law times the width of a bin, to be held against `shares`.
        simulated_mean: mean over the simulated subsets.
        simulated_p95: their 95th percentile.
        simulated_p95_se: its Monte Carlo standard error.
        law_mean: mean of the law.
        law_p95: its 95th percentile.
    """

    metric: str
    n: int
    n_items: int
    retention: float
    n_models: int
    n_draws: int
    edges: FloatArray
    shares: FloatArray
    grid: FloatArray
    expected: FloatArray
    simulated_mean: float
    simulated_p95: float
    simulated_p95_se: float
    law_mean: float
    law_p95: float


def simulate_random_mae(y: FloatArray, n: int, n_draws: int, stream: Stream) -> FloatArray:
    """Draw simple random subsets and give each one's mean absolute error over models; (n_draws,).

    Args:
        y: (L, N) full scores, no nan.
        n: items of a subset, 1..N.
        n_draws: how many subsets.
        stream: the chance; draw d is the same whatever `n_draws`.

    Returns:
        mean over models of |subset mean - full mean|, in the unit of y, in the order drawn.
    """
    n_items = y.shape[1]
    rng, full = stream.generator(), y.mean(axis=1)
    block = max(1, BLOCK_CELLS // n_items)
    errors = np.empty(n_draws)
    for start in range(0, n_draws, block):
        size = min(block, n_draws - start)
        keys = rng.random((size, n_items))  # (size, N)
        chosen = np.zeros((size, n_items))
        np.put_along_axis(chosen, keys.argpartition(n - 1, axis=1)[:, :n], 1.0, axis=1)
        means = chosen @ y.T / n  # (size, L)
        errors[start : start + size] = np.abs(means - full).mean(axis=1)
    return errors


def error_law(
    scores: ScoreMatrix,
    retention: float,
    *,
    n_items: int | None = None,
    n_draws: int = N_DRAWS,
    seed: int = 0,
) -> ErrorLaw:
    """Simulate simple random subsets of real scores, and hold them against the law of their error.

    The law is the one of `diagnose`, from the same draws: its 95th percentile is the same number.

    Args:
        scores: of one model or more, without holes. Item weights are left aside.
        retention: n / N, in (0, 1].
        n_items: N, if `scores` are those of some of the items, as of a pool. Subsets are then
            drawn from N items of which each has the scores of one at hand, as often as any other.
        n_draws: subsets to simulate, 2 or more.
        seed: the one source of chance.

    Raises:
        ArgumentError: a retention outside (0, 1], fewer than two draws, or N below the items of
            the scores.

    References:
        Gross, S. (1980). Median estimation in sample surveys. Proc. Survey Research Methods
        Section, ASA (repeating the sample to the size of the frame).
    """
    retention = real_number(retention, "retention")
    if not 0 < retention <= 1:
        raise ArgumentError(f"`retention` must be above 0 and at most 1, got {retention:g}.")
    n_draws = whole_number(n_draws, "n_draws")
    if n_draws < 2:
        raise ArgumentError(f"`n_draws` must be 2 or more, got {n_draws}. Raise it.")
    y = scores.scaled()
    unit = scores.span[1]
    n_frame = frame_size(n_items, scores.frame.n)
    n = max(1, round(retention * n_frame))
    law = unit * draw_mae(error_covariance(y, n, n_frame), Stream.of(seed, f"{retention}"))
    stream = Stream.of(seed, "simulate", f"{retention}")
    repeated = y if n_frame == y.shape[1] else y[:, np.arange(n_frame) % y.shape[1]]
    drawn = np.sort(unit * simulate_random_mae(repeated, n, n_draws, stream))
    top = float(max(law[-1], drawn[-1])) or 1.0
    shares, edges = np.histogram(drawn, bins=N_BINS, range=(0.0, top))
    grid = np.linspace(0.0, top, N_GRID)
    return ErrorLaw(
        metric=scores.metric,
        n=n,
        n_items=n_frame,
        retention=retention,
        n_models=len(scores.models),
        n_draws=n_draws,
        edges=edges,
        shares=shares / n_draws,
        grid=grid,
        expected=_density(law, grid) * (edges[1] - edges[0]),
        simulated_mean=float(drawn.mean()),
        simulated_p95=float(np.quantile(drawn, 0.95)),
        simulated_p95_se=quantile_error(drawn, 0.95),
        law_mean=float(law.mean()),
        law_p95=float(np.quantile(law, 0.95)),
    )


def _density(draws: FloatArray, grid: FloatArray) -> FloatArray:
    """Smooth draws that are 0 or more into a density, reflected at 0; nan if all are the same."""
    from scipy.stats import gaussian_kde

    if np.ptp(draws) == 0:
        return np.full_like(grid, np.nan)
    smooth = gaussian_kde(draws)
    return np.asarray(smooth(grid) + smooth(-grid))

"""The law of the mean absolute error over models, under simple random sampling of items.

Letters: L models, N items, n drawn without replacement, e the L errors (subset mean - full mean).
All errors share a shift c = mean(e), which no number of models averages away.

References:
    Random Is Almost Enough? Stable and Low-Cost Benchmark Compression via BestRand (2026). Bosch
    Research and Carnegie Mellon University. The article's printed formulas were re-derived here;
    each is checked by enumeration or simulation.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import gammaln, ndtr, ndtri

from bestrand.rng import Stream
from bestrand.types import FloatArray


N_DRAWS = 20_000
N_SHIFTS, N_ERRORS = 400, 2000  # points at which the density of the law is computed
# The mode of x^(-1/2) on x > 0 smoothed by a standard normal: where the density of the MAE of very
# many models peaks, in standard deviations of what is left of the models' own errors.
PEAK = 0.76495


def correction(n: int, n_frame: int) -> float:
    """Return (N - n) / (N - 1), the finite population correction; 0 where n = N.

    Examples:
        >>> correction(20, 100)
        0.8080808080808081
    """
    return 0.0 if n == n_frame else (n_frame - n) / (n_frame - 1)


def error_covariance(y: FloatArray, n: int, n_frame: int | None = None) -> FloatArray:
    r"""Exact covariance of the models' errors when n of N items are drawn at random.

    $$ \Sigma = \Sigma_y\,\frac{1}{n}\,\frac{N-n}{N-1} $$

    Of scores on m of the N items, as on a pool, it is the unbiased estimate, Sigma_y with divisor
    m - 1 times 1/n - 1/N.

    Args:
        y: (L, N) scores, no nan; or (L, m) of them.
        n: size of the subset.
        n_frame: N, if `y` holds some of the items only.

    Returns:
        (L, L), with Sigma_y the covariance over the frame, divisor N.

    Examples:
        >>> error_covariance(np.array([[0.0, 1.0, 1.0, 0.0]]), 2)
        array([[0.08333333]])
    """
    off = y - y.mean(axis=1, keepdims=True)
    return np.asarray(off @ off.T / y.shape[1] * _sampling(n, y.shape[1], n_frame) / n)


def _sampling(n: int, n_seen: int, n_frame: int | None) -> float:
    """Return (N - n) / (N - 1), or what stands for it where `n_seen` of the N items are seen."""
    if n_frame is None or n_frame == n_seen:
        return correction(n, n_seen)
    return n_seen / (n_seen - 1) * (1 - n / n_frame)


def shift_deviation(y: FloatArray, n: int, n_frame: int | None = None) -> float:
    r"""Exact standard deviation sigma_c of the common shift.

    $$ \sigma_c^2 = \frac{1'\Sigma 1}{L^2} = \frac{N-n}{N-1}\,\frac{\mathrm{Var}_i(\bar y_i)}{n} $$

    with y-bar_i the mean score of item i over the models: the sampling variance of difficulty. Of
    scores on some of the items, with `n_frame` the number of all, it is estimated.

    Examples:
        >>> shift_deviation(np.array([[0.0, 1.0, 1.0, 0.0]]), 2)
        0.28867513459481287
    """
    difficulty = y.mean(axis=0)
    return float(np.sqrt(difficulty.var() * _sampling(n, y.shape[1], n_frame) / n))


def correlations(y: FloatArray) -> FloatArray:
    """Correlate the models' item scores pairwise; (L, L), nan beside a model that is flat."""
    off = y - y.mean(axis=1, keepdims=True)
    length = np.sqrt((off**2).sum(axis=1))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((off @ off.T) / np.outer(length, length))


def mean_correlation(y: FloatArray) -> float:
    """Return rho, the mean correlation over all pairs of models; nan for fewer than two.

    Examples:
        >>> round(mean_correlation(np.array([[0.0, 1.0, 1.0], [0.0, 1.0, 1.0]])), 12)
        1.0
    """
    pairs = correlations(y)[np.triu_indices(len(y), 1)]
    known = pairs[~np.isnan(pairs)]
    return float(known.mean()) if known.size else float("nan")


def exceedance_bound(t: float, sigma_c: float) -> float:
    r"""Bound P(MAE >= t) from below by the shift alone, 2 (1 - Phi(t / sigma_c)).

    Examples:
        >>> round(exceedance_bound(0.0196, 0.01), 3)
        0.05
    """
    if sigma_c == 0.0:
        return 1.0 if t <= 0 else 0.0
    return float(2 * ndtr(-t / sigma_c)) if t > 0 else 1.0


def draw_mae(covariance: FloatArray, stream: Stream, n_draws: int = N_DRAWS) -> FloatArray:
    """Draw from the law of the MAE: mean |e| with e normal of this covariance; (n_draws,), sorted.

    No common correlation is assumed: all models' own variances and correlations are in.

    Args:
        covariance: (L, L) of the errors.
        stream: the chance.
        n_draws: how many.
    """
    values, vectors = np.linalg.eigh(covariance)
    kept = values > max(float(values.max(initial=0.0)), 0.0) * 1e-12
    factor = vectors[:, kept] * np.sqrt(values[kept])
    normal = stream.generator().standard_normal((n_draws, int(kept.sum())))
    return np.sort(np.abs(normal @ factor.T).mean(axis=1))


class EqualCorrelation(NamedTuple):
    r"""The law of the MAE of many models with one error variance and one correlation.

    $$ g(c) = \tau\sqrt{2/\pi}\,e^{-c^2/2\tau^2} + |c|\,(2\Phi(|c|/\tau) - 1), \qquad
       \tau = s_e\sqrt{1-\rho}, \quad c \sim N(0, \rho s_e^2) $$

    Attributes:
        s_e: standard deviation of one model's error.
        rho: correlation of two models' errors, 0..1.
    """

    s_e: float
    rho: float

    @classmethod
    def of(cls, covariance: FloatArray) -> "EqualCorrelation":
        """Take the mean variance and the mean covariance of errors (L, L), the latter within 0..1.

        Examples:
            >>> EqualCorrelation.of(np.array([[4.0, 1.0], [1.0, 4.0]]))
            EqualCorrelation(s_e=2.0, rho=0.25)
        """
        own = float(np.diag(covariance).mean())
        n_pairs = max(len(covariance) * (len(covariance) - 1), 1)
        common = float(covariance.sum() - np.trace(covariance)) / n_pairs
        rho = min(max(common / own, 0.0), 1.0) if own > 0 else 0.0
        return cls(float(np.sqrt(own)), rho)

    @property
    def tau(self) -> float:
        """Standard deviation of what is a model's own."""
        return float(self.s_e * np.sqrt(1 - self.rho))

    @property
    def sigma_c(self) -> float:
        """Standard deviation of the common shift."""
        return float(self.s_e * np.sqrt(self.rho))

    @property
    def lower_end(self) -> float:
        """The smallest MAE that many models can have, tau sqrt(2 / pi)."""
        return float(self.tau * np.sqrt(2 / np.pi))

    @property
    def mean(self) -> float:
        """Expected MAE, s_e sqrt(2 / pi) whatever the correlation."""
        return float(self.s_e * np.sqrt(2 / np.pi))

    @property
    def mode_rate(self) -> float:
        r"""How fast the mode comes down to the lower end: the gap is this over sqrt(L).

        $$ \mathrm{mode} - \tau\sqrt{2/\pi} \to 0.765\,\tau\sqrt{(1-2/\pi)/L} $$
        """
        return float(PEAK * self.tau * np.sqrt(1 - 2 / np.pi))

    def mode(self, n_models: int) -> float:
        r"""Return the most likely MAE of L models.

        Given the shift c, the MAE has the mean g(c) and the variance (tau^2 + c^2 - g(c)^2) / L.
        Its law is taken for a gamma law with these, and mixed over c. For very many models the
        mode is `lower_end` + `mode_rate` / sqrt(L); for ten it is met within a few per cent.

        Args:
            n_models: L, 1 or more.
        """
        if self.tau == 0.0:
            return 0.0
        levels = (np.arange(N_SHIFTS) + 0.5) / N_SHIFTS
        shifts = self.sigma_c / self.tau * ndtri(0.5 + levels / 2)  # in units of tau
        low = np.sqrt(2 / np.pi)
        centre = low * np.exp(-(shifts**2) / 2) + shifts * (2 * ndtr(shifts) - 1)
        variance = np.maximum(1 + shifts**2 - centre**2, 1e-12) / n_models
        shape, scale = centre**2 / variance, variance / centre
        errors = np.linspace(0, low + 3 / np.sqrt(n_models), N_ERRORS + 1)[1:]
        logs = (shape - 1) * np.log(errors[:, None]) - errors[:, None] / scale
        density = np.exp(logs - shape * np.log(scale) - gammaln(shape)).mean(axis=1)
        return float(self.tau * errors[density.argmax()])

    def mae(self, shift: float) -> float:
        """Return the MAE of many models whose common shift is `shift`."""
        size = abs(shift)
        if self.tau == 0.0:
            return size
        flat = self.lower_end * np.exp(-(size**2) / (2 * self.tau**2))
        return float(flat + size * (2 * ndtr(size / self.tau) - 1))

    def quantile(self, level: float) -> float:
        """Return the MAE below which a share `level` of draws stays; g grows with |c|."""
        return self.mae(self.sigma_c * float(ndtri(0.5 + level / 2)))

    def exceedance(self, t: float) -> float:
        """Return P(MAE > t)."""
        if t < self.lower_end:
            return 1.0
        if self.sigma_c == 0.0:
            return 0.0
        low, high = 0.0, t  # g(c) >= |c|, so the shift that gives t lies in 0..t
        for _ in range(200):
            middle = (low + high) / 2
            low, high = (middle, high) if self.mae(middle) < t else (low, middle)
        return float(2 * ndtr(-high / self.sigma_c))


class ExplainedShift(NamedTuple):
    """Least squares of the items' difficulty on the probes, over the frame.

    Attributes:
        r_squared: the shift R^2, share of the difficulty's variance that the probes explain. It is
            not the target R^2, the share of one target's own variance, which is far smaller.
        slopes: (K,) of the probes.
        residuals: (N,) what is left, mean 0 and orthogonal to the probes.
    """

    r_squared: float
    slopes: FloatArray
    residuals: FloatArray


def explain_shift(difficulty: FloatArray, probes: FloatArray) -> ExplainedShift:
    """Split the common shift into what the probes' means move and what they do not.

    c = slopes' (subset means - full means of the probes) + subset mean of the residuals; under
    simple random sampling the two parts are uncorrelated, exactly.

    Args:
        difficulty: (N,) mean score of each item over the targets.
        probes: (K, N) scores of the probes.
    """
    z = (probes - probes.mean(axis=1, keepdims=True)).T
    off = difficulty - difficulty.mean()
    slopes = np.linalg.lstsq(z, off, rcond=None)[0]
    residuals = off - z @ slopes
    total = float(off @ off)
    r_squared = 1 - float(residuals @ residuals) / total if total > 0 else 0.0
    return ExplainedShift(r_squared, slopes, residuals)


def balanced_share(shift_r2: float, alpha: float, retention: float) -> float:
    r"""Share of the shift's variance that is left after choosing the best subset of a pool.

    $$ (1-R^2) + \frac{R^2}{\alpha}\,\frac{1-\alpha n/N}{1-n/N} $$

    Args:
        shift_r2: share of the shift's variance that the probes explain (`explain_shift`). With a
            target R^2 instead, the same formula speaks of that target's own error.
        alpha: m / n >= 1; once alpha * n reaches N the pool is the frame.
        retention: n / N.

    Returns:
        Variance over that of a simple random subset, if the search leaves no gap to the pool.

    Examples:
        >>> balanced_share(0.5, 4.0, 0.05)
        0.6052631578947368
    """
    if retention >= 1.0:
        return 1.0
    alpha = min(alpha, 1 / retention)
    return (1 - shift_r2) + shift_r2 / alpha * (1 - alpha * retention) / (1 - retention)

"""Shrunk: estimates drawn a little towards their mean, where the subset cannot tell them apart."""

from dataclasses import dataclass, field
from typing import final

import numpy as np

from bestrand.core.method import Needs
from bestrand.estimators.base import Estimator, Inference, Seen
from bestrand.estimators.regression import Regression
from bestrand.notes import Note
from bestrand.stats.balance import linearised
from bestrand.stats.regression import ridge_penalty, ridge_residuals
from bestrand.types import BoolArray, FloatArray


FEWEST_TARGETS = 4
CAP = 0.5  # of a standard error: keeps most of the gain and a third less harm to the best model


@final
@dataclass(frozen=True, slots=True)
class Shrunk(Estimator):
    r"""Empirical Bayes shrinkage towards the targets' mean, by half a standard error at most.

    $$ B = \max\Bigl(0, 1 - \frac{v}{\mathrm{var}(\hat\mu)}\frac{T-3}{T-1}\Bigr), \qquad
       \hat\mu^*_j = \hat\mu_j + \mathrm{clip}\bigl((1-B)(\bar\mu - \hat\mu_j),
       \pm\tfrac12\sqrt v\bigr) $$

    with v the error variance of a target's distance from the targets' mean. Errors over all
    targets shrink; the truly best model is pulled down. The unshrunk value is always kept beside,
    and differences between models are those of the unshrunk values.

    Attributes:
        base: the estimator whose estimates are shrunk.

    References:
        James, W. and Stein, C. (1961). Estimation with quadratic loss. Proc. 4th Berkeley Symp.
        Morris, C. N. (1983). Parametric empirical Bayes inference. J. Am. Stat. Assoc. 78(381).
        doi:10.1080/01621459.1983.10477920. Efron, B. and Morris, C. (1972), for limited
        translation. The cap of half a standard error is ours.
    """

    base: Estimator = field(default_factory=Regression)

    @property
    def needs(self) -> Needs:  # type: ignore[override]
        """What its base needs."""
        return self.base.needs

    @property
    def name(self) -> str:
        """The name by which results know it."""
        return f"Shrunk({self.base.name})"

    def infer(self, seen: Seen) -> Inference:
        """Estimate the full scores; see `Estimator.infer`."""
        plain = self.base.infer(seen)
        there = np.asarray(~np.isnan(seen.scores).any(axis=0))
        if len(seen.scores) < FEWEST_TARGETS or there.sum() < FEWEST_TARGETS:
            text = f"Fewer than {FEWEST_TARGETS} targets: nothing to shrink towards."
            note = Note("not-shrunk", text)
            return plain._replace(unshrunk=plain.estimate, notes=(*plain.notes, note))
        shrunk = shrink(plain.estimate, apart_variance(seen, there))
        return plain._replace(estimate=shrunk, unshrunk=plain.estimate)


def apart_variance(seen: Seen, there: BoolArray) -> float:
    """Return the error variance of a target's distance from the targets' mean, on average."""
    rows = seen.others if seen.others.sum() >= 2 else np.ones(len(seen.scores), dtype=np.bool_)
    y, weights = seen.scores[np.ix_(rows, there)], seen.weights[there]
    n_targets, n = len(y), seen.scores.shape[1]
    apart = linearised(y - y.mean(axis=0), weights)
    total = float(apart.var(axis=1, ddof=1).mean())
    left = total
    if seen.probes is not None:
        columns = linearised(seen.probes[:, there], weights)
        fit = ridge_residuals(apart, columns.T, penalty=ridge_penalty(columns))
        fitted = float(fit.variance.mean())
        left = min(total, fitted) if np.isfinite(fitted) else total
    chosen = (1 / n - 1 / seen.n_pool) * left
    pooled = (1 / seen.n_pool - 1 / seen.n_frame) * total
    return float((chosen + pooled) * n_targets / (n_targets - 1))


def shrink(estimates: FloatArray, variance: float) -> FloatArray:
    """Draw estimates towards their mean; (T,), T >= 4."""
    n_targets = estimates.size
    spread = float(estimates.var(ddof=1))
    kept = 0.0
    if spread > 0:
        kept = max(0.0, 1 - variance / spread * (n_targets - 3) / (n_targets - 1))
    reach = CAP * np.sqrt(variance)
    shift = (1 - kept) * (estimates.mean() - estimates)
    return np.asarray(estimates + np.clip(shift, -reach, reach))

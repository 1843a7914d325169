"""Regression on the probes: the mean, corrected by what the subset's probe means are off."""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from bestrand.core.method import Needs
from bestrand.estimators.base import Estimator, Inference, Seen, require_reference
from bestrand.estimators.two_phase import Adjustment, group_columns, two_phase_inference
from bestrand.settings import Penalty
from bestrand.stats.balance import linearised
from bestrand.stats.regression import PENALTY, ridge_penalty
from bestrand.types import FloatArray


@final
@dataclass(frozen=True, slots=True)
class Regression(Estimator):
    r"""Ridge regression of each target's scores on the probes' scores, item by item.

    $$ \hat\mu_j = \bar y_j + (\bar z - \bar z_S)' B_j, \qquad
       B = (Z_c'Z_c + \lambda I)^{-1} Z_c'Y_c $$

    On a subset that matches the probes' means it changes little; on a simple random one it does
    what the match would have done. Its interval is that of two-phase sampling.

    Attributes:
        penalty: lambda, for probes whose variance is 1/4, that of right-or-wrong scores of a
            half-right model; where theirs is smaller or larger, lambda is too. Above 0.

    References:
        Cochran, W. G. (1977). Sampling Techniques, 3rd ed., section 12.6. Wiley.
    """

    needs: ClassVar[Needs] = "probes"

    penalty: Penalty = PENALTY

    def infer(self, seen: Seen) -> Inference:
        """Estimate the full scores; see `Estimator.infer`."""
        probes, means = require_reference(self, seen)
        rows = linearised(probes, seen.weights)
        penalty = self.penalty / PENALTY * ridge_penalty(rows)
        shift = regression_shift(
            seen.scores, probes, means, seen.weights, np.full(len(probes), penalty)
        )
        columns = [*rows, *group_columns(seen, n_others=len(rows))]
        return two_phase_inference(seen, np.stack(columns, axis=1), shift, penalty=penalty)


def regression_shift(
    y: FloatArray,
    probes: FloatArray,
    means: FloatArray,
    weights: FloatArray,
    penalties: FloatArray,
) -> Adjustment:
    """Return what a regression on the probes adds to the weighted means.

    Each target has the slopes of its own items; its mean is corrected by what the probes are off
    on these, a paired difference by what they are off on the items that both were scored on.

    Args:
        y: (T, n) targets, nan where there is no score.
        probes: (K, n) on the same items.
        means: (K,) of the probes on the pool.
        weights: (n,) of the items.
        penalties: (K,) ridge penalty of each probe.
    """
    there = ~np.isnan(y)
    slopes = np.zeros((len(y), len(probes)))
    patterns, pattern_of = np.unique(there, axis=0, return_inverse=True)
    for code, pattern in enumerate(patterns):
        rows = np.flatnonzero(pattern_of.ravel() == code)
        a = weights[pattern]
        if a.sum() <= 0:
            continue
        z = linearised(probes[:, pattern], a)  # (K, n')
        u = linearised(y[np.ix_(rows, pattern)], a)
        slopes[rows] = np.linalg.solve(z @ z.T + np.diag(penalties), z @ u.T).T
    scored = there * weights
    total = there @ weights
    off = means - np.divide(
        scored @ probes.T, total[:, None], where=total[:, None] > 0, out=np.tile(means, (len(y), 1))
    )
    own = (off * slopes).sum(axis=1)
    if there.all():
        return Adjustment(own, own[:, None] - own)
    pairs, shared = np.zeros((len(y), len(y))), scored @ there.T
    for k, scores in enumerate(probes):
        mean = np.divide(
            (scored * scores) @ there.T,
            shared,
            where=shared > 0,
            out=np.full(shared.shape, means[k]),
        )
        pairs += (means[k] - mean) * (slopes[:, k, None] - slopes[:, k])
    return Adjustment(own, pairs)

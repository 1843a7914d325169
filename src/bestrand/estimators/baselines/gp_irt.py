"""Generalised performance-IRT: between the weighted mean and what an IRT model predicts."""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from bestrand.core.method import Needs
from bestrand.estimators.base import Estimator, Inference, Seen, without_errors
from bestrand.estimators.baselines.cluster_weighted import cluster_weighted_mean
from bestrand.estimators.baselines.p_irt import REASON, predicted_mean
from bestrand.estimators.learned import nothing_to_infer, require_sources
from bestrand.stats.irt_scores import fit_sources
from bestrand.types import FloatArray


@final
@dataclass(frozen=True, slots=True)
class GpIrt(Estimator):
    r"""Blend of the mean by the design's weights and of `PIrt`.

    $$ \hat\mu_j = \lambda \hat\mu_j^{\text{weighted}} + (1 - \lambda) \hat\mu_j^{\text{p-IRT}},
       \qquad \lambda = \frac{b^2}{b^2 + v} $$

    b is how far the IRT model errs on the mean of a source that it was not fitted to, see
    `choose_dimensions`, and v = (mean over sources of the variance of their scores) / 4n. Where
    the design gave no weights, the weighted mean is that by the items' own.

    References:
        Maia Polo, F., Weber, L., Choshen, L., Sun, Y., Xu, G. and Yurochkin, M. (2024).
        tinyBenchmarks: evaluating LLMs with fewer examples. ICML. arXiv:2402.14992
    """

    needs: ClassVar[Needs] = "sources"
    assumes_random_draw: ClassVar[bool] = False

    def infer(self, seen: Seen) -> Inference:
        """Estimate the full scores; see `Estimator.infer`."""
        exact = nothing_to_infer(self, seen)
        if exact is not None:
            return exact
        sources = require_sources(self, seen)
        predicted = predicted_mean(seen.scores, sources)
        error = fit_sources(sources.scores).error
        share = weighted_share(sources.scores, sources.weights, seen.scores.shape[1], error)
        blend = share * cluster_weighted_mean(seen) + (1 - share) * predicted
        return without_errors(blend, REASON)


def weighted_share(scores: FloatArray, weights: FloatArray, n: int, error: float) -> float:
    """Return lambda, the share of the weighted mean.

    Args:
        scores: (L, N) of the sources.
        weights: (N,) of the items.
        n: items of the subset.
        error: b, of the IRT model.
    """
    parts = weights / weights.sum()
    variances = (scores - (scores @ parts)[:, None]) ** 2 @ parts
    noise = float(np.mean(variances)) / (4 * n)
    if noise == 0.0:
        return 1.0
    return error**2 / (error**2 + noise)

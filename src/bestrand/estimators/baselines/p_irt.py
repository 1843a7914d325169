"""Performance-IRT: scores where they were seen, an IRT model's predictions elsewhere."""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from bestrand.core.method import Needs
from bestrand.estimators.base import Estimator, Inference, Seen, without_errors
from bestrand.estimators.learned import KnownSources, nothing_to_infer, require_sources
from bestrand.stats.irt import fit_ability, probability
from bestrand.stats.irt_scores import fit_sources, is_right
from bestrand.types import FloatArray


REASON = (
    "What an IRT model predicts is off by as much as the model is wrong for these targets, and the "
    "subset cannot tell how much that is: there is no interval."
)


@final
@dataclass(frozen=True, slots=True)
class PIrt(Estimator):
    r"""Mean over all items, of the scores seen and of the chances predicted for the rest.

    $$ \hat\mu_j = \Bigl( \sum_{i \in S} a_i y_{ji}
       + \sum_{i \notin S} a_i P(\text{right} \mid \hat\theta_j) \Bigr) \Big/ \sum_i a_i $$

    The IRT model is that of the sources on the whole frame; theta comes from the target's scores
    on the subset, made right or wrong by the sources' threshold. a_i is the item's weight.

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
        return without_errors(predicted_mean(seen.scores, require_sources(self, seen)), REASON)


def predicted_mean(scores: FloatArray, sources: KnownSources) -> FloatArray:
    """Return the mean over scores seen and predicted; (T,) for scores (T, n)."""
    fit, columns = fit_sources(sources.scores), sources.columns
    ability = fit_ability(fit.model, is_right(scores, fit.thresholds[columns]), columns)
    expected = probability(fit.model, ability)
    expected[:, columns] = scores
    return np.asarray(expected @ sources.weights / sources.weights.sum())

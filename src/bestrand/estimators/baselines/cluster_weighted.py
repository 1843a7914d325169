"""The mean over chosen items, each counting for the cluster that it stands for."""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from bestrand.errors import EstimateError
from bestrand.estimators.base import Estimator, Inference, Seen, without_errors
from bestrand.estimators.learned import nothing_to_infer
from bestrand.types import FloatArray


REASON = (
    "Items that stand for clusters were not chosen by chance, so how far the estimate can be off "
    "is not known: there is no interval."
)


@final
@dataclass(frozen=True, slots=True)
class ClusterWeighted(Estimator):
    r"""Weighted mean with the weights that the design gave.

    $$ \hat\mu_j = \sum_{i \in S} v_i y_{ji} \Big/ \sum_{i \in S} v_i, \qquad
       v_i = \sum_{k \in C_i} a_k $$

    C_i is the cluster that item i stands for and a_k what item k counts for in the full score. So
    the frame's weights are in already, those of all items of the cluster: they do not count again.

    References:
        Vivek, R., Ethayarajh, K., Yang, D. and Kiela, D. (2024). Anchor points: benchmarking
        models with much fewer examples. EACL. arXiv:2309.08638
    """

    assumes_random_draw: ClassVar[bool] = False

    def infer(self, seen: Seen) -> Inference:
        """Estimate the full scores; see `Estimator.infer`."""
        exact = nothing_to_infer(self, seen)
        if exact is not None:
            return exact
        if seen.design_weights is None:
            raise EstimateError(
                f"{self.name} needs to know how much each item stands for, and the design of this "
                "subset gave no such weights. Choose with a design that clusters items, as "
                "IrtAnchors, AnchorPoints or FacilityLocation, or take Mean."
            )
        return without_errors(cluster_weighted_mean(seen), REASON)


def cluster_weighted_mean(seen: Seen) -> FloatArray:
    """Return the mean by the design's weights, by the items' own where it gave none; (T,)."""
    weights = seen.weights if seen.design_weights is None else seen.design_weights
    if seen.design_weights is not None and seen.inclusion is not None:
        weights = seen.weights * seen.design_weights  # inverse chances, which know no item weights
    return np.asarray(seen.scores @ weights / weights.sum())

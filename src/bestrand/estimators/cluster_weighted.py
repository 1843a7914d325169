"""Cluster-weighted mean: each chosen item stands for its cluster."""

from dataclasses import dataclass
from typing import final

from bestrand.errors import EstimateError
from bestrand.estimators.base import (
    Estimator,
    Inference,
    Seen,
    require_complete,
    without_errors,
)


@final
@dataclass(frozen=True, slots=True)
class ClusterWeighted(Estimator):
    """Mean of the scores, each weighted by the share of the items that its item stands for.

    The shares come from the design and count the items' weights already.

    References:
        Vivek, R. et al. (2024). Anchor points: benchmarking models with much fewer examples.
        EACL. Maia Polo, F. et al. (2024). tinyBenchmarks. arXiv:2402.14992.
    """

    def infer(self, seen: Seen) -> Inference:
        """Estimate the full scores; see `Estimator.infer`."""
        require_complete(self, seen)
        if seen.design_weights is None:
            raise EstimateError(
                "ClusterWeighted needs what each item stands for, and this design does not say. "
                "Take Mean."
            )
        estimate = seen.scores @ seen.design_weights / seen.design_weights.sum()
        return without_errors(
            estimate,
            "The items were not drawn by chance, so the error of a cluster-weighted mean cannot be "
            "known from them.",
        )

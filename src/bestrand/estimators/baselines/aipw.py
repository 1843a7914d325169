"""AIPW: predictions from source models, corrected by their residuals on the subset."""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from bestrand.core.method import Needs
from bestrand.estimators.base import Estimator, Inference, Seen, require_reference
from bestrand.estimators.regression import regression_shift
from bestrand.estimators.two_phase import two_phase_inference
from bestrand.settings import Penalty
from bestrand.stats.balance import linearised


@final
@dataclass(frozen=True, slots=True)
class AIPW(Estimator):
    r"""Augmented inverse probability weighting with a ridge regression on the sources.

    $$ \hat\mu_j = \frac1N\sum_i \hat y_{ij} + \frac1n\sum_{i\in S}(y_{ij} - \hat y_{ij}) $$

    With a linear prediction only the sources' full means enter, so no source is needed beyond the
    subset and its mean. The paper fits each target by ridge regression with penalty 10.

    Attributes:
        penalty: of the ridge regression, for scores on 0..1; above 0.

    References:
        Zhang, G., Dorner, F. E. and Hardt, M. (2025). How benchmark prediction from fewer data
        misses the mark. arXiv:2506.07673. Robins, J. M., Rotnitzky, A. and Zhao, L. P. (1994).
        doi:10.1080/01621459.1994.10476818
    """

    needs: ClassVar[Needs] = "sources"

    penalty: Penalty = 10.0

    def infer(self, seen: Seen) -> Inference:
        """Estimate the full scores; see `Estimator.infer`."""
        sources, means = require_reference(self, seen)
        penalties = np.full(len(sources), self.penalty)
        shift = regression_shift(seen.scores, sources, means, seen.weights, penalties)
        features = linearised(sources, seen.weights).T
        return two_phase_inference(seen, features, shift, penalty=self.penalty)

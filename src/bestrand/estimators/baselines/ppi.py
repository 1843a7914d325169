"""Prediction-powered inference: one prediction an item, used as far as it helps."""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from bestrand.core.method import Needs
from bestrand.estimators.base import Estimator, Inference, Seen, require_reference
from bestrand.estimators.regression import regression_shift
from bestrand.estimators.two_phase import two_phase_inference
from bestrand.stats.balance import linearised


@final
@dataclass(frozen=True, slots=True)
class PPI(Estimator):
    r"""PPI++ with power tuning: the probes' mean score of an item as its prediction f.

    $$ \hat\mu_j = \bar y_j + \lambda_j(\bar f - \bar f_S), \qquad
       \lambda_j = \frac{\mathrm{cov}_S(y_j, f)}{\mathrm{var}_S(f)} $$

    The printed tuning divides by 1 + n/N where the N predictions are drawn anew; here the n items
    are among the N, for which the slope itself is best.

    References:
        Angelopoulos, A. N., Duchi, J. C. and Zrnic, T. (2023). PPI++: efficient
        prediction-powered inference. arXiv:2311.01453.
    """

    needs: ClassVar[Needs] = "probes"

    def infer(self, seen: Seen) -> Inference:
        """Estimate the full scores; see `Estimator.infer`."""
        probes, means = require_reference(self, seen)
        prediction = probes.mean(axis=0, keepdims=True)
        tiny = np.full(1, 1e-9)
        shift = regression_shift(
            seen.scores, prediction, means.mean(keepdims=True), seen.weights, tiny
        )
        features = linearised(prediction, seen.weights).T
        return two_phase_inference(seen, features, shift, penalty=1e-9)

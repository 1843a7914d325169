"""The mean of the subset's scores, weighted where the frame is."""

from dataclasses import dataclass
from typing import final

from bestrand.estimators.base import Estimator, Inference, Seen
from bestrand.estimators.two_phase import balanced_features, two_phase_inference


@final
@dataclass(frozen=True, slots=True)
class Mean(Estimator):
    """Weighted mean over the subset; its interval counts what balance took out of chance.

    The variance is that of two-phase sampling: of the choice from the pool only the share that
    the balanced features do not explain is left, pooled over the targets; the draw of the pool
    remains. Without the probes' scores at hand that share is taken as 1, which is never too narrow.

    References:
        Cochran, W. G. (1977). Sampling Techniques, 3rd ed., ch. 12. Wiley.
    """

    def infer(self, seen: Seen) -> Inference:
        """Estimate the full scores; see `Estimator.infer`."""
        return two_phase_inference(seen, balanced_features(seen))

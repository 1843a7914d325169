"""KernelRidgeScores: kernel ridge regression of full scores on score vectors."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, final

import numpy as np

from bestrand.core.method import Needs
from bestrand.estimators.base import Estimator, Inference, Seen
from bestrand.estimators.learned import (
    STRENGTH_SHIFT,
    learned_inference,
    nothing_to_infer,
    require_sources,
)
from bestrand.notes import Note
from bestrand.settings import Penalty, Range
from bestrand.stats.kernel_ridge import fit_kernel_ridge
from bestrand.stats.source_scores import one_thread
from bestrand.types import FloatArray


PENALTIES = tuple(10.0 ** (power / 2) for power in range(-10, 5))
MOST_DEGREES = 100  # the kernel of equal rows of ones is 2^d


@final
@dataclass(frozen=True, slots=True)
class KernelRidgeScores(Estimator):
    r"""Regress the sources' full scores on their scores on the subset, by a polynomial kernel.

    $$ k(x, y) = (x'y / n + 1)^d $$

    A control, strong where targets are like the sources. Under a shift of strength it fails, as
    `RidgeScores` does.

    Attributes:
        degree: d, from 1 to 100.
        penalties: the one with the least leave-one-out error is taken.

    References:
        Bowyer, S., Locatelli, A. and Cao, K. (2026). Efficient benchmarking is just feature
        selection and multiple regression. arXiv:2605.25773
        Saunders, C., Gammerman, A. and Vovk, V. (1998). Ridge regression learning algorithm in
        dual variables. ICML 1998.
    """

    needs: ClassVar[Needs] = "sources"
    assumes_random_draw: ClassVar[bool] = False

    degree: Annotated[int, Range(1, MOST_DEGREES)] = 2
    penalties: tuple[Penalty, ...] = PENALTIES

    def infer(self, seen: Seen) -> Inference:
        """Estimate the full scores; see `Estimator.infer`."""
        exact = nothing_to_infer(self, seen)
        if exact is not None:
            return exact
        sources = require_sources(self, seen)
        with one_thread():
            gram = self._kernel(sources.seen, sources.seen)
            fit = fit_kernel_ridge(gram, sources.full, self.penalties)
            estimate = fit.predict(self._kernel(seen.scores, sources.seen))
        return learned_inference(self, seen, estimate, Note("strength-shift", STRENGTH_SHIFT))

    def _kernel(self, x: FloatArray, y: FloatArray) -> FloatArray:
        return np.asarray((x @ y.T / x.shape[1] + 1.0) ** self.degree)

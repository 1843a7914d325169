"""RidgeScores: a ridge regression of full scores on score vectors, learned from source models."""

from dataclasses import dataclass
from typing import ClassVar, final

from bestrand.core.method import Needs
from bestrand.estimators.base import Estimator, Inference, Seen
from bestrand.estimators.learned import (
    STRENGTH_SHIFT,
    learned_inference,
    nothing_to_infer,
    require_sources,
)
from bestrand.notes import Note
from bestrand.settings import Penalty
from bestrand.stats.kernel_ridge import fit_kernel_ridge
from bestrand.stats.source_scores import one_thread


PENALTIES = tuple(10.0 ** (power / 2) for power in range(-4, 7))


@final
@dataclass(frozen=True, slots=True)
class RidgeScores(Estimator):
    r"""Regress the sources' full scores on their scores on the subset, one column an item.

    $$ \hat\mu_j = \bar\mu + (y_j - \bar x)' (X_c' X_c + \lambda I)^{-1} X_c' (\mu - \bar\mu) $$

    A control, strong where targets are like the sources. Under a shift of strength it fails: what
    it learned draws every target towards the sources' mean.

    Attributes:
        penalties: lambda, for scores on 0..1; the one with the least leave-one-out error is taken.

    References:
        Bowyer, S., Locatelli, A. and Cao, K. (2026). Efficient benchmarking is just feature
        selection and multiple regression. arXiv:2605.25773
        Hoerl, A. E. and Kennard, R. W. (1970). Ridge regression: biased estimation for
        nonorthogonal problems. Technometrics 12(1). doi:10.1080/00401706.1970.10488634
    """

    needs: ClassVar[Needs] = "sources"
    assumes_random_draw: ClassVar[bool] = False

    penalties: tuple[Penalty, ...] = PENALTIES

    def infer(self, seen: Seen) -> Inference:
        """Estimate the full scores; see `Estimator.infer`."""
        exact = nothing_to_infer(self, seen)
        if exact is not None:
            return exact
        sources = require_sources(self, seen)
        with one_thread():
            fit = fit_kernel_ridge(sources.seen @ sources.seen.T, sources.full, self.penalties)
            estimate = fit.predict(seen.scores @ sources.seen.T)
        return learned_inference(self, seen, estimate, Note("strength-shift", STRENGTH_SHIFT))

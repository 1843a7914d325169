"""The history average: two regressions on many source models, averaged."""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from bestrand.core.method import Needs
from bestrand.estimators.base import (
    Estimator,
    Inference,
    Seen,
    named,
    require_complete,
    require_whole_frame,
)
from bestrand.estimators.mean import Mean
from bestrand.estimators.regression import regression_shift
from bestrand.estimators.two_phase import Adjustment, two_phase_inference
from bestrand.notes import Note
from bestrand.settings import Penalty
from bestrand.stats.balance import linearised
from bestrand.stats.components import components
from bestrand.stats.kernel_ridge import fit_kernel_ridge
from bestrand.stats.regression import ridge_penalty
from bestrand.types import BoolArray, FloatArray


N_COMPONENTS = 6
PENALTY = 5.0
PENALTIES = np.logspace(-4, 3, 29)  # of the kernel ridge, as shares of the mean eigenvalue
FEWEST_SOURCES = 3
FLAT = 1e-15
ROUNDING = 1e-9  # of scores on 0..1: at the very end of the range rounding must not decide


@final
@dataclass(frozen=True, slots=True)
class HistoryAverage(Estimator):
    """Average of an item-level ridge on all sources and a kernel ridge over the models.

    The first regresses each target's scores on the sources' scores, item by item. The second
    learns from the sources by how much a full score differs from the mean of the subset, given
    the scores on the subset; regressing the difference, and not the full score itself, keeps it
    from failing when targets are stronger than all sources. Targets that may lie beyond the range
    of the sources are estimated by the first alone, with an interval at least as wide as that of
    the plain mean: what the second learned is not known to hold there.

    Attributes:
        penalty: of the item-level ridge, for scores on 0..1; above 0.

    References:
        Ours. The parts: Hoerl, A. E. and Kennard, R. W. (1970), doi:10.1080/00401706.1970.10488634;
        Saunders, C., Gammerman, A. and Vovk, V. (1998). Ridge regression learning algorithm in
        dual variables. ICML.
    """

    needs: ClassVar[Needs] = "sources"

    penalty: Penalty = PENALTY

    def infer(self, seen: Seen) -> Inference:
        """Estimate the full scores; see `Estimator.infer`."""
        require_complete(self, seen)
        pool = require_whole_frame(self, seen)
        sources = pool.scores[:, pool.columns]
        full = pool.scores @ pool.weights / pool.weights.sum()
        by_item = regression_shift(
            seen.scores, sources, full, seen.weights, np.full(len(sources), self.penalty)
        )
        by_model = subset_shift(seen.scores, sources, full, seen.weights)
        mean, parts = components(pool.scores, N_COMPONENTS)
        rows = np.concatenate([mean[None, :], parts])[:, pool.columns]
        features = linearised(rows, seen.weights).T
        penalty = ridge_penalty(linearised(sources, seen.weights))

        def shifted(shift: FloatArray) -> Inference:
            adjustment = Adjustment(shift, shift[:, None] - shift)
            return two_phase_inference(seen, features, adjustment, penalty=penalty)

        found = shifted((by_item.own + by_model) / 2)
        plain = Mean().infer(seen)
        beyond = may_lie_beyond(full, found) | may_lie_beyond(full, plain)
        if not beyond.any():
            return found
        found = shifted(np.where(beyond, by_item.own, (by_item.own + by_model) / 2))
        return widened(found, plain, beyond, seen.models)


def may_lie_beyond(full: FloatArray, found: Inference) -> BoolArray:
    """Return whose estimates are less than a standard error within the sources' range; (T,).

    Args:
        full: (K,) full scores of the sources.
        found: estimates of the targets.
    """
    low, high = found.estimate - found.se + ROUNDING, found.estimate + found.se - ROUNDING
    return np.asarray((low < full.min()) | (high > full.max()))


def widened(
    found: Inference, plain: Inference, beyond: BoolArray, models: tuple[str, ...]
) -> Inference:
    """Make intervals of targets beyond the sources' range at least as wide as the plain mean's.

    Args:
        found: estimates learned from the sources.
        plain: the plain means, with their errors.
        beyond: (T,) which targets may lie beyond.
        models: names of the targets, for the note.
    """
    pairs = beyond[:, None] | beyond
    text = (
        f"{int(beyond.sum())} of {beyond.size} targets may score beyond the range of the source "
        f"models{named(models, beyond)}. They are estimated by the item-level ridge alone, and "
        "their intervals are at least as wide as those of Mean."
    )
    return found._replace(
        se=np.where(beyond, np.fmax(found.se, plain.se), found.se),
        pair_se=np.where(pairs, np.fmax(found.pair_se, plain.pair_se), found.pair_se),
        notes=(*found.notes, Note("beyond-sources", text)),
    )


def subset_shift(
    y: FloatArray, sources: FloatArray, full: FloatArray, weights: FloatArray
) -> FloatArray:
    """Predict full score less subset mean from the scores on the subset; (T,).

    Args:
        y: (T, n) targets.
        sources: (K, n) on the same items.
        full: (K,) their full scores.
        weights: (n,) of the items.
    """
    gaps = full - sources @ weights / weights.sum()
    gram = polynomial_kernel(sources, sources, weights)
    scale = mean_eigenvalue(gram)
    if len(gaps) < FEWEST_SOURCES or scale <= FLAT:
        return np.full(len(y), gaps.mean())
    fit = fit_kernel_ridge(gram, gaps, (PENALTIES * scale).tolist())
    return fit.predict(polynomial_kernel(y, sources, weights))


def polynomial_kernel(a: FloatArray, b: FloatArray, weights: FloatArray) -> FloatArray:
    """Return (a'b/n + 1) squared for all rows of a and b, items weighted; (A, B)."""
    product = (a * weights) @ b.T / weights.sum()
    return np.asarray((product + 1.0) ** 2)


def mean_eigenvalue(gram: FloatArray) -> float:
    """Return the mean eigenvalue of the doubly centred kernel."""
    return float(np.diag(gram).mean() - gram.mean())

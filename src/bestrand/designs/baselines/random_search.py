"""RandomSearch: the best of many random subsets, by how well a ridge predicts held-out models."""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from bestrand.core.method import Needs
from bestrand.designs.base import Design, Draw, Features, require_sources
from bestrand.designs.notes import predictor_note, source_notes
from bestrand.rng import Stream
from bestrand.search.draws import draw_candidate
from bestrand.settings import Candidates
from bestrand.stats.kernel_ridge import fit_kernel_ridge
from bestrand.stats.source_scores import Sources, one_thread, split_sources
from bestrand.types import FloatArray, IntArray


VALIDATION_SHARE = 0.25
PENALTIES = tuple(10.0 ** (power / 2) for power in range(-4, 7))


@final
@dataclass(frozen=True, slots=True)
class RandomSearch(Design):
    """Draw M random subsets and keep the one from which held-out sources are predicted best.

    A quarter of the sources is held out. For each candidate a ridge regression from the scores on
    it to the full score is fitted on the rest, and the mean absolute error on those held out is
    what counts. The penalty is chosen once, by leaving one out on the first candidate.

    Attributes:
        n_candidates: M >= 1. M = 1 is a simple random subset.

    References:
        Zhang, G., Dorner, F. E. and Hardt, M. (2025). How benchmark prediction from fewer data
        misses the mark. NeurIPS 2025. arXiv:2506.07673
    """

    needs: ClassVar[Needs] = "sources"
    estimator: ClassVar[str | None] = "RidgeScores"

    n_candidates: Candidates = 1000

    def draw(self, features: Features, n: int, stream: Stream) -> Draw:
        """Choose n items; see `Design.draw`."""
        sources = require_sources(self, features)
        with one_thread():
            chosen = self._search(sources, n, stream)
        advice = predictor_note("RidgeScores")
        return Draw(chosen, inclusion=None, notes=source_notes(features, advice))

    def _search(self, sources: Sources, n: int, stream: Stream) -> IntArray:
        scores, full = sources
        m = scores.shape[1]
        split = split_sources(len(scores), VALIDATION_SHARE, stream.child("split"))
        train, validation = scores[split.train], scores[split.validation]
        response, truth = full[split.train], full[split.validation]
        candidates = stream.child("candidates")
        best, least = draw_candidate(candidates, 0, m, n), np.inf
        if n == m or self.n_candidates == 1:
            return best
        penalty = fit_kernel_ridge(_gram(train[:, best]), response, PENALTIES).penalty
        for number in range(self.n_candidates):
            columns = draw_candidate(candidates, number, m, n)
            predicted = _predict(train[:, columns], response, validation[:, columns], penalty)
            error = float(np.abs(predicted - truth).mean())
            if error < least:
                best, least = columns, error
        return best


def _gram(x: FloatArray) -> FloatArray:
    return np.asarray(x @ x.T)


def _predict(x: FloatArray, y: FloatArray, new: FloatArray, penalty: float) -> FloatArray:
    """Fit a ridge with a free intercept and predict, over whichever is fewer: rows or columns."""
    centre = x.mean(axis=0)
    x, new = x - centre, new - centre
    mean = y.mean()
    if len(x) <= x.shape[1]:
        inner = _gram(x)
        inner.flat[:: len(inner) + 1] += penalty
        return np.asarray(mean + new @ (x.T @ np.linalg.solve(inner, y - mean)))
    inner = x.T @ x
    inner.flat[:: len(inner) + 1] += penalty
    return np.asarray(mean + new @ np.linalg.solve(inner, x.T @ (y - mean)))

"""MRMR: items that tell much of the full score and little of each other."""

from dataclasses import dataclass
from typing import ClassVar, Literal, final

import numpy as np

from bestrand.core.method import Needs
from bestrand.designs.base import Design, Draw, Features, require_sources
from bestrand.designs.notes import predictor_note, source_notes
from bestrand.rng import Stream
from bestrand.settings import Count
from bestrand.stats.information import (
    BinaryInformation,
    GaussianInformation,
    information_with_full,
)
from bestrand.stats.source_scores import Sources, one_thread
from bestrand.types import BoolArray, FloatArray, IntArray


Criterion = Literal["mid", "miq"]
TINY = 1e-10
DIGITS = 12  # sums that differ by rounding alone are ties


@final
@dataclass(frozen=True, slots=True)
class MRMR(Design):
    """Greedily choose items of most relevance and least redundancy (mRMR).

    Relevance is the mutual information of an item's scores with the sources' full scores, by
    nearest neighbours; redundancy the mean mutual information with the items chosen before.
    Where every item has at most two values, both are those of right-or-wrong items (Ross 2014;
    counts). Otherwise graded items take the estimator of Kraskov et al. (2004) for relevance, and
    all pairs -log(1 - r^2) / 2 for redundancy. Where fewer than four sources have one of an item's
    two values, its nearest-neighbour estimate takes fewer neighbours: `information_with_full`. No
    chance is involved.

    Attributes:
        criterion: "mid" takes relevance less redundancy, "miq" relevance over redundancy.
        n_neighbours: of the nearest-neighbour estimators.

    References:
        Peng, H., Long, F. and Ding, C. (2005). Feature selection based on mutual information:
        criteria of max-dependency, max-relevance, and min-redundancy. IEEE TPAMI 27(8).
        doi:10.1109/TPAMI.2005.159
        Bowyer, S., Locatelli, A. and Cao, K. (2026). Efficient benchmarking is just feature
        selection and multiple regression. arXiv:2605.25773
    """

    needs: ClassVar[Needs] = "sources"
    estimator: ClassVar[str | None] = "KernelRidgeScores"

    criterion: Criterion = "mid"
    n_neighbours: Count = 3

    def draw(self, features: Features, n: int, stream: Stream) -> Draw:
        """Choose n items; see `Design.draw`."""
        sources = require_sources(self, features)
        two_valued = _two_valued(sources.scores)
        if n == features.n_items:
            chosen = np.arange(n)
        else:
            relevance = self._relevance(sources, two_valued)
            chosen = self._greedy(relevance, sources.scores, n, all_binary=bool(two_valued.all()))
        advice = predictor_note("RidgeScores or KernelRidgeScores")
        return Draw(chosen, inclusion=None, notes=source_notes(features, advice))

    def _relevance(self, sources: Sources, two_valued: BoolArray) -> FloatArray:
        """Return the information of each item with the full scores; (m,)."""
        scores, full = sources
        relevance = np.empty(scores.shape[1])
        relevance[two_valued] = information_with_full(
            scores[:, two_valued] > scores[:, two_valued].min(axis=0),
            full,
            n_neighbours=self.n_neighbours,
        )
        if not two_valued.all():
            from sklearn.feature_selection import mutual_info_regression

            with one_thread():
                relevance[~two_valued] = mutual_info_regression(
                    scores[:, ~two_valued],
                    full,
                    discrete_features=False,
                    n_neighbors=min(self.n_neighbours, len(scores) - 1),
                    random_state=0,
                )
        return relevance

    def _greedy(
        self, relevance: FloatArray, scores: FloatArray, n: int, *, all_binary: bool
    ) -> IntArray:
        """Choose the best item n times, keeping the sums of redundancy; ascending."""
        pairs = (
            BinaryInformation(scores > scores.min(axis=0))
            if all_binary
            else GaussianInformation(scores)
        )
        chosen = [int(np.round(relevance, DIGITS).argmax())]
        redundancy = np.zeros_like(relevance)
        left = np.ones(relevance.size, dtype=np.bool_)
        while len(chosen) < n:
            left[chosen[-1]] = False
            redundancy += pairs.with_item(chosen[-1])
            mean = redundancy / len(chosen)
            merit = relevance - mean if self.criterion == "mid" else relevance / (mean + TINY)
            chosen.append(int(np.where(left, np.round(merit, DIGITS), -np.inf).argmax()))
        return np.sort(np.array(chosen, dtype=np.int64))


def _two_valued(scores: FloatArray) -> BoolArray:
    """Return which items have at most two different scores; (m,)."""
    low, high = scores.min(axis=0), scores.max(axis=0)
    return np.asarray(((scores == low) | (scores == high)).all(axis=0))

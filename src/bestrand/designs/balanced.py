"""Balanced: the best of many stratified subsets, improved by swaps."""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from bestrand.core.method import Needs
from bestrand.designs.balance import difficulty_features, draw_balanced, group_features
from bestrand.designs.base import Design, Draw, Features, require_probes
from bestrand.designs.notes import flat_notes
from bestrand.rng import Stream
from bestrand.settings import Candidates
from bestrand.types import FloatArray


DIFFICULTY = 0.5  # what the quintiles of difficulty weigh, where there are no groups


@final
@dataclass(frozen=True, slots=True)
class Balanced(Design):
    """Match probe means and group shares: best of M stratified subsets, then swap descent.

    Candidates take from each group its share. The nearest one by probe means is improved by
    random swaps on probe scores and group shares, or, where there are no groups, on probe scores
    and the quintiles of the items' difficulty. Further metrics of the probes weigh as much as the
    scores do.

    Attributes:
        n_candidates: M >= 1.

    References:
        Morgan, K. L. and Rubin, D. B. (2012). Rerandomization to improve covariate balance in
        experiments. Ann. Stat. 40(2). doi:10.1214/12-AOS1008 (best of many); the combination
        with strata and swaps is ours.
    """

    needs: ClassVar[Needs] = "probes"
    stratifies_pool: ClassVar[bool] = True

    n_candidates: Candidates = 1000

    def draw(self, features: Features, n: int, stream: Stream) -> Draw:
        """Choose n items; see `Design.draw`."""
        require_probes(self, features)
        scores = np.asarray(features.scores)
        more = group_features(features)
        if features.groups is None:
            difficulty = scores.sum(axis=0) / len(scores)
            more = difficulty_features(difficulty, DIFFICULTY)
        draw = draw_balanced(
            with_extras(scores, features.extras),
            more,
            features,
            n,
            n_candidates=self.n_candidates,
            stream=stream,
        )
        return draw._replace(notes=flat_notes(scores))


def with_extras(scores: FloatArray, extras: FloatArray | None) -> FloatArray:
    """Return scores and further metrics, each of these as wide as the scores are on average."""
    if extras is None:
        return scores
    return np.concatenate([scores, extras * scores.std(axis=1).mean()])

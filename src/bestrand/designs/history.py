"""History: balance on the principal components of many source models' scores."""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from bestrand.core.method import Needs
from bestrand.designs.balance import difficulty_features, draw_balanced, group_features
from bestrand.designs.base import Design, Draw, Features, require_probes
from bestrand.designs.notes import flat_notes
from bestrand.rng import Stream
from bestrand.settings import Candidates, Count
from bestrand.stats.components import components
from bestrand.types import FloatArray


N_COMPONENTS = 12
N_PROBES = 8  # the scale on which difficulty weighs against the components
DIFFICULTY = 0.35


@final
@dataclass(frozen=True, slots=True)
class History(Design):
    """Match the mean difficulty and the principal components of the sources' scores.

    For a history of source models that ran the whole benchmark. The features are the items' mean
    score and the first components of what the sources differ in, unwhitened, so that distance is
    that over all sources, less its noise. Best of M (stratified where there are groups), then
    swaps that balance group shares and the quintiles of difficulty too.

    Attributes:
        n_candidates: M >= 1.
        n_components: how many components at most, 1 or more.

    References:
        Ours. Balancing on principal components: Tillé, Y. (2011). Ten years of balanced sampling
        with the cube method. Surv. Methodol. 37(2).
    """

    needs: ClassVar[Needs] = "sources"
    estimator: ClassVar[str | None] = "HistoryAverage"
    stratifies_pool: ClassVar[bool] = True

    n_candidates: Candidates = 1000
    n_components: Count = N_COMPONENTS

    def draw(self, features: Features, n: int, stream: Stream) -> Draw:
        """Choose n items; see `Design.draw`."""
        require_probes(self, features)
        scores = np.asarray(features.scores)
        difficulty = scores.sum(axis=0) / len(scores)
        more = [group_features(features), difficulty_features(difficulty, DIFFICULTY)]
        draw = draw_balanced(
            history_columns(scores, self.n_components),
            np.concatenate(more, axis=1),
            features,
            n,
            n_candidates=self.n_candidates,
            stream=stream,
        )
        return draw._replace(notes=flat_notes(scores))


def history_columns(scores: FloatArray, n_components: int) -> FloatArray:
    """Return difficulty and components on the scale of eight probes; (1 + c, m)."""
    n_sources = len(scores)
    mean, parts = components(scores, n_components)
    columns = np.concatenate([np.sqrt(n_sources) * (mean - mean.mean())[None, :], parts])
    return np.asarray(np.sqrt(N_PROBES / n_sources) * columns)

"""BestRand: the best of many random subsets, by how well probe means match the pool's."""

from dataclasses import dataclass
from typing import ClassVar, final

from bestrand.core.method import Needs
from bestrand.designs.base import Design, Draw, Features, require_probes
from bestrand.designs.notes import flat_notes
from bestrand.rng import Stream
from bestrand.search.best import find_best
from bestrand.settings import Candidates
from bestrand.stats.balance import weighted_deviations
from bestrand.types import Norm


@final
@dataclass(frozen=True, slots=True)
class BestRand(Design):
    """Draw M random subsets and keep the one whose probe means lie nearest the pool's.

    With several metrics each probe and metric is a column of its own. With unequal item weights
    the weighted means are matched.

    Attributes:
        n_candidates: M >= 1. M = 1 is `SimpleRandom`.
        norm: how the gaps of the columns make one distance.

    References:
        Random Is Almost Enough? Stable and Low-Cost Benchmark Compression via BestRand (2026).
        Bosch Research and Carnegie Mellon University.
    """

    needs: ClassVar[Needs] = "probes"
    word: ClassVar[str] = "bestrand"

    n_candidates: Candidates = 1000
    norm: Norm = "l2"

    def draw(self, features: Features, n: int, stream: Stream) -> Draw:
        """Choose n items; see `Design.draw`."""
        scores = require_probes(self, features)
        columns = weighted_deviations(scores, features.weights)
        best = find_best(columns, n, n_candidates=self.n_candidates, norm=self.norm, stream=stream)
        return Draw(
            best.columns,
            inclusion=None,
            balanced_on=("probes",),
            distance=best.distance,
            notes=flat_notes(scores),
        )

"""BestRand: the best of many random subsets, by how well probe means match the pool's."""

from dataclasses import dataclass
from typing import final

import numpy as np

from bestrand.designs.base import Design, Draw, Features, require_probes, weighted_deviations
from bestrand.notes import Note
from bestrand.rng import Stream
from bestrand.search.best import find_best
from bestrand.settings import Candidates
from bestrand.types import FloatArray, Norm


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

    n_candidates: Candidates = 1000
    norm: Norm = "l2"

    @property
    def uses_probes(self) -> bool:
        """Whether it looks at the probes' scores: yes."""
        return True

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


def flat_notes(scores: FloatArray) -> tuple[Note, ...]:
    """Say so if no probe tells one item from another."""
    if np.ptp(scores, axis=1).any():
        return ()
    text = (
        "Every probe scores all items alike, so candidates cannot be told apart: this is a "
        "random subset."
    )
    return (Note("flat-probes", text),)

"""Agreement: of many random subsets, the one on which several representations agree best."""

from dataclasses import dataclass
from math import fsum
from typing import ClassVar, final

import numpy as np

from bestrand.core.method import Needs
from bestrand.designs.base import Design, Draw, Features, require_texts
from bestrand.notes import Note
from bestrand.rng import Stream
from bestrand.search.draws import draw_candidate
from bestrand.search.fixed_point import to_fixed_point
from bestrand.settings import Candidates
from bestrand.stats.balance import weighted_deviations
from bestrand.types import FloatArray, IntArray


@final
@dataclass(frozen=True, slots=True)
class Agreement(Design):
    """Draw M random subsets and keep the one that all representations find like the whole.

    Each representation ranks the candidates by the distance (L2) between the mean of the
    candidate's rows and the mean of all. A candidate is as good as its worst rank; of equals the
    smallest sum of ranks wins, then the lowest number. With unequal item weights the weighted
    means are compared.

    The name is that of a row in the article; no definition of it is public. This one is ours.

    Attributes:
        n_candidates: M >= 1. M = 1 is `SimpleRandom`.
    """

    needs: ClassVar[Needs] = "texts"

    n_candidates: Candidates = 1000

    def draw(self, features: Features, n: int, stream: Stream) -> Draw:
        """Choose n items; see `Design.draw`."""
        representations = require_texts(self, features)
        gaps = candidate_gaps(representations, features.weights, n, self.n_candidates, stream)
        ranks = np.stack([rank(row) for row in gaps])
        number = int(np.lexsort((ranks.sum(axis=0), ranks.max(axis=0)))[0])
        notes: tuple[Note, ...] = ()
        if len(representations) == 1:
            text = "A single representation agrees with itself alone; two or more are meant."
            notes = (Note("one-representation", text),)
        columns = draw_candidate(stream, number, features.n_items, n)
        return Draw(columns, inclusion=None, notes=notes)


def candidate_gaps(
    representations: tuple[FloatArray, ...],
    weights: FloatArray,
    n: int,
    n_candidates: int,
    stream: Stream,
) -> FloatArray:
    """Return each candidate's squared distance from the whole, by each representation; (R, M).

    In a unit of each representation's own. Means are compared as whole numbers, so the order of
    candidates is the same on every machine.
    """
    m = weights.size
    fixed = [to_fixed_point(weighted_deviations(rows.T, weights), n) for rows in representations]
    totals = [values.totals for values in fixed]
    gaps = np.empty((len(fixed), n_candidates))
    for number in range(n_candidates):
        columns = draw_candidate(stream, number, m, n)
        for row, (whole, total) in enumerate(zip(fixed, totals, strict=True)):
            gap = (m * whole.values[columns].sum(axis=0) - n * total).astype(np.float64)
            gaps[row, number] = fsum(gap * gap)
    return gaps


def rank(values: FloatArray) -> IntArray:
    """Rank from 0, the smallest first: as many as are smaller; equals share a rank.

    Examples:
        >>> rank(np.array([3.0, 1.0, 2.0, 1.0])).tolist()
        [3, 0, 2, 0]
    """
    return np.searchsorted(np.sort(values), values, side="left").astype(np.int64)

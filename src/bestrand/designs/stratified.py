"""Stratified sampling: from every group its share, and simple random within."""

from dataclasses import dataclass
from typing import ClassVar, Literal, final

import numpy as np

from bestrand.core.method import Needs
from bestrand.designs.base import Design, Draw, Features, require_groups
from bestrand.rng import Stream
from bestrand.search.best import by_stratum
from bestrand.search.draws import draw_candidate, draw_stratified
from bestrand.types import FloatArray, IntArray


@final
@dataclass(frozen=True, slots=True)
class Stratified(Design):
    """Draw from each group its share, simple random within the group.

    "proportional" takes shares by the groups' sizes, rounded so that every item has the same
    chance n/m: the plain mean stays right. "equal" takes the same number from each group, as far
    as it has them; items of small groups are then more likely, and the estimate must weigh them
    down (`Hajek`).

    Attributes:
        allocation: how the n items are shared out among the groups.

    References:
        Cochran, W. G. (1977). Sampling Techniques, 3rd ed., ch. 5. Wiley.
    """

    needs: ClassVar[Needs] = "groups"

    allocation: Literal["proportional", "equal"] = "proportional"

    def draw(self, features: Features, n: int, stream: Stream) -> Draw:
        """Choose n items; see `Design.draw`."""
        groups = require_groups(self, features)
        order, sizes = by_stratum(groups, features.n_items)
        if self.allocation == "proportional":
            columns = np.sort(order[draw_stratified(stream, 0, sizes, n)])
            return Draw(columns, np.full(n, n / features.n_items), balanced_on=("groups",))
        return self._draw_equal(features, order, sizes, n, stream)

    def _draw_equal(
        self, features: Features, order: IntArray, sizes: IntArray, n: int, stream: Stream
    ) -> Draw:
        counts, expected = equal_counts(sizes, n, stream.child("counts"))
        starts = np.concatenate([[0], np.cumsum(sizes)])
        chosen, chance = [], []
        for stratum, count in enumerate(counts.tolist()):
            size = int(sizes[stratum])
            drawn = draw_candidate(stream.child("stratum"), stratum, size, count)
            chosen.append(order[starts[stratum] + drawn])
            chance.append(np.full(count, expected[stratum] / size))
        columns, inclusion = np.concatenate(chosen), np.concatenate(chance)
        place = np.argsort(columns)
        columns, inclusion = columns[place], inclusion[place]
        weights = 1 / inclusion
        return Draw(columns, inclusion, weights / weights.mean(), balanced_on=())


def equal_counts(sizes: IntArray, n: int, stream: Stream) -> tuple[IntArray, FloatArray]:
    """Share n equally among strata, none above its size; what is left over goes to random ones.

    Returns:
        (H,) counts, sum n; (H,) what each count is on average.
    """
    expected = np.zeros(sizes.size)
    counts = np.zeros(sizes.size, dtype=np.int64)
    left, open_strata = n, np.arange(sizes.size)
    while left:
        share = left // open_strata.size
        full = open_strata[sizes[open_strata] - counts[open_strata] <= share]
        if full.size:  # fill the small ones, and share out the rest among the others
            left -= int((sizes[full] - counts[full]).sum())
            counts[full] = sizes[full]
            open_strata = np.setdiff1d(open_strata, full)
            continue
        counts[open_strata] += share
        left -= share * open_strata.size
        expected = counts.astype(np.float64)
        expected[open_strata] += left / open_strata.size
        counts[open_strata[draw_candidate(stream, 0, open_strata.size, left)]] += 1
        return counts, expected
    return counts, counts.astype(np.float64)

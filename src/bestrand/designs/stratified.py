"""Stratified sampling: from every group its share, and simple random within."""

from dataclasses import dataclass
from typing import final

import numpy as np

from bestrand.designs.base import Design, Draw, Features, require_groups
from bestrand.rng import Stream
from bestrand.search.twin import draw_candidate
from bestrand.types import IntArray


@final
@dataclass(frozen=True, slots=True)
class Stratified(Design):
    """Draw from each group in proportion to its size, simple random within the group.

    The counts are rounded so that each is the exact share up or down to a whole number, and every
    item has the same chance n/m to be chosen. The plain mean stays right.

    References:
        Cochran, W. G. (1977). Sampling Techniques, 3rd ed., ch. 5. Wiley.
    """

    def draw(self, features: Features, n: int, stream: Stream) -> Draw:
        """Choose n items; see `Design.draw`."""
        groups = require_groups(self, features)
        sizes = np.bincount(groups)
        counts = proportional_counts(sizes, n, stream.child("counts"))
        chosen = [
            np.flatnonzero(groups == code)[
                draw_candidate(stream.child("group"), code, int(sizes[code]), int(count))
            ]
            for code, count in enumerate(counts)
            if count
        ]
        columns = np.sort(np.concatenate(chosen))
        return Draw(columns, np.full(n, n / features.n_items), balanced_on=("groups",))


def proportional_counts(sizes: IntArray, n: int, stream: Stream) -> IntArray:
    """Share n among groups in proportion to their sizes, rounded by systematic sampling.

    The groups stand in random order on a line as long as n, each as long as its exact share; the
    counts are how many of the n points u, u + 1, ... fall on each, with one u uniform on [0, 1).
    Each count is its share rounded up or down, and right on average.

    Args:
        sizes: (H,) items of each group, sum m >= n.
        n: how many items to share out.
        stream: the chance.

    Returns:
        (H,) counts, sum n, none above its size.

    References:
        Madow, W. G. (1949). On the theory of systematic sampling, II. Ann. Math. Stat. 20(3).
        doi:10.1214/aoms/1177729988
    """
    m = int(sizes.sum())
    n_groups = sizes.size
    words = stream.words(0, n_groups + 1)
    order = np.argsort(words[1:], kind="stable")
    # Whole-number arithmetic in units of 1 / (m * 2**32): no rounding anywhere.
    ends = [0]
    for size in sizes[order].tolist():
        ends.append(ends[-1] + size)
    u = int(words[0]) * m
    below = [-(-(((end * n) << 32) - u) // (m << 32)) for end in ends]
    counts = np.empty(n_groups, dtype=np.int64)
    counts[order] = np.diff(below)
    return counts

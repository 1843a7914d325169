"""Facility location: items such that every item has a chosen one that is like it."""

from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from math import fsum
from typing import ClassVar, final

import numpy as np

from bestrand.core.method import Needs
from bestrand.designs.base import Design, Draw, Features, require_texts
from bestrand.rng import Stream
from bestrand.stats.similarity import STEPS, cluster_weights, product_blocks, whole_rows
from bestrand.types import FloatArray, IntArray


LEVELS = 2**20  # of a similarity between 0 and 1
WEIGHT_UNITS = 2**32  # shared out among all items; times LEVELS they stay below 2**53
AT_ONCE = 32  # items looked at again together


@final
@dataclass(frozen=True, slots=True)
class FacilityLocation(Design):
    r"""Choose greedily, so that every item has a chosen one that is like it.

    $$ f(S) = \sum_i a_i \max_{s \in S} \max(0, \cos(x_i, x_s)) $$

    Each step takes the item that adds most to f, of equals the first. f is submodular, so f of
    the greedy choice is at least 1 - 1/e of the highest f that n items can have. No chance is
    used: every seed gives the same subset. Looks at the first of the representations.

    References:
        Nemhauser, G. L., Wolsey, L. A. and Fisher, M. L. (1978). An analysis of approximations
        for maximizing submodular set functions, I. Math. Program. 14. doi:10.1007/BF01588971
        Minoux, M. (1978). Accelerated greedy algorithms for maximizing submodular set functions.
        Optimization Techniques, LNCIS 7. doi:10.1007/BFb0006528
    """

    needs: ClassVar[Needs] = "texts"
    estimator: ClassVar[str | None] = "ClusterWeighted"

    def draw(self, features: Features, n: int, stream: Stream) -> Draw:
        """Choose n items; see `Design.draw`."""
        rows = whole_rows(require_texts(self, features)[0])
        columns = np.sort(greedy_cover(rows, features.weights, n))
        return Draw(
            columns, inclusion=None, design_weights=cluster_weights(rows, columns, features.weights)
        )


def greedy_cover(rows: FloatArray, weights: FloatArray, n: int) -> IntArray:
    """Choose n items, each the one that adds most; in the order of the steps.

    What an item would add can only fall as others are chosen, so what it was once is a bound,
    and only items whose bound reaches the best so far are looked at again (lazy greedy). All
    sums are of whole numbers: bounds hold exactly, and the choice is that of the plain greedy.

    Args:
        rows: (m, d) from `whole_rows`.
        weights: (m,) what each item counts for.
        n: how many, 1 <= n <= m.
    """
    shares = np.rint(weights / fsum(weights) * WEIGHT_UNITS)
    covered = np.zeros(len(rows))
    gains = gains_of(rows, shares, covered, np.arange(len(rows)))
    bounds = [(-gain, position) for position, gain in enumerate(gains.tolist())]
    heapify(bounds)
    chosen: list[int] = []
    while len(chosen) < n:
        best = (1.0, len(rows))
        seen = []
        while bounds and bounds[0] < best:
            batch = [heappop(bounds)[1] for _ in range(min(AT_ONCE, len(bounds)))]
            gains = gains_of(rows, shares, covered, np.array(batch))
            fresh = list(zip((-gains).tolist(), batch, strict=True))
            best = min(best, *fresh)
            seen.extend(fresh)
        chosen.append(best[1])
        for bound in seen:
            if bound != best:
                heappush(bounds, bound)
        np.maximum(covered, levels(rows @ rows[best[1]]), out=covered)
    return np.array(chosen, dtype=np.int64)


def gains_of(
    rows: FloatArray, shares: FloatArray, covered: FloatArray, positions: IntArray
) -> FloatArray:
    """Return what each of some items would add to f, in LEVELS times WEIGHT_UNITS."""
    gains = np.empty(positions.size)
    for block in product_blocks(rows, rows[positions]):
        more = levels(block.products)
        more -= covered[:, None]
        np.maximum(more, 0.0, out=more)
        gains[block.first : block.first + more.shape[1]] = shares @ more
    return gains


def levels(products: FloatArray) -> FloatArray:
    """Round products of whole rows to levels of similarity, in their place."""
    products *= LEVELS / STEPS**2
    return np.rint(products, out=products)

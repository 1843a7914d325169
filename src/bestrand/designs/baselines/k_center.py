"""k-center: items such that no item is far from the nearest chosen one."""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from bestrand.core.method import Needs
from bestrand.designs.base import Design, Draw, Features, require_texts
from bestrand.rng import Stream
from bestrand.stats.similarity import cluster_weights, squared_lengths, whole_rows
from bestrand.types import FloatArray, IntArray


@final
@dataclass(frozen=True, slots=True)
class KCenter(Design):
    """Start in the middle, then take the item that is farthest from all chosen ones.

    The start is the item nearest to the mean of all, by Euclidean distance, as all distances
    here; of equals the first. The largest distance of an item to its nearest chosen one is then
    at most twice the smallest that n items can have. No chance is used: every seed gives the
    same subset. Looks at the first of the representations.

    References:
        Gonzalez, T. F. (1985). Clustering to minimize the maximum intercluster distance. Theor.
        Comput. Sci. 38. doi:10.1016/0304-3975(85)90224-5
    """

    needs: ClassVar[Needs] = "texts"
    estimator: ClassVar[str | None] = "ClusterWeighted"

    def draw(self, features: Features, n: int, stream: Stream) -> Draw:
        """Choose n items; see `Design.draw`."""
        rows = whole_rows(require_texts(self, features)[0])
        columns = np.sort(farthest_first(rows, n))
        return Draw(
            columns, inclusion=None, design_weights=cluster_weights(rows, columns, features.weights)
        )


def farthest_first(rows: FloatArray, n: int) -> IntArray:
    """Choose n items, each the farthest from those before it; in the order of the steps.

    Args:
        rows: (m, d) from `whole_rows`; squared distances are whole numbers too, and exact.
        n: how many, 1 <= n <= m.
    """
    lengths = squared_lengths(rows)
    # Nearest to the mean: |x|^2 - 2 x'mean is smallest, times m.
    start = int(np.argmin(len(rows) * lengths - 2 * (rows @ rows.sum(axis=0))))
    chosen = [start]
    away = np.full(len(rows), np.inf)  # squared distance to the nearest chosen, -1 for themselves
    while len(chosen) < n:
        last = chosen[-1]
        np.minimum(away, lengths + lengths[last] - 2 * (rows @ rows[last]), out=away)
        away[last] = -1.0
        chosen.append(int(np.argmax(away)))
    return np.array(chosen, dtype=np.int64)

"""Independent set: items of which no two are alike, as many as there should be."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from bestrand.core.method import Needs
from bestrand.designs.base import Design, Draw, Features, require_texts
from bestrand.notes import Note
from bestrand.rng import Stream
from bestrand.stats.similarity import CELLS_AT_ONCE, STEPS, cluster_weights, whole_rows
from bestrand.types import BoolArray, FloatArray, IntArray


HALF = 2**15  # level of similarity 0; -1 is level 0
HIGHEST = 2**16 - 2  # level of all similarities from 1 - 2**-14 on


@final
@dataclass(frozen=True, slots=True)
class IndependentSet(Design):
    """Join items that are alike, and choose items of which no two are joined.

    Two items are joined where their similarity (cosine) reaches a threshold, a percentile of the
    similarities of all pairs. Of that graph an independent set is taken greedily: again and again
    the item with the fewest neighbours that are left, of equals the first, and its neighbours
    leave.

    The lower the threshold, the fewer items are found. It is sought by bisection, in steps of
    2**-15, until exactly n are found. If no step looked at gives n, the lowest that gives more is
    kept, and of its items the first n. If even the highest gives fewer, so many items are copies
    of each other that n cannot be had: what is left over is then gone through again, and again.

    No chance is used: every seed gives the same subset. Looks at the first of the
    representations.

    References:
        Halldorsson, M. M. and Radhakrishnan, J. (1997). Greed is good: approximating independent
        sets in sparse and bounded-degree graphs. Algorithmica 18. doi:10.1007/BF02523693
    """

    needs: ClassVar[Needs] = "texts"
    estimator: ClassVar[str | None] = "ClusterWeighted"

    def draw(self, features: Features, n: int, stream: Stream) -> Draw:
        """Choose n items; see `Design.draw`."""
        rows = whole_rows(require_texts(self, features)[0])
        columns = np.arange(n, dtype=np.int64)
        notes: tuple[Note, ...] = ()
        if n < features.n_items:
            found = find_independent(rows, n)
            columns, notes = found.columns, (Note("threshold", _said(found)),)
        return Draw(
            columns,
            inclusion=None,
            design_weights=cluster_weights(rows, columns, features.weights),
            notes=notes,
        )


class Independent(NamedTuple):
    """Items of which no two are joined.

    Attributes:
        columns: (n,) positions, ascending.
        threshold: similarity from which two items are joined.
        percentile: share of all pairs below it, in hundredths.
        n_apart: how many of the items are not joined to one another; fewer than n where n cannot
            be had.
    """

    columns: IntArray
    threshold: float
    percentile: float
    n_apart: int


def _said(found: Independent) -> str:
    text = (
        f"Items count as alike from a similarity of {found.threshold:.5f} on, percentile "
        f"{found.percentile:.2f} of all pairs."
    )
    if found.n_apart < found.columns.size:
        text += (
            f" No more than {found.n_apart} items are unlike, so some that are alike were taken."
        )
    return text


def find_independent(rows: FloatArray, n: int) -> Independent:
    """Find n items of which no two are joined, at a threshold as low as n allows.

    Args:
        rows: (m, d) from `whole_rows`.
        n: how many, 1 <= n < m.
    """
    levels = similarity_levels(rows)
    low, high = 0, HIGHEST + 1  # too few are found at `low`, enough at `high`
    found: Independent | None = None
    while high - low > 1:
        middle = (low + high) // 2
        graph = join(levels, middle)
        order = greedy_independent(graph, np.ones(len(rows), dtype=np.bool_), n + 1)
        if order.size < n:
            low = middle
            continue
        high, found = middle, _independent(order[:n], middle, graph, n)
        if order.size == n:
            break
    if found is None:
        graph = join(levels, HIGHEST)
        rounds = independent_rounds(graph, n)
        found = _independent(np.concatenate(rounds)[:n], HIGHEST, graph, rounds[0].size)
    return found


def _independent(chosen: IntArray, level: int, graph: "Graph", n_apart: int) -> Independent:
    m = graph.degrees.size
    return Independent(
        columns=np.sort(chosen),
        threshold=(level - HALF) / HALF,
        percentile=100.0 * (1.0 - int(graph.degrees.sum()) / (m * (m - 1))),
        n_apart=n_apart,
    )


def similarity_levels(rows: FloatArray) -> list[NDArray[np.uint16]]:
    """Return the similarities of all pairs as levels of 16 bits, m * m bytes in all.

    Returns:
        Blocks of rows in order, each against the items from the block's first on.
    """
    m = len(rows)
    step = max(1, CELLS_AT_ONCE // m)
    blocks = []
    for first in range(0, m, step):
        products = rows[first : first + step] @ rows[first:].T
        products *= HALF / STEPS**2
        np.floor(products, out=products)
        products += HALF
        blocks.append(np.clip(products, 0, HIGHEST).astype(np.uint16))
    return blocks


class Graph(NamedTuple):
    """Which items are joined.

    Attributes:
        joined: (m, m) as bits, packed along the rows; no item is joined to itself.
        degrees: (m,) how many each is joined to.
    """

    joined: NDArray[np.uint8]
    degrees: IntArray

    def rows(self, positions: IntArray) -> NDArray[np.uint8]:
        """Return the neighbours of some items as 0 and 1; (p, m)."""
        return np.unpackbits(self.joined[positions], axis=1, count=self.degrees.size)

    def neighbours_among(self, positions: IntArray) -> IntArray:
        """Count to how many of some items each item is joined; (m,)."""
        counts = np.zeros(self.degrees.size, dtype=np.int64)
        step = max(1, CELLS_AT_ONCE // self.degrees.size)
        for first in range(0, positions.size, step):
            counts += self.rows(positions[first : first + step]).sum(axis=0, dtype=np.int64)
        return counts


def join(levels: list[NDArray[np.uint16]], threshold: int) -> Graph:
    """Join the pairs whose level reaches the threshold."""
    m, step = levels[0].shape[1], len(levels[0])
    joined = np.empty((m, -(-m // 8)), dtype=np.uint8)
    degrees = np.empty(m, dtype=np.int64)
    for number, block in enumerate(levels):
        first, last = number * step, number * step + len(block)
        rows = np.empty((len(block), m), dtype=np.bool_)
        for earlier in range(number):  # what stands before the diagonal is in the blocks before
            start = earlier * step
            part = levels[earlier][:, first - start : last - start]
            rows[:, start : start + step] = (part >= threshold).T
        rows[:, first:] = block >= threshold
        rows[np.arange(len(block)), np.arange(first, last)] = False
        joined[first:last] = np.packbits(rows, axis=1)
        degrees[first:last] = np.count_nonzero(rows, axis=1)
    return Graph(joined, degrees)


def greedy_independent(graph: Graph, among: BoolArray, most: int) -> IntArray:
    """Take again and again the item with the fewest neighbours left; stop at `most`.

    Args:
        graph: which items are joined.
        among: (m,) True where an item may be taken and counts as a neighbour.
        most: how many to take at most.

    Returns:
        Positions in the order they were taken.
    """
    left = among.copy()
    degrees = graph.degrees - graph.neighbours_among(np.flatnonzero(~left))
    order: list[int] = []
    while len(order) < most and left.any():
        taken = int(np.where(left, degrees, left.size).argmin())
        order.append(taken)
        neighbours = graph.rows(np.array([taken]))[0].view(np.bool_) & left
        left[taken] = False
        left[neighbours] = False
        degrees -= graph.neighbours_among(np.flatnonzero(neighbours))
    return np.array(order, dtype=np.int64)


def independent_rounds(graph: Graph, n: int) -> list[IntArray]:
    """Take an independent set, then another of what is left over, until n items are had."""
    among = np.ones(graph.degrees.size, dtype=np.bool_)
    rounds: list[IntArray] = []
    while sum(taken.size for taken in rounds) < n:
        rounds.append(greedy_independent(graph, among, graph.degrees.size))
        among[rounds[-1]] = False
    return rounds

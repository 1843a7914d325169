"""The search in plain numpy: what the kernel must equal, and how one subset is drawn."""

import numpy as np

from bestrand.rng import MASK, Stream
from bestrand.search.fixed_point import FixedPoint
from bestrand.types import IntArray, Norm


def draw_candidate(stream: Stream, number: int, m: int, n: int) -> IntArray:
    """Draw n of m items without replacement, every subset equally likely.

    A partial Fisher-Yates shuffle; a word that would favour some item is replaced by one of the
    next layer (Lemire 2019). Where n > m/2 the items left out are drawn instead.

    Args:
        stream: the chance.
        number: which candidate of the stream.
        m: how many there are, below 2**31.
        n: how many to draw, 0 <= n <= m.

    Returns:
        (n,) positions, ascending.

    References:
        Lemire, D. (2019). Fast random integer generation in an interval. ACM Trans. Model.
        Comput. Simul. 29(1). doi:10.1145/3230636
    """
    complement = n > m - n
    size = m - n if complement else n
    words = stream.words(number, size).tolist()
    order: dict[int, int] = {}
    drawn = []
    for i, word in enumerate(words):
        bound = m - i
        product = word * bound
        attempt = 0
        while (product & MASK) < (MASK + 1 - bound) % bound:
            attempt += 1
            product = int(stream.words(number, size, attempt)[i]) * bound
        j = i + (product >> 32)
        drawn.append(order.get(j, j))
        order[j] = order.get(i, i)
    if not complement:
        return np.sort(np.array(drawn, dtype=np.int64))
    kept = np.ones(m, dtype=np.bool_)
    kept[drawn] = False
    return np.flatnonzero(kept)


def gap_to_distance(gaps: IntArray, norm: Norm) -> float:
    """Reduce whole-number gaps to one number, L2 left squared, in the kernel's order of sums."""
    distance = 0.0
    for gap in (abs(float(value)) for value in gaps):
        if norm == "l1":
            distance += gap
        elif norm == "l2":
            distance += gap * gap
        else:
            distance = max(distance, gap)
    return distance


def search(
    fixed: FixedPoint, n: int, norm: Norm, stream: Stream, first: int, last: int
) -> tuple[float, int]:
    """Compare candidates first..last-1 and keep the nearest; ties go to the lowest number.

    The gap of a column is m * (sum over the subset) - n * (sum over the pool), a whole number:
    m * n times the difference of the means.

    Returns:
        the distance in those units (L2 squared), and the candidate's number.
    """
    m = fixed.values.shape[0]
    totals = fixed.totals
    best = (np.inf, -1)
    for number in range(first, last):
        inside = fixed.values[draw_candidate(stream, number, m, n)].sum(axis=0)
        distance = gap_to_distance(m * inside - n * totals, norm)
        if distance < best[0]:
            best = (distance, number)
    return best

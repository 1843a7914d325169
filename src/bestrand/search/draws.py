"""How one subset is drawn: without replacement, from each stratum its share."""

import numpy as np

from bestrand.rng import MASK, Stream
from bestrand.types import IntArray


def draw_candidate(stream: Stream, number: int, m: int, n: int) -> IntArray:
    """Draw n of m items without replacement, every subset equally likely.

    Args:
        stream: the chance.
        number: which candidate of the stream.
        m: how many there are, below 2**31.
        n: how many to draw, 0 <= n <= m.

    Returns:
        (n,) positions, ascending.
    """
    return draw_stratified(stream, number, np.array([m]), n)


def draw_stratified(stream: Stream, number: int, sizes: IntArray, n: int) -> IntArray:
    """Draw n items without replacement, from each stratum its share, see `proportional_counts`.

    A partial Fisher-Yates shuffle within each stratum; a word that would favour some item is
    replaced by one of the next layer (Lemire 2019). Where n > m/2 the items left out are drawn
    instead.

    Args:
        stream: the chance.
        number: which candidate of the stream.
        sizes: (H,) items of each stratum, which stand one stratum after the other; sum m < 2**31.
        n: how many to draw, 0 <= n <= m.

    Returns:
        (n,) positions, ascending.

    References:
        Lemire, D. (2019). Fast random integer generation in an interval. ACM Trans. Model.
        Comput. Simul. 29(1). doi:10.1145/3230636
    """
    m = int(sizes.sum())
    complement = n > m - n
    size = m - n if complement else n
    counts = proportional_counts(sizes, size, stream.child("counts"), number)
    words = stream.words(number, size).tolist()
    drawn: list[int] = []
    start = 0
    for length, count in zip(sizes.tolist(), counts.tolist(), strict=True):
        order: dict[int, int] = {}
        for i in range(count):
            bound = length - i
            position = len(drawn)
            product = words[position] * bound
            attempt = 0
            while (product & MASK) < (MASK + 1 - bound) % bound:
                attempt += 1
                product = int(stream.words(number, size, attempt)[position]) * bound
            j = i + (product >> 32)
            drawn.append(start + order.get(j, j))
            order[j] = order.get(i, i)
        start += length
    if not complement:
        return np.sort(np.array(drawn, dtype=np.int64))
    kept = np.ones(m, dtype=np.bool_)
    kept[drawn] = False
    return np.flatnonzero(kept)


def proportional_counts(sizes: IntArray, n: int, stream: Stream, number: int = 0) -> IntArray:
    """Share n among strata in proportion to their sizes, rounded by systematic sampling.

    The strata stand in random order on a line as long as n, each as long as its exact share; the
    counts are how many of the n points u, u + 1, ... fall on each, with one u uniform on [0, 1) in
    steps of 1/m. Each count is its share rounded up or down, and right on average.

    Args:
        sizes: (H,) items of each stratum, sum m >= n.
        n: how many items to share out.
        stream: the chance.
        number: which of its substreams.

    Returns:
        (H,) counts, sum n, none above its size.

    References:
        Madow, W. G. (1949). On the theory of systematic sampling, II. Ann. Math. Stat. 20(3).
        doi:10.1214/aoms/1177729988
    """
    if sizes.size == 1:
        return np.array([n], dtype=np.int64)
    m = int(sizes.sum())
    words = stream.words(number, sizes.size + 1)
    u = int(words[0]) * m >> 32
    order = np.argsort(words[1:], kind="stable")
    ends = np.concatenate([[0], np.cumsum(sizes[order])])
    below = (ends * n - u + m - 1) // m  # points before each end
    counts = np.empty(sizes.size, dtype=np.int64)
    counts[order] = np.diff(below)
    return counts

"""Swap descent: trade items of a subset for others while the features' means come nearer."""

from typing import Any

import numpy as np

from bestrand.rng import Stream
from bestrand.search.fixed_point import signed_fixed_point
from bestrand.types import FloatArray, IntArray


PROPOSALS_PER_ITEM = 20


def swap_descent(
    features: FloatArray, chosen: IntArray, *, stream: Stream, reference: FloatArray | None = None
) -> IntArray:
    """Improve the balance of a subset by random swaps.

    Each proposal trades a random member for a random non-member of the pool; it is taken if the
    squared length of the members' summed features, less the reference, falls. The sums are whole
    numbers, so the result is the same on every machine.

    Args:
        features: (m, d) finite values, centred so that 0 is where the means should be.
        chosen: (n,) positions of the members, 1 <= n <= m.
        stream: the chance.
        reference: (d,) what the members' features should sum to; default: 0.

    Returns:
        (n,) positions, ascending; never further from the reference than `chosen`.
    """
    m, n = features.shape[0], chosen.size
    if n == m:
        return np.sort(chosen)
    values, unit = signed_fixed_point(features)
    start = values[chosen].sum(axis=0)
    if reference is not None:
        start = start - np.rint(reference / unit).astype(np.int64)
    outside = np.ones(m, dtype=np.bool_)
    outside[chosen] = False
    members, others = np.sort(chosen), np.flatnonzero(outside)
    words = stream.words(0, 2 * PROPOSALS_PER_ITEM * n)
    from bestrand.search.swap_kernel import descend

    descend(values, members, others, start, words)
    return np.sort(members)


def descend_plainly(
    values: IntArray, members: IntArray, others: IntArray, sums: IntArray, words: IntArray
) -> None:
    """Do in plain Python what `swap_kernel.descend` does; the oracle of its test."""
    best = squared_length(sums)
    for k in range(0, words.size - 1, 2):
        i = int(words[k]) * members.size >> 32
        j = int(words[k + 1]) * others.size >> 32
        trial = sums - values[members[i]] + values[others[j]]
        length = squared_length(trial)
        if length < best:
            best = length
            sums[:] = trial
            members[i], others[j] = others[j], members[i]


def squared_length(sums: Any) -> float:  # noqa: ANN401
    """Sum the squares in order, as the kernel does."""
    total = 0.0
    for value in sums:
        total += float(value) * float(value)
    return total

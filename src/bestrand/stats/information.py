"""Mutual information of items' scores, with each other and with a full score; in nats."""

import numpy as np
from scipy.special import digamma

from bestrand.stats.source_scores import item_moments, item_products
from bestrand.types import BoolArray, FloatArray, IntArray


ITEMS_AT_ONCE = 1024
STEPS = float(1 << 40)  # full scores as whole numbers, so that distances are exact
ROUNDING = 4  # distances that differ by less are ties


def information_with_full(
    member: BoolArray, full: FloatArray, *, n_neighbours: int = 3
) -> FloatArray:
    r"""Estimate the information between each two-valued item and a full score; (m,).

    $$ \psi(K) + \overline{\psi(k)} - \overline{\psi(K_x)} - \overline{\psi(c)} $$

    K is how many sources are counted, K_x how many have the same value, k the neighbours looked
    at among these, and c how many of all sources are nearer than the k-th of them. A source has
    K_x - 1 others of its value: where that is below `n_neighbours`, all of these are its k. A
    source that is alone with its value is not counted, and c still looks at all sources.

    Args:
        member: (K, m) which sources have the higher of the item's two values.
        full: (K,) their full scores.
        n_neighbours: k; K_x - 1 where a value is rarer than that.

    Returns:
        Nats, never below 0; 0 for an item on which all sources have the same value.

    References:
        Ross, B. C. (2014). Mutual information between discrete and continuous data sets. PLoS ONE
        9(2). doi:10.1371/journal.pone.0087357
    """
    order = np.argsort(full, kind="stable")
    ranked = np.rint(full[order] * STEPS).astype(np.int64)
    found = [
        _information(member[order, first : first + ITEMS_AT_ONCE].T, ranked, n_neighbours)
        for first in range(0, member.shape[1], ITEMS_AT_ONCE)
    ]
    return np.concatenate([np.empty(0), *found])


def _information(member: BoolArray, ranked: IntArray, n_neighbours: int) -> FloatArray:
    """Do so for some items, member (B, K), the sources in ascending order of full score."""
    n_items, n_sources = member.shape
    # Sources with the lower value first, each kind still in ascending order of full score.
    values = ranked[np.argsort(member, axis=1, kind="stable")]  # (B, K)
    n_low = n_sources - member.sum(axis=1, keepdims=True)
    place = np.arange(n_sources)
    first = np.where(place < n_low, 0, n_low)
    size = np.where(place < n_low, n_low, n_sources - n_low)
    k = np.minimum(n_neighbours, size - 1)

    # The k nearest in a sorted row are j to the left and k - j to the right, for some j.
    radius = np.full((n_items, n_sources), np.iinfo(np.int64).max)
    rows = np.arange(n_items)[:, None]
    for j in range(n_neighbours + 1):
        left, right = place - j, place + (k - j)
        there = (j <= k) & (left >= first) & (right < first + size)
        reach = np.maximum(
            values - values[rows, np.where(there, left, 0)],
            values[rows, np.where(there, right, 0)] - values,
        )
        radius = np.where(there, np.minimum(radius, reach), radius)
    nearer = np.maximum(radius - ROUNDING, 0)  # strictly nearer than the k-th
    above = np.searchsorted(ranked, values + nearer, side="right")
    below = np.searchsorted(ranked, values - nearer, side="left")

    counted = size > 1
    psi = digamma(np.maximum(np.arange(n_sources + 1), 1))
    terms = np.where(counted, psi[k] - psi[size] - psi[above - below], 0.0).sum(axis=1)
    n_counted = counted.sum(axis=1)
    nats = psi[n_counted] + terms / np.maximum(n_counted, 1)
    varies = member.any(axis=1) & ~member.all(axis=1)
    return np.where(varies, np.maximum(nats, 0.0), 0.0)


class BinaryInformation:
    """Information between two-valued items, from the counts of the four pairs of values.

    Args:
        member: (K, m) which sources have the higher of the item's two values.
    """

    def __init__(self, member: BoolArray) -> None:
        n_sources = len(member)
        counts = np.arange(n_sources + 1, dtype=np.float64)
        self._member = member.astype(np.float32)
        self._table = counts * np.log(np.maximum(counts, 1.0))
        self._ones = member.sum(axis=0)
        self._entropy_terms = self._table[self._ones] + self._table[n_sources - self._ones]

    def with_item(self, item: int) -> FloatArray:
        """Return the information between every item and one of them; (m,)."""
        table, ones = self._table, self._ones
        n_sources = len(self._member)
        both = (self._member[:, item] @ self._member).astype(np.int64)
        pairs = (
            table[both]
            + table[ones - both]
            + table[ones[item] - both]
            + table[n_sources - ones - ones[item] + both]
        )
        nats = pairs - self._entropy_terms - self._entropy_terms[item] + table[n_sources]
        return np.asarray(np.maximum(nats / n_sources, 0.0))


class GaussianInformation:
    r"""Information between graded items as if they were normal: $-\frac12 \log(1 - r^2)$.

    It is held below log K, for K sources cannot tell more.

    Args:
        scores: (K, m).
    """

    def __init__(self, scores: FloatArray) -> None:
        spread = item_moments(scores).spread
        self._scores = scores
        self._scale = np.where(spread > 0, 1.0 / np.sqrt(np.where(spread > 0, spread, 1.0)), 0.0)

    def with_item(self, item: int) -> FloatArray:
        """Return the information between every item and one of them; (m,)."""
        products = item_products(self._scores, self._scores[:, [item]])[:, 0]
        r = products * self._scale * self._scale[item]
        most = np.log(len(self._scores))
        return np.asarray(np.minimum(-0.5 * np.log(np.maximum(1.0 - r**2, 1e-300)), most))

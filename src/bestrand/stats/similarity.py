"""Likeness of items by their representations, exact: unit rows as whole numbers.

A cosine is a sum of products, and the last bits of a float sum depend on the order of its terms,
so on the machine. Rows of whole numbers have sums that are exact in any order, and then the same
items are chosen everywhere. All arrays here hold whole numbers, in float64 for the sake of fast
products.
"""

from collections.abc import Iterator
from math import fsum
from typing import NamedTuple

import numpy as np

from bestrand.types import FloatArray, IntArray


STEPS = 2**16  # to 1, in a unit row
CELLS_AT_ONCE = 2**21  # of a block of similarities: 16 MiB


def on_grid(rows: FloatArray) -> FloatArray:
    """Round to multiples of 1 / STEPS; what is on them already stays as it is."""
    return np.rint(rows * STEPS) / STEPS


def whole_rows(rows: FloatArray) -> FloatArray:
    """Take unit rows as whole numbers up to STEPS; (m, d).

    A product of two rows is below 2**33 in size and so is every part of its sum, so it is exact.
    """
    return np.rint(rows * STEPS)


class Block(NamedTuple):
    """Similarities of some items with all.

    Attributes:
        first: position of the first of those items.
        products: (m, b) products of whole rows, STEPS**2 where two are the same.
    """

    first: int
    products: FloatArray


def product_blocks(rows: FloatArray, others: FloatArray) -> Iterator[Block]:
    """Return the products of all rows with some of the others at a time, in bounded memory."""
    step = max(1, CELLS_AT_ONCE // max(len(rows), 1))
    for first in range(0, len(others), step):
        yield Block(first, rows @ others[first : first + step].T)


def squared_lengths(rows: FloatArray) -> FloatArray:
    """Sum the squares of each whole row; (m,)."""
    return np.asarray(np.einsum("id,id->i", rows, rows), dtype=np.float64)


def nearest_chosen(rows: FloatArray, chosen: IntArray) -> IntArray:
    """Return which of the chosen items is nearest to each; (m,) places in `chosen`.

    A chosen item is nearest to itself. Else ties go to the first of `chosen`.
    """
    lengths = squared_lengths(rows)
    nearest = np.empty(len(rows), dtype=np.int64)
    for block in product_blocks(rows[chosen], rows):
        # The item's own length is the same for all of the chosen.
        away = lengths[chosen][:, None] - 2 * block.products
        nearest[block.first : block.first + away.shape[1]] = away.argmin(axis=0)
    nearest[chosen] = np.arange(chosen.size)
    return nearest


def cluster_weights(rows: FloatArray, chosen: IntArray, weights: FloatArray) -> FloatArray:
    """Share out the weights of all items: each goes to the nearest chosen one; (n,), mean 1."""
    sums = np.bincount(nearest_chosen(rows, chosen), weights, minlength=chosen.size)
    return np.asarray(sums * (chosen.size / fsum(weights)), dtype=np.float64)

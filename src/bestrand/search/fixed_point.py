"""Scores as whole numbers, so that sums are exact and their order does not matter.

A float sum depends on the order of its terms, and so on threads and SIMD width; a sum of whole
numbers does not. Two columns share one 64-bit word, each in a field of 32 bits that n items
cannot overflow, so one addition adds both.
"""

import hashlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bestrand.types import FloatArray, IntArray


FIELD_BITS = 32
WORDS_AT_ONCE = 4  # the kernel adds four words in a row; columns are padded to fill them


@dataclass(frozen=True, slots=True)
class FixedPoint:
    """Columns as whole numbers >= 0.

    Attributes:
        values: (m, C) whole numbers, below 2**bits, the columns in an order of their own.
        unit: what 1 stands for, in the unit of the columns given.
    """

    values: IntArray
    unit: float

    @property
    def totals(self) -> IntArray:
        """Sum each column exactly; (C,)."""
        return np.asarray(self.values.sum(axis=0), dtype=np.int64)

    def packed(self) -> NDArray[np.uint64]:
        """Pack columns two to a word; (m, W), W a multiple of four."""
        m, n_columns = self.values.shape
        n_words = -(-n_columns // (2 * WORDS_AT_ONCE)) * WORDS_AT_ONCE
        fields = np.zeros((m, 2 * n_words), dtype=np.uint64)
        fields[:, :n_columns] = self.values
        words: NDArray[np.uint64] = fields[:, 0::2] | (fields[:, 1::2] << np.uint64(FIELD_BITS))
        return words


def to_fixed_point(columns: FloatArray, n_drawn: int) -> FixedPoint:
    """Round columns to whole numbers that can be summed over `n_drawn` items without overflow.

    All columns share one unit, so distances over them keep their meaning; each column may start
    where it likes, for a constant does not change how near a subset is. Binary scores are exact.

    The columns come in an order that depends on what is in them alone. A distance is a float sum
    over them, and where candidates tie its last bit decides: it must not depend on which probe
    was named first.

    Args:
        columns: (m, C) finite values.
        n_drawn: how many items are summed at most.

    Returns:
        values of FIELD_BITS - log2(n_drawn) bits, at most 30; rounding moves the mean of n items
        by about sqrt(n) / 2**32 of the range.
    """
    low = columns.min(axis=0)
    width = float((columns - low).max())
    bits = min(FIELD_BITS - int(n_drawn).bit_length(), 30)
    if width == 0.0:
        return FixedPoint(np.zeros(columns.shape, dtype=np.int64), 1.0)
    steps = float(1 << (bits - 1))  # a power of two keeps 0, 1/2 and 1 exact
    values = np.rint((columns - low) / width * steps).astype(np.int64)
    order = sorted(range(values.shape[1]), key=lambda column: _content(values[:, column]))
    return FixedPoint(values[:, order], width / steps)


def signed_fixed_point(features: FloatArray) -> tuple[IntArray, float]:
    """Round features around 0 to whole numbers of one unit; (m, d), and what 1 stands for."""
    width = float(np.abs(features).max(initial=0.0))
    unit = width / (1 << 30) if width > 0 else 1.0
    return np.rint(features / unit).astype(np.int64), unit


def _content(column: IntArray) -> bytes:
    return hashlib.blake2b(column.astype("<i8").tobytes()).digest()

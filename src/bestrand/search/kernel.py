"""The compiled search. Tests compare it with the same search in plain numpy.

Imported only when a search runs, so that nothing is compiled and numba is not loaded before.
The functions release the interpreter lock: threads run them side by side.
"""

from typing import Any

import numpy as np
from numba import njit

from bestrand.rng import MASK, MULTIPLIERS, ROUNDS, WEYL
from bestrand.search.fixed_point import FIELD_BITS, WORDS_AT_ONCE


_M0, _M1 = np.uint64(MULTIPLIERS[0]), np.uint64(MULTIPLIERS[1])
_W0, _W1 = np.uint64(WEYL[0]), np.uint64(WEYL[1])
_MASK, _HALF, _ZERO = np.uint64(MASK), np.uint64(FIELD_BITS), np.uint64(0)
_ONE = np.uint64(1)


@njit(nogil=True, cache=True)
def _fill_words(words: Any, key: Any, number: Any, attempt: Any, n_blocks: int) -> None:  # noqa: ANN401
    """Write the words of a substream; word w of block b stands at w * n_blocks + b."""
    for block in range(n_blocks):
        c0, c1, c2, c3 = np.uint64(block), np.uint64(number), np.uint64(attempt), _ZERO
        k0, k1 = key[0], key[1]
        for _ in range(ROUNDS):
            p0, p1 = c0 * _M0, c2 * _M1
            c0, c1 = (p1 >> _HALF) ^ c1 ^ k0, p1 & _MASK
            c2, c3 = (p0 >> _HALF) ^ c3 ^ k1, p0 & _MASK
            k0, k1 = (k0 + _W0) & _MASK, (k1 + _W1) & _MASK
        words[block] = c0
        words[n_blocks + block] = c1
        words[2 * n_blocks + block] = c2
        words[3 * n_blocks + block] = c3


@njit(nogil=True, cache=True)
def _redraw(spare: Any, key: Any, number: Any, position: int, n_blocks: int, bound: Any) -> Any:  # noqa: ANN401
    """Scale the word at `position` of later layers until one is free of bias."""
    threshold = (_MASK - bound + _ONE) % bound
    attempt = 0
    product = _ZERO
    accepted = False
    while not accepted:
        attempt += 1
        _fill_words(spare, key, number, attempt, n_blocks)
        product = np.uint64(spare[position]) * bound
        accepted = (product & _MASK) >= threshold
    return product


@njit(nogil=True, cache=True)
def _share_out(counts: Any, sizes: Any, n: int, words: Any, key: Any, number: Any) -> None:  # noqa: ANN401
    """Share n among strata; see `draws.proportional_counts`."""
    n_strata, m = sizes.size, sizes.sum()
    if n_strata == 1:
        counts[0] = n
        return
    _fill_words(words, key, number, 0, words.size // 4)
    u = np.int64((np.uint64(words[0]) * np.uint64(m)) >> _HALF)
    end, before = np.int64(0), np.int64(0)
    for stratum in np.argsort(words[1 : n_strata + 1], kind="mergesort"):
        end += sizes[stratum]
        below = (end * n - u + m - 1) // m
        counts[stratum] = below - before
        before = below


@njit(nogil=True, cache=True)
def _shuffle(
    order: Any,  # noqa: ANN401
    words: Any,  # noqa: ANN401
    drawn: Any,  # noqa: ANN401
    start: int,
    spare: Any,  # noqa: ANN401
    key: Any,  # noqa: ANN401
    number: Any,  # noqa: ANN401
) -> None:
    """Draw from one stratum by a partial shuffle; its words begin at `start` of the substream."""
    for i in range(drawn.size):
        bound = np.uint64(order.size - i)
        product = np.uint64(words[i]) * bound
        low = product & _MASK
        if low < bound and low < (_MASK - bound + _ONE) % bound:
            product = _redraw(spare, key, number, start + i, spare.size // 4, bound)
        j = i + np.int64(product >> _HALF)
        drawn[i] = order[j]
        order[j] = order[i]
        words[i] = j


@njit(nogil=True, cache=True)
def _restore(order: Any, words: Any, first: int) -> None:  # noqa: ANN401
    """Undo a shuffle: every touched place holds its own number again, counted from `first`."""
    for i in range(words.size):
        order[words[i]] = first + words[i]
        order[i] = first + i


@njit(nogil=True, cache=True)
def _draw(
    order: Any,  # noqa: ANN401
    words: Any,  # noqa: ANN401
    spare: Any,  # noqa: ANN401
    drawn: Any,  # noqa: ANN401
    sizes: Any,  # noqa: ANN401
    counts: Any,  # noqa: ANN401
    key: Any,  # noqa: ANN401
    number: Any,  # noqa: ANN401
) -> None:
    """Draw from each stratum its count; `order` must be and is left 0..m-1."""
    _fill_words(words, key, number, 0, words.size // 4)
    first, start = 0, 0
    for stratum in range(sizes.size):
        stop, last = start + counts[stratum], first + sizes[stratum]
        part, part_words = order[first:last], words[start:stop]
        _shuffle(part, part_words, drawn[start:stop], start, spare, key, number)
        _restore(part, part_words, first)
        first, start = last, stop


@njit(nogil=True, cache=True)
def _add_up(packed: Any, drawn: Any, sums: Any) -> None:  # noqa: ANN401
    """Sum the drawn rows, two columns to a word, and unpack the fields into `sums`."""
    for word in range(0, packed.shape[1], WORDS_AT_ONCE):
        s0, s1, s2, s3 = _ZERO, _ZERO, _ZERO, _ZERO
        for i in range(drawn.size):
            row = drawn[i]
            s0 += packed[row, word]
            s1 += packed[row, word + 1]
            s2 += packed[row, word + 2]
            s3 += packed[row, word + 3]
        for offset, total in enumerate((s0, s1, s2, s3)):
            sums[2 * (word + offset)] = np.int64(total & _MASK)
            sums[2 * (word + offset) + 1] = np.int64(total >> _HALF)


@njit(nogil=True, cache=True)
def search(  # noqa: D103 - see twin.search, which it equals
    packed: Any,  # noqa: ANN401
    totals: Any,  # noqa: ANN401
    sizes: Any,  # noqa: ANN401
    n: int,
    norm: int,
    key: Any,  # noqa: ANN401
    counts_key: Any,  # noqa: ANN401
    first: int,
    last: int,
) -> tuple[float, int]:
    m, n_columns = packed.shape[0], totals.size
    complement = n > m - n
    drawn = np.empty(m - n if complement else n, dtype=np.uint32)
    order = np.arange(m).astype(np.uint32)
    words = np.empty(4 * ((drawn.size + 3) // 4), dtype=np.uint32)
    spare = np.empty_like(words)
    counts = np.empty(sizes.size, dtype=np.int64)
    counts_words = np.empty(4 * ((sizes.size + 4) // 4), dtype=np.uint32)
    sums = np.empty(2 * packed.shape[1], dtype=np.int64)
    best_distance, best_number = np.inf, -1
    for number in range(first, last):
        _share_out(counts, sizes, drawn.size, counts_words, counts_key, number)
        _draw(order, words, spare, drawn, sizes, counts, key, number)
        _add_up(packed, drawn, sums)
        distance = 0.0
        for column in range(n_columns):
            inside = totals[column] - sums[column] if complement else sums[column]
            gap = abs(float(m * inside - n * totals[column]))
            if norm == 1:
                distance += gap
            elif norm == 2:
                distance += gap * gap
            else:
                distance = max(distance, gap)
        if distance < best_distance:
            best_distance, best_number = distance, number
    return best_distance, best_number

"""Chance by name: one seed, and a counter-based stream for every purpose and every candidate.

The numbers are those of Philox4x32-10. They are a pure function of key and counter, so candidate
17 of a search is the same subset whichever thread draws it, in whichever order, on any machine.

References:
    Salmon, J. K., Moraes, M. A., Dror, R. O. and Shaw, D. E. (2011). Parallel random numbers:
    as easy as 1, 2, 3. Proc. SC11. doi:10.1145/2063384.2063405
"""

import hashlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bestrand.errors import ArgumentError
from bestrand.settings import whole_number
from bestrand.types import IntArray


MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
WEYL = (0x9E3779B9, 0xBB67AE85)
MASK = 0xFFFFFFFF
ROUNDS = 10


def philox4x32(counters: NDArray[np.uint64], key: tuple[int, int]) -> NDArray[np.uint64]:
    """Turn counters into random words, each a 32-bit number held in 64 bits.

    Args:
        counters: (4, B) counters, each word below 2**32.
        key: two words below 2**32.

    Returns:
        (4, B) words, uniform on 0..2**32 - 1.
    """
    c0, c1, c2, c3 = (row.copy() for row in counters)
    mask, half = np.uint64(MASK), np.uint64(32)
    k0, k1 = key
    for _ in range(ROUNDS):
        p0, p1 = c0 * np.uint64(MULTIPLIERS[0]), c2 * np.uint64(MULTIPLIERS[1])
        c0, c1 = (p1 >> half) ^ c1 ^ np.uint64(k0), p1 & mask
        c2, c3 = (p0 >> half) ^ c3 ^ np.uint64(k1), p0 & mask
        k0, k1 = (k0 + WEYL[0]) & MASK, (k1 + WEYL[1]) & MASK
    return np.stack([c0, c1, c2, c3])


@dataclass(frozen=True, slots=True)
class Stream:
    """A source of chance that belongs to a seed and a path of names.

    Streams depend on names, not on the order of calls, so a new caller never shifts the draws
    of an old one.

    Attributes:
        key: two 32-bit words.

    Examples:
        >>> Stream.of(0, "pool") == Stream.of(0, "pool")
        True
        >>> Stream.of(0, "pool") == Stream.of(0, "select")
        False
    """

    key: tuple[int, int]

    @classmethod
    def of(cls, seed: int, *path: str) -> "Stream":
        """Take the stream that belongs to `path` under `seed`, a whole number >= 0.

        Raises:
            ArgumentError: the seed is negative or no whole number.
        """
        seed = whole_number(seed, "seed")
        if seed < 0:
            raise ArgumentError(f"`seed` must be 0 or more, got {seed}.", seed=seed)
        text = "\0".join([str(seed), *path]).encode()
        digest = hashlib.blake2b(text, digest_size=8).digest()
        return cls((int.from_bytes(digest[:4], "big"), int.from_bytes(digest[4:], "big")))

    def child(self, name: str) -> "Stream":
        """Take the stream that belongs to `name` under this one."""
        text = f"{self.key[0]}:{self.key[1]}\0{name}".encode()
        digest = hashlib.blake2b(text, digest_size=8).digest()
        return Stream((int.from_bytes(digest[:4], "big"), int.from_bytes(digest[4:], "big")))

    def words(self, number: int, n: int, attempt: int = 0) -> IntArray:
        """Return n words of substream `number`, each uniform on 0..2**32 - 1.

        Another n may give other words: it says how many blocks of four are laid side by side.

        Args:
            number: which substream (a candidate's number), below 2**32.
            n: how many words.
            attempt: which layer; words of another layer are independent of these.

        Returns:
            (n,) whole numbers.
        """
        n_blocks = -(-n // 4)
        counters = np.zeros((4, n_blocks), dtype=np.uint64)
        counters[0] = np.arange(n_blocks)
        counters[1] = number
        counters[2] = attempt
        return philox4x32(counters, self.key).ravel()[:n].astype(np.int64)

    def generator(self) -> np.random.Generator:
        """Return a numpy generator, for methods that hand chance on to another library."""
        return np.random.Generator(np.random.Philox(key=self.key[0] << 32 | self.key[1]))

"""Source models' scores in a form that gives the same numbers in any order and on any machine."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import NamedTuple

import numpy as np

from bestrand.rng import Stream
from bestrand.types import FloatArray, IntArray


STEPS = float(1 << 20)  # products of two scores, summed over thousands, are still exact


class Sources(NamedTuple):
    """Models that were scored on all items.

    Attributes:
        scores: (K, m) on 0..1 in steps of 2**-20, the models in an order that depends on what is
            in their scores alone.
        full: (K,) weighted means over the m items.
    """

    scores: FloatArray
    full: FloatArray

    @classmethod
    def of(cls, scores: FloatArray, weights: FloatArray) -> "Sources":
        """Bring scores (K, m) on 0..1 into that form; weights are (m,)."""
        steps = np.rint(scores * STEPS)
        order = sorted(range(len(steps)), key=lambda row: _content(steps[row]))
        rounded = steps[order] / STEPS
        return cls(rounded, (rounded * weights).sum(axis=1) / weights.sum())


class Split(NamedTuple):
    """Models to learn from, and models to check on; positions, ascending."""

    train: IntArray
    validation: IntArray


def split_sources(n_sources: int, share: float, stream: Stream) -> Split:
    """Set aside a random share of the sources for validation, at least one, and keep two."""
    n_validation = min(max(1, round(share * n_sources)), n_sources - 2)
    order = np.argsort(stream.words(0, n_sources), kind="stable")
    return Split(np.sort(order[n_validation:]), np.sort(order[:n_validation]))


class SourceSums(NamedTuple):
    """Sums over the K sources, exact.

    Attributes:
        spread: (m,) K sum x^2 - (sum x)^2 of each item; exactly 0 where all sources score alike.
        sums: (m,) sum x.
    """

    spread: FloatArray
    sums: FloatArray


def item_moments(scores: FloatArray) -> SourceSums:
    """Return the moments of each column of (K, m) scores."""
    sums = scores.sum(axis=0)
    return SourceSums(len(scores) * (scores**2).sum(axis=0) - sums**2, sums)


def item_products(left: FloatArray, right: FloatArray) -> FloatArray:
    """Return K sum x y - (sum x)(sum y) of each column of (K, a) and each of (K, b); (a, b)."""
    products = left.T @ right
    products *= len(left)
    products -= np.outer(left.sum(axis=0), right.sum(axis=0))
    return np.asarray(products)


def item_correlations(left: FloatArray, right: FloatArray) -> FloatArray:
    """Correlate each column of (K, a) with each of (K, b) over the sources; (a, b).

    Where a column does not vary the correlation is not defined, and 0 here.
    """
    correlations = item_products(left, right)
    for axis, columns in ((1, left), (0, right)):
        spread = item_moments(columns).spread
        scale = np.where(spread > 0, 1.0 / np.sqrt(np.where(spread > 0, spread, 1.0)), 0.0)
        correlations *= np.expand_dims(scale, axis)
    return np.clip(correlations, -1.0, 1.0, out=correlations)


@contextmanager
def one_thread() -> Iterator[None]:
    """Do linear algebra on one thread, so that rounding does not depend on how many there are."""
    with import_module("threadpoolctl").threadpool_limits(limits=1):
        yield


def _content(row: FloatArray) -> bytes:
    return hashlib.blake2b(row.astype("<i8").tobytes()).digest()

"""The door of the search: columns in, the nearest candidate out."""

import math
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

import numpy as np

from bestrand.rng import Stream
from bestrand.search.draws import draw_stratified
from bestrand.search.fixed_point import to_fixed_point
from bestrand.types import FloatArray, IntArray, Norm


NORM_CODES = {"l1": 1, "l2": 2, "linf": 3}
CANDIDATES_AT_ONCE = 64


class Best(NamedTuple):
    """The nearest of the candidates.

    Attributes:
        columns: (n,) positions in the pool, ascending.
        distance: between its means and the pool's, in the unit of the columns given.
        number: the candidate's number, from 0.
    """

    columns: IntArray
    distance: float
    number: int


_one_thread: ContextVar[bool] = ContextVar("one_thread", default=False)


def available_processors() -> int:
    """Count the processors that this process may use; 1 within `one_search_thread`."""
    if _one_thread.get():
        return 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def one_search_thread() -> Iterator[None]:
    """Search on one thread: for callers that already run one process a processor."""
    token = _one_thread.set(True)
    try:
        yield
    finally:
        _one_thread.reset(token)


def find_best(
    columns: FloatArray,
    n: int,
    *,
    n_candidates: int,
    norm: Norm,
    stream: Stream,
    strata: IntArray | None = None,
    n_workers: int | None = None,
) -> Best:
    """Find, among M random n-subsets of the pool, the one whose means lie nearest the pool's.

    Memory is O(m) per worker: no candidate but the best is remembered. The result is the same for
    any number of workers, on any machine, and for any order of the columns.

    Args:
        columns: (m, C) finite values of the pool's items.
        n: size of a subset, 1 <= n <= m.
        n_candidates: M >= 1.
        norm: how the C gaps make one distance.
        stream: the chance; candidate k is drawn from its substream k.
        strata: (m,) code of each item's group, if each candidate shall take from every group its
            share; see `draws.draw_stratified`.
        n_workers: threads; None takes the processors this process may use.
    """
    from bestrand.search.kernel import search  # numba is loaded only here

    m = columns.shape[0]
    order, sizes = by_stratum(strata, m)
    fixed = to_fixed_point(columns[order], min(n, m - n) or 1)
    packed, totals = fixed.packed(), fixed.totals
    key = np.array(stream.key, dtype=np.uint64)
    counts_key = np.array(stream.child("counts").key, dtype=np.uint64)

    def search_from(first: int) -> tuple[float, int]:
        last = min(first + step, n_candidates)
        distance, number = search(
            packed, totals, sizes, n, NORM_CODES[norm], key, counts_key, first, last
        )
        return float(distance), int(number)

    workers = n_workers or available_processors()
    step = max(CANDIDATES_AT_ONCE, -(-n_candidates // (8 * workers)))
    starts = range(0, n_candidates, step)
    if workers == 1 or len(starts) == 1:
        found = [search_from(first) for first in starts]
    else:
        with ThreadPoolExecutor(workers) as threads:
            found = list(threads.map(search_from, starts))
    gap, number = min(found)
    distance = (math.sqrt(gap) if norm == "l2" else gap) * fixed.unit / (m * n)
    return Best(np.sort(order[draw_stratified(stream, number, sizes, n)]), distance, number)


def by_stratum(strata: IntArray | None, m: int) -> tuple[IntArray, IntArray]:
    """Return an order in which items stand one stratum after the other, and the strata's sizes."""
    if strata is None:
        return np.arange(m), np.array([m])
    return np.argsort(strata, kind="stable"), np.unique(strata, return_counts=True)[1]

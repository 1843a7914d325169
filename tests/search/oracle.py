"""The search in plain numpy: what the compiled kernel must equal."""

import numpy as np

from bestrand.rng import Stream
from bestrand.search.draws import draw_stratified
from bestrand.search.fixed_point import FixedPoint
from bestrand.types import IntArray, Norm


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
    fixed: FixedPoint,
    n: int,
    norm: Norm,
    stream: Stream,
    first: int,
    last: int,
    sizes: IntArray | None = None,
) -> tuple[float, int]:
    """Compare candidates first..last-1 and keep the nearest; ties go to the lowest number.

    The gap of a column is m * (sum over the subset) - n * (sum over the pool), a whole number:
    m * n times the difference of the means. With `sizes` the candidates are stratified, and the
    rows of `fixed` stand one stratum after the other.

    Returns:
        the distance in those units (L2 squared), and the candidate's number.
    """
    m = fixed.values.shape[0]
    sizes = np.array([m]) if sizes is None else sizes
    totals = fixed.totals
    best = (np.inf, -1)
    for number in range(first, last):
        inside = fixed.values[draw_stratified(stream, number, sizes, n)].sum(axis=0)
        distance = gap_to_distance(m * inside - n * totals, norm)
        if distance < best[0]:
            best = (distance, number)
    return best

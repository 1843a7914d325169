"""Distances between vectors of means."""

import numpy as np

from bestrand.types import FloatArray, Norm


ORDERS: dict[Norm, float] = {"l1": 1, "l2": 2, "linf": np.inf}


def distance(gaps: FloatArray, norm: Norm) -> float:
    """Length of a vector of gaps.

    Examples:
        >>> distance(np.array([3.0, -4.0]), "l1"), distance(np.array([3.0, -4.0]), "l2")
        (7.0, 5.0)
    """
    return float(np.linalg.norm(gaps, ORDERS[norm]))

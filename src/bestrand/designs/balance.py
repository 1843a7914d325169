"""What balanced designs share: features to balance on, and the search for the nearest subset."""

from math import fsum
from typing import TYPE_CHECKING

import numpy as np

from bestrand.designs.base import Draw, Features
from bestrand.rng import Stream
from bestrand.search.best import find_best
from bestrand.search.swap import swap_descent
from bestrand.stats.balance import big_groups, weighted_deviations
from bestrand.types import FloatArray


if TYPE_CHECKING:
    from bestrand.core.manifest import Balance


QUANTILES = (0.2, 0.4, 0.6, 0.8)


def centred(columns: FloatArray) -> FloatArray:
    """Take the exactly rounded mean off each column; (m, d)."""
    means = np.array([fsum(column) / column.size for column in columns.T])
    return np.asarray(columns - means)


def group_features(features: Features) -> FloatArray:
    """Return an indicator less its share in the frame for each big group; (m, G), G may be 0.

    Groups of less than 3 % of the frame make one column together.
    """
    if features.groups is None or features.group_shares is None:
        return np.empty((features.n_items, 0))
    shares = features.group_shares
    big = big_groups(shares).tolist()
    columns = [(features.groups == code) - shares[code] for code in big]
    small = np.setdiff1d(np.arange(shares.size), big)
    if small.size:
        columns.append(np.isin(features.groups, small) - shares[small].sum())
    return np.stack(columns, axis=1)


def difficulty_features(difficulty: FloatArray, factor: float) -> FloatArray:
    """Return indicators of difficulty below its quintiles, times `factor`, centred; (m, 4)."""
    bounds = np.quantile(difficulty, QUANTILES)
    return factor * centred((difficulty[:, None] <= bounds).astype(np.float64))


def draw_balanced(
    matched: FloatArray,
    more: FloatArray,
    features: Features,
    n: int,
    *,
    n_candidates: int,
    stream: Stream,
) -> Draw:
    """Take the best of many (stratified) random subsets, and improve it by swaps.

    Args:
        matched: (C, m) columns by which candidates are compared.
        more: (m, d) further features, centred, that the swaps balance too.
        features: what the design sees.
        n: size of the subset.
        n_candidates: how many are compared.
        stream: the chance.
    """
    columns = weighted_deviations(matched, features.weights)
    best = find_best(
        columns, n, n_candidates=n_candidates, norm="l2", stream=stream, strata=features.groups
    )
    columns = centred(columns)
    chosen = swap_descent(
        np.concatenate([columns, more], axis=1), best.columns, stream=stream.child("swap")
    )
    groups: tuple[Balance, ...] = () if features.groups is None else ("groups",)
    distance = float(np.linalg.norm(columns[chosen].mean(axis=0)))
    return Draw(chosen, inclusion=None, balanced_on=("probes", *groups), distance=distance)

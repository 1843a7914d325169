"""Errors of two-phase estimates: what the choice from the pool and the draw of the pool leave over.

The estimators that average over the subset, plainly or after a regression, share their intervals.
"""

from typing import NamedTuple

import numpy as np

from bestrand.estimators.base import Inference, Seen
from bestrand.stats.intervals import (
    floored_variance,
    pair_spread,
    two_phase_factor,
    weighted_spread,
)
from bestrand.stats.regression import PENALTY, residual_share, within_share
from bestrand.types import FloatArray, IntArray


BIG_GROUP = 0.03  # a group of at least this share of the frame gets a column of its own
ITEMS_PER_COLUMN = 3


def two_phase_inference(
    seen: Seen,
    features: FloatArray,
    adjustment: FloatArray | None = None,
    *,
    penalty: float = PENALTY,
) -> Inference:
    """Give the weighted mean plus an adjustment, with two-phase errors.

    Args:
        seen: the targets on the subset.
        features: (n, p) what the design balanced or the adjustment regressed on; the share of
            variance that they leave over is left to chance.
        adjustment: (T,) what to add to each mean; 0 unless given.
        penalty: of the ridge regression by which that share is found.
    """
    n = seen.scores.shape[1]
    shares, pair_shares = chance_shares(seen, features, penalty=penalty)

    spread = weighted_spread(seen.scores, seen.weights)
    variance = floored_variance(spread, seen.scores, seen.weights)
    variance = variance * _factor(seen, spread.n, shares)

    pairs = pair_spread(seen.scores, seen.weights)
    pair_variance = pairs.variance * _factor(seen, pairs.n, pair_shares)
    if n == seen.n_frame:  # nothing is left to chance, not even with a single item
        variance[spread.n == n] = 0.0
        pair_variance[pairs.n == n] = 0.0
    np.fill_diagonal(pair_variance, 0.0)
    more = np.zeros(len(spread.mean)) if adjustment is None else adjustment
    return Inference(
        estimate=spread.mean + more,
        se=np.sqrt(variance),
        freedom=np.asarray(spread.n - 1, dtype=np.float64),
        pair_difference=pairs.mean + (more[:, None] - more),
        pair_se=np.sqrt(pair_variance),
        pair_freedom=np.asarray(pairs.n - 1, dtype=np.float64),
    )


class ChanceShares(NamedTuple):
    """How much of the scores' variance a design leaves to chance.

    Attributes:
        residual: share that the features do not explain.
        within: share within the groups by which the pool was stratified.
    """

    residual: float = 1.0
    within: float = 1.0


def chance_shares(
    seen: Seen, features: FloatArray | None = None, *, penalty: float = PENALTY
) -> tuple[ChanceShares, ChanceShares]:
    """Give the shares of variance left to chance, of scores and of paired differences.

    Both are pooled over the targets, on the items that all of them were scored on; targets that
    served as probes do not count, for the probes explain them almost wholly. Differences
    are taken from the targets' mean, for what all targets have in common is no difference.
    The features are those that the subset was balanced on unless given.
    """
    features = balanced_features(seen) if features is None else features
    there = ~np.isnan(seen.scores).any(axis=0)
    y = seen.scores[np.ix_(seen.others, there)]
    weights = seen.weights[there]
    stratified = seen.groups is not None and "groups" in seen.pool_balanced_on
    groups = seen.groups[there] if stratified and seen.groups is not None else None

    def shares(values: FloatArray) -> ChanceShares:
        terms = linearised(values, weights)
        return ChanceShares(
            residual=residual_share(terms, features[there], penalty=penalty),
            within=1.0 if groups is None else within_share(terms, groups),
        )

    if y.shape[1] < 2 or len(y) == 0:
        return ChanceShares(), ChanceShares()
    return shares(y), shares(y - y.mean(axis=0)) if len(y) > 1 else ChanceShares()


def balanced_features(seen: Seen) -> FloatArray:
    """Give the features of which the subset matches the plain means, as columns; (n, p).

    Of probes these are the contributions to the weighted means, see `weighted_deviations`; of
    groups they are the counts, whatever the items weigh.
    """
    n = seen.scores.shape[1]
    columns: list[FloatArray] = []
    if "probes" in seen.balanced_on and seen.probes is not None:
        columns.extend(linearised(seen.probes, seen.weights))
    columns.extend(group_columns(seen, n_others=len(columns)))
    return np.stack(columns, axis=1) if columns else np.empty((n, 0))


def group_columns(seen: Seen, *, n_others: int) -> list[FloatArray]:
    """Give a column for each big group if the subset was balanced on groups and is big enough."""
    if "groups" not in seen.balanced_on or seen.groups is None or seen.group_shares is None:
        return []
    big = np.flatnonzero(seen.group_shares >= BIG_GROUP)
    if seen.scores.shape[1] < ITEMS_PER_COLUMN * (big.size + n_others):
        return []
    return [(seen.groups == code).astype(np.float64) for code in big]


def linearised(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Give each item's contribution to the weighted means of the rows; (R, n), no nan."""
    total = weights.sum()
    if total <= 0:
        return values
    means = (values @ weights) / total
    return np.asarray(weights * weights.size / total * (values - means[:, None]))


def _factor(seen: Seen, n_scored: IntArray, shares: ChanceShares) -> FloatArray:
    return two_phase_factor(
        n_scored,
        n=seen.scores.shape[1],
        n_pool=seen.n_pool,
        n_frame=seen.n_frame,
        residual_share=shares.residual,
        within_share=shares.within,
    )

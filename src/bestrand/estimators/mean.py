"""The mean of the subset's scores, weighted where the frame is."""

from dataclasses import dataclass
from typing import final

import numpy as np

from bestrand.estimators.base import Estimator, Inference, Seen
from bestrand.stats.intervals import (
    floored_variance,
    pair_spread,
    two_phase_factor,
    weighted_spread,
)
from bestrand.stats.regression import residual_share, within_share
from bestrand.types import FloatArray


BIG_GROUP = 0.03  # a group of at least this share of the frame gets a column of its own
ITEMS_PER_COLUMN = 3


@final
@dataclass(frozen=True, slots=True)
class Mean(Estimator):
    """Weighted mean over the subset; its interval counts what balance took out of chance.

    The variance is that of two-phase sampling: of the choice from the pool only the share that
    the balanced features do not explain is left, pooled over the targets; the draw of the pool
    remains. Without the probes' scores at hand that share is taken as 1, which is never too narrow.

    References:
        Cochran, W. G. (1977). Sampling Techniques, 3rd ed., ch. 12. Wiley.
    """

    def infer(self, seen: Seen) -> Inference:
        """Estimate the full scores; see `Estimator.infer`."""
        n = seen.scores.shape[1]
        shares, pair_shares = explained_shares(seen)
        factor = {"n": n, "n_pool": seen.n_pool, "n_frame": seen.n_frame}

        spread = weighted_spread(seen.scores, seen.weights)
        variance = floored_variance(spread, seen.scores, seen.weights)
        variance = variance * two_phase_factor(spread.n, **factor, **shares)

        pairs = pair_spread(seen.scores, seen.weights)
        pair_variance = pairs.variance * two_phase_factor(pairs.n, **factor, **pair_shares)
        if n == seen.n_frame:  # nothing is left to chance, not even with a single item
            variance[spread.n == n] = 0.0
            pair_variance[pairs.n == n] = 0.0
        np.fill_diagonal(pair_variance, 0.0)
        return Inference(
            estimate=spread.mean,
            se=np.sqrt(variance),
            freedom=spread.n - 1.0,
            pair_difference=pairs.mean,
            pair_se=np.sqrt(pair_variance),
            pair_freedom=pairs.n - 1.0,
        )


def explained_shares(seen: Seen) -> tuple[dict[str, float], dict[str, float]]:
    """Give the shares of variance left to chance, of scores and of paired differences.

    Both are pooled over the targets, on the items that all of them were scored on. Differences
    are taken from the targets' mean, for what all targets have in common is no difference.

    Returns:
        keyword arguments of `two_phase_factor`, for scores and for differences.
    """
    there = ~np.isnan(seen.scores).any(axis=0)
    y = seen.scores[:, there]
    weights = seen.weights[there]
    features = balanced_features(seen)[there]
    groups = seen.groups[there] if seen.groups is not None else None

    def shares(values: FloatArray) -> dict[str, float]:
        terms = linearised(values, weights)
        columns = linearised(features.T, weights).T
        pooled = groups is not None and "groups" in seen.pool_balanced_on
        return {
            "residual_share": residual_share(terms, columns),
            "within_share": within_share(terms, groups) if pooled and groups is not None else 1.0,
        }

    if y.shape[1] < 2:
        return {}, {}
    return shares(y), shares(y - y.mean(axis=0)) if len(y) > 1 else {}


def balanced_features(seen: Seen) -> FloatArray:
    """Give the features on which the subset was balanced, as columns; (n, p), p may be 0."""
    n = seen.scores.shape[1]
    columns: list[FloatArray] = []
    if "probes" in seen.balanced_on and seen.probes is not None:
        columns.extend(seen.probes)
    if "groups" in seen.balanced_on and seen.groups is not None and seen.group_shares is not None:
        big = np.flatnonzero(seen.group_shares >= BIG_GROUP)
        if n >= ITEMS_PER_COLUMN * (big.size + len(columns)):
            columns.extend((seen.groups == code).astype(np.float64) for code in big)
    return np.stack(columns, axis=1) if columns else np.empty((n, 0))


def linearised(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Give each item's contribution to the weighted means of the rows; (R, n), no nan."""
    total = weights.sum()
    if total <= 0:
        return values
    means = (values @ weights) / total
    return np.asarray(weights * weights.size / total * (values - means[:, None]))

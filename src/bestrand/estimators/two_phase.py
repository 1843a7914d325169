"""Errors of two-phase estimates: what the choice from the pool and the draw of the pool leave over.

The estimators that average over the subset, plainly or after a regression, share their intervals.
"""

from typing import NamedTuple

import numpy as np

from bestrand.core.bounds import UNIT
from bestrand.estimators.base import Inference, Seen
from bestrand.estimators.chance import residual_shares, within_shares
from bestrand.stats.balance import big_groups, linearised
from bestrand.stats.intervals import (
    Reach,
    floored_variance,
    pair_spread,
    score_reach,
    two_phase_factor,
    weighted_spread,
)
from bestrand.stats.regression import ridge_penalty
from bestrand.types import FloatArray, IntArray


ITEMS_PER_COLUMN = 3
ROUNDING = 1e-12  # of scores on 0..1


class Adjustment(NamedTuple):
    """What a regression adds to the means.

    Attributes:
        own: (T,) to each target's mean over the items that it was scored on.
        pairs: (T, T) to the mean difference of each pair over the items that both were scored on.
    """

    own: FloatArray
    pairs: FloatArray


def two_phase_inference(
    seen: Seen,
    features: FloatArray,
    adjustment: Adjustment | None = None,
    *,
    penalty: float | None = None,
) -> Inference:
    """Return the weighted mean plus an adjustment, with two-phase errors.

    Args:
        seen: the targets on the subset.
        features: (n, p) what the design balanced or the adjustment regressed on; the share of
            variance that they leave over is left to chance.
        adjustment: what to add to the means; default: nothing.
        penalty: of the ridge regression by which that share is found; default:
            `ridge_penalty` of the features.
    """
    n = seen.scores.shape[1]
    if penalty is None:
        penalty = ridge_penalty(features.T)
    residual = residual_shares(seen, features, penalty=penalty)
    within = within_shares(seen)
    regressed = adjustment is not None

    spread = weighted_spread(seen.scores, seen.weights)
    like = nearest_probe(seen, spread.mean)
    variance = floored_variance(spread, seen.scores, seen.weights, seen.bounds, like)
    variance = variance * _factor(seen, spread.n, residual.own, within.own, regressed=regressed)

    pairs = pair_spread(seen.scores, seen.weights, seen.bounds if like is None else UNIT)
    pair_variance = pairs.variance * _factor(
        seen, pairs.n, residual.pairs, within.pairs, regressed=regressed
    )
    if n == seen.n_frame:  # nothing is left to chance, not even with a single item
        variance[spread.n == n] = 0.0
        pair_variance[pairs.n == n] = 0.0
    np.fill_diagonal(pair_variance, 0.0)
    added = (0.0, 0.0) if adjustment is None else adjustment
    return Inference(
        estimate=spread.mean + added[0],
        se=np.sqrt(variance),
        freedom=np.asarray(spread.n - 1, dtype=np.float64),
        pair_difference=pairs.mean + added[1],
        pair_se=np.sqrt(pair_variance),
        pair_freedom=np.asarray(pairs.n - 1, dtype=np.float64),
    )


def nearest_probe(seen: Seen, means: FloatArray) -> Reach | None:
    """Return the reach of the probe that is nearest to each target in mean, on all items it ran.

    Where several are equally near, it is the widest of theirs.

    Args:
        seen: the targets and the probes.
        means: (T,) of the targets on the subset.
    """
    if seen.probes is None or len(seen.probes) == 0:
        return None
    scores = seen.probes if seen.probes_anywhere is None else seen.probes_anywhere
    alike = np.ones(scores.shape[1])
    reach = score_reach(weighted_spread(scores, alike), scores, alike, None)
    on_subset = weighted_spread(seen.probes, seen.weights).mean
    gaps = np.abs(np.nan_to_num(means)[:, None] - on_subset)
    nearest = gaps <= gaps.min(axis=1, keepdims=True) + ROUNDING
    with np.errstate(invalid="ignore"):
        low = np.where(nearest, reach.low, np.nan)
        high, kappa = (np.where(nearest, values, np.nan) for values in (reach.high, reach.kappa))
    return Reach(
        np.fmin.reduce(low, axis=1), np.fmax.reduce(high, axis=1), np.fmax.reduce(kappa, axis=1)
    )


def balanced_features(seen: Seen) -> FloatArray:
    """Return the features of which the subset matches the plain means, as columns; (n, p).

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
    """Return a column for each big group if the subset was balanced on groups and is big enough."""
    if "groups" not in seen.balanced_on or seen.groups is None or seen.group_shares is None:
        return []
    big = big_groups(seen.group_shares)
    if seen.scores.shape[1] < ITEMS_PER_COLUMN * (big.size + n_others):
        return []
    return [(seen.groups == code).astype(np.float64) for code in big]


def _factor(
    seen: Seen,
    n_scored: IntArray,
    residual: FloatArray,
    within: FloatArray,
    *,
    regressed: bool,
) -> FloatArray:
    return two_phase_factor(
        n_scored,
        n=seen.scores.shape[1],
        n_pool=seen.n_pool,
        n_frame=seen.n_frame,
        residual_share=residual,
        within_share=within,
        lacking_share=residual if regressed else 1.0,
    )

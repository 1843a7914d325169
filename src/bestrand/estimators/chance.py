"""The share of each target's variance, and of each pair's, that a design leaves to chance."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from bestrand.estimators.base import Seen
from bestrand.stats.balance import linearised
from bestrand.stats.regression import ridge_residuals, within_residuals
from bestrand.types import BoolArray, FloatArray


PRIOR_ITEMS = 10.0  # what the pooled share counts for, beside a target's own items
MANY_PROBES = 12  # above which the trace makes intervals of single targets too narrow as well
FEWEST_ITEMS = 3  # fewer show no share of their own
ROUNDING = 1e-20  # of a variance: what terms that are all the same may show


class ChanceShares(NamedTuple):
    """How much of the variance of scores a design leaves to chance.

    Attributes:
        own: (T,) of each target.
        pairs: (T, T) of each paired difference.
    """

    own: FloatArray
    pairs: FloatArray


class Residuals(NamedTuple):
    """What features, or groups, leave over of the scores of some targets.

    Attributes:
        variance: (T,) residual variance; nan where it cannot be told.
        residuals: (T, n) on the items, such that the mean square of the difference of two rows is
            the residual variance of that difference.
        freedom: degrees of freedom of each variance.
    """

    variance: FloatArray
    residuals: FloatArray
    freedom: float


def residual_shares(seen: Seen, features: FloatArray, *, penalty: float) -> ChanceShares:
    r"""Return the shares of variance that the features do not explain.

    $$ q_j = \frac{f\,\mathrm{own}_j + 10\,q}{f + 10}, \qquad
       \mathrm{own}_j = \frac{\text{residual variance of target } j}{\text{variance of target } j},
       \qquad f = n_j - 1 - \mathrm{tr} H $$

    Each target has a share of its own, drawn to the pooled share q by the worth of ten items, on
    the items that it was scored on. Pairs take the residuals of items left out of the fit,
    e / (1 - h): with the trace, intervals of differences were too narrow. So do single targets
    where there are more than twelve probes. Targets that served as probes do not count in what
    is pooled, for the probes explain them almost wholly.

    Args:
        seen: the targets on the subset.
        features: (n, p) what the design balanced, or what the estimator regressed on.
        penalty: of the ridge regression on them.
    """
    if features.shape[1] == 0:
        return _all_left(seen)
    n_probes = 0 if seen.probes is None else len(seen.probes)
    many = min(features.shape[1], n_probes) > MANY_PROBES

    def leave(terms: FloatArray, there: BoolArray) -> Residuals:
        fit = ridge_residuals(terms, features[there], penalty=penalty)
        variance = fit.variance
        if many:
            variance = (fit.left_out**2).mean(axis=1)
        return Residuals(variance, fit.left_out, max(fit.freedom, 0.0))

    return _shares(seen, leave)


def within_shares(seen: Seen) -> ChanceShares:
    """Return the shares of variance that lie within the groups by which the pool was stratified.

    They are drawn to the pooled share like those of `residual_shares`, and 1 where the pool was
    not stratified.
    """
    groups = seen.groups
    if groups is None or "groups" not in seen.pool_balanced_on:
        return _all_left(seen)

    def leave(terms: FloatArray, there: BoolArray) -> Residuals:
        residuals, freedom = within_residuals(terms, groups[there])
        if freedom < 1:
            return Residuals(np.full(len(terms), np.nan), residuals, 0.0)
        variance = (residuals**2).sum(axis=1) / freedom
        return Residuals(variance, residuals * np.sqrt(terms.shape[1] / freedom), freedom)

    return _shares(seen, leave)


def _all_left(seen: Seen) -> ChanceShares:
    n_targets = len(seen.scores)
    return ChanceShares(np.ones(n_targets), np.ones((n_targets, n_targets)))


def _shares(seen: Seen, leave: Callable[[FloatArray, BoolArray], Residuals]) -> ChanceShares:
    """Take what is left of each target on its own items, and draw the shares together."""
    there = ~np.isnan(seen.scores)
    terms, residuals = np.zeros_like(seen.scores), np.zeros_like(seen.scores)
    variance, freedom = np.full((2, len(there)), np.nan)
    patterns, pattern_of = np.unique(there, axis=0, return_inverse=True)
    for code, pattern in enumerate(patterns):
        if pattern.sum() < FEWEST_ITEMS:
            continue
        rows = np.flatnonzero(pattern_of.ravel() == code)
        here = np.ix_(rows, pattern)
        terms[here] = linearised(seen.scores[here], seen.weights[pattern])
        left = leave(terms[here], pattern)
        residuals[here] = left.residuals
        variance[rows], freedom[rows] = left.variance, left.freedom
    n, shared = there.sum(axis=1), there.astype(np.float64) @ there.T
    counted = np.isfinite(variance) & (n >= FEWEST_ITEMS)
    pairs = counted[:, None] & counted & (shared >= FEWEST_ITEMS)
    with np.errstate(divide="ignore", invalid="ignore"):
        whole = (terms**2).sum(axis=1) / (n - 1)
        pair_whole = _pair_squares(terms, there) / (shared - 1)
        pair_left = _pair_squares(residuals, there) / shared
    return ChanceShares(
        _drawn_together(variance, whole, freedom, counted, seen.others),
        _drawn_together(
            pair_left,
            pair_whole,
            np.minimum(freedom[:, None], freedom),
            pairs,
            np.triu(seen.others[:, None] & seen.others, 1),
        ),
    )


def _pair_squares(x: FloatArray, there: BoolArray) -> FloatArray:
    """Sum the squared differences of all pairs of rows over the items that both have; (T, T)."""
    mask = there.astype(np.float64)
    squares = (x**2) @ mask.T
    return np.asarray(np.clip(squares + squares.T - 2 * x @ x.T, 0.0, None))


def _drawn_together(
    left: FloatArray,
    whole: FloatArray,
    freedom: FloatArray,
    counted: BoolArray,
    pooled: BoolArray,
) -> FloatArray:
    """Draw each share left / whole to the pooled one; nothing counted says 1.

    Args:
        left: residual variances.
        whole: variances.
        freedom: degrees of freedom of the first.
        counted: where both can be told.
        pooled: which of them may count in the pooled share.
    """
    counted = counted & (whole > ROUNDING)
    among = counted & pooled
    total = float(whole[among].sum())
    common = min(1.0, float(left[among].sum()) / total) if total > 0 else 1.0
    own = np.divide(left, whole, out=np.full(left.shape, common), where=counted)
    weight = np.where(counted, freedom, 0.0)
    return np.asarray(np.minimum((weight * own + PRIOR_ITEMS * common) / (weight + PRIOR_ITEMS), 1))

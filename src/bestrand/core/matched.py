"""Are these the probe scores that a subset was made to match? Scores of others are refused."""

import math
from typing import NamedTuple

import numpy as np
from scipy.special import rel_entr

from bestrand.core.manifest import Manifest, scores_digest
from bestrand.core.scores import ScoreMatrix, ScoreTable
from bestrand.errors import InputError
from bestrand.types import BoolArray, FloatArray


FEWEST_ITEMS = 10  # fewer tell nothing
RISK = 1e-5  # of refusing the right scores, all probes together, if the choice was by chance
RISK_ON_POOL = 0.01  # there the right scores are met exactly; this is for a probe that ran again
WEIGHTED = 2.5  # times fewer items in effect: a ratio of weighted sums has a heavier tail
LEFT_OVER = 4.0  # times the distance that the choice left over
ROUNDING = 1e-6  # of the scale


class _Stated(NamedTuple):
    """What is known of each probe on the pool.

    Attributes:
        means: (K,) as the manifest holds them.
        variance: (K,) of an item's score, at most.
        low: lowest score.
        high: highest score.
    """

    means: FloatArray
    variance: FloatArray
    low: float
    high: float


def require_matched(
    probes: ScoreTable | ScoreMatrix,
    whole: ScoreMatrix,
    on_subset: ScoreMatrix,
    means: FloatArray,
    weights: FloatArray | None,
    subset: Manifest,
) -> None:
    """Require that the probes' scores may be those that the subset was made to match.

    Where their digest is that of the manifest, they are. Elsewhere their means on the subset, and
    on the pool where all of it is here, must lie near those that the manifest holds. How near, the
    inequalities of Hoeffding and Bennett say: they bound the probability of a mean so far off,
    whatever the distribution of scores on a known stretch, and hold for draws without replacement.
    Bennett's takes the variance on the pool, or, if the pool is not here, the largest that scores
    of the manifest's mean can have: p(1 - p) on 0..1.

    Args:
        probes: scores as they were given.
        whole: (K, M) the same, of the probes and the metric.
        on_subset: (K, n) the same on the subset; no nan.
        means: (K,) weighted means on the pool, as the manifest holds them.
        weights: (M,) relative weights of the items of `whole`; None where unknown.
        subset: the manifest.

    Raises:
        InputError: a mean is further off than chance explains, and the digest is another.

    References:
        Bennett, G. (1962). Probability inequalities for the sum of independent random variables.
        J. Am. Stat. Assoc. 57(297). Hoeffding, W. (1963). Probability inequalities for sums of
        bounded random variables. J. Am. Stat. Assoc. 58(301), section 6 (without replacement).
    """
    pool = _pool_columns(whole, subset)
    stated = _stated(whole, on_subset, means, pool)
    found, off = _compared_on_pool(whole, pool, weights, stated, subset)
    where = "pool"
    if not off.any():
        found, off = _compared_on_subset(on_subset, stated, subset)
        where = "subset"
    if not off.any() or _same_digest(probes, pool, whole, subset):
        return
    row = int(np.where(off, np.abs(found - means), -1.0).argmax())
    raise InputError(
        f"These are not the probe scores that the subset was made to match: the mean of "
        f"{whole.models[row]!r} on the {where} is {found[row]:.4g}, and the manifest says "
        f"{means[row]:.4g} ({int(off.sum())} of {off.size} probes are so far off). Another "
        "scale, or names that were mixed up? Give the scores from which it was chosen."
    )


def _pool_columns(whole: ScoreMatrix, subset: Manifest) -> BoolArray | None:
    """Return (M,) which items are the pool; None where these scores do not tell.

    A manifest does not list its pool. It is the whole frame, or the items that all probes ran if
    they are as many.
    """
    ran: BoolArray = np.asarray(~whole.missing.any(axis=0))
    if int(ran.sum()) != subset.n_pool:
        return None
    if not {whole.frame.items[i] for i in np.flatnonzero(ran)}.issuperset(subset.items):
        return None
    return ran


def _stated(
    whole: ScoreMatrix, on_subset: ScoreMatrix, means: FloatArray, pool: BoolArray | None
) -> _Stated:
    if pool is not None:
        seen = whole.values[:, pool]
        low, high = float(seen.min()), float(seen.max())
        return _Stated(means, seen.var(axis=1), low, max(high, low + whole.span[1] * ROUNDING))
    if whole.bounds is not None:
        low, high = whole.bounds
    else:
        low, high = float(on_subset.values.min()), float(on_subset.values.max())
        width = high - low
        # a mean beyond what was seen: scores reach further
        low = low if means.min() >= low else float(means.min()) - width
        high = high if means.max() <= high else float(means.max()) + width
    variance = np.clip((means - low) * (high - means), 0.0, None)
    return _Stated(means, variance, low, max(high, low + ROUNDING))


def _compared_on_subset(
    on_subset: ScoreMatrix, stated: _Stated, subset: Manifest
) -> tuple[FloatArray, BoolArray]:
    """Return the means on the subset, and which are further off than chance explains; (K,) each."""
    weights, unit = subset.relative_weights, on_subset.span[1]
    if subset.n < FEWEST_ITEMS or weights.sum() <= 0:
        return stated.means, np.zeros(len(stated.means), dtype=np.bool_)
    found = on_subset.values @ weights / weights.sum()
    n, allowed = _effective(weights), ROUNDING * unit
    if subset.weighting == "micro":
        allowed = max(allowed, LEFT_OVER * (subset.distance or 0.0) * unit)
    else:
        n /= WEIGHTED
    improbable = _chance(found, n, stated) < math.log(RISK / (2 * found.size))
    return found, improbable & (np.abs(found - stated.means) > allowed)


def _compared_on_pool(
    whole: ScoreMatrix,
    pool: BoolArray | None,
    weights: FloatArray | None,
    stated: _Stated,
    subset: Manifest,
) -> tuple[FloatArray, BoolArray]:
    """Return the means on the pool, and which are further off than another run explains."""
    if subset.weighting == "micro":
        weights = np.ones(whole.frame.n)
    if pool is None or weights is None or weights[pool].sum() <= 0:
        return stated.means, np.zeros(len(stated.means), dtype=np.bool_)
    found = whole.values[:, pool] @ weights[pool] / weights[pool].sum()
    improbable = _chance(found, _effective(weights[pool]), stated) < math.log(
        RISK_ON_POOL / (2 * found.size)
    )
    return found, improbable & (np.abs(found - stated.means) > ROUNDING * whole.span[1])


def _effective(weights: FloatArray) -> float:
    """Return the number of items that would tell as much if all weighed the same (Kish)."""
    return float(weights.sum() ** 2 / (weights**2).sum())


def _chance(found: FloatArray, n: float, stated: _Stated) -> FloatArray:
    """Return the logarithm of the probability of means so far off, at most; (K,)."""
    width = stated.high - stated.low
    p, q = (stated.means - stated.low) / width, np.clip((found - stated.low) / width, 0, 1)
    variance = stated.variance / width**2
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratio = np.abs(found - stated.means) / width / variance
        bennett = variance * ((1 + ratio) * np.log1p(ratio) - ratio)
        hoeffding = rel_entr(q, p) + rel_entr(1 - q, 1 - p)
    possible = (variance > 0) & (p > 0) & (p < 1)
    return np.where(possible, -n * np.fmax(bennett, hoeffding), -np.inf)


def _same_digest(
    probes: ScoreTable | ScoreMatrix,
    pool: BoolArray | None,
    whole: ScoreMatrix,
    subset: Manifest,
) -> bool:
    """Whether these are, bit for bit, the scores that the manifest names."""
    if pool is None or subset.scores_digest is None:
        return False
    if isinstance(probes, ScoreMatrix):
        if len(subset.metrics) > 1:
            return False
        matrices = [whole]
    else:
        if not set(subset.metrics) <= set(probes.metrics):
            return False
        names = subset.metrics
        matrices = [
            probes.matrix(name, weighting="micro").take_models(whole.models) for name in names
        ]
    items = sorted(whole.frame.items[i] for i in np.flatnonzero(pool))
    taken = [matrix.take_items(items) for matrix in matrices]
    names_of = [f"{metric}\0{model}" for metric in subset.metrics for model in whole.models]
    values = np.concatenate([matrix.values for matrix in taken])
    return scores_digest(names_of, values) == subset.scores_digest

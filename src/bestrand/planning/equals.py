"""What a subset is worth before any target runs: how many random items would err as little."""

import math

import numpy as np

from bestrand.core.manifest import ADOPTED, Manifest
from bestrand.core.probes import weights_of
from bestrand.core.scores import ScoreMatrix, ScoreTable
from bestrand.planning.forecast import forecast
from bestrand.rng import Stream
from bestrand.stats.random_items import (
    RandomItems,
    in_random_items,
    jackknife_se,
    ratio_with_se,
)
from bestrand.steps.describe import pool_scores
from bestrand.types import FloatArray, IntArray


N_TARGETS = 20  # over which one draw's error is averaged; twice or half as many change P95 little
# designs whose errors the probes' own scores predict
PREDICTABLE = ("Balanced", "BestRand", "Cube", "History")
# what a forecast is off by, beside what the choice of probes does: standard error of the log of the
# ratio, of the mean and of the 95th percentile, as measured on 32 real matrices
BEYOND = (0.05, 0.10)
MOST_BLOCKS = 20  # of probes, each left out in turn


def random_items_of(
    subset: Manifest,
    probes: ScoreTable | ScoreMatrix | None = None,
    *,
    pool: Manifest | None = None,
) -> RandomItems | None:
    """Forecast how many random items would err as little as a subset, from its probes alone.

    Each probe stands for a target that the other probes have to explain, see `forecast`. So it
    holds for targets that are like the probes, and for the plain mean or an estimator that fits the
    design. The interval is from leaving out each probe in turn, and from what such forecasts were
    off by on real matrices.

    Args:
        subset: the manifest.
        probes: the scores from which it was chosen, on the whole pool.
        pool: the pool's manifest, if the probes ran on a pool. Without it the items that all probes
            ran are taken for the pool, if the probes' means on them are those of the manifest; and
            scores on the whole frame will do as well, for they spread as those on the pool.

    Returns:
        Random items, for 20 targets a draw; the ends of the intervals are nan for a single probe.
        None where errors cannot be predicted: the design looked at no probes, or learned how to
        predict from sources; or their scores on the pool, or the pool's groups, are not at hand.

    References:
        Quenouille, M. H. (1956). Notes on bias in estimation. Biometrika 43(3/4).
    """
    n, n_frame = subset.n, subset.n_frame
    if subset.kind != "subset":
        return None
    stated = subset.design == ADOPTED and subset.parameters.get("inclusion") == "random"
    if subset.design == "SimpleRandom" or stated or n == n_frame:
        return RandomItems(*[float(n)] * 6)
    if subset.design not in PREDICTABLE or probes is None or not subset.probes:
        return None
    metric = subset.metrics[0]
    if isinstance(probes, ScoreMatrix) and probes.metric != metric:
        return None
    whole = probes.matrix(metric, weighting="micro") if isinstance(probes, ScoreTable) else probes
    found = _on_pool(subset, whole.take_models(subset.probes), probes, pool)
    if found is None:
        return None
    values, groups = found
    usable = values[np.ptp(values, axis=1) > 0]
    if not len(usable):
        return None
    logs = _log_ratios(usable, subset, groups)
    errors = _errors(usable, subset, groups)
    mean, p95 = (
        ratio_with_se(math.exp(log), math.exp(log) * error)
        for log, error in zip(logs, errors, strict=True)
    )
    return in_random_items(mean, p95, n, n_frame)


def _on_pool(
    subset: Manifest,
    whole: ScoreMatrix,
    probes: ScoreTable | ScoreMatrix,
    pool: Manifest | None,
) -> tuple[FloatArray, IntArray | None] | None:
    """Return the probes' scores on pool or frame as they enter the weighted mean, and groups."""
    if pool is not None:
        seen = whole.take_items(pool.items)
        values, weights, names = seen.values, pool.relative_weights, pool.item_groups
    else:
        of_items = weights_of(probes, subset, whole.frame.n)
        known = pool_scores(subset, whole, of_items)
        if known is not None:
            values, weights, columns = known
        elif of_items is not None and _covers(whole, subset):
            values, weights, columns = whole.values, of_items, np.arange(whole.frame.n)
        else:
            return None
        groups = whole.frame.groups
        names = None if groups is None else tuple(groups[i] for i in columns)
    if "groups" not in subset.balanced_on:
        names = None
    elif names is None:
        return None
    means = values @ weights / weights.sum()
    adding = weights / weights.mean() * (values - means[:, None])
    if names is None:
        return adding, None
    place = {name: code for code, name in enumerate(sorted(set(names)))}
    return adding, np.array([place[name] for name in names], dtype=np.int64)


def _covers(whole: ScoreMatrix, subset: Manifest) -> bool:
    """Whether the probes ran the whole frame, though the subset was chosen from a pool of it."""
    on_frame = whole.frame.digest == subset.frame_digest and not whole.missing.any()
    return on_frame and subset.n_pool < subset.n_frame


def _log_ratios(z: FloatArray, subset: Manifest, groups: IntArray | None) -> FloatArray:
    """Forecast the log of the mean error, and of its 95th percentile, to Random's; (2,)."""
    seen = forecast(
        z / np.ptp(z, axis=1).max(),  # a ratio has no unit
        subset.n,
        n_pool=subset.n_pool,
        n_frame=subset.n_frame,
        n_targets=N_TARGETS,
        stream=Stream.of(0, "random items"),
        groups=groups,
    )
    return np.asarray(np.log(np.array(seen.balanced) / np.array(seen.random)))


def _errors(z: FloatArray, subset: Manifest, groups: IntArray | None) -> FloatArray:
    """Return the standard errors of the log ratios, probes as units; (2,), nan for one probe."""
    n_blocks = min(MOST_BLOCKS, len(z))
    if n_blocks < 2:
        return np.full(2, np.nan)
    block = np.arange(len(z)) % n_blocks
    without = np.array([_log_ratios(z[block != b], subset, groups) for b in range(n_blocks)])
    by_probes = np.array([jackknife_se(column) for column in without.T])
    return np.asarray(np.hypot(by_probes, BEYOND))

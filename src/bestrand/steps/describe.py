"""Describe a manifest: its groups beside the frame's, and its balance on the probes."""

from collections import Counter
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from bestrand.core.manifest import Manifest
from bestrand.core.probes import weights_of
from bestrand.core.scores import ScoreMatrix, ScoreTable, why_missing
from bestrand.errors import InputError
from bestrand.notes import shown
from bestrand.record import MaybeNumber, Record
from bestrand.types import FloatArray, IntArray


SpreadOf: TypeAlias = Literal["pool", "chosen items"]


@dataclass(frozen=True, slots=True)
class GroupShare(Record):
    """One group among the chosen items and in the frame.

    Attributes:
        group: its name.
        n: chosen items of it.
        n_frame: items of it in the frame.
        share: its share of the chosen items.
        share_frame: its share of the frame.
        expected: how many a plain random choice of as many items has on average.
    """

    group: str
    n: int
    n_frame: int
    share: float
    share_frame: float
    expected: float


@dataclass(frozen=True, slots=True)
class ProbeBalance(Record):
    """One probe's mean on the chosen items and on what they were chosen from, in its unit.

    Attributes:
        metric: name of the metric.
        probe: name of the model.
        pool: weighted mean on the pool, as the manifest holds it.
        subset: weighted mean on the chosen items.
        gap: subset - pool.
        random_se: what this gap's standard error would be had the items been chosen from the pool
            at random: sqrt((1/n - 1/m) * the variance of its scores); 0 if all were chosen.
        random_se_from: what the variance is taken over: the pool where its scores are at hand, else
            the chosen items. Of these it is only an estimate, and then `random_se` is nan where
            it cannot be told: for a single item, or scores that are all the same.
    """

    metric: str
    probe: str
    pool: float
    subset: float
    gap: float
    random_se: MaybeNumber
    random_se_from: SpreadOf


def group_shares(manifest: Manifest) -> tuple[GroupShare, ...]:
    """Count the chosen items of each group, in the order of the manifest; empty without groups."""
    if manifest.item_groups is None or manifest.group_sizes is None:
        return ()
    chosen = Counter(manifest.item_groups)
    return tuple(
        GroupShare(
            group=group,
            n=chosen[group],
            n_frame=size,
            share=chosen[group] / manifest.n,
            share_frame=size / manifest.n_frame,
            expected=manifest.n * size / manifest.n_frame,
        )
        for group, size in manifest.group_sizes.items()
    )


def probe_balance(manifest: Manifest, probes: ScoreTable | ScoreMatrix) -> tuple[ProbeBalance, ...]:
    """Hold each probe's mean on the chosen items against that on the pool.

    Args:
        manifest: of a subset; of a design that looked at no probes there is nothing to tell.
        probes: their scores on the chosen items at least, better on the whole pool and nothing
            else, in the metrics that were matched; a matrix holds one of them.

    Returns:
        One for each metric and probe, in the order of the manifest.

    Raises:
        InputError: a probe is not there or lacks a chosen item, the metric was not matched, or the
            scores are of other items altogether.
    """
    _require_these_items(manifest, probes)
    stated = manifest.probe_means or {}
    if isinstance(probes, ScoreMatrix):
        if stated and probes.metric not in stated:
            raise InputError(
                f"The subset was matched on {shown(list(stated))}, and these scores are of "
                f"{probes.metric!r}. Give those of a metric that was matched."
            )
        matrices = [probes] if stated else []
    else:
        matrices = [probes.matrix(metric, weighting="micro") for metric in stated]
    return tuple(
        line
        for matrix in matrices
        for line in _balance(
            manifest,
            matrix,
            stated[matrix.metric],
            weights_of(probes, manifest, matrix.frame.n),
            why_missing(probes),
        )
    )


def _require_these_items(manifest: Manifest, probes: ScoreTable | ScoreMatrix) -> None:
    scored = probes.frame.items if isinstance(probes, ScoreMatrix) else probes.items["item"]
    if set(scored).isdisjoint(manifest.items):
        raise InputError(
            f"None of the {manifest.n} items of the {manifest.kind} are among those of the probes, "
            f"as {shown(list(manifest.items), 2)}. Give scores on the same benchmark."
        )


def _balance(
    manifest: Manifest,
    matrix: ScoreMatrix,
    means: dict[str, float],
    weights: FloatArray | None,
    why: str,
) -> list[ProbeBalance]:
    whole = matrix.take_models(manifest.probes)
    seen = whole.take_items(manifest.items, unknown="nan")
    lacking = [m for m, holes in zip(seen.models, seen.missing, strict=True) if holes.any()]
    if lacking:
        n = int(seen.missing.sum())
        raise InputError(
            f"{n} probe score{' is' if n == 1 else 's are'} missing on the subset, of "
            f"{shown(lacking)}.{why} Give the scores from which the subset was chosen."
        )
    stated = np.array([means[probe] for probe in manifest.probes])
    on_subset = seen.values @ manifest.relative_weights / manifest.relative_weights.sum()
    on_pool = pool_scores(manifest, whole, weights)
    spread = None if on_pool is None or manifest.n_pool < 2 else _spread(on_pool[0], on_pool[1])
    of: SpreadOf = "pool"
    if manifest.n == manifest.n_pool:
        spread = np.zeros(len(stated))
    elif spread is None:
        of = "chosen items"
        spread = np.full(len(stated), np.nan)
        differ = np.ptp(seen.values, axis=1) > 0.0  # a single item does not
        if differ.any():
            spread[differ] = _spread(seen.values[differ], manifest.relative_weights)
    errors = np.sqrt(1 / manifest.n - 1 / manifest.n_pool) * spread
    return [
        ProbeBalance(
            metric=matrix.metric,
            probe=probe,
            pool=float(stated[k]),
            subset=float(on_subset[k]),
            gap=float(on_subset[k]) - float(stated[k]),
            random_se=float(errors[k]),
            random_se_from=of,
        )
        for k, probe in enumerate(manifest.probes)
    ]


def pool_scores(
    manifest: Manifest, whole: ScoreMatrix, weights: FloatArray | None
) -> tuple[FloatArray, FloatArray, IntArray] | None:
    """Return the probes' scores on the pool; None where these scores are not those of the pool.

    A manifest does not list its pool. Items that all probes ran are the pool if they are as many
    and the probes' means on them are those that the manifest states, in the metric of `whole`.

    Args:
        manifest: of a subset.
        whole: (K, N') scores of its probes, nan where one did not run.
        weights: (N',) relative weights of the items, or None where they are not known.

    Returns:
        (K, m) scores, (m,) weights, and (m,) columns of `whole`.
    """
    stated = (manifest.probe_means or {}).get(whole.metric)
    columns = np.flatnonzero(~whole.missing.any(axis=0))
    if stated is None or weights is None or columns.size != manifest.n_pool:
        return None
    values, weights = whole.values[:, columns], weights[columns]
    means = values @ weights / weights.sum()
    is_pool = np.allclose(means, [stated[k] for k in whole.models], rtol=1e-9, atol=1e-12)
    return (values, weights, columns) if is_pool else None


def _spread(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Standard deviation of what the items add to the error of a weighted mean; (K,) of (K, m)."""
    means = values @ weights / weights.sum()
    off = weights / weights.mean() * (values - means[:, None])
    return np.asarray(off.std(axis=1, ddof=1))

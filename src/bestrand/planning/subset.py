"""What a manifest holds: its groups against the frame's, its balance on probes, what it saves."""

from collections import Counter
from typing import NamedTuple

import numpy as np

from bestrand.errors import InputError
from bestrand.manifest import Manifest
from bestrand.notes import shown
from bestrand.scores import ScoreMatrix, ScoreTable


class GroupShare(NamedTuple):
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


class ProbeBalance(NamedTuple):
    """One probe's mean on the chosen items and on what they were chosen from, in its unit.

    Attributes:
        metric: name of the metric.
        probe: name of the model.
        pool: weighted mean on the pool, as the manifest holds it.
        subset: weighted mean on the chosen items.
        gap: subset - pool.
        random_se: what this gap's standard error would be had the items been chosen from the pool
            at random; 0 if all were chosen, nan for a single item.
    """

    metric: str
    probe: str
    pool: float
    subset: float
    gap: float
    random_se: float


class Costs(NamedTuple):
    """What runs cost, in full-benchmark runs of one model.

    Attributes:
        construction: the probes' runs on the pool.
        per_target: one target's run on the chosen items.
        n_targets: T.
        full: T targets on the whole benchmark.
        saved: what T targets save, construction taken off; negative if it costs more. A probe's
            item counts as much as a target's, so cheap probes save more.
    """

    construction: float
    per_target: float
    n_targets: int
    full: float
    saved: float


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
        probes: their scores on the chosen items at least, in the metrics that were matched; a
            matrix holds one of them.

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
        matrices = [probes.matrix(metric, weights="micro") for metric in stated]
    return tuple(
        line for matrix in matrices for line in _balance(manifest, matrix, stated[matrix.metric])
    )


def _require_these_items(manifest: Manifest, probes: ScoreTable | ScoreMatrix) -> None:
    scored = probes.frame.items if isinstance(probes, ScoreMatrix) else probes.items["item"]
    if set(scored).isdisjoint(manifest.items):
        raise InputError(
            f"None of the {manifest.n} items of the {manifest.kind} are among those of the probes, "
            f"as {shown(list(manifest.items), 2)}. Give scores on the same benchmark."
        )


def _balance(
    manifest: Manifest, matrix: ScoreMatrix, means: dict[str, float]
) -> list[ProbeBalance]:
    seen = matrix.take_models(manifest.probes).take_items(manifest.items)
    lacking = [m for m, holes in zip(seen.models, seen.missing, strict=True) if holes.any()]
    if lacking:
        raise InputError(
            f"{int(seen.missing.sum())} probe scores on the subset are missing, of "
            f"{shown(lacking)}. Give the scores from which the subset was chosen."
        )
    weights = manifest.relative_weights
    on_subset = seen.values @ weights / weights.sum()
    off = weights / weights.mean() * (seen.values - on_subset[:, None])  # (K, n)
    n = manifest.n
    scale = np.sqrt(1 / n - 1 / manifest.n_pool)
    spread = off.std(axis=1, ddof=1) if n > 1 else np.full(len(off), np.nan)
    errors = np.zeros(len(off)) if n == manifest.n_pool else scale * spread
    return [
        ProbeBalance(
            metric=matrix.metric,
            probe=probe,
            pool=means[probe],
            subset=float(on_subset[k]),
            gap=float(on_subset[k]) - means[probe],
            random_se=float(errors[k]),
        )
        for k, probe in enumerate(manifest.probes)
    ]


def costs(manifest: Manifest, n_targets: int) -> Costs:
    """Count what it costs to run T targets on the chosen items and the probes on the pool.

    Args:
        manifest: of a subset.
        n_targets: T.
    """
    construction = len(manifest.probes) * manifest.n_pool / manifest.n_frame
    per_target = manifest.n / manifest.n_frame
    return Costs(
        construction=construction,
        per_target=per_target,
        n_targets=n_targets,
        full=float(n_targets),
        saved=n_targets * (1 - per_target) - construction,
    )

"""What it costs to choose a subset and to run targets on it, from the manifest alone."""

import math
from dataclasses import dataclass

from bestrand.core.manifest import Manifest
from bestrand.errors import ArgumentError
from bestrand.record import Record
from bestrand.settings import whole_number
from bestrand.stats.random_items import RandomItems


@dataclass(frozen=True, slots=True)
class Costs(Record):
    """What runs cost, in calls (a model on an item) and in full-benchmark runs of one model.

    A probe's call counts as much as a target's, so cheap probes save more and pay sooner.

    Attributes:
        n_probes: K, models that the design looked at; None of a pool, for they are not known yet.
        probe_items: items that each of them runs; 0 if the design looked at no scores.
        per_probe: the same in full runs, min(1, alpha n / N).
        construction_items: calls of all probes, K times `probe_items`; None of a pool.
        construction: the same in full runs, K min(1, alpha n / N); None of a pool.
        already_run: the probes' scores are on all items and no pool was drawn for them, so they may
            have been there already, and then construction costs nothing.
        target_items: items that each target runs.
        per_target: the same in full runs.
        n_targets: T.
        full: T targets on the whole benchmark.
        saved: what T targets save, construction taken off; negative if it costs more. None of a
            pool.
        pays_from: the least number of targets for which probes and targets together cost less than
            the targets on the whole benchmark; None of a pool, or where it never does.
        pays_from_random: the least number for which it costs less than random items that err as
            little; None where it never does, or is not known.
    """

    n_probes: int | None
    probe_items: int
    per_probe: float
    construction_items: int | None
    construction: float | None
    already_run: bool
    target_items: int
    per_target: float
    n_targets: int
    full: float
    saved: float | None
    pays_from: int | None
    pays_from_random: int | None = None


def costs(manifest: Manifest, n_targets: int = 0, worth: RandomItems | None = None) -> Costs:
    """Count what it costs to run the probes, and T targets on the chosen items.

    Args:
        manifest: of a subset, or of a pool: then of the subset that it was drawn for.
        n_targets: T.
        worth: how many random items err as little as the subset, if it is known.

    Raises:
        ArgumentError: n_targets is below 0.
    """
    n_targets = whole_number(n_targets, "n_targets")
    if n_targets < 0:
        raise ArgumentError(f"`n_targets` must be 0 or more, got {n_targets}.")
    n_frame = manifest.n_frame
    if manifest.kind == "pool":
        n = min(int(manifest.parameters.get("n", manifest.n)), manifest.n)
        return Costs(
            n_probes=None,
            probe_items=manifest.n,
            per_probe=manifest.n / n_frame,
            construction_items=None,
            construction=None,
            already_run=False,
            target_items=n,
            per_target=n / n_frame,
            n_targets=n_targets,
            full=float(n_targets),
            saved=None,
            pays_from=None,
        )
    n_probes, n = len(manifest.probes), manifest.n
    probe_items = manifest.n_pool if n_probes else 0
    calls = n_probes * probe_items
    return Costs(
        n_probes=n_probes,
        probe_items=probe_items,
        per_probe=probe_items / n_frame,
        construction_items=calls,
        construction=calls / n_frame,
        already_run=n_probes > 0 and manifest.parent is None and manifest.n_pool == n_frame,
        target_items=n,
        per_target=n / n_frame,
        n_targets=n_targets,
        full=float(n_targets),
        saved=n_targets * (1 - n / n_frame) - calls / n_frame,
        pays_from=calls // (n_frame - n) + 1 if n < n_frame else None,
        pays_from_random=None if worth is None else pays_against_random(manifest, worth.mean),
    )


def pays_against_random(manifest: Manifest, random_items: float) -> int | None:
    """Count from how many targets on a subset costs less than random items that err as little.

    Each target then runs n items instead of X, and the probes' calls have to be paid.

    Args:
        manifest: of a subset.
        random_items: X, see `stats.random_items`.

    Returns:
        The least number of targets, a probe's call counting as much as a target's; None where the
        subset is worth no more than as many random items, or X is not known.
    """
    gain = random_items - manifest.n
    if math.isnan(gain) or gain <= 0:
        return None
    seen = costs(manifest)
    return math.floor((seen.construction_items or 0) / gain) + 1

"""What a reader of estimates should know: of the subset, the probes and the number of items."""

import numpy as np

from bestrand.estimators.base import Estimator, Seen
from bestrand.estimators.mean import Mean
from bestrand.manifest import Manifest
from bestrand.notes import Note, shown
from bestrand.reference import Known
from bestrand.scores import ScoreMatrix
from bestrand.stats.explained import explained_by_others
from bestrand.stats.regression import ridge_residuals


FEW_ITEMS = 30
FEW_MISSES = 1.5  # items beyond the level, on average: 30 at 95 %, 150 at 99 %
LITTLE = 0.1  # explained, below which probes have nothing to lose


def score_notes(
    subset: Manifest,
    whole: ScoreMatrix,
    targets: ScoreMatrix,
    known: Known | None,
    seen: Seen,
    level: float,
) -> list[Note]:
    """Say what the scores themselves mean for the errors.

    Args:
        subset: what was chosen.
        whole: the targets' scores as they were given.
        targets: the same on the subset, nan where a score is missing.
        known: the probes, or None.
        seen: the same scores on 0..1, missing ones filled as asked.
        level: confidence level of the intervals.
    """
    notes = []
    extra = whole.frame.n - len(set(subset.items) & whole.frame.positions.keys())
    if extra:
        notes.append(Note("extra-items", f"{extra} items beyond the subset are left aside."))
    both = sorted(set(subset.probes) & set(whole.models))
    if both:
        notes.append(
            Note(
                "probe-as-target",
                f"{shown(both)} served as probe too; the subset was made to match it, so its "
                "error is smaller than its interval says.",
            )
        )
    notes += _range_notes(targets, known)
    notes += _unexplained_notes(targets.models, seen)
    if "probes" in subset.balanced_on and known is None:
        notes.append(
            Note(
                "no-probes",
                "Without the probes' scores the intervals are those of a simple random subset, "
                "wider than need be. Give --probes (probes=).",
            )
        )
    fewest = int((~targets.missing).sum(axis=1).min())
    if fewest < min(max(FEW_ITEMS, FEW_MISSES / (1 - level)), subset.n_frame):
        text = (
            f"With {fewest} items the {level:.0%} intervals are rough; below 10 do not rely on "
            "them."
        )
        notes.append(Note("few-items", text))
    return notes


def _unexplained_notes(models: tuple[str, ...], seen: Seen) -> list[Note]:
    """Say which targets the probes explain far less than they explain each other."""
    if seen.probes is None or len(seen.probes) < 2:
        return []
    z, n = seen.probes, seen.scores.shape[1]
    whole = np.flatnonzero(~np.isnan(seen.scores).any(axis=1) & seen.others)
    variance = z.var(axis=1)
    each = np.nan_to_num(explained_by_others(z))
    if n < FEW_ITEMS or whole.size < 2 or not variance.any():
        return []
    said = float(each @ variance / variance.sum())
    if said < LITTLE:
        return []
    y = seen.scores[whole]
    with np.errstate(divide="ignore", invalid="ignore"):  # a flat target has no share
        found = 1 - ridge_residuals(y, z.T).variance / y.var(axis=1, ddof=1)
    noise = 2 * np.sqrt(said) * (1 - said) / np.sqrt(n)  # of R^2, to first order
    low = (found < said / 2) & (found < said - 3 * noise)
    if not low.any():
        return []
    names = [models[j] for j in whole[low]]
    worst = max(float(found[low].min()), 0.0)
    text = (
        f"On the subset the probes explain {worst:.0%} of the variance of {shown(names)} or little "
        f"more, and {said:.0%} of each other's. What is explained is pooled over the targets, so "
        "intervals of these may be too narrow: estimate them by themselves."
    )
    return [Note("unexplained", text)]


def design_notes(subset: Manifest, how: Estimator) -> list[Note]:
    """Repeat what the choice of items means for the errors."""
    codes = ("not-a-mean", "uneven-weights", "whole-frame")
    notes = [Note(note.code, note.text) for note in subset.notes if note.code in codes]
    by_chance = subset.inclusion is not None or subset.estimation_weights is None
    if not by_chance and how.assumes_random_draw:
        text = (
            f"The items were chosen to stand for clusters, not by chance: {how.name} and its "
            "intervals may be far off. ClusterWeighted goes with this design."
        )
        notes.append(Note("not-by-chance", text))
    if subset.estimation_weights is not None and subset.inclusion is not None and how == Mean():
        text = (
            "The items had unequal chances, which Mean does not undo. Take Hajek with this design."
        )
        notes.append(Note("unequal-chances", text))
    return notes


def _range_notes(targets: ScoreMatrix, known: Known | None) -> list[Note]:
    """Say which targets score outside the probes' range: probes explain those less."""
    if known is None or len(known.matrix.models) < 2:
        return []
    with np.errstate(invalid="ignore"):
        means = np.nanmean(targets.values, axis=1)
    probes = known.matrix.values.mean(axis=1)
    beyond = [
        model
        for model, mean in zip(targets.models, means, strict=True)
        if not probes.min() <= mean <= probes.max()
    ]
    if not beyond:
        return []
    text = (
        f"{len(beyond)} of {len(targets.models)} targets score outside the probes' range on the "
        f"subset ({shown(beyond)}); probes explain less of such models. The intervals allow for it."
    )
    return [Note("outside-probes", text)]

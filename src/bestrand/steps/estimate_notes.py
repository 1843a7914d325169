"""Notes on estimates: about the subset, the probes and the number of items."""

import numpy as np

from bestrand.core.manifest import Manifest
from bestrand.core.probes import ProbeScores
from bestrand.core.scores import ScoreMatrix, ScoreTable
from bestrand.estimators.base import Estimator
from bestrand.estimators.baselines.cluster_weighted import ClusterWeighted
from bestrand.methods import estimator_for
from bestrand.notes import Note, percent, shown
from bestrand.reading.columns import COST


FEW_ITEMS = 30
MOST_NAMED = 3
FEW_MISSES = 1.5  # items beyond the level, on average: 30 at 95 %, 150 at 99 %


def score_notes(
    subset: Manifest,
    whole: ScoreMatrix,
    targets: ScoreMatrix,
    known: ProbeScores | None,
    level: float,
) -> list[Note]:
    """Return the notes on the scores.

    Args:
        subset: what was chosen.
        whole: the targets' scores as they were given.
        targets: the same on the subset, nan where a score is missing and left out.
        known: the probes, or None.
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
                f"{shown(both)} served as probe too; the subset was made to match it.",
            )
        )
    notes += _range_notes(targets, known)
    if "probes" in subset.balanced_on and known is None:
        notes.append(
            Note(
                "no-probes",
                "Without the probes' scores the intervals are those of a simple random subset, "
                "wider than need be. Give --probes (probes=).",
            )
        )
    if subset.n == subset.n_frame:
        text = (
            f"All {subset.n} items were run, so there is no sampling error. That holds for these "
            "runs: another run of the same model may score differently. If the items are a part "
            "of a larger benchmark that others chose, say so: bestrand adopt IDS --of N (adopt)."
        )
        notes.append(Note("whole-frame", text))
    if "probes" in subset.balanced_on and targets.metric not in subset.metrics:
        text = (
            f"The subset was matched on metric {shown(list(subset.metrics))}, not on "
            f"{targets.metric!r}: here it is like a random one, and the probes are not used."
        )
        notes.append(Note("other-metric", text))
    counts = (~targets.missing).sum(axis=1)
    enough = min(max(FEW_ITEMS, FEW_MISSES / (1 - level)), subset.n_frame)
    if counts.min() < enough:
        few = [model for model, n in zip(targets.models, counts, strict=True) if n < enough]
        whose = f" of {shown(few)}" if len(few) < len(counts) else ""
        text = (
            f"With {counts.min()} items the {percent(level)} intervals{whose} are rough; below 10 "
            "do not rely on them."
        )
        notes.append(Note("few-items", text))
    return notes


def left_out_notes(subset: Manifest, targets: ScoreMatrix) -> list[Note]:
    """Name the groups of which a target has no score at all, so that its mean leaves them out.

    Args:
        subset: what was chosen.
        targets: on the subset, nan where a score is missing and left out.
    """
    if subset.item_groups is None or not targets.missing.any():
        return []
    of_item = np.array(subset.item_groups)
    counts = subset.relative_weights > 0
    parts = []
    for model, scored in zip(targets.models, ~targets.missing, strict=True):
        without = sorted(set(of_item[counts]) - set(of_item[counts & scored]))
        if without:
            parts.append(f"{model!r} on any item of group {shown([str(g) for g in without])}")
    if not parts:
        return []
    n_more = len(parts) - MOST_NAMED
    more = f"; and {n_more} more model{'s' * (n_more > 1)} likewise" if n_more > 0 else ""
    text = (
        f"No score of {'; '.join(parts[:MOST_NAMED])}{more}. The estimate leaves these groups out: "
        "the other groups take their share, and the interval does not allow for it."
    )
    return [Note("absent-groups", text)]


def stated_direction(scores: ScoreTable | ScoreMatrix, metric: str) -> bool | None:
    """Return False where logs say that a lower score is better; None where none says so."""
    runs = scores.runs if isinstance(scores, ScoreTable) else ()
    return False if any(metric in run.lower_is_better for run in runs) else None


def direction_notes(metric: str, *, wanted: bool | None, stated: bool | None) -> list[Note]:
    """Return which direction verdicts take, where logs say it or the metric's name suggests it.

    Args:
        metric: its name.
        wanted: what the user said, whether a higher score is better.
        stated: what the logs say.
    """
    if stated is False:
        but = " Higher scores count as better here, as was asked." if wanted else ""
        return [Note("direction", f"A lower {metric!r} is better, by the logs.{but}")]
    if wanted is False or not COST.search(metric):
        return []
    text = (
        f"A higher {metric!r} counts as better. If a lower one is better, say so: "
        "--lower-is-better (higher_is_better=False)."
    )
    return [Note("direction", text)]


def design_notes(subset: Manifest, how: Estimator) -> list[Note]:
    """Return the notes on how the items were chosen."""
    codes = ["not-a-mean", "uneven-weights"]
    if subset.weighting != "micro":
        codes.append("absent-groups")
    notes = [note for note in subset.notes if note.code in codes]
    if subset.estimation_weights is None or not how.assumes_random_draw:
        return notes
    if subset.inclusion is None:
        made_for = estimator_for(subset.design) or ClusterWeighted
        text = (
            f"The items were chosen to stand for clusters, not by chance: {how.name} and its "
            f"intervals may be far off. {made_for.__name__} goes with this design."
        )
        notes.append(Note("not-by-chance", text))
    elif not how.undoes_chances:
        text = (
            f"The items had unequal chances, which {how.name} does not undo. Take Hajek with this "
            "design."
        )
        notes.append(Note("unequal-chances", text))
    return notes


def _range_notes(targets: ScoreMatrix, known: ProbeScores | None) -> list[Note]:
    """Return which targets score outside the probes' range: probes explain those less."""
    if known is None or len(known.matrix.models) < 2:
        return []
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
        f"{len(beyond)} of {len(targets.models)} targets lie outside the probes' range of scores "
        f"on the subset ({shown(beyond)}); probes explain less of such models. The intervals allow "
        "for it."
    )
    return [Note("outside-probes", text)]

"""Missing scores: what a score that is not there counts as."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from bestrand.core.scores import ScoreMatrix, ScoreTable
from bestrand.errors import EstimateError
from bestrand.ids import explain_mismatch
from bestrand.notes import Note, shown
from bestrand.types import Missing


class Rule(NamedTuple):
    """What is said of missing scores.

    Attributes:
        missing: what to do with them.
        bounds: lowest and highest score possible as they were said, or None.
        higher_is_better: direction of the metric.
    """

    missing: Missing
    bounds: tuple[float, float] | None
    higher_is_better: bool


def fill_missing(
    targets: ScoreMatrix, whole: ScoreMatrix, rule: Rule, parts: str
) -> tuple[ScoreMatrix, list[Note]]:
    """Do what the user says with scores that are not there."""
    lacking = targets.missing.sum(axis=1)
    if not lacking.any():
        return targets, []
    said = _missing_said(targets)
    if rule.missing == "error":
        raise EstimateError(
            f"{said}.{parts}{_missing_hint(targets, whole)} Run them, or say what a missing score "
            'is worth: --missing zero or omit (missing="zero").',
            n_missing=int(lacking.sum()),
        )
    if rule.missing == "zero":
        _require_zero_fits(targets, whole, rule)
        values = np.where(targets.missing, 0.0, targets.values)
        least = whole.open_ended and not np.nanmin(whole.values, initial=0.0) < 0
        worst = ", the lowest score there is, which is right only if higher scores are better"
        text = f"{said}; each counts as 0{worst if least and rule.higher_is_better else ''}."
        note = Note("missing-as-zero", text)
        return replace(targets, values=values), [note]
    counts = zip(targets.models, lacking, strict=True)
    nothing = [model for model, count in counts if count == targets.frame.n]
    if nothing:
        raise EstimateError(
            f"Of {shown(nothing)} no item of the subset has a score, so nothing is left to "
            "average. Leave them out.",
            models=nothing,
        )
    text = f"{said}; they are left out, as if they were like the rest."
    return targets, [Note("missing-omitted", text)]


def declared_bounds(
    scores: ScoreTable | ScoreMatrix, whole: ScoreMatrix
) -> tuple[float, float] | None:
    """Return the bounds as they were said, with open ends too."""
    said = scores.bounds.get(whole.metric) if isinstance(scores, ScoreTable) else None
    return said or whole.bounds


def _require_zero_fits(targets: ScoreMatrix, whole: ScoreMatrix, rule: Rule) -> None:
    """Refuse 0 for a missing score where it is no score of the metric, or the best one."""
    first = f"{_missing_said(targets)}, and cannot count as 0: "
    advice = 'Run them, or leave them out: --missing omit (missing="omit").'
    name, bounds = whole.metric, rule.bounds
    if bounds is not None and not bounds[0] <= 0 <= bounds[1]:
        raise EstimateError(
            f"{first}scores of metric {name!r} lie within {bounds[0]:g}..{bounds[1]:g}. {advice}"
        )
    seen = whole.values[~whole.missing]
    if rule.higher_is_better and seen.size and seen.max() <= 0 and seen.min() < 0:
        raise EstimateError(
            f"{first}no score of metric {name!r} is above 0, so 0 would be the best. {advice}"
        )
    if not rule.higher_is_better and (seen.size == 0 or seen.min() >= 0):
        raise EstimateError(
            f"{first}a lower score is better and none of metric {name!r} is below 0, so 0 would be "
            f"the best. {advice}"
        )


def _missing_said(targets: ScoreMatrix) -> str:
    row, column = np.argwhere(targets.missing)[0]
    short = [m for m, holes in zip(targets.models, targets.missing, strict=True) if holes.any()]
    return (
        f"Scores of the subset are missing, {int(targets.missing.sum())} in all, of {shown(short)} "
        f"(first: model {targets.models[row]!r}, item {targets.frame.items[column]!r})"
    )


def _missing_hint(targets: ScoreMatrix, whole: ScoreMatrix) -> str:
    never = int(targets.missing.all(axis=0).sum())
    if not never:
        return ""
    hint = f" No model has a score on {never} of the subset's {targets.frame.n} items."
    hint += explain_mismatch(targets.frame.items, whole.frame.items)
    if whole.frame.n >= targets.frame.n:
        hint += " Another version of the benchmark, or another subset?"
    return hint

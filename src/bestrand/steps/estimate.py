"""Estimate: from scores on the subset to full scores with intervals."""

from dataclasses import replace
from typing import get_args

import numpy as np

from bestrand.core.bounds import (
    example_range,
    range_said,
    require_one_scale,
    scale_notes,
    seen_range,
)
from bestrand.core.estimates import Estimates
from bestrand.core.manifest import Manifest
from bestrand.core.probes import ProbeScores, known_probes
from bestrand.core.scores import ScoreMatrix, ScoreTable, matrix_of, why_missing
from bestrand.errors import ArgumentError, EstimateError, InputError, ManifestError
from bestrand.estimators.base import Estimator, Inference, Seen
from bestrand.ids import explain_mismatch
from bestrand.methods import default_estimator
from bestrand.notes import Note, shown
from bestrand.steps.estimate_notes import (
    design_notes,
    direction_notes,
    left_out_notes,
    score_notes,
    stated_direction,
)
from bestrand.steps.missing import Rule, declared_bounds, fill_missing
from bestrand.steps.scale import bounds_on, known_bounds, span_of, to_estimates, varies
from bestrand.types import Missing


OF_INTERVALS = ("few-items", "no-probes", "outside-probes")


def estimate(
    scores: ScoreTable | ScoreMatrix,
    subset: Manifest,
    *,
    probes: ScoreTable | ScoreMatrix | None = None,
    metric: str | None = None,
    estimator: Estimator | None = None,
    missing: Missing = "error",
    level: float = 0.95,
    higher_is_better: bool | None = None,
) -> Estimates:
    """Estimate each target's full score from its scores on the subset.

    Args:
        scores: of the targets; items beyond the subset are left aside, and counted in a note.
        subset: what `select` gave.
        probes: scores of the probes, on the subset at least. They show how much of the targets'
            scores the probes explain, which makes the intervals narrower. Estimators that use
            source models need them on every item.
        metric: which one; default: the one that the subset was matched on.
        estimator: how to estimate; default: what fits the design and what is known, see
            `default_estimator`.
        missing: what to do where a target has no score on an item of the subset: "error" refuses;
            "zero" counts it as 0; "omit" takes the mean of the rest, with a wider interval, and
            supposes that what is missing is like the rest.
        level: confidence level of each interval by itself.
        higher_is_better: the metric's direction, for verdicts, and for what a missing score may
            count as; default: what the logs say, else True.

    Returns:
        Estimates in the metric's unit; where its bounds are known, no estimate and no end of an
        interval lies beyond them.

    Raises:
        ArgumentError: an unknown `missing`, or a level outside (0, 1).
        ManifestError: `subset` is a pool.
        InputError: no item of the subset is among the scores, or the probes are not those used.
        EstimateError: scores are missing and `missing` is "error", or is "zero" where 0 is no
            score or the best one, a target has none at all, or the estimator lacks what it needs.
    """
    _check_arguments(subset, missing, level)
    name = metric or _matched_metric(subset, scores)
    whole = matrix_of(scores, name, weighting="micro")
    if not whole.models:
        raise InputError("`scores` must hold at least one target, got none. Give their scores.")
    if not set(subset.items) & whole.frame.positions.keys():
        raise InputError(
            f"None of the subset's {subset.n} items is among the {whole.frame.n} of these scores "
            f"(first asked for: {subset.items[0]!r}, first got: {whole.frame.items[0]!r})."
            f"{explain_mismatch(subset.items, whole.frame.items)}"
        )
    targets = whole.take_items(subset.items, unknown="nan")
    stated = stated_direction(scores, whole.metric)
    higher = higher_is_better if higher_is_better is not None else stated is not False
    rule = Rule(missing, declared_bounds(scores, whole), higher_is_better=higher)
    filled, notes = fill_missing(targets, whole, rule, why_missing(scores))
    known = known_probes(probes, subset, filled)
    bounds = known_bounds([filled, known.matrix], known.scores) if known else known_bounds([filled])
    notes += _scale_notes(whole, known, bounds)
    span = span_of(known, filled, bounds)
    seen = _seen(subset, replace(filled, bounds=span), known and known.on(span), bounds)
    if seen.weights.sum() <= 0:
        raise EstimateError(
            "The chosen items have weight 0 in the full score, so nothing can be estimated from "
            "them. Choose again with more items, or with --design stratified."
        )
    _require_weight(seen)
    how = estimator or default_estimator(subset.design, seen)
    _require_scale(how, subset, known, bounds)
    inference = how.infer(seen)
    said = {note.code for note in inference.notes}
    notes += [note for note in design_notes(subset, how) if note.code not in said]
    notes += score_notes(subset, whole, filled, known, level)
    notes += left_out_notes(subset, filled)
    if not subset.has_intervals:
        inference = _without_intervals(inference)
        notes = [note for note in notes if note.code not in OF_INTERVALS]
    for read in (scores, probes):
        if isinstance(read, ScoreTable):
            notes += [note for note in read.notes if note not in notes]
    notes += direction_notes(whole.metric, wanted=higher_is_better, stated=stated)
    notes += _flat_notes(filled, bounds, inference)
    return to_estimates(
        inference,
        replace(filled, bounds=bounds),
        span,
        probes=None if known is None else known.scores,
        level=level,
        n_frame=subset.n_frame,
        estimator=how.name,
        higher_is_better=higher,
        notes=(*inference.notes, *notes),
    )


def _scale_notes(
    whole: ScoreMatrix, known: ProbeScores | None, bounds: tuple[float, float] | None
) -> list[Note]:
    """Look at the units of targets and probes side by side, whether a range was said or not.

    Raises:
        InputError: some score within 0..1 and others far above, and no weakness explains it.
    """
    models, values = list(whole.models), list(whole.values)
    if known is not None:
        models += known.matrix.models
        values += list(known.scores)
    open_ended = whole.open_ended or (known is not None and known.matrix.open_ended)
    if not open_ended:
        require_one_scale(models, values, whole.metric, bounds or seen_range(values))
    return scale_notes(models, values, bounds, open_ended=open_ended)


def _flat_notes(
    targets: ScoreMatrix, bounds: tuple[float, float] | None, inference: Inference
) -> list[Note]:
    """Name the targets that have no interval since their scores are all the same."""
    flat = np.nanmax(targets.values, axis=1) - np.nanmin(targets.values, axis=1) == 0
    unknown = flat & np.isnan(inference.se) & ((~targets.missing).sum(axis=1) > 1)
    without = any(note.code == "no-interval" for note in inference.notes)
    if without or bounds is not None or not unknown.any():
        return []
    names = [model for model, is_flat in zip(targets.models, unknown, strict=True) if is_flat]
    low, high = example_range(targets.values)
    how = f"as in --range {low}:{high} (bounds=({low}, {high}))"
    same = f"All scores of {shown(names)} are the same"
    text = (
        f"{same}, and the scale is not known, so the estimate has no interval. Say the lowest and "
        f"the highest score possible, {how}."
    )
    if targets.open_ended:
        text = (
            f"{same}, and --range gives one end of the scale only, so the estimate has no "
            f"interval. With both ends it has one: --range LOW:HIGH (bounds=(LOW, HIGH)); "
            f"{range_said(targets.values)}."
        )
    return [Note("unknown-scale", text)]


def _without_intervals(inference: Inference) -> Inference:
    """Keep the estimates of a subset that others chose, and say why they have no errors."""
    reason = (
        "The items were chosen elsewhere, and how is not known: there is no interval, and the "
        "estimate is right only as far as these items are like the rest. If they were drawn at "
        'random, say so with bestrand adopt --inclusion random (inclusion="random").'
    )
    pair_se = np.full_like(inference.pair_se, np.nan)
    np.fill_diagonal(pair_se, 0.0)
    return inference._replace(
        se=np.full_like(inference.se, np.nan),
        pair_se=pair_se,
        notes=(*inference.notes, Note("no-interval", reason)),
    )


def _check_arguments(subset: Manifest, missing: Missing, level: float) -> None:
    if subset.kind != "subset":
        raise ManifestError(
            f"`subset` must be a manifest of kind 'subset', got a {subset.kind}. "
            "Give what `bestrand select` wrote."
        )
    if missing not in get_args(Missing):
        raise ArgumentError(f"`missing` must be error, zero or omit, got {missing!r}.")
    try:
        is_share = bool(0 < level < 1)
    except TypeError:  # a text, or None
        is_share = False
    if not is_share:
        raise ArgumentError(f"`level` must be between 0 and 1, got {level!r}.", level=level)


def _matched_metric(subset: Manifest, scores: ScoreTable | ScoreMatrix) -> str | None:
    have = scores.metrics if isinstance(scores, ScoreTable) else (scores.metric,)
    matched = [name for name in subset.metrics if name in have]
    return matched[0] if matched else None


def _require_weight(seen: Seen) -> None:
    """Refuse targets whose scored items all have weight 0.

    Raises:
        EstimateError: there are some.
    """
    scored = (~np.isnan(seen.scores) * seen.weights).sum(axis=1)
    models = [model for model, weight in zip(seen.models, scored, strict=True) if weight <= 0]
    if models:
        raise EstimateError(
            f"All items of the subset on which {shown(models)} has a score have weight 0 in the "
            "full score, so nothing is left to average. Run the missing items, or leave it out.",
            models=models,
        )


def _require_scale(
    how: Estimator,
    subset: Manifest,
    known: ProbeScores | None,
    bounds: tuple[float, float] | None,
) -> None:
    """Refuse to learn from sources that are all flat, on a scale that is not known.

    Raises:
        EstimateError: they are; the scale would be that of whichever targets are measured.
    """
    flat = known is not None and not varies(known.scores, bounds)
    if flat and how.needs == "sources" and bounds is None and subset.n < subset.n_frame:
        raise EstimateError(
            f"{how.name} cannot learn from sources that all have one score, on a scale that is not "
            "known. Give the range, as in --range 0:100 (bounds=(0, 100)), or take Mean."
        )


def _seen(
    subset: Manifest,
    targets: ScoreMatrix,
    known: ProbeScores | None,
    bounds: tuple[float, float] | None,
) -> Seen:
    """Put together what an estimator may see, on 0..1 by the scores that were seen.

    So the unit of the scores changes nothing. The metric's bounds come along for models that are
    flat, and estimates are cut at them.
    """
    sizes = subset.group_sizes
    return Seen(
        scores=targets.scaled(),
        weights=subset.relative_weights,
        groups=subset.group_codes,
        group_shares=None if sizes is None else np.array(list(sizes.values())) / subset.n_frame,
        probes=None if known is None else known.matrix.scaled(),
        probes_anywhere=None if known is None else known.scores,
        n_pool=subset.n_pool,
        n_frame=subset.n_frame,
        balanced_on=subset.balanced_on,
        pool_balanced_on=subset.pool_balanced_on,
        probe_means=None if known is None else known.means,
        pool_probes=None if known is None else known.pool_scores,
        pool_weights=None if known is None else known.pool_weights,
        columns=None if known is None else known.columns,
        served_as_probe=np.array([model in subset.probes for model in targets.models]),
        inclusion=None if subset.inclusion is None else np.array(subset.inclusion),
        design_weights=(
            None if subset.estimation_weights is None else np.array(subset.estimation_weights)
        ),
        stratified=_is_stratified(subset),
        bounds=bounds_on(targets.span, known, bounds),
        models=targets.models,
        group_names=() if sizes is None else tuple(sizes),
    )


def _is_stratified(subset: Manifest) -> bool:
    """Whether the items of each group were drawn at random from all that the frame has of it."""
    from_all = subset.n_pool == subset.n_frame or "groups" in subset.pool_balanced_on
    return subset.design == "Stratified" and subset.group_codes is not None and from_all

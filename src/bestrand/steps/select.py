"""Select: choose the items to run, and record how they were chosen."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from bestrand.core.bounds import require_one_scale, seen_range
from bestrand.core.frame import Frame
from bestrand.core.manifest import Manifest, scores_digest
from bestrand.core.pool import Pool
from bestrand.core.scores import ScoreMatrix, ScoreTable, why_missing
from bestrand.core.texts import ItemTexts
from bestrand.designs.balanced import Balanced
from bestrand.designs.base import Design, Features, standardised
from bestrand.errors import ArgumentError, InputError
from bestrand.notes import Note, shown
from bestrand.rng import Stream
from bestrand.settings import several_names, whole_number
from bestrand.steps.arguments import as_frame, require_size, subset_size
from bestrand.steps.stamp import drawn_fields
from bestrand.types import FloatArray, Weighting


def select(
    scores: Frame | ScoreMatrix | ScoreTable,
    n: int | None = None,
    *,
    retention: float | None = None,
    pool: Manifest | None = None,
    design: Design | None = None,
    probes: Sequence[str] | None = None,
    metrics: Sequence[str] | None = None,
    weighting: Weighting | None = None,
    texts: ItemTexts | None = None,
    seed: int = 0,
) -> Manifest:
    """Choose the subset on which the targets will run.

    Args:
        scores: the probes' scores on the pool, or on the whole frame where there is no pool. A
            bare frame will do for designs that look at no scores.
        n: how many items; or give `retention`.
        retention: n as a share of the frame, in (0, 1].
        pool: what `draw_pool` gave, if the probes ran on a pool. Without it all items that
            `scores` has are taken for the frame, and for the pool.
        design: how to choose; default: `Balanced()`.
        probes: which models of `scores` to look at; default: all. A design that looks at no
            scores notes the means of the probes named here, for estimators that refer to them.
        metrics: which metrics to match, the main one first, each probe and metric a column of its
            own; default: the main one alone.
        weighting: "micro", "macro" or "explicit"; the pool's where there is a pool.
        texts: the items' texts, for designs that look at them; matched by id.
        seed: random seed.

    Returns:
        A manifest of kind "subset".

    Raises:
        ArgumentError: neither or both of n and retention, or one out of range.
        InputError: n exceeds the frame or the pool, the probes' scores have holes, or an item has
            no text and the design looks at texts.
        ManifestError: `pool` is no pool, or its items are not those of `scores`.
        DesignError: the design lacks what it needs.
    """
    design = design or Balanced()
    seed = whole_number(seed, "seed")
    looks = design.uses_probes or probes is not None
    matrices = take_matrices(scores, probes, metrics, weighting) if looks else []
    frame = matrices[0].frame if matrices else as_frame(scores, weighting)
    chosen_from = Pool.of_frame(frame) if pool is None else Pool.of_pool(pool, frame)
    n = subset_size(n, retention, chosen_from.n_frame)
    require_size(n, chosen_from.n_frame, "the size of the frame")
    require_size(n, chosen_from.frame.n, "the size of the pool")
    matrices = [matrix.take_items(chosen_from.frame.items) for matrix in matrices]
    for matrix in matrices:
        _require_whole(matrix, why_missing(scores))
    seen = texts.take(chosen_from.frame.items) if texts is not None and design.uses_texts else None
    features = Features(
        n_items=chosen_from.frame.n,
        weights=chosen_from.weights,
        scores=_by_what_was_seen(matrices[0]).scaled() if matrices else None,
        extras=_extras(matrices[1:]),
        groups=chosen_from.group_codes,
        group_shares=chosen_from.group_shares,
        texts=() if seen is None else seen.representations,
    )
    draw = design.draw(features, n, Stream.of(seed, "select"))
    if matrices and draw.distance is not None:
        filled = _by_what_was_seen(matrices[0]).span[1] / matrices[0].span[1]
        draw = draw._replace(distance=draw.distance * filled)
    text_notes = () if seen is None else seen.notes
    more = (
        *text_notes,
        *_probe_notes(matrices),
        *_pool_notes(pool, frame),
        *_whole_notes(chosen_from, n),
    )
    draw = draw._replace(notes=(*draw.notes, *more))
    return Manifest.make(
        kind="subset",
        parameters={
            **design.parameters,
            "n": n,
            **({} if seen is None else seen.provenance),
        },
        seed=seed,
        probes=matrices[0].models if matrices else (),
        metrics=tuple(matrix.metric for matrix in matrices),
        scores_digest=_digest_of(matrices) if matrices else None,
        probe_means=_means(matrices, chosen_from.weights) if matrices else None,
        parent=None if pool is None else pool.digest,
        pool_balanced_on=() if pool is None else pool.balanced_on,
        **drawn_fields(chosen_from, draw, design.name),
    )


def take_matrices(
    scores: Frame | ScoreMatrix | ScoreTable,
    probes: Sequence[str] | None,
    metrics: Sequence[str] | None,
    weighting: Weighting | None,
) -> list[ScoreMatrix]:
    """Take the probes' scores, one matrix a metric; none of a bare frame."""
    if isinstance(scores, Frame):
        return []
    metrics = None if metrics is None else several_names(metrics, "metrics")
    if isinstance(scores, ScoreMatrix):
        if metrics is not None and tuple(metrics) != (scores.metric,):
            raise InputError(
                f"This matrix holds metric {scores.metric!r} alone, asked for "
                f"{shown(list(metrics))}. Give a ScoreTable for several.",
                metrics=metrics,
            )
        frame = as_frame(scores, weighting)
        if not scores.open_ended:
            rows = list(scores.values)
            require_one_scale(scores.models, rows, scores.metric, scores.bounds or seen_range(rows))
        matrices = [replace(scores, frame=frame)]
    else:
        if metrics is not None and len(set(metrics)) < len(metrics):
            raise ArgumentError(f"`metrics` must be distinct, got {shown(list(metrics))}.")
        names = metrics if metrics else [scores.take_metric()]
        matrices = [scores.matrix(name, weighting=weighting) for name in names]
    chosen = matrices[0].models if probes is None else several_names(probes, "probes")
    if len(set(chosen)) < len(chosen):
        raise ArgumentError(f"`probes` must be distinct, got {shown(list(chosen))}.")
    return [matrix.take_models(chosen) for matrix in matrices]


def _by_what_was_seen(matrix: ScoreMatrix) -> ScoreMatrix:
    """Take the range of the scores for the scale, so that their unit changes no choice."""
    return replace(matrix, bounds=seen_range([matrix.values]))


def _extras(matrices: Sequence[ScoreMatrix]) -> FloatArray | None:
    """Return the further metrics, each column divided by its spread; (E, m)."""
    if not matrices:
        return None
    return np.concatenate([standardised(matrix.values) for matrix in matrices])


def _means(matrices: Sequence[ScoreMatrix], weights: FloatArray) -> dict[str, dict[str, float]]:
    """Weighted means on the pool by metric and probe, in the metric's unit, exactly rounded."""
    total = math.fsum(weights)
    return {
        matrix.metric: {
            model: math.fsum(weights * scores) / total
            for model, scores in zip(matrix.models, matrix.values, strict=True)
        }
        for matrix in matrices
    }


def _digest_of(matrices: list[ScoreMatrix]) -> str:
    names = [f"{matrix.metric}\0{model}" for matrix in matrices for model in matrix.models]
    return scores_digest(names, np.concatenate([matrix.values for matrix in matrices]))


def _require_whole(matrix: ScoreMatrix, why: str) -> None:
    holes = np.argwhere(matrix.missing)
    if holes.size:
        row, column = holes[0]
        models = sorted({matrix.models[r] for r in holes[:, 0]})
        raise InputError(
            f"Probe scores are missing, {len(holes)} of {matrix.values.size} (first: model "
            f"{matrix.models[row]!r}, item {matrix.frame.items[column]!r}, metric "
            f"{matrix.metric!r}), and a design needs them all.{why} Run those "
            f"items, or name the models to look at without {shown(models)}, with "
            "--probes (probes=).",
            n_missing=len(holes),
        )


def _pool_notes(pool: Manifest | None, frame: Frame) -> list[Note]:
    """Note where the pool was drawn without groups."""
    if pool is None or pool.item_groups is not None or frame.groups is None:
        return []
    text = (
        "The pool was drawn from items without groups, so their shares are left to chance. Draw it "
        "from a table with the `group` column to keep them."
    )
    return [Note("pool-without-groups", text)]


def _whole_notes(chosen_from: Pool, n: int) -> list[Note]:
    """Return what it means that no item was left out, and what to do if these are not all."""
    if n < chosen_from.n_frame:
        return []
    text = (
        f"All {n} items were chosen, so estimates speak of these items without sampling error. If "
        "they are a part of a larger benchmark that others chose, say so: bestrand adopt IDS --of "
        "N (adopt)."
    )
    return [Note("whole-frame", text)]


def _probe_notes(matrices: Sequence[ScoreMatrix]) -> list[Note]:
    """Return which probes tell little or nothing."""
    notes = []
    if matrices and len(matrices[0].models) == 1:
        text = "A single probe explains little of what other models do; five to eight are better."
        notes.append(Note("one-probe", text))
    flat = [
        model
        for matrix in matrices
        for model, scores in zip(matrix.models, matrix.values, strict=True)
        if np.ptp(scores) == 0
    ]
    if 0 < len(flat) < sum(len(matrix.models) for matrix in matrices):
        text = f"Probe scores that are all the same tell nothing: {shown(flat)}."
        notes.append(Note("flat-probe", text))
    return notes

"""The first door: choose the items to run, and stamp how they were chosen."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bestrand.designs.base import Design, Draw, Features
from bestrand.designs.best_rand import BestRand
from bestrand.designs.simple_random import SimpleRandom
from bestrand.errors import ArgumentError, InputError, ManifestError
from bestrand.frame import Frame
from bestrand.ids import explain_mismatch
from bestrand.manifest import Manifest, scores_digest, written_notes
from bestrand.notes import Note, shown
from bestrand.rng import Stream
from bestrand.scores import ScoreMatrix, ScoreTable
from bestrand.types import FloatArray, IntArray, WeightScheme


def draw_pool(
    items: Frame | ScoreMatrix | ScoreTable | Sequence[str],
    n: int,
    *,
    factor: float = 4.0,
    design: Design | None = None,
    weights: WeightScheme | None = None,
    seed: int = 0,
) -> Manifest:
    """Draw the pool: the items that the probes must run, before any score is known.

    Args:
        items: the frame, or scores or ids from which to take it.
        n: size of the subset that will be chosen from the pool.
        factor: alpha >= 1; the pool has alpha * n items, or the whole frame if that is fewer.
        design: how; `SimpleRandom()` unless given. `Stratified()` takes each group's share.
        weights: "micro", "macro" or "explicit"; see `ScoreTable.frame`.
        seed: the one source of chance.

    Returns:
        A manifest of kind "pool".

    Raises:
        ArgumentError: n < 1, factor < 1 or a negative seed.
        InputError: n exceeds the frame.
        DesignError: the design needs scores, or groups that the items do not have.
    """
    if not factor >= 1:
        raise ArgumentError(f"`factor` (alpha) must be 1 or more, got {factor:g}.", factor=factor)
    frame = _as_frame(items, weights)
    _require_size(n, frame.n, "the size of the frame")
    design = design or SimpleRandom()
    m = min(frame.n, math.ceil(factor * n))
    features = Features(frame.n, None, frame.group_codes, frame.relative_weights)
    draw = design.draw(features, m, Stream.of(seed, "pool"))
    return Manifest.make(
        kind="pool",
        n_frame=frame.n,
        frame_digest=frame.digest,
        n_pool=frame.n,
        probes=(),
        metrics=(),
        scores_digest=None,
        parent=None,
        weighting=frame.scheme,
        parameters={**design.parameters, "n": n, "factor": factor},
        group_sizes=frame.group_sizes,
        seed=seed,
        **_drawn_fields(frame, draw, design),
    )


def select(
    scores: Frame | ScoreMatrix | ScoreTable,
    n: int | None = None,
    *,
    retention: float | None = None,
    pool: Manifest | None = None,
    design: Design | None = None,
    probes: Sequence[str] | None = None,
    metrics: Sequence[str] | None = None,
    weights: WeightScheme | None = None,
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
        design: how; `BestRand()` unless given.
        probes: which models of `scores` to look at; all unless given.
        metrics: which metrics to match, each probe and metric a column of its own; the main one
            unless given.
        weights: "micro", "macro" or "explicit"; the pool's where there is a pool.
        seed: the one source of chance.

    Returns:
        A manifest of kind "subset".

    Raises:
        ArgumentError: neither or both of n and retention, or one out of range.
        InputError: n exceeds the frame or the pool, or the probes' scores have holes.
        ManifestError: `pool` is no pool, or its items are not those of `scores`.
        DesignError: the design lacks what it needs.
    """
    design = design or BestRand()
    if pool is not None and pool.kind != "pool":
        raise ManifestError(
            f"`pool` must be a manifest of kind 'pool', got a {pool.kind}. Give what "
            "`bestrand pool` wrote."
        )
    matrices = _take_matrices(scores, probes, metrics, weights) if design.uses_probes else []
    frame = matrices[0].frame if matrices else _as_frame(scores, weights)
    base = _Base.of_pool(pool, frame) if pool is not None else _Base.of_frame(frame)
    n = _size(n, retention, base.n_frame)
    _require_size(n, base.n_frame, "the size of the frame")
    _require_size(n, base.frame.n, "the size of the pool")
    matrices = [matrix.take_items(base.frame.items) for matrix in matrices]
    for matrix in matrices:
        _require_whole(matrix)
    features = Features(
        n_items=base.frame.n,
        scores=_columns(matrices) if matrices else None,
        groups=base.frame.group_codes,
        weights=base.weights,
    )
    draw = design.draw(features, n, Stream.of(seed, "select"))
    return Manifest.make(
        kind="subset",
        n_frame=base.n_frame,
        frame_digest=base.frame_digest,
        n_pool=base.frame.n,
        pool_balanced_on=pool.balanced_on if pool is not None else (),
        probes=matrices[0].models if matrices else (),
        metrics=tuple(matrix.metric for matrix in matrices),
        scores_digest=_digest_of(matrices) if matrices else None,
        parent=pool.digest if pool is not None else None,
        weighting=base.frame.scheme,
        parameters={**design.parameters, "n": n},
        group_sizes=base.group_sizes,
        seed=seed,
        **_drawn_fields(base.frame, draw, design, base.weights, base.inclusion, matrices),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Base:
    """What the subset is chosen from: m items, as part of the frame."""

    frame: Frame  # of the m items
    weights: FloatArray  # (m,) N times each item's share of the full score
    inclusion: FloatArray | None  # (m,) of the items into the pool
    n_frame: int
    frame_digest: str
    group_sizes: dict[str, int] | None

    @classmethod
    def of_frame(cls, frame: Frame) -> "_Base":
        return cls(
            frame,
            frame.relative_weights,
            np.ones(frame.n),
            frame.n,
            frame.digest,
            frame.group_sizes,
        )

    @classmethod
    def of_pool(cls, pool: Manifest, frame: Frame) -> "_Base":
        absent = [item for item in pool.items if item not in frame.positions]
        if absent:
            raise ManifestError(
                f"{len(absent)} of the pool's {pool.n} items are not among the "
                f"{frame.n} given: {shown(absent)}."
                f"{explain_mismatch(pool.items, frame.items)} Run the probes on the whole pool.",
                absent=absent,
            )
        weights = pool.relative_weights
        return cls(
            Frame(pool.items, pool.item_groups, None, weights / weights.sum(), pool.weighting),
            weights,
            None if pool.inclusion is None else np.array(pool.inclusion),
            pool.n_frame,
            pool.frame_digest,
            pool.group_sizes,
        )


def _as_frame(
    items: Frame | ScoreMatrix | ScoreTable | Sequence[str], weights: WeightScheme | None
) -> Frame:
    if isinstance(items, ScoreTable):
        return items.frame(weights)
    frame = items.frame if isinstance(items, ScoreMatrix) else items
    if not isinstance(frame, Frame):
        frame = Frame.of(frame)
    return frame if weights in (None, frame.scheme) else frame.reweighted(weights)


def _take_matrices(
    scores: Frame | ScoreMatrix | ScoreTable,
    probes: Sequence[str] | None,
    metrics: Sequence[str] | None,
    weights: WeightScheme | None,
) -> list[ScoreMatrix]:
    if isinstance(scores, Frame):
        return []
    if isinstance(scores, ScoreMatrix):
        if metrics is not None and tuple(metrics) != (scores.metric,):
            raise InputError(
                f"This matrix holds metric {scores.metric!r} alone, asked for {shown(list(metrics))}. "
                "Give a ScoreTable for several.",
                metrics=metrics,
            )
        frame = _as_frame(scores, weights)
        matrices = [ScoreMatrix(frame, scores.models, scores.values, scores.metric, scores.bounds)]
    else:
        if metrics is not None and len(set(metrics)) < len(metrics):
            raise ArgumentError(f"`metrics` must be distinct, got {shown(list(metrics))}.")
        names = metrics if metrics else [scores.take_metric()]
        matrices = [scores.matrix(name, weights=weights) for name in names]
    chosen = tuple(probes) if probes is not None else matrices[0].models
    if len(set(chosen)) < len(chosen):
        raise ArgumentError(f"`probes` must be distinct, got {shown(list(chosen))}.")
    return [matrix.take_models(chosen) for matrix in matrices]


def _columns(matrices: list[ScoreMatrix]) -> FloatArray:
    """Give what a design may see: (C, m), one metric on 0..1, several each by its spread."""
    if len(matrices) == 1:
        return matrices[0].scaled()
    columns = np.concatenate([matrix.values for matrix in matrices])
    spreads = np.array([_exact_sd(column) for column in columns])
    return columns / np.where(spreads > 0, spreads, 1.0)[:, None]


def _exact_sd(column: FloatArray) -> float:
    """Standard deviation from exactly rounded sums: the same on every machine."""
    mean = math.fsum(column) / column.size
    return math.sqrt(math.fsum((column - mean) ** 2) / column.size)


def _digest_of(matrices: list[ScoreMatrix]) -> str:
    names = [f"{matrix.metric}\0{model}" for matrix in matrices for model in matrix.models]
    return scores_digest(names, np.concatenate([matrix.values for matrix in matrices]))


def _size(n: int | None, retention: float | None, n_frame: int) -> int:
    if (n is None) == (retention is None):
        raise ArgumentError("Give either `n` or `retention`, and not both.")
    if n is not None:
        return n
    if retention is None or not 0 < retention <= 1:
        raise ArgumentError(
            f"`retention` must be above 0 and at most 1, got {retention}.", retention=retention
        )
    return max(1, round(retention * n_frame))


def _require_size(n: int, most: int, what: str) -> None:
    if n < 1:
        raise ArgumentError(f"`n` must be 1 or more, got {n}.", n=n)
    if n > most:
        raise InputError(f"`n` must be in 1..{most}, {what}, got {n}. Lower it.", n=n, most=most)


def _require_whole(matrix: ScoreMatrix) -> None:
    holes = np.argwhere(matrix.missing)
    if holes.size:
        row, column = holes[0]
        models = sorted({matrix.models[r] for r in holes[:, 0]})
        raise InputError(
            f"{len(holes)} of {matrix.values.size} probe scores are missing (first: model "
            f"{matrix.models[row]!r}, item {matrix.frame.items[column]!r}, metric "
            f"{matrix.metric!r}), and a design needs them all. Run those items, or leave out "
            f"{shown(models)} with probes=.",
            n_missing=len(holes),
        )


def _drawn_fields(
    frame: Frame,
    draw: Draw,
    design: Design,
    weights: FloatArray | None = None,
    inclusion: FloatArray | None = None,
    matrices: Sequence[ScoreMatrix] = (),
) -> dict[str, object]:
    """Give the fields of a manifest that speak of the chosen items."""
    columns: IntArray = draw.columns
    weights = frame.relative_weights if weights is None else weights
    chance: FloatArray | None = draw.inclusion
    if chance is not None and inclusion is not None:
        chance = chance * inclusion[columns]
    groups = frame.groups
    return {
        "items": tuple(frame.items[i] for i in columns),
        "design": design.name,
        "balanced_on": draw.balanced_on,
        "item_weights": None if frame.scheme == "micro" else tuple(weights[columns].tolist()),
        "item_groups": None if groups is None else tuple(groups[i] for i in columns),
        "inclusion": None if chance is None else tuple(chance.tolist()),
        "distance": draw.distance,
        "notes": written_notes([*draw.notes, *_choice_notes(frame, columns, matrices)]),
    }


def _choice_notes(frame: Frame, columns: IntArray, matrices: Sequence[ScoreMatrix]) -> list[Note]:
    notes = []
    if matrices and len(matrices[0].models) == 1:
        notes.append(
            Note(
                "one-probe",
                "A single probe explains little of what other models do; five to eight are better.",
            )
        )
    flat = [
        model
        for matrix in matrices
        for model, scores in zip(matrix.models, matrix.values, strict=True)
        if np.ptp(scores) == 0
    ]
    if 0 < len(flat) < sum(len(matrix.models) for matrix in matrices):
        notes.append(
            Note("flat-probe", f"Probe scores that are all the same tell nothing: {shown(flat)}.")
        )
    if frame.groups is not None:
        absent = sorted(set(frame.groups) - {frame.groups[i] for i in columns})
        if absent:
            notes.append(
                Note("absent-groups", f"No item was chosen from group {shown(absent)}.")
            )
    return notes

"""Stamp a draw: what a manifest says of the pool, of the chosen items and of their weights."""

from bestrand.core.manifest import DrawnFields
from bestrand.core.pool import Pool
from bestrand.designs.base import Draw
from bestrand.notes import Note, shown
from bestrand.types import FloatArray


UNEVEN = 1.3  # design effect of the weights, above which intervals were seen to be too narrow


def drawn_fields(pool: Pool, draw: Draw, design: str) -> DrawnFields:
    """Return the fields of a manifest that describe the pool and the items chosen from it."""
    columns = draw.columns
    groups, tasks, hashes = pool.frame.groups, pool.frame.tasks, pool.frame.hashes
    chance = draw.inclusion
    if chance is not None:
        chance = None if pool.inclusion is None else chance * pool.inclusion[columns]
    notes = [*draw.notes, *_group_notes(pool, draw), *_weight_notes(pool, draw)]
    return {
        "items": tuple(pool.frame.items[i] for i in columns),
        "n_frame": pool.n_frame,
        "frame_digest": pool.frame_digest,
        "n_pool": pool.frame.n,
        "design": design,
        "balanced_on": draw.balanced_on,
        "weighting": pool.frame.weighting,
        "item_weights": _numbers(None if _is_micro(pool) else pool.weights[columns]),
        "item_groups": None if groups is None else tuple(groups[i] for i in columns),
        "group_sizes": pool.group_sizes,
        "estimation_weights": _numbers(draw.design_weights),
        "inclusion": _numbers(chance),
        "distance": draw.distance,
        "notes": tuple(notes),
        "item_tasks": None if tasks is None else tuple(tasks[i] for i in columns),
        "item_hashes": None if hashes is None else tuple(hashes[i] for i in columns),
        "source": pool.frame.source,
    }


def _weight_notes(pool: Pool, draw: Draw) -> list[Note]:
    """Note where weights are so uneven that intervals are too narrow."""
    if _is_micro(pool):
        return []
    if pool.weights[draw.columns].sum() <= 0:
        text = "The chosen items have weight 0 in the full score: choose again with more of them."
        return [Note("no-weight", text)]
    effect = float((pool.weights**2).mean() / pool.weights.mean() ** 2)
    if effect <= UNEVEN or (draw.inclusion is not None and draw.design_weights is not None):
        return []  # unequal chances are undone, with the right error
    text = (
        f"Item weights are very uneven (design effect {effect:.1f}): intervals are too narrow, "
        "as items are not chosen by weight. "
        "With macro weights take --design stratified --allocation equal."
    )
    return [Note("uneven-weights", text)]


def _is_micro(pool: Pool) -> bool:
    return pool.frame.weighting == "micro"


def _group_notes(pool: Pool, draw: Draw) -> list[Note]:
    if pool.frame.groups is None:
        return []
    absent = sorted(set(pool.frame.groups) - {pool.frame.groups[i] for i in draw.columns})
    if not absent:
        return []
    return [Note("absent-groups", f"No item was chosen from group {shown(absent)}.")]


def _numbers(values: FloatArray | None) -> tuple[float, ...] | None:
    return None if values is None else tuple(values.tolist())

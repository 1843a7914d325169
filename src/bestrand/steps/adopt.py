"""Adopt a subset that others chose: a manifest that says N, and that we did not draw it."""

from collections.abc import Iterable, Sequence
from typing import Literal, get_args

import numpy as np

from bestrand.core.frame import Frame
from bestrand.core.manifest import ADOPTED, MadeFields, Manifest
from bestrand.core.pool import Pool
from bestrand.core.scores import ScoreMatrix, ScoreTable
from bestrand.designs.base import Draw
from bestrand.errors import ArgumentError, InputError
from bestrand.ids import explain_mismatch
from bestrand.notes import Note, shown
from bestrand.settings import whole_number
from bestrand.steps.arguments import as_frame
from bestrand.steps.stamp import drawn_fields
from bestrand.types import Weighting


Inclusion = Literal["unknown", "random"]
Items = Frame | ScoreMatrix | ScoreTable | Sequence[str]


def adopt(
    items: Items,
    *,
    of: int | None = None,
    frame: Items | None = None,
    inclusion: Inclusion = "unknown",
    weighting: Weighting | None = None,
) -> Manifest:
    """Make a manifest of a subset that was chosen elsewhere, as a published list of ids.

    Nothing is drawn. Estimates have intervals only where it is stated how the items were drawn.

    Args:
        items: ids of the subset, or scores or a frame from which to take them.
        of: N, how many items the benchmark has. May be left out if `frame` is given.
        frame: all items of the benchmark, or scores from which to take them. With it the manifest
            is bound to these ids, and holds groups and weights. Without it the manifest is bound to
            the subset's ids and to N alone.
        inclusion: how the items were drawn. "random" states that they are a simple random sample
            of the N items; "unknown" gives estimates without intervals.
        weighting: "micro", "macro" or "explicit"; others than "micro" need `frame`.

    Returns:
        A manifest of kind "subset" and design "Adopted".

    Raises:
        ArgumentError: neither `of` nor `frame`, N below the number of items or other than the
            frame's, or an unknown `inclusion`.
        InputError: a text or a path for the items, an id twice, ids that are not in the frame, or
            weights that need the frame.
    """
    if inclusion not in get_args(Inclusion):
        raise ArgumentError(f"`inclusion` must be unknown or random, got {inclusion!r}.")
    part = _part(items, weighting if frame is None else "micro")
    n_frame = _size(part.n, of, None if frame is None else as_frame(frame, weighting).n)
    chance = part.n / n_frame if inclusion == "random" or part.n == n_frame else None
    made: MadeFields = {
        "kind": "subset",
        "parameters": {"n": part.n, "inclusion": inclusion},
        "seed": 0,
        "probes": (),
        "metrics": (),
        "scores_digest": None,
        "probe_means": None,
        "parent": None,
    }
    if frame is None:
        return Manifest.make(
            **made,
            items=part.items,
            n_frame=n_frame,
            n_pool=n_frame,
            frame_digest=part.digest if part.n == n_frame else None,
            design=ADOPTED,
            balanced_on=(),
            weighting="micro",
            item_weights=None,
            item_groups=None,
            group_sizes=None,
            estimation_weights=None,
            inclusion=None if chance is None else (chance,) * part.n,
            distance=None,
            notes=(_note(inclusion, part.n, n_frame),),
        )
    whole = as_frame(frame, weighting)
    absent = [item for item in part.items if item not in whole.positions]
    if absent:
        raise InputError(
            f"{len(absent)} of the {part.n} items are not among the {whole.n} of the benchmark: "
            f"{shown(absent)}.{explain_mismatch(part.items, whole.items)} Another version?",
            absent=absent,
        )
    chosen_from = Pool.of_frame(whole)
    columns = np.array([chosen_from.frame.positions[item] for item in part.items], dtype=np.int64)
    draw = Draw(
        columns,
        None if chance is None else np.full(part.n, chance),
        notes=(_note(inclusion, part.n, n_frame),),
    )
    return Manifest.make(**made, **drawn_fields(chosen_from, draw, ADOPTED))


def _part(items: Items, weighting: Weighting | None) -> Frame:
    """Take the ids, in their order; weights and groups are the whole frame's to say."""
    if isinstance(items, ScoreTable):
        ids: Iterable[str] = items.items["item"].to_list()
        column = items.items["weight"]
        weighted = column.null_count() < column.len() and weighting is None
    else:
        taken = items if isinstance(items, Frame) else getattr(items, "frame", None)
        ids = items if taken is None else taken.items  # type: ignore[assignment]
        weighted = taken is not None and taken.weighting != "micro" and weighting is None
    if weighted or weighting not in (None, "micro"):
        raise InputError(
            "What an item weighs in the full score cannot be known from a part of the items. Give "
            "all of them, --items FILE (frame=), or count every item the same, --weights micro "
            '(weighting="micro").'
        )
    return Frame.of(ids)


def _size(n: int, of: int | None, n_items: int | None) -> int:
    """Take N, as it was given or as the frame has it."""
    if of is None:
        if n_items is None:
            raise ArgumentError(
                "How many items the benchmark has must be given: --of N (of=), or all of them, "
                "--items FILE (frame=)."
            )
        return n_items
    n_frame = whole_number(of, "of")
    if n_items not in (None, n_frame):
        raise ArgumentError(
            f"`of` is {n_frame}, and the items of the benchmark that were given are {n_items}. "
            "Leave it out, or give the whole list."
        )
    if n_frame < n:
        raise ArgumentError(
            f"`of` must be {n} or more, the number of items adopted, got {n_frame}. It is how many "
            "items the whole benchmark has."
        )
    return n_frame


def _note(inclusion: Inclusion, n: int, n_frame: int) -> Note:
    text = f"These {n} items were chosen elsewhere, and not drawn by bestrand."
    if n == n_frame:
        return Note("adopted", f"{text} They are the whole benchmark.")
    if inclusion == "random":
        more = f"They were stated to be a simple random sample of {n_frame}; intervals rest on it."
        return Note("adopted", f"{text} {more}")
    more = (
        "How is not known, so estimates have no interval. If they were drawn at random, say so "
        'with --inclusion random (inclusion="random").'
    )
    return Note("adopted", f"{text} {more}")

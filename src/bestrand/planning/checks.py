"""What planning asks of scores, and of numbers that are held against them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, NamedTuple, get_args

import numpy as np

from bestrand.core.manifest import Manifest
from bestrand.core.scores import ScoreMatrix
from bestrand.errors import ArgumentError, InputError, ManifestError
from bestrand.ids import explain_mismatch
from bestrand.notes import Note, shown
from bestrand.settings import several_numbers, whole_number


SMALLEST_SPREAD = 1e-6  # of the scale
MOST_ITEMS = 10**12

LeaveOut = Literal["error", "models", "items"]  # what to do where a score is missing


class WholePart(NamedTuple):
    """Scores without holes, and what was left out for it.

    Attributes:
        matrix: the scores.
        models: names of the models left out.
        items: ids of the items left out.
        notes: what was left out, in words.
    """

    matrix: ScoreMatrix
    models: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()


def whole_part(matrix: ScoreMatrix, what: str, missing: LeaveOut, why: str = "") -> WholePart:
    """Take the scores from which errors can be predicted.

    Args:
        matrix: scores, with holes or without.
        what: what they are for, as "A plan".
        missing: what to do where a score is missing: "error" refuses; "models" leaves out each
            model that lacks one, "items" each item on which a model lacks one.
        why: what is known of why some are missing.

    Raises:
        ArgumentError: an unknown `missing`.
        InputError: scores are missing and `missing` is "error", nothing is left, there is one item
            only, or every model is flat.
    """
    if missing not in get_args(LeaveOut):
        raise ArgumentError(f"`missing` must be error, models or items, got {missing!r}.")
    part = WholePart(matrix)
    if matrix.missing.any():
        part = _left_whole(matrix, what, missing, why)
    _require_spread(part.matrix, what)
    return part


def _left_whole(matrix: ScoreMatrix, what: str, missing: LeaveOut, why: str) -> WholePart:
    """Leave out models or items that lack a score, as the user says."""
    rows = np.asarray(matrix.missing.any(axis=1))
    columns = np.asarray(matrix.missing.any(axis=0))
    models = tuple(name for name, lacks in zip(matrix.models, rows, strict=True) if lacks)
    items = tuple(name for name, lacks in zip(matrix.frame.items, columns, strict=True) if lacks)
    of_models = f"{len(models)} of {len(matrix.models)}"
    of_items = f"{len(items)} of {matrix.frame.n}"
    if missing == "error" or (rows.all() if missing == "models" else columns.all()):
        row, column = np.argwhere(matrix.missing)[0]
        ways = [
            f'leave out the {said}, --missing {word} (missing="{word}")'
            for said, word, all_lack in (
                (f"models that lack some, {of_models}", "models", rows.all()),
                (f"items that lack some, {of_items}", "items", columns.all()),
            )
            if not all_lack
        ]
        do = ", or ".join(["Run them", *ways]) if ways else "Run them: no model and no item has all"
        raise InputError(
            f"Scores are missing, {int(matrix.missing.sum())} in all (first: model "
            f"{matrix.models[row]!r}, item {matrix.frame.items[column]!r}), and "
            f"{what[0].lower()}{what[1:]} needs them all.{why} {do}.",
            models=models,
            items=items,
        )
    if missing == "models":
        kept = [model for model in matrix.models if model not in set(models)]
        note = Note(
            "left-out-models",
            f"Left out: {of_models} models, for they lack scores: {shown(list(models))}.",
        )
        return WholePart(matrix.take_models(kept), models, (), (note,))
    note = Note(
        "left-out-items",
        f"Left out: {of_items} items, for they lack scores: {shown(list(items))}. They are "
        "taken to be like the others.",
    )
    taken = matrix.take_items([item for item in matrix.frame.items if item not in set(items)])
    return WholePart(taken, (), items, (note,))


def _require_spread(matrix: ScoreMatrix, what: str) -> None:
    """Require two items or more, and a model that varies.

    Raises:
        InputError: there is one item only, or every model is flat.
    """
    if matrix.frame.n < 2:
        raise InputError(f"{what} needs two items or more, got 1.")
    spread, (low, width) = float(np.ptp(matrix.values, axis=1).max()), matrix.span
    if 0 < spread < SMALLEST_SPREAD * width:
        raise InputError(
            f"Scores differ by {spread:.3g} at most, on a scale of {low:g} to {low + width:g}: too "
            "little to predict errors. Say the right scale with --range (bounds=)."
        )
    if spread == 0:
        raise InputError(
            f"Every model scores all items alike ({shown(list(matrix.models))}), so "
            "errors cannot be predicted."
        )


def require_shares(retentions: Sequence[float]) -> tuple[float, ...]:
    """Take sizes as shares of the items.

    Raises:
        ArgumentError: one is not above 0 and at most 1, or there is none.
    """
    shares = several_numbers(retentions, "retentions")
    wrong = [share for share in shares if not 0 < share <= 1]
    if wrong or not shares:
        got = ", ".join(f"{share:g}" for share in wrong) or "none"
        raise ArgumentError(f"`retentions` must be above 0 and at most 1, got {got}.")
    return shares


def frame_size(n_items: int | None, n_scored: int) -> int:
    """Take N, the items of the benchmark, where some of them may have no score yet.

    Args:
        n_items: N as it was given, or None: all items have scores.
        n_scored: items that have scores.

    Raises:
        ArgumentError: N is no whole number, below the items at hand, or beyond all reason.
    """
    if n_items is None:
        return n_scored
    n_frame = whole_number(n_items, "n_items")
    if not n_scored <= n_frame <= MOST_ITEMS:
        raise ArgumentError(
            f"`n_items` (--items) must be {n_scored} or more, for so many items have scores, and "
            f"{MOST_ITEMS:g} or less, got {n_frame}."
        )
    return n_frame


def on_pool(matrix: ScoreMatrix, pool: Manifest, n_items: int | None) -> tuple[ScoreMatrix, int]:
    """Take the scores on a pool, with its groups, and N.

    Raises:
        ArgumentError: N was given, and is not the pool's.
        ManifestError: it is no pool, or some of its items are not among the scores.
    """
    if pool.kind != "pool":
        raise ManifestError(
            f"`pool` must be a manifest of kind 'pool', got a {pool.kind}. Give what `bestrand "
            "pool` wrote."
        )
    if n_items not in (None, pool.n_frame):
        raise ArgumentError(
            f"`n_items` (--items) is {n_items}, and the pool was drawn from {pool.n_frame} items. "
            "Leave it out: the pool says it."
        )
    absent = [item for item in pool.items if item not in matrix.frame.positions]
    if absent:
        raise ManifestError(
            f"{len(absent)} of the pool's {pool.n} items have no row in these scores: "
            f"{shown(absent)}.{explain_mismatch(pool.items, matrix.frame.items)} Give the pool on "
            "which these models ran, or their scores on all of it.",
            absent=absent,
        )
    seen = matrix.take_items(pool.items)
    if seen.frame.groups is None and pool.item_groups is not None:
        seen = replace(seen, frame=replace(seen.frame, groups=pool.item_groups))
    return seen, pool.n_frame


def require_on_scale(name: str, value: float, width: float) -> None:
    """Require an error or a gap that scores of this scale can have.

    Raises:
        ArgumentError: it is as large as the whole scale.
    """
    if value >= width:
        raise ArgumentError(
            f"`{name}` must be below {width:g}, the width of the scale, got {value:g}. Say it in "
            "the unit of the scores, 0.02 for two points of scores on 0 to 1."
        )

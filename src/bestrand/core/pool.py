"""What `draw_pool` and `select` share: what is chosen from, and how a choice is written."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from bestrand.core.frame import Frame
from bestrand.core.manifest import Manifest, written_notes
from bestrand.core.scores import ScoreMatrix, ScoreTable
from bestrand.designs.base import Draw
from bestrand.errors import ArgumentError, InputError, ManifestError
from bestrand.ids import explain_mismatch
from bestrand.notes import Note, shown
from bestrand.settings import real_number, whole_number
from bestrand.types import FloatArray, IntArray, WeightScheme


UNEVEN = 1.3  # design effect of the weights, above which intervals were seen to be too narrow


@dataclass(frozen=True, slots=True, eq=False)
class Base:
    """What is chosen from: m items, and their place in the frame.

    Attributes:
        frame: of the m items.
        weights: (m,) N times each item's share of the full score.
        inclusion: (m,) probability of each to be among the m, or None where unknown.
        n_frame: N.
        frame_digest: of all N.
        group_sizes: items of each group in the frame, or None.
    """

    frame: Frame
    weights: FloatArray
    inclusion: FloatArray | None
    n_frame: int
    frame_digest: str | None
    group_sizes: dict[str, int] | None

    @classmethod
    def of_frame(cls, frame: Frame) -> "Base":
        """Choose from all items, in the order of their ids, as a part of a frame may not be."""
        if any(a > b for a, b in pairwise(frame.items)):
            frame = frame.take(np.argsort(np.array(frame.items, dtype=object)))
        return cls(
            frame=frame,
            weights=frame.relative_weights,
            inclusion=np.ones(frame.n),
            n_frame=frame.n,
            frame_digest=frame.digest,
            group_sizes=frame.group_sizes,
        )

    @classmethod
    def of_pool(cls, pool: Manifest, frame: Frame) -> "Base":
        """Choose from a pool, whose items must be among those of `frame`.

        Raises:
            ManifestError: `pool` is no pool, or some of its items are absent.
        """
        if pool.kind != "pool":
            raise ManifestError(
                f"`pool` must be a manifest of kind 'pool', got a {pool.kind}. Give what "
                "`bestrand pool` wrote."
            )
        absent = [item for item in pool.items if item not in frame.positions]
        if absent:
            raise ManifestError(
                f"{len(absent)} of the pool's {pool.n} items are not among the "
                f"{frame.n} given: {shown(absent)}."
                f"{explain_mismatch(pool.items, frame.items)} Run the probes on the whole pool.",
                absent=absent,
            )
        weights = pool.relative_weights
        shares = weights / weights.sum()
        return cls(
            frame=Frame(pool.items, pool.item_groups, None, shares, pool.weighting),
            weights=weights,
            inclusion=None if pool.inclusion is None else np.array(pool.inclusion),
            n_frame=pool.n_frame,
            frame_digest=pool.frame_digest,
            group_sizes=pool.group_sizes,
        )

    @property
    def group_codes(self) -> IntArray | None:
        """(m,) number of each item's group, in the order of the names in the frame, or None."""
        if self.frame.groups is None or self.group_sizes is None:
            return None
        codes = {name: code for code, name in enumerate(self.group_sizes)}
        return np.array([codes[name] for name in self.frame.groups], dtype=np.int64)

    @property
    def group_shares(self) -> FloatArray | None:
        """(H,) share of each group in the frame, in the order of the names, or None."""
        if self.group_sizes is None:
            return None
        return np.array(list(self.group_sizes.values())) / self.n_frame

    def drawn_fields(self, draw: Draw, design: str) -> dict[str, Any]:
        """Give the fields of a manifest that speak of the base and of the items chosen from it."""
        columns = draw.columns
        groups = self.frame.groups
        chance = draw.inclusion
        if chance is not None:
            chance = None if self.inclusion is None else chance * self.inclusion[columns]
        notes = [*draw.notes, *self._group_notes(draw), *self._weight_notes(draw)]
        return {
            "items": tuple(self.frame.items[i] for i in columns),
            "n_frame": self.n_frame,
            "frame_digest": self.frame_digest,
            "n_pool": self.frame.n,
            "design": design,
            "balanced_on": draw.balanced_on,
            "weighting": self.frame.scheme,
            "item_weights": _numbers(None if self._is_micro else self.weights[columns]),
            "item_groups": None if groups is None else tuple(groups[i] for i in columns),
            "group_sizes": self.group_sizes,
            "estimation_weights": _numbers(draw.weights),
            "inclusion": _numbers(chance),
            "distance": draw.distance,
            "notes": written_notes(notes),
        }

    def _weight_notes(self, draw: Draw) -> list[Note]:
        """Say so where weights are so uneven that intervals are too narrow."""
        if self._is_micro:
            return []
        if self.weights[draw.columns].sum() <= 0:
            text = (
                "The chosen items weigh nothing in the full score: choose again with more of them."
            )
            return [Note("no-weight", text)]
        effect = float((self.weights**2).mean() / self.weights.mean() ** 2)
        if effect <= UNEVEN or (draw.inclusion is not None and draw.weights is not None):
            return []  # unequal chances are undone, with the right error
        text = (
            f"Items weigh very differently (design effect {effect:.1f}), and heavy ones may be "
            "missing: errors are larger than intervals say unless items are chosen by weight. "
            "With macro weights take --design stratified --allocation equal."
        )
        return [Note("uneven-weights", text)]

    @property
    def _is_micro(self) -> bool:
        return self.frame.scheme == "micro"

    def _group_notes(self, draw: Draw) -> list[Note]:
        if self.frame.groups is None:
            return []
        absent = sorted(set(self.frame.groups) - {self.frame.groups[i] for i in draw.columns})
        if not absent:
            return []
        return [Note("absent-groups", f"No item was chosen from group {shown(absent)}.")]


def _numbers(values: FloatArray | None) -> tuple[float, ...] | None:
    return None if values is None else tuple(values.tolist())


def as_frame(
    items: Frame | ScoreMatrix | ScoreTable | Sequence[str], weights: WeightScheme | None
) -> Frame:
    """Take whatever stands for the items as a frame, with the weights asked for."""
    if isinstance(items, ScoreTable):
        return items.frame(weights)
    frame = items.frame if isinstance(items, ScoreMatrix) else items
    if not isinstance(frame, Frame):
        frame = Frame.of(frame)
    return frame if weights in (None, frame.scheme) else frame.reweighted(weights)


def subset_size(n: int | None, retention: float | None, n_frame: int) -> int:
    """Take the size of the subset, given as such or as a share of the items.

    Raises:
        ArgumentError: both or neither are given, or one is out of its range.
    """
    if (n is None) == (retention is None):
        raise ArgumentError("Give either `n` or `retention`, and not both.")
    if n is not None:
        return whole_number(n, "n")
    share = real_number(retention, "retention")  # type: ignore[arg-type]
    if not 0 < share <= 1:
        raise ArgumentError(
            f"`retention` must be above 0 and at most 1, got {share:g}.", retention=share
        )
    return max(1, round(share * n_frame))


def require_size(n: int, most: int, what: str) -> None:
    """Require 1 <= n <= most.

    Raises:
        ArgumentError: n < 1.
        InputError: n > most.
    """
    if n < 1:
        raise ArgumentError(f"`n` must be 1 or more, got {n}.", n=n)
    if n > most:
        raise InputError(f"`n` must be in 1..{most}, {what}, got {n}. Lower it.", n=n, most=most)

"""The pool: the items to choose from."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from bestrand.core.frame import Frame
from bestrand.core.manifest import Manifest
from bestrand.errors import ManifestError
from bestrand.ids import explain_mismatch
from bestrand.notes import shown
from bestrand.types import FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """The m items to choose from, and their place in the frame.

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
    def of_frame(cls, frame: Frame) -> "Pool":
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
    def of_pool(cls, pool: Manifest, frame: Frame) -> "Pool":
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
            frame=Frame(
                pool.items,
                pool.item_groups,
                pool.item_tasks,
                shares,
                pool.weighting,
                hashes=pool.item_hashes,
                source=pool.source,
            ),
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

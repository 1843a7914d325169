"""The frame: all the items that a full score speaks of, and what each of them weighs."""

import hashlib
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import get_args

import numpy as np

from bestrand.errors import ArgumentError, InputError
from bestrand.notes import shown
from bestrand.types import FloatArray, IntArray, WeightScheme


@dataclass(frozen=True, eq=False)
class Frame:
    """The full list of items, in the order of their ids (by code point).

    The order is fixed so that the same items give the same draw in whichever order a file lists
    them. Make one with `Frame.of`, which sorts and checks.

    Attributes:
        items: (N,) ids, distinct, ascending; text, exactly as they were written.
        groups: (N,) subtask of each item, or None where there are none.
        tasks: (N,) benchmark of each item, or None.
        weights: (N,) shares of the full score, >= 0, sum 1. A model's full score is the
            sum of weight * score over the frame.
        scheme: how the weights came about.
    """

    items: tuple[str, ...]
    groups: tuple[str, ...] | None
    tasks: tuple[str, ...] | None
    weights: FloatArray
    scheme: WeightScheme

    @classmethod
    def of(
        cls,
        items: Iterable[str],
        *,
        groups: Sequence[str] | None = None,
        tasks: Sequence[str] | None = None,
        weights: WeightScheme | Sequence[float] | FloatArray = "micro",
    ) -> "Frame":
        """Make a frame from items in any order; `groups`, `tasks`, `weights` go with `items`.

        Args:
            items: ids, distinct.
            groups: subtask of each item.
            tasks: benchmark of each item.
            weights: "micro", every item the same; "macro", every group the same and its items
                alike; or a number >= 0 an item, which are scaled to sum 1.

        Raises:
            InputError: no items, an id twice, groups asked for and absent, or weights that are
                negative, not finite or all 0.
            ArgumentError: an unknown name for the weights.
        """
        ids = list(items)
        if not ids:
            raise InputError("A frame needs at least one item, got none.")
        twice = [item for item, count in Counter(ids).items() if count > 1]
        if twice:
            raise InputError(
                f"Item ids must be distinct, {len(twice)} of them come more than once: "
                f"{shown(twice)}. Give each item an id of its own.",
                items=twice,
            )
        order = sorted(range(len(ids)), key=ids.__getitem__)
        sorted_groups = None if groups is None else tuple(groups[i] for i in order)
        scheme: WeightScheme
        if isinstance(weights, str):
            scheme = weights
            raw = _scheme_weights(weights, sorted_groups, len(ids))
        else:
            scheme = "explicit"
            raw = np.asarray(weights, dtype=np.float64)[order]
        _check_weights(raw, [ids[i] for i in order])
        values = raw / math.fsum(raw)
        values.flags.writeable = False
        return cls(
            items=tuple(ids[i] for i in order),
            groups=sorted_groups,
            tasks=None if tasks is None else tuple(tasks[i] for i in order),
            weights=values,
            scheme=scheme,
        )

    @property
    def n(self) -> int:
        """N, the number of items."""
        return len(self.items)

    @cached_property
    def digest(self) -> str:
        """SHA-256 over the item ids: the same for the same items, whatever order they came in."""
        return items_digest(self.items)

    @cached_property
    def relative_weights(self) -> FloatArray:
        """Weights scaled to mean 1; (N,). All 1 under "micro"."""
        relative = np.asarray(self.weights * self.n, dtype=np.float64)
        return np.ones(self.n) if self.scheme == "micro" else relative

    @cached_property
    def positions(self) -> Mapping[str, int]:
        """Where each item stands."""
        return {item: position for position, item in enumerate(self.items)}

    @property
    def group_sizes(self) -> dict[str, int] | None:
        """How many items each group has, by name, or None where there are no groups."""
        return None if self.groups is None else dict(sorted(Counter(self.groups).items()))

    @cached_property
    def group_codes(self) -> IntArray | None:
        """(N,) number of each item's group, in the order of the names, or None."""
        if self.groups is None:
            return None
        codes = {name: code for code, name in enumerate(sorted(set(self.groups)))}
        return np.array([codes[name] for name in self.groups], dtype=np.int64)

    def reweighted(self, weights: WeightScheme) -> "Frame":
        """Give the same items other weights, "micro" or "macro"."""
        return Frame.of(self.items, groups=self.groups, tasks=self.tasks, weights=weights)

    def take(self, positions: IntArray) -> "Frame":
        """Make the frame of some of the items, their weights scaled to sum 1 again."""
        chosen = [int(position) for position in positions]
        weights = self.weights[chosen]
        weights = weights / math.fsum(weights)
        return Frame(
            items=tuple(self.items[i] for i in chosen),
            groups=None if self.groups is None else tuple(self.groups[i] for i in chosen),
            tasks=None if self.tasks is None else tuple(self.tasks[i] for i in chosen),
            weights=weights,
            scheme=self.scheme,
        )


def items_digest(items: Iterable[str]) -> str:
    """SHA-256 over ids in ascending order, each preceded by its length in bytes."""
    state = hashlib.sha256()
    for item in sorted(items):
        encoded = item.encode("utf-8", "surrogatepass")
        state.update(b"%d:" % len(encoded))
        state.update(encoded)
    return state.hexdigest()


def _scheme_weights(scheme: WeightScheme, groups: tuple[str, ...] | None, n: int) -> FloatArray:
    if scheme == "micro":
        return np.ones(n)
    if scheme == "macro":
        if groups is None:
            raise InputError(
                'Weights "macro" count every group the same, and these items have no groups. '
                'Add a `group` column, or take "micro".'
            )
        sizes = Counter(groups)
        return np.array([1.0 / sizes[group] for group in groups])
    if scheme == "explicit":
        raise InputError(
            'Weights "explicit" need a number an item, and these items carry none. '
            'Add a `weight` column, or take "micro".'
        )
    raise ArgumentError(
        f"`weights` must be one of {shown(list(get_args(WeightScheme)))}, got {scheme!r}.",
        weights=scheme,
    )


def _check_weights(weights: FloatArray, items: list[str]) -> None:
    if weights.shape != (len(items),):
        raise InputError(
            f"`weights` must give one number for each of {len(items)} items, got {weights.size}."
        )
    bad = [item for item, w in zip(items, weights, strict=True) if not (0 <= w < math.inf)]
    if bad:
        raise InputError(
            f"Weights must be finite and 0 or more; {len(bad)} are not, of items {shown(bad)}.",
            items=bad,
        )
    if not weights.any():
        raise InputError("At least one weight must be above 0; all are 0.")

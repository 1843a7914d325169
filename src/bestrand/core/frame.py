"""The frame: all the items that a full score speaks of, and what each of them weighs."""

import hashlib
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from typing import Any, get_args

import numpy as np

from bestrand.core.runs import BenchmarkSource
from bestrand.errors import ArgumentError, InputError
from bestrand.ids import is_encodable
from bestrand.notes import Note, shown
from bestrand.types import FloatArray, IntArray, Weighting


LARGEST_WEIGHT = 1e300  # so that the sum of all is a number too


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
        weighting: how the weights came about.
        notes: what reading the items found odd; they say nothing of the items themselves.
        hashes: (N,) digest of each item's content, as the harness computes it; None where unknown.
        source: where the items come from; None where unknown.
    """

    items: tuple[str, ...]
    groups: tuple[str, ...] | None
    tasks: tuple[str, ...] | None
    weights: FloatArray
    weighting: Weighting
    notes: tuple[Note, ...] = ()
    hashes: tuple[str | None, ...] | None = None
    source: BenchmarkSource | None = None

    def __post_init__(self) -> None:
        weights = self.weights.view()
        weights.flags.writeable = False
        object.__setattr__(self, "weights", weights)

    @classmethod
    def of(
        cls,
        items: Iterable[str],
        *,
        groups: Sequence[str] | None = None,
        tasks: Sequence[str] | None = None,
        weights: Sequence[float] | FloatArray | None = None,
        weighting: Weighting | None = None,
        hashes: Sequence[str | None] | None = None,
        source: BenchmarkSource | None = None,
    ) -> "Frame":
        """Make a frame from items in any order; `groups`, `tasks`, `weights` go with `items`.

        Args:
            items: ids, distinct.
            groups: subtask of each item.
            tasks: benchmark of each item.
            weights: a number >= 0 for each item; they are scaled to sum 1.
            weighting: "micro", every item counts the same; "macro", every group counts the same,
                and the items of a group alike; "explicit", by `weights`. Default: "explicit" with
                `weights`, else "micro".
            hashes: digest of each item's content; None where it is not known.
            source: where the items come from.

        Raises:
            InputError: no items, one text for them, an id twice or that is no text, groups asked
                for and absent, or weights that are negative, not finite or all 0.
            ArgumentError: an unknown weighting, or weights that it does not use.
        """
        if isinstance(items, str | bytes | PathLike):
            kind = "path" if isinstance(items, PathLike) else "text"
            raise InputError(
                f"Items must be several ids, got the {kind} {str(items)!r}. Read a file of ids "
                "with read_items."
            )
        ids = list(items)
        _check_ids(ids)
        order = sorted(range(len(ids)), key=ids.__getitem__)
        sorted_ids = tuple(str(ids[i]) for i in order)
        sorted_groups = _in_order("groups", groups, order)
        if weights is None:
            weighting = weighting or "micro"
            raw = _weights_of(weighting, sorted_groups, len(ids))
        elif weighting in (None, "explicit"):
            weighting = "explicit"
            raw = _explicit_weights(weights, sorted_ids, order)
        else:
            raise ArgumentError(
                f'`weights` are used with weighting "explicit" only, got {weighting!r}. Leave one '
                "of the two out."
            )
        return cls(
            items=sorted_ids,
            groups=sorted_groups,
            tasks=_in_order("tasks", tasks, order),
            weights=raw / math.fsum(raw),
            weighting=weighting,
            hashes=None if hashes is None else tuple(hashes[i] for i in order),
            source=source,
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
        return np.ones(self.n) if self.weighting == "micro" else relative

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

    def reweighted(self, weighting: Weighting) -> "Frame":
        """Return the same items, in the same order, other weights, "micro" or "macro".

        Raises:
            InputError: "macro" without groups, or "explicit", of which these carry none.
            ArgumentError: an unknown weighting.
        """
        if weighting == self.weighting:
            return self
        raw = _weights_of(weighting, self.groups, self.n)
        return replace(self, weights=raw / math.fsum(raw), weighting=weighting)

    def take(self, positions: IntArray) -> "Frame":
        """Make the frame of some of the items, their weights scaled to sum 1 again.

        Raises:
            InputError: the weights of all of them are 0.
        """
        chosen = [int(position) for position in positions]
        weights = self.weights[chosen]
        if not weights.any():
            raise InputError(
                "At least one of the items taken must have a weight above 0; all have weight 0."
            )
        return Frame(
            items=tuple(self.items[i] for i in chosen),
            groups=None if self.groups is None else tuple(self.groups[i] for i in chosen),
            tasks=None if self.tasks is None else tuple(self.tasks[i] for i in chosen),
            weights=weights / math.fsum(weights),
            weighting=self.weighting,
            hashes=None if self.hashes is None else tuple(self.hashes[i] for i in chosen),
            source=self.source,
        )


def items_digest(items: Iterable[str]) -> str:
    """SHA-256 over ids in ascending order, each preceded by its length in bytes."""
    state = hashlib.sha256()
    for item in sorted(items):
        encoded = item.encode("utf-8", "surrogatepass")
        state.update(b"%d:" % len(encoded))
        state.update(encoded)
    return state.hexdigest()


def _check_ids(ids: Sequence[str]) -> None:
    if not ids:
        raise InputError("A frame needs at least one item, got none.")
    _require_text("Item ids", ids)
    twice = [item for item, count in Counter(ids).items() if count > 1]
    if twice:
        raise InputError(
            f"Item ids must be distinct, {len(twice)} of them come more than once: "
            f"{shown(twice)}. Give each item an id of its own.",
            items=twice,
        )


def _require_text(what: str, values: Sequence[Any]) -> None:
    odd = [v for v in values if not (isinstance(v, str) and is_encodable(v))]
    if odd:
        raise InputError(
            f"{what} must be text in valid Unicode; {len(odd)} are not: "
            f"{shown(odd)}. Write them as text.",
            values=odd,
        )


def _in_order(what: str, values: Sequence[str] | None, order: list[int]) -> tuple[str, ...] | None:
    if values is None:
        return None
    _check_length(what, len(values), len(order))
    _require_text(f"`{what}`", values)
    return tuple(str(values[i]) for i in order)


def _check_length(what: str, n: int, n_items: int) -> None:
    if n != n_items:
        raise InputError(f"`{what}` must have one for each of {n_items} items, got {n}.")


def _weights_of(weighting: Weighting, groups: tuple[str, ...] | None, n: int) -> FloatArray:
    if weighting == "micro":
        return np.ones(n)
    if weighting == "macro":
        if groups is None:
            raise InputError(
                'Weighting "macro" counts every group the same, and these items have no groups. '
                'Add a `group` column, or take "micro".'
            )
        sizes = Counter(groups)
        return np.array([1.0 / sizes[group] for group in groups])
    if weighting == "explicit":
        raise InputError(
            'Weighting "explicit" needs a weight for every item, and these items have none. '
            'Add a `weight` column, or take "micro".'
        )
    raise ArgumentError(
        f"`weighting` must be one of {shown(list(get_args(Weighting)))}, got {weighting!r}.",
        weighting=weighting,
    )


def _explicit_weights(
    weights: Sequence[float] | FloatArray, items: tuple[str, ...], order: list[int]
) -> FloatArray:
    """Take the weights in the order of the sorted items."""
    _check_length("weights", len(weights), len(items))
    try:
        raw: FloatArray = np.array([float(weights[i]) for i in order])
    except (TypeError, ValueError) as error:
        raise InputError(f"Weights must be numbers ({error}). Give every item one.") from error
    bad = [item for item, w in zip(items, raw, strict=True) if not 0 <= w <= LARGEST_WEIGHT]
    if bad:
        raise InputError(
            f"Weights must be finite and 0 or more; {len(bad)} are not, of items {shown(bad)}.",
            items=bad,
        )
    if not raw.any():
        raise InputError("At least one weight must be above 0; all are 0.")
    return raw

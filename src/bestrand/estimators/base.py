"""What an estimator is handed, and what it answers."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import NamedTuple

from bestrand.manifest import Balance
from bestrand.notes import Note
from bestrand.types import FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """What is known of the targets and of the subset they ran on; scores are on 0..1.

    Attributes:
        scores: (T, n) of the targets, nan where there is none.
        weights: (n,) N times each item's share of the full score.
        groups: (n,) code of each item's group, or None.
        group_shares: (H,) share of each group in the frame, or None.
        probes: (K, n) of the probes on the same items, no nan; None where they are not at hand.
        n_pool: m, of which the subset was chosen.
        n_frame: N.
        balanced_on: what the subset was made to match.
        pool_balanced_on: what the pool was made to match.
    """

    scores: FloatArray
    weights: FloatArray
    groups: IntArray | None
    group_shares: FloatArray | None
    probes: FloatArray | None
    n_pool: int
    n_frame: int
    balanced_on: tuple[Balance, ...]
    pool_balanced_on: tuple[Balance, ...]


class Inference(NamedTuple):
    """Estimates on 0..1 with their standard errors.

    Attributes:
        estimate: (T,) full scores.
        se: (T,) standard errors.
        freedom: (T,) degrees of freedom of each.
        pair_difference: (T, T) row's - column's.
        pair_se: (T, T) standard errors of those.
        pair_freedom: (T, T) degrees of freedom of those.
        notes: what a reader should know.
    """

    estimate: FloatArray
    se: FloatArray
    freedom: FloatArray
    pair_difference: FloatArray
    pair_se: FloatArray
    pair_freedom: FloatArray
    notes: tuple[Note, ...] = ()


class Estimator(ABC):
    """A way to infer the full score from a subset; a frozen dataclass."""

    @abstractmethod
    def infer(self, seen: Seen) -> Inference:
        """Estimate each target's full score, its error, and all paired differences."""

    @property
    def name(self) -> str:
        """The name by which results know it."""
        return type(self).__name__

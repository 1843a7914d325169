"""What a design is handed, and what it answers."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from math import fsum
from typing import Any, NamedTuple

import numpy as np

from bestrand.errors import DesignError
from bestrand.manifest import Balance
from bestrand.notes import Note
from bestrand.rng import Stream
from bestrand.types import FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Features:
    """All that a design may look at, of the m items to choose from.

    There is no place here for a target's score, so no design can look at one.

    Attributes:
        n_items: m.
        scores: (C, m) columns of the probes, one a probe and metric, no nan; None where no probe
            has run. One metric: scores on 0..1. Several: each column divided by its spread.
        groups: (m,) code of each item's group, or None.
        weights: (m,) N times each item's share of the full score.
    """

    n_items: int
    scores: FloatArray | None
    groups: IntArray | None
    weights: FloatArray


class Draw(NamedTuple):
    """One act of choosing.

    Attributes:
        columns: (n,) positions of the chosen items, ascending, distinct.
        inclusion: (n,) probability of each to be chosen from the m, or None where unknown.
        balanced_on: what the means of the chosen items were made to match.
        distance: what is left between the chosen items and all m, or None.
        notes: what a reader should know.
    """

    columns: IntArray
    inclusion: FloatArray | None
    balanced_on: tuple[Balance, ...] = ()
    distance: float | None = None
    notes: tuple[Note, ...] = ()


class Design(ABC):
    """A way to choose n of m items; a frozen dataclass whose fields are its settings."""

    @abstractmethod
    def draw(self, features: Features, n: int, stream: Stream) -> Draw:
        """Choose n items.

        Args:
            features: what may be looked at.
            n: how many, 1 <= n <= m.
            stream: the chance; the same stream gives the same draw.

        Raises:
            DesignError: `features` lacks what this design needs.
        """

    @property
    def name(self) -> str:
        """The name by which manifests know it."""
        return type(self).__name__

    @property
    def uses_probes(self) -> bool:
        """Whether it looks at the probes' scores."""
        return False

    @property
    def parameters(self) -> dict[str, Any]:
        """Its settings, by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]


def require_probes(design: Design, features: Features) -> FloatArray:
    """Give the probes' scores.

    Raises:
        DesignError: no probe has run.
    """
    if features.scores is None or len(features.scores) == 0:
        raise DesignError(
            f"{design.name} needs the scores of at least one probe model, got none. Run probes on "
            "the pool first, or take SimpleRandom, which looks at no scores."
        )
    return features.scores


def require_groups(design: Design, features: Features) -> IntArray:
    """Give the items' groups.

    Raises:
        DesignError: the items have none.
    """
    if features.groups is None:
        raise DesignError(
            f"{design.name} needs each item's group, and these items have none. Add a `group` "
            "column to the items or scores, or take SimpleRandom."
        )
    return features.groups


def weighted_deviations(scores: FloatArray, weights: FloatArray) -> FloatArray:
    """Columns whose plain mean over a subset says how far its weighted means are off; (m, C).

    With equal weights these are the scores themselves. Else each score becomes
    weight * (score - weighted mean over all m items), the linearised weighted mean.
    """
    columns = scores.T
    if np.all(weights == 1.0):
        return columns
    total = fsum(weights)
    means = np.array([fsum(weights * column) / total for column in scores])
    return weights[:, None] * (columns - means)

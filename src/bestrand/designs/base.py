"""The features that a design may see, the draw that it returns, and what all designs check."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import fsum, sqrt
from typing import ClassVar, NamedTuple

import numpy as np

from bestrand.core.manifest import Balance
from bestrand.core.method import Method
from bestrand.errors import DesignError
from bestrand.notes import Note
from bestrand.rng import Stream
from bestrand.stats.source_scores import Sources
from bestrand.types import FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Features:
    """All that a design may look at, of the m items to choose from.

    There is no place here for a target's score, so no design can look at one.

    Attributes:
        n_items: m.
        scores: (K, m) of the probes in the main metric, on 0..1, no nan; None where no probe has
            run.
        groups: (m,) code of each item's group, or None.
        weights: (m,) N times each item's share of the full score.
        extras: (E, m) of the probes in further metrics, each row divided by its spread; or None.
        group_shares: (H,) share of each group in the frame, by code, or None.
        texts: representations of the items' texts, each (m, d), unit rows; empty without texts.
    """

    n_items: int
    scores: FloatArray | None
    groups: IntArray | None
    weights: FloatArray
    extras: FloatArray | None = None
    group_shares: FloatArray | None = None
    texts: tuple[FloatArray, ...] = ()

    @property
    def matched(self) -> FloatArray | None:
        """(C, m) all columns to match: one metric as it is, several each divided by its spread."""
        if self.scores is None or self.extras is None:
            return self.scores
        return np.concatenate([standardised(self.scores), self.extras])


class Draw(NamedTuple):
    """One act of choosing.

    Attributes:
        columns: (n,) positions of the chosen items, ascending, distinct.
        inclusion: (n,) probability of each to be chosen from the m, or None where unknown.
        design_weights: (n,) what each counts for in the design's own estimate, mean 1; None where
            all count the same.
        balanced_on: what the means of the chosen items were made to match.
        distance: what is left between the chosen items and all m, or None.
        notes: what a reader should know.
    """

    columns: IntArray
    inclusion: FloatArray | None
    design_weights: FloatArray | None = None
    balanced_on: tuple[Balance, ...] = ()
    distance: float | None = None
    notes: tuple[Note, ...] = ()


class Design(Method, ABC):
    """A way to choose n of m items.

    Attributes:
        estimator: name of the estimator that the design was made for, where one is; it is taken
            where what it needs is known.
        stratifies_pool: whether its pool takes from each group its share.
    """

    estimator: ClassVar[str | None] = None
    stratifies_pool: ClassVar[bool] = False

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
    def uses_probes(self) -> bool:
        """Whether it looks at the scores of probes, or of source models."""
        return self.needs in ("probes", "sources")

    @property
    def uses_texts(self) -> bool:
        """Whether it looks at the items' texts."""
        return self.needs == "texts"


def standardised(rows: FloatArray) -> FloatArray:
    """Divide each row by its standard deviation, from exactly rounded sums; flat rows stay."""
    spreads = np.array([_exact_sd(row) for row in rows])
    return np.asarray(rows / np.where(spreads > 0, spreads, 1.0)[:, None])


def _exact_sd(row: FloatArray) -> float:
    """Standard deviation, the same on every machine."""
    mean = fsum(row) / row.size
    return sqrt(fsum((row - mean) ** 2) / row.size)


def require_probes(design: Design, features: Features) -> FloatArray:
    """Return the columns to match; see `Features.matched`.

    Raises:
        DesignError: no probe has run.
    """
    matched = features.matched
    if matched is None or len(matched) == 0:
        raise DesignError(
            f"{design.name} needs the scores of at least one probe model, got none. Run probes on "
            "the pool first, or take SimpleRandom, which looks at no scores."
        )
    return matched


def require_groups(design: Design, features: Features) -> IntArray:
    """Return the items' groups.

    Raises:
        DesignError: the items have none.
    """
    if features.groups is None:
        raise DesignError(
            f"{design.name} needs each item's group, and these items have none. Add a `group` "
            "column to the items or scores, or take SimpleRandom."
        )
    return features.groups


def require_texts(design: Design, features: Features) -> tuple[FloatArray, ...]:
    """Return the representations of the items' texts, one at least.

    Raises:
        DesignError: there are none.
    """
    if not features.texts:
        raise DesignError(
            f"{design.name} needs the items' texts or embeddings, got none. Give them as --texts "
            "FILE (texts=), or take SimpleRandom, which looks at nothing."
        )
    return features.texts


def require_sources(design: Design, features: Features, least: int = 3) -> Sources:
    """Return the sources' scores in the main metric.

    Raises:
        DesignError: there are fewer than `least`.
    """
    n_sources = 0 if features.scores is None else len(features.scores)
    if features.scores is None or n_sources < least:
        raise DesignError(
            f"{design.name} needs the scores of at least {least} source models, got "
            f"{n_sources or 'none'}. Give more as probes, or take SimpleRandom, which looks at no "
            "scores.",
            n_sources=n_sources,
        )
    return Sources.of(features.scores, features.weights)

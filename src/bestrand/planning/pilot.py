"""Ways to spend: which items are chosen how, what that costs, and how wrong one then is."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import ndtri

from bestrand.planning.moments import ModelMoments, model_moments, pair_moments
from bestrand.record import Record
from bestrand.rng import Stream
from bestrand.stats.explained import strata_at
from bestrand.stats.half_normal import exceedance
from bestrand.stats.stratified import GroupMoments, group_moments, stratified_errors
from bestrand.types import FloatArray, IntArray


MOST_PAIRS = 1000
Word = Literal["random", "stratified", "balanced"]


class Way(NamedTuple):
    """How items are to be chosen.

    Attributes:
        design: "random", "stratified", or "balanced" on probes.
        n_probes: K; 0 without probes.
        alpha: size of the pool over that of the subset; inf: all items.
        n_known: items on which the probes have run already, which cost nothing; 0: they have yet
            to run.
    """

    design: Word
    n_probes: int = 0
    alpha: float = math.inf
    n_known: int = 0


@dataclass(frozen=True, slots=True)
class CurvePoint(Record):
    """What to expect of one model's error at one size, in the metric's unit.

    Attributes:
        design: name of the design.
        n: items.
        retention: n / N.
        mean: expected size of the error.
        p95: its 95th percentile.
        n_probes: K; 0 without probes.
        n_pool: m, items that every probe runs, or ran; 0 without probes.
    """

    design: str
    n: int
    retention: float
    mean: float
    p95: float
    n_probes: int = 0
    n_pool: int = 0


class Pilot:
    """Scores from which the errors of any way and size are predicted.

    What is costly is kept: moments depend on the probes and on the strata alone.

    Attributes:
        y: (L, m) scores on 0..1; no nan, not all flat.
        groups: (m,) code of each item's group, or None.
        n_frame: N.
        factor: by which variances are multiplied, for targets that score unlike the pilot.
    """

    def __init__(
        self,
        y: FloatArray,
        groups: IntArray | None,
        n_frame: int,
        *,
        expected: float | None,
        stream: Stream,
    ) -> None:
        self.y, self.groups, self.n_frame = y, groups, n_frame
        self.factor = 1.0 if expected is None else spread_factor(y, expected)
        self._stream = stream
        self._moments: dict[tuple[str, int, int], ModelMoments] = {}

    def pool(self, way: Way, n: int) -> int:
        """Return m: how many items the probes run, or ran."""
        if way.design != "balanced":
            return self.n_frame
        return way.n_known or min(self.n_frame, math.ceil(min(way.alpha, self.n_frame) * n))

    def most(self, way: Way) -> int:
        """Return the largest subset possible."""
        return way.n_known or self.n_frame

    def cost(self, way: Way, n: int, n_targets: int, probe_cost: float) -> float:
        """Return the cost in items of a target: n a target, and what the probes have yet to run."""
        bought = 0 if way.n_known else way.n_probes * self.pool(way, n)
        return n * n_targets + probe_cost * bought

    def errors(self, way: Way, n: int) -> FloatArray:
        """Return the variance of the error of each model as a target; (L,)."""
        return np.asarray(self.factor * self._errors(way, n, "models"))

    def exceedance(self, way: Way, n: int, t: float) -> float:
        """Return the probability that one model's error is larger than t."""
        return exceedance(self.errors(way, n), t)

    def gap(self, way: Way, n: int, *, level: float, power: float) -> float:
        """Return the gap between two models that is found with this power, at the median pair."""
        found = self._errors(way, n, "pairs")
        deviation = math.sqrt(self.factor * float(np.median(found)))
        return float(ndtri(0.5 + level / 2) + ndtri(power)) * deviation

    def _errors(self, way: Way, n: int, what: Literal["models", "pairs"]) -> FloatArray:
        if way.design != "stratified":
            return self._of(way, n, what).errors(n, self.pool(way, n), self.n_frame)
        combinations = self._varying if what == "models" else self._pairs
        return stratified_errors(self._by_group, combinations, n, self.n_frame)

    @cached_property
    def _by_group(self) -> GroupMoments:
        one = np.zeros(self.y.shape[1], dtype=np.int64)
        return group_moments(self.y, one if self.groups is None else self.groups)

    @cached_property
    def _varying(self) -> FloatArray:
        """The models that are not flat, as rows of the identity."""
        varies = np.ptp(self.y, axis=1) > 0
        return np.asarray(np.eye(len(self.y))[varies])

    @cached_property
    def _pairs(self) -> FloatArray:
        """Differences of two models, up to a thousand of them."""
        a, b = np.triu_indices(len(self.y), 1)
        chosen = self._stream.child("pairs").generator().permutation(a.size)[:MOST_PAIRS]
        return np.eye(len(self.y))[a[chosen]] - np.eye(len(self.y))[b[chosen]]

    def _of(self, way: Way, n: int, what: Literal["models", "pairs"]) -> ModelMoments:
        strata = None if way.design == "random" else strata_at(self.groups, n)
        n_strata = 1 if strata is None else int(strata.max()) + 1
        n_probes = way.n_probes if what == "models" else min(way.n_probes, len(self.y) - 2)
        key = (what, n_probes, n_strata)
        if key not in self._moments:
            take = model_moments if what == "models" else pair_moments
            self._moments[key] = take(self.y, strata, n_probes, self._stream.child(f"{key}"))
        return self._moments[key]


def spread_factor(y: FloatArray, expected: float) -> float:
    r"""By what the variance of targets that score `expected` exceeds that of the pilot.

    $$ \frac{\kappa\,p(1-p)}{\overline{s^2}}, \qquad
       \kappa = \frac{\sum_k s_k^2}{\sum_k \bar y_k(1-\bar y_k)} $$

    Args:
        y: (L, m) scores on 0..1.
        expected: p, on 0..1.

    Examples:
        >>> spread_factor(np.array([[0.0, 0.0, 0.0, 1.0]]), 0.5)
        1.3333333333333333
    """
    mean = y.mean(axis=1)
    return float(expected * (1 - expected) / (mean * (1 - mean)).mean())

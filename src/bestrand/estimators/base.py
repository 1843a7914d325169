"""What an estimator may see, the inference that it returns, and what all estimators check."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from bestrand.core.manifest import Balance
from bestrand.core.method import Method
from bestrand.errors import EstimateError
from bestrand.notes import Note, shown
from bestrand.types import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """What is known of the targets and of the subset they ran on.

    Scores are on 0..1, by the lowest and highest that were seen.

    Of the targets there are scores on the subset only, so no estimator can look further.

    Attributes:
        scores: (T, n) of the targets, nan where there is none.
        weights: (n,) N times each item's share of the full score.
        groups: (n,) code of each item's group, or None.
        group_shares: (H,) share of each group in the frame, or None.
        probes: (K, n) of the probes, or sources, on the same items, no nan; None where they are
            not at hand.
        n_pool: m, of which the subset was chosen.
        n_frame: N.
        balanced_on: what the subset was made to match.
        pool_balanced_on: what the pool was made to match.
        probe_means: (K,) weighted means of the probes on the pool, or None.
        pool_probes: (K, m) of the probes on the whole pool, no nan; None where not at hand.
        pool_weights: (m,) `weights` of the whole pool, or None.
        columns: (n,) where the subset's items stand in the pool; None without `pool_probes`.
        inclusion: (n,) probability of each item to be chosen from the frame, or None.
        design_weights: (n,) what the design says each item counts for, mean 1, or None.
        served_as_probe: (T,) True where a target is a probe too; the features explain it almost
            wholly, so it must not count in what is pooled over the targets. None: no target is.
        stratified: whether the items of each group were drawn at random from all of the group.
        probes_anywhere: (K, M) of the probes on all items that are at hand, nan where there is
            none; None: on the subset alone.
        bounds: lowest and highest score possible, or None if unknown; models that are flat have
            no interval then.
        models: names of the targets, for notes; empty where they are not known.
        group_names: names of the H groups, for notes; empty where they are not known.
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
    probe_means: FloatArray | None = None
    pool_probes: FloatArray | None = None
    pool_weights: FloatArray | None = None
    columns: IntArray | None = None
    inclusion: FloatArray | None = None
    design_weights: FloatArray | None = None
    served_as_probe: BoolArray | None = None
    stratified: bool = False
    probes_anywhere: FloatArray | None = None
    bounds: tuple[float, float] | None = (0.0, 1.0)
    models: tuple[str, ...] = ()
    group_names: tuple[str, ...] = ()

    @property
    def others(self) -> BoolArray:
        """(T,) True for the targets that may be pooled: those that did not serve as probes."""
        if self.served_as_probe is None:
            return np.ones(len(self.scores), dtype=np.bool_)
        return ~self.served_as_probe


def named(names: tuple[str, ...], chosen: BoolArray) -> str:
    """Write which were chosen, the first few in brackets; nothing where names are not known."""
    picked = [name for name, wanted in zip(names, chosen, strict=False) if wanted]
    return f" ({shown(picked)})" if picked else ""


class Inference(NamedTuple):
    """Estimates on 0..1 with their standard errors.

    Attributes:
        estimate: (T,) full scores.
        se: (T,) standard errors.
        freedom: (T,) degrees of freedom of each.
        pair_difference: (T, T) row's - column's.
        pair_se: (T, T) standard errors of those.
        pair_freedom: (T, T) degrees of freedom of those.
        unshrunk: (T,) the estimates before they were drawn together, or None.
        notes: what a reader should know.
    """

    estimate: FloatArray
    se: FloatArray
    freedom: FloatArray
    pair_difference: FloatArray
    pair_se: FloatArray
    pair_freedom: FloatArray
    unshrunk: FloatArray | None = None
    notes: tuple[Note, ...] = ()


class Estimator(Method, ABC):
    """A way to infer the full score from a subset.

    Attributes:
        assumes_random_draw: whether it takes the subset for a random draw, from the frame or from
            a pool, so that it may be far off on items that were chosen to stand for clusters.
        undoes_chances: whether it makes up for items that had unequal chances to be chosen.
    """

    assumes_random_draw: ClassVar[bool] = True
    undoes_chances: ClassVar[bool] = False

    @abstractmethod
    def infer(self, seen: Seen) -> Inference:
        """Estimate each target's full score, its error, and all paired differences.

        Raises:
            EstimateError: `seen` lacks what this estimator needs.
        """


class Reference(NamedTuple):
    """The probes on the subset and what they are on the pool.

    Attributes:
        probes: (K, n) on the subset.
        means: (K,) weighted means on the pool.
    """

    probes: FloatArray
    means: FloatArray


class WholePool(NamedTuple):
    """The probes, or sources, on every item of the pool.

    Attributes:
        scores: (K, m) on the pool.
        weights: (m,) N times each item's share of the full score.
        columns: (n,) where the subset's items stand in the pool.
    """

    scores: FloatArray
    weights: FloatArray
    columns: IntArray


def require_reference(estimator: Estimator, seen: Seen) -> Reference:
    """Return the probes on the subset, and their means on the pool.

    Raises:
        EstimateError: they are not at hand.
    """
    if seen.probes is None or seen.probe_means is None or len(seen.probes) == 0:
        raise EstimateError(
            f"{estimator.name} needs the probes' scores on the subset and their means on the pool. "
            "Give the scores the subset was chosen by, --probes (probes=), or take Mean."
        )
    return Reference(seen.probes, seen.probe_means)


def require_whole_frame(estimator: Estimator, seen: Seen) -> WholePool:
    """Return the sources on every item of the frame.

    Raises:
        EstimateError: they are not at hand.
    """
    if (
        seen.pool_probes is None
        or seen.pool_weights is None
        or seen.columns is None
        or seen.n_pool < seen.n_frame
    ):
        raise EstimateError(
            f"{estimator.name} needs source models' scores on all {seen.n_frame} items. Give them "
            "as --probes (probes=), or take Mean."
        )
    return WholePool(seen.pool_probes, seen.pool_weights, seen.columns)


def require_complete(estimator: Estimator, seen: Seen) -> None:
    """Require that every target has a score on every item of the subset.

    Raises:
        EstimateError: some are missing.
    """
    if np.isnan(seen.scores).any():
        raise EstimateError(
            f"{estimator.name} needs every target's score on every item of the subset. Run what "
            'is missing, count it as 0 (missing="zero"), or take Mean.'
        )


def without_errors(estimate: FloatArray, reason: str) -> Inference:
    """Make an inference of estimates whose errors cannot be known; `reason` says why."""
    unknown = np.full_like(estimate, np.nan)
    differences = estimate[:, None] - estimate
    pairs = np.full_like(differences, np.nan)
    np.fill_diagonal(pairs, 0.0)
    return Inference(
        estimate=estimate,
        se=unknown,
        freedom=unknown,
        pair_difference=differences,
        pair_se=pairs,
        pair_freedom=np.full_like(differences, np.nan),
        notes=(Note("no-interval", reason),),
    )

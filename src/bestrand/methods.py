"""All designs, estimators and strategies, and what goes with what: the one list of methods."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bestrand.core.method import Needs, more_of, settings_of, word_of
from bestrand.designs.balanced import Balanced
from bestrand.designs.base import Design
from bestrand.designs.baselines.agreement import Agreement
from bestrand.designs.baselines.anchor_points import AnchorPoints
from bestrand.designs.baselines.cube import Cube
from bestrand.designs.baselines.facility_location import FacilityLocation
from bestrand.designs.baselines.independent_set import IndependentSet
from bestrand.designs.baselines.irt_anchors import IrtAnchors
from bestrand.designs.baselines.k_center import KCenter
from bestrand.designs.baselines.mrmr import MRMR
from bestrand.designs.baselines.random_search import RandomSearch
from bestrand.designs.baselines.sparse_eval import SparseEval
from bestrand.designs.baselines.zip_bench import ZipBench
from bestrand.designs.best_rand import BestRand
from bestrand.designs.history import History
from bestrand.designs.simple_random import SimpleRandom
from bestrand.designs.stratified import Stratified
from bestrand.errors import ArgumentError, DesignError
from bestrand.estimators.base import Estimator, Seen
from bestrand.estimators.baselines.aipw import AIPW
from bestrand.estimators.baselines.anchor_predictor import AnchorPredictor
from bestrand.estimators.baselines.cluster_weighted import ClusterWeighted
from bestrand.estimators.baselines.gp_irt import GpIrt
from bestrand.estimators.baselines.kernel_ridge_scores import KernelRidgeScores
from bestrand.estimators.baselines.p_irt import PIrt
from bestrand.estimators.baselines.ppi import PPI
from bestrand.estimators.baselines.ridge_scores import RidgeScores
from bestrand.estimators.baselines.sparse_eval import SparseEvalPredictor
from bestrand.estimators.history_average import HistoryAverage
from bestrand.estimators.inverse_probability import Hajek, HorvitzThompson
from bestrand.estimators.mean import Mean
from bestrand.estimators.post_stratified import PostStratified
from bestrand.estimators.regression import Regression
from bestrand.estimators.shrunk import Shrunk


# word on the command line -> design
DESIGNS: dict[str, type[Design]] = {
    word_of(design): design
    for design in (
        Agreement,
        AnchorPoints,
        Balanced,
        BestRand,
        Cube,
        FacilityLocation,
        History,
        IndependentSet,
        IrtAnchors,
        KCenter,
        MRMR,
        SimpleRandom,
        RandomSearch,
        SparseEval,
        Stratified,
        ZipBench,
    )
}

# word on the command line -> estimator
ESTIMATORS: dict[str, type[Estimator]] = {
    word_of(estimator): estimator
    for estimator in (
        AIPW,
        AnchorPredictor,
        ClusterWeighted,
        GpIrt,
        Hajek,
        HistoryAverage,
        HorvitzThompson,
        KernelRidgeScores,
        Mean,
        PIrt,
        PostStratified,
        PPI,
        Regression,
        RidgeScores,
        Shrunk,
        SparseEvalPredictor,
    )
}


@dataclass(frozen=True, slots=True)
class Strategy:
    """A way to choose and a way to estimate that go together.

    Attributes:
        design: how items are chosen.
        estimator: how full scores are inferred from them.
        needs: what must be known before the targets run, see `Method`.
    """

    design: Design
    estimator: Estimator
    needs: Needs

    @classmethod
    def of(cls, design: Design, estimator: Estimator, needs: Needs | None = None) -> "Strategy":
        """Pair a design and an estimator; `needs` by default what the two need."""
        return cls(design, estimator, needs or more_of(design.needs, estimator.needs))


# name -> strategy, as studies know them
STRATEGIES: dict[str, Strategy] = {
    "random": Strategy.of(SimpleRandom(), Mean()),
    "stratified": Strategy.of(Stratified(), Mean()),
    "stratified equal": Strategy.of(Stratified("equal"), Hajek()),
    "post-stratified": Strategy.of(SimpleRandom(), PostStratified()),
    "facility location": Strategy.of(FacilityLocation(), ClusterWeighted()),
    "k-center": Strategy.of(KCenter(), ClusterWeighted()),
    "independent set": Strategy.of(IndependentSet(), ClusterWeighted()),
    "agreement": Strategy.of(Agreement(), Mean()),
    "bestrand": Strategy.of(BestRand(), Mean()),
    "bestrand + regression": Strategy.of(BestRand(), Regression()),
    "random + regression": Strategy.of(SimpleRandom(), Regression()),
    "random + ppi": Strategy.of(SimpleRandom(), PPI()),
    "cube": Strategy.of(Cube(), Mean()),
    "balanced": Strategy.of(Balanced(), Regression()),
    "balanced shrunk": Strategy.of(Balanced(), Shrunk()),
    "random + aipw": Strategy.of(SimpleRandom(), AIPW()),
    "anchor-irt": Strategy.of(IrtAnchors(), ClusterWeighted()),
    "p-irt": Strategy.of(IrtAnchors(), PIrt()),
    "gp-irt": Strategy.of(IrtAnchors(), GpIrt()),
    "zipbench": Strategy.of(ZipBench(), ClusterWeighted()),
    "anchor points": Strategy.of(AnchorPoints(), ClusterWeighted()),
    "anchor predictor": Strategy.of(AnchorPoints(), AnchorPredictor()),
    "sparse-eval": Strategy.of(SparseEval(), SparseEvalPredictor()),
    "mrmr": Strategy.of(MRMR(), KernelRidgeScores()),
    "random search": Strategy.of(RandomSearch(), RidgeScores()),
    "random + ridge": Strategy.of(SimpleRandom(), RidgeScores()),
    "random + kernel ridge": Strategy.of(SimpleRandom(), KernelRidgeScores()),
    "random + history average": Strategy.of(SimpleRandom(), HistoryAverage()),
    "history": Strategy.of(History(), HistoryAverage()),
    "history shrunk": Strategy.of(History(), Shrunk(HistoryAverage())),
}


def default_estimator(design: str, seen: Seen) -> Estimator:
    """Return the estimator that goes with a design and with what is known.

    The estimator that the design was made for, where sources are known on all items and every
    target has all scores. Else `Hajek` for unequal chances and `ClusterWeighted` for cluster
    shares; `Regression` where the probes' means are known, and `Mean` where nothing is.

    Args:
        design: its name, as a manifest holds it; may be one that this version does not know.
        seen: the targets and what is known.
    """
    made_for = estimator_for(design)
    complete = not np.isnan(seen.scores).any()
    if made_for is not None and seen.pool_probes is not None and complete:
        return made_for()
    if seen.design_weights is not None:
        return ClusterWeighted() if seen.inclusion is None else Hajek()
    return Mean() if seen.probe_means is None else Regression()


def estimator_for(design: str) -> type[Estimator] | None:
    """Return the estimator that a design was made for; None if there is none, or no such design."""
    made_for = {each.__name__: each.estimator for each in DESIGNS.values()}.get(design)
    return next((each for each in ESTIMATORS.values() if each.__name__ == made_for), None)


def design_of(name: str, parameters: Mapping[str, Any]) -> Design:
    """Make the design that a manifest names, with the settings that it holds.

    Raises:
        DesignError: this version knows no design of that name.
    """
    for design in DESIGNS.values():
        if design.__name__ == name:
            return design(**{key: parameters[key] for key in settings_of(design) & set(parameters)})
    raise DesignError(f"This bestrand knows no design {name!r}. Install the version that wrote it.")


def make_design(word: str, **settings: Any) -> Design:  # noqa: ANN401
    """Make the design of a word on the command line; settings that are None stay as they are.

    Raises:
        ArgumentError: a setting that this design does not have.
    """
    design = DESIGNS[word]
    given = {key: value for key, value in settings.items() if value is not None}
    known = settings_of(design)
    unknown = sorted(set(given) - known)
    if unknown:
        raise ArgumentError(
            f"Design {str(word)!r} has no setting {_quoted(unknown)}; it has "
            f"{_quoted(sorted(known)) if known else 'none'}."
        )
    return design(**given)


def make_estimator(word: str | None) -> Estimator | None:
    """Make the estimator of a word on the command line; None of None."""
    return None if word is None else ESTIMATORS[word]()


def _quoted(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)

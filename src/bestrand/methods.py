"""All designs, estimators and strategies: the one list that the command line and studies read."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal

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
from bestrand.estimators.base import Estimator
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


Needs = Literal["nothing", "groups", "texts", "probes", "sources"]

# word on the command line -> design
DESIGNS: dict[str, type[Design]] = {
    "agreement": Agreement,
    "anchor-points": AnchorPoints,
    "balanced": Balanced,
    "bestrand": BestRand,
    "cube": Cube,
    "facility-location": FacilityLocation,
    "history": History,
    "independent-set": IndependentSet,
    "irt-anchors": IrtAnchors,
    "k-center": KCenter,
    "mrmr": MRMR,
    "random": SimpleRandom,
    "random-search": RandomSearch,
    "sparse-eval": SparseEval,
    "stratified": Stratified,
    "zip-bench": ZipBench,
}

# word on the command line -> estimator
ESTIMATORS: dict[str, type[Estimator]] = {
    "aipw": AIPW,
    "anchor-predictor": AnchorPredictor,
    "cluster-weighted": ClusterWeighted,
    "gp-irt": GpIrt,
    "hajek": Hajek,
    "history-average": HistoryAverage,
    "horvitz-thompson": HorvitzThompson,
    "kernel-ridge-scores": KernelRidgeScores,
    "mean": Mean,
    "p-irt": PIrt,
    "post-stratified": PostStratified,
    "ppi": PPI,
    "regression": Regression,
    "ridge-scores": RidgeScores,
    "shrunk": Shrunk,
    "sparse-eval": SparseEvalPredictor,
}


@dataclass(frozen=True, slots=True)
class Strategy:
    """A way to choose and a way to estimate that go together.

    Attributes:
        design: how items are chosen.
        estimator: how full scores are inferred from them.
        needs: what must be known before the targets run: nothing, the items' groups or texts,
            probes on a pool, or sources on every item.
    """

    design: Design
    estimator: Estimator
    needs: Needs


STRATEGIES: dict[str, Strategy] = {
    "random": Strategy(SimpleRandom(), Mean(), "nothing"),
    "stratified": Strategy(Stratified(), Mean(), "groups"),
    "stratified equal": Strategy(Stratified("equal"), Hajek(), "groups"),
    "post-stratified": Strategy(SimpleRandom(), PostStratified(), "groups"),
    "facility location": Strategy(FacilityLocation(), ClusterWeighted(), "texts"),
    "k-center": Strategy(KCenter(), ClusterWeighted(), "texts"),
    "independent set": Strategy(IndependentSet(), ClusterWeighted(), "texts"),
    "agreement": Strategy(Agreement(), Mean(), "texts"),
    "bestrand": Strategy(BestRand(), Mean(), "probes"),
    "bestrand + regression": Strategy(BestRand(), Regression(), "probes"),
    "random + regression": Strategy(SimpleRandom(), Regression(), "probes"),
    "random + ppi": Strategy(SimpleRandom(), PPI(), "probes"),
    "cube": Strategy(Cube(), Mean(), "probes"),
    "balanced": Strategy(Balanced(), Regression(), "probes"),
    "balanced shrunk": Strategy(Balanced(), Shrunk(), "probes"),
    "random + aipw": Strategy(SimpleRandom(), AIPW(), "sources"),
    "anchor-irt": Strategy(IrtAnchors(), ClusterWeighted(), "sources"),
    "p-irt": Strategy(IrtAnchors(), PIrt(), "sources"),
    "gp-irt": Strategy(IrtAnchors(), GpIrt(), "sources"),
    "zipbench": Strategy(ZipBench(), ClusterWeighted(), "sources"),
    "anchor points": Strategy(AnchorPoints(), ClusterWeighted(), "sources"),
    "anchor predictor": Strategy(AnchorPoints(), AnchorPredictor(), "sources"),
    "sparse-eval": Strategy(SparseEval(), SparseEvalPredictor(), "sources"),
    "mrmr": Strategy(MRMR(), KernelRidgeScores(), "sources"),
    "random search": Strategy(RandomSearch(), RidgeScores(), "sources"),
    "random + ridge": Strategy(SimpleRandom(), RidgeScores(), "sources"),
    "random + kernel ridge": Strategy(SimpleRandom(), KernelRidgeScores(), "sources"),
    "random + history average": Strategy(SimpleRandom(), HistoryAverage(), "sources"),
    "history": Strategy(History(), HistoryAverage(), "sources"),
    "history shrunk": Strategy(History(), Shrunk(HistoryAverage()), "sources"),
}


def design_of(name: str, parameters: Mapping[str, Any]) -> Design:
    """Make the design that a manifest names, with the settings that it holds.

    Raises:
        DesignError: this version knows no design of that name.
    """
    for design in DESIGNS.values():
        if design.__name__ == name:
            return design(**{key: parameters[key] for key in _settings(design) & set(parameters)})
    raise DesignError(f"This bestrand knows no design {name!r}. Install the version that wrote it.")


def make_design(word: str, **settings: Any) -> Design:  # noqa: ANN401
    """Make the design of a word on the command line; settings that are None stay as they are.

    Raises:
        ArgumentError: a setting that this design does not have.
    """
    design = DESIGNS[word]
    given = {key: value for key, value in settings.items() if value is not None}
    known = _settings(design)
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


def _settings(design: type[Design]) -> set[str]:
    return {field.name for field in fields(design)}  # type: ignore[arg-type]

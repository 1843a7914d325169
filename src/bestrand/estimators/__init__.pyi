"""Estimators: ways to infer full scores from a subset."""

from .base import Estimator as Estimator
from .base import Inference as Inference
from .base import Seen as Seen
from .baselines.aipw import AIPW as AIPW
from .baselines.anchor_predictor import AnchorPredictor as AnchorPredictor
from .baselines.cluster_weighted import ClusterWeighted as ClusterWeighted
from .baselines.gp_irt import GpIrt as GpIrt
from .baselines.kernel_ridge_scores import KernelRidgeScores as KernelRidgeScores
from .baselines.p_irt import PIrt as PIrt
from .baselines.ppi import PPI as PPI
from .baselines.ridge_scores import RidgeScores as RidgeScores
from .baselines.sparse_eval import SparseEvalPredictor as SparseEvalPredictor
from .history_average import HistoryAverage as HistoryAverage
from .inverse_probability import Hajek as Hajek
from .inverse_probability import HorvitzThompson as HorvitzThompson
from .mean import Mean as Mean
from .post_stratified import PostStratified as PostStratified
from .regression import Regression as Regression
from .shrunk import Shrunk as Shrunk

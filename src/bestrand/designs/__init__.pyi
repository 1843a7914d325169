"""Designs: ways to choose items."""

from .balanced import Balanced as Balanced
from .base import Design as Design
from .base import Draw as Draw
from .base import Features as Features
from .baselines.agreement import Agreement as Agreement
from .baselines.anchor_points import AnchorPoints as AnchorPoints
from .baselines.cube import Cube as Cube
from .baselines.facility_location import FacilityLocation as FacilityLocation
from .baselines.independent_set import IndependentSet as IndependentSet
from .baselines.irt_anchors import IrtAnchors as IrtAnchors
from .baselines.k_center import KCenter as KCenter
from .baselines.mrmr import MRMR as MRMR
from .baselines.random_search import RandomSearch as RandomSearch
from .baselines.sparse_eval import SparseEval as SparseEval
from .baselines.zip_bench import ZipBench as ZipBench
from .best_rand import BestRand as BestRand
from .history import History as History
from .simple_random import SimpleRandom as SimpleRandom
from .stratified import Stratified as Stratified

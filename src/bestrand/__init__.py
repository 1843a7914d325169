"""Run a fraction of a benchmark, know the full score, and know how wrong you can be."""

from bestrand.designs.best_rand import BestRand as BestRand
from bestrand.designs.simple_random import SimpleRandom as SimpleRandom
from bestrand.designs.stratified import Stratified as Stratified
from bestrand.errors import ArgumentError as ArgumentError
from bestrand.errors import BestrandError as BestrandError
from bestrand.errors import DesignError as DesignError
from bestrand.errors import EstimateError as EstimateError
from bestrand.errors import FileError as FileError
from bestrand.errors import InputError as InputError
from bestrand.errors import ManifestError as ManifestError
from bestrand.errors import OutputError as OutputError
from bestrand.estimate import estimate as estimate
from bestrand.estimates import Difference as Difference
from bestrand.estimates import Estimates as Estimates
from bestrand.estimators.mean import Mean as Mean
from bestrand.frame import Frame as Frame
from bestrand.harnesses.items import read_items as read_items
from bestrand.harnesses.read import read_scores as read_scores
from bestrand.manifest import Manifest as Manifest
from bestrand.notes import Note as Note
from bestrand.pool import draw_pool as draw_pool
from bestrand.scores import ScoreMatrix as ScoreMatrix
from bestrand.scores import ScoreTable as ScoreTable
from bestrand.select import select as select
from bestrand.verify import verify as verify

"""The one list of harnesses: the command line, the docs and the tests read it."""

from bestrand.harnesses.base import Harness
from bestrand.harnesses.bfcl import Bfcl
from bestrand.harnesses.carla import Carla
from bestrand.harnesses.deep_eval import DeepEval
from bestrand.harnesses.evalscope import EvalScope
from bestrand.harnesses.every_eval_ever import EveryEvalEver
from bestrand.harnesses.helm import Helm
from bestrand.harnesses.inspect_ai import InspectAI
from bestrand.harnesses.junit import JUnit
from bestrand.harnesses.lighteval import Lighteval
from bestrand.harnesses.lm_eval import LmEval
from bestrand.harnesses.promptfoo import Promptfoo
from bestrand.harnesses.swe_bench import SweBench


ALL: tuple[Harness, ...] = (
    LmEval(),
    InspectAI(),
    Promptfoo(),
    SweBench(),
    Lighteval(),
    EvalScope(),
    Helm(),
    DeepEval(),
    Bfcl(),
    Carla(),
    JUnit(),
    EveryEvalEver(),
)
HARNESSES: dict[str, Harness] = {harness.name: harness for harness in ALL}

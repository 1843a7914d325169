"""The one list of harnesses: the command line, the docs and the tests read it."""

from bestrand.harnesses.alpaca_eval import AlpacaEval
from bestrand.harnesses.base import Harness
from bestrand.harnesses.bfcl import Bfcl
from bestrand.harnesses.carla import Carla
from bestrand.harnesses.deep_eval import DeepEval
from bestrand.harnesses.evalscope import EvalScope
from bestrand.harnesses.every_eval_ever import EveryEvalEver
from bestrand.harnesses.harbor import Harbor
from bestrand.harnesses.helm import Helm
from bestrand.harnesses.inspect_ai import InspectAI
from bestrand.harnesses.junit import JUnit
from bestrand.harnesses.lerobot import LeRobot
from bestrand.harnesses.lighteval import Lighteval
from bestrand.harnesses.lm_eval import LmEval
from bestrand.harnesses.lmms_eval import LmmsEval
from bestrand.harnesses.openai_evals import OpenAIEvals
from bestrand.harnesses.opencompass import OpenCompass
from bestrand.harnesses.promptfoo import Promptfoo
from bestrand.harnesses.swe_bench import SweBench
from bestrand.harnesses.tau2 import Tau2Bench
from bestrand.harnesses.terminal_bench import TerminalBench
from bestrand.harnesses.vlm_eval_kit import VlmEvalKit


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
    Harbor(),
    TerminalBench(),
    Tau2Bench(),
    OpenCompass(),
    VlmEvalKit(),
    LeRobot(),
    OpenAIEvals(),
    AlpacaEval(),
    LmmsEval(),
)
HARNESSES: dict[str, Harness] = {harness.name: harness for harness in ALL}

"""The one list of harnesses: the command line, the docs and the tests read it."""

from bestrand.harnesses.base import Harness
from bestrand.harnesses.inspect_ai import InspectAI
from bestrand.harnesses.lm_eval import LmEval
from bestrand.harnesses.promptfoo import Promptfoo


ALL: tuple[Harness, ...] = (LmEval(), InspectAI(), Promptfoo())
HARNESSES: dict[str, Harness] = {harness.name: harness for harness in ALL}

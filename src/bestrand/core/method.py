"""What designs and estimators have in common: a name, a word, settings, and what they need."""

import re
from dataclasses import fields
from typing import Any, ClassVar, Literal, get_args

from bestrand.settings import Checked


Needs = Literal["nothing", "groups", "texts", "probes", "sources"]


class Method(Checked):
    """A design or an estimator: a frozen dataclass whose fields are its settings.

    Attributes:
        needs: what must be known before the targets run: nothing, the items' groups or texts,
            scores of probes on a pool, or scores of source models on every item.
        word: by which the command line knows it; default: the name with hyphens, see `word_of`.
    """

    needs: ClassVar[Needs] = "nothing"
    word: ClassVar[str] = ""

    @property
    def name(self) -> str:
        """The name by which manifests and results know it."""
        return type(self).__name__

    @property
    def parameters(self) -> dict[str, Any]:
        """Its settings, by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]


def word_of(method: type[Method]) -> str:
    """Return the word by which the command line knows a method, `k-center` for `KCenter`."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "-", method.__name__)
    return method.word or spaced.lower()


def settings_of(method: type[Method]) -> set[str]:
    """Return the names of a method's settings."""
    return {field.name for field in fields(method)}  # type: ignore[arg-type]


def more_of(*needs: Needs) -> Needs:
    """Return the need that asks for most."""
    return max(needs, key=get_args(Needs).index)

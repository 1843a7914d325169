"""Names from data that turn the direction of text, kept from turning the text around them."""

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING
from unicodedata import bidirectional


if TYPE_CHECKING:
    from markupsafe import Markup


# classes of the Unicode bidirectional algorithm (UAX 9) that reorder what stands beside them
TURNING = {"R", "AL", "AN", "RLE", "RLO", "RLI", "LRE", "LRO", "LRI", "FSI", "PDF", "PDI"}


def turns(name: str) -> bool:
    r"""Whether a name can turn the text around it.

    Examples:
        >>> turns("gpt-4"), turns("gpt\u202e-4")
        (False, True)
    """
    return any(bidirectional(letter) in TURNING for letter in name)


def isolating(names: Iterable[str]) -> "Callable[[str], Markup]":
    """Make what escapes a text for HTML and isolates these names wherever they stand in it.

    Args:
        names: from data; those that turn nothing are left as they are.
    """
    turning = sorted({name for name in names if turns(name)}, key=lambda name: (-len(name), name))
    pattern = re.compile("|".join(re.escape(name) for name in turning) or r"(?!)")

    def isolate(text: str) -> "Markup":
        from markupsafe import Markup, escape

        parts, end = [], 0
        for found in pattern.finditer(text):
            parts += [escape(text[end : found.start()]), _bdi(found[0])]
            end = found.end()
        return Markup("").join([*parts, escape(text[end:])])

    return isolate


def _bdi(name: str) -> "Markup":
    from markupsafe import Markup

    return Markup("<bdi>{}</bdi>").format(name)

"""Things that are no errors but must be said; they travel on results, nothing prints them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Note:
    """One thing a reader of a result should know.

    Attributes:
        code: a short fixed word, for programs.
        text: a sentence, for people.
    """

    code: str
    text: str


def shown(names: list[str], limit: int = 3) -> str:
    """Write at most `limit` names, and how many there are beyond them.

    Examples:
        >>> shown(["a", "b", "c", "d", "e"])
        "'a', 'b', 'c' and 2 more"
    """
    text = ", ".join(repr(name) for name in names[:limit])
    return text if len(names) <= limit else f"{text} and {len(names) - limit} more"

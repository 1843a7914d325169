"""Notes: warnings attached to results; nothing prints them by itself."""

from dataclasses import dataclass
from decimal import Decimal


MOST_DIGITS = 17  # of a percentage, after the point


@dataclass(frozen=True, slots=True, order=True)
class Note:
    """One thing a reader of a result should know.

    Attributes:
        code: a short fixed word, for programs.
        text: a sentence, for people.
    """

    code: str
    text: str


def rough_percent(share: float) -> str:
    """Write a share in percent, with two digits or all before the point.

    Examples:
        >>> [rough_percent(share) for share in (0.5, 0.125, 0.02, 0.001, 0.00007, 1.0)]
        ['50%', '12%', '2%', '0.1%', '0.007%', '100%']
    """
    return f"{Decimal(f'{100 * share:.2g}'):f}%"


def shown(names: list[str], limit: int = 3) -> str:
    """Write at most `limit` names, and how many there are beyond them.

    Examples:
        >>> shown(["a", "b", "c", "d", "e"])
        "'a', 'b', 'c' and 2 more"
    """
    text = ", ".join(repr(name) for name in names[:limit])
    return text if len(names) <= limit else f"{text} and {len(names) - limit} more"


def percent(share: float) -> str:
    """Write a share as a percentage, with as many digits as tell it from 0 and from 1.

    Examples:
        >>> percent(0.95), percent(0.975), percent(0.9999999999)
        ('95%', '97.5%', '99.99999999%')
    """
    least = 1e-3 * min(share, 1.0 - share)
    texts = (f"{100 * share:.{digits}f}" for digits in range(MOST_DIGITS))
    return next(
        (f"{text}%" for text in texts if abs(float(text) / 100 - share) <= least), f"{share:.16%}"
    )

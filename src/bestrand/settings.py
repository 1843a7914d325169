"""The settings of designs and estimators: each field says what it may be, and is checked by that.

A field is annotated with a `Literal` of its choices, or with a number and its `Range`:
`n_candidates: Annotated[int, Range(1)] = 1000`. `Checked` reads the annotations when an instance
is made.
"""

import numbers
import operator
from collections.abc import Iterable
from dataclasses import Field, dataclass, fields
from typing import Annotated, Any, Literal, NoReturn, get_args, get_origin

import numpy as np

from bestrand.errors import ArgumentError


@dataclass(frozen=True, slots=True)
class Range:
    """The range of a number.

    Attributes:
        least: the smallest value.
        most: the largest.
        above: whether `least` itself is excluded.
        advice: what to add where a number is too large.
    """

    least: float
    most: float = 2**63 - 1
    above: bool = False
    advice: str = ""


Count = Annotated[int, Range(1)]
Candidates = Annotated[int, Range(1, 10_000_000, advice="More than a few thousand gain nothing.")]
Penalty = Annotated[float, Range(0.0, above=True)]


class Checked:
    """A frozen dataclass that checks its fields when it is made."""

    def __post_init__(self) -> None:
        check_settings(self)


def check_settings(made: object) -> None:
    """Check every field of a dataclass by its annotation; numbers of numpy become Python's.

    Fields of other types are left to the class.

    Raises:
        ArgumentError: a value that its field may not have.
    """
    for setting in fields(made):  # type: ignore[arg-type]
        given = getattr(made, setting.name)
        taken = _taken(setting, given)
        if taken is not given:
            object.__setattr__(made, setting.name, taken)


def is_checked(setting: "Field[Any]") -> bool:
    """Whether the annotation of a field says what it may be."""
    kind = setting.type
    return (
        (isinstance(kind, type) and kind not in (int, float, str, bool))
        or get_origin(kind) is Literal
        or _range_of(kind) is not None
        or _range_of(_inner(kind)) is not None
    )


def whole_number(value: int, name: str) -> int:
    """Take a whole number of any kind, as numpy's, for an int.

    Raises:
        ArgumentError: it is not one; True and False are not either.
    """
    try:
        if not isinstance(value, bool | np.bool_):
            return operator.index(value)
    except TypeError:
        pass
    raise ArgumentError(f"`{name}` must be a whole number, got {value!r}.", **{name: value})


def real_number(value: float, name: str) -> float:
    """Take a number of any kind, as numpy's, for a float. Infinite ones and nan stay.

    Raises:
        ArgumentError: it is not one; True and False are not either.
    """
    if not _is_number(value):
        raise ArgumentError(f"`{name}` must be a number, got {value!r}.", **{name: value})
    return float(value)


def several_numbers(values: Iterable[float], name: str) -> tuple[float, ...]:
    """Take several numbers.

    Raises:
        ArgumentError: it is one number or a text, or one of them is no number.
    """
    if isinstance(values, str | bytes) or not np.iterable(values):
        raise ArgumentError(
            f"`{name}` must be a list of numbers, got {values!r}.", **{name: values}
        )
    return tuple(real_number(value, name) for value in values)


def several_names(values: Iterable[str], name: str) -> tuple[str, ...]:
    """Take several names or ids; one text is not several of one letter each.

    Raises:
        ArgumentError: it is a text, or no list, or holds what is no text.
    """
    if isinstance(values, str | bytes):
        raise ArgumentError(
            f"`{name}` must be a list of texts, got the text {values!r}. Write [{values!r}] for "
            "one.",
            **{name: values},
        )
    if not isinstance(values, Iterable):
        raise ArgumentError(
            f"`{name}` must be a list of texts, got {values!r}, {type(values).__name__}.",
            **{name: values},
        )
    taken = tuple(values)
    given: tuple[object, ...] = taken
    others = [value for value in given if not isinstance(value, str)]
    if others:
        raise ArgumentError(
            f"`{name}` must be texts; {len(others)} of {len(taken)} are not (first: {others[0]!r}, "
            f"{type(others[0]).__name__}). Write them as they are written in the scores, as in "
            f"{str(others[0])!r}.",
            **{name: others},
        )
    return taken


def _taken(setting: "Field[Any]", value: Any) -> Any:  # noqa: ANN401
    kind, name = setting.type, setting.name
    if get_origin(kind) is Literal:
        choices = get_args(kind)
        if not isinstance(value, str) or value not in choices:
            said = f"{', '.join(choices[:-1])} or {choices[-1]}"
            _refuse(name, f"be {said}", value)
        return value
    span = _range_of(kind)
    if span is not None:
        return _number(name, value, span, whole=get_args(kind)[0] is int)
    span = _range_of(_inner(kind))
    if span is not None:
        return _several(name, value, span)
    if isinstance(kind, type) and not isinstance(value, kind):
        _refuse(name, f"be {kind.__name__}", value)
    return value


def _range_of(kind: Any) -> Range | None:  # noqa: ANN401
    """Return the range of an annotated number, or None."""
    if get_origin(kind) is not Annotated:
        return None
    return next((part for part in get_args(kind) if isinstance(part, Range)), None)


def _inner(kind: Any) -> Any:  # noqa: ANN401
    """Return what a tuple of any length holds, or None."""
    return get_args(kind)[0] if get_origin(kind) is tuple else None


def _several(name: str, values: Any, span: Range) -> tuple[float, ...]:  # noqa: ANN401
    must = f"be one or more numbers {_span_said(span)}"
    if isinstance(values, str | bytes | dict) or not np.iterable(values):
        _refuse(name, must, values)
    given = tuple(values)
    if not given or not all(_is_within(value, span) for value in given):
        _refuse(name, must, values)
    return tuple(float(value) for value in given)


def _number(name: str, value: Any, span: Range, *, whole: bool) -> Any:  # noqa: ANN401
    if not _is_number(value) or (whole and not isinstance(value, numbers.Integral)):
        _refuse(name, f"be a {'whole ' if whole else ''}number {_span_said(span)}", value)
    if not _is_within(value, span):
        too_large = bool(value > span.most)
        most = f"{span.most} or fewer" if whole else f"{span.most:.3g} or less"
        said = f"be {most if too_large else _span_said(span)}"
        _refuse(name, said, value, span.advice if too_large else "")
    kind = int if whole else float
    return value if type(value) is kind else kind(value)


def _is_number(value: Any) -> bool:  # noqa: ANN401
    return isinstance(value, numbers.Real) and not isinstance(value, bool | np.bool_)


def _is_within(value: Any, span: Range) -> bool:  # noqa: ANN401
    if not _is_number(value):
        return False
    low = value > span.least if span.above else value >= span.least
    return bool(low and value <= span.most)


def _span_said(span: Range) -> str:
    return f"above {span.least:g}" if span.above else f"{span.least:g} or more"


def _refuse(name: str, must: str, value: object, advice: str = "") -> NoReturn:
    text = f"`{name}` must {must}, got {value!r}.{' ' if advice else ''}{advice}"
    raise ArgumentError(text, **{name: value})

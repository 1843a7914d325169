"""Values: ids as text, scores as one number each or a named reason for there being none."""

import math
import re
from decimal import Decimal
from typing import Any, NamedTuple

import polars as pl

from bestrand.ids import is_encodable
from bestrand.reading.raw import Column, RawTable


NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
COMMA = r"^\s*([+-]?[0-9]*),([0-9]+)([eE][+-]?[0-9]+)?\s*$"  # a number with a decimal comma
GROUPED = r"^[+-]?[1-9][0-9]{0,2}(,[0-9]{3})+$"  # 1,234 may be 1234
WORDS = {"": None, "true": 1.0, "false": 0.0}  # a score may be written as one of these
NO_ERROR = (
    "",
    "0",
    "0.0",
    "false",
    "none",
    "null",
    "nan",
    "n/a",
    "na",
    "no",
    "ok",
    "-",
    "[]",
    "{}",
)
FEW_WORDS = 3  # as many different words among numbers are marks of some kind, and no answers
EXACT = 2**53  # up to here floating point tells whole numbers apart


def to_ids(table: RawTable, name: str) -> pl.Series:
    """Take a column as ids: text as it is, whole numbers as their digits.

    Raises:
        FileError: a row has no id, an id is no text or whole number, or one id is written both
            as a number and as text.
    """
    column = _plain(table.columns[name])
    if isinstance(column, pl.Series):
        whole = column.null_count() == 0 and (
            column.dtype == pl.String or column.dtype.is_integer()
        )
        if whole:
            return column.cast(pl.String)
        column = column.to_list()
    types = set(map(type, column))
    if types == {str}:
        return _to_series(table, name, column)
    if types == {int}:
        return pl.Series(name, [str(value) for value in column], dtype=pl.String)
    return _to_series(table, name, _mixed_ids(table, name, column))


def _mixed_ids(table: RawTable, name: str, values: list[Any]) -> list[str]:
    """Take numbers and text; what is both is refused, for it may be one item or two."""
    ids: list[str] = []
    first_as: dict[str, tuple[bool, int]] = {}
    for row, value in enumerate(map(_native, values)):
        is_text = isinstance(value, str)
        text = value if isinstance(value, str) else _digits(value)
        if value is None:
            raise table.error(row, f"{name!r} is empty. Give every row an id.")
        if text is None:
            raise table.error(
                row,
                f"{name!r} must be text or a whole number, got {_short(value)}. Write ids as text.",
            )
        was_text, first = first_as.setdefault(text, (is_text, row))
        if was_text != is_text:
            raise table.error(
                row,
                f"id {text!r} comes both as a number and as text (first at {table.place(first)}). "
                "One item or two? Write all ids as text.",
            )
        ids.append(text)
    return ids


def _digits(value: object) -> str | None:
    """Write a whole number; None where it is none, or floating point that cannot be exact."""
    if isinstance(value, bool):
        return None
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) <= EXACT else None
    return str(value) if isinstance(value, int) else None


def to_texts(table: RawTable, name: str) -> pl.Series:
    """Take a column as names of models, metrics, groups or tasks; null where it is empty.

    Raises:
        FileError: a value is neither text nor a number.
    """
    column = _plain(table.columns[name])
    if isinstance(column, pl.Series) and column.dtype == pl.String:
        return column.replace("", None)
    texts = [_text(table, name, row, value) for row, value in enumerate(column)]
    return _to_series(table, name, texts)


def _text(table: RawTable, name: str, row: int, value: object) -> str | None:
    value = _native(value)
    if isinstance(value, str):
        return value or None
    if value is None or _is_nan(value):
        return None
    if isinstance(value, int | float):
        return _digits(value) or str(value).lower()
    raise table.error(row, f"{name!r} must be text, got {_short(value)}. Write a name there.")


def to_errors(table: RawTable, name: str) -> pl.Series:
    """Take a column of error messages as short text; null where there is no error."""
    values = map(_native, _plain(table.columns[name]))
    said = [_short(value) if _is_said(value) else None for value in values]
    return pl.Series(name, said, dtype=pl.String)


def _is_said(value: object) -> bool:
    if isinstance(value, str):
        return value.strip().lower() not in NO_ERROR
    return bool(value) and not _is_nan(value)


def to_scores(table: RawTable, name: str, more: str = "") -> pl.Series:
    """Take a column as scores: numbers, true as 1 and false as 0; null where there is none.

    Args:
        table: where the column is.
        name: which column.
        more: what to say besides where a value is no score.

    Raises:
        FileError: a score is infinite, or text that is no number, or a list or an object.
    """
    column = _pointed(table, name)
    if isinstance(column, pl.Series):
        numbers = _to_numbers(column)
        if numbers is not None and not numbers.is_infinite().any():
            return numbers.fill_nan(None)
    scores = [_score(table, name, row, value, more) for row, value in enumerate(column)]
    return pl.Series(name, scores, dtype=pl.Float64)


def _to_numbers(column: pl.Series) -> pl.Series | None:
    """Take numbers and text that is all numbers at once; None where it must be looked at."""
    if column.dtype != pl.String:
        return column.cast(pl.Float64)
    text = column.str.strip_chars()
    numbers = text.cast(pl.Float64, strict=False)
    whole = text.str.contains(NUMBER).all() and numbers.null_count() == text.null_count()
    return numbers if whole else None


def _score(table: RawTable, name: str, row: int, value: object, more: str) -> float | None:
    value = _native(value)
    if value is None:
        return None
    if isinstance(value, str):
        word = value.strip().lower()
        if word in WORDS:
            return WORDS[word]
        number = float(word) if re.match(NUMBER, word) else None
    elif isinstance(value, int | float):
        number = _to_float(value)
    else:
        number = None
    if number is None:
        said = f"{name!r} must be one number, got {_short(value)}. {_advice(value)}{more}"
        raise table.error(row, said)
    if math.isinf(number):
        raise table.error(row, f"{name!r} is infinite. Leave it empty if there is no score.")
    return None if math.isnan(number) else number


def _to_float(value: float) -> float:
    try:
        return float(value)
    except OverflowError:  # a whole number of hundreds of digits
        return math.inf


def _advice(value: object) -> str:
    if isinstance(value, list | dict):
        return "A list or an object has no score of its own; take a column of numbers."
    text = value.strip().lower() if isinstance(value, str) else ""
    if text in ("nan", "null", "none", "na", "n/a"):
        return "Leave it empty if there is no score."
    if text.endswith("%"):
        return "Write 0.85 or 85, for all scores alike."
    if re.match(GROUPED, text):
        either = f"{text.replace(',', '.')} or " if text.count(",") == 1 else ""
        return f"Write {either}{text.replace(',', '')}: numbers have a decimal point."
    if re.match(COMMA, text):
        return f"Write {text.replace(',', '.')}: numbers have a decimal point."
    grouped = re.match(r"^([+-]?[0-9]{1,3}([.,' ])[0-9]{3}(?:\2[0-9]{3})*)[.,]([0-9]+)$", text)
    if grouped:  # 1.234,5 or 1,234.5
        return f"Write {re.sub('[^0-9+-]', '', grouped[1])}.{grouped[3]}."
    return "Turn verdicts into numbers first, as 1 for right and 0 for wrong."


def is_numeric(table: RawTable, name: str) -> bool:
    """Whether a column looks like scores: numbers, or true and false, and at least one of them.

    Text counts where the file cannot tell it from numbers.
    """
    column = _pointed(table, name)
    if isinstance(column, list):
        seen = False
        for value in map(_native, column):
            if isinstance(value, str):
                if not _is_number_like(value) and value.strip():
                    return False
            elif value is not None and not isinstance(value, int | float):
                return False
            else:
                seen = seen or not (value is None or _is_nan(value))
        return seen
    if column.dtype != pl.String:
        return column.dtype != pl.Null and column.cast(pl.Float64).is_not_nan().any()
    words = column.str.strip_chars().str.to_lowercase()
    numbers = words.str.contains(NUMBER) | words.is_in(["true", "false"])
    return not table.typed and numbers.any() and (numbers | (words == "")).all()


def _pointed(table: RawTable, name: str) -> Column:
    """Return a column whose numbers, where they are text, have a decimal point."""
    column = _plain(table.columns[name])
    if table.decimal == "." or isinstance(column, list) or column.dtype != pl.String:
        return column
    return column.str.replace(COMMA, "${1}.${2}${3}")


class Stray(NamedTuple):
    """Cells that are no numbers, in a column that otherwise is of numbers.

    Attributes:
        row: where the first is.
        value: what stands there.
        n: how many there are.
        n_filled: how many cells of the column are not empty.
    """

    row: int
    value: Any
    n: int
    n_filled: int

    def said(self) -> str:
        """Return how many there are, and what the first holds."""
        return f"{self.n} of {self.n_filled} cells (first: {_short(self.value)}"


def stray_cell(table: RawTable, name: str) -> Stray | None:
    """Find the first cell that is no number, in a column that is numbers but for a few cells.

    A column is that if at least half of its cells that are not empty are numbers, true or false,
    or if all else is at most three different words, whatever their number. Text in quotes, as JSON
    has it, is no number.

    Returns:
        The first such cell; None for a column that is all numbers or of something else.
    """
    column = _pointed(table, name)
    if isinstance(column, pl.Series) and column.dtype != pl.String:
        return None
    n_numbers = n_strays = 0
    first: tuple[int, Any] | None = None
    words: set[str] = set()
    for row, value in enumerate(map(_native, column)):
        if value is None or _is_nan(value) or (isinstance(value, str) and not value.strip()):
            continue
        if isinstance(value, int | float) or (
            isinstance(value, str) and not table.quoted and _is_number_like(value)
        ):
            n_numbers += 1
            continue
        n_strays += 1
        first = first or (row, value)
        if len(words) <= FEW_WORDS:
            words.add(str(value).strip().lower())
    if first is None or not n_numbers:
        return None
    if n_numbers < n_strays and len(words) > FEW_WORDS:
        return None
    return Stray(*first, n_strays, n_numbers + n_strays)


def _is_number_like(text: str) -> bool:
    word = text.strip().lower()
    return word in ("true", "false") or re.match(NUMBER, word) is not None


def _plain(column: Column) -> Column:
    """Leave text, numbers, true and false as a series; make Python values of all else."""
    if isinstance(column, list):
        return column
    kind = column.dtype
    if kind in (pl.Categorical, pl.Enum):
        return column.cast(pl.String)
    if kind.is_decimal():
        return column.cast(pl.Float64)
    is_plain = kind in (pl.String, pl.Boolean, pl.Null) or kind.is_integer() or kind.is_float()
    return column if is_plain else column.to_list()


def _native(value: Any) -> Any:  # noqa: ANN401
    """Take what stands in columns of pandas and pyarrow as plain values: numpy's, and decimals."""
    if isinstance(value, Decimal):
        return math.nan if value.is_nan() else float(value)
    return value.tolist() if type(value).__module__ == "numpy" else value


def _is_nan(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _to_series(table: RawTable, name: str, texts: list[Any]) -> pl.Series:
    try:
        return pl.Series(name, texts, dtype=pl.String)
    except UnicodeEncodeError as error:
        row = next(i for i, text in enumerate(texts) if text is not None and not is_encodable(text))
        raise table.error(
            row,
            f"{name!r} holds an unpaired surrogate, not valid Unicode: {_short(texts[row])}. "
            "Write it otherwise.",
        ) from error


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."

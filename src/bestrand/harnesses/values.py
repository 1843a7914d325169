"""Values as logs hold them: ids, numbers, and digests of documents."""

import hashlib
import json
import math
from typing import Any

from bestrand.errors import FileError
from bestrand.harnesses.files import LogFile


_plain = json.JSONEncoder(ensure_ascii=False).encode


def to_id(value: object, file: LogFile, line: int | None = None) -> str:
    """Give an id as text: whole numbers as their digits, text as it is.

    Raises:
        FileError: it is neither.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise FileError(
            f"an id must be text or a whole number, got {short(value)}.", path=file.path, line=line
        )
    if value != value or math.isinf(value) or value != int(value):
        raise FileError(f"an id must be a whole number, got {value}.", path=file.path, line=line)
    return str(int(value))


def to_number(value: object, metric: str, file: LogFile, line: int | None = None) -> float | None:
    """Give a score as a number; None for null and nan, which are no score.

    Raises:
        FileError: text, or an infinite number.
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, bool | int | float):
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if not math.isinf(number):
            return number
    raise FileError(
        f"{metric!r} must be a number, got {short(value)}. Mend the line, or read another metric: "
        "--metric NAME.",
        path=file.path,
        line=line,
    )


def short(value: object) -> str:
    """Write a value in few letters, for a message."""
    text = "a number of very many digits" if _is_huge(value) else repr(value)
    return text if len(text) <= 40 else text[:37] + "..."


def _is_huge(value: object) -> bool:
    return isinstance(value, int) and value.bit_length() > 4096


def digest_of(text: str) -> str:
    """SHA-256 of a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def indented(value: Any, margin: str = "\n") -> str:  # noqa: ANN401
    r"""Write JSON as `json.dumps(value, indent=2, ensure_ascii=False)` does, several times faster.

    Examples:
        >>> value = {"a": [1, {"b": "é"}], "c": {}, "d": [], "e": None, "1": 0.5}
        >>> indented(value) == json.dumps(value, indent=2, ensure_ascii=False)
        True
    """
    inner = margin + "  "
    if isinstance(value, dict) and value:
        each = [f"{_plain(key)}: {indented(one, inner)}" for key, one in value.items()]
        return "{" + inner + ("," + inner).join(each) + margin + "}"
    if isinstance(value, list) and value:
        each = [indented(one, inner) for one in value]
        return "[" + inner + ("," + inner).join(each) + margin + "]"
    return _plain(value)


def json_file(value: object) -> bytes:
    """Write a value as a JSON file, one entry a line."""
    return (json.dumps(value, indent=1, ensure_ascii=False) + "\n").encode()

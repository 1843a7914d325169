"""Item ids: text that is whole, and ids that look alike and are not the same."""

import unicodedata
from collections.abc import Callable, Iterable


def _as_whole_number(item: str) -> str:
    head, dot, tail = item.strip().partition(".")
    if dot and tail.strip("0"):
        return item
    return str(int(head)) if head.isascii() and head.isdigit() and len(head) < 4000 else item


FORMS: dict[str, Callable[[str], str]] = {
    "the surrounding white space": str.strip,
    "the way numbers are written ('01', '1.0', '1')": _as_whole_number,
    "upper and lower case": str.casefold,
    "the task in front ('task:')": lambda item: item.partition(":")[2] or item,
    "the Unicode form (NFC, NFD)": lambda item: unicodedata.normalize("NFC", item),
}


def explain_mismatch(asked: Iterable[str], got: Iterable[str]) -> str:
    """Return in which form two sets of ids would match, or nothing.

    Examples:
        >>> explain_mismatch(["1", "2"], ["01", "02"])
        " The ids would match but for the way numbers are written ('01', '1.0', '1')."
        >>> explain_mismatch(["1", "2"], ["a", "b"])
        ''
    """
    want, have = set(asked), set(got)
    plain = len(want & have)
    for what, form in FORMS.items():
        common = len({form(item) for item in want} & {form(item) for item in have})
        if common > plain and 2 * common > min(len(want), len(have)):
            return f" The ids would match but for {what}."
    return ""


def unicode_twins(items: Iterable[str]) -> list[tuple[str, str]]:
    r"""Return pairs of ids that look the same, for one Unicode form of both is the same.

    Examples:
        >>> len(unicode_twins(["caf\u00e9", "cafe\u0301", "cafe"]))
        1
    """
    seen: dict[str, str] = {}
    twins = []
    for item in items:
        if item.isascii():
            continue
        form = unicodedata.normalize("NFC", item)
        if form in seen and seen[form] != item:
            twins.append((seen[form], item))
        seen.setdefault(form, item)
    return twins


def is_encodable(text: str) -> bool:
    r"""Whether text is valid Unicode: JSON and file names may hold an unpaired surrogate.

    Examples:
        >>> is_encodable("caf\u00e9"), is_encodable("\ud83d")
        (True, False)
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True

"""Satellites: columns about another column, as its standard error or an end of its interval."""

import re
from collections.abc import Collection, Iterator
from itertools import combinations, pairwise
from typing import Literal, NamedTuple

import numpy as np
import polars as pl

from bestrand.notes import Note, shown
from bestrand.reading.functions import EXACT
from bestrand.reading.raw import RowsAndNotes
from bestrand.reading.sheets import Sheet
from bestrand.types import BoolArray, FloatArray


About = Literal["spread", "low", "high"]

SURE = r"stderr|std|stdev|stddev|sem|variance|pvalue|pval|halfwidth|moe"
WEAK = r"se|sd|var|err|error|deviation|dev|spread|uncertainty|unc|sigma|p|ci|margin"
COUNTS = r"n|num|count|counts|trials|runs|samples|epochs|votes"
LOW = r"lo|low|lower|lb|lcl|lci|min|from"
HIGH = r"hi|high|upper|ub|ucl|uci|max|to"
FILL = r"ci|cl|conf|confidence|interval|bound|limit|end|value|of|half|width|standard|percentile|\d+"
WORDS = re.compile(f"{SURE}|{WEAK}|{COUNTS}|{LOW}|{HIGH}|{FILL}")
TWO_WORDS = {("standard", "error"), ("standard", "deviation"), ("std", "err"), ("p", "value")}
METRIC = r"acc|accuracy|scores?|mean|avg|average|value|em|f1|est|estimate|correct|pass|rate"
FEWEST = 5  # cells that show an order
OF_PAIRS = re.compile(
    r"agree|agrees|agreed|agreement|disagree|disagrees|disagreement|same|equal|identical|match"
    r"|matches|consistent|changed?|changes|differs?|different|diff|difference|delta|flip|flips"
    r"|flipped|gain|gains|gap|lift|improvement|improved|vs|versus|minus|xor|both|either|neither"
    r"|only|wins?|loses|tie|ties"
)
MOST_NAMELESS = 12  # columns among which a relation of three is looked for without a name
MOST_CELLS = 50_000_000
RARE = np.log(1e-4)


class Satellite(NamedTuple):
    """What a column's name says it is, of which other column.

    Attributes:
        about: "spread" for errors and counts, "low" and "high" for the ends of an interval.
        base: the column that it is about.
        tail: the words that say so.
        is_sure: whether no model is called so.
    """

    about: About
    base: str
    tail: tuple[str, ...]
    is_sure: bool


def without_satellites(rows: pl.DataFrame, place: str, *, keep: Collection[str]) -> RowsAndNotes:
    """Leave aside columns that are the error, the count or an end of the interval of another.

    Names alone do not do: "x-high" and "x-low" may be models. Ends must lie in their order in
    every cell, and errors must not look like scores.

    Args:
        rows: `item`, `model`, `metric`, `score`, `group`, of a table in wide form.
        place: where they come from, for the notes.
        keep: models that are kept without a word.
    """
    scored = rows.filter(pl.col("score").is_not_null())
    names = scored["model"].unique(maintain_order=True).to_list()
    found = {name: one for name, one in satellites(names).items() if name not in keep}
    if not found:
        return RowsAndNotes(rows, [])
    sheet = Sheet.of(scored, "model")
    own = dict(zip(sheet.names, sheet.values, strict=True))
    aside = [name for name in found if _is_shown(name, found, own)]
    doubtful = [name for name in found if name not in aside and _is_like(name, found, own)]
    notes = []
    if aside:
        bases = list(dict.fromkeys(found[name].base for name in aside))
        text = (
            f"{place}column {shown(aside, 8)}, by name and values, holds errors, counts or ends of "
            f"intervals of column {shown(bases, 8)}, and was left aside. If it is a model: "
            f"--column keep={aside[0]} (columns=)."
        )
        notes.append(Note("satellite-aside", text))
    if doubtful:
        text = (
            f"{place}column {shown(doubtful, 8)} is called like the error or an end of the "
            "interval of another column, and was kept as a model, as its scores do not settle it. "
            f"To leave it out: --column aside={doubtful[0]} (columns=)."
        )
        notes.append(Note("satellite-like", text))
    return RowsAndNotes(rows.filter(~pl.col("model").is_in(aside)), notes)


def satellites(names: Collection[str]) -> dict[str, Satellite]:
    """Find the columns whose names are those of others and words such as "stderr" or "lower".

    Examples:
        >>> satellites(["a", "a_stderr", "b", "ci-low b"])["ci-low b"].about
        'low'
    """
    by_words: dict[tuple[str, ...], str] = {}
    for name in names:
        by_words.setdefault(_words(name), name)
    for words, name in list(by_words.items()):
        for side in (words[:-1], words[1:]):
            last = words[-1] if side == words[:-1] else words[0]
            if side and re.fullmatch(METRIC, last):
                by_words.setdefault(side, name)
    found = {}
    for name in names:
        words = _words(name)
        for cut in range(1, len(words)):
            for stem, tail in ((words[:cut], words[cut:]), (words[cut:], words[:cut])):
                base, about = by_words.get(stem), _about(tail)
                if name not in found and base not in (None, name) and about is not None:
                    found[name] = Satellite(about[0], str(base), tail, about[1])
    return {name: one for name, one in found.items() if one.base not in found}


def _about(tail: tuple[str, ...]) -> tuple[About, bool] | None:
    if not all(WORDS.fullmatch(word) for word in tail):
        return None
    pairs = set(pairwise(tail))
    if pairs & TWO_WORDS or any(re.fullmatch(SURE, word) for word in tail):
        return "spread", True
    abouts: tuple[tuple[str, About], ...] = ((LOW, "low"), (HIGH, "high"))
    for pattern, about in abouts:
        if any(re.fullmatch(pattern, word) for word in tail):
            return about, False
    if any(re.fullmatch(f"{WEAK}|{COUNTS}", word) for word in tail):
        return "spread", False
    return None


def _is_shown(name: str, found: dict[str, Satellite], own: dict[str, FloatArray]) -> bool:
    """Whether the values say, too, that a column is about another."""
    one, values = found[name], own[name]
    base = own[one.base]
    if not _is_like(name, found, own):
        return False
    is_alien = _is_binary(base) and not _is_binary(values)
    if one.about != "spread":
        other = "high" if one.about == "low" else "low"
        has_other = any(
            more.base == one.base and more.about == other and _is_like(also, found, own)
            for also, more in found.items()
        )
        return is_alien or (has_other and not _is_binary(values))
    if one.is_sure:
        return True
    alike = [also for also, more in found.items() if more.tail == one.tail]
    is_beyond = bool(np.nanmax(base) <= 1 < np.nanmax(values))
    return is_alien or is_beyond or (len(alike) > 1 and not _is_binary(values))


def _is_like(name: str, found: dict[str, Satellite], own: dict[str, FloatArray]) -> bool:
    """Whether the values may be what the name says."""
    one, values = found[name], own[name]
    base = own[one.base]
    both = ~np.isnan(values) & ~np.isnan(base)
    if one.about != "spread":
        gap = (values - base)[both] * (1 if one.about == "high" else -1)
        return bool(both.sum() >= FEWEST and (gap >= -EXACT).all() and (gap > EXACT).any())
    there = values[~np.isnan(values)]
    if (there < 0).any() or (_is_binary(there) and np.ptp(there) > 0):
        return False
    is_count = any(re.fullmatch(COUNTS, word) for word in one.tail)
    is_chance = one.tail[-1] in ("pvalue", "pval") or one.tail[-2:] == ("p", "value")
    width = float(np.nanmax(base) - np.nanmin(base))
    return one.is_sure or is_count or is_chance or bool((there <= max(width, EXACT)).all())


def without_pairs(rows: pl.DataFrame, place: str, *, keep: Collection[str]) -> RowsAndNotes:
    """Leave aside columns that say whether two others agree, or by how much they differ.

    If a column is that of two others, each of the three is that of the other two, so only one
    whose name says so is left aside. Others are kept and noted, where it can hardly be chance.

    Args:
        rows: `item`, `model`, `metric`, `score`, `group`, of a table in wide form.
        place: where they come from, for the notes.
        keep: models that are kept without a word.
    """
    scored = rows.filter(pl.col("score").is_not_null())
    if scored["model"].n_unique() < 3:
        return RowsAndNotes(rows, [])
    sheet = Sheet.of(scored, "model")
    names = sheet.names
    said = [
        k for k, name in enumerate(names) if any(OF_PAIRS.fullmatch(word) for word in _words(name))
    ]
    aside: list[str] = []
    notes = []
    plain = [k for k in range(len(names)) if k not in said]
    for k in said:
        if names[k] in keep or len(plain) ** 2 * sheet.values.shape[1] > MOST_CELLS:
            continue
        relation = next(_relations(sheet.values, k, plain), None)
        if relation is not None:
            aside.append(names[k])
            text = f"{place}column {_of_pair(names, k, relation)}, and was left aside. If it is a "
            notes.append(Note("pair-aside", f"{text}model: --column keep={names[k]} (columns=)."))
    if not said and len(names) <= MOST_NAMELESS:
        for k in reversed(plain):
            found = (one for one in _relations(sheet.values, k, [r for r in plain if r != k]))
            relation = next((one for one in found if one[0] != "which of both"), None)
            if relation and names[k] not in keep and _is_rare(sheet.values[k], len(names)):
                text = (
                    f"{place}column {_of_pair(names, k, relation)}. Any of the three may be made "
                    f"of the other two, so all were kept. To leave one out: --column "
                    f"aside={names[k]} (columns=)."
                )
                notes.append(Note("pair-like", text))
                break
    return RowsAndNotes(rows.filter(~pl.col("model").is_in(aside)), notes)


def _relations(
    values: FloatArray, k: int, others: list[int]
) -> Iterator[tuple[str, tuple[int, int]]]:
    """Return what a row says of which two others."""
    own = values[k]
    for i, j in combinations(others, 2):
        there = ~np.isnan(own) & ~np.isnan(values[i]) & ~np.isnan(values[j])
        if there.sum() < FEWEST or (~np.isnan(own) & ~there).any():
            continue
        y, a, b = own[there], values[i][there], values[j][there]
        if min(np.ptp(a), np.ptp(b), np.ptp(y)) <= EXACT or min(_off(a, b), _off(a, 1 - b)) == 0:
            continue
        same = np.abs(a - b) <= EXACT
        for relation, expected in (
            ("whether both agree", same),
            ("whether both differ", ~same),
            ("how far apart both are", np.abs(a - b)),
            ("the difference of both", a - b),
            ("the difference of both", b - a),
            ("which of both", a * (1 - b)),
            ("which of both", b * (1 - a)),
            ("which of both", (1 - a) * (1 - b)),
            ("which of both", np.maximum(a, b)),
            ("which of both", np.minimum(a, b)),
        ):
            if _off(y, expected) == 0:
                yield relation, (i, j)


def _off(values: FloatArray, expected: FloatArray | BoolArray) -> int:
    return int((np.abs(values - expected) > EXACT).sum())


def _of_pair(names: list[str], k: int, relation: tuple[str, tuple[int, int]]) -> str:
    what, (i, j) = relation
    said = "whether one or both are right" if what == "which of both" else what
    return f"{names[k]!r} says of {names[i]!r} and {names[j]!r} {said}, item by item"


def _is_rare(own: FloatArray, n_columns: int) -> bool:
    """Whether scores of such frequencies could hardly agree with a relation by chance."""
    _, counts = np.unique(own[~np.isnan(own)], return_counts=True)
    chance = float((counts * np.log(counts / counts.sum())).sum())
    return bool(chance + 3 * float(np.log(n_columns)) <= RARE)


def _is_binary(values: FloatArray) -> bool:
    return bool(np.isin(values[~np.isnan(values)], (0, 1)).all())


def _words(name: str) -> tuple[str, ...]:
    parted = re.sub(r"([a-z])([A-Z])", r"\1 \2", name)  # aStderr
    return tuple(re.findall(r"[^\W\d_]+|\d+", parted.casefold()))

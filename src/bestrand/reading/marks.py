"""Marks: columns beside the scores that say of a row that its run failed, by a flag or a word."""

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from bestrand.errors import FileError
from bestrand.notes import Note, shown
from bestrand.reading.columns import Roles
from bestrand.reading.raw import RawTable
from bestrand.reading.values import NO_ERROR, is_numeric, to_errors, to_scores, to_texts
from bestrand.types import BoolArray, FloatArray


# Names are compared word by word, without words that only say that it is a flag or a count.
SMALL = r"is|has|have|had|was|did|hit|got|any|an?|the|of|n|num|nr|number|counts?|total|with"
WHOSE = (
    r"run|runtime|api|infra|infrastructure|system|agent|env|environment|harness|exec|execution"
    r"|eval|evaluation|server|network|internal|llm|model|request|sandbox|container|job|task|trial"
    r"|sample|process|session|final"
)
ERROR = r"err|errs|errors?|errored|exceptions?|fault|faults"
STOPPED = (
    r"crash(?:ed|es)?|timed? ?outs?|killed|abort(?:ed)?|cancell?ed|oom|out of memory|interrupted"
    r"|truncated|rate limited"
)
BAD, GOOD = (
    r"fail|fails|failed|failures?",
    r"success|successful|succeeded|pass|passed|ok|completed?|finished",
)
WORDED = r"outcome|state|reason|result|status|verdict|termination"
ENDED = r"finish|stop|exit|end|termination|completion"
EXIT = r"(?:exit|return) ?(?:code|status|value)|rc"
HTTP = r"(?:http|response|status)(?: (?:status|code))+|http ?code"

# Words that say that a run did not end as it should; and those that may also be a verdict.
ABNORMAL = re.compile(
    r"\b(?:err|errors?|errored|exceptions?|crash\w*|timed? ?outs?|killed|abort\w*|cancell?\w*|oom"
    r"|out of memory|interrupt\w*|truncat\w*|panic\w*|segfault|\w*length|exceeded|incomplete"
    r"|unfinished|limit|limits|max(?:imum)? \w+|content filter\w*|safety"
    r"|recitation|blocked|guardrail\w*|not (?:completed?|finished|started|run))\b"
)
DOUBTFUL = re.compile(r"\b(?:fail\w*|unsuccessful|refus\w*|reject\w*|denied)\b")
NO, YES = (*NO_ERROR, "n", "f"), ("true", "yes", "y", "t", "1", "1.0")
EMPTY = ("", "nan", "null", "none", "n/a", "na", "-")
MOST_WORDS, MOST_KINDS = 4, 20  # of a word that is no text; of different words in a column
LEAST_SIGNAL, LEAST_HTTP = 124, 400  # `timeout` exits with 124, a signal s with 128 + s
LEAST_WAYS = 40  # to choose the marked rows; so in 5 % of cases at most they are all at one end
KEPT = "fault"  # the column in which a written table keeps errors, word for word


class Marks(NamedTuple):
    """What columns of flags and words say of the rows.

    Attributes:
        faults: (rows,) the error that a row is marked with, null where there is none.
        taken: columns that mark some row.
        aside: columns that are no metric, and mark no row.
        again: those of `aside` that only repeat the score, and may be asked for as a metric.
        notes: what a reader should know.
        verdicts: (rows,) whether the status is a word as `failed` that is the score again.
    """

    faults: pl.Series
    taken: list[str]
    aside: list[str]
    again: list[str]
    notes: list[Note]
    verdicts: BoolArray


class _Found(NamedTuple):
    """What one column says: the error of each row, whether it is no metric, repeats the score."""

    faults: pl.Series
    again: bool = False


def find_marks(table: RawTable, names: Sequence[str], scores: Sequence[str], roles: Roles) -> Marks:
    """Find columns that mark rows as failed.

    A flag or a count of errors marks where it is set; a word, as `timeout`, where it says that a
    run ended otherwise than it should. What may be a verdict, as `failed`, `success` or an exit
    code of 1, marks only where it is not the score again: the score tells the rows that it marks
    from all others. If it is not, and the scores are two values, or all marked rows have the
    lowest score, it marks; else it is a metric of its own, and left alone.

    Args:
        table: where the columns are.
        names: columns that have no role, and that were not named as a metric.
        scores: columns that are known to hold scores; where there are none, the columns of
            numbers among `names` that are no flags.
        roles: of these the columns of the metric's name and of the status are looked at.
    """
    strong = [name for name in names if _is_flag(table, name, counts=bool(scores))]
    codes = [name for name in names if _code(name) and is_numeric(table, name)]
    plain = [name for name in names if name not in strong and name not in codes]
    verdicts = [name for name in plain if re.fullmatch(f"{BAD}|{GOOD}", _bare(name))]
    numbers = [name for name in plain if is_numeric(table, name)]
    others = [name for name in numbers if name not in verdicts]
    known = list(scores) or others or numbers
    if not known:
        return _marks(table, {})
    if not scores and not (len(others) == 1 and _flags(table, others[0]) is not None):
        verdicts = []  # one of several metrics
    words = [name for name in plain if _is_worded(name) and name not in numbers]
    if not (strong or codes or verdicts or words or "status" in roles):
        return _marks(table, {})
    beside = _Beside(table, known, roles.get("metric"))
    found = {
        **{name: _strong(table, name, beside) for name in strong},
        **{name: _exit(table, name, beside) for name in codes},
        **{name: _verdict(table, name, beside) for name in verdicts},
        **{name: _words(table, name, beside) for name in words},
    }
    said = {name: one for name, one in found.items() if one is not None}
    marks = _marks(table, said, named="metric" not in roles)
    return marks._replace(verdicts=_verdict_words(table, roles.get("status"), beside))


def _marks(table: RawTable, found: dict[str, _Found], *, named: bool = True) -> Marks:
    faults = pl.Series("fault", [None] * table.n_rows, dtype=pl.String)
    taken = [name for name, one in found.items() if one.faults.null_count() < table.n_rows]
    for name in taken:
        faults = _first(faults, found[name].faults)
    numbers = [name for name in taken if name != KEPT and is_numeric(table, name)]
    notes = []
    if numbers and named:
        text = (
            f"{table.path}: read as marks of errors and not as metrics: {shown(numbers, 8)}. To "
            f"read one as a metric name it, as in --metric {numbers[0]}."
        )
        notes.append(Note("error-marks", text))
    aside = [name for name in found if name not in taken]
    again = [name for name in aside if found[name].again and named]
    return Marks(faults, taken, aside, again, notes, np.zeros(table.n_rows, dtype=np.bool_))


def _first(one: pl.Series, other: pl.Series) -> pl.Series:
    return pl.select(pl.coalesce(one, other)).to_series()


class _Beside:
    """The scores that a column stands beside.

    Attributes:
        scored: (rows,) whether a row has any score.
    """

    def __init__(self, table: RawTable, names: Sequence[str], metric: str | None) -> None:
        self._scores = [_numbers(table, name) for name in names]
        self.scored: BoolArray = np.logical_or.reduce([np.isfinite(s) for s in self._scores])
        kinds = list(map(str, table.columns[metric])) if metric is not None else []
        self._parts = [np.array(kinds) == kind for kind in sorted(set(kinds))] or [
            np.ones(table.n_rows, dtype=np.bool_)
        ]

    def _split(self, bad: BoolArray, counted: BoolArray) -> list[tuple[FloatArray, BoolArray]]:
        """Return the scores of each metric, and which of them are marked."""
        split = []
        for score in self._scores:
            for part in self._parts:
                there = np.flatnonzero(part & counted & np.isfinite(score))
                split.append((score[there], bad[there]))
        return [(score, marked) for score, marked in split if marked.any()]

    def repeats(self, bad: BoolArray, counted: BoolArray) -> bool:
        """Whether some metric's score tells the marked rows from all others that count."""
        return any(_tells(score, marked) for score, marked in self._split(bad, counted))

    def shows_errors(self, bad: BoolArray, counted: BoolArray) -> bool:
        """Whether marked rows all have the lowest score of a metric, or it has two values."""
        return any(
            len(np.unique(score)) <= 2 or score[marked].max() == score.min()
            for score, marked in self._split(bad, counted)
        )

    def has_levels(self, counted: BoolArray) -> bool:
        """Whether some metric has more than two values."""
        everything = np.ones(len(counted), dtype=np.bool_)
        return any(len(np.unique(score)) > 2 for score, _ in self._split(everything, counted))


def _tells(score: FloatArray, bad: BoolArray) -> bool:
    """Whether the score tells marked rows from the others, and not by chance."""
    if bad.all():
        return not score.any()
    if len(np.unique(score)) > 2 and math.comb(len(bad), int(bad.sum())) < LEAST_WAYS:
        return False
    marked, others = score[bad], score[~bad]
    return bool(marked.max() < others.min() or marked.min() > others.max())


def _strong(table: RawTable, name: str, beside: _Beside) -> _Found | None:
    """Read a flag or a count of errors, or a column of error messages."""
    if name == KEPT and not is_numeric(table, name):
        return _Found(to_texts(table, name))
    flags = _flags(table, name)
    if flags is not None:
        return _Found(_where(flags == 1, name))
    if not is_numeric(table, name):
        return _Found(to_errors(table, name))
    counts = _numbers(table, name)
    bad = counts > 0
    is_graded = len(np.unique(counts[bad])) > 1 and beside.has_levels(bad | True)
    if is_graded and beside.repeats(bad, np.isfinite(counts)):  # as word errors are
        return None
    return _Found(_where(bad, name))


def _exit(table: RawTable, name: str, beside: _Beside) -> _Found | None:
    """Read exit codes, of which small ones may be the verdict of tests, or codes of HTTP."""
    codes = _numbers(table, name)
    known = np.isfinite(codes)
    if (codes[known] % 1 != 0).any():
        return None
    if _code(name) == "http":
        bad, doubtful = codes >= LEAST_HTTP, np.zeros(len(codes), dtype=np.bool_)
    else:
        bad = known & ((codes >= LEAST_SIGNAL) | (codes < 0))
        doubtful = known & (codes != 0) & ~bad
    again = beside.repeats(doubtful, known & ~bad)
    bad |= doubtful & (~beside.scored | (not again))
    return _Found(_where(bad, [f"{name}={code:.0f}" for code in codes]), again)


def _verdict(table: RawTable, name: str, beside: _Beside) -> _Found | None:
    """Read what may be the score once more, a sign of errors, or a metric of its own."""
    flags = _flags(table, name)
    if flags is None:
        return None
    is_good = re.fullmatch(GOOD, _bare(name)) is not None
    known, bad = np.isfinite(flags), flags == (0 if is_good else 1)
    word = f"no {name}" if is_good else name
    if not (bad & beside.scored).any():
        return _Found(_where(bad, word))
    if beside.repeats(bad, known):
        graded = beside.has_levels(known)
        return None if graded else _Found(_where(bad & ~beside.scored, word), again=True)
    return _Found(_where(bad, word)) if beside.shows_errors(bad, known) else None


def _words(table: RawTable, name: str, beside: _Beside) -> _Found | None:
    """Read words that say how a run ended."""
    cells, bad, doubtful = _ends(table, name)
    if len({cell.lower() for cell in cells}) > MOST_KINDS:
        return None
    if re.search(rf"\b({ENDED})\b.*\breason\b", _bare(name)):  # of the run, and no verdict
        bad |= doubtful
    doubtful &= ~bad
    others = np.array([cell != "" for cell in cells]) & ~bad
    is_error = beside.shows_errors(doubtful, others) and not beside.repeats(doubtful, others)
    bad |= doubtful & (~beside.scored | is_error)
    return _Found(_where(bad, [f"{name} {cell!r}" for cell in cells]))


def _verdict_words(table: RawTable, status: str | None, beside: _Beside) -> BoolArray:
    """Find the rows whose status only repeats the score, as passed and failed do."""
    if status is None:
        return np.zeros(table.n_rows, dtype=np.bool_)
    cells, bad, doubtful = _ends(table, status)
    doubtful &= ~bad
    others = np.array([cell != "" for cell in cells]) & ~bad
    return doubtful & beside.scored & beside.repeats(doubtful, others)


def _ends(table: RawTable, name: str) -> tuple[list[str], BoolArray, BoolArray]:
    """Return the words of a column, where they say that a run broke off, and where they may."""
    cells = [value.strip() if isinstance(value, str) else "" for value in _cells(table, name)]
    said = {cell: " ".join(_parts(cell)) for cell in set(cells)}
    is_plain = {
        cell: len(word.split()) > MOST_WORDS or word in NO or re.match(r"(?:no|without) ", word)
        for cell, word in said.items()
    }
    bad = {cell: not is_plain[cell] and bool(ABNORMAL.search(said[cell])) for cell in said}
    doubtful = {cell: not is_plain[cell] and bool(DOUBTFUL.search(said[cell])) for cell in said}
    return cells, np.array([bad[cell] for cell in cells]), np.array([doubtful[c] for c in cells])


def _where(bad: BoolArray, word: str | Sequence[str]) -> pl.Series:
    words = [word] * len(bad) if isinstance(word, str) else word
    said = [text if is_bad else None for text, is_bad in zip(words, bad, strict=True)]
    return pl.Series(said, dtype=pl.String)


def _is_flag(table: RawTable, name: str, *, counts: bool) -> bool:
    """Whether a column is by its name and its cells a flag of errors, a count, or messages."""
    bare = _bare(name)
    is_error = re.fullmatch(rf"(?:(?:{WHOSE}) )*(?:{ERROR})", bare) is not None
    is_stop = re.fullmatch(rf"(?:(?:{WHOSE}) )*(?:{STOPPED})", bare) is not None
    if not (is_error or is_stop):
        ends = re.search(rf"(?:^| )(?:{ERROR}|{STOPPED})$", bare) is not None
        return ends and _is_boolean(table, name)
    if name == KEPT or _flags(table, name) is not None:
        return True
    if not is_numeric(table, name):
        return is_error and _is_said_once(table, name)
    numbers = _numbers(table, name)
    numbers = numbers[np.isfinite(numbers)]
    is_count = is_error or bare != " ".join(_parts(name))
    return counts and is_count and bool((numbers >= 0).all() and (numbers % 1 == 0).all())


def _is_said_once(table: RawTable, name: str) -> bool:
    return to_errors(table, name).null_count() < table.n_rows


def _is_boolean(table: RawTable, name: str) -> bool:
    """Whether all cells that are not empty are true or false, and no numbers."""
    cells = [str(value).strip().lower() for value in _cells(table, name) if value is not None]
    filled = {cell for cell in cells if cell}
    return bool(filled) and filled <= {"true", "false"}


def _flags(table: RawTable, name: str) -> FloatArray | None:
    """Take a column of yes and no as 1 and 0, nan where it is empty; None where it holds more."""
    if is_numeric(table, name):
        numbers = _numbers(table, name)
        return numbers if set(numbers[np.isfinite(numbers)]) <= {0.0, 1.0} else None
    flags = np.full(table.n_rows, np.nan)
    for row, value in enumerate(_cells(table, name)):
        word = "" if value is None else str(value).strip().lower()
        if word in EMPTY:
            continue
        if word not in NO and word not in YES:
            return None
        flags[row] = word in YES
    return flags if np.isfinite(flags).any() else None


def _code(name: str) -> str | None:
    """Tell codes by a column's name: "exit", "http", or None."""
    bare = re.sub(r"(?<=exit|turn)code", " code", _bare(name))
    bare = re.sub(rf"^(?:(?:{WHOSE}) )+", "", bare)
    return "exit" if re.fullmatch(EXIT, bare) else "http" if re.fullmatch(HTTP, bare) else None


def _is_worded(name: str) -> bool:
    return re.fullmatch(rf"(?:(?:{WHOSE}|{ENDED}) )*(?:{WORDED})", _bare(name)) is not None


def _numbers(table: RawTable, name: str) -> FloatArray:
    """Take a column as numbers; nan where there is none."""
    try:
        return np.asarray(to_scores(table, name).fill_null(np.nan).to_numpy(), dtype=np.float64)
    except FileError:  # it will be said where the scores are taken
        return np.full(table.n_rows, np.nan)


def _cells(table: RawTable, name: str) -> list[object]:
    return list(table.columns[name])


def _bare(name: str) -> str:
    """Return the words of a name, without the small ones; nothing where it has a digit in it."""
    if re.search(r"\d", name):
        return ""
    parts = _parts(name)
    return " ".join(part for part in parts if not re.fullmatch(SMALL, part)) or " ".join(parts)


def _parts(text: str) -> list[str]:
    parted = re.sub(r"([a-z\d])([A-Z])|([A-Z])([A-Z][a-z])", r"\1\3 \2\4", text)
    return re.findall(r"[^\W_]+", parted.lower())

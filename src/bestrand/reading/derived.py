"""Derived rows: models or items whose scores are a function of those of others."""

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np

from bestrand.reading.functions import (
    EXACT,
    combined,
    copies,
    extreme,
    is_no_chance,
    matching,
    n_telling,
    run_of,
    tabulate,
    tolerance,
    tolerances,
)
from bestrand.reading.sheets import Sheet, odd_rows
from bestrand.reading.summary_names import MEANS, SPREADS, Called
from bestrand.types import BoolArray, FloatArray


UNNAMED = ("mean", "sum", "complement", *SPREADS[:2])  # no chance makes these of other scores
CHOICES = ("max", "min", "any", "all", "median", "majority", "majority or half")
MIN_ROWS, MIN_TELLING = 5, 3
MOST_PAIRS = 2_000_000  # cells looked at to find two summaries that hide each other


class SummaryColumn(NamedTuple):
    """A summary: which function of how many others; of all of them where `of` is empty."""

    function: str
    of: tuple[str, ...] = ()


class Derived(NamedTuple):
    """Rows that are summaries, and others that may be so by chance, by name."""

    sure: dict[str, SummaryColumn]
    unsure: dict[str, SummaryColumn]


def find_derived(
    sheet: Sheet, named: dict[str, Called], keep: set[str], *, unnamed: bool
) -> Derived:
    """Find the summaries, until no more are found: each hides others from being seen.

    Args:
        sheet: models or items with their scores.
        named: what names speak of, for those that are called like a summary.
        keep: names of rows that are none.
        unnamed: whether to look at those that are not called so, too.
    """
    number = {name: k for k, name in enumerate(sheet.names)}
    likely = {number[name]: said for name, said in named.items() if name in number}
    plain = set(number.values()) - set(likely)
    found: dict[int, SummaryColumn] = {}
    unsure: dict[int, SummaryColumn] = {}
    while plain:
        others = _Others(sheet, plain, likely, found, unnamed=unnamed)
        new: dict[int, SummaryColumn] = {}
        for k, said in likely.items():
            one = None if k in found else others.explain(k, said)
            if one is not None:
                new[k] = one
        if unnamed:
            new |= {k: one for k, one in others.unnamed() if sheet.names[k] not in keep}
            unsure = {k: one for k, one in others.unsure.items() if sheet.names[k] not in keep}
        if not new:
            break
        found |= new
        plain -= set(new)
    by_name = ({sheet.names[k]: one for k, one in sorted(rows.items())} for rows in (found, unsure))
    return Derived(*by_name)


class _Others:
    """The rows that are taken for no summaries, with what is computed of them once."""

    def __init__(
        self,
        sheet: Sheet,
        plain: set[int],
        likely: dict[int, Called],
        found: dict[int, SummaryColumn],
        *,
        unnamed: bool,
    ) -> None:
        self.sheet, self.likely, self.found = sheet, likely, found
        self.unsure: dict[int, SummaryColumn] = {}
        self.plain = sorted(plain)
        self.all = sheet.values[self.plain]
        by_value = unnamed and sheet.kind == "model"
        self.odd = odd_rows(self.all, self.plain) if by_value else []
        self.usual = sorted(plain - set(self.odd))
        self.values = sheet.values[self.usual]
        self.is_binary = bool(np.isin(self.values[~np.isnan(self.values)], (0, 1)).all())

    @cached_property
    def table(self) -> dict[str, FloatArray]:
        """Functions of the usual rows."""
        return tabulate(self.values)

    @cached_property
    def whole_table(self) -> dict[str, FloatArray]:
        """Functions of all rows."""
        return tabulate(self.all)

    @cached_property
    def group_means(self) -> FloatArray:
        """Mean of the rows of each group, (groups, C)."""
        groups = self.sheet.groups
        names = sorted({name for k in self.usual if (name := groups[k]) is not None})
        each = ([k for k in self.usual if groups[k] == name] for name in names)
        means = [tabulate(self.sheet.values[rows])["mean"] for rows in each]
        return np.array(means) if len(means) > 1 else np.empty((0, self.values.shape[1]))

    def explain(self, k: int, said: Called) -> SummaryColumn | None:
        """Return what a row is a summary of, under the functions of its name."""
        own = self.sheet.values[k]
        is_whole = said.sureness != "partly"
        functions = said.functions
        if not is_whole and self.is_binary and np.isin(own[~np.isnan(own)], (0, 1)).all():
            functions = tuple(name for name in functions if name in CHOICES)
        if not functions:
            return None
        # A copy of one of the others, in percent too, is a summary only beside one that is sure.
        if said.sureness != "sure" and not (is_whole and self.found):
            alike = (own, own / 100, 1 - own, 1 - own / 100)
            if len(self.plain) < 2 or any(copies(one, self.all) for one in alike):
                return None
        return self._of_all(own, functions, said) or self._of_some(k, own, functions, said)

    def _of_all(
        self, own: FloatArray, functions: tuple[str, ...], said: Called
    ) -> SummaryColumn | None:
        if said.sureness == "partly" and said.rest:  # "best-rq" may be the best of all
            functions = tuple(name for name in functions if name not in CHOICES)
        for values, table in ((self.values, self.table), (self.all, self.whole_table)):
            function = matching(own, values, functions, table=table)
            if function and (
                said.sureness != "partly" or self._shows(own, self.all, function, said)
            ):
                return SummaryColumn(function)
            if not self.odd:
                break
        return None

    def _of_some(
        self, k: int, own: FloatArray, functions: tuple[str, ...], said: Called
    ) -> SummaryColumn | None:
        values, names = self.sheet.values, self.sheet.names
        proven = tuple(name for name in functions if name not in CHOICES)
        for rows, by_name in self._subsets(k, said):
            tried = functions if by_name or said.sureness != "partly" else proven
            function = matching(own, values[rows], tried) if len(rows) > 1 else None
            if function and self._shows(own, values[rows], function, said):
                return SummaryColumn(function, tuple(names[row] for row in rows))
        if set(functions) & set(MEANS):
            function = matching(own, self.group_means, functions)
            if function and self._shows(own, self.values, function, said):
                return SummaryColumn(f"{function} over the groups")
            run = run_of(own, self.values, is_binary=self.is_binary)
            pair = run or combined(own, self.all)
            order = self.usual if run else self.plain
            if pair is not None:
                return SummaryColumn(pair[0], tuple(names[order[row]] for row in pair[1]))
        members = extreme(own, self.all, functions) if said.sureness != "partly" else None
        if members is not None:
            which = "max" if "max" in functions else "min"
            return SummaryColumn(which, tuple(names[self.plain[row]] for row in members))
        return None

    def _shows(self, own: FloatArray, base: FloatArray, function: str, said: Called) -> bool:
        """Whether scores could hardly be that function by chance, whatever the name."""
        if function in CHOICES:
            return int((~np.isnan(own)).sum()) >= MIN_ROWS and not copies(own, base)
        return is_no_chance(
            own, base, function, len(said.functions), n_alien=1 if self.is_binary else 2
        )

    def _subsets(self, k: int, said: Called) -> Iterator[tuple[list[int], bool]]:
        """Return the rows that a row may be the summary of, and whether its name says so."""
        names, groups = self.sheet.names, self.sheet.groups
        if said.rest:
            folded = [(names[row].casefold(), row) for row in self.usual]
            yield [row for name, row in folded if all(word in name for word in said.rest)], True
        if self.sheet.kind != "item":
            return
        for group in sorted({name for row in self.usual if (name := groups[row])}):
            if group == groups[k] or group.casefold() in names[k].casefold():
                yield [row for row in self.usual if groups[row] == group], True
        before = max((row for row in self.likely if row < k), default=-1)
        after = min((row for row in self.likely if row > k), default=len(names))
        yield [row for row in self.usual if before < row < k], False
        yield [row for row in self.usual if k < row < after], False
        yield [row for row in sorted(self.found) if self.found[row].of], False  # a mean of means

    def unnamed(self) -> Iterator[tuple[int, SummaryColumn]]:
        """Return rows that are a summary of the others, whatever they are called."""
        for k in self.odd:
            one = self._odd(k)
            if one is not None:
                yield k, one
        equal = list(equal_to_others(self.sheet, self.usual))
        self.unsure = {k: SummaryColumn(function) for k, function, is_sure in equal if not is_sure}
        alone = [(k, function) for k, function, is_sure in equal if is_sure]
        if not alone and len(self.usual) ** 2 * self.values.shape[1] <= MOST_PAIRS:
            for hidden in self.usual:
                rest = [row for row in self.usual if row != hidden]
                equal = list(equal_to_others(self.sheet, rest))
                alone = [(k, function) for k, function, is_sure in equal if is_sure]
                if alone:
                    break
        yield from ((k, SummaryColumn(function)) for k, function in alone)

    def _odd(self, k: int) -> SummaryColumn | None:
        """Return what a row of another kind than the others is a summary of."""
        own = self.sheet.values[k]
        if (~np.isnan(own)).sum() < MIN_ROWS:
            return None
        functions = (*UNNAMED, "n right")
        function = matching(own, self.values, functions, named=False, table=self.table)
        if function and n_telling(own, self.values, function) >= MIN_TELLING:
            return SummaryColumn(function)
        pair = combined(own, self.values)
        if pair is None or pair[0] == "weighted mean":
            return None
        if n_telling(own, self.values, pair[0]) < MIN_TELLING:
            return None
        return SummaryColumn(pair[0], tuple(self.sheet.names[self.usual[row]] for row in pair[1]))


def equal_to_others(sheet: Sheet, rows: list[int]) -> Iterator[tuple[int, str, bool]]:
    """Return the rows that are a function of all other rows, and whether that is no chance."""
    table = sheet.values[rows]
    is_model = sheet.kind == "model"
    n_needed, n_cells = (MIN_TELLING, MIN_ROWS) if is_model else (2, 2)
    if len(rows) < (3 if is_model else MIN_ROWS) or table.shape[1] < n_cells:
        return
    there = ~np.isnan(table)
    may_tell = _alone(table).sum(axis=1) >= n_needed
    limits = tolerances(table)[:, None]
    may_tell &= limits[:, 0] < np.nanmax(table) - np.nanmin(table)
    n = np.maximum(there.sum(axis=0) - there, 1)
    filled = np.where(there, table, 0.0)
    rest = filled.sum(axis=0) - filled
    mean = rest / n
    spread = np.sqrt(np.maximum(((filled**2).sum(axis=0) - filled**2) / n - mean**2, 0))
    sample = spread * np.sqrt(n / np.maximum(n - 1, 1))
    expected = dict(zip(UNNAMED, (mean, rest, 1 - mean, spread, sample), strict=True))
    for function, values in expected.items():
        off = np.where(there, np.abs(table - values), 0.0)
        near = (off <= limits).all(axis=1)
        for k in np.flatnonzero(near & may_tell & (there.sum(axis=1) >= n_cells)):
            own, others = table[k], np.delete(table, k, axis=0)
            limit = tolerance(own[there[k]], others, named=False)
            telling = n_telling(own, others, function, limit) >= n_needed
            exact = {function: values[k]}
            if telling and matching(own, others, (function,), named=False, table=exact):
                yield rows[k], function, is_no_chance(own, others, function, len(UNNAMED))


def _alone(table: FloatArray) -> BoolArray:
    """Return which scores are those of no other row in the same cell; (L, C)."""
    order = np.argsort(table, axis=0)
    gaps = np.diff(np.take_along_axis(table, order, axis=0), axis=0) > EXACT
    edge = np.ones((1, table.shape[1]), dtype=np.bool_)
    alone = np.empty(table.shape, dtype=np.bool_)
    np.put_along_axis(alone, order, np.vstack([edge, gaps]) & np.vstack([gaps, edge]), axis=0)
    return alone & ~np.isnan(table)

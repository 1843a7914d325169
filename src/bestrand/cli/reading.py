"""The options of reading scores, and reading as they say."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Self

import bestrand as br
from bestrand.cli.options import (
    ColumnOption,
    DuplicatesOption,
    ErrorsOption,
    FilterOption,
    MetricOption,
    MetricsOption,
    NoTotalCheckOption,
    RangeOption,
    UnfinishedOption,
)
from bestrand.cli.reading_progress import reading_progress
from bestrand.errors import ArgumentError


if TYPE_CHECKING:
    from bestrand.core.scores import ScoreTable


@dataclass(frozen=True, slots=True)
class _Reading:
    """How scores are read, whatever the metrics."""

    column: ColumnOption = None
    ranges: RangeOption = None
    duplicates: DuplicatesOption = "error"
    errors: ErrorsOption = "keep"
    filter: FilterOption = None
    no_total_check: NoTotalCheckOption = False
    unfinished: UnfinishedOption = False

    @property
    def columns(self) -> dict[str, str | list[str]]:
        """Columns by role, as `read_scores` takes them."""
        return columns_of(self.column or ())

    def with_ranges(self, ranges: list[str]) -> Self:
        """Read with these values of `--range`."""
        return replace(self, ranges=ranges)

    def _scores(self, paths: Sequence[str], metric: str | Sequence[str] | None) -> "ScoreTable":
        given = _paths(paths)
        named = given.values() if isinstance(given, dict) else [given]
        with reading_progress([path for of_model in named for path in of_model]):
            return br.read_scores(
                given,
                metric=metric,
                columns=self.columns,
                bounds=_bounds(self.ranges or ()),
                duplicates=self.duplicates,
                errors=self.errors,
                filter=self.filter,
                check_totals=not self.no_total_check,
                unfinished=self.unfinished,
            )


@dataclass(frozen=True, slots=True)
class Reading(_Reading):
    """How scores are read, by one metric.

    Attributes:
        metric: its name; None: the main one.
    """

    metric: MetricOption = None

    def scores(self, paths: Sequence[str]) -> "ScoreTable":
        """Read scores."""
        return self._scores(paths, self.metric)


@dataclass(frozen=True, slots=True)
class ReadingSeveral(_Reading):
    """How scores are read, by one or several metrics.

    Attributes:
        metric: their names; None or empty: the main one.
    """

    metric: MetricsOption = None

    def scores(self, paths: Sequence[str]) -> "ScoreTable":
        """Read scores."""
        return self._scores(paths, self.metric or None)


def _paths(paths: Sequence[str]) -> list[Path] | dict[str, list[Path]]:
    """Split NAME=PATH; a file of that whole name comes first. A NAME may have several paths."""
    named: dict[str, list[Path]] = {}
    for word in paths:
        if "=" in word and not Path(word).exists():
            name, _, path = word.partition("=")
            named.setdefault(name, []).append(Path(path))
    if not named:
        return [Path(word) for word in paths]
    if sum(map(len, named.values())) < len(paths):
        raise ArgumentError(
            "Name every file, as in NAME=PATH, or none of them. Files of one NAME are parts of one "
            "model's run."
        )
    return named


def columns_of(words: Sequence[str]) -> dict[str, str | list[str]]:
    """Take `--column` apart: role -> column name; `aside` and `keep` have a list of names."""
    columns: dict[str, str | list[str]] = {}
    for word in words:
        if "=" not in word:
            raise ArgumentError(f"`--column` must be ROLE=NAME, got {word!r}.")
        role, name = word.split("=", 1)
        columns[role] = [*columns.get(role, []), name] if role in ("aside", "keep") else name
    return columns


def _bounds(
    words: Sequence[str],
) -> tuple[float, float] | dict[str, tuple[float, float]] | None:
    by_metric: dict[str, tuple[float, float]] = {}
    for word in words:
        metric, _, span = word.rpartition("=")
        low, colon, high = span.partition(":")
        if metric in by_metric:
            whose = f"of metric {metric!r} " if metric else ""
            raise ArgumentError(f"`--range` {whose}was given twice. Give one of them.")
        try:
            by_metric[metric] = (float(low or "-inf"), float(high or "inf"))
        except ValueError:
            colon = ""
        if not colon:
            raise ArgumentError(
                "`--range` must be [METRIC=]LOW:HIGH, or LOW: without an upper bound, got "
                f"{word!r}."
            )
    if "" in by_metric:
        if len(by_metric) > 1:
            raise ArgumentError("Give one `--range` for all metrics, or one for each by name.")
        return by_metric[""]
    return by_metric or None

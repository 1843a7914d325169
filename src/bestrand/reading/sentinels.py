"""Sentinels: numbers such as -1 or -999 that stand for no score among scores on 0..1 or 0..100."""

from collections.abc import Sequence

import polars as pl

from bestrand.errors import InputError
from bestrand.notes import shown
from bestrand.reading.columns import COST
from bestrand.reading.faults import ErrorPolicy
from bestrand.reading.raw import RawTable


NEGATIVE = (-1.0, -9.0, -99.0, -999.0, -9999.0, -99999.0)
POSITIVE = (99.0, 999.0, 9999.0, 99999.0)
FEWEST = 10  # other scores, by which the scale is known
MOST = 0.2  # share of the scores that may be sentinels: more of them are a third verdict


def mark_sentinels(
    rows: pl.DataFrame,
    tables: Sequence[RawTable],
    errors: ErrorPolicy,
    declared: Sequence[str],
) -> pl.DataFrame:
    """Make faults of scores that are a sentinel, which `--errors` then counts.

    Args:
        rows: of all files, with `file` and `row`.
        tables: the files.
        errors: what rows with a fault count as.
        declared: metrics of which the user said the range: there every number is a score.

    Raises:
        InputError: there are some, and `errors` keeps scores beside faults as they stand.
    """
    for metric in sorted(set(rows["metric"].unique()) - set(declared)):
        of_metric = rows.filter((pl.col("metric") == metric) & pl.col("score").is_not_null())
        values = sentinels(of_metric["score"])
        if not values or (max(values) > 0 and COST.search(metric)):
            continue
        found = of_metric.filter(pl.col("score").is_in(values))
        others = of_metric.filter(~pl.col("score").is_in(values))["score"]
        said = " or ".join(f"{value:g}" for value in values)
        if errors in ("keep", "refuse"):
            file, row = found.select("file", "row").row(0)
            raise InputError(
                f"{found.height} scores of metric {metric!r} are {said}, of models "
                f"{shown(sorted(found['model'].unique()))}, and all {others.len()} "
                f"others are within 0..{_top(others):g} (first: "
                f"{tables[file].place(row)}). If {said} stands for no score, say what it counts "
                "as: --errors missing or zero (errors=); if it is a score, give the range: "
                f"--range {min(*values, 0.0):g}:{max(*values, _top(others)):g} (bounds=).",
                metric=metric,
            )
        is_one = (pl.col("metric") == metric) & pl.col("score").is_in(values)
        words = pl.col("score").replace_strict(
            {value: f"score {value:g}" for value in values}, default=None, return_dtype=pl.String
        )
        rows = rows.with_columns(
            fault=pl.when(is_one).then(words).otherwise("fault"),
            score=pl.when(is_one).then(None).otherwise("score"),
            status=pl.when(is_one).then(pl.lit("errored")).otherwise("status"),
        )
    return rows


def sentinels(scores: pl.Series) -> list[float]:
    """Return the known sentinels that are off the scale of all other scores.

    Examples:
        >>> sentinels(pl.Series([0.0, 1.0] * 10 + [-999.0, -1.0]))
        [-1.0, -999.0]
        >>> sentinels(pl.Series([0.0, 1.0, -1.0] * 10))
        []
    """
    known = [value for value in (*NEGATIVE, *POSITIVE) if (scores == value).any()]
    for top in (1.0, 100.0):
        values = [value for value in known if not 0 <= value <= top]
        others = scores.filter(~scores.is_in(values))
        is_known = others.len() >= FEWEST and bool(others.is_between(0, top).all())
        if values and is_known and scores.len() - others.len() <= MOST * scores.len():
            return values
    return []


def _top(others: pl.Series) -> float:
    return 1.0 if bool((others <= 1).all()) else 100.0

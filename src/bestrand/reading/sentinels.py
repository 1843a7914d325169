"""Sentinels: numbers such as -1 or -999 that stand for no score among scores on 0..1 or 0..100."""

from collections.abc import Sequence

import polars as pl

from bestrand.errors import InputError
from bestrand.notes import shown
from bestrand.reading.columns import COST
from bestrand.reading.faults import Errors
from bestrand.reading.raw import RawTable


NEGATIVE = (-1.0, -9.0, -99.0, -999.0, -9999.0, -99999.0)
POSITIVE = (99.0, 999.0, 9999.0, 99999.0)
FEWEST = 10  # other scores, by which the scale is known
MOST = 0.2  # share of the scores that may be sentinels: more of them are a third verdict


def mark_sentinels(
    rows: pl.DataFrame,
    tables: Sequence[RawTable],
    errors: Errors,
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
        value = sentinel(of_metric["score"])
        if value is None or (value > 0 and COST.search(metric)):
            continue
        found = of_metric.filter(pl.col("score") == value)
        others = of_metric.height - found.height
        if errors in ("keep", "refuse"):
            file, row = found.select("file", "row").row(0)
            raise InputError(
                f"{found.height} scores of metric {metric!r} are {value:g}, of models "
                f"{shown(sorted(found['model'].unique()))}, and all {others} "
                f"others are within 0..{_top(of_metric['score'], value):g} (first: "
                f"{tables[file].place(row)}). If {value:g} stands for no score, say what it counts "
                "as: --errors missing or zero (errors=); if it is a score, give the range: "
                f"--range {min(value, 0):g}:{max(value, _top(of_metric['score'], value)):g} "
                "(bounds=).",
                metric=metric,
            )
        is_one = (pl.col("metric") == metric) & (pl.col("score") == value)
        rows = rows.with_columns(
            fault=pl.when(is_one).then(pl.lit(f"score {value:g}")).otherwise("fault"),
            score=pl.when(is_one).then(None).otherwise("score"),
            status=pl.when(is_one).then(pl.lit("errored")).otherwise("status"),
        )
    return rows


def sentinel(scores: pl.Series) -> float | None:
    """Give the one value that is off the scale of all other scores, if it is a known sentinel.

    Examples:
        >>> sentinel(pl.Series([0.0, 1.0] * 10 + [-999.0]))
        -999.0
        >>> sentinel(pl.Series([0.0, 1.0, -1.0] * 10)) is None
        True
    """
    for value in (*NEGATIVE, *POSITIVE):
        n = int((scores == value).sum())
        others = scores.filter(scores != value)
        if not 0 < n <= MOST * scores.len() or others.len() < FEWEST:
            continue
        low, high = float(others.min()), float(others.max())  # type: ignore[arg-type]
        top = 1.0 if high <= 1 else 100.0
        if low >= 0 and high <= top and not 0 <= value <= top:
            return value
    return None


def _top(scores: pl.Series, value: float) -> float:
    highest: float = scores.filter(scores != value).max()  # type: ignore[assignment]
    return 1.0 if highest <= 1 else 100.0

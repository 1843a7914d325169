"""Averages over benchmarks: geometric means of ratios, families of benchmarks as clusters."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from bestrand.stats.intervals import t_quantile
from bestrand.stats.random_items import random_share
from bestrand.study.columns import LOSSES, SETTING
from bestrand.study.summary import LEVEL
from bestrand.types import FloatArray


GROUP = ("experiment", "split", "regime", "known")
MEANS = ("mae", "sd", "p95", "high_70", "high_mean", *LOSSES[LOSSES.index("spearman") :])
BASES = ("mae", "sd", "p95", "spearman")
RATIOS = ("mae_ratio", "p95_ratio", "sd_ratio")
# a ratio, and what it is in random items; a large ratio is few items, so the ends change places
WORTH = (
    ("mae_ratio", "equals"),
    ("mae_high", "equals_low"),
    ("mae_low", "equals_high"),
    ("p95_ratio", "equals_p95"),
    ("p95_high", "equals_p95_low"),
    ("p95_low", "equals_p95_high"),
)
RANDOM = "random"
ALL = "all"


def averages(cells: pl.DataFrame, ratios: pl.DataFrame, order: Sequence[str] = ()) -> pl.DataFrame:
    """Average cells and ratios over benchmarks, over all of them and by kind and retention.

    A benchmark counts once for each metric: its cells of several retentions are averaged first.
    Ratios are averaged on the log, so the result is a geometric mean. Only cells in which both
    the strategy and its base ran are counted, and the base's figures are over the same cells.

    Args:
        cells: what `summary.cells` gave.
        ratios: what `summary.ratios` gave for one base.
        order: names of strategies, in the order of the lines.

    Returns:
        One row for each `GROUP`, `strategy`, `kind` ("all" for all) and `retention` (null for all):
        `base`, `benchmarks` and `families` (how many), `mae_ratio`, `p95_ratio` and `sd_ratio`
        with `_low` and `_high` (see `clustered`), the means of the cells' figures, `base_mae`,
        `base_sd`, `base_p95`, `base_spearman`, and, where the base is "random" and the retention
        one, `equals`: how many times as many random items err as little on average, with
        `equals_low` and `equals_high`, and `equals_p95`, the same in a bad draw; see
        `random_share`. nan elsewhere.
    """
    if ratios.is_empty():
        return pl.DataFrame()
    base = ratios["base"][0]
    others = cells.filter(pl.col("strategy") == base).select(
        *SETTING, *(pl.col(name).alias(f"base_{name}") for name in BASES)
    )
    both = (
        cells.join(
            ratios.select(*SETTING, "strategy", *RATIOS),
            on=[*SETTING, "strategy"],
            nulls_equal=True,
            maintain_order="left",
        )
        .join(others, on=list(SETTING), nulls_equal=True, maintain_order="left")
        .with_columns(pl.col(RATIOS).log())
    )
    names = [name for name in both["strategy"].unique(maintain_order=True) if name not in order]
    lines = [
        _with_worth({**named, "base": base, **_line(part)})
        for scope in _scopes(both)
        for named, part in _groups(*scope, [*order, *names])
    ]
    return pl.DataFrame(lines, infer_schema_length=None, schema_overrides={"retention": pl.Float64})


def _with_worth(line: dict[str, Any]) -> dict[str, Any]:
    """Add what the ratios are in random items, for as many as the subset has."""
    retention = line["retention"]
    known = line["base"] == RANDOM and retention is not None
    return line | {
        name: random_share(line[ratio], retention) if known else float("nan")
        for ratio, name in WORTH
    }


def _scopes(both: pl.DataFrame) -> Iterator[tuple[str, float | None, pl.DataFrame]]:
    """Return all cells, then those of each kind, of each retention, and of each of both."""
    kinds = [ALL, *both["kind"].drop_nulls().unique().sort()]
    for kind in kinds:
        of_kind = both if kind == ALL else both.filter(pl.col("kind") == kind)
        yield kind, None, of_kind
        for retention in of_kind["retention"].unique().sort():
            yield kind, retention, of_kind.filter(pl.col("retention") == retention)


def _groups(
    kind: str, retention: float | None, part: pl.DataFrame, order: list[str]
) -> Iterator[tuple[dict[str, Any], pl.DataFrame]]:
    """Return the cells of each strategy in each setting, with the columns that name them."""
    for key, setting in part.group_by(*GROUP, maintain_order=True):
        named = dict(zip(GROUP, key, strict=True))
        for strategy in order:
            group = setting.filter(pl.col("strategy") == strategy)
            if not group.is_empty():
                yield (
                    {**named, "strategy": strategy, "kind": kind, "retention": retention},
                    group,
                )


def _line(group: pl.DataFrame) -> dict[str, Any]:
    """Average one group: first within each benchmark and metric, then over them."""
    names = [*MEANS, *(f"base_{name}" for name in BASES), *RATIOS]
    units = group.group_by("benchmark", "metric", "family", maintain_order=True).agg(
        pl.col(names).drop_nans().mean()
    )
    line: dict[str, Any] = {
        "benchmarks": units["benchmark"].n_unique(),
        "families": units["family"].n_unique(),
    }
    for name in RATIOS:
        logs = units.filter(pl.col(name).is_not_null() & pl.col(name).is_finite())
        mean = clustered(logs[name].to_numpy(), logs["family"].to_list())
        line |= {
            name: float(np.exp(mean.mean)),
            name.replace("ratio", "low"): float(np.exp(mean.low)),
            name.replace("ratio", "high"): float(np.exp(mean.high)),
        }
    for name in names[: -len(RATIOS)]:
        value = units[name].mean()
        line[name] = float("nan") if value is None else value
    return line


class ClusterMean(NamedTuple):
    """A mean over benchmarks with its 95 % interval; nan for no benchmark, open for one family.

    Attributes:
        mean: over benchmarks, each the same.
        low: lower end; nan where there is a single family.
        high: upper end.
    """

    mean: float
    low: float
    high: float


def clustered(values: FloatArray, families: list[str]) -> ClusterMean:
    r"""Average benchmarks, those of one family not being independent.

    $$ \mathrm{se}^2 = \frac{G}{G-1}\,\frac1{B^2}\sum_g \Bigl(\sum_{b\in g} (x_b-\bar x)\Bigr)^2 $$

    with G families of B benchmarks; t with G - 1 degrees of freedom.

    Examples:
        >>> clustered(np.array([1.0, 3.0]), ["a", "a"]).mean
        2.0
    """
    nan = float("nan")
    if not values.size:
        return ClusterMean(nan, nan, nan)
    mean = float(values.mean())
    names = sorted(set(families))
    if len(names) < 2:
        return ClusterMean(mean, nan, nan)
    off = values - mean
    belongs = np.array([[family == name for family in families] for name in names])
    sums = belongs @ off
    n_families = len(names)
    se = np.sqrt(n_families / (n_families - 1) * (sums**2).sum()) / values.size
    half = float(t_quantile(LEVEL, np.array([n_families - 1.0]))[0] * se)
    return ClusterMean(mean, mean - half, mean + half)

"""What a report draws beyond summaries: distributions, stability, the law's bars, precision."""

from typing import Any

import numpy as np
import polars as pl

from bestrand.study.averages import ALL, GROUP
from bestrand.study.columns import SETTING
from bestrand.study.law import PERCENTILES
from bestrand.types import FloatArray


PERCENTS = (5, 25, 50, 75, 95)
STATISTICS = ("mae", "sd", "p95", "high_70", "high_mean", "spearman", "coverage", "pair_coverage")
N_BINS = 30
PLACE = ("benchmark", "kind", "metric", "matched", "split", "retention", "n")


def distributions(rows: pl.DataFrame) -> pl.DataFrame:
    """Return percentiles of the replicates' MAE, one line a cell.

    Args:
        rows: of a `StudyTable`, those that are to be drawn.

    Returns:
        `SETTING`, `strategy`, `replicates`, and the percentiles `q5`, `q25`, `q50`, `q75` and
        `q95` of the MAE, in the metric's unit; in the order of the rows.
    """
    percentiles = [pl.col("mae").quantile(p / 100, "linear").alias(f"q{p}") for p in PERCENTS]
    return rows.group_by(*SETTING, "strategy", maintain_order=True).agg(
        pl.len().alias("replicates"), *percentiles
    )


def stability(cells: pl.DataFrame, strategy: str, base: str = "random") -> pl.DataFrame:
    """Set mean and spread over seeds of one strategy beside a base's, one line a setting.

    Args:
        cells: what `summary.cells` gave.
        strategy: its name.
        base: name of the other.

    Returns:
        `experiment`, the setting, `replicates`, and `mae`, `sd` and `p95` with their Monte Carlo
        errors `_se`, of the strategy and, as `base_`, of the base; `both_lower` says whether mean
        and spread are lower. Only settings in which both ran.
    """
    figures = [f"{name}{end}" for name in ("mae", "sd", "p95") for end in ("", "_se")]
    of = cells.filter(pl.col("strategy") == strategy)
    other = cells.filter(pl.col("strategy") == base).select(
        *SETTING, *(pl.col(name).alias(f"base_{name}") for name in figures)
    )
    both = of.join(other, on=list(SETTING), nulls_equal=True, maintain_order="left")
    lower = (pl.col("mae") < pl.col("base_mae")) & (pl.col("sd") < pl.col("base_sd"))
    return both.select(
        "experiment",
        *PLACE,
        "replicates",
        *figures,
        *(f"base_{name}" for name in figures),
        lower.alias("both_lower"),
    )


def law_bars(law: FloatArray, draws: FloatArray) -> pl.DataFrame:
    """Return the histogram of draws, and what the law expects in each bin.

    Args:
        law: (99,) percentiles 1 to 99 of the law.
        draws: (R,) errors that were drawn.

    Returns:
        One line a bin: `low`, `high`, `middle`, `share` of the draws, and `expected`, the law's
        share; null below its 1st and above its 99th percentile, where it is unknown.
    """
    top = float(max(draws.max(), law[-1])) or 1.0
    counts, edges = np.histogram(draws, bins=N_BINS, range=(0.0, top))
    below = np.interp(edges, law, PERCENTILES)
    known = (edges[:-1] >= law[0]) & (edges[1:] <= law[-1])
    return pl.DataFrame(
        {
            "low": edges[:-1],
            "high": edges[1:],
            "middle": (edges[1:] + edges[:-1]) / 2,
            "share": counts / draws.size,
            "expected": np.where(known, np.diff(below), np.nan),
        }
    ).with_columns(pl.col("expected").fill_nan(None))


def precision(cells: pl.DataFrame) -> pl.DataFrame:
    r"""Return the Monte Carlo errors of averages over benchmarks.

    $$ \mathrm{se} = \frac1B \sqrt{\sum_b \Bigl(\tfrac1{C_b} \sum_c \mathrm{se}_{bc}\Bigr)^2} $$

    Benchmarks are drawn from independently. The C_b cells of one share their splits and seeds, so
    their errors are added up as if they all went one way, which is never too little.

    Args:
        cells: what `summary.cells` gave.

    Returns:
        One line for each `GROUP`, `kind` ("all" for all) and `retention` (null for all), with
        `_se` of each of `STATISTICS`; nan where a cell has none.
    """
    if cells.is_empty():
        return pl.DataFrame()
    kinds = [ALL, *cells["kind"].drop_nulls().unique().sort()]
    shares = [None, *cells["retention"].unique().sort()]
    lines = [
        {**dict(zip(GROUP, key, strict=True)), "kind": kind, "retention": share, **_errors(group)}
        for kind in kinds
        for share in shares
        for key, group in cells.filter(
            (pl.lit(kind) == ALL) | pl.col("kind").eq_missing(pl.lit(kind)),
            pl.lit(share is None) | (pl.col("retention") == pl.lit(share or 0.0)),
        ).group_by(*GROUP, maintain_order=True)
    ]
    return pl.DataFrame(lines, infer_schema_length=None)


def _errors(group: pl.DataFrame) -> dict[str, Any]:
    """Return the errors of one group's averages; benchmarks are independent, cells are not."""
    names = [f"{name}_se" for name in STATISTICS]
    units = group.group_by("benchmark", "metric", maintain_order=True).agg(pl.col(names).mean())
    return {
        name: float(np.sqrt((units[name].to_numpy() ** 2).sum()) / units.height) for name in names
    }

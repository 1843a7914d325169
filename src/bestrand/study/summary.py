"""Summaries of a study: cells with Monte Carlo errors, and paired ratios."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from bestrand.rng import Stream
from bestrand.stats.intervals import t_quantile
from bestrand.stats.monte_carlo import mean_and_error, quantile_error
from bestrand.study.columns import LOSSES, SETTING
from bestrand.types import FloatArray, IntArray


LEVEL = 0.95
TAIL = 0.95
N_RESAMPLES = 1000
PRIOR = 2  # replicates above and below, added to a share before its error is taken
TYPES: dict[str, type[pl.DataType] | pl.DataType] = {
    "kind": pl.String,
    "known": pl.Float64,
    "retention": pl.Float64,
}
COSTS = ("cost_construction", "cost_total", "forecast_mean", "forecast_p95")
MEANS = tuple(name for name in LOSSES if name not in COSTS)


def cells(rows: pl.DataFrame) -> pl.DataFrame:
    """Summarise the replicates of every cell, each figure with its Monte Carlo error.

    Args:
        rows: of a `StudyTable`.

    Returns:
        One row a cell: `SETTING`, `figure`, `strategy`, `replicates`, the means of the losses, each
        with `_se`, costs and forecasts, and what `spread` gives. `high_70` and `high_mean` are the
        shares of replicates whose MAE is strictly above the 70th percentile and the mean of
        Random's in the same cell, the threshold taken as given; nan where there is no Random.
        A mean is over the replicates in which the loss is defined, nan where there is none.
    """
    if rows.is_empty():
        return pl.DataFrame()
    random = {key: part["mae"].to_numpy() for key, part in _parts(rows) if key[-1] == "random"}
    lines = []
    for key, part in _parts(rows):
        mae = part["mae"].to_numpy()
        base = random.get((*key[:-1], "random"))
        line = dict(zip((*SETTING, "strategy"), key, strict=True))
        line |= {"figure": part["figure"][0].to_list(), "replicates": len(mae)}
        for name in MEANS:
            line[name], line[f"{name}_se"] = mean_and_error(part[name].to_numpy())
        line |= {name: mean_and_error(part[name].to_numpy())[0] for name in COSTS}
        line |= spread(mae)._asdict()
        for name, level in (("high_70", 0.7), ("high_mean", None)):
            line[name], line[f"{name}_se"] = high_error(mae, base, level)
        lines.append(line)
    return pl.DataFrame(lines, infer_schema_length=None, schema_overrides=TYPES)


class ReplicateSpread(NamedTuple):
    """How far replicates lie apart.

    Attributes:
        sd: standard deviation; nan for one replicate.
        sd_se: its error, by the delta method from the fourth moment.
        p95: 95th percentile, between order statistics.
        p95_se: its error, see `quantile_error`.
    """

    sd: float
    sd_se: float
    p95: float
    p95_se: float


def spread(values: FloatArray) -> ReplicateSpread:
    """Return standard deviation and 95th percentile of replicates, with Monte Carlo errors."""
    n = values.size
    p95 = float(np.quantile(values, TAIL))
    if n < 2:
        return ReplicateSpread(float("nan"), float("nan"), p95, float("nan"))
    variance = values.var(ddof=1)
    fourth = ((values - values.mean()) ** 4).mean()
    of_variance = max(fourth - variance**2 * (n - 3) / (n - 1), 0.0) / n
    sd = float(np.sqrt(variance))
    sd_se = float(np.sqrt(of_variance) / (2 * sd)) if sd > 0 else 0.0
    return ReplicateSpread(sd, sd_se, p95, quantile_error(values, TAIL))


def high_error(
    values: FloatArray, base: FloatArray | None, level: float | None
) -> tuple[float, float]:
    """Return the share of replicates strictly above a threshold of the base's, and its error.

    The error is that of the share with two replicates above and two below added, so that none of n
    is not taken for certain (Agresti and Coull, 1998).

    Args:
        values: (R,) MAE of a strategy.
        base: (R,) MAE of Random in the same cell, or None.
        level: the base's quantile that is the threshold; its mean if None.
    """
    if base is None:
        return float("nan"), float("nan")
    threshold = base.mean() if level is None else np.quantile(base, level)
    above, n = int((values > threshold).sum()), values.size
    moved = (above + PRIOR) / (n + 2 * PRIOR)
    return above / n, float(np.sqrt(moved * (1 - moved) / (n + 2 * PRIOR)))


def ratios(rows: pl.DataFrame, base: str = "random") -> pl.DataFrame:
    """Set every strategy beside a base, on the replicates that both have.

    Args:
        rows: of a `StudyTable`.
        base: name of a strategy.

    Returns:
        One row a cell in which both ran: `SETTING`, `strategy`, `base`, and what `paired` gives.
    """
    lines = []
    bases = {key[:-1]: part for key, part in _parts(rows) if key[-1] == base}
    for key, part in _parts(rows):
        other = bases.get(key[:-1])
        if other is None:
            continue
        both = part.select("replicate", "mae").join(
            other.select("replicate", pl.col("mae").alias("base")), on="replicate"
        )
        if both.is_empty():
            continue
        found = paired(both["mae"].to_numpy(), both["base"].to_numpy())
        named = dict(zip((*SETTING, "strategy"), key, strict=True))
        lines.append({**named, "base": base, **found._asdict()})
    return pl.DataFrame(lines, infer_schema_length=None, schema_overrides=TYPES)


class ErrorRatio(NamedTuple):
    """One strategy's errors over another's, on the same replicates.

    Attributes:
        mae_ratio: of the means; nan where the base does not err.
        mae_low: lower end of its 95 % interval, t on the log by the paired delta method.
        mae_high: upper end.
        p95_ratio: of the 95th percentiles.
        p95_low: lower end of its 95 % interval, from 1000 paired resamples of the replicates.
        p95_high: upper end.
        sd_ratio: of the standard deviations.
    """

    mae_ratio: float
    mae_low: float
    mae_high: float
    p95_ratio: float
    p95_low: float
    p95_high: float
    sd_ratio: float


def paired(values: FloatArray, base: FloatArray) -> ErrorRatio:
    r"""Compare two strategies, replicates as units.

    $$ \mathrm{se}^2(\log \bar a/\bar b) = \tfrac1R\,\mathrm{Var}_r(a_r/\bar a - b_r/\bar b) $$
    """
    n, top, bottom = values.size, values.mean(), base.mean()
    if top <= 0 or bottom <= 0:
        return ErrorRatio(*[float("nan")] * 7)
    log = np.log(top / bottom)
    p95 = float(np.quantile(values, TAIL) / np.quantile(base, TAIL))
    if n < 2:
        unknown = float("nan")
        return ErrorRatio(float(np.exp(log)), unknown, unknown, p95, unknown, unknown, unknown)
    se = (values / top - base / bottom).std(ddof=1) / np.sqrt(n)
    half = float(t_quantile(LEVEL, np.array([n - 1.0]))[0] * se)
    again = _resamples(n)
    tails = _tail(values[again]) / _tail(base[again])
    low, high = np.quantile(tails, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    spread_of_base = base.std(ddof=1)
    return ErrorRatio(
        mae_ratio=float(np.exp(log)),
        mae_low=float(np.exp(log - half)),
        mae_high=float(np.exp(log + half)),
        p95_ratio=p95,
        p95_low=float(low),
        p95_high=float(high),
        sd_ratio=float(values.std(ddof=1) / spread_of_base) if spread_of_base > 0 else np.nan,
    )


def _tail(values: FloatArray) -> FloatArray:
    """Return each row's quantile at TAIL, between order statistics, without sorting the rows."""
    place = TAIL * (values.shape[1] - 1)
    below = int(place)
    above = min(below + 1, values.shape[1] - 1)
    parted = np.partition(values, (below, above), axis=1)
    step = place - below
    return np.asarray((1 - step) * parted[:, below] + step * parted[:, above])


@lru_cache(maxsize=16)
def _resamples(n: int) -> IntArray:
    """Draw the replicates of each resample, the same for all cells of n; (N_RESAMPLES, n)."""
    rng = Stream.of(0, "resamples", f"{n}").generator()
    return rng.integers(0, n, size=(N_RESAMPLES, n))


def _parts(rows: pl.DataFrame) -> Iterator[tuple[tuple[Any, ...], pl.DataFrame]]:
    """Take the table apart by cell, in the order of the table."""
    return iter(rows.group_by(*SETTING, "strategy", maintain_order=True))

"""Claims: what a study must show, read from a file and checked against its averages."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Self

import numpy as np
import polars as pl
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from bestrand.errors import FileError
from bestrand.record import MaybeNumber, Record
from bestrand.study.averages import ALL
from bestrand.study.table import StudyTable
from bestrand.study.toml import first_problem, read_toml


Outcome = Literal["passed", "failed", "empty"]
Statistic = Literal[
    "mae_ratio",
    "p95_ratio",
    "sd_ratio",
    "mae",
    "sd",
    "p95",
    "high_70",
    "high_mean",
    "spearman",
    "kendall",
    "coverage",
    "width",
    "pair_coverage",
    "pair_width",
    "cost_construction",
    "cost_total",
]


class Claim(BaseModel):
    """One claim about an average over benchmarks.

    Attributes:
        strategy: of which strategy.
        base: the strategy that ratios are to.
        statistic: which figure of `StudyTable.averages`.
        at_most: it is this or less.
        at_least: it is this or more.
        by: "value", the figure meets the bound; "interval", its whole 95 % interval does, which
            only ratios have.
        kind: of one kind of benchmark; default: all of them.
        retention: at one retention; default: over all of them.
        experiment: in one experiment; default: in each that has the strategy.
        split: with one split; default: with each.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    strategy: str
    base: str = "random"
    statistic: Statistic
    at_most: float | None = None
    at_least: float | None = None
    by: Literal["value", "interval"] = "value"
    kind: str = ALL
    retention: float | None = Field(default=None, gt=0, le=1)
    experiment: str | None = None
    split: str | None = None

    @model_validator(mode="after")
    def _has_a_bound(self) -> Self:
        if self.at_most is None and self.at_least is None:
            raise ValueError("give `at_most`, `at_least` or both")
        if self.by == "interval" and not self.statistic.endswith("_ratio"):
            raise ValueError("only ratios have an interval; take by = 'value'")
        return self

    def __str__(self) -> str:
        """Write the claim in a line."""
        bounds = [
            f"{word} {bound:g}"
            for word, bound in (("at least", self.at_least), ("at most", self.at_most))
            if bound is not None
        ]
        where = [] if self.kind == ALL else [self.kind]
        where += [] if self.retention is None else [f"{self.retention:.0%}"]
        where += [word for word in (self.experiment, self.split) if word]
        to = f" to {self.base}" if self.statistic.endswith("_ratio") else ""
        place = f" ({', '.join(where)})" if where else ""
        return f"{self.strategy}: {self.statistic}{to} {' and '.join(bounds)}{place}"


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    claim: tuple[Claim, ...] = Field(min_length=1)


@dataclass(frozen=True, slots=True)
class ClaimResult(Record):
    """A claim that was checked.

    Attributes:
        claim: in a line.
        outcome: "passed"; "failed"; "empty" where no cell speaks of it, which counts as failed.
        value: the figure; of several, the one that is furthest from holding; nan where empty.
        low: lower end of its interval; nan where it has none.
        high: upper end.
        cells: how many averages the claim was checked on.
        text: what was found, in words.
    """

    claim: str
    outcome: Outcome
    value: MaybeNumber
    low: MaybeNumber
    high: MaybeNumber
    cells: int
    text: str


def read_claims(path: str | Path) -> tuple[Claim, ...]:
    """Read a TOML file with a list of tables `claim`.

    Raises:
        FileError: it is none; says which key is wrong.
    """
    path = Path(path)
    content = read_toml(path, "a list of [[claim]]")
    try:
        return _File.model_validate(content).claim
    except ValidationError as error:
        said = first_problem(error, "file of claims", _fields_at)
        raise FileError(said, path=path) from error


def _fields_at(place: Sequence[int | str]) -> list[str]:
    return list((Claim if place[0] == "claim" else _File).model_fields)


def check_claims(table: StudyTable, claims: Sequence[Claim]) -> tuple[ClaimResult, ...]:
    """Check each claim against the averages of a study."""
    by_base = {base: table.averages(base) for base in {claim.base for claim in claims}}
    return tuple(_check(claim, by_base[claim.base]) for claim in claims)


def _check(claim: Claim, averages: pl.DataFrame) -> ClaimResult:
    rows = averages if averages.is_empty() else averages.filter(_meant(claim))
    values = np.array([] if rows.is_empty() else rows[claim.statistic].to_list(), dtype=np.float64)
    if not np.isfinite(values).any():
        nan = float("nan")
        text = "No cell matches it: look at the names, and at which cells are empty."
        return ClaimResult(str(claim), "empty", nan, nan, nan, 0, text)
    name = claim.statistic.removesuffix("_ratio")
    has_interval = claim.statistic.endswith("_ratio")
    lows = rows[f"{name}_low"].to_numpy() if has_interval else np.full(values.size, np.nan)
    highs = rows[f"{name}_high"].to_numpy() if has_interval else np.full(values.size, np.nan)
    tops, bottoms = (highs, lows) if claim.by == "interval" else (values, values)
    over = np.zeros(values.size) if claim.at_most is None else tops - claim.at_most
    under = np.zeros(values.size) if claim.at_least is None else claim.at_least - bottoms
    beyond = np.where(np.isnan(over) | np.isnan(under), np.inf, np.maximum(over, under))
    worst = int(beyond.argmax())
    outcome: Outcome = "passed" if beyond[worst] <= 0 else "failed"
    known = has_interval and not np.isnan(lows[worst])
    span = f" ({lows[worst]:.4g} to {highs[worst]:.4g})" if known else ""
    of = f", the furthest off of {values.size}" if values.size > 1 else ""
    text = f"It is {values[worst]:.4g}{span}{of}."
    return ClaimResult(
        claim=str(claim),
        outcome=outcome,
        value=float(values[worst]),
        low=float(lows[worst]),
        high=float(highs[worst]),
        cells=values.size,
        text=text,
    )


def _meant(claim: Claim) -> pl.Expr:
    """Select the averages that a claim speaks of."""
    retention = pl.col("retention")
    meant = (pl.col("strategy") == claim.strategy) & (pl.col("kind") == claim.kind)
    if claim.retention is None:
        meant &= retention.is_null()
    else:
        meant &= (retention - claim.retention).abs() < 1e-9
    for name, wanted in (("experiment", claim.experiment), ("split", claim.split)):
        if wanted is not None:
            meant &= pl.col(name) == wanted
    return meant

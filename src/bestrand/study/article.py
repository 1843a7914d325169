"""The article's figures, to be set beside those of a study on other matrices.

Ours need not equal them: the benchmarks, the models and the probes are others.

References:
    Random Is Almost Enough? Stable and Low-Cost Benchmark Compression via BestRand (2026). Bosch
    Research and Carnegie Mellon University.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from bestrand.record import MaybeNumber, Record
from bestrand.study.averages import ALL
from bestrand.study.table import StudyTable


KINDS = ("text", "multimodal", "agent")
TINY, ZIP = "gp-irt", "zipbench"  # the names under which the article's rivals run here
# errors in the unit of the scores, shares of 1
MAE = {
    "bestrand": (0.0292, 0.0287, 0.0543),
    "random": (0.0347, 0.0324, 0.0614),
    TINY: (0.0365, 0.0340, 0.0627),
    ZIP: (0.0323, 0.0319, 0.0601),
}
HIGH_70 = {"bestrand": (0.128, 0.155, 0.140), "random": (0.292, 0.300, 0.294)}
HIGH_MEAN = {"bestrand": (0.219, 0.268, 0.232), "random": (0.399, 0.424, 0.404)}
SPEARMAN = {"bestrand": 0.922, "random": 0.921}
RHO = {"min": 0.07, "median": 0.33, "mean": 0.35}
COST = {0.02: 0.080, None: 0.513}
HELLASWAG = {"random": (0.0267, 0.0150), "bestrand": (0.0181, 0.0074)}
TRANSFER = {"bestrand": 0.0169, "random": 0.0195, ZIP: 0.0219, TINY: 0.0236}
# benchmark -> retention -> (random, bestrand on success, bestrand on all metrics)
DRIVING: dict[str, dict[float, tuple[float, float, float | None]]] = {
    "bench2drive": {0.5: (0.0199, 0.0189, 0.0147), 0.35: (0.0284, 0.0246, 0.0200)},
    "fail2drive_200": {0.5: (0.0256, 0.0214, None), 0.35: (0.0338, 0.0288, None)},
}


@dataclass(frozen=True, slots=True)
class Beside(Record):
    """One figure of the article beside ours.

    Attributes:
        figure: number of the article's experiment.
        what: in words.
        article: the article's figure.
        ours: the study's; nan where it has none.
        unit: "points" where a figure is an error to be shown times 100, "share" or "number".
    """

    figure: int
    what: str
    article: float
    ours: MaybeNumber
    unit: str


def set_beside(table: StudyTable, averages: pl.DataFrame) -> tuple[Beside, ...]:
    """Set the article's figures beside those of a study that ran its experiments."""
    if averages.is_empty():
        return ()
    cells = table.cells()
    return (
        *_sizes(averages),
        *_theory(table),
        *_stability(cells),
        *_transfer(averages),
        *_driving(cells),
    )


def _sizes(averages: pl.DataFrame) -> Iterator[Beside]:
    named = (
        (1, "mae", "MAE over all sizes", MAE, "points"),
        (2, "high_70", "share above Random's 70th percentile", HIGH_70, "share"),
        (2, "high_mean", "share above Random's mean", HIGH_MEAN, "share"),
    )
    for figure, column, words, figures, unit in named:
        for strategy, values in figures.items():
            experiment = "sizes" if strategy in ("random", "bestrand") else "sources, 10 known"
            for kind, value in zip(KINDS, values, strict=True):
                rows = averages.filter(
                    (pl.col("experiment") == experiment)
                    & (pl.col("strategy") == strategy)
                    & (pl.col("kind") == kind)
                    & pl.col("retention").is_null()
                )
                yield Beside(
                    figure, f"{strategy}, {kind}: {words}", value, _one(rows, column), unit
                )
    sizes = averages.filter(pl.col("experiment") == "sizes")
    for strategy, value in SPEARMAN.items():
        rows = sizes.filter(
            (pl.col("strategy") == strategy)
            & (pl.col("kind") == "text")
            & pl.col("retention").is_null()
        )
        words = f"{strategy}, text: Spearman over all sizes"
        yield Beside(5, words, value, _one(rows, "spearman"), "number")
    best = sizes.filter((pl.col("strategy") == "bestrand") & (pl.col("kind") == ALL))
    for retention, value in COST.items():
        rows = best.filter(pl.col("retention").eq_missing(pl.lit(retention, pl.Float64)))
        rows = rows.with_columns(pl.col("cost_construction") / pl.col("known"))
        where = "on average" if retention is None else f"at {retention:.0%}"
        words = f"bestrand: construction over that on all items, {where}"
        yield Beside(6, words, value, _one(rows, "cost_construction"), "share")


def _theory(table: StudyTable) -> Iterator[Beside]:
    rho = table.theory.unique("benchmark", maintain_order=True)["rho"].drop_nans()
    for name, value in RHO.items():
        ours = getattr(rho, name)() if rho.len() else None
        words = f"rho over benchmarks, {name}"
        yield Beside(4, words, value, float("nan") if ours is None else float(ours), "number")


def _stability(cells: pl.DataFrame) -> Iterator[Beside]:
    for strategy, (mean, sd) in HELLASWAG.items():
        rows = cells.filter(
            (pl.col("experiment") == "sizes")
            & (pl.col("benchmark") == "opencompass_hellaswag")
            & (pl.col("strategy") == strategy)
            & (pl.col("retention") == 0.02)
        )
        yield Beside(8, f"{strategy}, HellaSwag, 2%: mean MAE", mean, _one(rows, "mae"), "points")
        yield Beside(8, f"{strategy}, HellaSwag, 2%: sd of MAE", sd, _one(rows, "sd"), "points")


def _transfer(averages: pl.DataFrame) -> Iterator[Beside]:
    for strategy, value in TRANSFER.items():
        cheap = strategy in ("random", "bestrand")
        rows = averages.filter(
            (pl.col("experiment") == f"out of distribution{'' if cheap else ', sources'}")
            & (pl.col("strategy") == strategy)
            & (pl.col("kind") == ALL)
            & (pl.col("retention") == 0.2)
        ).select(pl.col("mae").mean())
        words = f"{strategy}, out of distribution, 20%: MAE"
        yield Beside(9, words, value, _one(rows, "mae"), "points")


def _driving(cells: pl.DataFrame) -> Iterator[Beside]:
    for benchmark, by_size in DRIVING.items():
        for retention, values in by_size.items():
            named = (("random", "success"), ("bestrand", "success"), ("bestrand", "all metrics"))
            for (strategy, metrics), value in zip(named, values, strict=True):
                if value is None:
                    continue
                rows = cells.filter(
                    (pl.col("experiment") == f"driving, {metrics}")
                    & (pl.col("benchmark") == benchmark)
                    & (pl.col("strategy") == strategy)
                    & (pl.col("retention") == retention)
                ).select(pl.col("mae").mean())
                words = f"{strategy}, {benchmark}, {retention:.0%}, {metrics}: MAE"
                yield Beside(10, words, value, _one(rows, "mae"), "points")


def _one(rows: pl.DataFrame, column: str) -> float:
    """Take the figure, if it is there."""
    value = None if rows.is_empty() else rows[column][0]
    return float("nan") if value is None else float(value)

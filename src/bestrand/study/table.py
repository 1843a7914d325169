"""The table of a study: one row a replicate, and what is made of them."""

from dataclasses import dataclass
from functools import cached_property

import polars as pl

from bestrand.notes import Note
from bestrand.study import averages, summary
from bestrand.study.protocol import Protocol


@dataclass(frozen=True, eq=False)
class StudyTable:
    """What a study measured; errors are in the metric's unit.

    Attributes:
        rows: one a replicate. The cell: `experiment`, `figure` (the article's experiments it
            serves), `benchmark`, `kind` (null where unknown), `family` (cluster of benchmarks that
            share their models), `metric`, `matched` (the metrics that subsets were matched on,
            joined by +), `split`, `regime`, `known` (models known, as the protocol says: a count,
            or a share below 1), `n_known` (the same as a count), `retention`, `n`, `strategy`.
            Then `replicate` and its losses: `mae` over targets, `max_error`, `shift` (mean signed
            error), `spearman` and `kendall` (of estimated against full scores), `coverage` and
            `width` of the intervals, `pair_coverage` and `pair_width` of those of paired
            differences, `cost_construction` and `cost_total` (in full-benchmark runs of one
            model), `forecast_mean` and `forecast_p95` (of the MAE, from the probes alone). nan
            where a loss is not defined or was not asked for.
        empty: cells without rows, with the `reason`.
        theory: the law of the MAE beside Random's draws, all models being targets: `rho`,
            `sigma_c`, mean and 95th percentile of the law and of the draws, Kolmogorov's
            `distance` of the two, `law` (its percentiles 1 to 99) and `draws`.
        benchmarks: what the study was given, with the `reason` where one could not be used.
        protocol: what was asked for.
        seed: the one source of chance.
        missing: how many cells have not been computed yet.
        notes: what was noted when the benchmarks were read, by the benchmark's name.
    """

    rows: pl.DataFrame
    empty: pl.DataFrame
    theory: pl.DataFrame
    benchmarks: pl.DataFrame
    protocol: Protocol
    seed: int
    missing: int = 0
    notes: tuple[Note, ...] = ()

    def to_polars(self) -> pl.DataFrame:
        """Return the rows, one a replicate; the other frames are attributes."""
        return self.rows

    def cells(self) -> pl.DataFrame:
        """Summarise every cell; see `summary.cells`."""
        return self._cells

    @cached_property
    def _cells(self) -> pl.DataFrame:
        return summary.cells(self.rows)

    def ratios(self, base: str = "random") -> pl.DataFrame:
        """Set every cell beside the base's on the same replicates; see `summary.ratios`."""
        return summary.ratios(self.rows, base)

    def averages(self, base: str = "random") -> pl.DataFrame:
        """Average over benchmarks, all in all, by kind and retention; see `averages.averages`."""
        names = [s.name for e in self.protocol.experiments for s in e.planned]
        order = list(dict.fromkeys(names))
        return averages.averages(self.cells(), self.ratios(base), order)

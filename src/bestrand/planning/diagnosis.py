"""Diagnoses: what theory says of a matrix of scores, as records."""

from dataclasses import asdict, dataclass
from typing import Annotated, Literal

import polars as pl

from bestrand.notes import Note
from bestrand.planning.theory import PoolLeft, ShiftR2
from bestrand.record import HIDDEN, MaybeNumber, Record, as_key


Outlook = Literal["random is enough", "not explained", "small gain", "probes help", "unknown"]


@dataclass(frozen=True, slots=True)
class AtRetention(Record):
    """What to expect at one size of the subset, in the metric's unit.

    Attributes:
        retention: n / N.
        n: items.
        sigma_c: standard deviation of the shift that all models share, under random sampling.
        random_mean: expected mean absolute error over models of a simple random subset.
        random_p95: its 95th percentile.
        exceedance: probability that it is above the threshold.
        exceedance_bound: what the shift alone makes of it, 2 (1 - Phi(threshold / sigma_c)): no
            number of models of this kind brings the probability lower.
        lower_end: smallest error that many such models can have; nan for one model.
        mode: most likely error, of as many models as there are.
        mode_rate: mode less lower end is about this over the root of the number of models, if
            these are many.
        shift_explained: standard deviation of the part of the shift that the probes' means tell.
        shift_rest: of the rest. The two are uncorrelated, and their squares sum to sigma_c^2.
        pools: what choice from pools of several sizes leaves of the shift's variance.
        balanced_mean: forecast of a subset balanced on the probes, from a pool of 4n, or from the
            pool that was given; nan where the subset would be larger than that pool.
        balanced_p95: its 95th percentile.
    """

    retention: float
    n: int
    sigma_c: float
    random_mean: float
    random_p95: float
    exceedance: float
    exceedance_bound: float
    lower_end: MaybeNumber
    mode: MaybeNumber
    mode_rate: MaybeNumber
    shift_explained: MaybeNumber
    shift_rest: MaybeNumber
    pools: tuple[PoolLeft, ...]
    balanced_mean: MaybeNumber
    balanced_p95: MaybeNumber


@dataclass(frozen=True, slots=True)
class ModelR2(Record):
    """One model, left out in turn.

    Attributes:
        model: its name.
        target_r2: share of the variance of its own item scores that the other models, as probes,
            explain; nan for a flat model, or the only one.
    """

    model: str
    target_r2: MaybeNumber


@dataclass(frozen=True, eq=False)
class Diagnosis(Record):
    """What theory says of a matrix of scores.

    Attributes:
        models: L models, each left out in turn.
        n_items: N, of the benchmark.
        n_scored: items that the scores are on: N, or fewer.
        pool: items of the pool; None if none was given.
        pool_items: their ids.
        metric: name of the metric.
        rho: mean correlation of two models' item scores; nan for one model.
        rho_low: lower end of its 95 % interval, by a jackknife over blocks of items.
        rho_high: upper end.
        effective_models: how many different models there are in effect, the participation ratio
            of the correlations' spectrum: L if all are uncorrelated, 1 if all are alike.
        target_r2: share of the variance of a model's own item scores that the others, as probes,
            explain, pooled over the models.
        shift_r2: share of the variance of the items' mean score over models that probes explain:
            of the shift that all models share. Some of the models are the probes, others the
            targets; see `planning.theory.shift_r2`.
        flat_items: items on which all models score the same.
        group_sizes: items of each group, or None.
        near_duplicates: pairs of models whose item scores correlate above .95.
        threshold: error above which a draw counts as bad, in the metric's unit.
        sizes: what to expect at each size.
        outlook: the verdict in two words.
        verdict: the verdict in a sentence or two.
        left_out_models: models left out for scores that are missing.
        left_out_items: items left out for scores that are missing.
        notes: what a reader should know.
    """

    models: tuple[ModelR2, ...]
    n_items: Annotated[int, as_key("items")]
    n_scored: Annotated[int, as_key("scored_items")]
    pool: int | None
    pool_items: Annotated[tuple[str, ...] | None, HIDDEN]
    metric: str
    rho: MaybeNumber
    rho_low: MaybeNumber
    rho_high: MaybeNumber
    effective_models: float
    target_r2: MaybeNumber
    shift_r2: ShiftR2
    flat_items: int
    group_sizes: Annotated[dict[str, int] | None, as_key("groups")]
    near_duplicates: tuple[tuple[str, str], ...]
    threshold: float
    sizes: tuple[AtRetention, ...]
    outlook: Outlook
    verdict: str
    left_out_models: Annotated[tuple[str, ...], HIDDEN]
    left_out_items: Annotated[tuple[str, ...], HIDDEN]
    notes: tuple[Note, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the models."""
        return tuple(row.model for row in self.models)

    def to_polars(self) -> pl.DataFrame:
        """Return what to expect, a row a size; pools are left out."""
        rows = [asdict(size) for size in self.sizes]
        return pl.DataFrame([{k: v for k, v in row.items() if k != "pools"} for row in rows])

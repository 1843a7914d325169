"""Backtest: how wrong would each model's estimate have been, had it been the target?"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Annotated

import numpy as np
import polars as pl

from bestrand.core.scores import ScoreMatrix, ScoreTable, matrix_of, notes_of, why_missing
from bestrand.designs.balanced import Balanced
from bestrand.designs.base import Design
from bestrand.errors import ArgumentError, InputError
from bestrand.estimators.base import Estimator
from bestrand.notes import Note
from bestrand.planning.checks import LeaveOut, whole_part
from bestrand.planning.leave_out import LeftOut, Settings, families_of, leave_out, one_draw
from bestrand.record import MaybeNumber, Record, as_key
from bestrand.rng import Stream
from bestrand.settings import whole_number
from bestrand.stats.monte_carlo import mean_and_error
from bestrand.stats.random_items import (
    RandomItems,
    in_random_items,
    jackknife_se,
    ratio_of_draws,
    ratio_with_se,
)
from bestrand.steps.arguments import require_size, subset_size
from bestrand.types import FloatArray


N_DRAWS = 100
N_BLOCKS = 50
LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class ModelErrors(Record):
    """Errors of one model had it been the target, in the metric's unit.

    Attributes:
        model: its name.
        family: its family, or None where none were given.
        n_draws: how many draws it was left out of.
        full: its full score.
        random_mean: mean size of the error with simple random subsets.
        random_mean_se: its Monte Carlo standard error.
        random_p95: 95th percentile of the size of the error.
        mean: mean size of the error with the design.
        mean_se: its Monte Carlo standard error.
        p95: 95th percentile of the size of the error.
        coverage: share of draws in which the interval held the full score.
    """

    model: str
    family: str | None
    n_draws: int
    full: float
    random_mean: float
    random_mean_se: MaybeNumber
    random_p95: float
    mean: float
    mean_se: MaybeNumber
    p95: float
    coverage: MaybeNumber


@dataclass(frozen=True, slots=True)
class Comparison(Record):
    """A figure of the design's errors over all models, beside Random's.

    Attributes:
        random: Random's, in the metric's unit.
        design: the design's.
        ratio: design / random.
        ratio_se: Monte Carlo standard error of the ratio, by a jackknife over draws.
    """

    random: float
    design: float
    ratio: MaybeNumber
    ratio_se: MaybeNumber


@dataclass(frozen=True, eq=False)
class Backtest(Record):
    """What would have happened on scores that are known in full.

    Attributes:
        metric: name of the metric.
        n_items: N.
        n: items of a subset.
        n_probes: K.
        n_pool: m.
        n_draws: draws in all.
        design: name of the design.
        estimator: name of what made its estimates.
        models: every model as a target, by name.
        mean: mean size of the error.
        p95: 95th percentile of the size of the error.
        coverage: share of intervals that held the full score.
        coverage_se: its Monte Carlo standard error, draws as units.
        random_coverage: the same of Random.
        worst_draw: 95th percentile over draws of the mean error over the models left out.
        equals: random items that err as little: by `mean`, and by `worst_draw`.
        notes: what a reader should know.
    """

    metric: str
    n_items: Annotated[int, as_key("items")]
    n: int
    n_probes: Annotated[int, as_key("probes")]
    n_pool: Annotated[int, as_key("pool")]
    n_draws: Annotated[int, as_key("draws")]
    design: str
    estimator: str
    models: tuple[ModelErrors, ...]
    mean: Comparison
    p95: Comparison
    coverage: MaybeNumber
    coverage_se: MaybeNumber
    random_coverage: MaybeNumber
    worst_draw: Comparison
    equals: RandomItems
    notes: tuple[Note, ...]

    def to_polars(self) -> pl.DataFrame:
        """Return every model as a target, a row a model."""
        return pl.DataFrame([asdict(row) for row in self.models], infer_schema_length=None)


def backtest(
    scores: ScoreTable | ScoreMatrix,
    n: int | None = None,
    *,
    retention: float | None = None,
    design: Design | None = None,
    estimator: Estimator | None = None,
    n_probes: int = 8,
    factor: float = 4.0,
    families: Mapping[str, str] | None = None,
    n_draws: int = N_DRAWS,
    missing: LeaveOut = "error",
    metric: str | None = None,
    seed: int = 0,
) -> Backtest:
    """Leave models out in turn, and see how wrong their estimates would have been.

    In every draw some models serve as probes and all others are targets whose scores are seen on
    the subset only; every model is left out about equally often. With families, no probe is ever
    of a target's family. Pool, subset and estimates are made as a user makes them; Random runs
    beside on simple random subsets of the same size.

    Args:
        scores: full scores of the models, without holes.
        n: items of the subset.
        retention: n as a share of the items, instead.
        design: how items are chosen; default: `Balanced()`.
        estimator: how full scores are inferred; default: what fits the design.
        n_probes: K; fewer where fewer models are there.
        factor: alpha, size of the pool over n.
        families: family of each model, by name.
        n_draws: how often every model is left out, at least.
        missing: what to do where a score is missing: "error" refuses; "models" leaves out each
            model that lacks one, "items" each item on which a model lacks one; N
            is what is left then.
        metric: which; default: the main one.
        seed: the one source of chance.

    Raises:
        ArgumentError: a number out of its range.
        InputError: fewer than two models, scores are missing and `missing` is
            "error", or models without a family.
        DesignError: the design needs what the scores do not have.
    """
    part = whole_part(matrix_of(scores, metric), "A backtest", missing, why_missing(scores))
    matrix = part.matrix
    size = subset_size(n, retention, matrix.frame.n)
    require_size(size, matrix.frame.n, "the number of items")
    n_probes, n_draws = whole_number(n_probes, "n_probes"), whole_number(n_draws, "n_draws")
    if n_probes < 1:
        raise ArgumentError(f"`n_probes` (--n-probes) must be 1 or more, got {n_probes}.")
    if n_draws < 2:
        raise ArgumentError(f"`n_draws` (--draws) must be 2 or more, got {n_draws}.")
    if len(matrix.models) < 2:
        raise InputError("A backtest needs two models or more: one to leave out, one to probe.")
    kin = families_of(matrix, families)
    settings = Settings(design or Balanced(), estimator, factor)
    chance = Stream.of(seed, "backtest")
    left_out = list(leave_out(matrix.models, kin, n_probes, n_draws, chance))
    draws = [
        one_draw(matrix, models, size, settings, int(chance.child(f"{number}").words(0, 1)[0]))
        for number, models in enumerate(left_out)
    ]
    ours = np.array([draw.ours for draw in draws])  # (draws, L)
    random = np.array([draw.random for draw in draws])
    held = np.array([draw.held for draw in draws])
    full = matrix.full_scores()
    mean, worst_draw = (_compare(random, ours, what) for what in (_mean_size, _p95_of_draws))
    return Backtest(
        metric=matrix.metric,
        n_items=matrix.frame.n,
        n=size,
        n_probes=max(len(models.probes) for models in left_out),
        n_pool=draws[0].n_pool,
        n_draws=len(draws),
        design=settings.design.name,
        estimator=draws[0].estimator,
        models=tuple(
            _of_model(
                model,
                None if kin is None else kin[model],
                float(full[j]),
                ours[:, j],
                random[:, j],
                held[:, j],
            )
            for j, model in enumerate(matrix.models)
        ),
        mean=mean,
        p95=_compare(random, ours, _p95_size),
        worst_draw=worst_draw,
        equals=in_random_items(
            ratio_with_se(mean.ratio, mean.ratio_se),
            ratio_of_draws(
                _of_draws(ours), _of_draws(random), chance.child("resamples"), level=LEVEL
            ),
            size,
            matrix.frame.n,
        ),
        coverage=_share(held),
        coverage_se=mean_and_error(_by_draw(held))[1],
        random_coverage=_share(np.array([draw.random_held for draw in draws])),
        notes=(*notes_of(scores), *part.notes, *_notes(left_out, n_probes, len(matrix.models))),
    )


def _notes(draws: Sequence[LeftOut], n_probes: int, n_models: int) -> list[Note]:
    """Say so where fewer models probe than were asked for, and where each draw has one target."""
    notes = []
    counts = sorted({len(models.probes) for models in draws})
    if counts[0] < n_probes:
        have = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
        text = (
            f"A draw has {have} {'probe' if counts == [1] else 'probes'}, not {n_probes}: there "
            f"are {n_models} models, and a target is no probe for itself or for its family."
        )
        notes.append(Note("fewer-probes", text))
    if all(len(models.targets) == 1 for models in draws):
        text = (
            "Every draw leaves out one model, so its mean error over the models left out is that "
            "model's error, and the two P95 of all models are the same number. Fewer probes leave "
            "out more models a draw."
        )
        notes.append(Note("one-left-out", text))
    return notes


def _of_model(
    model: str,
    family: str | None,
    full: float,
    ours: FloatArray,
    random: FloatArray,
    held: FloatArray,
) -> ModelErrors:
    there = ~np.isnan(ours)
    sizes, random_sizes = np.abs(ours[there]), np.abs(random[there])
    mean, mean_se = mean_and_error(sizes)
    random_mean, random_mean_se = mean_and_error(random_sizes)
    return ModelErrors(
        model=model,
        family=family,
        n_draws=int(there.sum()),
        full=full,
        random_mean=random_mean,
        random_mean_se=random_mean_se,
        random_p95=float(np.quantile(random_sizes, LEVEL)),
        mean=mean,
        mean_se=mean_se,
        p95=float(np.quantile(sizes, LEVEL)),
        coverage=_share(held[there]),
    )


def _by_draw(held: FloatArray) -> FloatArray:
    """Share held in each draw that has intervals."""
    there = ~np.isnan(held)
    counts = there.sum(axis=1)
    return np.asarray(np.where(there, held, 0.0).sum(axis=1)[counts > 0] / counts[counts > 0])


def _share(held: FloatArray) -> float:
    return float("nan") if np.isnan(held).all() else float(np.nanmean(held))


def _mean_size(errors: FloatArray) -> float:
    return float(np.nanmean(np.abs(errors)))


def _p95_size(errors: FloatArray) -> float:
    return float(np.nanquantile(np.abs(errors), LEVEL))


def _of_draws(errors: FloatArray) -> FloatArray:
    """Mean size of the error over the models left out, draw by draw."""
    return np.asarray(np.nanmean(np.abs(errors), axis=1))


def _p95_of_draws(errors: FloatArray) -> float:
    return float(np.quantile(_of_draws(errors), LEVEL))


def _compare(
    random: FloatArray, ours: FloatArray, figure: Callable[[FloatArray], float]
) -> Comparison:
    """Compare a figure of both, with the error of the ratio by a delete-a-group jackknife.

    References:
        Kott, P. S. (2001). The delete-a-group jackknife. Journal of Official Statistics 17(4).
    """
    base, own = figure(random), figure(ours)
    if base == 0.0:
        return Comparison(base, own, math.nan, math.nan)
    n_blocks = min(N_BLOCKS, len(random))
    block = np.arange(len(random)) % n_blocks
    without = np.array(
        [
            figure(ours[block != b]) / max(figure(random[block != b]), 1e-300)
            for b in range(n_blocks)
        ]
    )
    return Comparison(base, own, own / base, jackknife_se(without))

"""The demo: the main job on real data, with the truth hidden and then shown."""

from dataclasses import dataclass

import numpy as np

from bestrand.core.scores import ScoreMatrix
from bestrand.data import load
from bestrand.designs.balanced import Balanced
from bestrand.designs.base import Design
from bestrand.designs.best_rand import BestRand
from bestrand.designs.simple_random import SimpleRandom
from bestrand.estimators.mean import Mean
from bestrand.record import Record
from bestrand.rng import Stream
from bestrand.stats.random_items import RandomItems, in_random_items, ratio_of_draws
from bestrand.steps.draw_pool import draw_pool
from bestrand.steps.estimate import estimate
from bestrand.steps.select import select
from bestrand.types import FloatArray


N_SUBSET = 200
N_DRAWS = 200
# Small open models, cheap to run; the other 20 are the targets.
PROBES = (
    "Llama-2-7b-hf",
    "Meta-Llama-3-8B",
    "Mistral-7B-Instruct-v0.2",
    "Phi-3-mini-4k-instruct",
    "Qwen1.5-7B-Chat",
    "Yi-6B",
    "gemma-7b",
    "mathstral-7B",
)


@dataclass(frozen=True, slots=True)
class DemoTarget(Record):
    """One hidden target.

    Attributes:
        model: its name.
        estimate: its full score, from the subset.
        low: lower end of the interval.
        high: upper end of the interval.
        truth: its full score, which was hidden.
    """

    model: str
    estimate: float
    low: float
    high: float
    truth: float


@dataclass(frozen=True, slots=True)
class DemoErrors(Record):
    """Errors of one design over repeated draws, each the mean absolute error over targets.

    Attributes:
        design: its name.
        mean: over the draws, in the metric's unit.
        p95: 95th percentile over the draws.
        high_error: share of draws above the 70th percentile of `SimpleRandom`'s.
        equals: random items that err as little; None of `SimpleRandom`.
    """

    design: str
    mean: float
    p95: float
    high_error: float
    equals: RandomItems | None


@dataclass(frozen=True, slots=True)
class Demo(Record):
    """What the demo did and found: what `bestrand demo --json` prints.

    Attributes:
        items: N, of the benchmark.
        probes: models that ran the pool.
        pool: items of the pool.
        subset: items of the subset.
        level: confidence level of the intervals.
        targets: the hidden targets, estimated.
        draws: how often each design was drawn anew.
        errors: over these draws, of `SimpleRandom`, `BestRand` and `Balanced`.
        construction_cost: in full-benchmark runs of one model.
        cost_per_target: likewise.
    """

    items: int
    probes: tuple[str, ...]
    pool: int
    subset: int
    level: float
    targets: tuple[DemoTarget, ...]
    draws: int
    errors: tuple[DemoErrors, ...]
    construction_cost: float
    cost_per_target: float


def run_demo(*, n: int = N_SUBSET, n_draws: int = N_DRAWS, seed: int = 0) -> Demo:
    """Draw a pool of MMLU-Pro, choose n items by eight small models, estimate the other models.

    Args:
        n: size of the subset.
        n_draws: how often both designs are drawn anew to compare their errors.
        seed: random seed.
    """
    scores = load("mmlu_pro").matrix()
    probes = scores.take_models(PROBES)
    targets = scores.take_models([model for model in scores.models if model not in PROBES])
    pool = draw_pool(scores.frame, n, seed=seed)
    subset = select(probes, n, pool=pool, seed=seed)
    result = estimate(targets.take_items(subset.items), subset, probes=probes)
    designs = (SimpleRandom(), BestRand(), Balanced())
    values = [
        repeat(design, probes, targets, n=n, n_draws=n_draws, seed=seed + 1) for design in designs
    ]
    threshold = float(np.quantile(values[0], 0.7))
    errors = tuple(
        DemoErrors(
            design=design.name,
            mean=float(own.mean()),
            p95=float(np.quantile(own, 0.95)),
            high_error=float((own > threshold).mean()),
            equals=None if own is values[0] else _worth(own, values[0], n, scores.frame.n, seed),
        )
        for design, own in zip(designs, values, strict=True)
    )
    truth = targets.full_scores().tolist()
    return Demo(
        items=scores.frame.n,
        probes=subset.probes,
        pool=pool.n,
        subset=subset.n,
        level=result.level,
        targets=tuple(
            DemoTarget(row.model, row.estimate, row.low, row.high, full)
            for row, full in zip(result.rows, truth, strict=True)
        ),
        draws=n_draws,
        errors=errors,
        construction_cost=len(subset.probes) * pool.n / scores.frame.n,
        cost_per_target=subset.n / scores.frame.n,
    )


def _worth(own: FloatArray, random: FloatArray, n: int, n_frame: int, seed: int) -> RandomItems:
    """Count the random items that err as little, on average and in a bad draw."""
    stream = Stream.of(seed, "demo", "resamples")
    mean, p95 = (ratio_of_draws(own, random, stream, level) for level in (None, 0.95))
    return in_random_items(mean, p95, n, n_frame)


def repeat(
    design: Design,
    probes: ScoreMatrix,
    targets: ScoreMatrix,
    *,
    n: int,
    n_draws: int,
    seed: int,
) -> FloatArray:
    """Draw anew `n_draws` times and give each draw's mean absolute error over targets.

    `BestRand` is the article's method: a simple random pool and the plain mean.
    """
    truth = targets.full_scores()
    errors = np.empty(n_draws)
    for draw in range(n_draws):
        pool, probe_scores = None, None
        if design.uses_probes:
            how = SimpleRandom() if isinstance(design, BestRand) else None
            pool, probe_scores = draw_pool(probes.frame, n, design=how, seed=seed + draw), probes
        subset = select(probes, n, pool=pool, design=design, seed=seed + draw)
        seen = targets.take_items(subset.items)
        estimator = Mean() if isinstance(design, BestRand) else None
        estimates = estimate(seen, subset, probes=probe_scores, estimator=estimator).estimate
        errors[draw] = np.abs(estimates - truth).mean()
    return errors

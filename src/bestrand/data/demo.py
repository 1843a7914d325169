"""The demo: the main job on real data, with the truth hidden and then shown."""

from typing import NamedTuple

import numpy as np

from bestrand.core.estimates import Estimates
from bestrand.core.manifest import Manifest
from bestrand.core.scores import ScoreMatrix
from bestrand.data import load
from bestrand.designs.balanced import Balanced
from bestrand.designs.base import Design
from bestrand.designs.best_rand import BestRand
from bestrand.designs.simple_random import SimpleRandom
from bestrand.estimators.mean import Mean
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


class Errors(NamedTuple):
    """Errors of one design over repeated draws, each the mean absolute error over targets.

    Attributes:
        design: its name.
        values: (draws,) in the metric's unit.
        high_error: share of draws above the 70th percentile of `SimpleRandom`'s.
        equals: random items that err as little; None of `SimpleRandom`.
    """

    design: str
    values: FloatArray
    high_error: float
    equals: RandomItems | None = None


class Demo(NamedTuple):
    """What the demo did and saw.

    Attributes:
        pool: what the probes ran.
        subset: what the targets ran.
        result: the estimates.
        truth: (T,) full scores that were hidden.
        errors: over repeated draws, of `SimpleRandom`, `BestRand` and `Balanced`.
    """

    pool: Manifest
    subset: Manifest
    result: Estimates
    truth: FloatArray
    errors: tuple[Errors, ...]


def run_demo(*, n: int = N_SUBSET, n_draws: int = N_DRAWS, seed: int = 0) -> Demo:
    """Draw a pool of MMLU-Pro, choose n items by eight small models, estimate the other models.

    Args:
        n: size of the subset.
        n_draws: how often both designs are drawn anew to compare their errors.
        seed: the one source of chance.
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
        Errors(
            design.name,
            own,
            float((own > threshold).mean()),
            None if own is values[0] else _worth(own, values[0], n, scores.frame.n, seed),
        )
        for design, own in zip(designs, values, strict=True)
    )
    return Demo(pool, subset, result, targets.full_scores(), errors)


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

"""How many random items a subset equals: the forecast from probes, and what is measured.

For every matrix with 16 models or more, split at random into probes and targets: the forecast of
one pool, the measured ratio of mean errors to Random's, and whether random subsets of as many items
as the measured ratio says err as much as the subset.
Run: python benchmarks/worth.py DIR [--draws 80] [--splits 2] [--retentions 0.05 0.2]
"""

import argparse
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import bestrand as br
from bestrand.designs.base import Design
from bestrand.planning.equals import random_items_of
from bestrand.rng import Stream
from bestrand.stats.random_items import random_items
from bestrand.types import FloatArray


LEAST_MODELS = 16
N_RANDOM = 2000
# design, its models, and whether they know all items
WAYS: tuple[tuple[Design, int, bool], ...] = (
    (br.Balanced(), 8, False),
    (br.BestRand(), 8, False),
    (br.History(), 10, True),
)


def chosen(design: Design, probes: br.ScoreMatrix, n: int, seed: int, *, whole: bool) -> Any:  # noqa: ANN401
    """Draw a pool, unless the models know all items, and choose from it."""
    if whole:
        return None, br.select(probes, n, design=design, seed=seed)
    how = br.SimpleRandom() if isinstance(design, br.BestRand) else None
    pool = br.draw_pool(probes.frame, n, design=how, seed=seed)
    return pool, br.select(probes, n, pool=pool, design=design, seed=seed)


def own_errors(
    design: Design,
    probes: br.ScoreMatrix,
    targets: br.ScoreMatrix,
    n: int,
    draws: int,
    *,
    whole: bool,
) -> FloatArray:
    """Mean absolute errors over targets of subsets by the design; (draws,)."""
    truth, errors = targets.full_scores(), np.empty(draws)
    estimator = br.Mean() if isinstance(design, br.BestRand) else None
    for draw in range(draws):
        _, subset = chosen(design, probes, n, 1000 + draw, whole=whole)
        seen = targets.take_items(subset.items)
        result = br.estimate(seen, subset, probes=probes, estimator=estimator)
        errors[draw] = np.abs(result.estimate - truth).mean()
    return errors


def random_errors(targets: br.ScoreMatrix, n: int, stream: Stream) -> FloatArray:
    """Mean absolute errors over targets of simple random subsets; (N_RANDOM,)."""
    rng, truth = stream.generator(), targets.full_scores()
    subsets = (rng.permutation(targets.frame.n)[:n] for _ in range(N_RANDOM))
    return np.array([np.abs(targets.values[:, s].mean(axis=1) - truth).mean() for s in subsets])


def ratio_of(items: float, n: int, n_frame: int) -> float:
    """Turn random items back into a ratio of errors."""
    return math.sqrt((1 / items - 1 / n_frame) / (1 / n - 1 / n_frame))


def cases(matrix: br.ScoreMatrix, n: int, split: int, draws: int) -> Iterator[dict[str, Any]]:
    """Compare forecast and measurement of each way to choose on one split of the models."""
    order = Stream.of(split, "split").generator().permutation(len(matrix.models))
    names = [matrix.models[i] for i in order]
    for design, n_probes, whole in WAYS:
        probes = matrix.take_models(sorted(names[:n_probes]))
        targets = matrix.take_models(sorted(names[n_probes:]))
        pool, subset = chosen(design, probes, n, 7, whole=whole)
        worth = random_items_of(subset, probes, pool=pool)
        if worth is None:
            continue
        own = own_errors(design, probes, targets, n, draws, whole=whole)
        random = random_errors(targets, n, Stream.of(0, "random"))
        ratio, n_frame = own.mean() / random.mean(), matrix.frame.n
        items = random_items(ratio, n, n_frame)
        again = random_errors(targets, max(1, round(items)), Stream.of(1, "random"))
        noise = own.std(ddof=1) / math.sqrt(draws) / own.mean()
        ends = (ratio_of(worth.mean_high, n, n_frame), ratio_of(worth.mean_low, n, n_frame))
        yield {
            "design": design.name,
            "ratio": ratio,
            "forecast": ratio_of(worth.mean, n, n_frame) / ratio,
            "held": ends[0] * (1 - 2 * noise) <= ratio <= ends[1] * (1 + 2 * noise),
            "times": items / n,
            "again": again.mean() / own.mean(),
        }


def main() -> None:
    """Print a line a design."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--draws", type=int, default=80)
    parser.add_argument("--splits", type=int, default=2)
    parser.add_argument("--retentions", type=float, nargs="+", default=[0.05, 0.2])
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for path in sorted(options.folder.rglob("*.parquet")):
        try:
            matrix = br.read_scores(path).matrix(weighting="micro")
        except br.BestrandError:
            continue  # no scores: texts of items
        if matrix.missing.any() or len(matrix.models) < LEAST_MODELS:
            continue
        for retention in options.retentions:
            n = max(10, round(retention * matrix.frame.n))
            for split in range(options.splits):
                rows += cases(matrix, n, split, options.draws)
    for design in dict.fromkeys(row["design"] for row in rows):
        seen = [row for row in rows if row["design"] == design]
        forecast = np.log([row["forecast"] for row in seen])
        again = np.array([row["again"] for row in seen])
        print(
            f"{design}: {len(seen)} cases, ratio {np.mean([row['ratio'] for row in seen]):.3f}, "
            f"forecast over measured {np.exp(forecast.mean()):.3f} (rms of the log "
            f"{np.sqrt((forecast**2).mean()):.3f}), held {np.mean([r['held'] for r in seen]):.3f}, "
            f"X / n median {np.median([row['times'] for row in seen]):.2f}, random subsets of X "
            f"items err {again.mean():.3f} times as much (sd {again.std():.3f})"
        )


if __name__ == "__main__":
    main()

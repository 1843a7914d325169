"""BestRand or Balanced against SimpleRandom on real matrices: errors, coverage, width.

For every matrix with enough models, and every retention: draw probes at random, a pool, a subset of
each design, estimate the other models, compare with the truth; the same probes, pool and seed for
both. `bestrand` is the article's method to the letter (simple random pool, plain mean), `balanced`
what `select` and `estimate` do unless told otherwise.
Run: python benchmarks/accuracy.py DIR [--strategy bestrand] [--seeds 100] [--retentions 0.05 0.2]
"""

import argparse
import json
import math
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

import bestrand as br
from bestrand.rng import Stream
from bestrand.stats.intervals import t_quantile
from bestrand.types import FloatArray


N_PROBES = 8


def covers(low: FloatArray, high: FloatArray, truth: FloatArray) -> float:
    """Share of intervals that hold the truth."""
    return float(((low <= truth + 1e-12) & (truth - 1e-12 <= high)).mean())


def one_seed(
    matrix: br.ScoreMatrix, retention: float, seed: int, strategy: str = "bestrand"
) -> dict[str, Any]:
    """One paired replicate of both designs."""
    rng = Stream.of(seed, "probes").generator()
    names = list(rng.permutation(np.array(matrix.models, dtype=object)))
    probes = matrix.take_models(sorted(names[:N_PROBES]))
    targets = matrix.take_models(sorted(names[N_PROBES:]))
    truth = targets.full_scores()
    n = max(1, round(retention * matrix.frame.n))
    plain = strategy == "bestrand"
    how = br.SimpleRandom() if plain else None
    pool = br.draw_pool(matrix.frame, n, design=how, seed=seed)
    best = br.select(probes, n, pool=pool, design=br.BestRand() if plain else None, seed=seed)
    random = br.select(matrix.frame, n, design=br.SimpleRandom(), seed=seed)
    row: dict[str, Any] = {"n": n}
    upper = np.triu_indices(len(truth), 1)
    gaps = (truth[:, None] - truth[None, :])[upper]
    for label, subset in (("best", best), ("random", random)):
        seen = targets.take_items(subset.items)
        is_best = label == "best"
        result = br.estimate(
            seen,
            subset,
            probes=probes if is_best else None,
            estimator=br.Mean() if plain or not is_best else None,
        )
        row[label] = float(np.abs(result.estimate - truth).mean())
        row[f"{label}_coverage"] = covers(result.low, result.high, truth)
        row[f"{label}_width"] = float(2 * result.half_width.mean())
        center, half = result.pair_difference[upper], result.pair_half_width[upper]
        row[f"{label}_pair_coverage"] = covers(center - half, center + half, gaps)
        row[f"{label}_pair_width"] = float(2 * half.mean())
        if label == "random":
            values = seen.values
            se = np.sqrt((1 / n - 1 / matrix.frame.n) * values.var(axis=1, ddof=1))
            half_plain = t_quantile(0.95, np.array([n - 1.0]))[0] * se
            row["plain_width"] = float(2 * half_plain.mean())
            row["plain_coverage"] = covers(
                values.mean(axis=1) - half_plain, values.mean(axis=1) + half_plain, truth
            )
            a, b = upper
            differences = values[a] - values[b]
            pair_se = np.sqrt((1 / n - 1 / matrix.frame.n) * differences.var(axis=1, ddof=1))
            row["plain_pair_width"] = float(
                2 * t_quantile(0.95, np.array([n - 1.0]))[0] * pair_se.mean()
            )
    return row


def one_cell(job: tuple[Path, float, int, str]) -> dict[str, Any]:
    """All seeds of one matrix and retention."""
    path, retention, n_seeds, strategy = job
    matrix = br.read_scores(path).matrix("score")
    rows = [one_seed(matrix, retention, seed, strategy) for seed in range(n_seeds)]
    columns = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    best, random = columns["best"], columns["random"]
    cell = {name: float(values.mean()) for name, values in columns.items()}
    return {
        "matrix": path.stem,
        "retention": retention,
        "mae": best.mean() / random.mean(),
        "p95": np.quantile(best, 0.95) / np.quantile(random, 0.95),
        "sd": best.std() / random.std(),
        "high_error": float((best > np.quantile(random, 0.7)).mean()),
        **cell,
    }


def mean_ratio(values: list[float]) -> float:
    """Geometric mean."""
    return math.exp(float(np.mean(np.log(values))))


def main() -> None:
    """Run all cells on two processes and print a table and a summary."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--strategy", choices=["bestrand", "balanced"], default="bestrand")
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--retentions", type=float, nargs="+", default=[0.05, 0.2])
    parser.add_argument("--min-models", type=int, default=20)
    parser.add_argument("--min-items", type=int, default=10, help="smallest n for coverage")
    parser.add_argument("--json", type=Path, default=None)
    args = parser.parse_args()
    paths = [
        path
        for path in sorted(args.folder.rglob("*.parquet"))
        if path.parent.name != "texts" and len(br.read_scores(path).models) >= args.min_models
    ]
    jobs = [
        (path, retention, args.seeds, args.strategy)
        for path in paths
        for retention in args.retentions
    ]
    # a fresh process for each worker: a forked one would inherit the threads of polars
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as workers:
        cells = list(workers.map(one_cell, jobs))
    for cell in cells:
        print(
            f"{cell['matrix']:26s} {cell['retention']:4.0%} n={cell['n']:5.0f} "
            f"MAE {cell['mae']:.3f} P95 {cell['p95']:.3f} sd {cell['sd']:.3f} "
            f"high {cell['high_error']:.2f} | coverage {cell['best_coverage']:.3f} "
            f"width {cell['best_width'] / cell['plain_width']:.3f} | pairs "
            f"{cell['best_pair_coverage']:.3f} "
            f"width {cell['best_pair_width'] / cell['plain_pair_width']:.3f}"
        )
    counted = [cell for cell in cells if cell["n"] >= args.min_items]
    summary = {
        "matrices": len(paths),
        "cells": len(cells),
        "mae": mean_ratio([c["mae"] for c in cells]),
        "p95": mean_ratio([c["p95"] for c in cells]),
        "sd": mean_ratio([c["sd"] for c in cells]),
        "high_error": float(np.mean([c["high_error"] for c in cells])),
        "mean_and_sd_lower": float(np.mean([c["mae"] < 1 and c["sd"] < 1 for c in cells])),
        "coverage": float(np.mean([c["best_coverage"] for c in counted])),
        "worst_coverage": float(np.min([c["best_coverage"] for c in counted])),
        "random_coverage": float(np.mean([c["random_coverage"] for c in counted])),
        "plain_coverage": float(np.mean([c["plain_coverage"] for c in counted])),
        "width": mean_ratio([c["best_width"] / c["plain_width"] for c in counted]),
        "pair_coverage": float(np.mean([c["best_pair_coverage"] for c in counted])),
        "pair_width": mean_ratio([c["best_pair_width"] / c["plain_pair_width"] for c in counted]),
        "random_pair_coverage": float(np.mean([c["random_pair_coverage"] for c in counted])),
    }
    print(json.dumps(summary, indent=1))
    if args.json:
        args.json.write_text(json.dumps({"summary": summary, "cells": cells}, indent=1))


if __name__ == "__main__":
    main()

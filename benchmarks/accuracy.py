"""BestRand or Balanced against SimpleRandom on real matrices: errors, coverage, width.

For every matrix with enough models, and every retention: draw probes at random, a pool, a subset of
each design, estimate the other models, compare with the truth; the same probes, pool and seed for
both. `bestrand` is the article's method to the letter (simple random pool, plain mean), `balanced`
what `select` and `estimate` do by default. Below the cells stands a line a matrix: coverage of
estimates and of pairs, the misses of each side, and how many models are covered less than .90.
Run: python benchmarks/accuracy.py DIR [--strategy bestrand] [--seeds 100] [--retentions 0.05 0.2]
"""

import argparse
import json
import math
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

import bestrand as br
from bestrand.rng import Stream
from bestrand.stats.intervals import t_quantile
from bestrand.types import BoolArray, FloatArray


N_PROBES = 8


def covers(low: FloatArray, high: FloatArray, truth: FloatArray) -> float:
    """Share of intervals that hold the truth."""
    return float(((low <= truth + 1e-12) & (truth - 1e-12 <= high)).mean())


def misses(low: FloatArray, high: FloatArray, truth: FloatArray) -> dict[str, BoolArray]:
    """Say which full scores lie outside, on the side of the nearer bound or of the middle."""
    below, above = truth < low - 1e-12, truth > high + 1e-12
    outer: BoolArray = np.where(truth < 0.5, below, above)
    return {"missed": below | above, "outer": outer, "inner": (below | above) & ~outer}


def one_by_one(
    together: br.Estimates,
    seen: br.ScoreMatrix,
    subset: br.Manifest,
    probes: br.ScoreMatrix,
    *,
    plain: bool,
) -> br.Estimates:
    """Estimate each target in a call of its own; pairs stay as they are."""
    results = [
        br.estimate(
            seen.take_models([model]),
            subset,
            probes=probes,
            estimator=br.Mean() if plain else None,
        )
        for model in seen.models
    ]
    return replace(
        together,
        estimate=np.concatenate([result.estimate for result in results]),
        low=np.concatenate([result.low for result in results]),
        high=np.concatenate([result.high for result in results]),
        half_width=np.concatenate([result.half_width for result in results]),
    )


def one_seed(
    matrix: br.ScoreMatrix,
    retention: float,
    seed: int,
    strategy: str = "bestrand",
    *,
    alone: bool = False,
) -> dict[str, Any]:
    """One paired replicate of both designs."""
    rng = Stream.of(seed, "probes").generator()
    names = list(rng.permutation(np.array(matrix.models, dtype=object)))
    probes = matrix.take_models(sorted(names[:N_PROBES]))
    targets = matrix.take_models(sorted(names[N_PROBES:]))
    if alone:
        targets = targets.take_models(targets.models[:2])
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
            probes=probes.take_items(pool.items) if is_best else None,
            estimator=br.Mean() if plain or not is_best else None,
        )
        if alone and is_best:  # each target in a call of its own, pairs of two
            result = one_by_one(result, seen, subset, probes.take_items(pool.items), plain=plain)
        row[label] = float(np.abs(result.estimate - truth).mean())
        row[f"{label}_coverage"] = covers(result.low, result.high, truth)
        row[f"{label}_width"] = float(2 * result.half_width.mean())
        if is_best:
            row["models"] = {
                name: dict(zip(targets.models, hit.tolist(), strict=True))
                for name, hit in misses(result.low, result.high, truth).items()
            }
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


def one_cell(job: tuple[Path, float, int, str, bool]) -> dict[str, Any]:
    """All seeds of one matrix and retention."""
    path, retention, n_seeds, strategy, alone = job
    matrix = br.read_scores(path).matrix("score")
    rows = [one_seed(matrix, retention, seed, strategy, alone=alone) for seed in range(n_seeds)]
    by_model = tally([row.pop("models") for row in rows])
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
        "models": by_model,
    }


def tally(rows: list[dict[str, dict[str, bool]]]) -> dict[str, dict[str, int]]:
    """Count by model: draws, misses, and misses of either side."""
    counts: dict[str, dict[str, int]] = {}
    for row in rows:
        for kind, hits in row.items():
            for model, hit in hits.items():
                of_model = counts.setdefault(
                    model, {"draws": 0, "missed": 0, "outer": 0, "inner": 0}
                )
                of_model[kind] += hit
                of_model["draws"] += kind == "missed"
    return counts


def by_matrix(cells: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Put the cells of each matrix together: coverage, sides, and models covered too little."""
    lines = []
    for name in dict.fromkeys(cell["matrix"] for cell in cells):
        own = [cell for cell in cells if cell["matrix"] == name]
        counts: dict[str, dict[str, int]] = {}
        for cell in own:
            for model, seen in cell["models"].items():
                total = counts.setdefault(model, dict.fromkeys(seen, 0))
                for kind, count in seen.items():
                    total[kind] += count
        draws = sum(seen["draws"] for seen in counts.values())
        covered = np.array(
            [1 - seen["missed"] / seen["draws"] for seen in counts.values() if seen["draws"] >= 40]
        )
        lines.append(
            {
                "matrix": name,
                "coverage": float(np.mean([cell["best_coverage"] for cell in own])),
                "pair_coverage": float(np.mean([cell["best_pair_coverage"] for cell in own])),
                "width": mean_ratio([cell["best_width"] / cell["plain_width"] for cell in own]),
                "pair_width": mean_ratio(
                    [cell["best_pair_width"] / cell["plain_pair_width"] for cell in own]
                ),
                "inner": sum(seen["inner"] for seen in counts.values()) / draws,
                "outer": sum(seen["outer"] for seen in counts.values()) / draws,
                "models": covered.size,
                "low": int((covered < 0.9).sum()),
                "lowest": float(covered.min()) if covered.size else float("nan"),
            }
        )
    return lines


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
    parser.add_argument("--alone", action="store_true", help="one target in each call, of two")
    parser.add_argument("--json", type=Path, default=None)
    args = parser.parse_args()
    paths = [
        path
        for path in sorted(args.folder.rglob("*.parquet"))
        if path.parent.name != "texts" and len(br.read_scores(path).models) >= args.min_models
    ]
    jobs = [
        (path, retention, args.seeds, args.strategy, args.alone)
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
    lines = by_matrix(counted)
    for line in lines:
        print(
            f"{line['matrix']:28s} coverage {line['coverage']:.3f} pairs "
            f"{line['pair_coverage']:.3f} width {line['width']:.3f} {line['pair_width']:.3f} | "
            f"missed: full score towards the middle {line['inner']:.3f}, towards the bound "
            f"{line['outer']:.3f} | {line['low']} of {line['models']} models below .90, lowest "
            f"{line['lowest']:.2f}"
        )
    n_models = sum(line["models"] for line in lines)
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
        "matrix_coverage": [min(x["coverage"] for x in lines), max(x["coverage"] for x in lines)],
        "matrix_pair_coverage": [
            min(x["pair_coverage"] for x in lines),
            max(x["pair_coverage"] for x in lines),
        ],
        "models_below_90": sum(line["low"] for line in lines) / max(n_models, 1),
        "missed_inner": float(np.mean([line["inner"] for line in lines])),
        "missed_outer": float(np.mean([line["outer"] for line in lines])),
        "random_pair_coverage": float(np.mean([c["random_pair_coverage"] for c in counted])),
    }
    print(json.dumps(summary, indent=1))
    if args.json:
        args.json.write_text(
            json.dumps({"summary": summary, "matrices": lines, "cells": cells}, indent=1)
        )


if __name__ == "__main__":
    main()

"""The theory against what happens on real matrices: laws, forecasts and plans.

python benchmarks/theory.py DIR law        # law of the MAE against 20 000 simple random subsets
python benchmarks/theory.py DIR rho        # how models hang together
python benchmarks/theory.py DIR pool       # the finite-pool formula against simulated subsets
python benchmarks/theory.py DIR forecast   # errors foretold from 8 probes, and what happened
python benchmarks/theory.py DIR plans      # is the promised risk met at the promised rate?
"""

import argparse
import math
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import ks_2samp

import bestrand as br
from bestrand.designs.base import Features
from bestrand.planning.error_law import simulate_random_mae
from bestrand.planning.forecast import forecast
from bestrand.planning.plan import Plan, plan
from bestrand.rng import Stream
from bestrand.stats.tail import (
    balanced_share,
    draw_mae,
    error_covariance,
    explain_shift,
    mean_correlation,
)
from bestrand.types import FloatArray


Row = dict[str, Any]
N_PROBES = 8
ALPHAS = (1.0, 2.0, 4.0, 8.0, math.inf)
FEWEST_MODELS = {"law": 10, "rho": 2, "pool": 12, "forecast": 12, "plans": 10}


def split(
    matrix: br.ScoreMatrix, n_probes: int, seed: int
) -> tuple[br.ScoreMatrix, br.ScoreMatrix]:
    """Divide the models into probes and targets at random."""
    names = list(
        Stream.of(seed, "split").generator().permutation(np.array(matrix.models, dtype=object))
    )
    return matrix.take_models(sorted(names[:n_probes])), matrix.take_models(
        sorted(names[n_probes:])
    )


def law(path: Path, n_draws: int) -> list[Row]:
    """Kolmogorov distance and P95 of the law against simple random subsets."""
    y = br.read_scores(path).matrix("score").scaled()
    rows = []
    for retention in (0.05, 0.2):
        n = max(1, round(retention * y.shape[1]))
        stream = Stream.of(0, path.stem, f"{retention}")
        seen = simulate_random_mae(y, n, n_draws, stream.child("subsets"))
        said = draw_mae(error_covariance(y, n), stream.child("law"), 200_000)
        rows.append(
            {
                "matrix": path.stem,
                "retention": retention,
                "n": n,
                "distance": float(ks_2samp(seen, said).statistic),
                "p95": float(np.quantile(said, 0.95) / np.quantile(seen, 0.95)),
                "mean": float(said.mean() / seen.mean()),
            }
        )
    return rows


def rho(path: Path, n_draws: int) -> list[Row]:
    """Mean correlation of two models."""
    del n_draws
    y = br.read_scores(path).matrix("score").scaled()
    return [{"matrix": path.stem, "rho": mean_correlation(y)}]


def pool(path: Path, n_draws: int) -> list[Row]:
    """Variance left in the common shift after balance on a pool, over that of random subsets."""
    matrix = br.read_scores(path).matrix("score")
    n_frame = matrix.frame.n
    probes, targets = split(matrix, N_PROBES // 2, 0)
    z, difficulty = probes.scaled(), targets.scaled().mean(axis=0)
    share = explain_shift(difficulty, z).r_squared
    n = max(20, round(0.05 * n_frame))
    rows = []
    for alpha in ALPHAS:
        m = n_frame if alpha * n >= n_frame else round(alpha * n)
        if m >= n_frame and not math.isinf(alpha):
            continue
        errors = np.empty(n_draws)
        for draw in range(n_draws):
            stream = Stream.of(draw, path.stem, f"{alpha}")
            columns = stream.generator().permutation(n_frame)[:m]
            if m > n:
                seen = Features(n_items=m, scores=z[:, columns], groups=None, weights=np.ones(m))
                columns = columns[br.BestRand().draw(seen, n, stream.child("best")).columns]
            errors[draw] = difficulty[columns].mean() - difficulty.mean()
        random = y_variance(difficulty) * (1 / n - 1 / n_frame)
        squares = errors**2
        rows.append(
            {
                "matrix": path.stem,
                "alpha": alpha,
                "measured": float(squares.mean() / random),
                "se": float(squares.std(ddof=1) / math.sqrt(n_draws) / random),
                "formula": balanced_share(share, alpha, n / n_frame),
                "r_squared": share,
                "n": n,
            }
        )
    return rows


def y_variance(values: FloatArray) -> float:
    """Variance with divisor N - 1."""
    return float(values.var(ddof=1))


def ahead(path: Path, n_draws: int) -> list[Row]:
    """Errors foretold from the probes alone, beside what happened to the targets."""
    matrix = br.read_scores(path).matrix("score")
    rows = []
    for retention in (0.05, 0.1, 0.2):
        n = max(2, round(retention * matrix.frame.n))
        if n < 10:
            continue
        said, happened, high = [], [], []
        for seed in range(n_draws):
            probes, targets = split(matrix, N_PROBES, seed)
            drawn = br.draw_pool(matrix.frame, n, seed=seed)
            subset = br.select(probes, n, pool=drawn, seed=seed)
            z = probes.take_items(drawn.items)
            groups = matrix.frame.take(
                np.array([matrix.frame.positions[item] for item in drawn.items])
            ).group_codes
            looked = forecast(
                z.scaled(),
                n,
                n_pool=drawn.n,
                n_frame=matrix.frame.n,
                n_targets=len(targets.models),
                stream=Stream.of(seed, "forecast"),
                groups=groups,
            )
            said.append(looked.balanced.mean)
            high.append(looked.balanced.p95)
            result = br.estimate(targets.take_items(subset.items), subset, probes=probes)
            happened.append(float(np.abs(result.estimate - targets.full_scores()).mean()))
        rows.append(
            {
                "matrix": path.stem,
                "retention": retention,
                "mae": float(np.mean(said) / np.mean(happened)),
                "p95": float(np.mean(high) / np.quantile(happened, 0.95)),
            }
        )
    return rows


def plans(path: Path, n_draws: int) -> list[Row]:
    """Rate at which one target's error exceeds what was planned, for every way to choose.

    In every use, half of the models are the pilot and the others the targets.
    """
    matrix = br.read_scores(path).matrix("score")
    risk = 0.05
    exceeded: dict[str, list[float]] = {}
    sizes: dict[str, list[int]] = {}
    for seed in range(n_draws):
        pilot, targets = split(matrix, len(matrix.models) // 2, seed)
        wanted = next(
            point.p95 for point in plan(matrix, retentions=[0.1]).curve if point.design == "random"
        )
        for cost in (0.0, 0.01):
            made = plan(pilot, max_error=wanted, risk=risk, probe_cost=cost, n_targets=10)
            for label, n, rate in uses(matrix, pilot, targets, made, wanted, seed):
                exceeded.setdefault(label, []).append(rate)
                sizes.setdefault(label, []).append(n)
    return [
        {
            "matrix": path.stem,
            "way": label,
            "rate": float(np.mean(rates)),
            "se": float(np.std(rates, ddof=1) / math.sqrt(len(rates))),
            "n": float(np.mean(sizes[label])),
        }
        for label, rates in exceeded.items()
    ]


def uses(
    matrix: br.ScoreMatrix,
    pilot: br.ScoreMatrix,
    targets: br.ScoreMatrix,
    made: Plan,
    wanted: float,
    seed: int,
) -> list[tuple[str, int, float]]:
    """Carry out the best option of every design, and see how often the error was exceeded."""
    found = []
    for design in ("random", "stratified", "balanced"):
        options = [option for option in made.options if option.design == design]
        if not options or (made.probe_cost and design != "balanced"):
            continue
        option = options[0]
        label = design if not made.probe_cost else "balanced, bought"
        if design == "balanced":
            names = (
                Stream.of(seed, "probes")
                .generator()
                .permutation(np.array(pilot.models, dtype=object))[: option.n_probes]
            )
            probes = pilot.take_models(sorted(names))
            drawn = br.draw_pool(matrix.frame, option.n_pool, factor=1.0, seed=seed)
            subset = br.select(probes, option.n, pool=drawn, seed=seed)
            result = br.estimate(targets.take_items(subset.items), subset, probes=probes)
        else:
            how = br.SimpleRandom() if design == "random" else br.Stratified()
            subset = br.select(matrix.frame, option.n, design=how, seed=seed)
            result = br.estimate(targets.take_items(subset.items), subset)
        wrong = np.abs(result.estimate - targets.full_scores()) > wanted
        found.append((label, option.n, float(wrong.mean())))
    return found


WORK: dict[str, tuple[Callable[[Path, int], list[Row]], int]] = {
    "law": (law, 20_000),
    "rho": (rho, 1),
    "pool": (pool, 2000),
    "forecast": (ahead, 60),
    "plans": (plans, 200),
}


def summary(what: str, rows: list[Row]) -> str:
    """Say what all matrices say together."""

    def column(name: str) -> FloatArray:
        return np.array([row[name] for row in rows])

    if what == "law":
        distance, p95 = column("distance"), np.abs(column("p95") - 1)
        return (
            f"Kolmogorov distance: median {np.median(distance):.4f}, largest {distance.max():.3f}; "
            f"P95 ratio - 1: median {np.median(p95):.4f}, within 3 % in "
            f"{(p95 <= 0.03).sum()} of {len(rows)}"
        )
    if what == "rho":
        seen = column("rho")
        return f"rho: min {seen.min():.3f}, median {np.median(seen):.3f}, mean {seen.mean():.3f}"
    if what == "pool":
        lines = []
        for alpha in ALPHAS:
            some = [row for row in rows if row["alpha"] == alpha]
            measured = np.array([row["measured"] for row in some])
            formula = np.array([row["formula"] for row in some])
            se = np.array([row["se"] for row in some])
            lines.append(
                f"alpha {alpha:g}: {len(some)} matrices, measured {measured.mean():.3f}, formula "
                f"{formula.mean():.3f}, median ratio {np.median(measured / formula):.3f}, within "
                f"2 se in {(np.abs(measured - formula) <= 2 * se).sum()}"
            )
        return "\n".join(lines)
    if what == "forecast":
        return "\n".join(
            f"{name} foretold / happened: median {np.median(column(name)):.3f}, 10-90 % "
            f"{np.quantile(column(name), 0.1):.3f} to {np.quantile(column(name), 0.9):.3f}"
            for name in ("mae", "p95")
        )
    lines = []
    for way in dict.fromkeys(row["way"] for row in rows):
        some = [row for row in rows if row["way"] == way]
        rates = np.array([row["rate"] for row in some])
        over = sum(row["rate"] - 2 * row["se"] > 0.05 for row in some)
        lines.append(
            f"{way}: {len(some)} matrices, rate {rates.mean():.4f} (promised 0.05), "
            f"largest {rates.max():.3f}, above it by more than 2 se in {over}"
        )
    return "\n".join(lines)


def main() -> None:
    """Run one piece of evidence over all matrices, on two processes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("what", choices=list(WORK))
    parser.add_argument("--draws", type=int, default=None)
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()
    work, n_draws = WORK[args.what]
    paths = [
        path
        for path in sorted(args.folder.rglob("*.parquet"))
        if path.parent.name != "texts"
        and len(br.read_scores(path).models) >= FEWEST_MODELS[args.what]
    ]
    rows: list[Row] = []
    with ProcessPoolExecutor(args.workers, mp_context=get_context("spawn")) as workers:
        for found in workers.map(work, paths, [args.draws or n_draws] * len(paths)):
            rows += found
            for row in found:
                print(
                    "  ".join(
                        f"{name} {value:.4g}" if isinstance(value, float) else f"{value}"
                        for name, value in row.items()
                    ),
                    flush=True,
                )
    print(summary(args.what, rows))


if __name__ == "__main__":
    main()

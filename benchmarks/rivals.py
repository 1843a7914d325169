r"""Strategies that learn from source models against simple random subsets, on real matrices.

For every matrix with enough models: some models are sources, scored on all items, the others are
targets. Each strategy chooses n items from the sources' scores and estimates the targets; its mean
absolute error is divided by that of the plain mean on simple random subsets of n items. Targets are
like the sources (a random split) or stronger than all of them (the strongest third).

    python benchmarks/rivals.py DIR --strategies anchor-points "anchor-points, alike" --seeds 12
    python benchmarks/rivals.py DIR --strategies zip-bench --sources 50 --few --seeds 4 --thin 3000
    python benchmarks/rivals.py DIR --strategies zip-bench "zip-bench, ties wrong" \
        --against "zip-bench, ties wrong" --few --least 40 --thin 3000
    python benchmarks/rivals.py DIR --bins 6 10 --few --thin 3000   # bins that votes fill
"""

import argparse
import json
import math
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np

import bestrand as br
from bestrand.designs.base import Design
from bestrand.designs.baselines import zip_bench
from bestrand.designs.baselines.anchor_points import AnchorPoints
from bestrand.designs.baselines.zip_bench import ZipBench
from bestrand.estimators.base import Estimator
from bestrand.estimators.baselines.anchor_predictor import AnchorPredictor
from bestrand.estimators.baselines.cluster_weighted import ClusterWeighted
from bestrand.rng import Stream
from bestrand.stats.irt_scores import binarise
from bestrand.types import FloatArray


RETENTIONS = (0.02, 0.05, 0.2)
RANDOM_DRAWS = 40
PAIRS: dict[str, tuple[Design, Estimator]] = {
    "anchor-points": (AnchorPoints(), ClusterWeighted()),
    "anchor-points, alike": (AnchorPoints(constant_items="alike"), ClusterWeighted()),
    "anchor-predictor": (AnchorPoints("absolute"), AnchorPredictor()),
    "zip-bench": (ZipBench(), ClusterWeighted()),
    "zip-bench + mean": (ZipBench(), br.Mean()),
    "zip-bench, ties wrong": (ZipBench(), ClusterWeighted()),
}
TIES_WRONG = "ties wrong"


class Job(NamedTuple):
    """What one process does.

    Attributes:
        path: of the matrix.
        strategies: names in `PAIRS`.
        n_sources: how many models are sources; with `few`, as many as there are, and no more.
        few: take half of the models where there are not so many.
        thin: of matrices with more items than this take every third.
        retentions: n / N.
        seed: of the split and the draws.
        stronger: whether the targets are the strongest third.
        bins: how many bins the range of accuracies is cut into.
    """

    path: Path
    strategies: tuple[str, ...]
    n_sources: int
    few: bool
    thin: int
    retentions: tuple[float, ...]
    seed: int
    stronger: bool
    bins: tuple[int, ...] = ()


def read(path: Path, thin: int) -> br.ScoreMatrix:
    """Read the main metric; of many items every third."""
    matrix = br.read_scores(path).matrix("score")
    return matrix.take_items(matrix.frame.items[::3]) if matrix.frame.n > thin else matrix


def split(matrix: br.ScoreMatrix, job: Job) -> tuple[br.ScoreMatrix, br.ScoreMatrix]:
    """Divide the models into sources and targets."""
    names = list(
        Stream.of(job.seed, "split").generator().permutation(np.array(matrix.models, dtype=object))
    )
    if job.stronger:
        full = dict(zip(matrix.models, matrix.full_scores(), strict=True))
        ranked = sorted(matrix.models, key=lambda name: full[name])
        best = set(ranked[-max(2, len(ranked) // 3) :])
        rest = [name for name in names if name not in best]
        return matrix.take_models(sorted(rest[: job.n_sources])), matrix.take_models(sorted(best))
    n_sources = min(job.n_sources, len(names) // 2) if job.few else job.n_sources
    return matrix.take_models(sorted(names[:n_sources])), matrix.take_models(
        sorted(names[n_sources:])
    )


def measure(job: Job) -> list[dict[str, Any]]:
    """Errors of the strategies and of random subsets, for one split."""
    matrix = read(job.path, job.thin)
    sources, targets = split(matrix, job)
    truth, constant = targets.full_scores(), np.ptp(sources.values, axis=0) == 0
    rows = []
    for retention in job.retentions:
        n = max(2, round(retention * matrix.frame.n))
        rng = Stream.of(job.seed, "random", f"{retention}").generator()
        random = [
            np.abs(
                targets.values[:, rng.choice(matrix.frame.n, n, replace=False)].mean(axis=1) - truth
            ).mean()
            for _ in range(RANDOM_DRAWS)
        ]
        drawn: dict[tuple[Design, bool], br.Manifest] = {}
        for name in job.strategies:
            design, estimator = PAIRS[name]
            key = (design, TIES_WRONG in name)
            if key not in drawn:
                with ties_wrong(TIES_WRONG in name):
                    drawn[key] = br.select(sources, n, design=design, seed=job.seed)
            subset = drawn[key]
            result = br.estimate(targets, subset, probes=sources, estimator=estimator)
            columns = [matrix.frame.positions[item] for item in subset.items]
            rows.append(
                {
                    "matrix": job.path.stem,
                    "targets": "stronger" if job.stronger else "alike",
                    "retention": retention,
                    "n": n,
                    "strategy": name,
                    "error": float(np.abs(result.estimate - truth).mean()),
                    "random": float(np.mean(random)),
                    "constant": int(constant[columns].sum()),
                }
            )
    return rows


@contextmanager
def ties_wrong(wanted: bool) -> Iterator[None]:  # noqa: FBT001
    """Let `ZipBench` count a tie in a vote as wrong."""

    def vote(members: FloatArray, *_: object) -> FloatArray:
        right: FloatArray = (2 * members.sum(axis=0) > len(members)).astype(np.float64)
        return right

    if wanted:
        with patch.object(zip_bench, "_vote", vote):
            yield
    else:
        yield


def bins(job: Job) -> list[dict[str, Any]]:
    """Bins of accuracy that votes of six sources fill, by how many there are and what ties do."""
    sources, _ = split(read(job.path, job.thin), job)
    chosen = zip_bench.spread_models(sources.scaled(), sources.frame.weights, 6)
    responses = binarise(sources.scaled()[chosen], sources.frame.group_codes)
    found = []
    for n_bins in job.bins:
        for ties in ("by chance", "wrong"):
            stream = Stream.of(job.seed, "ties")
            with ties_wrong(ties == "wrong"):
                votes = zip_bench.synthetic_responses(
                    responses, sources.frame.weights, stream, n_bins
                )
            row = {"matrix": job.path.stem, "bins": n_bins, "ties": ties, "filled": len(votes)}
            found.append(row)
    return found


def show_bins(rows: list[dict[str, Any]]) -> None:
    """Print how many bins are filled, by matrix and on average over matrices."""
    for n_bins, ties in dict.fromkeys((row["bins"], row["ties"]) for row in rows):
        here = [row for row in rows if (row["bins"], row["ties"]) == (n_bins, ties)]
        means = [
            float(np.mean([row["filled"] for row in here if row["matrix"] == name]))
            for name in dict.fromkeys(row["matrix"] for row in here)
        ]
        print(
            f"{n_bins} bins, ties {ties}: {np.mean(means):.2f} filled "
            f"({min(means):.1f} to {max(means):.1f} by matrix), {len(means)} matrices"
        )


def show(rows: list[dict[str, Any]], against: str) -> None:
    """Print geometric means over matrices of the ratio of mean errors, and each matrix.

    Args:
        rows: what `measure` found.
        against: "random", or the strategy whose errors the others' are divided by.
    """
    keys = dict.fromkeys((row["strategy"], row["targets"], row["retention"]) for row in rows)
    errors: dict[tuple[str, str, float], dict[str, float]] = {}
    for key in keys:
        strategy, targets, retention = key
        errors[key] = {}
        for matrix in dict.fromkeys(row["matrix"] for row in rows):
            here = [
                row
                for row in rows
                if (row["strategy"], row["targets"], row["retention"], row["matrix"])
                == (*key, matrix)
            ]
            if not here:
                continue
            each = [row["error"] for row in here]
            error, random, constant = (
                float(np.mean([row[name] for row in here]))
                for name in ("error", "random", "constant")
            )
            own = float(np.std(each, ddof=1)) / math.sqrt(len(each)) if len(each) > 1 else 0.0
            errors[key][matrix] = error
            errors.setdefault(("random", targets, retention), {})[matrix] = random
            print(
                f"  {strategy:22} {targets:9} {retention:5.0%} {matrix:28} n {here[0]['n']:5} "
                f"error {100 * error:5.2f} +- {100 * own:.2f} random {100 * random:5.2f} "
                f"constant {constant:.1f}"
            )
    for strategy, targets, retention in keys:
        below = errors[against, targets, retention]
        mine = errors[strategy, targets, retention]
        ratios = np.log([mine[matrix] / below[matrix] for matrix in mine])
        spread = float(np.std(ratios, ddof=1)) / math.sqrt(len(ratios)) if len(ratios) > 1 else 0.0
        mean = math.exp(float(np.mean(ratios)))
        print(
            f"{strategy:22} {targets:9} {retention:5.0%}: {mean:.3f} +- {mean * spread:.3f} "
            f"of {against}, {len(ratios)} matrices",
            flush=True,
        )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--strategies", nargs="+", default=["anchor-points"], choices=list(PAIRS))
    parser.add_argument("--retentions", nargs="+", type=float, default=list(RETENTIONS))
    parser.add_argument("--sources", type=int, default=50)
    parser.add_argument("--few", action="store_true", help="half of the models where there are few")
    parser.add_argument("--least", type=int, default=12, help="models that a matrix must have")
    parser.add_argument("--thin", type=int, default=10**9)
    parser.add_argument("--only", nargs="+", help="names of matrices")
    parser.add_argument("--seeds", type=int, default=6)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--bins", nargs="+", type=int, default=[], help="how many bins to fill")
    parser.add_argument(
        "--against", nargs="+", default=["random"], help="what errors are shown as ratios of"
    )
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    jobs = []
    for path in sorted(args.folder.rglob("*.parquet")):
        if path.parent.name == "texts" or (args.only and path.stem not in args.only):
            continue
        n_models = len(br.read_scores(path).matrix("score").models)
        least = args.least if args.few else args.sources + 7
        for stronger in (False, True):
            fewest = math.ceil(1.5 * args.sources) if stronger and not args.few else least
            if n_models < fewest or (args.bins and stronger):
                continue
            jobs += [
                Job(
                    path,
                    tuple(args.strategies),
                    args.sources,
                    args.few,
                    args.thin,
                    tuple(args.retentions),
                    seed,
                    stronger,
                    tuple(args.bins),
                )
                for seed in range(args.seeds)
            ]
    work = bins if args.bins else measure
    with ProcessPoolExecutor(args.jobs, mp_context=get_context("spawn")) as pool:
        rows = [row for found in pool.map(work, jobs) for row in found]
    if args.json:
        args.json.write_text(json.dumps(rows))
    if args.bins:
        show_bins(rows)
        return
    for against in args.against:
        show(rows, against)


if __name__ == "__main__":
    main()

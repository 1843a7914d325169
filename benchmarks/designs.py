"""Time and memory of every design on 14 042 items and 100 source models, beside BestRand.

Each design runs in a process of its own, on made scores of an item response model, so that the
highest memory is its own. Run: python benchmarks/designs.py [--items N] [--models K] [-n SIZE]
"""

import argparse
import resource
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import NamedTuple

import numpy as np

import bestrand as br
from bestrand.core.texts import ItemTexts
from bestrand.methods import DESIGNS, make_design


class Cost(NamedTuple):
    """What one design took."""

    seconds: float
    first: float
    mebibytes: float


def made_scores(n_items: int, n_models: int) -> br.ScoreMatrix:
    """Right-or-wrong scores of a two-parameter item response model, in 14 groups."""
    rng = np.random.default_rng(0)
    ability, difficulty = rng.normal(size=(n_models, 1)), rng.normal(size=n_items)
    chance = 1 / (1 + np.exp(-1.5 * (ability - difficulty)))
    values = (rng.random((n_models, n_items)) < chance).astype(np.float64)
    items = [f"q{i:06d}" for i in range(n_items)]
    frame = br.Frame.of(items, groups=[f"g{i % 14:02d}" for i in range(n_items)])
    names = tuple(f"m{k:03d}" for k in range(n_models))
    return br.ScoreMatrix(frame, names, values, "score", (0.0, 1.0))


def one_design(word: str, n_items: int, n_models: int, n: int) -> Cost:
    """Choose twice: the first call also loads and compiles."""
    scores = made_scores(n_items, n_models)
    design = make_design(word)
    texts = None
    if design.uses_texts:
        rows = np.random.default_rng(1).normal(size=(n_items, 64))
        texts = ItemTexts.of_embeddings(scores.frame.items, rows)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    times = []
    for seed in range(2):
        start = time.perf_counter()
        br.select(scores, n, design=design, texts=texts, seed=seed)
        times.append(time.perf_counter() - start)
    peak = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    return Cost(times[1], times[0], peak)


def main() -> None:
    """Run every design, BestRand first."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=14_042)
    parser.add_argument("--models", type=int, default=100)
    parser.add_argument("-n", type=int, default=281)
    parser.add_argument("--only", nargs="*", default=[])
    args = parser.parse_args()
    words = ["bestrand", *(word for word in DESIGNS if word != "bestrand")]
    base: Cost | None = None
    print("design               seconds   ratio   first call   memory")
    for word in words:
        if args.only and word not in (*args.only, "bestrand"):
            continue
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as worker:
            cost = worker.submit(one_design, word, args.items, args.models, args.n).result()
        base = base or cost
        print(
            f"{word:20s} {cost.seconds:7.2f}  {cost.seconds / base.seconds:6.1f}  "
            f"{cost.first:11.2f}  {cost.mebibytes:6.0f} MiB",
            flush=True,
        )


if __name__ == "__main__":
    main()

"""The candidate search against a plain numpy loop, measured side by side in one run.

Run: python benchmarks/search.py. Prints, for each size, seconds of the search and of the loop,
their ratio, and the highest memory the search added.
"""

import resource
import time
from collections.abc import Callable

import numpy as np

from bestrand.rng import Stream
from bestrand.search.best import find_best
from bestrand.types import FloatArray


SIZES = [  # pool m, subset n, candidates M
    (11_232, 2_808, 10_000),
    (1_124, 281, 10_000),
    (80_000, 20_000, 1_000),
    (1_000_000, 20_000, 1_000),
]
N_PROBES = 8
LOOPS = 200


def numpy_loop(probes: FloatArray, n: int, n_candidates: int) -> float:
    """What one would write first: draw, average, compare."""
    rng = np.random.default_rng(0)
    target = probes.mean(axis=1)
    best = np.inf
    for _ in range(n_candidates):
        chosen = rng.choice(probes.shape[1], n, replace=False)
        best = min(best, float(np.linalg.norm(probes[:, chosen].mean(axis=1) - target)))
    return best


def seconds(call: Callable[[], object], repeats: int = 1) -> float:
    """Shortest of some runs."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    """Measure every size."""
    stream = Stream.of(0, "benchmark")
    warm = np.random.default_rng(0).random((100, N_PROBES))
    compiled = seconds(lambda: find_best(warm, 10, n_candidates=2, norm="l2", stream=stream))
    print(f"first search, with loading numba and what is compiled or cached: {compiled:.2f} s")
    for m, n, n_candidates in SIZES:
        rng = np.random.default_rng(m)
        probes = (rng.random((N_PROBES, m)) < rng.random((N_PROBES, 1))).astype(np.float64)
        columns = probes.T
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

        def run(
            workers: int | None,
            columns: FloatArray = columns,
            n: int = n,
            count: int = n_candidates,
        ) -> object:
            return find_best(
                columns, n, n_candidates=count, norm="l2", stream=stream, n_workers=workers
            )

        ours = seconds(lambda run=run: run(None), 3)  # type: ignore[misc]
        peak = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        single = seconds(lambda run=run: run(1), 3)  # type: ignore[misc]
        loops = min(LOOPS, n_candidates)
        part = seconds(lambda p=probes, n=n, k=loops: numpy_loop(p, n, k), 2)  # type: ignore[misc]
        loop = part * n_candidates / loops
        print(
            f"m={m:>9,} n={n:>6,} M={n_candidates:>6,}: search {ours:.4f} s (1 thread "
            f"{single:.4f} s), numpy loop {loop:.3f} s, ratio {loop / ours:.1f} "
            f"(1 thread {loop / single:.1f}), memory +{peak:.1f} MiB"
        )


if __name__ == "__main__":
    main()

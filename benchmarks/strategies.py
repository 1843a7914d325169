"""Every strategy on real matrices, beside SimpleRandom and BestRand, on the same splits and seeds.

Two regimes: cheap probes (8 probes on a pool of 4n) and history (10, 20, 50, 100 sources on every
item, where at least 30 % of the models are left as targets). All strategies of a regime see the
same split. Run:

    python benchmarks/strategies.py DIR --regime probes --seeds 30 -o probes.json
    python benchmarks/strategies.py DIR --regime sources --seeds 5 -o sources.json
"""

import argparse
import json
import math
import time
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import bestrand as br
from bestrand.errors import BestrandError
from bestrand.rng import Stream
from bestrand.strategies import STRATEGIES, Strategy
from bestrand.texts import ItemTexts, read_texts


N_PROBES = 8
N_SOURCES = (10, 20, 50, 100)
RETENTIONS = (0.02, 0.05, 0.1, 0.2, 0.5)
CHEAP = ("nothing", "groups", "texts", "probes")
SOURCES = ("nothing", "probes", "sources")


class Job(NamedTuple):
    """All strategies on one matrix, retention and number of known models."""

    path: Path
    texts: Path | None
    regime: str
    n_known: int
    retention: float
    n_seeds: int
    names: tuple[str, ...]


def one_draw(
    matrix: br.ScoreMatrix, texts: ItemTexts | None, job: Job, name: str, seed: int
) -> dict[str, float]:
    """One strategy on one split: error over targets, cost, seconds."""
    strategy: Strategy = STRATEGIES[name]
    rng = Stream.of(seed, "split").generator()
    models = list(rng.permutation(np.array(matrix.models, dtype=object)))
    known = matrix.take_models(sorted(models[: job.n_known]))
    targets = matrix.take_models(sorted(models[job.n_known :]))
    n = max(2, round(job.retention * matrix.frame.n))
    pool, scores, cost = None, known, 0.0
    if job.regime == "sources" and strategy.needs == "probes":
        scores = known.take_models(known.models[:N_PROBES])
    if job.regime == "probes" and strategy.needs == "probes":
        plain = name.startswith(("bestrand", "random", "cube"))
        how = br.SimpleRandom() if plain or matrix.frame.groups is None else br.Stratified()
        pool = br.draw_pool(matrix.frame, n, design=how, seed=seed)
        cost = len(scores.models) * pool.n / matrix.frame.n
    elif strategy.needs in ("probes", "sources"):
        cost = len(scores.models)
    start = time.perf_counter()
    seen = scores if pool is None else scores.take_items(pool.items)
    knows = strategy.needs in ("probes", "sources")
    subset = br.select(
        seen if knows else matrix.frame,
        n,
        pool=pool,
        design=strategy.design,
        probes=seen.models if knows else None,
        texts=texts if strategy.needs == "texts" else None,
        seed=seed,
    )
    chosen = time.perf_counter() - start
    result = br.estimate(
        targets.take_items(subset.items),
        subset,
        probes=scores if knows else None,
        estimator=strategy.estimator,
    )
    error = float(np.abs(result.estimate - targets.full_scores()).mean())
    return {"error": error, "cost": cost, "seconds": chosen}


def one_job(job: Job) -> list[dict[str, Any]]:
    """All strategies of a cell, on the same seeds; a strategy that cannot run says why."""
    matrix = br.read_scores(job.path).matrix("score")
    texts = None
    if job.texts is not None:
        texts = read_texts(job.texts)
    rows = []
    for name in job.names:
        row: dict[str, Any] = {
            "matrix": job.path.stem,
            "retention": job.retention,
            "known": job.n_known,
            "strategy": name,
        }
        try:
            draws = [one_draw(matrix, texts, job, name, seed) for seed in range(job.n_seeds)]
        except BestrandError as error:
            rows.append({**row, "reason": str(error)[:200]})
            continue
        rows.append(
            {
                **row,
                "errors": [draw["error"] for draw in draws],
                "cost": draws[0]["cost"],
                "seconds": float(np.median([draw["seconds"] for draw in draws])),
            }
        )
    return rows


def jobs_of(args: argparse.Namespace) -> list[Job]:
    """List the cells."""
    jobs = []
    needs = CHEAP if args.regime == "probes" else SOURCES
    names = tuple(
        name
        for name, strategy in STRATEGIES.items()
        if strategy.needs in needs and (not args.only or name in (*args.only, "random", "bestrand"))
    )
    for path in sorted(args.folder.rglob("*.parquet")):
        if path.parent.name == "texts":
            continue
        n_models = len(br.read_scores(path).models)
        texts = args.folder / "texts" / path.name
        if args.regime == "probes":
            counts = [N_PROBES] if n_models >= args.min_models else []
        else:
            counts = [count for count in N_SOURCES if count <= 0.7 * n_models]
        jobs += [
            Job(
                path,
                texts if texts.exists() else None,
                args.regime,
                count,
                retention,
                args.seeds,
                names,
            )
            for count in counts
            for retention in args.retentions
        ]
    return jobs


def ratios(rows: list[dict[str, Any]], base: str) -> dict[str, dict[str, float]]:
    """Compare every strategy with a base, over the cells in which both ran."""
    cells: dict[tuple[str, float, int], dict[str, dict[str, Any]]] = defaultdict(dict)
    for row in rows:
        if "errors" in row:
            cells[row["matrix"], row["retention"], row["known"]][row["strategy"]] = row
    table: dict[str, dict[str, float]] = {}
    for name in STRATEGIES:
        logs, tails, high, costs, seconds = [], [], [], [], []
        for cell in cells.values():
            if name not in cell or base not in cell:
                continue
            mine, other = np.array(cell[name]["errors"]), np.array(cell[base]["errors"])
            random = np.array(cell["random"]["errors"])
            if other.mean() <= 0 or mine.mean() <= 0:
                continue
            logs.append(math.log(mine.mean() / other.mean()))
            tails.append(math.log(np.quantile(mine, 0.95) / np.quantile(other, 0.95)))
            high.append(float((mine > np.quantile(random, 0.7)).mean()))
            costs.append(cell[name]["cost"])
            seconds.append(cell[name]["seconds"])
        if logs:
            table[name] = {
                "cells": len(logs),
                "mae": math.exp(float(np.mean(logs))),
                "p95": math.exp(float(np.mean(tails))),
                "high_error": float(np.mean(high)),
                "cost": float(np.mean(costs)),
                "seconds": float(np.mean(seconds)),
            }
    return table


def main() -> None:
    """Run the cells on two processes and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--regime", choices=["probes", "sources"], default="probes")
    parser.add_argument("--seeds", type=int, default=30)
    parser.add_argument("--retentions", type=float, nargs="+", default=list(RETENTIONS))
    parser.add_argument("--min-models", type=int, default=12)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("-o", "--output", type=Path, default=None)
    args = parser.parse_args()
    jobs = jobs_of(args)
    rows: list[dict[str, Any]] = []
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as workers:
        for number, found in enumerate(workers.map(one_job, jobs), start=1):
            rows += found
            if args.output:
                args.output.write_text(json.dumps(rows))
            print(f"{number}/{len(jobs)} {found[0]['matrix']} {found[0]['retention']}", flush=True)
    to_random, to_best = ratios(rows, "random"), ratios(rows, "bestrand")
    print(f"{'strategy':26s} cells  MAE/R  P95/R  high  MAE/BR P95/BR  cost  seconds")
    for name, line in to_random.items():
        other = to_best.get(name, {"mae": math.nan, "p95": math.nan})
        print(
            f"{name:26s} {line['cells']:5d}  {line['mae']:.3f}  {line['p95']:.3f}  "
            f"{line['high_error']:.2f}  {other['mae']:.3f}  {other['p95']:.3f}  "
            f"{line['cost']:5.2f}  {line['seconds']:.3f}"
        )
    for reason in sorted(
        {f"{row['strategy']}: {row['reason']}" for row in rows if "reason" in row}
    ):
        print("did not run:", reason)


if __name__ == "__main__":
    main()

"""Cells: what a protocol asks of each benchmark, each under a key of all that fixes its numbers."""

import hashlib
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

import polars as pl

from bestrand.errors import ArgumentError, BestrandError
from bestrand.methods import STRATEGIES
from bestrand.notes import shown
from bestrand.study.benchmark import Benchmark
from bestrand.study.columns import LAW, PART
from bestrand.study.law import set_beside_law
from bestrand.study.protocol import Experiment, Planned, Protocol
from bestrand.study.replicate import ReplicateSetting, run_replicate


# go up whenever the same cell would give other numbers than before: any cell, or one that forecasts
NUMBERS = 2
FORECASTS = 2
DEFAULT_PROBES = 8
KEY_DIGITS = 32
BY_LABEL = ("across-families", "old-to-new", "new-to-old")


class Task(NamedTuple):
    """What a worker is asked to do: all replicates of one cell, or the law of one benchmark.

    Attributes:
        key: SHA-256 over all that fixes the numbers, 32 digits of it.
        benchmark: its name.
        setting: of the replicates.
        replicates: how many.
        is_law: whether the law of the error is asked for, beside Random's draws.
        reason: why the cell must stay empty, known beforehand; or None.
    """

    key: str
    benchmark: str
    setting: ReplicateSetting
    replicates: int
    is_law: bool = False
    reason: str | None = None


class Cell(NamedTuple):
    """One cell of the table: a task, and where its rows belong.

    Attributes:
        task: what is computed; cells of two experiments may share it.
        place: the columns that tell the cell from others, by name.
    """

    task: Task
    place: dict[str, Any]


def cells_of(protocol: Protocol, benchmarks: Sequence[Benchmark], seed: int) -> tuple[Cell, ...]:
    """List all cells of a protocol, in its order.

    Raises:
        ArgumentError: no benchmark is meant by an experiment.
    """
    cells: list[Cell] = []
    for experiment in protocol.experiments:
        meant = [b for b in benchmarks if b.reason is None and _is_meant(experiment, b)]
        for benchmark in meant:
            cells += _of_benchmark(experiment, benchmark, seed)
    if not cells:
        names = [benchmark.name for benchmark in benchmarks]
        raise ArgumentError(
            f"Protocol {protocol.name!r} finds nothing to do on {shown(names)}: look at "
            "`benchmarks`, `kinds`, `min_models` and `metrics` of its experiments."
        )
    return tuple(cells)


def compute(task: Task, benchmark: Benchmark) -> pl.DataFrame:
    """Run a task; a cell that cannot be run gives one row without replicate, with the reason."""
    if task.is_law:
        return set_beside_law(benchmark, task.setting, task.replicates)
    if task.reason is not None:
        return _empty(task.reason)
    try:
        losses = [
            run_replicate(benchmark, task.setting, number) for number in range(task.replicates)
        ]
    except BestrandError as error:
        return _empty(str(error))
    rows = [
        {"replicate": number, **loss._asdict(), "reason": None}
        for number, loss in enumerate(losses)
    ]
    return pl.DataFrame(rows, schema=PART)


def schema_of(task: Task) -> Mapping[str, Any]:
    """Return the columns of a task's part."""
    return LAW if task.is_law else PART


def _empty(reason: str) -> pl.DataFrame:
    return pl.DataFrame([{"reason": reason}], schema=PART)


def _is_meant(experiment: Experiment, benchmark: Benchmark) -> bool:
    return (
        any(fnmatchcase(benchmark.name, pattern) for pattern in experiment.benchmarks)
        and (experiment.kinds is None or benchmark.kind in experiment.kinds)
        and len(benchmark.models) >= experiment.min_models
    )


def _of_benchmark(experiment: Experiment, benchmark: Benchmark, seed: int) -> Iterator[Cell]:
    metrics = [m for m in experiment.metrics or (benchmark.main.metric,) if m in benchmark.matrices]
    for metric in metrics:
        matched = (metric,) if experiment.matched == "each" else tuple(metrics)
        place = {
            "experiment": experiment.name,
            "figure": list(experiment.figure),
            "benchmark": benchmark.name,
            "kind": benchmark.kind,
            "family": benchmark.family,
            "metric": metric,
            "matched": "+".join(matched),
        }
        if experiment.theory:
            yield from _laws(experiment, benchmark, place, seed)
        for split in experiment.splits:
            for known in experiment.known:
                for retention in experiment.retentions:
                    for planned in experiment.planned:
                        yield _cell(
                            experiment,
                            benchmark,
                            planned,
                            {**place, "split": split, "known": known, "retention": retention},
                            matched,
                            seed,
                        )


def _cell(
    experiment: Experiment,
    benchmark: Benchmark,
    planned: Planned,
    place: dict[str, Any],
    matched: tuple[str, ...],
    seed: int,
) -> Cell:
    n_models, n_frame = len(benchmark.models), benchmark.main.frame.n
    known, retention = place["known"], place["retention"]
    n_known = 0 if place["split"] == "none" else _count(known, n_models)
    n_probes = _n_probes(planned, experiment, n_known)
    alpha = experiment.pool_factor if planned.alpha is None else planned.alpha
    if planned.strategy.needs == "sources":
        alpha = math.inf
    setting = ReplicateSetting(
        planned=planned,
        split=place["split"],
        n_known=n_known,
        n_probes=n_probes,
        n=max(2, min(n_frame, round(retention * n_frame))),
        alpha=alpha,
        metric=place["metric"],
        matched=matched,
        forecast=experiment.forecast,
        seed=seed,
    )
    reason = None
    if not n_probes and planned.strategy.needs in ("probes", "sources"):
        reason = f"{planned.name} needs known models, and split {place['split']!r} has none."
    task = Task(
        key=_key(benchmark, setting, experiment.replicates),
        benchmark=benchmark.name,
        setting=setting,
        replicates=experiment.replicates,
        reason=reason,
    )
    where = {
        **place,
        "known": float(known),
        "n_known": n_known,
        "regime": experiment.regime,
        "n": setting.n,
        "strategy": planned.name,
    }
    return Cell(task, where)


def _count(known: float, n_models: int) -> int:
    return int(known) if known >= 1 else round(known * n_models)


def _n_probes(planned: Planned, experiment: Experiment, n_known: int) -> int:
    """Return how many known models a strategy looks at: none, its own number, or as they come."""
    if planned.strategy.needs not in ("probes", "sources"):
        return 0
    if planned.n_probes == "all":
        return n_known
    if planned.n_probes is not None:
        return planned.n_probes
    few = experiment.regime == "sources" and planned.strategy.needs == "probes"
    return min(DEFAULT_PROBES, n_known) if few else n_known


def _laws(
    experiment: Experiment, benchmark: Benchmark, place: dict[str, Any], seed: int
) -> Iterator[Cell]:
    """List the laws of a benchmark's errors; all models are targets."""
    random = Planned("random", STRATEGIES["random"])
    for retention in experiment.retentions:
        n_frame = benchmark.main.frame.n
        setting = ReplicateSetting(
            planned=random,
            split="none",
            n_known=0,
            n_probes=0,
            n=max(2, min(n_frame, round(retention * n_frame))),
            alpha=math.inf,
            metric=place["metric"],
            matched=(place["metric"],),
            forecast=False,
            seed=seed,
        )
        key = _key(benchmark, setting, experiment.replicates, law=True)
        task = Task(key, benchmark.name, setting, experiment.replicates, is_law=True)
        yield Cell(task, {**place, "retention": retention, "n": setting.n})


def _key(
    benchmark: Benchmark, setting: ReplicateSetting, replicates: int, *, law: bool = False
) -> str:
    """Digest all that fixes the numbers of a task, and nothing else."""
    planned, strategy = setting.planned, setting.planned.strategy
    looks = setting.n_probes > 0
    facts = {
        "numbers": NUMBERS,
        "benchmark": benchmark.name,
        "scores": [benchmark.digests[metric] for metric in setting.matched],
        "metric": setting.metric,
        "texts": _texts_digest(benchmark) if strategy.needs == "texts" else None,
        "labels": benchmark.labels_digest if setting.split in BY_LABEL else None,
        "design": [strategy.design.name, strategy.design.parameters],
        "estimator": repr(strategy.estimator),
        "needs": strategy.needs,
        "n_probes": setting.n_probes,
        "probes": planned.probes if looks else None,
        "alpha": repr(setting.alpha) if looks or setting.forecast else None,
        "pool": planned.pool if looks or setting.forecast else None,
        "split": setting.split,
        "n_known": setting.n_known,
        "n": setting.n,
        "forecast": FORECASTS if setting.forecast else False,
        "replicates": replicates,
        "seed": setting.seed,
        "law": law,
    }
    text = json.dumps(facts, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:KEY_DIGITS]


def _texts_digest(benchmark: Benchmark) -> str | None:
    return None if benchmark.texts is None else benchmark.texts.digest

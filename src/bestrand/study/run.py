"""The runner: what is not in the store yet is computed, and the table is put together."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from bestrand.core.texts import ItemTexts
from bestrand.errors import ArgumentError
from bestrand.notes import Note
from bestrand.reading.faults import ErrorPolicy
from bestrand.settings import whole_number
from bestrand.study.benchmark import Benchmark, Matrices, require_usable, take_benchmarks
from bestrand.study.cells import Cell, cells_of, schema_of
from bestrand.study.columns import BENCHMARKS, EMPTY, LAW, LOSSES, PART, ROWS, THEORY
from bestrand.study.dask import Cluster
from bestrand.study.processes import Done, Executor, InProcess, Processes
from bestrand.study.protocol import Protocol
from bestrand.study.store import FORMAT, PlannedCell, Store, StudyFile
from bestrand.study.table import StudyTable


class Progress(NamedTuple):
    """How far a study is.

    Attributes:
        total: cells that are computed, cells of equal numbers counted once.
        reused: of them, those that the store held already.
        damaged: files of the store that were damaged, whose cells are computed again.
        done: how many are there by now.
        last: what was done last, or None at the beginning.
    """

    total: int
    reused: int
    damaged: int
    done: int
    last: Done | None


def run_study(
    matrices: Matrices,
    protocol: Protocol | str | Path = "quick",
    *,
    output: str | Path | None = None,
    workers: int = 1,
    cluster: str | None = None,
    seed: int = 0,
    texts: Mapping[str, ItemTexts] | None = None,
    errors: ErrorPolicy = "keep",
    progress: Callable[[Progress], None] | None = None,
) -> StudyTable:
    """Hide targets, draw, select, estimate and compare with the truth, as a protocol says.

    Args:
        matrices: name -> full scores of every model on every item; or files or folders. A file is
            named after its stem; its kind is the name of its folder, if that is text, multimodal,
            agent or vla. Texts of the items may lie in a folder `texts`, one file a benchmark. The
            scores of one benchmark will do, too.
        protocol: what to run; the name of one that is shipped, a path, or a `Protocol`.
        output: a folder that keeps each cell once it is computed. The same call goes on where it
            was stopped; another protocol, or other scores, take over the cells that are the same.
        workers: local processes; 1 is this one.
        cluster: address of a dask scheduler, instead of local processes.
        seed: the one source of chance. The table is the same, bit for bit, for the same seed,
            whatever the number of workers and machines of one kind.
        texts: name -> representations of the items' texts, for designs that look at them.
        errors: what a row of a file counts as that has an error, as in `read_scores`: "keep",
            "zero", "missing" or "refuse". Scores that were read before stand as they are.
        progress: is told how far the study is, at the beginning and after each cell.

    Raises:
        ArgumentError: an unknown protocol, workers < 1, both workers and cluster, no scheduler at
            the address, or nothing to do.
        FileError: a file of scores or a protocol that cannot be read.
        InputError: no benchmark can be used, or errors with `errors="refuse"`.
        OutputError: `output` is a file, holds other things than a study, or cannot be written.
        WorkerError: the workers died in a cell again and again, or the cluster went away.
    """
    seed = whole_number(seed, "seed")
    executor = choose_executor(workers, cluster)
    asked = protocol if isinstance(protocol, Protocol) else Protocol.load(protocol)
    benchmarks = take_benchmarks(matrices, asked, texts, errors)
    require_usable(benchmarks)
    cells = cells_of(asked, benchmarks, seed)
    plan = _plan(asked, benchmarks, cells, seed)
    tasks = {cell.task.key: cell.task for cell in cells}
    with executor:
        store = None if output is None else Store.open(output)
        parts: dict[str, pl.DataFrame] = {}
        damaged: list[Path] = []
        if store is not None:
            store.write_plan(plan)
            parts, damaged = store.read_parts({key: schema_of(task) for key, task in tasks.items()})
            store.drop(damaged)
        reused = len(parts)
        todo = [task for key, task in tasks.items() if key not in parts]
        say = progress or _say_nothing
        say(Progress(len(tasks), reused, len(damaged), reused, None))
        by_name = {benchmark.name: benchmark for benchmark in benchmarks}
        with closing(executor.run(todo, by_name)) as results:
            for done in results:
                parts[done.task.key] = done.part
                if store is not None:
                    store.write_part(done.task.key, done.part)
                    store.note_times([{"key": done.task.key, "seconds": round(done.seconds, 4)}])
                say(Progress(len(tasks), reused, len(damaged), len(parts), done))
    return put_together(plan, parts)


def read_study(folder: str | Path) -> StudyTable:
    """Read the table of a study from its folder, as far as it was computed.

    Raises:
        FileError: the folder holds no study, or its `study.json` was changed.
    """
    store = Store(Path(folder))
    plan = store.read_plan()
    parts, _ = store.read_parts({cell.key: LAW if cell.is_law else PART for cell in plan.cells})
    return put_together(plan, parts)


def choose_executor(workers: int, cluster: str | None) -> Executor:
    """Return the place where cells are computed.

    Raises:
        ArgumentError: workers < 1, or several beside a cluster.
    """
    workers = whole_number(workers, "workers")
    if workers < 1:
        raise ArgumentError(f"`workers` must be 1 or more, got {workers}.", workers=workers)
    if cluster is None:
        return InProcess() if workers == 1 else Processes(workers)
    if workers > 1:
        raise ArgumentError("Give `workers` or `cluster`, and not both.")
    return Cluster(cluster)


def put_together(plan: StudyFile, parts: Mapping[str, pl.DataFrame]) -> StudyTable:
    """Make the table from what was planned and what was computed, in the protocol's order."""
    rows, empty, theory = [], [], []
    n_missing = 0
    for cell in plan.cells:
        part = parts.get(cell.key)
        if part is None:
            n_missing += 1
        elif cell.is_law:
            theory.append(_placed(part, cell.place, THEORY))
        elif part["replicate"].has_nulls():
            empty.append(_placed(part, cell.place, EMPTY))
        else:
            rows.append(_placed(part, cell.place, ROWS))
    return StudyTable(
        rows=_stacked(rows, ROWS).with_columns(pl.col(LOSSES).fill_null(float("nan"))),
        empty=_stacked(empty, EMPTY),
        theory=_stacked(theory, THEORY),
        benchmarks=pl.DataFrame(list(plan.benchmarks), schema=BENCHMARKS),
        protocol=plan.protocol,
        seed=plan.seed,
        missing=n_missing,
        notes=plan.notes,
    )


def _placed(
    part: pl.DataFrame, place: Mapping[str, Any], schema: Mapping[str, Any]
) -> pl.DataFrame:
    """Put the columns that tell the cell before those of its part."""
    named = [
        pl.lit(pl.Series(name, [value], dtype=schema[name])).first().alias(name)
        for name, value in place.items()
        if name in schema
    ]
    return part.with_columns(named).select(list(schema))


def _stacked(parts: list[pl.DataFrame], schema: Mapping[str, Any]) -> pl.DataFrame:
    return pl.concat(parts) if parts else pl.DataFrame(schema=schema)


def _plan(
    protocol: Protocol, benchmarks: Sequence[Benchmark], cells: Sequence[Cell], seed: int
) -> StudyFile:
    taken = {cell.task.benchmark for cell in cells}
    return StudyFile(
        format=FORMAT,
        bestrand_version=version("bestrand"),
        seed=seed,
        protocol=protocol,
        benchmarks=tuple(
            {
                "benchmark": benchmark.name,
                "kind": benchmark.kind,
                "family": benchmark.family,
                "metrics": list(benchmark.matrices),
                "models": len(benchmark.models),
                "items": benchmark.main.frame.n,
                "groups": len(benchmark.main.frame.group_sizes or {}),
                "reason": benchmark.reason
                or (None if benchmark.name in taken else _not_meant(benchmark)),
            }
            for benchmark in benchmarks
        ),
        notes=tuple(
            Note(note.code, f"{benchmark.name}: {note.text}")
            for benchmark in benchmarks
            for note in benchmark.notes
        ),
        cells=tuple(
            PlannedCell(key=cell.task.key, is_law=cell.task.is_law, place=cell.place)
            for cell in cells
        ),
    )


def _not_meant(benchmark: Benchmark) -> str:
    return (
        "No experiment of the protocol takes it: look at `benchmarks`, `kinds`, `min_models` (it "
        f"has {len(benchmark.models)}) and `metrics`."
    )


def _say_nothing(_: Progress) -> None:
    """Report no progress."""

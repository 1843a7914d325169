"""Where cells are computed: in this process or in local processes; `dask` has a cluster.

All places take tasks and give back parts as they are done, in any order. A part depends on its task
alone, so the table is the same wherever and in whichever order its cells were computed.
"""

import multiprocessing
import os
import signal
import threading
import time
from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Generator, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import NamedTuple, Self

import polars as pl

from bestrand.errors import WorkerError
from bestrand.search.best import one_search_thread
from bestrand.study.benchmark import Benchmark
from bestrand.study.cells import Task, compute


MOST_LOSSES = 3
THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_alone = threading.Lock()


class Done(NamedTuple):
    """A task that was done.

    Attributes:
        task: which.
        part: its rows.
        seconds: how long it took.
    """

    task: Task
    part: pl.DataFrame
    seconds: float


# one task after the other, as they are done
Results = Generator[Done, None, None]


def run_task(task: Task, benchmark: Benchmark) -> Done:
    """Compute one task on one thread, one at a time in a process.

    Sums of floating-point numbers depend on the number of threads, so there is one.
    """
    threads = import_module("threadpoolctl")
    with _alone, one_search_thread(), threads.threadpool_limits(limits=1):
        start = time.perf_counter()
        part = compute(task, benchmark)
        return Done(task, part, time.perf_counter() - start)


class Executor(ABC):
    """A place where tasks are computed; open while it is entered."""

    def __enter__(self) -> Self:
        """Open the place, before anything is written."""
        return self

    def __exit__(self, *_: object) -> None:
        """Leave it."""
        return

    @abstractmethod
    def run(self, tasks: Sequence[Task], benchmarks: Mapping[str, Benchmark]) -> Results:
        """Compute tasks and give each as it is done.

        Closing the iterator stops the workers and drops what they are at.
        """


class InProcess(Executor):
    """This process, one task after the other."""

    def run(self, tasks: Sequence[Task], benchmarks: Mapping[str, Benchmark]) -> Results:
        """Compute tasks in their order."""
        for task in tasks:
            yield run_task(task, benchmarks[task.benchmark])


class Processes(Executor):
    """Local processes that are handed all benchmarks once, and one task at a time.

    A process that goes away is replaced, and its task is given out again.
    """

    def __init__(self, n_workers: int) -> None:
        self.n_workers = n_workers

    def run(self, tasks: Sequence[Task], benchmarks: Mapping[str, Benchmark]) -> Results:
        """Compute tasks on all workers."""
        waiting = deque(tasks)
        losses: Counter[str] = Counter()
        workers: dict[Connection, tuple[BaseProcess, Task]] = {}
        try:
            while waiting or workers:
                while waiting and len(workers) < self.n_workers:
                    line, process = _start(benchmarks)
                    workers[line] = (process, waiting[0])
                    line.send(waiting.popleft())
                ready = wait(list(workers))
                for line in [line for line in workers if line in ready]:
                    process, task = workers[line]
                    try:
                        answer = line.recv()
                    except (EOFError, ConnectionError):
                        _end(line, workers.pop(line)[0])
                        losses[task.key] += 1
                        if losses[task.key] >= MOST_LOSSES:
                            raise _lost(task) from None
                        waiting.appendleft(task)
                        continue
                    if isinstance(answer, BaseException):
                        raise answer
                    if waiting:
                        workers[line] = (process, waiting[0])
                        line.send(waiting.popleft())
                    else:
                        _end(line, workers.pop(line)[0])
                    yield answer
        finally:
            for line, (process, _) in workers.items():
                _end(line, process)


def _start(benchmarks: Mapping[str, Benchmark]) -> tuple[Connection, BaseProcess]:
    context = multiprocessing.get_context("spawn")  # a fork would copy the locks of polars
    ours, theirs = context.Pipe()
    process = context.Process(target=_work, args=(theirs, dict(benchmarks)), daemon=True)
    before = {name: os.environ.get(name) for name in THREAD_VARIABLES}
    os.environ.update(dict.fromkeys(THREAD_VARIABLES, "1"))
    try:
        process.start()
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
    theirs.close()
    return ours, process


def _work(line: Connection, benchmarks: dict[str, Benchmark]) -> None:
    """Answer tasks until the line is closed; leave at once if the parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    with suppress(EOFError, ConnectionError):
        while True:
            task: Task = line.recv()
            try:
                line.send(run_task(task, benchmarks[task.benchmark]))
            except Exception as error:  # noqa: BLE001 - it is raised in the parent
                line.send(_with_place(error, task))


def _leave_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _with_place(error: Exception, task: Task) -> Exception:
    """Return in which cell an unforeseen error arose."""
    planned = task.setting.planned.name
    error.add_note(f"in cell {task.key} ({task.benchmark}, {planned}, n = {task.setting.n})")
    return error


def _end(line: Connection, process: BaseProcess) -> None:
    line.close()
    process.terminate()
    process.join()


def _lost(task: Task) -> WorkerError:
    return WorkerError(
        f"The worker died {MOST_LOSSES} times on the cell of {task.setting.planned.name} on "
        f"{task.benchmark}, n = {task.setting.n}; it may have run out of memory. Run fewer "
        "workers, or leave the strategy out. What was finished is kept.",
        key=task.key,
    )

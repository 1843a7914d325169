"""Where cells are computed: in this process, in local processes, or on a dask cluster.

All three take tasks and give back parts as they are done, in any order. A part depends on its task
alone, so the table is the same wherever and in whichever order its cells were computed.
"""

import asyncio
import multiprocessing
import os
import signal
import threading
import time
from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Generator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from importlib import import_module
from importlib.metadata import version
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, NamedTuple, Self

import polars as pl

from bestrand.errors import ArgumentError, WorkerError
from bestrand.search.best import one_search_thread
from bestrand.study.benchmark import Benchmark
from bestrand.study.cells import Task, compute


MOST_LOSSES = 3
CLUSTER_SECONDS = 10
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
    """Say in which cell an unforeseen error arose."""
    planned = task.setting.planned.name
    error.add_note(f"in cell {task.key} ({task.benchmark}, {planned}, n = {task.setting.n})")
    return error


def _end(line: Connection, process: BaseProcess) -> None:
    line.close()
    process.terminate()
    process.join()


def _lost(task: Task) -> WorkerError:
    return WorkerError(
        f"The cell of {task.setting.planned.name} on {task.benchmark}, n = {task.setting.n}, took "
        f"its worker down {MOST_LOSSES} times, maybe for want of memory. Run fewer workers, or "
        "leave the strategy out. What was finished is kept.",
        key=task.key,
    )


class Cluster(Executor):
    """An existing dask cluster; each benchmark is sent once to every worker.

    Its workers should have one thread each, for a process computes one cell at a time.
    """

    def __init__(self, address: str) -> None:
        self.address = address
        self._client: Any = None

    def __enter__(self) -> Self:
        """Reach the scheduler, and see that its workers can compute.

        Raises:
            ArgumentError: dask is not installed, no scheduler with workers answers in time, or the
                workers have another bestrand.
        """
        self._client = _reach(_import_distributed(), self.address)
        return self

    def __exit__(self, *_: object) -> None:
        """Let go of the cluster."""
        self._client.close()

    def run(self, tasks: Sequence[Task], benchmarks: Mapping[str, Benchmark]) -> Results:
        """Compute tasks on the cluster; a task whose worker goes away is given out again."""
        distributed = _import_distributed()
        gone = (distributed.KilledWorker, CancelledError, distributed.comm.CommClosedError)
        try:
            yield from self._through(self._client, distributed, tasks, benchmarks)
        except gone as error:
            raise WorkerError(
                f"The cluster went away, or a cell took its workers down again and again "
                f"({error}). What was finished is kept, and the same call goes on."
            ) from error

    def _through(
        self,
        client: Any,  # noqa: ANN401
        distributed: Any,  # noqa: ANN401
        tasks: Sequence[Task],
        benchmarks: Mapping[str, Benchmark],
    ) -> Results:
        sent = {
            name: client.scatter(benchmarks[name], broadcast=True)
            for name in dict.fromkeys(task.benchmark for task in tasks)
        }
        futures = [
            client.submit(run_task, task, sent[task.benchmark], pure=False, retries=MOST_LOSSES)
            for task in tasks
        ]
        try:
            for future in distributed.as_completed(futures):
                yield future.result()
                future.release()
        finally:
            client.cancel([future for future in futures if not future.done()])


def _reach(distributed: Any, address: str) -> Any:  # noqa: ANN401
    """Give a client of a scheduler that has workers with this bestrand."""
    client = None
    try:
        _require_scheduler(distributed, address)
        client = distributed.Client(address, timeout=CLUSTER_SECONDS)
        client.wait_for_workers(1, timeout=CLUSTER_SECONDS)
        _require_same_version(client)
    except Exception as error:
        if client is not None:
            client.close()
        if isinstance(error, ArgumentError):
            raise
        raise ArgumentError(
            "`cluster` must be the address of a dask scheduler with workers, as tcp://host:8786; "
            f"none answers at {address!r} within {CLUSTER_SECONDS} seconds ({_why(error)}). Start "
            "one, or take --workers.",
            cluster=address,
        ) from error
    return client


def _require_scheduler(distributed: Any, address: str) -> None:  # noqa: ANN401
    """Ask who is there before a client is made, which would try again and again, and at exit too.

    Anything may answer, and nothing may, so a thread asks which nobody waits for in the end.
    """
    problems: list[Exception] = []

    def ask() -> None:
        try:
            asyncio.run(asyncio.wait_for(_identity(distributed, address), CLUSTER_SECONDS))
        except Exception as error:  # noqa: BLE001 - it is raised in the thread that waits
            problems.append(error)

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(CLUSTER_SECONDS + 1)
    if thread.is_alive():
        raise TimeoutError
    if problems:
        raise problems[0]


def _why(error: Exception) -> str:
    """Say in a line what went wrong; other programs' answers are taken for sizes of memory."""
    if isinstance(error, MemoryError):
        return "what answers there does not speak as dask does"
    return " ".join(str(error).split()) or "silence"


async def _identity(distributed: Any, address: str) -> None:  # noqa: ANN401
    """Require that it is a scheduler who answers."""
    security = distributed.Security().get_connection_args("client")
    comm = await distributed.comm.connect(address, timeout=CLUSTER_SECONDS, **security)
    try:
        await comm.write({"op": "identity"})
        kind = (await comm.read())["type"]
    finally:
        comm.abort()
    if kind != "Scheduler":
        raise ValueError(f"it is a {kind}")


def _require_same_version(client: Any) -> None:  # noqa: ANN401
    """Require that all workers have this bestrand, for others may give other numbers."""
    ours = version("bestrand")
    # a function of ours could not be loaded where bestrand is not installed
    found = client.run(version, "bestrand", on_error="return").values()
    there = sorted({"none" if isinstance(one, Exception) else str(one) for one in found})
    if there != [ours]:
        raise ArgumentError(
            f"All workers of the cluster must have bestrand {ours}, got {', '.join(there)}. "
            "Install it there."
        )


def _import_distributed() -> Any:  # noqa: ANN401
    try:
        import distributed
    except ImportError as error:
        raise ArgumentError(
            "`cluster` needs dask, which is not installed. Install the extra cluster: "
            "pip install 'bestrand[cluster]'."
        ) from error
    return distributed

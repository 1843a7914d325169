"""An existing dask cluster, as a place where cells are computed."""

import asyncio
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import CancelledError
from importlib.metadata import version
from typing import Any, Self

from bestrand.errors import ArgumentError, WorkerError
from bestrand.study.benchmark import Benchmark
from bestrand.study.cells import Task
from bestrand.study.processes import MOST_LOSSES, Executor, Results, run_task


CLUSTER_SECONDS = 10


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
                f"The cluster went away, or the workers died in a cell again and again "
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
    """Return a client of a scheduler that has workers with this bestrand."""
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

    The address may never answer, so a thread asks, and is not waited for past the deadline.
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

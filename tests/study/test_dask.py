"""A study on a dask cluster: the same table, bit for bit, and what is no cluster is named."""

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

import bestrand
import bestrand as br
from bestrand.errors import ArgumentError
from bestrand.study import dask
from bestrand.study.run import Progress, run_study
from tests.study.conftest import TWELVE_CELLS


distributed: Any = pytest.importorskip(
    "distributed", reason="distributed (extra cluster) is not installed"
)


@contextmanager
def dask_cluster(folder: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """Run a scheduler and two workers as processes of their own; give address and workers."""
    file = folder / "scheduler.json"
    common = ["--scheduler-file", str(file)]
    words = [
        ["dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", *common],
        *[["dask_worker", "--nthreads", "1", "--no-nanny", "--no-dashboard", *common]] * 2,
    ]
    processes = []
    try:
        for command, *options in words:
            processes.append(
                subprocess.Popen(
                    [sys.executable, "-m", f"distributed.cli.{command}", *options],
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    cwd=folder,
                    env={**os.environ, "PYTHONPATH": str(Path(bestrand.__file__).parents[1])},
                )
            )
        with distributed.Client(scheduler_file=str(file), set_as_default=False) as client:
            client.wait_for_workers(2, timeout=60)
            address = client.scheduler.address
        yield address, processes[1:]
    finally:
        for process in processes:
            process.kill()
            process.wait()


@pytest.mark.slow
def test_a_cluster_gives_the_same_bits_even_if_a_worker_is_lost(
    small: br.ScoreMatrix, tmp_path: Path
) -> None:
    alone = run_study({"b": small}, TWELVE_CELLS)

    with dask_cluster(tmp_path) as (address, workers):
        counted: list[int] = []

        def say(seen: Progress) -> None:
            counted.append(seen.done)
            if seen.done == 3:
                workers[0].kill()

        far = run_study({"b": small}, TWELVE_CELLS, cluster=address, progress=say)

        assert workers[0].wait() != 0
        assert workers[1].poll() is None
    assert far.rows.equals(alone.rows)
    assert counted == list(range(13))


def test_a_cluster_that_does_not_answer_is_named(
    small: br.ScoreMatrix, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask, "CLUSTER_SECONDS", 1)

    with pytest.raises(ArgumentError, match="none answers at 'tcp:"):
        run_study({"b": small}, TWELVE_CELLS, cluster="tcp://127.0.0.1:9")


@contextmanager
def stranger(words: bytes) -> Iterator[str]:
    """Accept whoever calls, say the words, and keep the line; give the address."""
    lines: list[socket.socket] = []

    def answer() -> None:
        with suppress(OSError):
            while True:
                lines.append(server.accept()[0])
                lines[-1].sendall(words)

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        yield f"tcp://127.0.0.1:{server.getsockname()[1]}"
        server.shutdown(socket.SHUT_RDWR)
        thread.join()
        for line in lines:
            line.close()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (b"", "silence"),
        (b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n", "does not speak as dask does"),
        (b"\xff\x12 no dask at all" * 40, "does not speak as dask does"),
        (b"\x00" * 400, "."),
    ],
)
def test_what_is_no_scheduler_is_named_and_leaves_no_folder(
    words: bytes,
    said: str,
    small: br.ScoreMatrix,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(dask, "CLUSTER_SECONDS", 1)
    output = tmp_path / "out"

    with stranger(words) as address, pytest.raises(ArgumentError) as caught:
        run_study({"b": small}, TWELVE_CELLS, cluster=address, output=output)

    assert f"none answers at {address!r} within 1 seconds (" in str(caught.value)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not output.exists()


def test_the_address_of_a_worker_is_not_that_of_a_scheduler(tmp_path: Path) -> None:
    with dask_cluster(tmp_path) as (address, _):
        with distributed.Client(address, set_as_default=False) as client:
            worker = next(iter(client.scheduler_info()["workers"]))
        with pytest.raises(ArgumentError, match="it is a Worker"), dask.Cluster(worker):
            pass

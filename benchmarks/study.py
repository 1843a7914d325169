"""The study's runner: cells a second, memory, and whether kills change the table.

    python benchmarks/study.py speed FILES|DIR...            1 worker, 2 workers, a cluster of 2
    python benchmarks/study.py kills FILES|DIR... --kills 10  killed at random moments, gone on with

Both run the protocol `quick`, or another with --protocol. Which strategy errs by how much is no
matter of speed: `bestrand study DIR --protocol article` says that.
"""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import bestrand as br


class Ran(NamedTuple):
    """One run of the command line.

    Attributes:
        code: exit code.
        seconds: wall clock.
        peak: largest memory of all its processes together, in MiB, looked at every 50 ms.
    """

    code: int
    seconds: float
    peak: float


def start(paths: list[str], protocol: str, output: Path, *more: str) -> subprocess.Popen[bytes]:
    """Start a study as a user does, in a process group of its own."""
    words = ["study", *paths, "--protocol", protocol, "-o", str(output), "--quiet", *more]
    code = "from bestrand.cli import main; main()"
    return subprocess.Popen([sys.executable, "-c", code, *words], start_new_session=True)


def memory_of(group: int) -> float:
    """Sum the resident memory of a process group, in MiB; 0 where /proc is not there."""
    total = 0
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if os.getpgid(int(folder.name)) == group:
                total += int((folder / "statm").read_text().split()[1])
        except (OSError, IndexError):
            continue  # a process that has just ended
    return total * os.sysconf("SC_PAGE_SIZE") / 2**20


def run(paths: list[str], protocol: str, output: Path, *more: str) -> Ran:
    """Run a study to its end and watch its memory."""
    begin, peak = time.perf_counter(), 0.0
    process = start(paths, protocol, output, *more)
    while process.poll() is None:
        peak = max(peak, memory_of(process.pid))
        time.sleep(0.05)
    return Ran(process.returncode, time.perf_counter() - begin, peak)


@contextmanager
def cluster(folder: Path) -> Iterator[str]:
    """Run a dask scheduler and two workers of one thread each; give its address."""
    import distributed

    file = folder / "scheduler.json"
    common = ["--no-dashboard", "--scheduler-file", str(file)]
    commands = [["dask_scheduler", "--host", "127.0.0.1", "--port", "0", *common]]
    commands += [["dask_worker", "--nthreads", "1", "--no-nanny", *common]] * 2
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.{name}", *options],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for name, *options in commands
    ]
    try:
        client: Any = distributed.Client  # it has no types
        with client(scheduler_file=str(file)) as reached:
            reached.wait_for_workers(2, timeout=60)
            address: str = reached.scheduler.address
        yield address
    finally:
        for process in processes:
            process.kill()
            process.wait()


def speed(paths: list[str], protocol: str, folder: Path) -> None:
    """Print cells a second and memory of three places, and whether their tables are the same."""
    tables = []
    with cluster(folder) as address:
        places = {
            "1 worker": ["--workers", "1"],
            "2 workers": ["--workers", "2"],
            "cluster of 2": ["--cluster", address],
        }
        for name, more in places.items():
            output = folder / name.replace(" ", "-")
            ran = run(paths, protocol, output, *more)
            table = br.read_study(output)
            tables.append(table)
            n_cells = table.cells().height + table.empty.height + table.theory.height
            print(
                f"{name:12s} {n_cells} cells in {ran.seconds:.1f} s, "
                f"{n_cells / ran.seconds:.2f} a second, {ran.peak:.0f} MiB at most (without the "
                f"cluster's own), exit {ran.code}",
                flush=True,
            )
    same = [table.rows.equals(tables[0].rows) for table in tables]
    print("the same table, bit for bit:", all(same))


def kills(paths: list[str], protocol: str, folder: Path, n_kills: int) -> None:
    """Kill a study of two workers at random moments, go on, and compare the table at the end."""
    whole = run(paths, protocol, folder / "whole", "--workers", "2")
    rng = np.random.default_rng(0)
    output = folder / "killed"
    cells = output / "cells"
    done = [0]
    for wait in rng.uniform(0.0, whole.seconds / (3 * n_kills), size=n_kills):
        process = start(paths, protocol, output, "--workers", "2")
        while process.poll() is None and len(list(cells.glob("*.parquet"))) == done[-1]:
            time.sleep(0.01)  # starting takes long: kill while cells are computed
        time.sleep(float(wait))
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        done.append(len(list(cells.glob("*.parquet"))))
    last = run(paths, protocol, output, "--workers", "2")
    same = br.read_study(output).rows.equals(br.read_study(folder / "whole").rows)
    print(f"killed {n_kills} times, cells there after each kill: {done[1:]}")
    print(f"without kills {whole.seconds:.1f} s, the last run {last.seconds:.1f} s")
    print("the same table, bit for bit:", same)


def main() -> None:
    """Run one of the two."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["speed", "kills"])
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--protocol", default="quick")
    parser.add_argument("--kills", type=int, default=10)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if args.what == "speed":
            speed(args.paths, args.protocol, Path(folder))
        else:
            kills(args.paths, args.protocol, Path(folder), args.kills)


if __name__ == "__main__":
    main()

"""The same table, bit for bit, wherever and in whichever order its cells are computed."""

import multiprocessing
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import bestrand as br
from bestrand.errors import ArgumentError, WorkerError
from bestrand.study.benchmark import take_benchmarks
from bestrand.study.cells import cells_of
from bestrand.study.processes import Processes
from bestrand.study.run import Progress, run_study
from tests.study.conftest import TWELVE_CELLS


class Deadly(dict[str, br.ScoreMatrix]):
    """Scores that take down the process that looks at them."""

    def __getitem__(self, metric: str) -> br.ScoreMatrix:
        """End the process."""
        if multiprocessing.parent_process() is None:
            return super().__getitem__(metric)
        os._exit(9)


class Broken(dict[str, br.ScoreMatrix]):
    """Scores that nobody can look at."""

    def __getitem__(self, metric: str) -> br.ScoreMatrix:
        """Break."""
        if multiprocessing.parent_process() is None:
            return super().__getitem__(metric)
        raise ZeroDivisionError(f"no {metric}")


def once(act: Callable[[], None], after: int = 2) -> Callable[[Progress], None]:
    """Act when so many cells are done."""
    acted: list[bool] = []

    def say(seen: Progress) -> None:
        if seen.done >= after and not acted:
            acted.append(True)
            act()

    return say


def kill_a_child() -> None:
    child = multiprocessing.active_children()[0]
    child.kill()
    child.join()


@pytest.mark.slow
def test_two_workers_give_the_same_bits_even_if_one_is_lost(small: br.ScoreMatrix) -> None:
    alone = run_study({"b": small}, TWELVE_CELLS)
    two = run_study({"b": small}, TWELVE_CELLS, workers=2, progress=once(kill_a_child))

    assert two.rows.equals(alone.rows)
    assert multiprocessing.active_children() == []


def test_a_stop_leaves_no_worker_behind(small: br.ScoreMatrix, tmp_path: Path) -> None:
    def stop() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_study({"b": small}, TWELVE_CELLS, output=tmp_path, workers=2, progress=once(stop))

    assert multiprocessing.active_children() == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scores", "error", "said"),
    [
        (Deadly, WorkerError, "The worker died 3 times"),
        (Broken, ZeroDivisionError, "no score"),
    ],
)
def test_what_goes_wrong_in_a_worker_is_told(
    scores: type[dict[str, br.ScoreMatrix]],
    error: type[Exception],
    said: str,
    small: br.ScoreMatrix,
) -> None:
    (benchmark,) = take_benchmarks({"b": small}, TWELVE_CELLS)
    task = cells_of(TWELVE_CELLS, [benchmark], 0)[0].task
    object.__setattr__(benchmark, "matrices", scores(benchmark.matrices))

    with pytest.raises(error, match=said):
        list(Processes(1).run([task], {"b": benchmark}))


def test_without_dask_the_extra_is_named(
    small: br.ScoreMatrix, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)

    with pytest.raises(ArgumentError, match="Install the extra cluster"):
        run_study({"b": small}, TWELVE_CELLS, cluster="tcp://127.0.0.1:9")

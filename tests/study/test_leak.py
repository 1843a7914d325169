"""No strategy sees a target's score outside its subset."""

from dataclasses import replace

import numpy as np
import pytest

import bestrand as br
from bestrand.methods import STRATEGIES
from bestrand.study.benchmark import Benchmark, take_benchmarks
from bestrand.study.cells import cells_of
from bestrand.study.protocol import Experiment, Protocol
from bestrand.study.replicate import draw_subset, part_models


SLOW = ("sparse-eval", "anchor-irt", "p-irt", "gp-irt")
NAMES = [name for name, s in STRATEGIES.items() if s.needs != "texts" and name not in SLOW]


@pytest.mark.parametrize("name", NAMES)
def test_targets_are_seen_on_the_subset_alone(name: str, small: br.ScoreMatrix) -> None:
    names = tuple(dict.fromkeys(["random", name]))
    experiment = Experiment(name="x", strategies=names, retentions=(0.1,), known=(8,))
    protocol = Protocol(name="x", experiments=(experiment,))
    (benchmark,) = take_benchmarks({"b": small}, protocol)
    cell = cells_of(protocol, [benchmark], 0)[-1]
    setting = cell.task.setting
    parted = part_models(benchmark, setting, 0)
    open_book = draw_subset(benchmark, parted, setting, 0)

    hidden = hide(benchmark, parted.targets, open_book.subset.items)
    closed_book = draw_subset(hidden, parted, setting, 0)

    assert np.isnan(hidden.main.values).any()
    assert closed_book.subset.items == open_book.subset.items
    np.testing.assert_array_equal(closed_book.result.estimate, open_book.result.estimate)
    np.testing.assert_array_equal(closed_book.result.half_width, open_book.result.half_width)


def hide(benchmark: Benchmark, targets: tuple[str, ...], items: tuple[str, ...]) -> Benchmark:
    """Make nan of all that targets scored elsewhere."""
    matrix = benchmark.main
    values = matrix.values.copy()
    rows = [matrix.models.index(target) for target in targets]
    columns = [i for i, item in enumerate(matrix.frame.items) if item not in set(items)]
    values[np.ix_(rows, columns)] = np.nan
    return replace(benchmark, matrices={matrix.metric: replace(matrix, values=values)})

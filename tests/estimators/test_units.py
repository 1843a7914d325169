"""The mean in another unit, on a single item, and beside probes among the targets."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bestrand.core.estimates import Estimates
from bestrand.core.frame import Frame
from bestrand.core.manifest import Manifest
from bestrand.core.scores import ScoreMatrix
from bestrand.data import load
from bestrand.designs.base import Design
from bestrand.designs.best_rand import BestRand
from bestrand.designs.simple_random import SimpleRandom
from bestrand.designs.stratified import Stratified
from bestrand.estimators.base import Estimator
from bestrand.estimators.mean import Mean
from bestrand.steps.draw_pool import draw_pool
from bestrand.steps.estimate import estimate
from bestrand.steps.select import select
from tests.strategies import frames, score_matrices


ESTIMATORS: list[Estimator] = [Mean()]
every_estimator = pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
NUMBERS = ("estimate", "se", "low", "high", "pair_difference", "pair_se", "pair_half_width")


class Run(NamedTuple):
    """A subset, the probes that it was chosen by, and targets that ran on the whole frame."""

    targets: ScoreMatrix
    probes: ScoreMatrix
    subset: Manifest

    def estimate(self, estimator: Estimator, targets: ScoreMatrix | None = None) -> Estimates:
        """Estimate the targets' full scores from the subset."""
        scores = self.targets if targets is None else targets
        return estimate(scores, self.subset, probes=self.probes, estimator=estimator)


def designs_for(frame: Frame) -> list[Design]:
    designs: list[Design] = [SimpleRandom(), BestRand(n_candidates=5)]
    return designs if frame.groups is None else [*designs, Stratified()]


@st.composite
def runs(
    draw: st.DrawFn, *, min_items: int = 1, n_scored: int | None = None, exact: bool = False
) -> Run:
    """Give a run of any design, from a pool or from the frame."""
    frame = draw(frames(min_items=min_items))
    designs = designs_for(frame)
    probes = draw(score_matrices(frame=frame, exact=exact))
    probes = replace(probes, models=tuple(f"probe {model}" for model in probes.models))
    targets = draw(score_matrices(frame=frame, max_models=5, exact=exact))
    n = n_scored or draw(st.integers(1, frame.n))
    pool = None
    if draw(st.booleans()):
        first = draw(st.sampled_from([design for design in designs if not design.uses_probes]))
        pool = draw_pool(frame, n, factor=draw(st.sampled_from([1, 1.5, 4])), design=first)
    design = draw(st.sampled_from(designs))
    subset = select(probes, n, pool=pool, design=design, seed=draw(st.integers(0, 99)))
    return Run(targets, probes, subset)


def assert_same(first: Estimates, second: Estimates, tolerance: float = 1e-9) -> None:
    for name in NUMBERS:
        one, other = getattr(first, name), getattr(second, name)

        assert one == pytest.approx(other, abs=tolerance, nan_ok=True), name
    assert first.n.tolist() == second.n.tolist()


@every_estimator
@given(
    run=runs(exact=True),
    start=st.sampled_from([0.0, -7.0, 40.0]),
    slope=st.sampled_from([-2.0, 0.5, 1.0, 100.0]),
)
def test_another_unit_carries_through(
    estimator: Estimator, run: Run, start: float, slope: float
) -> None:
    def converted(matrix: ScoreMatrix) -> ScoreMatrix:
        low, high = sorted((start, start + slope))
        return replace(matrix, values=start + slope * matrix.values, bounds=(low, high))

    tops = np.nanmax(
        np.abs(start + slope * np.concatenate([run.targets.values, run.probes.values])), axis=1
    )
    assume(slope < 100 or not ((tops > 0) & (tops <= 1)).any())  # may be refused as another scale
    plain = run.estimate(estimator)
    means = {
        metric: {probe: start + slope * mean for probe, mean in stated.items()}
        for metric, stated in (run.subset.probe_means or {}).items()
    }
    subset = run.subset.model_copy(update={"probe_means": means})
    other = Run(converted(run.targets), converted(run.probes), subset).estimate(estimator)
    ends = (plain.low, plain.high) if slope > 0 else (plain.high, plain.low)
    expected = replace(
        plain,
        estimate=start + slope * plain.estimate,
        se=abs(slope) * plain.se,
        low=start + slope * ends[0],
        high=start + slope * ends[1],
        pair_difference=slope * plain.pair_difference,
        pair_se=abs(slope) * plain.pair_se,
        pair_half_width=abs(slope) * plain.pair_half_width,
    )

    assert_same(other, expected, tolerance=1e-6)


@every_estimator
@given(run=runs(min_items=2, n_scored=1))
def test_one_item_cannot_tell_its_spread(estimator: Estimator, run: Run) -> None:
    result = run.estimate(estimator)
    item = run.targets.frame.positions[run.subset.items[0]]
    apart = ~np.eye(len(result.models), dtype=np.bool_)

    assert result.estimate == pytest.approx(run.targets.values[:, item], abs=1e-12)
    for name in ("se", "low", "high"):
        assert np.isnan(getattr(result, name)).all(), name
    for name in ("pair_se", "pair_half_width"):
        assert np.isnan(getattr(result, name)[apart]).all(), name
    assert np.isnan(result.resolution)


def test_probes_among_the_targets_do_not_narrow_the_intervals_of_the_others() -> None:
    matrix = load("blink_val").matrix()
    probes, targets = matrix.take_models(matrix.models[:6]), matrix.take_models(matrix.models[6:])
    subset = select(probes, 95, design=BestRand(), seed=0)
    alone = estimate(targets, subset, probes=probes)
    together = estimate(matrix, subset, probes=probes)
    half = alone.half_width

    assert together.half_width[6:] == pytest.approx(half, rel=0.02)

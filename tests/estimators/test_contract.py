"""What every estimator must keep, seen through the front door. A new one joins ESTIMATORS."""

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
from bestrand.types import FloatArray
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


def pairs_of(full: FloatArray) -> list[list[float]]:
    return [[one - other for other in full.tolist()] for one in full.tolist()]


@every_estimator
@given(targets=score_matrices())
def test_the_whole_frame_gives_no_error_and_no_doubt(
    estimator: Estimator, targets: ScoreMatrix
) -> None:
    subset = select(targets.frame, targets.frame.n, design=SimpleRandom())
    result = estimate(targets, subset, estimator=estimator)
    full = targets.full_scores()

    assert result.estimate == pytest.approx(full, abs=1e-12)
    assert result.pair_difference == pytest.approx(np.array(pairs_of(full)), abs=1e-12)
    assert result.low.tolist() == result.estimate.tolist() == result.high.tolist()
    for name in ("se", "pair_se", "pair_half_width"):
        assert not np.asarray(getattr(result, name)).any(), name


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
@given(run=runs(), data=st.data())
def test_the_order_of_items_is_nothing(estimator: Estimator, run: Run, data: st.DataObject) -> None:
    frame = run.targets.frame
    order = data.draw(st.permutations(range(frame.n)))
    shuffled = Frame(
        tuple(frame.items[i] for i in order), None, None, frame.weights[order], frame.weighting
    )
    targets = replace(run.targets, frame=shuffled, values=run.targets.values[:, order])

    assert_same(run.estimate(estimator, targets), run.estimate(estimator), tolerance=0.0)


@every_estimator
@given(run=runs(), data=st.data())
def test_the_order_of_models_is_nothing(
    estimator: Estimator, run: Run, data: st.DataObject
) -> None:
    rows = np.array(data.draw(st.permutations(range(len(run.targets.models)))))
    reordered = run.targets.take_models([run.targets.models[row] for row in rows])
    plain, other = run.estimate(estimator), run.estimate(estimator, reordered)
    expected = replace(
        plain,
        **{name: getattr(plain, name)[rows] for name in ("estimate", "se", "low", "high", "n")},
        **{
            name: getattr(plain, name)[np.ix_(rows, rows)]
            for name in ("pair_difference", "pair_se", "pair_half_width")
        },
    )

    assert other.models == reordered.models
    assert_same(other, expected)


@every_estimator
@given(run=runs(), data=st.data())
def test_the_order_of_probes_in_their_logs_is_nothing(
    estimator: Estimator, run: Run, data: st.DataObject
) -> None:
    models = data.draw(st.permutations(run.probes.models))
    again = run._replace(probes=run.probes.take_models(models))

    assert_same(again.estimate(estimator), run.estimate(estimator), tolerance=0.0)


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


@every_estimator
@given(run=runs(), hidden=st.sampled_from([np.nan, 0.0, 0.3, 1.0]))
def test_scores_beyond_the_subset_are_not_seen(
    estimator: Estimator, run: Run, hidden: float
) -> None:
    chosen = np.isin(run.targets.frame.items, run.subset.items)
    targets = replace(run.targets, values=np.where(chosen, run.targets.values, hidden))

    assert_same(run.estimate(estimator, targets), run.estimate(estimator), tolerance=0.0)


@every_estimator
@given(run=runs())
def test_estimates_do_not_depend_on_who_else_is_measured(estimator: Estimator, run: Run) -> None:
    together = run.estimate(estimator)
    alone = [
        run.estimate(estimator, run.targets.take_models([model])).estimate[0]
        for model in run.targets.models
    ]

    assert together.estimate == pytest.approx(np.array(alone), abs=1e-12)


@every_estimator
@given(run=runs(min_items=2))
def test_differences_are_those_of_the_estimates(estimator: Estimator, run: Run) -> None:
    result = run.estimate(estimator)

    assert result.pair_difference == pytest.approx(np.array(pairs_of(result.estimate)), abs=1e-9)
    assert result.pair_se == pytest.approx(result.pair_se.T, abs=1e-12, nan_ok=True)
    assert not np.diag(result.pair_se).any()


@every_estimator
@given(run=runs(min_items=2))
def test_errors_are_never_negative_and_intervals_hold_the_estimate(
    estimator: Estimator, run: Run
) -> None:
    result = run.estimate(estimator)
    known = ~np.isnan(result.se)

    assert (result.se[known] >= 0).all()
    assert (result.low[known] <= result.estimate[known]).all()
    assert (result.estimate[known] <= result.high[known]).all()
    assert known.all() or run.subset.n == 1


def test_probes_among_the_targets_do_not_narrow_the_intervals_of_the_others() -> None:
    matrix = load("blink_val").matrix()
    probes, targets = matrix.take_models(matrix.models[:6]), matrix.take_models(matrix.models[6:])
    subset = select(probes, 95, design=BestRand(), seed=0)
    alone = estimate(targets, subset, probes=probes)
    together = estimate(matrix, subset, probes=probes)
    half = alone.half_width

    assert together.half_width[6:] == pytest.approx(half, rel=0.02)

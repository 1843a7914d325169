"""Intervals from the front door: no unit, no say of other targets, and what a user must be told."""

import math
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import bestrand as br
from bestrand.data import load
from bestrand.designs.baselines.anchor_points import AnchorPoints
from bestrand.designs.history import History
from bestrand.designs.stratified import Stratified
from bestrand.estimators.base import Estimator
from bestrand.estimators.baselines.ridge_scores import RidgeScores
from bestrand.estimators.history_average import HistoryAverage
from bestrand.estimators.regression import regression_shift
from bestrand.methods import ESTIMATORS
from bestrand.types import FloatArray


GRADED = load("intercode_sql").matrix()
RIGHT_OR_WRONG = load("mmlu_pro").matrix()
SHIFTS = {"HorvitzThompson"}  # its weights do not sum to 1: it moves with the zero of the scale


def table(values: FloatArray, bounds: tuple[float, float] | None = None) -> br.ScoreMatrix:
    frame = br.Frame.of([f"q{i:04}" for i in range(values.shape[1])])
    models = tuple(f"m{row}" for row in range(len(values)))
    return br.ScoreMatrix(frame, models, values, bounds=bounds)


def random_subset(matrix: br.ScoreMatrix, n: int, seed: int = 0) -> br.Manifest:
    return br.select(matrix.frame, n, design=br.SimpleRandom(), seed=seed)


# --- no unit -------------------------------------------------------------------------------------


def estimated(made: Estimator, scores: br.ScoreMatrix) -> tuple[br.Estimates, FloatArray]:
    sources = scores.take_models(scores.models[:8])
    unlike = {"Hajek": Stratified("equal"), "HorvitzThompson": Stratified("equal")}
    design = (unlike | {"ClusterWeighted": AnchorPoints()}).get(made.name, History())
    subset = br.select(sources, 60, design=design, probes=sources.models, seed=1)
    targets = scores.take_models(scores.models[8:]).take_items(subset.items)
    return br.estimate(targets, subset, probes=sources, estimator=made), targets.values


@pytest.mark.parametrize("word", sorted(ESTIMATORS))
@pytest.mark.parametrize(
    ("shift", "unit", "bounds"),
    [(0.0, 0.01, (0.0, 1.0)), (0.0, 100.0, None), (0.0, 8.0, (0.0, 1000.0)), (-3.0, 0.5, None)],
)
def test_the_unit_of_the_scores_is_that_of_the_estimates_and_changes_nothing_else(
    word: str, shift: float, unit: float, bounds: tuple[float, float] | None
) -> None:
    made = ESTIMATORS[word]()
    shift = 0.0 if made.name in SHIFTS else shift
    plain, plain_scores = estimated(made, GRADED)
    moved, _ = estimated(made, replace(GRADED, values=shift + unit * GRADED.values, bounds=bounds))

    assert moved.estimate == pytest.approx(shift + unit * plain.estimate, abs=1e-6 * unit)
    varies = np.ptp(plain_scores, axis=1) > 0  # flat models take the bounds, which are others here
    pairs = varies[:, None] & varies
    assert moved.half_width[varies] == pytest.approx(
        unit * plain.half_width[varies], rel=1e-5, nan_ok=True
    )
    assert moved.pair_half_width[pairs] == pytest.approx(
        unit * plain.pair_half_width[pairs], rel=1e-5, abs=1e-9 * unit, nan_ok=True
    )


@pytest.mark.parametrize("design", [br.Balanced(), br.BestRand(), History()])
def test_the_unit_of_the_scores_changes_no_choice(design: br.Balanced | br.BestRand) -> None:
    probes = RIGHT_OR_WRONG.take_models(RIGHT_OR_WRONG.models[:6])
    small = replace(probes, values=probes.values / 8)
    one, other = (br.select(scores, 80, design=design, seed=3) for scores in (probes, small))

    assert one.items == other.items
    assert other.distance == pytest.approx(one.distance / 8 if one.distance else 0.0)


def test_a_metric_below_0_is_seen_by_its_probes_and_cuts_no_estimate_at_0() -> None:
    """A target without a score below 0 is estimated alike alone and among others."""
    rng = np.random.default_rng(4)
    values = np.round(rng.normal(-0.5, 1, (8, 40)), 2)
    values[7] = np.abs(values[7]) * (rng.random(40) < 0.1)
    scores = table(values)
    sources, targets = scores.take_models(scores.models[:6]), scores.take_models(scores.models[6:])
    subset = br.select(sources, 6, design=br.SimpleRandom(), probes=sources.models, seed=3)
    made = RidgeScores()
    both = br.estimate(targets, subset, probes=sources, estimator=made)
    alone = br.estimate(targets.take_models(["m7"]), subset, probes=sources, estimator=made)

    assert both.estimate[1] < 0
    assert alone.estimate[0] == pytest.approx(both.estimate[1], abs=1e-9)


@pytest.mark.parametrize("word", sorted(w for w in ESTIMATORS if ESTIMATORS[w].needs == "sources"))
def test_items_of_sources_may_stand_in_any_order(word: str) -> None:
    made = ESTIMATORS[word]()
    sources = GRADED.take_models(GRADED.models[:8])
    sources = sources.take_items(sources.frame.items[:50])
    subset = br.select(sources, 10, design=AnchorPoints(), seed=1)
    targets = GRADED.take_models(GRADED.models[8:]).take_items(subset.items)
    turned = sources.take_items(sources.frame.items[::-1])
    one, other = (br.estimate(targets, subset, probes=s, estimator=made) for s in (sources, turned))

    assert other.estimate == pytest.approx(one.estimate, abs=1e-9)


# --- each target by itself -----------------------------------------------------------------------


def test_each_target_has_a_share_of_its_own() -> None:
    """A target whose scores have nothing to do with any item has the interval of a random draw."""
    probes = RIGHT_OR_WRONG.take_models(RIGHT_OR_WRONG.models[:8])
    targets = RIGHT_OR_WRONG.take_models(RIGHT_OR_WRONG.models[8:14])
    values = targets.values.copy()
    values[2] = np.random.default_rng(1).permutation(values[2])
    subset = br.select(probes, 240, seed=0)
    like, odd = (
        br.estimate(scores.take_items(subset.items), subset, probes=probes)
        for scores in (targets, replace(targets, values=values))
    )
    alone = br.estimate(odd_one(targets, values, subset), subset, estimator=br.Mean())

    assert like.half_width[2] < 0.85 * alone.half_width[0]
    assert odd.half_width[2] > 0.97 * alone.half_width[0]
    assert np.delete(odd.half_width, 2) == pytest.approx(np.delete(like.half_width, 2), rel=0.03)
    assert "unexplained" not in {note.code for note in odd.notes}


def odd_one(targets: br.ScoreMatrix, values: FloatArray, subset: br.Manifest) -> br.ScoreMatrix:
    whole = replace(targets, values=values).take_models([targets.models[2]])
    return whole.take_items(subset.items)


def test_a_model_in_bad_company_has_the_interval_that_it_has_alone() -> None:
    right, broken = np.ones(1000), np.where(np.arange(1000) % 2 == 0, 0.1, 0.25)
    crowd = table(np.stack([right, broken, broken[::-1]]))
    subset = random_subset(crowd, 20)
    alone = br.estimate(crowd.take_models(["m0"]), subset)
    beside = br.estimate(crowd, subset)

    assert alone.half_width[0] == pytest.approx(0.1314, abs=5e-4)
    assert beside.half_width[0] == pytest.approx(alone.half_width[0], rel=1e-12)


def test_two_models_that_agree_on_all_items_are_not_known_to_be_equal() -> None:
    same = table(np.tile((np.arange(1000) % 3 > 0).astype(np.float64), (2, 1)))
    result = br.estimate(same, random_subset(same, 50))

    assert result.pair_difference[0, 1] == 0.0
    assert result.pair_half_width[0, 1] == pytest.approx(0.0549, abs=5e-4)
    assert result.differences()[0].verdict == "unresolved"


def test_missing_scores_leave_each_target_its_own_share() -> None:
    """A fifth of the scores is missing at random; coverage stays, and widths grow by little."""
    hits, pairs, full_width, width = [], [], [], []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        names = [RIGHT_OR_WRONG.models[i] for i in rng.permutation(len(RIGHT_OR_WRONG.models))]
        probes, targets = (
            RIGHT_OR_WRONG.take_models(names[:8]),
            RIGHT_OR_WRONG.take_models(names[8:]),
        )
        truth = targets.full_scores()
        subset = br.select(probes, 100, pool=br.draw_pool(probes, 100, seed=seed), seed=seed)
        whole = targets.take_items(subset.items)
        full_width.append(br.estimate(whole, subset, probes=probes).half_width.mean())
        values = np.where(rng.random(whole.values.shape) < 0.2, np.nan, whole.values)
        lacking = replace(whole, values=values)
        result = br.estimate(lacking, subset, probes=probes, missing="omit")
        width.append(result.half_width.mean())
        hits.append(((result.low <= truth) & (truth <= result.high)).mean())
        gaps = truth[:, None] - truth
        upper = np.triu_indices(len(truth), 1)
        off = np.abs(result.pair_difference - gaps)[upper]
        pairs.append((off <= result.pair_half_width[upper]).mean())

    assert 0.92 < np.mean(hits) < 0.98
    assert 0.92 < np.mean(pairs) < 0.98
    assert 1.0 < np.mean(width) / np.mean(full_width) < 1.18  # sqrt(1 / .8) is 1.118


# --- scales --------------------------------------------------------------------------------------


def test_a_flat_model_on_an_unknown_scale_has_no_interval_and_is_told_what_to_say() -> None:
    hundred = table(np.full((1, 1000), 100.0))
    subset = random_subset(hundred, 50)
    untold = br.estimate(hundred, subset)
    told = br.estimate(replace(hundred, bounds=(0.0, 100.0)), subset)
    notes = {note.code: note.text for note in untold.notes}

    assert untold.estimate.tolist() == [100.0]
    assert np.isnan([untold.se[0], untold.low[0], untold.high[0]]).all()
    assert "--range 0:100" in notes["unknown-scale"]
    assert told.low[0] == pytest.approx(94.7157, abs=1e-3)
    assert "unknown-scale" not in {note.code for note in told.notes}


def test_a_flat_model_is_measured_by_probes_whose_scale_shows() -> None:
    values = 100 * RIGHT_OR_WRONG.values
    values[-1] = 100.0
    scores = replace(RIGHT_OR_WRONG, values=values, bounds=None)
    probes = scores.take_models(scores.models[:6])
    subset = br.select(probes, 60, seed=0)
    result = br.estimate(scores.take_models(scores.models[-1:]), subset, probes=probes)

    assert 90.0 < result.low[0] < 99.0


def test_costs_of_any_size_have_intervals_of_their_own_size_above_0() -> None:
    rng = np.random.default_rng(4)
    costs = table(np.exp(rng.normal(size=(3, 200))) * np.array([[0.02], [0.3], [1.0]]))
    subsets = [random_subset(costs, 20, seed) for seed in range(20)]
    results = [br.estimate(costs, subset) for subset in subsets]
    for subset, result in zip(subsets, results, strict=True):
        seen = costs.take_items(subset.items).values
        simple = seen.std(axis=1, ddof=1) * np.sqrt(1 / 20 - 1 / 200)

        assert (result.low > 0.0).all()
        assert (result.high - result.estimate > result.estimate - result.low).all()
        assert (result.se < 1.25 * simple).all()
        assert (result.se >= 0.999 * simple).all()
    negative = br.estimate(replace(costs, values=-costs.values), subsets[0])

    assert negative.low == pytest.approx(-results[0].high, rel=1e-9)
    assert negative.high == pytest.approx(-results[0].low, rel=1e-9)


def test_an_interval_holds_its_own_estimate() -> None:
    """Learned estimates of costs may fall below 0, where no cost can be."""
    rng = np.random.default_rng(1)
    costs = table(np.exp(1.5 * rng.normal(size=(8, 60))))
    sources, targets = costs.take_models(costs.models[:5]), costs.take_models(costs.models[5:])
    for seed in range(60):
        subset = br.select(sources, 10, design=br.SimpleRandom(), probes=sources.models, seed=seed)
        seen = targets.take_items(subset.items)
        for made in (HistoryAverage(), ESTIMATORS["aipw"](), ESTIMATORS["ppi"]()):
            result = br.estimate(seen, subset, probes=sources, estimator=made)

            assert (result.low <= result.estimate).all()
            assert (result.estimate <= result.high).all()
            assert (result.low >= 0).all()
            assert np.isfinite(result.high).all()


# --- verdicts ------------------------------------------------------------------------------------


def test_rounding_decides_nothing() -> None:
    values = np.tile([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1]], 10)
    both = table(values)
    result = br.estimate(both, br.select(both.frame, 30, design=br.SimpleRandom()))
    difference = result.differences("m0")[0]

    assert (difference.difference, difference.verdict) == (0.0, "unresolved")
    assert "another run" in {note.code: note.text for note in result.notes}["whole-frame"]


# --- beyond the sources --------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("design", [History(), br.SimpleRandom()])
def test_targets_stronger_than_all_sources_are_covered_model_by_model(design: br.Design) -> None:
    full = RIGHT_OR_WRONG.full_scores()
    order = [RIGHT_OR_WRONG.models[i] for i in np.argsort(full)]
    sources, targets = (
        RIGHT_OR_WRONG.take_models(order[:19]),
        RIGHT_OR_WRONG.take_models(order[19:]),
    )
    truth, hits = targets.full_scores(), []
    for seed in range(60):
        subset = br.select(sources, 100, design=design, seed=seed)
        seen = targets.take_items(subset.items)
        result = br.estimate(seen, subset, probes=sources, estimator=HistoryAverage())
        hits.append((result.low <= truth) & (truth <= result.high))

        assert "beyond-sources" in {note.code for note in result.notes}

    assert np.mean(hits, axis=0).min() >= 0.88  # .95 less 2.5 of its standard errors
    assert np.mean(hits) >= 0.94


def test_targets_beyond_the_sources_are_estimated_by_the_item_level_ridge_alone() -> None:
    full = RIGHT_OR_WRONG.full_scores()
    order = [RIGHT_OR_WRONG.models[i] for i in np.argsort(full)]
    sources = RIGHT_OR_WRONG.take_models([*order[:9], *order[10:20]])
    targets = RIGHT_OR_WRONG.take_models([order[9], order[-1]])
    subset = br.select(sources, 100, design=br.SimpleRandom(), seed=3)
    seen = targets.take_items(subset.items)
    result = br.estimate(seen, subset, probes=sources, estimator=HistoryAverage())
    plain = br.estimate(seen, subset, probes=sources, estimator=br.Mean())
    columns = [sources.frame.positions[item] for item in subset.items]
    ridge = regression_shift(
        seen.values,
        sources.values[:, columns],
        sources.full_scores(),
        np.ones(100),
        np.full(19, HistoryAverage().penalty),
    )
    by_item = result.estimate - plain.estimate - ridge.own

    assert by_item[1] == pytest.approx(0.0, abs=1e-12)
    assert abs(by_item[0]) > 1e-4
    assert result.half_width[1] >= plain.half_width[1] - 1e-12
    assert result.half_width[0] < plain.half_width[0]
    assert result.pair_half_width[0, 1] >= plain.pair_half_width[0, 1] - 1e-12


@pytest.mark.parametrize(
    ("score", "bounds", "said"),
    [
        (100.0, None, "as in --range 0:100 (bounds=(0, 100))"),
        (250.5, None, "as in --range 0:251 (bounds=(0, 251))"),
        (-3.0, None, "as in --range -3:0 (bounds=(-3, 0))"),
        (3.25, (0.0, math.inf), "With both ends it has one: --range LOW:HIGH"),
        (3.25, (0.0, math.inf), "all scores seen are 3.25."),
    ],
)
def test_the_range_in_the_note_holds_the_scores(
    score: float, bounds: tuple[float, float] | None, said: str
) -> None:
    rows = [{"item": f"{number}", "model": "flat", "score": score} for number in range(50)]
    scores = br.read_scores(pl.DataFrame(rows), bounds=bounds)
    notes = {n.code: n.text for n in br.estimate(scores, random_subset(scores.matrix(), 20)).notes}

    assert said in notes["unknown-scale"]

"""What readers of estimates are told, and when they are left in peace."""

from dataclasses import replace

import numpy as np
import pytest

import bestrand as br
from bestrand.data import load
from bestrand.designs.baselines.anchor_points import AnchorPoints
from bestrand.estimators.baselines.cluster_weighted import ClusterWeighted
from bestrand.estimators.mean import Mean
from bestrand.estimators.post_stratified import PostStratified
from bestrand.methods import ESTIMATORS


MATRIX = load("mmlu_pro").matrix()
PROBES, TARGETS = MATRIX.models[:8], MATRIX.models[8:14]
SUBSET = br.select(MATRIX.take_models(PROBES), 240, seed=0)


def notes(
    targets: br.ScoreMatrix, subset: br.Manifest = SUBSET, level: float = 0.95
) -> dict[str, str]:
    result = br.estimate(targets, subset, probes=MATRIX, level=level)
    return {note.code: note.text for note in result.notes}


def test_a_higher_level_asks_for_more_items() -> None:
    targets = MATRIX.take_models(TARGETS)
    small = br.select(MATRIX.take_models(PROBES), 100, seed=0)

    assert "few-items" not in notes(targets, small)
    assert "With 100 items the 99% intervals are rough" in notes(targets, small, 0.99)["few-items"]
    assert "few-items" not in notes(targets, SUBSET, 0.99)


def test_a_target_outside_the_probes_range_is_named() -> None:
    best = MATRIX.models[int(MATRIX.full_scores().argmax())]
    others = [model for model in MATRIX.models if model != best]
    probes = MATRIX.take_models(others[:8])
    subset = br.select(probes, 240, seed=0)
    result = br.estimate(MATRIX.take_models([best]), subset, probes=probes)

    assert any(note.code == "outside-probes" and repr(best) in note.text for note in result.notes)


@pytest.mark.slow
def test_every_estimator_with_intervals_warns_of_items_that_stand_for_clusters() -> None:
    known, targets = MATRIX.take_models(MATRIX.models[:12]), MATRIX.take_models(MATRIX.models[12:])
    subset = br.select(known, 60, design=AnchorPoints(), seed=0)
    warned, refused = {}, set()
    for made in ESTIMATORS.values():
        try:
            result = br.estimate(targets, subset, probes=known, estimator=made())
        except br.EstimateError:
            refused.add(made.__name__)  # this design has no chances for them
            continue
        codes = {note.code for note in result.notes}
        warned[made.__name__] = "not-by-chance" in codes
        if np.isfinite(result.se).all():
            assert "not-by-chance" in codes, made.__name__

    assert refused == {"Hajek", "HorvitzThompson"}
    assert warned["HistoryAverage"]
    assert warned["PostStratified"]
    assert not warned["ClusterWeighted"]


def test_a_new_estimator_warns_unless_it_says_otherwise() -> None:
    class Careless(Mean):  # type: ignore[misc]
        pass

    assert Careless.assumes_random_draw
    assert not ClusterWeighted.assumes_random_draw


def test_a_metric_that_the_subset_was_not_matched_on_is_named() -> None:
    other = br.ScoreMatrix(MATRIX.frame, TARGETS, 1 - MATRIX.values[8:14], metric="errors")
    result = br.estimate(other, SUBSET)
    said = {note.code: note.text for note in result.notes}

    assert "matched on metric 'score', not on 'errors'" in said["other-metric"]
    assert "other-metric" not in notes(MATRIX.take_models(TARGETS))


def test_groups_that_count_and_have_no_item_are_named() -> None:
    groups = ["big"] * 90 + [f"small {i}" for i in range(10)]
    frame = br.Frame.of([f"q{i:03}" for i in range(100)], groups=groups, weighting="macro")
    scores = br.ScoreMatrix(frame, ("m",), np.tile([0.0, 1.0], 50)[None])
    subset = br.select(frame, 20, design=br.Stratified(), seed=0)
    said = {note.code: note.text for note in br.estimate(scores, subset).notes}

    assert "No item was chosen from group" in said["absent-groups"]


# --- what is said of some models and groups names them -------------------------------------------


def grouped(n_per_group: int = 25, *, weighting: str = "macro") -> br.ScoreMatrix:
    groups = [name for name in ("a", "b", "c", "d") for _ in range(n_per_group)]
    ids = [f"q{i:03}" for i in range(4 * n_per_group)]
    frame = br.Frame.of(ids, groups=groups, weighting=weighting)  # type: ignore[arg-type]
    right = np.random.default_rng(0).random((5, frame.n)) < 0.6
    return br.ScoreMatrix(frame, ("m0", "m1", "m2", "m3", "m4"), right.astype(np.float64))


@pytest.mark.parametrize("weighting", ["macro", "micro"])
def test_groups_of_which_a_target_has_no_score_are_named(weighting: str) -> None:
    matrix = grouped(weighting=weighting)
    subset = br.select(matrix.frame, 40, design=br.Stratified(), seed=0)
    values = matrix.values.copy()
    codes = np.array(matrix.frame.groups)
    values[1, codes == "b"] = np.nan
    values[3, (codes == "a") | (codes == "d")] = np.nan
    values[4, 0] = np.nan
    holes = replace(matrix, values=values)
    result = br.estimate(holes, subset, missing="omit")
    said = {note.code: note.text for note in result.notes}["absent-groups"]

    assert "'m1' on any item of group 'b'; 'm3' on any item of group 'a', 'd'." in said
    for row, groups in ((1, "acd"), (3, "bc")):  # groups weigh equally, so do those that are left
        chosen = matrix.take_items(subset.items)
        names = np.array(chosen.frame.groups)
        means = [chosen.values[row, names == group].mean() for group in groups]
        assert result.estimate[row] == pytest.approx(np.mean(means))


def test_groups_are_not_named_where_each_has_a_score() -> None:
    matrix = grouped()
    subset = br.select(matrix.frame, 40, design=br.Stratified(), seed=0)
    values = matrix.values.copy()
    values[0, matrix.frame.positions[subset.items[0]]] = np.nan
    for missing in ("omit", "zero"):
        result = br.estimate(replace(matrix, values=values), subset, missing=missing)

        assert "absent-groups" not in {note.code for note in result.notes}


def test_targets_beyond_the_sources_are_named() -> None:
    rng = np.random.default_rng(1)
    frame = br.Frame.of([f"q{i:03}" for i in range(300)])
    levels = [*np.linspace(0.3, 0.6, 12), 0.95, 0.45, 0.97]
    values = (rng.random((15, 300)) < np.array(levels)[:, None]).astype(np.float64)
    matrix = br.ScoreMatrix(frame, tuple(f"m{i:02}" for i in range(15)), values, bounds=(0, 1))
    sources = matrix.take_models(matrix.models[:12])
    subset = br.select(sources, 60, design=br.History(), seed=0)
    targets = matrix.take_models(matrix.models[12:])
    result = br.estimate(targets, subset, probes=sources, estimator=br.HistoryAverage())
    said = {note.code: note.text for note in result.notes}["beyond-sources"]

    assert "2 of 3 targets may score beyond" in said
    assert "('m12', 'm14')" in said


def test_absent_groups_of_post_stratified_are_named() -> None:
    groups = ["big"] * 90 + [f"small {i}" for i in range(10)]
    frame = br.Frame.of([f"q{i:03}" for i in range(100)], groups=groups)
    scores = br.ScoreMatrix(frame, ("m",), np.tile([0.0, 1.0], 50)[None])
    subset = br.select(frame, 20, design=br.SimpleRandom(), seed=0)
    result = br.estimate(scores, subset, estimator=PostStratified())
    said = {note.code: note.text for note in result.notes}["absent-groups"]

    assert "groups have no item in the subset ('small " in said


def test_few_items_names_the_model_that_has_few() -> None:
    values = MATRIX.take_models(TARGETS).take_items(SUBSET.items).values.copy()
    values[2, 12:] = np.nan
    frame = MATRIX.take_items(SUBSET.items).frame
    holes = br.ScoreMatrix(frame, TARGETS, values, bounds=(0, 1))
    result = br.estimate(holes, SUBSET, missing="omit")
    said = {note.code: note.text for note in result.notes}["few-items"]

    assert f"With 12 items the 95% intervals of {TARGETS[2]!r} are rough" in said


@pytest.mark.parametrize("level", ["0.95", None, True, float("nan"), 0.0, 1.0])
def test_a_level_that_is_no_share_is_a_wrong_argument(level: float) -> None:
    with pytest.raises(br.ArgumentError, match="`level` must be between 0 and 1, got"):
        br.estimate(MATRIX.take_models(TARGETS), SUBSET, level=level)


def test_no_targets_are_refused() -> None:
    nobody = br.ScoreMatrix(MATRIX.frame, (), np.empty((0, MATRIX.frame.n)), bounds=(0, 1))
    with pytest.raises(br.InputError, match="at least one target, got none"):
        br.estimate(nobody, SUBSET)


@pytest.mark.parametrize(
    ("metric", "said"),
    [("latency_s", True), ("cost", True), ("word_error_rate", True), ("accuracy", False)],
)
def test_the_direction_of_what_is_called_a_cost_is_said(metric: str, said: bool) -> None:  # noqa: FBT001
    scores = replace(MATRIX.take_models(TARGETS), metric=metric)
    subset = br.select(scores.frame, 40, design=br.SimpleRandom())
    codes = {note.code for note in br.estimate(scores, subset).notes}
    lower = br.estimate(scores, subset, higher_is_better=False)

    assert ("direction" in codes) == said
    assert "direction" not in {note.code for note in lower.notes}


def test_no_gap_is_resolved_where_no_interval_is_known() -> None:
    frame = br.Frame.of([f"q{i}" for i in range(40)])
    flat = br.ScoreMatrix(frame, ("a", "b", "c"), np.repeat([[3.0], [3.0], [4.0]], 40, axis=1))
    result = br.estimate(flat, br.select(frame, 10, design=br.SimpleRandom()))

    assert np.isnan(result.se).all()
    assert np.isnan(result.resolution)

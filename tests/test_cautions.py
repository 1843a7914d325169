"""What readers of estimates are told, and when they are left in peace."""

import numpy as np

import bestrand as br
from bestrand.data import load
from bestrand.designs.anchor_points import AnchorPoints
from bestrand.estimators.cluster_weighted import ClusterWeighted
from bestrand.estimators.mean import Mean
from bestrand.strategies import ESTIMATORS


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


def test_every_estimator_with_intervals_warns_of_items_that_stand_for_clusters() -> None:
    known, targets = MATRIX.take_models(MATRIX.models[:12]), MATRIX.take_models(MATRIX.models[12:])
    subset = br.select(known, 60, design=AnchorPoints(), seed=0)
    warned = {}
    for made in ESTIMATORS.values():
        try:
            result = br.estimate(targets, subset, probes=known, estimator=made())
        except br.EstimateError:
            continue  # Hajek and HorvitzThompson, which this design has no chances for
        codes = {note.code for note in result.notes}
        warned[made.__name__] = "not-by-chance" in codes
        if np.isfinite(result.se).all():
            assert "not-by-chance" in codes, made.__name__

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
    frame = br.Frame.of([f"q{i:03}" for i in range(100)], groups=groups, weights="macro")
    scores = br.ScoreMatrix(frame, ("m",), np.tile([0.0, 1.0], 50)[None])
    subset = br.select(frame, 20, design=br.Stratified(), seed=0)
    said = {note.code: note.text for note in br.estimate(scores, subset).notes}

    assert "No item was chosen from group" in said["absent-groups"]

from itertools import combinations

import numpy as np
import pytest

from bestrand.core.frame import Frame
from bestrand.core.manifest import Manifest
from bestrand.core.scores import ScoreMatrix
from bestrand.designs.base import Features
from bestrand.designs.best_rand import BestRand
from bestrand.rng import Stream
from bestrand.stats.balance import weighted_deviations
from bestrand.steps.select import select
from bestrand.types import FloatArray, Norm
from tests.strategies import NORMS


N_ITEMS, N_CHOSEN = 12, 5
SUBSETS = [list(subset) for subset in combinations(range(N_ITEMS), N_CHOSEN)]  # 792
SEARCH = 20_000  # candidates; the chance that one given subset is not among them is 1e-11


ORDERS: dict[Norm, float] = {"l1": 1, "l2": 2, "linf": np.inf}


def distance(gaps: FloatArray, norm: Norm) -> float:
    return float(np.linalg.norm(gaps, ORDERS[norm]))


def made_scores(seed: int, levels: int, n_probes: int = 4) -> FloatArray:
    """Scores of levels 0 .. 1; two levels are right-or-wrong."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, levels, (n_probes, N_ITEMS)) / (levels - 1)


def made_matrix(scores: FloatArray, frame: Frame) -> ScoreMatrix:
    return ScoreMatrix(frame, tuple(f"m{k}" for k in range(len(scores))), scores, bounds=(0, 1))


def chosen_columns(subset: Manifest, frame: Frame) -> list[int]:
    return [frame.positions[item] for item in subset.items]


def frame_of(weights: FloatArray | None = None) -> Frame:
    items = [f"i{number:02d}" for number in range(N_ITEMS)]
    return Frame.of(items) if weights is None else Frame.of(items, weights=weights)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("levels", [2, 5, 1001])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_pick_equals_the_best_of_all_792_subsets(seed: int, levels: int, norm: Norm) -> None:
    scores, frame = made_scores(seed, levels), frame_of()
    subset = select(
        made_matrix(scores, frame),
        N_CHOSEN,
        design=BestRand(n_candidates=SEARCH, norm=norm),
        seed=seed,
    )
    full = scores.mean(axis=1)
    distances = np.array([distance(scores[:, s].mean(axis=1) - full, norm) for s in SUBSETS])
    best = [s for s, d in zip(SUBSETS, distances, strict=True) if d < distances.min() + 1e-7]

    assert len(SUBSETS) == 792
    assert subset.distance == pytest.approx(distances.min(), abs=1e-8)
    assert chosen_columns(subset, frame) in best
    assert len(best) < 80


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_unequal_weights_match_the_weighted_means(seed: int, norm: Norm) -> None:
    """The linearised gap is the smallest of all, the true gap among the smallest."""
    weights = np.random.default_rng(100 + seed).uniform(0.5, 2.0, N_ITEMS)
    scores, frame = made_scores(seed, 11), frame_of(weights)
    subset = select(
        made_matrix(scores, frame),
        N_CHOSEN,
        design=BestRand(n_candidates=SEARCH, norm=norm),
        seed=seed,
    )
    full = scores @ weights / weights.sum()
    terms = weights / weights.mean() * (scores - full[:, None])
    linear = np.array([distance(terms[:, s].mean(axis=1), norm) for s in SUBSETS])
    true = np.array(
        [distance(scores[:, s] @ weights[s] / weights[s].sum() - full, norm) for s in SUBSETS]
    )
    pick = SUBSETS.index(chosen_columns(subset, frame))

    assert linear[pick] == pytest.approx(linear.min(), abs=1e-8)
    assert subset.distance == pytest.approx(linear.min(), abs=1e-8)
    assert true[pick] < np.quantile(true, 0.05)


def test_weights_within_a_pool_are_taken_for_what_they_are() -> None:
    """The distance is in the unit of the scores, however heavy the pool's items are."""
    scores = made_scores(3, 11)
    weights = np.linspace(3.0, 5.0, N_ITEMS)
    seen = Features(N_ITEMS, scores, None, weights)
    draw = BestRand(n_candidates=SEARCH).draw(seen, N_CHOSEN, Stream.of(0))
    means = scores @ weights / weights.sum()
    chosen = weights[draw.columns]
    gap = scores[:, draw.columns] @ chosen / chosen.sum() - means

    assert draw.distance is not None
    assert draw.distance * weights.mean() / chosen.mean() == pytest.approx(
        float(np.linalg.norm(gap)), abs=1e-8
    )


@pytest.mark.parametrize("weight", [0.0, 0.3, 1.0, 7.0])
def test_weights_that_are_all_alike_leave_the_scores_as_they_are(weight: float) -> None:
    scores = made_scores(4, 3)

    assert np.array_equal(weighted_deviations(scores, np.full(N_ITEMS, weight)), scores.T)


def test_deviations_under_weights_average_to_nothing() -> None:
    scores, weights = made_scores(5, 11), np.linspace(0.0, 3.0, N_ITEMS)
    deviations = weighted_deviations(scores, weights)

    assert deviations.shape == (N_ITEMS, 4)
    assert np.abs(deviations.mean(axis=0)).max() < 1e-15
    assert np.array_equal(deviations[0], np.zeros(4))


def test_a_probe_that_scores_all_items_alike_says_nothing() -> None:
    scores = made_scores(6, 2)
    drawn = [
        BestRand().draw(Features(N_ITEMS, s, None, np.ones(N_ITEMS)), 5, Stream.of(2))
        for s in (scores, np.vstack([scores, np.full((2, N_ITEMS), 0.5)]))
    ]

    assert drawn[0].columns.tolist() == drawn[1].columns.tolist()
    assert drawn[0].notes == drawn[1].notes == ()


def test_probes_that_all_score_all_items_alike_are_noted() -> None:
    seen = Features(N_ITEMS, np.full((3, N_ITEMS), 0.5), None, np.ones(N_ITEMS))
    draw = BestRand().draw(seen, 5, Stream.of(2))

    assert [note.code for note in draw.notes] == ["flat-probes"]
    assert draw.distance == 0.0

"""The cube method: totals kept, size exact, chances exact."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bestrand.designs.base import Features
from bestrand.designs.baselines.cube import Cube, flight
from bestrand.rng import Stream


@settings(max_examples=40)
@given(m=st.integers(3, 40), p=st.integers(1, 4), data=st.data(), seed=st.integers(0, 99))
def test_the_flight_keeps_every_total_and_leaves_few_open(
    m: int, p: int, data: st.DataObject, seed: int
) -> None:
    n = data.draw(st.integers(1, m - 1))
    rng = np.random.default_rng(seed)
    totals = np.concatenate([np.ones((1, m)), rng.random((p - 1, m))])
    chance = np.full(m, n / m)
    state = flight(chance, totals, Stream.of(seed))
    open_items = ((state > 1e-9) & (state < 1 - 1e-9)).sum()

    assert open_items <= p
    assert totals @ (state / chance) == pytest.approx(totals.sum(axis=1), rel=1e-9)


def test_unequal_chances_are_kept_on_average() -> None:
    chance = np.array([0.1, 0.3, 0.5, 0.7, 0.9, 0.5])
    totals = np.stack([chance, chance * np.arange(6)])
    runs = np.array([flight(chance, totals, Stream.of(seed)) for seed in range(3000)])

    assert runs.mean(axis=0) == pytest.approx(chance, abs=4.5 * np.sqrt(0.25 / 3000))


@pytest.mark.slow
def test_every_item_is_as_likely_and_the_size_is_exact() -> None:
    rng = np.random.default_rng(0)
    seen = Features(20, rng.random((3, 20)), None, np.ones(20))
    counts = np.zeros(20)
    for seed in range(1500):
        draw = Cube().draw(seen, 7, Stream.of(seed))
        assert draw.columns.size == 7
        counts[draw.columns] += 1

    assert counts / 1500 == pytest.approx(np.full(20, 0.35), abs=4.5 * np.sqrt(0.35 * 0.65 / 1500))


def test_the_means_of_the_probes_are_matched_but_for_the_landing() -> None:
    rng = np.random.default_rng(1)
    scores = rng.random((5, 400))
    seen = Features(400, scores, None, np.ones(400))
    gaps = []
    for seed in range(10):
        draw = Cube().draw(seen, 100, Stream.of(seed))
        gaps.append(scores[:, draw.columns].mean(axis=1) - scores.mean(axis=1))
    by_chance = np.sqrt((1 / 100 - 1 / 400) / 12)

    assert np.sqrt(np.mean(np.square(gaps))) < 0.3 * by_chance

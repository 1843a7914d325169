"""Simulated random subsets: exact where all can be listed, and beside the law."""

from itertools import combinations

import numpy as np
import pytest

import bestrand as br
import bestrand.planning.error_law as law_module
from bestrand.planning.error_law import error_law, simulate_random_mae
from bestrand.rng import Stream


def test_every_subset_is_drawn_alike() -> None:
    y = np.array([[0.0, 1.0, 1.0, 0.0, 1.0], [0.3, 0.9, 0.1, 0.2, 0.8]])
    full = y.mean(axis=1)
    exact = [
        np.abs(y[:, list(chosen)].mean(axis=1) - full).mean()
        for chosen in combinations(range(5), 2)
    ]
    drawn = simulate_random_mae(y, 2, 20_000, Stream.of(0, "t"))
    values, counts = np.unique(np.round(drawn, 12), return_counts=True)
    known, expected = np.unique(np.round(exact, 12), return_counts=True)

    assert values == pytest.approx(known)
    assert counts / 20_000 == pytest.approx(expected / 10, abs=0.015)


def test_the_whole_frame_has_no_error() -> None:
    y = np.random.default_rng(0).random((3, 7))

    assert simulate_random_mae(y, 7, 5, Stream.of(0, "t")) == pytest.approx(np.zeros(5), abs=1e-15)


def test_draws_do_not_depend_on_blocks_or_on_how_many(monkeypatch: pytest.MonkeyPatch) -> None:
    y = np.random.default_rng(0).random((3, 50))
    whole = simulate_random_mae(y, 10, 40, Stream.of(1, "t"))
    monkeypatch.setattr(law_module, "BLOCK_CELLS", 150)

    assert simulate_random_mae(y, 10, 40, Stream.of(1, "t")) == pytest.approx(whole, rel=1e-12)
    assert simulate_random_mae(y, 10, 7, Stream.of(1, "t")) == pytest.approx(whole[:7], rel=1e-12)


def test_the_law_is_what_is_simulated_and_that_of_the_diagnosis(blink: br.ScoreTable) -> None:
    law = error_law(blink.matrix(), 0.1)
    size = br.diagnose(blink, retentions=[0.1]).sizes[0]

    assert law.law_p95 == size.random_p95
    assert law.law_mean == size.random_mean
    assert abs(law.simulated_p95 - law.law_p95) < 4 * law.simulated_p95_se
    assert law.simulated_mean == pytest.approx(law.law_mean, rel=0.02)
    assert law.shares.sum() == pytest.approx(1)
    width = law.edges[1] - law.edges[0]
    area = ((law.expected[1:] + law.expected[:-1]) / 2 * np.diff(law.grid)).sum() / width
    assert area == pytest.approx(1, abs=0.01)


def test_the_unit_of_the_metric_is_kept(blink: br.ScoreTable) -> None:
    matrix = blink.matrix()
    hundred = br.ScoreMatrix(matrix.frame, matrix.models, 100 * matrix.values, bounds=(0.0, 100.0))
    one, other = (error_law(m, 0.05, n_draws=200) for m in (matrix, hundred))

    assert other.simulated_p95 == pytest.approx(100 * one.simulated_p95)
    assert other.law_p95 == pytest.approx(100 * one.law_p95)


def test_the_error_of_a_simulated_percentile_is_that_of_repeats(blink: br.ScoreTable) -> None:
    y = blink.matrix().values[:4]
    stream = Stream.of(0, "repeats")
    repeats = [simulate_random_mae(y, 50, 500, stream.child(str(r))) for r in range(60)]
    spread = np.std([np.quantile(errors, 0.95) for errors in repeats])
    said = error_law(
        br.ScoreMatrix(blink.frame(), blink.models[:4], y, bounds=(0.0, 1.0)),
        50 / 1901,
        n_draws=500,
    ).simulated_p95_se

    assert said == pytest.approx(spread, rel=0.5)


def test_a_law_without_spread_is_flat(blink: br.ScoreTable) -> None:
    law = error_law(blink.matrix(), 1.0, n_draws=10)

    assert law.law_p95 == 0.0
    assert law.simulated_p95 == pytest.approx(0.0, abs=1e-12)


def test_what_cannot_be_simulated_is_refused(blink: br.ScoreTable) -> None:
    with pytest.raises(br.ArgumentError, match="`retention` must be above 0"):
        error_law(blink.matrix(), 0.0)
    with pytest.raises(br.ArgumentError, match="`n_draws` must be 2 or more"):
        error_law(blink.matrix(), 0.1, n_draws=1)

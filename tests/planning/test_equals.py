"""What a subset is worth, foretold from its probes: where it is known, its unit, what happens."""

from dataclasses import replace

import numpy as np
import pytest

import bestrand as br
from bestrand.data.demo import repeat
from bestrand.methods import DESIGNS
from bestrand.planning.equals import random_items_of
from bestrand.rng import Stream
from bestrand.stats.random_items import RandomItems, random_items


@pytest.fixture(scope="module")
def matrix(blink: br.ScoreTable) -> br.ScoreMatrix:
    return blink.matrix()


def drawn(
    matrix: br.ScoreMatrix, word: str = "balanced", n: int = 100, k: int = 8
) -> tuple[br.ScoreMatrix, br.Manifest, br.Manifest]:
    probes = matrix.take_models(matrix.models[:k])
    pool = br.draw_pool(matrix.frame, n, seed=2)
    frame = br.Frame.of(pool.items, groups=pool.item_groups)
    seen = replace(probes.take_items(pool.items), frame=frame)
    return seen, pool, br.select(seen, n, pool=pool, design=DESIGNS[word](), seed=2)


@pytest.mark.slow
@pytest.mark.parametrize("word", ["balanced", "bestrand", "cube"])
def test_the_forecast_holds_what_happens(matrix: br.ScoreMatrix, word: str) -> None:
    """Within its interval, with four standard errors of what is measured here."""
    seen, pool, subset = drawn(matrix, word)
    worth = random_items_of(subset, seen, pool=pool)
    probes, targets = matrix.take_models(matrix.models[:8]), matrix.take_models(matrix.models[8:])
    own = repeat(DESIGNS[word](), probes, targets, n=100, n_draws=50, seed=4)
    truth, rng = targets.full_scores(), Stream.of(0, "r").generator()
    random = np.array(
        [
            np.abs(targets.values[:, rng.permutation(1901)[:100]].mean(axis=1) - truth).mean()
            for _ in range(2000)
        ]
    )
    ratio, noise = own.mean() / random.mean(), 4 * own.std() / np.sqrt(50) / random.mean()

    assert worth is not None
    assert 100 < worth.mean < 400
    assert worth.mean_low <= random_items(ratio - noise, 100, 1901)
    assert worth.mean_high >= random_items(ratio + noise, 100, 1901)
    assert worth.mean_low < worth.mean < worth.mean_high
    assert worth.p95_low < worth.p95 < worth.p95_high


def test_the_pool_need_not_be_given_again(matrix: br.ScoreMatrix) -> None:
    seen, pool, subset = drawn(matrix)

    assert random_items_of(subset, seen) == random_items_of(subset, seen, pool=pool)


def test_scores_on_the_whole_frame_will_do(matrix: br.ScoreMatrix) -> None:
    seen, pool, subset = drawn(matrix)
    on_pool = random_items_of(subset, seen, pool=pool)
    on_frame = random_items_of(subset, matrix)

    assert on_pool is not None
    assert on_frame is not None
    assert on_pool.mean_low < on_frame.mean < on_pool.mean_high


def test_the_unit_of_the_scores_changes_nothing(matrix: br.ScoreMatrix) -> None:
    expected = random_items_of(drawn(matrix)[2], drawn(matrix)[0])
    assert expected is not None
    for factor, shift in ((100.0, 0.0), (1e-6, 3.0), (1e5, -7.0)):
        bounds = (shift, shift + factor)
        moved = replace(matrix, values=shift + factor * matrix.values, bounds=bounds)
        seen, _, subset = drawn(moved)

        worth = random_items_of(subset, seen)
        assert worth is not None
        assert worth.to_dict() == pytest.approx(expected.to_dict(), rel=1e-6)


def test_a_random_subset_is_worth_as_many(matrix: br.ScoreMatrix) -> None:
    subset = br.select(matrix.frame, 70, design=br.SimpleRandom())

    assert random_items_of(subset) == RandomItems(*(70.0,) * 6)


def test_all_items_are_worth_all(matrix: br.ScoreMatrix) -> None:
    probes = matrix.take_models(matrix.models[:3])

    assert random_items_of(br.select(probes, 1901), probes) == RandomItems(*(1901.0,) * 6)


@pytest.mark.parametrize("word", ["stratified", "anchor-points", "zip-bench", "random-search"])
def test_what_cannot_be_foretold_is_not_known(matrix: br.ScoreMatrix, word: str) -> None:
    probes = matrix.take_models(matrix.models[:6])
    subset = br.select(probes, 50, design=DESIGNS[word]())

    assert random_items_of(subset, probes) is None


def test_other_scores_than_those_of_the_pool_tell_nothing(matrix: br.ScoreMatrix) -> None:
    seen, pool, subset = drawn(matrix)
    few = seen.take_items(subset.items)
    other = replace(seen, values=1.0 - seen.values)

    assert random_items_of(subset, None) is None
    assert random_items_of(subset, few) is None
    assert random_items_of(subset, other) is None
    assert random_items_of(pool, seen) is None


def test_groups_that_were_kept_must_be_at_hand(matrix: br.ScoreMatrix) -> None:
    seen, pool, subset = drawn(matrix)
    frame = br.Frame.of(seen.frame.items)
    bare = replace(seen, frame=frame)
    plain = br.select(seen, 100, pool=pool, design=br.BestRand(), seed=2)

    assert "groups" in subset.balanced_on
    assert random_items_of(subset, bare) is None
    assert random_items_of(subset, bare, pool=pool) is not None
    assert random_items_of(plain, bare) is not None


def test_one_probe_leaves_its_error_unknown(matrix: br.ScoreMatrix) -> None:
    seen, pool, subset = drawn(matrix, k=1)
    worth = random_items_of(subset, seen, pool=pool)

    assert worth is not None
    assert worth.mean >= 99
    assert np.isnan([worth.mean_low, worth.mean_high, worth.p95_low, worth.p95_high]).all()


def test_probes_that_tell_nothing_are_worth_nothing(matrix: br.ScoreMatrix) -> None:
    """Scores shuffled within each model, so no probe explains another."""
    rng = Stream.of(1, "shuffle").generator()
    frame = br.Frame.of(matrix.frame.items)
    values = np.array([rng.permutation(row) for row in matrix.values])
    seen, pool, subset = drawn(replace(matrix, frame=frame, values=values))
    worth = random_items_of(subset, seen, pool=pool)

    assert worth is not None
    assert worth.mean == pytest.approx(100, abs=12)
    assert worth.mean_low < 100 < worth.mean_high


def test_weights_are_part_of_the_error(matrix: br.ScoreMatrix) -> None:
    """An item that weighs nothing is none; its scores may be anything."""
    explicit = np.ones(1901)
    explicit[::3] = 0.0
    frame = br.Frame.of(matrix.frame.items, weights=explicit)
    changed = matrix.values.copy()
    changed[:, ::3] = 1.0 - changed[:, ::3]
    worths = []
    for values in (matrix.values, changed):
        weighted = br.ScoreMatrix(frame, matrix.models, values, "score", (0.0, 1.0))
        probes = weighted.take_models(matrix.models[:6])
        subset = br.select(probes, 200, design=br.BestRand(n_candidates=50), seed=0)
        worths.append(random_items_of(subset, probes))

    assert worths[0] is not None
    assert worths[0] == pytest.approx(worths[1])


def test_two_hundred_sources_take_no_longer_than_twenty_blocks(matrix: br.ScoreMatrix) -> None:
    many = np.concatenate([matrix.values] * 2)
    names = tuple(f"m{i:03}" for i in range(len(many)))
    sources = br.ScoreMatrix(matrix.frame, names, many, "score", (0.0, 1.0))
    subset = br.select(sources, 100, design=br.History(n_candidates=20))
    worth = random_items_of(subset, sources)

    assert worth is not None
    assert worth.mean_low < worth.mean

"""What choosing and running cost, counted from manifests of every kind of design."""

from typing import Any

import pytest

import bestrand as br
from bestrand.methods import DESIGNS
from bestrand.planning.costs import costs, pays_against_random


def subset_of(blink: br.ScoreTable, word: str, n_probes: int = 5, **more: Any) -> br.Manifest:  # noqa: ANN401
    return br.select(blink, 60, design=DESIGNS[word](), probes=blink.models[:n_probes], **more)


def test_probes_on_a_pool_by_hand(blink: br.ScoreTable) -> None:
    pool = br.draw_pool(blink, 60, factor=3, seed=0)
    subset = br.select(blink, 60, pool=pool, probes=blink.models[:5])
    of_pool, seen = costs(pool), costs(subset, 4)

    assert (of_pool.n_probes, of_pool.probe_items, of_pool.target_items) == (None, 180, 60)
    assert of_pool.per_probe == pytest.approx(180 / 1901)
    assert (of_pool.construction, of_pool.construction_items, of_pool.saved) == (None, None, None)
    assert (seen.n_probes, seen.probe_items, seen.construction_items) == (5, 180, 900)
    assert seen.construction == pytest.approx(5 * 180 / 1901)
    assert seen.construction == pytest.approx(5 * min(1, 3 * 60 / 1901))
    assert (seen.target_items, seen.already_run) == (60, False)
    assert seen.saved == pytest.approx(4 * (1 - 60 / 1901) - 900 / 1901)


def test_a_pool_as_large_as_the_benchmark_costs_a_full_run_a_probe(blink: br.ScoreTable) -> None:
    pool = br.draw_pool(blink, 600, factor=4, seed=0)
    seen = costs(br.select(blink, 600, pool=pool, probes=blink.models[:3]))

    assert costs(pool).per_probe == 1.0
    assert seen.construction == 3.0
    assert not seen.already_run  # a pool was drawn, so that they would run


def test_sources_that_know_all_items_may_have_run_already(blink: br.ScoreTable) -> None:
    seen = costs(subset_of(blink, "history"))

    assert seen.construction == 5.0
    assert seen.already_run


@pytest.mark.parametrize("word", ["random", "stratified"])
def test_designs_that_look_at_no_scores_cost_nothing(blink: br.ScoreTable, word: str) -> None:
    seen = costs(br.select(blink.frame(), 60, design=DESIGNS[word]()))

    assert (seen.n_probes, seen.probe_items, seen.construction_items) == (0, 0, 0)
    assert (seen.construction, seen.already_run, seen.pays_from) == (0.0, False, 1)


@pytest.mark.parametrize("n_probes", [1, 2, 5, 9])
@pytest.mark.parametrize("n", [20, 300, 1900])
def test_the_whole_pays_from_the_first_number_of_targets_that_saves(
    blink: br.ScoreTable, n: int, n_probes: int
) -> None:
    subset = br.select(
        blink, n, probes=blink.models[:n_probes], design=br.BestRand(n_candidates=10)
    )
    first = costs(subset).pays_from

    assert first is not None
    assert (costs(subset, first).saved or 0.0) > 0
    assert (costs(subset, first - 1).saved or 0.0) <= 1e-9


def test_all_items_never_pay(blink: br.ScoreTable) -> None:
    subset = br.select(blink, 1901, probes=blink.models[:2])

    assert costs(subset).pays_from is None
    assert costs(subset, 3).saved == pytest.approx(-2.0)


def test_against_random_items_it_pays_where_the_total_is_less(blink: br.ScoreTable) -> None:
    subset = subset_of(blink, "bestrand")
    calls = 5 * 1901
    first = pays_against_random(subset, 90.0)

    assert first is not None
    assert first * 60 + calls < first * 90
    assert (first - 1) * 60 + calls >= (first - 1) * 90
    assert pays_against_random(subset, 60.0) is None
    assert pays_against_random(subset, 40.0) is None
    assert pays_against_random(subset, float("nan")) is None


def test_fewer_targets_than_none_are_refused(blink: br.ScoreTable) -> None:
    with pytest.raises(br.ArgumentError, match="`n_targets` must be 0 or more, got -1"):
        costs(subset_of(blink, "bestrand"), -1)

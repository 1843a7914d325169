"""Probe scores that are not those of the manifest are refused, and those that are pass."""

import numpy as np
import pytest

import bestrand as br
from bestrand.data import load
from bestrand.designs.cube import Cube


MATRIX = load("blink_val").matrix()
PROBES = MATRIX.take_models(MATRIX.models[:6])
TARGETS = MATRIX.take_models(MATRIX.models[6:])
SUBSET = br.select(PROBES, 100, seed=0)


def changed(values: np.ndarray, bounds: tuple[float, float] = (0.0, 1.0)) -> br.ScoreMatrix:
    return br.ScoreMatrix(PROBES.frame, PROBES.models, values, bounds=bounds)


def test_probes_on_another_scale_are_refused() -> None:
    hundred = changed(100 * PROBES.values, (0.0, 100.0))
    targets = br.ScoreMatrix(
        TARGETS.frame, TARGETS.models, 100 * TARGETS.values, bounds=(0.0, 100.0)
    )
    with pytest.raises(br.InputError, match="Another scale, or names that were mixed up"):
        br.estimate(targets, SUBSET, probes=hundred)

    chosen = br.select(hundred, 100, seed=0)
    with pytest.raises(br.InputError, match="6 of 6 probes are so far off"):
        br.estimate(TARGETS, chosen, probes=PROBES)


def test_probes_under_other_names_are_refused() -> None:
    inverted = changed(1 - PROBES.values)
    order = PROBES.values.mean(axis=1).argsort()
    with pytest.raises(br.InputError, match="the manifest says"):
        br.estimate(TARGETS, SUBSET, probes=inverted)

    swapped = PROBES.values.copy()
    swapped[[order[0], order[-1]]] = swapped[[order[-1], order[0]]]
    with pytest.raises(br.InputError, match="2 of 6 probes are so far off"):
        br.estimate(TARGETS, SUBSET, probes=changed(swapped))


@pytest.mark.parametrize("n", [2, 10, 100, 1901])
@pytest.mark.parametrize("design", [br.BestRand(n_candidates=2), br.Balanced(), br.History()])
def test_the_right_probes_pass_however_badly_they_match(n: int, design: br.BestRand) -> None:
    for seed in range(5):
        subset = br.select(PROBES, n, design=design, seed=seed)

        assert br.estimate(TARGETS, subset, probes=PROBES).models == TARGETS.models


def test_the_right_probes_pass_however_heavy_some_items_are() -> None:
    for seed in range(120):
        rng = np.random.default_rng(seed)
        frame = br.Frame.of(PROBES.frame.items[:300], weights=rng.pareto(0.7, 300) + 1e-6)
        matrix = br.ScoreMatrix(frame, MATRIX.models, MATRIX.values[:, :300], bounds=(0, 1))
        probes = matrix.take_models(PROBES.models)
        pool = br.draw_pool(frame, 15, seed=seed)
        subset = br.select(probes.take_items(pool.items), 15, pool=pool, design=Cube(), seed=seed)
        chosen = matrix.take_models(TARGETS.models).take_items(subset.items)

        assert br.estimate(chosen, subset, probes=probes).models == TARGETS.models


def test_a_pool_without_groups_is_said() -> None:
    plain = br.draw_pool(br.Frame.of(MATRIX.frame.items), 100, seed=0)
    grouped = br.draw_pool(MATRIX.frame, 100, seed=0)

    def codes(pool: br.Manifest) -> set[str]:
        return {note.code for note in br.select(PROBES, 100, pool=pool, seed=0).notes}

    assert "pool-without-groups" in codes(plain)
    assert "pool-without-groups" not in codes(grouped)

"""Probe scores that are not those of the manifest are refused, and those that are pass."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import bestrand as br
from bestrand.core.matched import _same_digest
from bestrand.data import load
from bestrand.designs.baselines.cube import Cube


Made = Callable[[int, int, int], br.ScoreMatrix]

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


def right_or_wrong(n_models: int, n_items: int, seed: int) -> br.ScoreMatrix:
    """Models of any strength, some near 0 and some near 1, on items of any difficulty."""
    rng = np.random.default_rng(seed)
    ability, difficulty = rng.normal(0, 2, (n_models, 1)), rng.normal(0, 2, n_items)
    values = rng.random((n_models, n_items)) < 1 / (1 + np.exp(difficulty - ability))
    frame = br.Frame.of([f"q{i:04d}" for i in range(n_items)])
    models = tuple(f"m{k:02d}" for k in range(n_models))
    return br.ScoreMatrix(frame, models, values.astype(np.float64), bounds=(0.0, 1.0))


def graded(n_models: int, n_items: int, seed: int) -> br.ScoreMatrix:
    """Scores that are nearly 0 on most items, and 1 on one of twenty."""
    rng = np.random.default_rng(seed)
    low, high = rng.uniform(0, 0.02, (n_models, n_items)), rng.random(n_items) < 0.05
    plain = right_or_wrong(n_models, n_items, seed)
    return br.ScoreMatrix(plain.frame, plain.models, np.where(high, 1.0, low), bounds=(0.0, 1.0))


def is_refused(targets: br.ScoreMatrix, subset: br.Manifest, probes: br.ScoreMatrix) -> bool:
    try:
        br.estimate(targets, subset, probes=probes, estimator=br.Mean())
    except br.InputError as error:
        return "not the probe scores" in str(error)
    return False


@pytest.mark.slow
@pytest.mark.parametrize("kind", [right_or_wrong, graded])
def test_the_right_sources_pass_however_many_there_are(kind: Made) -> None:
    """Fifty sources and few items: some mean is always far off. Whole, and on the subset alone."""
    designs = (br.History(n_candidates=2), br.BestRand(n_candidates=2), br.Balanced(n_candidates=2))
    for seed in range(4):
        matrix = kind(51, 1000, seed)
        sources, target = matrix.take_models(matrix.models[:50]), matrix.take_models(["m50"])
        for number in range(30):
            n = 10 + 40 * number // 29
            subset = br.select(sources, n, design=designs[number % 3], seed=number)
            seen = sources.take_items(subset.items)

            assert not is_refused(target, subset, sources)
            assert not is_refused(target, subset, seen)


def test_scores_whose_digest_is_the_manifests_are_not_looked_at_further() -> None:
    """A subset of items on which every probe fails, though each is right on half of all."""
    values = np.tile((np.arange(200) % 2).astype(np.float64), (3, 1))
    frame = br.Frame.of([f"q{i:03d}" for i in range(200)])
    probes = br.ScoreMatrix(frame, ("a", "b", "c"), values, bounds=(0.0, 1.0))
    chosen = br.select(probes, 40, seed=0)
    fields = chosen.model_dump()
    bad = {**fields, "items": frame.items[0:80:2], "distance": 0.0}
    subset = br.Manifest.make(
        **{key: value for key, value in bad.items() if key not in ("digest", "bestrand_version")}
    )
    targets = br.ScoreMatrix(frame, ("t",), values[:1], bounds=(0.0, 1.0))

    assert not is_refused(targets, subset, probes)
    nearly = values.copy()
    nearly[0, 0] = 1.0
    other = br.ScoreMatrix(frame, probes.models, nearly, bounds=(0.0, 1.0))
    assert is_refused(targets, subset, other)


@pytest.mark.parametrize("n", [5, 10, 50])
def test_scores_of_others_are_refused_where_the_pool_is_here(n: int) -> None:
    matrix = right_or_wrong(24, 1000, 3)
    probes, others = matrix.models[:8], matrix.models[8:16]
    known, target = matrix.take_models(probes), matrix.take_models(["m23"])
    for seed in range(10):
        subset = br.select(known, n, design=br.Balanced(n_candidates=5), seed=seed)
        order = np.random.default_rng(seed).permutation(8)
        mixed, of_others = known.values[order], matrix.take_models(others).values
        moved = np.abs(mixed.mean(axis=1) - known.values.mean(axis=1)).max() > 0.1
        wrong = [(mixed, moved), (of_others, True), (1 - known.values, True)]
        for values, expected in wrong:
            scores = br.ScoreMatrix(known.frame, probes, values, bounds=(0.0, 1.0))

            assert is_refused(target, subset, scores) == expected


def test_a_probe_that_ran_again_passes() -> None:
    """Two of a hundred items come out otherwise: its means are nearly those of the manifest."""
    matrix = right_or_wrong(9, 1000, 4)
    known, target = matrix.take_models(matrix.models[:8]), matrix.take_models(["m08"])
    subset = br.select(known, 50, seed=0)
    flips = np.random.default_rng(0).random(known.values.shape) < 0.02
    again = br.ScoreMatrix(
        known.frame, known.models, np.abs(known.values - flips), bounds=(0.0, 1.0)
    )

    assert not is_refused(target, subset, again)


def test_the_digest_knows_several_metrics_and_any_order(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    rows = [
        {"item": f"q{i:03d}", "model": model, "metric": metric, "score": float(rng.random() < p)}
        for i in rng.permutation(300)
        for model, p in (("b", 0.3), ("a", 0.6), ("c", 0.5))
        for metric in ("exact", "format")
    ]
    (tmp_path / "s.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    table = br.read_scores(tmp_path / "s.jsonl")
    subset = br.select(table, 60, metrics=["exact", "format"], seed=0)
    matrix = table.matrix("exact")
    pool = np.ones(300, dtype=np.bool_)

    assert _same_digest(table, pool, matrix.take_models(subset.probes), subset)
    assert not _same_digest(matrix, pool, matrix.take_models(subset.probes), subset)

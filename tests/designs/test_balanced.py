"""Balanced and History: nearer than the best of many, with every group at its share."""

import numpy as np
import polars as pl

import bestrand as br
from bestrand.data import load
from bestrand.designs.balanced import Balanced
from bestrand.designs.history import History, history_columns
from bestrand.designs.stratified import Stratified
from bestrand.stats.components import components


MATRIX = load("blink_val").matrix()
PROBES = MATRIX.take_models(MATRIX.models[:8])


def test_swaps_bring_the_probe_means_nearer_than_the_best_of_many() -> None:
    distances = {
        design.name: np.mean(
            [br.select(PROBES, 100, design=design, seed=seed).distance for seed in range(5)]
        )
        for design in (br.BestRand(), Balanced())
    }

    assert distances["Balanced"] < 0.5 * distances["BestRand"]


def test_every_big_group_has_its_share() -> None:
    pool = br.draw_pool(MATRIX, 140, seed=1, design=Stratified())
    subset = br.select(PROBES, 140, pool=pool, design=Balanced(), seed=1)
    sizes = subset.group_sizes or {}
    counts = {name: (subset.item_groups or ()).count(name) for name in sizes}

    assert subset.balanced_on == ("probes", "groups")
    for name, size in sizes.items():
        assert abs(counts[name] - 140 * size / MATRIX.frame.n) < 2.01, name


def test_without_groups_the_quintiles_of_difficulty_are_balanced() -> None:
    bare = br.ScoreMatrix(br.Frame.of(MATRIX.frame.items), MATRIX.models, MATRIX.values)
    probes = bare.take_models(PROBES.models)
    difficulty = probes.values.mean(axis=0)
    low = difficulty <= np.quantile(difficulty, 0.2)
    gaps = {}
    for design in (br.SimpleRandom(), Balanced()):
        chosen = [br.select(probes, 100, design=design, seed=seed) for seed in range(8)]
        columns = [[bare.frame.positions[item] for item in subset.items] for subset in chosen]
        gaps[design.name] = np.mean([abs(low[c].mean() - low.mean()) for c in columns])

    assert gaps["Balanced"] < 0.5 * gaps["SimpleRandom"]


def test_further_metrics_are_balanced_too() -> None:
    rng = np.random.default_rng(0)
    rows = [
        {"item": f"q{i}", "model": f"m{k}", "score": int(rng.random() < 0.5), "cost": cost}
        for i in range(300)
        for cost in [float(rng.exponential() * 50)]
        for k in range(4)
    ]
    table = br.read_scores(pl.DataFrame(rows))
    costs = table.matrix("cost", weighting="micro").values[0]
    positions = table.frame().positions
    gaps = {}
    for metrics in (["score"], ["score", "cost"]):
        chosen = [br.select(table, 40, metrics=metrics, seed=seed) for seed in range(5)]
        means = [costs[[positions[i] for i in subset.items]].mean() for subset in chosen]
        gaps[len(metrics)] = np.abs(np.array(means) - costs.mean()).mean()

    assert gaps[2] < 0.3 * gaps[1]


def test_components_keep_the_distances_over_all_sources() -> None:
    rng = np.random.default_rng(3)
    scores = rng.random((6, 50))
    mean, parts = components(scores, 12)
    columns = history_columns(scores, 12)
    off = scores - scores.mean(axis=1, keepdims=True)

    assert np.allclose(mean, scores.mean(axis=0))
    assert parts.shape == (5, 50)  # what is left after the mean has one dimension less
    for chosen in (np.arange(10), np.arange(5, 30, 2)):
        whole = np.linalg.norm(off[:, chosen].mean(axis=1)) * np.sqrt(8 / 6)
        assert np.isclose(np.linalg.norm(columns[:, chosen].mean(axis=1)), whole, atol=1e-6)


def test_history_balances_sources_that_it_reduces_to_components() -> None:
    gaps = {}
    for design in (br.SimpleRandom(), History()):
        subsets = [br.select(MATRIX, 190, design=design, seed=seed) for seed in range(4)]
        means = [MATRIX.take_items(subset.items).values.mean(axis=1) for subset in subsets]
        gaps[design.name] = np.mean([np.linalg.norm(m - MATRIX.values.mean(axis=1)) for m in means])

    assert gaps["History"] < 0.35 * gaps["SimpleRandom"]

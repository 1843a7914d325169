"""The theory that `diagnose` shows: two kinds of R2, the law's ends, and what a pool leaves."""

import numpy as np
import pytest

import bestrand as br
from bestrand.data import load
from bestrand.planning.theory import pools_left, shift_r2
from bestrand.rng import Stream
from bestrand.stats.tail import balanced_share, explain_shift
from bestrand.types import FloatArray
from tests.cli.test_verbs import validate
from tests.conftest import Files, Run


MATRIX = load("blink_val").matrix()


def alike(n_models: int, n_items: int, *, rho: float, seed: int) -> FloatArray:
    """Give scores of models of one variance whose correlations are all rho, within 0..1."""
    rng = np.random.default_rng(seed)
    common, own = rng.standard_normal(n_items), rng.standard_normal((n_models, n_items))
    scores = 0.5 + 0.05 * (np.sqrt(rho) * common + np.sqrt(1 - rho) * own)
    return np.asarray(np.clip(scores, 0, 1), dtype=np.float64)


@pytest.mark.slow
def test_the_two_r2_are_those_of_models_that_are_all_alike() -> None:
    """K probes and T targets with one correlation: both shares are known by formula."""
    rho, n_models = 0.3, 16
    y = alike(n_models, 20_000, rho=rho, seed=0)
    frame = br.Frame.of([f"q{i:05}" for i in range(y.shape[1])])
    names = tuple(f"m{k:02}" for k in range(n_models))
    seen = br.diagnose(br.ScoreMatrix(frame, names, y, bounds=(0.0, 1.0)), retentions=[0.05])
    others, k, t = n_models - 1, 8, 8

    assert (seen.shift_r2.n_probes, seen.shift_r2.n_targets) == (k, t)
    own = others * rho**2 / (1 + (others - 1) * rho)
    assert seen.target_r2 == pytest.approx(own, abs=0.01)
    common = k * rho / (1 + (k - 1) * rho)
    assert seen.shift_r2.value == pytest.approx(common * rho / (rho + (1 - rho) / t), abs=0.01)
    assert seen.shift_r2.value > 2 * seen.target_r2


@pytest.mark.slow
def test_both_are_told_apart_on_real_models() -> None:
    for name in ("blink_val", "intercode_sql", "mmlu_pro"):
        seen = br.diagnose(load(name), retentions=[0.05])
        assert seen.shift_r2.value > seen.target_r2 + 0.1


def test_the_shift_r2_foretells_the_shift_that_a_pool_leaves_and_the_target_r2_does_not() -> None:
    """Best of 1000 subsets of a pool of 4n on 8 probes, against the finite-pool formula."""
    y, n = MATRIX.values, 95
    order = np.random.default_rng(0).permutation(len(y))
    probes, targets = order[:8], order[8:]
    names = [MATRIX.models[k] for k in probes]
    difficulty = y[targets].mean(axis=0)
    shift = explain_shift(difficulty, y[probes]).r_squared
    own = [explain_shift(y[k], y[probes]).r_squared for k in targets]
    errors = []
    for seed in range(120):
        pool = br.draw_pool(MATRIX.frame, n, seed=seed, design=br.SimpleRandom())
        chosen = br.select(MATRIX.take_models(names), n, pool=pool, design=br.BestRand(), seed=seed)
        columns = [MATRIX.frame.positions[item] for item in chosen.items]
        errors.append(difficulty[columns].mean() - difficulty.mean())
    random = difficulty.var(ddof=1) * (1 / n - 1 / y.shape[1])
    left = float(np.mean(np.square(errors)) / random)
    noise = left * np.sqrt(2 / len(errors))

    assert abs(left - balanced_share(shift, 4, n / y.shape[1])) < 3 * noise
    assert balanced_share(float(np.mean(own)), 4, n / y.shape[1]) - left > noise


def test_the_parts_of_the_shift_are_uncorrelated_and_sum_to_it() -> None:
    seen = br.diagnose(MATRIX)

    assert seen.shift_r2.correlation < 1e-12
    for size in seen.sizes:
        parts = size.shift_explained**2 + size.shift_rest**2
        assert parts == pytest.approx(size.sigma_c**2, rel=1e-12)
        assert (size.shift_explained / size.sigma_c) ** 2 == pytest.approx(seen.shift_r2.value)


def test_the_bound_and_the_ends_hold_for_subsets_that_are_drawn() -> None:
    seen = br.diagnose(MATRIX, retentions=[0.05], threshold=0.03).sizes[0]
    rng = np.random.default_rng(1)
    full = MATRIX.values.mean(axis=1)
    errors = np.array(
        [
            np.abs(MATRIX.values[:, rng.choice(1901, 95, replace=False)].mean(axis=1) - full).mean()
            for _ in range(4000)
        ]
    )
    counts, edges = np.histogram(errors, bins=24)
    top = int(counts.argmax())

    assert 0.05 < seen.exceedance_bound < (errors > 0.03).mean()
    assert edges[max(top - 1, 0)] < seen.mode < edges[top + 2]
    assert seen.lower_end < seen.mode < seen.random_mean < seen.random_p95
    # what many models have in common with these: a draw in ten comes near the lower end
    assert (errors < 1.02 * seen.lower_end).mean() > 0.1


def test_larger_pools_leave_less_and_the_whole_benchmark_what_is_not_explained() -> None:
    seen = br.diagnose(MATRIX)

    assert seen.sizes
    for size in seen.sizes:
        left = [pool.variance_left for pool in size.pools]
        assert left == sorted(left, reverse=True)
        assert size.pools[-1].n_pool == 1901
        assert left[-1] == pytest.approx(1 - seen.shift_r2.value)
        assert [pool.n_pool for pool in size.pools[:-1]] == [
            k * size.n for k in (2, 4, 8) if k * size.n < 1901
        ]
        for pool in size.pools:
            share = balanced_share(seen.shift_r2.value, pool.n_pool / size.n, size.n / 1901)
            assert pool.variance_left == pytest.approx(share)


def test_a_pool_at_hand_is_the_one_that_is_spoken_of() -> None:
    assert [pool.n_pool for pool in pools_left(0.5, 20, 1000, 90)] == [90, 1000]
    assert [pool.n_pool for pool in pools_left(0.5, 100, 1000, 90)] == [1000]
    pool = br.draw_pool(MATRIX.frame, 60, seed=0, design=br.SimpleRandom())
    seen = br.diagnose(MATRIX.take_items(pool.items), pool=pool, retentions=[0.02])

    assert [left.n_pool for left in seen.sizes[0].pools] == [pool.n, 1901]


def test_the_share_from_a_pool_is_not_raised_by_the_slopes_that_were_fitted() -> None:
    """Models that have nothing in common: eight slopes on 80 items fit a tenth by chance."""
    fitted, corrected = [], []
    for seed in range(30):
        y = np.random.default_rng(seed).random((16, 80))
        fitted.append(shift_r2(y, 80, Stream.of(seed)).value)
        corrected.append(shift_r2(y, 8000, Stream.of(seed)).value)

    assert np.mean(fitted) == pytest.approx(8 / 79, abs=0.01)
    assert np.mean(corrected) == pytest.approx(0.0, abs=0.01)


def test_a_single_model_and_flat_ones_have_no_shift() -> None:
    one = br.ScoreMatrix(MATRIX.frame, ("a",), MATRIX.values[:1], bounds=(0.0, 1.0))
    values = np.concatenate([MATRIX.values[:1], np.ones((2, 1901))])
    flat = br.ScoreMatrix(MATRIX.frame, ("a", "b", "c"), values, bounds=(0.0, 1.0))
    for matrix in (one, flat):
        seen = br.diagnose(matrix, retentions=[0.1, 1.0])
        assert np.isnan(seen.shift_r2.value)
        assert all(np.isnan(pool.variance_left) for pool in seen.sizes[0].pools)
        assert np.isnan(seen.sizes[0].shift_rest)
    assert np.isnan(br.diagnose(one, retentions=[0.1]).sizes[0].mode)
    two = br.ScoreMatrix(MATRIX.frame, ("a", "b"), MATRIX.values[:2], bounds=(0.0, 1.0))
    assert br.diagnose(two, retentions=[0.1]).shift_r2.n_probes == 1


def test_a_hundredfold_unit_gives_hundredfold_errors_and_the_same_shares() -> None:
    hundred = br.ScoreMatrix(MATRIX.frame, MATRIX.models, MATRIX.values * 100, bounds=(0.0, 100.0))
    one, other = (br.diagnose(m, retentions=[0.05]) for m in (MATRIX, hundred))
    a, b = one.sizes[0], other.sizes[0]
    for name in ("lower_end", "mode", "mode_rate", "shift_explained", "shift_rest", "sigma_c"):
        assert getattr(b, name) == pytest.approx(100 * getattr(a, name))
    assert b.exceedance_bound == pytest.approx(a.exceedance_bound)
    assert other.shift_r2.value == pytest.approx(one.shift_r2.value)


def test_the_whole_benchmark_has_no_error_left() -> None:
    size = br.diagnose(MATRIX, retentions=[1.0]).sizes[0]

    assert (size.sigma_c, size.lower_end, size.mode, size.exceedance_bound) == (0, 0, 0, 0)
    assert [pool.n_pool for pool in size.pools] == [1901]
    assert np.isnan(size.pools[0].variance_left)


def test_probes_that_explain_less_than_nothing_leave_all_of_the_shift() -> None:
    values = np.random.default_rng(3).random((16, 80))
    frame = br.Frame.of([f"q{i:02}" for i in range(80)])
    matrix = br.ScoreMatrix(frame, tuple("abcdefghijklmnop"), values, bounds=(0.0, 1.0))
    seen = br.diagnose(matrix, n_items=8000, retentions=[0.005])
    size = seen.sizes[0]

    assert seen.shift_r2.value < -0.01
    assert size.shift_explained == 0
    assert size.shift_rest == size.sigma_c
    assert [pool.variance_left for pool in size.pools] == [1.0] * 4


def test_the_command_prints_both_and_what_pools_leave(run: Run, files: Files) -> None:
    done = run("diagnose", files.scores, "--retention", 0.05, "--json")
    validate("diagnose", done.json)
    size = done.json["sizes"][0]
    text = run("diagnose", files.scores, "--retention", 0.05).out

    assert 0 < done.json["target_r2"] < done.json["shift_r2"]["r2"] < 1
    assert done.json["shift_r2"]["correlation"] < 1e-12
    assert all(0 < model["target_r2"] < 1 for model in done.json["models"])
    assert size["exceedance_bound"] < size["exceedance"]
    assert size["lower_end"] < size["mode"] < size["random_mean"]
    assert [pool["n_pool"] for pool in size["pools"]] == [190, 380, 760, 1901]
    for word in ("target R²", "shift R²", "shift sd", "lower end", "mode", "pool 4n", "all items"):
        assert word in text

"""Diagnose and forecast: against what really happens, and on data where the answer is known."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import bestrand as br
from bestrand.data import load
from bestrand.planning.diagnose import participation, pooled_share, rho_interval
from bestrand.planning.error_law import error_law
from bestrand.planning.forecast import forecast
from bestrand.rng import Stream
from bestrand.stats.explained import explained_by_others
from tests.cli.test_verbs import validate
from tests.conftest import Files, Run


MATRIX = load("blink_val").matrix()


def test_scores_that_have_nothing_in_common_explain_nothing() -> None:
    rng = np.random.default_rng(0)
    values = np.array([rng.permutation(row) for row in MATRIX.values])
    shuffled = br.ScoreMatrix(br.Frame.of(MATRIX.frame.items), MATRIX.models, values)
    seen = br.diagnose(shuffled)

    assert seen.outlook == "not explained"
    assert abs(seen.target_r2) < 0.05
    assert abs(seen.rho) < 0.02
    assert seen.sizes[1].balanced_mean == pytest.approx(seen.sizes[1].random_mean, rel=0.03)
    assert "do not explain these models" in seen.verdict
    assert "If only the ranking matters, a random subset is enough" in seen.verdict


def test_real_probes_help_and_the_verdict_says_by_how_much() -> None:
    seen = br.diagnose(MATRIX)

    assert seen.outlook == "probes help"
    assert seen.rho == pytest.approx(0.186, abs=0.001)  # as the source of the matrix states
    assert seen.rho_low < seen.rho < seen.rho_high
    assert "the 95th percentile of the mean error over models is expected to fall" in seen.verdict
    assert [size.n for size in seen.sizes] == [38, 95, 190, 380, 950]


def test_the_law_of_random_subsets_is_what_happens() -> None:
    size = br.diagnose(MATRIX, retentions=[0.05], threshold=0.05).sizes[0]
    rng = np.random.default_rng(1)
    full = MATRIX.values.mean(axis=1)
    errors = [
        np.abs(MATRIX.values[:, rng.choice(1901, size.n, replace=False)].mean(axis=1) - full).mean()
        for _ in range(3000)
    ]

    assert np.mean(errors) == pytest.approx(size.random_mean, rel=0.02)
    assert np.quantile(errors, 0.95) == pytest.approx(size.random_p95, rel=0.04)
    assert np.mean(np.array(errors) > 0.05) == pytest.approx(size.exceedance, abs=0.03)


def test_a_forecast_from_the_pool_is_what_happens_to_targets() -> None:
    forecasts, happened = [], []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        names = rng.permutation(np.array(MATRIX.models, dtype=object))
        probes = MATRIX.take_models(sorted(names[:8]))
        targets = MATRIX.take_models(sorted(names[8:]))
        pool = br.draw_pool(MATRIX.frame, 95, seed=seed, design=br.SimpleRandom())
        subset = br.select(probes, 95, pool=pool, design=br.BestRand(), seed=seed)
        z = probes.take_items(pool.items).values
        ahead = forecast(
            z, 95, n_pool=pool.n, n_frame=1901, n_targets=11, stream=Stream.of(seed, "f")
        )
        forecasts.append(ahead.balanced.mean)
        estimates = br.estimate(targets, subset, probes=probes).estimate
        happened.append(np.abs(estimates - targets.full_scores()).mean())

    assert np.mean(forecasts) == pytest.approx(np.mean(happened), rel=0.12)


def test_models_that_are_alike_count_once() -> None:
    rng = np.random.default_rng(2)
    own = (rng.random((5, 400)) < 0.5).astype(np.float64)
    copies = np.concatenate([own, own[:1], own[:1]])
    frame = br.Frame.of([f"q{i:03d}" for i in range(400)])
    names = tuple(f"m{k}" for k in range(7))
    seen = br.diagnose(br.ScoreMatrix(frame, names, copies, bounds=(0.0, 1.0)))

    assert participation(own) == pytest.approx(5, abs=0.15)
    assert seen.effective_models < 4
    assert set(seen.near_duplicates) == {("m0", "m5"), ("m0", "m6"), ("m5", "m6")}
    assert seen.models[0].target_r2 > 0.9


def test_the_share_explained_is_that_of_a_ridge_on_the_others() -> None:
    z = MATRIX.values[:4]
    zc = z - z.mean(axis=1, keepdims=True)
    x, y = zc[1:].T, zc[0]
    hat = x @ np.linalg.solve(x.T @ x + 2 * np.eye(3), x.T)
    left = ((y - hat @ y) ** 2).sum() / (1901 - 1 - np.trace(hat))

    assert explained_by_others(z)[0] == pytest.approx(1 - left / y.var(ddof=1), abs=1e-10)


def test_flat_and_single_models_are_handled() -> None:
    values = MATRIX.values[:3].copy()
    values[1] = 1.0
    three = br.ScoreMatrix(MATRIX.frame, ("a", "flat", "c"), values, bounds=(0.0, 1.0))
    one = br.ScoreMatrix(MATRIX.frame, ("a",), values[:1], bounds=(0.0, 1.0))
    seen = br.diagnose(three)

    assert np.isnan(seen.models[1].target_r2)
    assert not np.isnan(seen.target_r2)
    assert br.diagnose(one).outlook == "unknown"
    assert np.isnan(pooled_share(values[:1], np.array([0.0])))
    assert np.isnan(rho_interval(values[:1])[0])


def test_what_cannot_be_diagnosed_is_refused() -> None:
    holes = MATRIX.values.copy()
    holes[3, 5] = np.nan
    flat = np.ones_like(holes)
    with pytest.raises(br.InputError, match="Scores are missing, 1 in all"):
        br.diagnose(br.ScoreMatrix(MATRIX.frame, MATRIX.models, holes))
    with pytest.raises(br.InputError, match="errors cannot be predicted"):
        br.diagnose(br.ScoreMatrix(MATRIX.frame, MATRIX.models, flat))
    with pytest.raises(br.ArgumentError, match="below 1, the width of the scale"):
        br.diagnose(MATRIX, threshold=3.0)
    for threshold in (0.0, -1.0, np.nan, np.inf):
        with pytest.raises(br.ArgumentError, match="`threshold` must be above 0"):
            br.diagnose(MATRIX, threshold=threshold)
    with pytest.raises(br.ArgumentError, match="`retentions` must be above 0"):
        br.diagnose(MATRIX, retentions=[0.1, 2])


@pytest.mark.slow
def test_probes_on_a_pool_foretell_what_happens_on_the_benchmark() -> None:
    """Taken for the whole benchmark, a pool of a fifth of it promises errors a tenth too small."""
    n, n_frame = 95, MATRIX.frame.n
    said, random_said, as_whole, happened, random_happened = [], [], [], [], []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        names = rng.permutation(np.array(MATRIX.models, dtype=object))
        probes = MATRIX.take_models(sorted(names[:8]))
        targets = MATRIX.take_models(sorted(names[8:]))
        truth = targets.full_scores()
        pool = br.draw_pool(MATRIX.frame, n, seed=seed)
        seen = probes.take_items(pool.items)
        size = br.diagnose(seen, n_items=n_frame, retentions=[n / n_frame], seed=seed).sizes[0]
        whole = br.diagnose(seen, retentions=[n / pool.n], seed=seed).sizes[0]
        subset = br.select(probes, n, pool=pool, seed=seed)
        plain = br.select(MATRIX.frame, n, design=br.SimpleRandom(), seed=seed)
        assert size.n == whole.n == n
        said.append(size.balanced_mean)
        random_said.append(size.random_mean)
        as_whole.append(whole.balanced_mean)
        estimates = br.estimate(targets, subset, probes=probes).estimate
        happened.append(np.abs(estimates - truth).mean())
        random_happened.append(np.abs(br.estimate(targets, plain).estimate - truth).mean())

    assert np.mean(said) == pytest.approx(np.mean(happened), rel=0.06)
    assert np.mean(random_said) == pytest.approx(np.mean(random_happened), rel=0.06)
    assert np.mean(as_whole) < 0.93 * np.mean(happened)


def test_a_pool_says_how_many_items_the_benchmark_has() -> None:
    pool = br.draw_pool(MATRIX.frame, 95, seed=0)
    probes = MATRIX.take_models(MATRIX.models[:8])
    seen = probes.take_items(pool.items)
    given = br.diagnose(seen, pool=pool, retentions=[0.05, 0.5])
    more = br.diagnose(probes, pool=pool, retentions=[0.05, 0.5])
    by_number = br.diagnose(seen, n_items=1901, retentions=[0.05, 0.5])

    assert (given.n_items, given.n_scored, by_number.n_scored) == (1901, 380, 380)
    assert given.sizes[0] == more.sizes[0]
    assert given.sizes[0] == replace(by_number.sizes[0], pools=given.sizes[0].pools)
    assert "on this pool of 380 items" in given.verdict
    assert np.isnan(given.sizes[1].balanced_mean)  # 950 items are not in a pool of 380
    assert by_number.sizes[1].balanced_mean > 0
    assert by_number.sizes[1].random_mean == given.sizes[1].random_mean


def test_all_items_of_the_benchmark_are_the_default() -> None:
    one, two = br.diagnose(MATRIX), br.diagnose(MATRIX, n_items=1901)

    assert one.sizes == two.sizes
    assert one.verdict == two.verdict


def test_a_benchmark_smaller_than_its_scores_is_refused() -> None:
    pool = br.draw_pool(MATRIX.frame, 95, seed=0)
    for n_items in (0, -5, 1900, 10**13):
        with pytest.raises(br.ArgumentError, match=r"`n_items` \(--items\) must be 1901"):
            br.diagnose(MATRIX, n_items=n_items)
    with pytest.raises(br.ArgumentError, match="`n_items` must be a whole number"):
        br.diagnose(MATRIX, n_items=2000.5)  # type: ignore[arg-type]
    with pytest.raises(br.ArgumentError, match="is 5000, and the pool was drawn from 1901 items"):
        br.diagnose(MATRIX, n_items=5000, pool=pool)
    with pytest.raises(br.ManifestError, match="must be a manifest of kind 'pool', got a subset"):
        br.diagnose(MATRIX, pool=br.select(MATRIX, 20))
    with pytest.raises(br.ManifestError, match="of the pool's 380 items have no row in these"):
        br.diagnose(MATRIX.take_items(MATRIX.frame.items[:900]), pool=pool)


def test_the_chart_of_a_pool_is_of_the_whole_benchmark() -> None:
    pool = br.draw_pool(MATRIX.frame, 95, seed=0)
    probes = MATRIX.take_models(MATRIX.models[:8])
    seen = br.diagnose(probes, pool=pool, retentions=[0.05])
    law = error_law(probes.take_items(pool.items), 0.05, n_items=1901, n_draws=2000)

    assert (law.n, law.n_items) == (95, 1901)
    assert law.law_p95 == seen.sizes[0].random_p95
    assert law.simulated_p95 == pytest.approx(law.law_p95, rel=0.06)
    assert "1 901" in json.dumps(br.chart(seen, probes).to_dict(), ensure_ascii=False)


def test_the_command_takes_the_items_or_the_pool(run: Run, files: Files, tmp_path: Path) -> None:
    pool = br.draw_pool(files.matrix.frame, 95, seed=0)
    pool.write(tmp_path / "pool.json")
    by_pool = run(
        "diagnose", files.scores, "--pool", tmp_path / "pool.json", "--retention", 0.05, "--json"
    )
    by_number = run("diagnose", files.scores, "--items", 9000, "--retention", 0.05, "--json")
    validate("diagnose", by_pool.json)

    assert (by_pool.json["items"], by_pool.json["scored_items"]) == (1901, 380)
    assert by_pool.json["sizes"][0]["n"] == 95
    assert (by_number.json["items"], by_number.json["scored_items"]) == (9000, 1901)
    assert by_number.json["sizes"][0]["n"] == 450
    said = run("diagnose", files.scores, "--items", 9000).out
    assert "9000, of which 1901 have scores" in " ".join(said.split())
    assert run("diagnose", files.scores, "--items", 5).code == 2


def test_the_unit_of_the_metric_is_kept() -> None:
    hundred = br.ScoreMatrix(MATRIX.frame, MATRIX.models, MATRIX.values * 100, bounds=(0.0, 100.0))
    one, other = br.diagnose(MATRIX), br.diagnose(hundred)

    assert other.threshold == 2.0
    assert other.sizes[1].random_p95 == pytest.approx(100 * one.sizes[1].random_p95)
    assert other.sizes[1].exceedance == one.sizes[1].exceedance
    assert other.target_r2 == pytest.approx(one.target_r2)


def test_the_command_prints_its_contract(run: Run, files: Files) -> None:
    done = run("diagnose", files.scores, "--retention", 0.1, "--json")
    validate("diagnose", done.json)

    assert done.code == 0
    assert done.json["outlook"] == "probes help"
    assert [size["n"] for size in done.json["sizes"]] == [190]
    assert "with probes" in run("diagnose", files.scores).out
    assert run("diagnose", files.scores, "--retention", 3).code == 2

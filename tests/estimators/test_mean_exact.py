from collections.abc import Callable
from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import binom
from scipy.stats import t as student

from bestrand.core.estimates import Estimates
from bestrand.core.frame import Frame
from bestrand.core.scores import ScoreMatrix
from bestrand.designs.base import Design
from bestrand.designs.best_rand import BestRand
from bestrand.designs.simple_random import SimpleRandom
from bestrand.designs.stratified import Stratified
from bestrand.estimators.base import Seen
from bestrand.estimators.chance import ChanceShares, residual_shares, within_shares
from bestrand.estimators.mean import Mean
from bestrand.estimators.two_phase import balanced_features, nearest_probe
from bestrand.stats.intervals import floored_variance, two_phase_factor, weighted_spread
from bestrand.stats.regression import ridge_penalty, ridge_residuals
from bestrand.steps.draw_pool import draw_pool
from bestrand.steps.estimate import estimate
from bestrand.steps.select import select
from bestrand.types import FloatArray, IntArray
from tests.stats.test_regression import within_share
from tests.strategies import score_arrays, weight_arrays


def seen_of(
    scores: FloatArray,
    *,
    weights: FloatArray | None = None,
    groups: IntArray | None = None,
    group_shares: FloatArray | None = None,
    probes: FloatArray | None = None,
    n_pool: int = 100,
    n_frame: int = 1000,
    balanced_on: tuple[str, ...] = (),
    pool_balanced_on: tuple[str, ...] = (),
) -> Seen:
    return Seen(
        scores=scores,
        weights=np.ones(scores.shape[1]) if weights is None else weights,
        groups=groups,
        group_shares=group_shares,
        probes=probes,
        n_pool=n_pool,
        n_frame=n_frame,
        balanced_on=balanced_on,  # type: ignore[arg-type]
        pool_balanced_on=pool_balanced_on,  # type: ignore[arg-type]
    )


def shares_of(seen: Seen) -> ChanceShares:
    """Give the residual shares of the features that the subset was balanced on."""
    features = balanced_features(seen)
    return residual_shares(seen, features, penalty=ridge_penalty(features.T))


def own_and_common(y: FloatArray, x: FloatArray) -> FloatArray:
    """Give each row's share, drawn to that of all, one row at a time; (T,)."""
    n, penalty = y.shape[1], ridge_penalty(x.T)
    xc = x - x.mean(axis=0)
    hat = xc @ np.linalg.solve(xc.T @ xc + penalty * np.eye(x.shape[1]), xc.T)
    freedom = n - 1 - np.trace(hat)
    left = [((row - row.mean() - hat @ (row - row.mean())) ** 2).sum() / freedom for row in y]
    whole = [row.var(ddof=1) for row in y]
    common = min(1.0, sum(left) / sum(whole)) if any(whole) else 1.0
    return np.array(
        [
            min(1.0, (freedom * a / b + 10 * common) / (freedom + 10)) if b > 1e-18 else common
            for a, b in zip(left, whole, strict=True)
        ]
    )


# --- over all subsets ----------------------------------------------------------------------------


@given(data=st.data(), n_frame=st.integers(2, 7))
def test_over_all_subsets_the_estimate_is_the_full_score(data: st.DataObject, n_frame: int) -> None:
    y = data.draw(score_arrays(2, n_frame))
    n = data.draw(st.integers(1, n_frame))
    estimates = [
        Mean().infer(seen_of(y[:, list(s)], n_pool=n_frame, n_frame=n_frame)).estimate
        for s in combinations(range(n_frame), n)
    ]

    assert np.mean(estimates, axis=0) == pytest.approx(y.mean(axis=1), abs=1e-12)


def test_over_all_subsets_the_squared_error_is_the_variance_where_the_floor_is_not_met() -> None:
    """With scores of 0, 1/2 and 1 around one half, no floor lifts the variance."""
    y = np.array([[0.0, 0.5, 1.0, 1.0, 0.0, 0.5, 0.0, 1.0]])
    results = []
    for subset in combinations(range(8), 5):
        seen = seen_of(y[:, subset], n_pool=8, n_frame=8)
        spread = weighted_spread(seen.scores, seen.weights)
        floor = floored_variance(spread, seen.scores, seen.weights) / spread.variance
        result = Mean().infer(seen)
        results.append((result.estimate[0], result.se[0] ** 2 / floor[0]))
    means, variances = np.array(results).T

    assert variances.mean() == pytest.approx(means.var(), abs=1e-12)


def test_over_all_stratified_subsets_the_within_share_gives_the_exact_variance() -> None:
    """Three groups of four items, two of each drawn; Cochran's formula with equal shares."""
    y = np.array([0.0, 0.25, 0.0, 0.5, 0.5, 0.75, 0.5, 0.25, 1.0, 0.75, 1.0, 1.0])
    groups = np.repeat([0, 1, 2], 4)
    ways = [list(combinations(np.flatnonzero(groups == h), 2)) for h in range(3)]
    subsets = [[i for part in parts for i in part] for parts in product(*ways)]
    means = np.array([y[s].mean() for s in subsets])
    shares = [within_share(y[None, s], groups[s]) for s in subsets]
    variances = [
        share * y[s].var(ddof=1) * (1 / 6 - 1 / 12)
        for share, s in zip(shares, subsets, strict=True)
    ]

    assert len(subsets) == 6**3
    assert max(shares) < 1.0
    assert means.mean() == pytest.approx(y.mean(), abs=1e-12)
    assert np.mean(variances) == pytest.approx(means.var(), abs=1e-12)


def test_over_all_stratified_pools_and_their_subsets_both_phases_count() -> None:
    """Two of each four into the pool, three of those six into the subset, at random."""
    y = np.array([0.0, 0.25, 0.0, 0.5, 0.5, 0.75, 0.5, 0.25, 1.0, 0.75, 1.0, 1.0])
    groups = np.repeat([0, 1, 2], 4)
    ways = [list(combinations(np.flatnonzero(groups == h), 2)) for h in range(3)]
    pools = [[i for part in parts for i in part] for parts in product(*ways)]
    means = np.array([y[list(s)].mean() for pool in pools for s in combinations(pool, 3)])
    pool_variance = np.mean([y[pool].var(ddof=1) for pool in pools])
    within = np.mean([y[groups == h].var(ddof=1) for h in range(3)])
    factor = two_phase_factor(
        np.array([3]), n=3, n_pool=6, n_frame=12, within_share=within / pool_variance
    )

    assert means.var() == pytest.approx(pool_variance * factor[0], abs=1e-12)


@pytest.mark.slow
def test_weights_within_groups_leave_to_chance_what_groups_explain() -> None:
    """Stratified subsets have each group's count right, and not its weight.

    Scores are alike within groups and weights are not, so the weighted mean is uncertain, though
    a regression on groups explains every score.
    """
    groups = np.repeat([0, 1], 8)
    y = np.where(groups == 0, 0.25, 0.75)
    weights = np.tile([0.25, 1.75], 8)
    ways = [list(combinations(np.flatnonzero(groups == h), 4)) for h in range(2)]
    results = []
    for parts in product(*ways):
        s = [i for part in parts for i in part]
        seen = seen_of(
            y[None, s],
            weights=weights[s],
            groups=groups[s],
            group_shares=np.array([0.5, 0.5]),
            n_pool=16,
            n_frame=16,
            balanced_on=("groups",),
        )
        spread = weighted_spread(seen.scores, seen.weights)
        share = shares_of(seen).own[0]
        results.append((spread.mean[0], share * spread.variance[0] * (1 / 8 - 1 / 16)))
    means, variances = np.array(results).T

    assert len(results) == 70**2
    assert means.mean() == pytest.approx(0.5, abs=1e-12)
    assert np.mean(variances) == pytest.approx(means.var(), rel=0.15)


# --- by hand -------------------------------------------------------------------------------------


def test_a_mean_by_hand() -> None:
    """Three of four right, of 8 items: s2 = 1/4; with four more items p = 5/8, floor 5/16."""
    result = Mean().infer(seen_of(np.array([[1.0, 0.0, 1.0, 1.0]]), n_pool=8, n_frame=8))

    assert result.estimate.tolist() == [0.75]
    assert result.se == pytest.approx([np.sqrt(5 / 16 * (1 / 4 - 1 / 8))], rel=1e-12)
    assert result.freedom.tolist() == [3.0]


def test_a_pair_by_hand() -> None:
    """Differences 1, 0, 0, 1; with two more items, 1 and -1, (2 + 2) / 6 - (2 / 6)^2."""
    scores = np.array([[1.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.0]])
    result = Mean().infer(seen_of(scores, n_pool=8, n_frame=8))
    variance = (4 / 6 - 1 / 9) * 4 / 3 * (1 / 4 - 1 / 8)

    assert result.pair_difference.tolist() == [[0.0, 0.5], [-0.5, 0.0]]
    assert result.pair_se[0, 1] == pytest.approx(np.sqrt(variance), rel=1e-12)
    assert result.pair_freedom.tolist() == [[3.0, 3.0], [3.0, 3.0]]


@pytest.mark.parametrize("with_groups", [False, True])
@given(data=st.data(), n=st.integers(3, 30))
def test_the_error_is_put_together_as_the_recipe_says(
    data: st.DataObject, n: int, *, with_groups: bool
) -> None:
    y, probes = data.draw(score_arrays(3, n, exact=True)), data.draw(score_arrays(2, n))
    groups = np.arange(n, dtype=np.int64) % 3
    seen = seen_of(
        y,
        probes=probes,
        groups=groups,
        group_shares=np.full(3, 1 / 3),
        n_pool=4 * n,
        n_frame=10 * n,
        balanced_on=("probes", "groups") if with_groups else ("probes",),
        pool_balanced_on=("groups",) if with_groups else (),
    )
    dummies = (groups[:, None] == np.arange(3)).astype(np.float64)
    x = np.column_stack([probes.T, dummies]) if with_groups and n >= 3 * 5 else probes.T
    spread = weighted_spread(y, np.ones(n))
    raised = floored_variance(spread, y, np.ones(n), like=nearest_probe(seen, spread.mean))
    q = own_and_common(y, x)
    w = within_shares(seen).own
    factor = (1 / n - 1 / (4 * n)) * q + (1 / (4 * n) - 1 / (10 * n)) * w

    assert with_groups or w.tolist() == [1.0, 1.0, 1.0]
    assert Mean().infer(seen).se == pytest.approx(np.sqrt(raised * factor), rel=1e-5, abs=1e-9)


@given(data=st.data(), n=st.integers(4, 20))
def test_pairs_take_their_shares_from_items_left_out(data: st.DataObject, n: int) -> None:
    """Each item in turn is left out of a regression of the difference on the probes."""
    y, probes = data.draw(score_arrays(2, n)), data.draw(score_arrays(2, n))
    seen = seen_of(y, probes=probes, balanced_on=("probes",))
    d = y[0] - y[1]
    assume(d.var() > 1e-12)
    penalty = ridge_penalty(probes - probes.mean(axis=1, keepdims=True))
    z = probes - probes.mean(axis=1, keepdims=True)
    hat = z.T @ np.linalg.solve(z @ z.T + penalty * np.eye(2), z) + 1 / n
    left_out = (d - hat @ d) / np.maximum(1 - np.diag(hat), 0.05)
    expected = min(1.0, (left_out**2).mean() / d.var(ddof=1))

    assert shares_of(seen).pairs[0, 1] == pytest.approx(expected, rel=1e-5, abs=1e-9)


def test_leaving_an_item_out_is_what_a_fit_without_it_says() -> None:
    """With no penalty, e / (1 - h) is the error of a fit that never saw the item."""
    rng = np.random.default_rng(3)
    y, x = rng.random((1, 12)), rng.random((12, 2))
    left_out = ridge_residuals(y, x, penalty=0.0).left_out[0]
    for i in range(12):
        rest = np.delete(np.arange(12), i)
        design = np.column_stack([np.ones(11), x[rest]])
        slopes = np.linalg.lstsq(design, y[0, rest], rcond=None)[0]

        assert left_out[i] == pytest.approx(y[0, i] - slopes @ [1, *x[i]], abs=1e-10)


def test_a_target_that_a_probe_foretells_is_left_little_to_chance() -> None:
    rng = np.random.default_rng(0)
    probe = rng.integers(0, 2, 200).astype(np.float64)
    noise = rng.integers(0, 2, 200).astype(np.float64)
    told, untold = (
        seen_of(y[None], probes=probe[None], n_pool=800, balanced_on=("probes",))
        for y in (probe, noise)
    )

    assert shares_of(told).own[0] < 0.01
    assert shares_of(untold).own[0] > 0.95
    assert Mean().infer(told).se[0] < Mean().infer(untold).se[0]


@given(data=st.data(), n=st.integers(3, 20))
def test_under_weights_contributions_are_regressed_on_contributions(
    data: st.DataObject, n: int
) -> None:
    y = data.draw(score_arrays(3, n, exact=True))
    probes, weights = data.draw(score_arrays(2, n, exact=True)), data.draw(weight_arrays(n))
    seen = seen_of(y, weights=weights, probes=probes, balanced_on=("probes",))

    def contributions(rows: FloatArray) -> FloatArray:
        share = weights / weights.mean()
        return np.array([share * (row - np.average(row, weights=weights)) for row in rows])

    expected = own_and_common(contributions(y), contributions(probes).T)

    assert shares_of(seen).own == pytest.approx(expected, abs=1e-6)


def test_what_was_not_balanced_explains_nothing() -> None:
    y = np.tile([0.0, 1.0], 20)[None]
    groups = np.tile([0, 1], 20)
    seen = seen_of(y, probes=y, groups=groups, group_shares=np.array([0.5, 0.5]))

    assert balanced_features(seen).shape == (40, 0)
    assert shares_of(seen).own.tolist() == [1.0]
    assert within_shares(seen).own.tolist() == [1.0]
    assert shares_of(seen).pairs.tolist() == within_shares(seen).pairs.tolist() == [[1.0]]


def test_probes_that_are_not_at_hand_explain_nothing() -> None:
    y = np.tile([0.0, 1.0], 20)[None]

    assert shares_of(seen_of(y, balanced_on=("probes",))).own.tolist() == [1.0]


@pytest.mark.parametrize(("n", "n_columns"), [(17, 2), (18, 6)])
def test_groups_get_columns_where_there_are_three_items_for_each(n: int, n_columns: int) -> None:
    """Five groups, one of them of less than 3 % of the frame, beside two probes."""
    seen = seen_of(
        np.zeros((1, n)),
        probes=np.random.default_rng(0).random((2, n)),
        groups=np.arange(n) % 5,
        group_shares=np.array([0.3, 0.029, 0.241, 0.03, 0.4]),
        balanced_on=("probes", "groups"),
    )
    features = balanced_features(seen)

    assert features.shape == (n, n_columns)
    assert features[:, 2:].T.tolist() == [
        [float(code == i % 5) for i in range(n)] for code in (0, 2, 3, 4)[: n_columns - 2]
    ]


def test_a_stratified_pool_counts_its_variance_within_groups_alone() -> None:
    y = np.repeat([0.0, 1.0], 20)[None].copy()
    y[0, [0, 39]] = 0.5
    groups = np.repeat([0, 1], 20)
    shares = np.array([0.5, 0.5])
    seen = seen_of(y, groups=groups, group_shares=shares, pool_balanced_on=("groups",))

    assert shares_of(seen).own.tolist() == [1.0]
    assert within_shares(seen).own == pytest.approx([within_share(y, groups)], rel=1e-12)
    assert within_shares(seen).own[0] < 0.1


def test_missing_scores_widen_the_interval_by_their_own_term() -> None:
    y = np.tile([0.0, 1.0], 10)[None]
    lacking = y.copy()
    lacking[0, :4] = np.nan
    seen = seen_of(lacking, n_pool=50, n_frame=100)
    spread = weighted_spread(lacking, np.ones(20))
    raised = floored_variance(spread, lacking, np.ones(20))
    result = Mean().infer(seen)

    assert result.se == pytest.approx(np.sqrt(raised * (1 / 16 - 1 / 100)), rel=1e-12)
    assert result.freedom.tolist() == [15.0]


def test_a_share_comes_from_the_items_that_the_target_itself_was_scored_on() -> None:
    rng = np.random.default_rng(0)
    y, probes = rng.random((3, 30)), rng.random((2, 30))
    lacking = y.copy()
    lacking[0, :3] = lacking[2, 28:] = np.nan
    penalty = 1.5

    def own(row: FloatArray) -> tuple[float, float, float]:
        there = ~np.isnan(row)
        fit = ridge_residuals(row[None, there], probes.T[there], penalty=penalty)
        return float(fit.variance[0]), float(row[there].var(ddof=1)), fit.freedom

    parts = [own(row) for row in lacking]
    common = sum(part[0] for part in parts) / sum(part[1] for part in parts)
    expected = [min(1.0, (f * left / all_ + 10 * common) / (f + 10)) for left, all_, f in parts]
    seen = seen_of(lacking, probes=probes, balanced_on=("probes",))

    assert residual_shares(seen, probes.T, penalty=penalty).own == pytest.approx(expected)


def test_a_target_without_a_share_of_its_own_takes_the_common_one() -> None:
    rng = np.random.default_rng(0)
    probe = rng.integers(0, 2, 40).astype(np.float64)
    y = np.stack([probe, np.ones(40), np.full(40, np.nan)])
    y[2, :2] = 1.0, 0.0
    shares = shares_of(seen_of(y, probes=probe[None], balanced_on=("probes",)))

    assert shares.own[0] < 0.2
    assert shares.own[1:] == pytest.approx([shares.own[0]] * 2)


def test_targets_that_share_no_item_leave_all_to_chance() -> None:
    y = np.array([[0.0, 1.0, np.nan, np.nan], [np.nan, np.nan, 1.0, 0.0]])
    shares = shares_of(seen_of(y, probes=np.eye(4), balanced_on=("probes",)))

    assert shares.own.tolist() == [1.0, 1.0]
    assert shares.pairs.tolist() == [[1.0, 1.0], [1.0, 1.0]]


def test_a_frame_of_one_item_that_was_scored_leaves_nothing_to_chance() -> None:
    result = Mean().infer(seen_of(np.array([[1.0], [0.0]]), n_pool=1, n_frame=1))

    assert result.se.tolist() == [0.0, 0.0]
    assert result.pair_se.tolist() == [[0.0, 0.0], [0.0, 0.0]]


@given(data=st.data(), n=st.integers(1, 12))
def test_weights_make_the_mean_a_weighted_one(data: st.DataObject, n: int) -> None:
    y, weights = data.draw(score_arrays(2, n)), data.draw(weight_arrays(n))
    result = Mean().infer(seen_of(y, weights=weights))

    assert result.estimate == pytest.approx(y @ weights / weights.sum(), abs=1e-12)


# --- coverage ------------------------------------------------------------------------------------

N_FRAME, N_PROBES, N_TARGETS = 1500, 8, 6


def made_benchmark(seed: int) -> ScoreMatrix:
    """Right-or-wrong scores of probes and targets that find the same items and groups hard."""
    rng = np.random.default_rng(seed)
    groups = rng.integers(0, 5, N_FRAME)
    difficulty = rng.normal(0, 1.5, N_FRAME) + np.linspace(-1, 1, 5)[groups]
    ability = rng.normal(0.5, 1.0, N_PROBES + N_TARGETS)
    chance = 1 / (1 + np.exp(difficulty - ability[:, None]))
    frame = Frame.of(
        [f"{item:04d}" for item in range(N_FRAME)], groups=[f"g{code}" for code in groups]
    )
    models = tuple(f"{'probe' if j < N_PROBES else 'target'}{j}" for j in range(len(ability)))
    values = (rng.random(chance.shape) < chance).astype(np.float64)
    return ScoreMatrix(frame, models, values, bounds=(0.0, 1.0))


def srs_from_the_frame(scores: ScoreMatrix, level: float, seed: int) -> Estimates:
    targets = scores.take_models(scores.models[N_PROBES:])
    subset = select(scores.frame, 100, design=SimpleRandom(), seed=seed)
    return estimate(targets, subset, level=level)


def from_a_pool(first: Design, design: Design) -> Callable[[ScoreMatrix, float, int], Estimates]:
    def run(scores: ScoreMatrix, level: float, seed: int) -> Estimates:
        probes = scores.take_models(scores.models[:N_PROBES])
        targets = scores.take_models(scores.models[N_PROBES:])
        pool = draw_pool(scores.frame, 100, design=first, seed=seed)
        subset = select(probes, 100, pool=pool, design=design, seed=seed)
        return estimate(targets, subset, probes=probes, level=level)

    return run


STRATEGIES = {
    "random": srs_from_the_frame,
    "stratified": from_a_pool(Stratified(), Stratified()),
    "best": from_a_pool(SimpleRandom(), BestRand(n_candidates=200)),
    "best of a stratified pool": from_a_pool(Stratified(), BestRand(n_candidates=200)),
}


@pytest.mark.slow
@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_intervals_cover_as_often_as_they_say(strategy: str, level: float) -> None:
    """One target and one pair of each draw are looked at, so that draws count independently."""
    scores = made_benchmark(7)
    full = scores.full_scores()[N_PROBES:]
    n_draws, covered, covered_pairs = 1000, 0, 0
    for draw in range(n_draws):
        result = STRATEGIES[strategy](scores, level, draw)
        one, other = draw % N_TARGETS, (draw + 1 + draw // N_TARGETS % 5) % N_TARGETS
        covered += int(result.low[one] <= full[one] <= result.high[one])
        error = result.pair_difference[one, other] - (full[one] - full[other])
        covered_pairs += int(abs(error) <= result.pair_half_width[one, other])
    least, most = binom.ppf(1e-5, n_draws, level), binom.isf(1e-5, n_draws, level)

    assert least <= covered <= most
    assert least <= covered_pairs <= most


@pytest.mark.slow
def test_balanced_subsets_have_narrower_intervals() -> None:
    scores = made_benchmark(7)
    widths = {
        name: np.mean([STRATEGIES[name](scores, 0.95, seed).se.mean() for seed in range(40)])
        for name in ("random", "stratified", "best")
    }

    assert widths["best"] < widths["stratified"] < widths["random"]


def test_the_interval_is_students() -> None:
    result = srs_from_the_frame(made_benchmark(7), 0.9, 0)
    quantile = student.ppf(0.95, 99)

    assert result.high - result.estimate == pytest.approx(quantile * result.se, rel=1e-9)
    assert result.estimate - result.low == pytest.approx(quantile * result.se, rel=1e-9)


@pytest.mark.parametrize("score", [0.0, 0.1, 1.0])
def test_a_probe_that_is_flat_explains_nothing_whatever_its_score(score: float) -> None:
    rng = np.random.default_rng(2)
    frame = Frame.of([f"q{i:02}" for i in range(30)], weights=[1.0] * 29 + [7.0])
    targets = ScoreMatrix(frame, ("t",), np.round(rng.random((1, 30))), bounds=(0, 1))
    probes = ScoreMatrix(frame, ("p",), np.full((1, 30), score), bounds=(0, 1))
    halves = []
    for matrix in (probes, replace(probes, values=np.zeros((1, 30)))):
        subset = select(matrix, 12, design=BestRand(n_candidates=3), seed=1)
        halves.append(estimate(targets, subset, probes=matrix).half_width[0])

    assert halves[0] == halves[1]

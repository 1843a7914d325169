"""Errors of Hájek, Horvitz-Thompson and post-stratification where items were drawn within groups.

Textbook values are those of two survey packages, called as the comments beside them say.
"""

from itertools import combinations, product

import numpy as np
import pytest

import bestrand as br
from bestrand.estimators.inverse_probability import Hajek, HorvitzThompson
from bestrand.estimators.post_stratified import PostStratified
from bestrand.stats.stratified import Sample, SampleErrors, sample_errors


GROUPS = np.array([0] * 4 + [1] * 3 + [2] * 5)
SIZES = np.array([20.0, 6.0, 40.0])
FIXED = np.zeros(3)
Y = np.array(
    [
        [1, 0, 1, 1, 0, 0, 1, 0.5, 0.25, 1, 0, 0.75],
        [1, 0, 0, 1, 0, 1, 1, 0.5, 0.5, 0.5, 0, 1],
    ]
)
WEIGHTS = (SIZES / np.array([4, 3, 5]))[GROUPS]
ITEM_WEIGHTS = np.array([1, 2, 1, 3, 1, 1, 2, 1, 1, 4, 2, 1.0])
ALL_THREE = (Hajek(), HorvitzThompson(), PostStratified())


def textbook(weights: np.ndarray) -> tuple[np.ndarray, SampleErrors]:
    share = weights / weights.sum()
    mean = Y @ share
    return mean, sample_errors(
        Sample(Y, share, GROUPS, SIZES, FIXED), mean, prior=0.0, raised=False
    )


def test_without_prior_and_floor_the_errors_are_those_of_two_survey_packages() -> None:
    """Values of samplics 0.6.1 and svy 0.35.0, which agree in all digits but the last.

    samplics: `TaylorEstimator(PopParam.mean)`, `.estimate(y=y, samp_weight=w, stratum=group,
    fpc={g: 1 - n_g / N_g})`. svy: `Sample(frame, Design(stratum="group", wgt="w", pop_size="N"))
    .estimation.mean("y")`. w = N_g / n_g, in the second case times the items' weights.
    """
    mean, found = textbook(WEIGHTS)

    assert mean[0] == pytest.approx(0.5606060606060606, rel=1e-12)
    assert np.sqrt(found.variance[0]) == pytest.approx(0.12285814197141556, rel=1e-12)
    assert np.sqrt(found.pair_variance[0, 1]) == pytest.approx(0.10524578779886216, rel=1e-12)

    mean, found = textbook(WEIGHTS * ITEM_WEIGHTS)

    assert mean[0] == pytest.approx(0.6347826086956522, rel=1e-12)
    assert np.sqrt(found.variance[0]) == pytest.approx(0.16450992478680845, rel=1e-12)
    assert np.sqrt(found.pair_variance[0, 1]) == pytest.approx(0.12478618689579671, rel=1e-12)


def grouped(sizes: dict[str, int], values: np.ndarray, weighting: str = "micro") -> br.ScoreMatrix:
    groups = [name for name, size in sizes.items() for _ in range(size)]
    items = [f"q{i:04d}" for i in range(len(groups))]
    frame = br.Frame.of(items, groups=groups, weighting=weighting)  # type: ignore[arg-type]
    models = tuple(f"m{k}" for k in range(len(values)))
    return br.ScoreMatrix(frame, models, values, bounds=(0.0, 1.0))


def test_through_the_front_door_the_errors_are_close_to_the_packages() -> None:
    """Drawn towards each other by three items' worth, and no floor is touched."""
    rng = np.random.default_rng(3)
    sizes = {"a": 200, "b": 60, "c": 400}
    chance = np.repeat([0.8, 0.5, 0.3], list(sizes.values()))
    matrix = grouped(sizes, (rng.random((2, 660)) < chance).astype(np.float64))
    subset = br.select(matrix.frame, 90, design=br.Stratified("equal"), seed=0)
    seen = matrix.take_items(subset.items)
    codes = np.array([sorted(sizes).index(group) for group in subset.item_groups or ()])
    within = np.array([seen.values[:, codes == k].var(axis=1, ddof=1) for k in range(3)])
    counts, n_h = np.bincount(codes), np.array([200.0, 60.0, 400.0])
    exact = np.sqrt(((n_h / 660) ** 2 * (1 / counts - 1 / n_h)) @ within)
    for how in ALL_THREE:
        result = br.estimate(seen, subset, estimator=how)

        assert counts.tolist() == [30, 30, 30]
        assert result.se == pytest.approx(exact, rel=0.03)


@pytest.mark.slow
@pytest.mark.parametrize("allocation", ["equal", "proportional"])
@pytest.mark.parametrize("weights", ["micro", "macro"])
def test_intervals_of_stratified_draws_cover(allocation: str, weights: str) -> None:
    """Twelve groups of very different means: an error that ignores them is twice too large."""
    rng = np.random.default_rng(5)
    sizes = {f"g{k:02d}": 20 + 15 * k for k in range(12)}
    ease = np.repeat(rng.permutation(np.linspace(0.05, 0.95, 12)), list(sizes.values()))
    skill = rng.uniform(-0.3, 0.3, size=(6, 1))
    chance = np.clip(ease + skill * ease * (1 - ease) * 4, 0, 1)
    matrix = grouped(sizes, (rng.random(chance.shape) < chance).astype(np.float64), weights)
    truth = matrix.full_scores()
    for how in (Hajek(), HorvitzThompson()):
        errors, ses, held, pairs = [], [], [], []
        for seed in range(150):
            design = br.Stratified(allocation)  # type: ignore[arg-type]
            subset = br.select(matrix.frame, 121, design=design, seed=seed)
            result = br.estimate(matrix, subset, estimator=how)
            errors.append(result.estimate - truth)
            ses.append(result.se)
            held.append((result.low <= truth) & (truth <= result.high))
            off = np.abs(result.pair_difference - (truth[:, None] - truth))
            pairs.append((off <= result.pair_half_width)[np.triu_indices(6, 1)])
        ratio = np.mean(ses, axis=0) / np.std(errors, axis=0)

        assert 0.93 < np.mean(held) < 0.975
        assert 0.93 < np.mean(pairs) < 0.98
        assert 0.92 < ratio.mean() < 1.15


def test_a_group_of_one_item_or_a_flat_one_does_not_vanish() -> None:
    values = np.array([[1, 0, 1, 0, 1, 0, 1, 1, 1, 1, 1, 0.0]])
    groups = np.array([0] * 6 + [1] * 5 + [2])  # mixed, flat, and a single item
    sizes = np.array([60.0, 60.0, 60.0])
    share = (sizes / np.bincount(groups))[groups] / 180
    seen = Sample(values, share, groups, sizes, FIXED)
    found = sample_errors(seen, values @ share)
    ss = np.array([1.5, 0.0, 0.0])
    about = share * 12 @ (values[0] - values[0] @ share) ** 2 / 11
    pooled = (ss.sum() + about) / (12 - 3 + 1)
    n = np.array([6, 5, 1])
    each = (1 / 3) ** 2 * (1 / n - 1 / 60) * (ss + 3 * pooled) / (n + 2)

    assert found.variance[0] == pytest.approx(each.sum(), rel=1e-12)
    assert found.freedom[0] == pytest.approx(each.sum() ** 2 / (each**2 / (n + 2)).sum())
    assert each[2] > each[0] > each[1] > 0


def test_a_model_that_is_right_everywhere_is_not_certain() -> None:
    """As sure as two wrong items of n + 4 make it."""
    sizes = {"a": 100, "b": 100, "c": 100}
    ones = grouped(sizes, np.ones((1, 300)))
    subset = br.select(ones.frame, 60, design=br.Stratified("equal"), seed=0)
    p = 62 / 64
    expected = np.sqrt(p * (1 - p) * (1 / 60 - 1 / 300))
    for how in ALL_THREE:
        result = br.estimate(ones, subset, estimator=how)

        assert result.estimate[0] == pytest.approx(1.0)
        assert result.se[0] == pytest.approx(expected, rel=1e-9)


def test_one_blemish_makes_no_interval_much_narrower() -> None:
    """A graded score of .9 among right ones: nearly the interval of a model that is all right."""
    sizes = {"a": 100, "b": 100, "c": 100}
    values = np.ones((3, 300))
    subset = br.select(grouped(sizes, values).frame, 60, design=br.Stratified("equal"), seed=0)
    chosen = [int(item[1:]) for item in subset.items]
    values[1, chosen[5]] = 0.9
    values[2, chosen[:20]] = 0.9  # more than a quarter: its own stretch
    for how in ALL_THREE:
        result = br.estimate(grouped(sizes, values), subset, estimator=how)

        assert result.se[1] == pytest.approx(result.se[0], rel=0.05)
        assert result.se[2] < 0.5 * result.se[0]
        assert result.pair_half_width[0, 1] > 0.9 * result.half_width[0]


def test_a_blemish_is_judged_by_the_probe_that_is_like_it() -> None:
    """A probe of the same mean ran on more items, and shows how far such scores spread."""
    rng = np.random.default_rng(4)
    values = np.where(rng.random((6, 300)) < 0.05, 0.9, 1.0)
    matrix = grouped({"a": 100, "b": 100, "c": 100}, values)
    subset = br.select(matrix.frame, 60, design=br.Stratified("equal"), seed=0)
    targets, probes = matrix.take_models(["m5"]), matrix.take_models(matrix.models[:5])
    for how in (Hajek(), HorvitzThompson(), PostStratified()):
        alone = br.estimate(targets, subset, estimator=how)
        beside = br.estimate(targets, subset, probes=probes, estimator=how)

        assert beside.se[0] < 0.3 * alone.se[0]


@pytest.mark.slow
def test_items_that_speak_for_absent_groups_give_few_degrees_of_freedom() -> None:
    """Equal allocation of 20 items over 30 groups, of which three hold most of the frame."""
    sizes = {f"g{k:02d}": 100 if k < 3 else 4 for k in range(30)}
    rng = np.random.default_rng(11)
    ease = np.repeat(np.clip(0.5 + rng.normal(0, 0.25, 30), 0.05, 0.95), list(sizes.values()))
    matrix = grouped(sizes, (rng.random((8, ease.size)) < ease).astype(np.float64))
    truth = matrix.full_scores()
    held: dict[str, list[np.ndarray]] = {how.name: [] for how in ALL_THREE}
    for seed in range(200):
        subset = br.select(matrix.frame, 20, design=br.Stratified("equal"), seed=seed)
        for how in ALL_THREE:
            result = br.estimate(matrix, subset, estimator=how)
            held[how.name].append((result.low <= truth) & (truth <= result.high))

    assert {name: bool(np.mean(held[name]) > 0.86) for name in held} == dict.fromkeys(held, True)


def test_the_floor_is_a_models_own() -> None:
    rng = np.random.default_rng(2)
    sizes = {"a": 100, "b": 100}
    right = np.ones((1, 200))
    crowd = np.vstack([right, rng.choice([0.0, 0.1], size=(5, 200))])
    alone, beside = grouped(sizes, right), grouped(sizes, crowd)
    subset = br.select(alone.frame, 30, design=br.Stratified("equal"), seed=1)
    for how in ALL_THREE:
        one = br.estimate(alone, subset, estimator=how)
        many = br.estimate(beside, subset, estimator=how)

        assert one.se[0] == pytest.approx(many.se[0], rel=1e-12)


def test_two_models_that_agree_on_every_item_may_still_differ() -> None:
    sizes = {"a": 100, "b": 100}
    values = np.tile((np.arange(200) % 3 > 0).astype(np.float64), (2, 1))
    matrix = grouped(sizes, values)
    subset = br.select(matrix.frame, 50, design=br.Stratified("equal"), seed=0)
    for how in ALL_THREE:
        result = br.estimate(matrix, subset, estimator=how)

        assert result.pair_difference[0, 1] == pytest.approx(0.0)
        assert 0.03 < result.pair_half_width[0, 1] < 0.06


def test_a_wholly_drawn_frame_leaves_no_error_and_a_wholly_drawn_group_adds_none() -> None:
    rng = np.random.default_rng(4)
    matrix = grouped({"a": 10, "b": 90}, rng.integers(0, 2, (2, 100)).astype(np.float64))
    whole = br.select(matrix.frame, 100, design=br.Stratified("equal"), seed=0)
    part = br.select(matrix.frame, 30, design=br.Stratified("equal"), seed=0)
    changed = matrix.values.copy()
    first = [i for i in range(10) if matrix.frame.items[i] in part.items]
    changed[:, first] = 1 - changed[:, first]
    other = br.ScoreMatrix(matrix.frame, matrix.models, changed, bounds=(0.0, 1.0))
    for how in ALL_THREE:
        assert br.estimate(matrix, whole, estimator=how).se.tolist() == [0.0, 0.0]
        assert len(first) == 10
        one, two = (br.estimate(m, part, estimator=how).se for m in (matrix, other))
        assert one == pytest.approx(two, rel=0.1)


def test_the_unit_of_the_scores_changes_nothing() -> None:
    rng = np.random.default_rng(6)
    sizes = {"a": 40, "b": 80, "c": 120}
    small = grouped(sizes, rng.random((3, 240)) * 0.1)
    large = br.ScoreMatrix(small.frame, small.models, small.values * 500 + 7)
    plain = br.ScoreMatrix(small.frame, small.models, small.values)
    subset = br.select(small.frame, 60, design=br.Stratified("equal"), seed=0)
    for how in ALL_THREE:
        one, two = (br.estimate(m, subset, estimator=how) for m in (plain, large))
        if how.name != "HorvitzThompson":  # its error depends on where 0 lies
            assert two.estimate == pytest.approx(one.estimate * 500 + 7, rel=1e-9)
        assert two.se == pytest.approx(one.se * 500, rel=1e-6)
        assert two.pair_se == pytest.approx(one.pair_se * 500, rel=1e-6)


def test_one_item_a_group_has_the_variance_about_the_estimate() -> None:
    rng = np.random.default_rng(7)
    sizes = {f"g{k:02d}": 10 for k in range(20)}
    matrix = grouped(sizes, (rng.random((4, 200)) < 0.6).astype(np.float64))
    subset = br.select(matrix.frame, 20, design=br.Stratified("equal"), seed=0)
    for how in ALL_THREE:
        result = br.estimate(matrix, subset, estimator=how)

        p = result.estimate
        simple = np.sqrt(p * (1 - p) * 20 / 19 * (1 / 20 - 1 / 200))

        assert (result.se > 0.85 * simple).all()
        assert (result.se < 1.15 * simple).all()


def test_a_single_item_cannot_tell_its_spread() -> None:
    matrix = grouped({"a": 5, "b": 5}, np.ones((1, 10)))
    subset = br.select(matrix.frame, 1, design=br.Stratified("equal"), seed=0)

    assert np.isnan(br.estimate(matrix, subset, estimator=Hajek()).se).all()


def test_the_textbook_variance_is_unbiased_over_all_stratified_subsets() -> None:
    rng = np.random.default_rng(8)
    y = rng.random((2, 9))
    codes, sizes = np.array([0] * 4 + [1] * 5), np.array([4.0, 5.0])
    means, variances, pairs = [], [], []
    for one, two in product(combinations(range(4), 2), combinations(range(4, 9), 3)):
        chosen = [*one, *two]
        share = (sizes / np.array([2, 3]))[codes[chosen]] / 9
        mean = y[:, chosen] @ share
        seen = Sample(y[:, chosen], share, codes[chosen], sizes, np.zeros(2))
        found = sample_errors(seen, mean, prior=0.0, raised=False)
        means.append(mean)
        variances.append(found.variance)
        pairs.append(found.pair_variance[0, 1])

    assert np.mean(means, axis=0) == pytest.approx(y.mean(axis=1), abs=1e-12)
    assert np.mean(variances, axis=0) == pytest.approx(np.var(means, axis=0), abs=1e-12)
    assert np.mean(pairs) == pytest.approx(np.var([m[0] - m[1] for m in means]), abs=1e-12)


@pytest.mark.parametrize("weights", ["micro", "macro"])
def test_groups_without_an_item_widen_the_interval(weights: str) -> None:
    """Thirty groups and sixty items: four groups or so have none, and groups differ widely."""
    rng = np.random.default_rng(9)
    ease = np.repeat(rng.permutation(np.linspace(0.1, 0.9, 30)), 25)
    values = np.clip(ease + rng.normal(0, 0.1, (3, 750)), 0, 1)
    matrix = grouped({f"g{k:02d}": 25 for k in range(30)}, values, weights)
    truth, held, pairs = matrix.full_scores(), [], []
    for seed in range(150):
        subset = br.select(matrix.frame, 60, design=br.SimpleRandom(), seed=seed)
        result = br.estimate(matrix, subset, estimator=PostStratified())
        held.append((result.low <= truth) & (truth <= result.high))
        off = np.abs(result.pair_difference - (truth[:, None] - truth))
        pairs.append((off <= result.pair_half_width)[np.triu_indices(3, 1)])

    assert 0.92 < np.mean(held) < 0.99
    assert 0.92 < np.mean(pairs) < 0.99


def test_one_group_of_several_tells_no_error() -> None:
    matrix = grouped({"a": 10, "b": 10}, np.tile(np.arange(20) % 2, (1, 1)).astype(np.float64))
    subset = br.adopt(matrix.frame.items[:5], frame=matrix.frame, inclusion="random")
    result = br.estimate(matrix, subset, estimator=PostStratified())

    assert np.isfinite(result.estimate).all()
    assert np.isnan(result.se).all()

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import approx_fprime, minimize
from scipy.special import expit, ndtri

from bestrand.rng import Stream
from bestrand.stats.irt import (
    TARGET_SPREAD,
    IrtModel,
    PenalisedLikelihood,
    fit_ability,
    fit_irt,
    probability,
)
from bestrand.stats.irt_scores import (
    binarise,
    choose_dimensions,
    fit_sources,
    is_right,
    thresholds,
)
from bestrand.types import FloatArray
from tests.strategies import BINARY, group_codes, score_arrays


def made(n_models: int, n_items: int, n_dimensions: int, seed: int = 0) -> IrtModel:
    """A model with a general ability, on which all dimensions count upwards."""
    rng = np.random.default_rng(seed)
    return IrtModel(
        discrimination=rng.gamma(4.0, 0.25, (n_items, n_dimensions)),
        difficulty=rng.normal(0.0, 1.2, n_items),
        ability=rng.normal(size=(n_models, n_dimensions)),
    )


def drawn(truth: IrtModel, seed: int = 1) -> FloatArray:
    """Responses of 0 and 1 that the model brings about; (L, N)."""
    chances = probability(truth, truth.ability)
    return (np.random.default_rng(seed).random(chances.shape) < chances).astype(np.float64)


def logits(model: IrtModel) -> FloatArray:
    return np.asarray(model.ability @ model.discrimination.T - model.difficulty)


# --- the fit -------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_dimensions", [1, 2, 3])
def test_the_chances_are_found_again(n_dimensions: int) -> None:
    truth = made(200, 800, n_dimensions)
    model = fit_irt(drawn(truth), n_dimensions)
    found, true = probability(model, model.ability), probability(truth, truth.ability)

    assert np.corrcoef(found.ravel(), true.ravel())[0, 1] > 0.97
    assert np.abs(found.mean(axis=1) - true.mean(axis=1)).max() < 0.06


def test_the_parameters_are_found_again_up_to_a_turn_of_the_axes() -> None:
    truth = made(300, 1000, 2)
    model = fit_irt(drawn(truth), 2)
    for found, true in (
        (model.ability, truth.ability),
        (model.discrimination, truth.discrimination),
    ):
        turn = np.linalg.lstsq(found, true)[0]

        assert np.corrcoef((found @ turn).ravel(), true.ravel())[0, 1] > 0.9
    assert np.corrcoef(model.difficulty, truth.difficulty)[0, 1] > 0.97


def one_dimensional() -> FloatArray:
    """Responses of 400 models to 30 items, the same on every machine."""
    n_models, n_items = 400, 30
    theta = ndtri((np.arange(n_models) + 0.5) / n_models)
    a = 0.6 + 1.4 * (np.arange(n_items) * 7 % n_items) / n_items
    place = ndtri((np.arange(n_items) + 0.5) / n_items)
    chance = Stream.of(11, "responses").words(0, n_models * n_items).reshape(n_models, n_items)
    return (chance / 2**32 < expit(a * (theta[:, None] - place))).astype(np.float64)


def test_one_dimension_agrees_with_another_package() -> None:
    """Marginal maximum likelihood of girth 0.8.0, 2026-11-29.

    girth.twopl_mml(one_dimensional().T.astype(int)): "Discrimination", and that times "Difficulty".
    With 30 items joint likelihood makes discriminations about a tenth larger, as it is known to.
    """
    a = np.ravel(
        [
            [0.453, 0.938, 0.932, 1.504, 2.120, 0.712, 1.012, 1.285, 1.966, 0.726],
            [1.277, 1.587, 1.728, 0.609, 1.034, 1.142, 1.524, 2.195, 0.858, 1.322],
            [1.509, 1.722, 0.790, 0.990, 1.323, 1.878, 0.692, 0.920, 1.371, 1.144],
        ]
    )
    b = np.ravel(
        [
            [-1.262, -1.418, -1.619, -1.982, -2.116, -0.812, -0.555, -0.990, -1.113, -0.395],
            [-0.304, -0.603, -0.459, -0.174, -0.049, 0.139, 0.100, 0.510, 0.221, 0.583],
            [0.648, 1.050, 0.666, 0.640, 1.348, 2.126, 0.808, 1.378, 1.965, 2.980],
        ]
    )
    model = fit_irt(one_dimensional(), 1)
    abilities = np.linspace(-2, 2, 9)[:, None]
    gaps = probability(model, abilities) - expit(abilities * a - b)

    assert np.corrcoef(model.discrimination[:, 0], a)[0, 1] > 0.99
    assert np.corrcoef(model.difficulty, b)[0, 1] > 0.999
    assert np.abs(gaps).mean() < 0.025
    assert np.abs(gaps).max() < 0.08


@settings(max_examples=30)
@given(data=st.data(), n_dimensions=st.integers(1, 3))
def test_the_gradient_is_that_of_the_function(data: st.DataObject, n_dimensions: int) -> None:
    n_models, n_kinds = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 5))
    responses = data.draw(score_arrays(n_models, n_kinds))
    counts = np.array(data.draw(st.lists(st.integers(1, 9), min_size=n_kinds, max_size=n_kinds)))
    objective = PenalisedLikelihood(responses, counts, n_dimensions)
    size = (n_models + n_kinds) * n_dimensions + n_kinds
    at = np.random.default_rng(data.draw(st.integers(0, 99))).normal(size=size)

    def value(vector: FloatArray) -> float:
        return objective(vector)[0]

    numeric = approx_fprime(at, value, 1e-7)

    assert objective(at)[1] == pytest.approx(numeric, abs=1e-4, rel=1e-4)


def test_items_that_come_several_times_count_several_times() -> None:
    """The function of columns and their counts is that of all columns, at the same parameters."""
    rng = np.random.default_rng(3)
    kinds = (rng.random((6, 4)) < 0.5).astype(np.float64)
    counts = np.array([3, 1, 2, 5])
    theta, a, b = rng.normal(size=(6, 2)), rng.normal(size=(4, 2)), rng.normal(size=4)
    short = PenalisedLikelihood(kinds, counts, 2)
    of_item = np.repeat(np.arange(4), counts)
    long = PenalisedLikelihood(kinds[:, of_item], np.ones(11, dtype=np.int64), 2)

    assert short(short.packed(theta, a, b))[0] == pytest.approx(
        long(long.packed(theta, a[of_item], b[of_item]))[0], rel=1e-12
    )


def test_the_fit_is_a_minimum() -> None:
    """No small change of any parameter makes the function smaller."""
    responses = drawn(made(12, 30, 2))
    kinds = np.unique(responses, axis=1)
    model = fit_irt(kinds, 1)
    objective = PenalisedLikelihood(kinds, np.ones(kinds.shape[1], dtype=np.int64), 1)
    found = minimize(
        objective,
        objective.packed(model.ability, model.discrimination, model.difficulty),
        jac=True,
        method="BFGS",
        options={"gtol": 1e-7},
    )
    theta, a, b = objective.unpacked(found.x)

    assert np.abs(expit(theta @ a.T - b) - probability(model, model.ability)).max() < 2e-3


def test_axes_stand_as_they_are_said_to() -> None:
    model = fit_irt(drawn(made(40, 200, 3)), 3)
    squares = (model.discrimination**2).sum(axis=0)
    products = model.discrimination.T @ model.discrimination
    first, second = logits(model).T[:2]
    places = np.column_stack([model.discrimination, model.difficulty])

    assert model.ability.mean(axis=0) == pytest.approx(np.zeros(3), abs=1e-9)
    assert model.ability.T @ model.ability / 40 == pytest.approx(np.eye(3), abs=1e-9)
    assert products == pytest.approx(np.diag(squares), abs=1e-9 * squares.max())
    assert (np.diff(squares) <= 0).all()
    assert (model.discrimination.sum(axis=0) >= 0).all()
    assert ((places[0] - places[1]) ** 2).sum() == pytest.approx(((first - second) ** 2).mean())


def test_the_same_responses_give_the_same_model_to_the_last_bit() -> None:
    responses = drawn(made(20, 100, 2))
    first, again = fit_irt(responses, 2), fit_irt(responses.copy(), 2)

    assert first.discrimination.tobytes() == again.discrimination.tobytes()
    assert first.difficulty.tobytes() == again.difficulty.tobytes()
    assert first.ability.tobytes() == again.ability.tobytes()


def test_items_of_equal_responses_have_equal_parameters_to_the_last_bit() -> None:
    responses = np.tile(drawn(made(8, 20, 1)), (1, 3))
    model = fit_irt(responses, 2)

    assert np.array_equal(model.discrimination[:20], model.discrimination[20:40])
    assert np.array_equal(model.difficulty[:20], model.difficulty[40:])


@settings(max_examples=15)
@given(data=st.data(), n_dimensions=st.integers(1, 5))
def test_any_responses_have_a_fit(data: st.DataObject, n_dimensions: int) -> None:
    """A single model, a single item, all right, all wrong: the priors hold it."""
    n_models, n_items = data.draw(st.integers(1, 5)), data.draw(st.integers(1, 12))
    model = fit_irt(data.draw(score_arrays(n_models, n_items)), n_dimensions)
    chances = probability(model, model.ability)

    assert model.discrimination.shape == (n_items, n_dimensions)
    assert model.ability.shape == (n_models, n_dimensions)
    assert np.isfinite(chances).all()
    assert ((chances > 1e-6) & (chances < 1 - 1e-6)).all()


def test_harder_items_are_more_difficult_and_better_models_abler() -> None:
    responses = np.tril(np.ones((6, 6)), -1)  # model k gets the first k items right
    model = fit_irt(responses, 1)

    assert (np.diff(model.difficulty) > 0).all()
    assert (np.diff(model.ability[:, 0]) > 0).all()


# --- abilities of further models -----------------------------------------------------------------


def test_abilities_of_further_models_are_found_from_some_items() -> None:
    truth = made(150, 600, 2)
    model = fit_irt(drawn(truth), 2)
    fresh = IrtModel(truth.discrimination, truth.difficulty, made(40, 1, 2, seed=5).ability)
    columns = np.arange(0, 600, 2)
    responses = drawn(fresh, seed=6)[:, columns]
    goal = probability(fresh, fresh.ability).mean(axis=1)

    def error(items: IrtModel) -> float:
        means = probability(items, fit_ability(items, responses, columns)).mean(axis=1)
        return float(np.abs(means - goal).mean())

    assert error(model) < 1.1 * error(truth)  # as good as with the true parameters
    assert error(model) < np.abs(responses.mean(axis=1) - goal).mean()


@pytest.mark.parametrize("right", [0.0, 1.0])
def test_all_right_and_all_wrong_leave_the_ability_finite(right: float) -> None:
    model = fit_irt(drawn(made(30, 100, 2)), 2)
    ability = fit_ability(model, np.full((1, 100), right), np.arange(100))

    assert np.isfinite(ability).all()
    assert abs(probability(model, ability).mean() - right) < 0.2


def test_the_ability_is_the_minimum_that_another_search_finds() -> None:
    model = made(1, 40, 3)
    responses = drawn(made(5, 40, 3, seed=2))

    def penalised(theta: FloatArray, y: FloatArray) -> float:
        z = model.discrimination @ theta - model.difficulty
        prior = (theta**2).sum() / (2 * TARGET_SPREAD**2)
        return float((np.logaddexp(0, z) - y * z).sum() + prior)

    found = fit_ability(model, responses, np.arange(40))
    for y, ability in zip(responses, found, strict=True):
        other = minimize(penalised, np.zeros(3), args=(y,), method="BFGS", options={"gtol": 1e-7})

        assert ability == pytest.approx(other.x, abs=1e-4)


def test_each_ability_is_found_by_itself() -> None:
    model, responses = made(1, 30, 2), drawn(made(6, 30, 2, seed=4))
    columns = np.arange(30)
    alone = [fit_ability(model, row[None], columns)[0] for row in responses]

    assert fit_ability(model, responses, columns) == pytest.approx(np.array(alone), abs=1e-9)


# --- right or wrong ------------------------------------------------------------------------------


@given(data=st.data(), n_models=st.integers(1, 4), n_items=st.integers(1, 12))
def test_right_and_wrong_stay_as_they_are(data: st.DataObject, n_models: int, n_items: int) -> None:
    elements = st.lists(BINARY, min_size=n_models * n_items, max_size=n_models * n_items)
    scores = np.array(data.draw(elements)).reshape(n_models, n_items)

    assert np.array_equal(binarise(scores), scores)
    assert np.array_equal(binarise(scores, data.draw(group_codes(n_items))), scores)
    assert (thresholds(scores) == 0.5).all()


@settings(max_examples=25)
@given(data=st.data(), n_models=st.integers(1, 4), n_items=st.integers(1, 12))
def test_no_other_threshold_keeps_the_means_better(
    data: st.DataObject, n_models: int, n_items: int
) -> None:
    scores = data.draw(score_arrays(n_models, n_items))
    groups = data.draw(group_codes(n_items))
    cuts = thresholds(scores, groups)
    for code in np.unique(groups):
        part = scores[:, groups == code]
        gaps = [
            np.abs(is_right(part, percent / 100).mean(axis=1) - part.mean(axis=1)).mean()
            for percent in range(1, 100)
        ]
        own = np.abs(is_right(part, cuts[groups == code]).mean(axis=1) - part.mean(axis=1)).mean()

        assert np.unique(cuts[groups == code]).size == 1
        assert own <= min(gaps) + 1e-9


def test_each_group_has_its_own_threshold() -> None:
    scores = np.array([[0.2, 0.4, 0.8, 0.9], [0.1, 0.5, 0.7, 1.0]])
    cuts = thresholds(scores, np.array([0, 0, 1, 1]))

    assert cuts[0] == cuts[1] < cuts[2] == cuts[3]


def test_a_score_at_its_threshold_is_wrong_however_it_is_rounded() -> None:
    assert is_right(np.array([0.1 + 0.2, 0.3, 0.31]), 0.3).tolist() == [0.0, 0.0, 1.0]


# --- the fit that is shared ----------------------------------------------------------------------


def test_dimensions_are_chosen_by_what_they_predict() -> None:
    one = choose_dimensions(drawn(made(60, 300, 1)))

    assert one.n == 2
    assert 0 < one.error < 0.05


@pytest.mark.parametrize("n_models", [2, 3, 6])
def test_dimensions_are_chosen_of_few_models_too(n_models: int) -> None:
    chosen = choose_dimensions(drawn(made(n_models, 60, 1)))

    assert chosen.n in (2, 5)
    assert 0 <= chosen.error <= 1


@pytest.mark.parametrize("shape", [(1, 20), (5, 1), (1, 1)])
def test_without_anything_to_leave_out_the_error_is_the_largest(shape: tuple[int, int]) -> None:
    assert choose_dimensions(np.ones(shape)) == (2, 1.0)


def test_the_order_of_models_is_nothing_to_the_last_bit() -> None:
    scores = np.random.default_rng(0).random((4, 30))
    plain = fit_sources(scores)
    for order in list(permutations(range(4)))[1:6]:
        again = fit_sources(scores[list(order)])

        assert again is plain  # remembered
    assert not plain.model.discrimination.flags.writeable


def test_other_scores_are_not_taken_for_those_remembered() -> None:
    scores = np.random.default_rng(1).random((4, 30))
    changed = scores.copy()
    changed[0, 0] = 1.0 - np.round(changed[0, 0])

    assert fit_sources(scores) is not fit_sources(changed)
    assert fit_sources(scores).thresholds.shape == (30,)

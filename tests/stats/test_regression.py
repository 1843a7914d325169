import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bestrand.stats.regression import (
    PENALTY,
    ridge_penalty,
    ridge_residuals,
    within_residuals,
)
from bestrand.types import FloatArray
from tests.strategies import group_codes, score_arrays


def made(n_rows: int, n: int, p: int, seed: int = 0) -> tuple[FloatArray, FloatArray]:
    """Scores that lean on the features, and the features; (n_rows, n) and (n, p)."""
    rng = np.random.default_rng(seed)
    x = rng.random((n, p))
    y = rng.random((n_rows, p)) @ x.T + rng.normal(size=(n_rows, n))
    return y, x


# --- ridge ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("penalty", [0.5, 2.0, 8.0])
@pytest.mark.parametrize(("n", "p"), [(30, 4), (12, 12), (8, 20), (5, 1)])
def test_ridge_equals_a_direct_solve(n: int, p: int, penalty: float) -> None:
    y, x = made(3, n, p)
    yc, xc = y - y.mean(axis=1, keepdims=True), x - x.mean(axis=0)
    gram = xc.T @ xc + penalty * np.eye(p)
    hat = xc @ np.linalg.solve(gram, xc.T)
    residuals = yc - (xc @ np.linalg.solve(gram, xc.T @ yc.T)).T
    freedom = n - 1 - np.trace(hat)

    fit = ridge_residuals(y, x, penalty=penalty)

    assert fit.residuals == pytest.approx(residuals, abs=1e-12)
    assert fit.freedom == pytest.approx(freedom, abs=1e-9)
    assert fit.variance == pytest.approx((residuals**2).sum(axis=1) / freedom, rel=1e-9)


@pytest.mark.parametrize("n", [4, 25])
def test_one_feature_shrinks_in_closed_form(n: int) -> None:
    y, x = made(2, n, 1)
    xc, yc = x[:, 0] - x.mean(), y - y.mean(axis=1, keepdims=True)
    slope = (yc @ xc) / (xc @ xc + PENALTY)
    freedom = n - 1 - (xc @ xc) / (xc @ xc + PENALTY)
    left = ((yc - slope[:, None] * xc) ** 2).sum(axis=1)

    assert ridge_residuals(y, x).variance == pytest.approx(left / freedom, rel=1e-12)


def test_without_a_penalty_it_is_least_squares() -> None:
    y, x = made(3, 20, 4)
    fit = ridge_residuals(y, x, penalty=0.0)
    left = np.linalg.lstsq(np.column_stack([np.ones(20), x]), y.T)[1]

    assert fit.freedom == pytest.approx(20 - 1 - 4, abs=1e-12)
    assert fit.variance == pytest.approx(left / 15, rel=1e-12)


@given(data=st.data(), n=st.integers(2, 12), p=st.integers(0, 15))
def test_without_a_penalty_residuals_are_orthogonal(data: st.DataObject, n: int, p: int) -> None:
    y = data.draw(score_arrays(2, n, exact=True))
    x = data.draw(score_arrays(n, p, exact=True))
    fit = ridge_residuals(y, x, penalty=0.0)
    xc = x - x.mean(axis=0)

    assert np.abs(fit.residuals @ xc).max(initial=0.0) < 1e-9
    assert np.abs(fit.residuals.sum(axis=1)).max() < 1e-9


@given(data=st.data(), n=st.integers(2, 12), p=st.integers(0, 15))
def test_the_freedom_spent_is_between_none_and_the_rank(
    data: st.DataObject, n: int, p: int
) -> None:
    y, x = np.zeros((1, n)), data.draw(score_arrays(n, p, exact=True))
    rank = int(np.linalg.matrix_rank(x - x.mean(axis=0))) if p else 0
    spent = [n - 1 - ridge_residuals(y, x, penalty=penalty).freedom for penalty in (9, 2, 0)]

    assert -1e-9 < spent[0] <= spent[1] + 1e-9
    assert spent[1] <= spent[2] + 1e-9
    assert spent[2] == pytest.approx(rank, abs=1e-6)


def test_no_feature_leaves_the_plain_variance() -> None:
    y, _ = made(3, 9, 1)
    fit = ridge_residuals(y, np.empty((9, 0)))

    assert fit.freedom == 8.0
    assert fit.variance == pytest.approx(y.var(axis=1, ddof=1), rel=1e-12)


def test_features_that_explain_all_leave_no_freedom_to_tell() -> None:
    fit = ridge_residuals(np.eye(3), np.eye(3), penalty=0.0)

    assert np.abs(fit.residuals).max() < 1e-12
    assert fit.freedom == pytest.approx(0.0, abs=1e-9)
    assert np.isnan(fit.variance).all()


# --- the share that features leave over ----------------------------------------------------------


def test_the_penalty_goes_with_the_spread_of_the_columns() -> None:
    coin = np.array([[0.0, 1.0, 0.0, 1.0], [0.5, 0.5, 0.5, 0.5]])

    assert ridge_penalty(coin) == pytest.approx(PENALTY)
    assert ridge_penalty(0.1 * coin) == pytest.approx(0.01 * PENALTY)
    assert ridge_penalty(coin[1:]) == PENALTY
    assert ridge_penalty(np.empty((0, 4))) == PENALTY


def test_the_penalty_makes_residuals_free_of_the_unit_of_the_columns() -> None:
    y, x = made(2, 20, 3)
    one, other = (ridge_residuals(y, c * x, penalty=ridge_penalty(c * x.T)) for c in (1.0, 1e-3))

    assert other.variance == pytest.approx(one.variance, rel=1e-9)
    assert other.left_out == pytest.approx(one.left_out, rel=1e-9, abs=1e-12)


def test_the_residual_variance_counts_the_freedom_it_spends() -> None:
    """Least squares on noise leaves the variance as it was on average, with any columns."""
    rng = np.random.default_rng(2)
    ratios = []
    for _ in range(400):
        y, x = rng.normal(size=(1, 20)), rng.normal(size=(20, 10))
        ratios.append(ridge_residuals(y, x, penalty=0.0).variance[0])

    # A mean of 400 chi-square variances with 9 degrees of freedom: sd sqrt(2 / 9 / 400).
    assert np.mean(ratios) == pytest.approx(1.0, abs=5 * np.sqrt(2 / 9 / 400))


def within_share(y: FloatArray, groups: np.ndarray) -> float:
    """Give the share of the rows' variance that lies within groups; 1 where it cannot be told."""
    residuals, freedom = within_residuals(y, groups)
    total = y.var(axis=1, ddof=1).sum() if y.shape[1] > 1 else 0.0
    return min(1.0, (residuals**2).sum() / freedom / total) if freedom and total else 1.0


# --- the share within groups ---------------------------------------------------------------------


def test_the_within_share_equals_an_analysis_of_variance_by_hand() -> None:
    # Groups (1, 3), (2, 4, 6), (9): means 2, 4, 9; grand mean 25/6.
    y = np.array([[1.0, 2.0, 3.0, 4.0, 6.0, 9.0]])
    groups = np.array([0, 1, 0, 1, 1, 2])
    within = (1 + 1 + 4 + 0 + 4 + 0) / (6 - 3)
    total = (1 + 4 + 9 + 16 + 36 + 81 - 25**2 / 6) / 5

    assert within_share(y, groups) == pytest.approx(within / total, rel=1e-12)


def test_the_within_share_is_pooled_over_the_rows() -> None:
    y, _ = made(3, 12, 2)
    y[:, :6] += 3.0
    groups = np.repeat([0, 1], 6)
    within = np.array([(row[:6].var() * 6 + row[6:].var() * 6) / 10 for row in y])

    assert within_share(y, groups) == pytest.approx(
        within.sum() / y.var(axis=1, ddof=1).sum(), rel=1e-12
    )


@given(data=st.data(), n=st.integers(1, 12))
def test_the_within_share_is_a_share_and_names_of_groups_are_nothing(
    data: st.DataObject, n: int
) -> None:
    y, groups = data.draw(score_arrays(2, n)), data.draw(group_codes(n))
    share = within_share(y, groups)

    assert 0.0 <= share <= 1.0
    assert within_share(y, 7 - 2 * groups) == pytest.approx(share, abs=1e-12)


@given(data=st.data(), n=st.integers(3, 12))
def test_least_squares_on_group_dummies_leaves_the_within_share(
    data: st.DataObject, n: int
) -> None:
    y, groups = data.draw(score_arrays(2, n, exact=True)), data.draw(group_codes(n))
    assume(groups.max() + 1 < n)
    dummies = (groups[:, None] == np.arange(groups.max() + 1)).astype(np.float64)

    fit = ridge_residuals(y, dummies, penalty=0.0)
    residuals, freedom = within_residuals(y, groups)

    assert fit.residuals == pytest.approx(residuals, abs=1e-9)
    assert fit.freedom == pytest.approx(freedom, abs=1e-9)


def test_the_within_share_is_1_where_it_cannot_be_told() -> None:
    y, _ = made(2, 5, 1)

    assert within_share(y, np.arange(5)) == 1.0
    assert within_share(y, np.zeros(5, dtype=np.int64)) == pytest.approx(1.0, abs=1e-12)
    assert within_share(np.ones((2, 5)), np.array([0, 0, 1, 1, 1])) == 1.0
    assert within_share(y[:, :1], np.array([0])) == 1.0

"""What models explain of each other: against plain ridge regressions and by hand."""

import numpy as np
import pytest

from bestrand.data import load
from bestrand.stats.explained import explained_by_others, explained_share, scatter, strata_at
from bestrand.stats.regression import ridge_residuals
from bestrand.types import FloatArray, IntArray


MATRIX = load("intercode_sql").matrix()
Y = MATRIX.scaled()
GROUPS = MATRIX.frame.group_codes


def within(y: FloatArray, strata: IntArray) -> FloatArray:
    off = y.copy()
    for code in np.unique(strata):
        off[:, strata == code] -= off[:, strata == code].mean(axis=1, keepdims=True)
    return off


def test_shares_are_those_of_a_ridge_regression_a_model() -> None:
    for k, share in enumerate(explained_by_others(Y)):
        left = ridge_residuals(Y[k : k + 1], np.delete(Y, k, axis=0).T).variance[0]

        assert share == pytest.approx(1 - left / Y[k].var(ddof=1), abs=1e-10)


def test_shares_of_chosen_probes_and_of_differences() -> None:
    probes = np.array([1, 4, 7])
    pair = np.zeros((1, len(Y)))
    pair[0, 0], pair[0, 2] = 1.0, -1.0
    left = ridge_residuals(Y[:1] - Y[2:3], Y[probes].T).variance[0]
    share = explained_share(scatter(Y), probes, pair)[0]

    assert share == pytest.approx(1 - left / (Y[0] - Y[2]).var(ddof=1), abs=1e-10)


def test_within_strata_the_means_of_strata_are_taken_out() -> None:
    assert GROUPS is not None
    off, n_strata = within(Y, GROUPS), np.unique(GROUPS).size
    seen = scatter(Y, GROUPS)
    np.testing.assert_allclose(seen.products, off @ off.T, atol=1e-9)
    x = off[1:].T
    slopes = np.linalg.solve(x.T @ x + 2 * np.eye(x.shape[1]), x.T @ off[0])
    hat = np.trace(x @ np.linalg.solve(x.T @ x + 2 * np.eye(x.shape[1]), x.T))
    left = ((off[0] - x @ slopes) ** 2).sum() / (Y.shape[1] - n_strata - hat)

    assert seen.freedom == Y.shape[1] - n_strata
    assert explained_by_others(Y, GROUPS)[0] == pytest.approx(1 - left / seen.covariance[0, 0])


def test_flat_and_single_models() -> None:
    flat = np.concatenate([Y[:2], np.ones((1, Y.shape[1]))])
    shares = explained_by_others(flat)

    assert np.isnan(shares[2])
    assert shares[:2] == pytest.approx(explained_by_others(Y[:2]))
    assert explained_by_others(Y[:1]).tolist() == [0.0]
    assert np.isnan(explained_by_others(flat[2:]))[0]
    assert explained_share(scatter(Y), np.array([], dtype=np.int64), np.eye(len(Y))).tolist() == (
        [0.0] * len(Y)
    )


def test_groups_that_are_due_less_than_an_item_are_pooled() -> None:
    groups = np.array([0] * 50 + [1] * 40 + [2] * 6 + [3] * 4)
    few, more, all_of_them = strata_at(groups, 5), strata_at(groups, 20), strata_at(groups, 100)

    assert few is not None
    assert more is not None
    assert all_of_them is not None
    assert np.bincount(few).tolist() == [50, 40, 10]
    assert np.bincount(more).tolist() == [50, 40, 6, 4]
    assert np.bincount(all_of_them).tolist() == [50, 40, 6, 4]
    assert strata_at(groups, 1) is None
    assert strata_at(None, 10) is None

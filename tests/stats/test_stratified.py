"""The error of a stratified draw with rounded shares: against draws of the design itself."""

import numpy as np
import pytest

from bestrand.data import load
from bestrand.designs.base import Features
from bestrand.designs.stratified import Stratified
from bestrand.rng import Stream
from bestrand.stats.stratified import group_moments, stratified_errors
from bestrand.types import FloatArray, IntArray


def drawn(y: FloatArray, groups: IntArray, n: int, n_draws: int) -> FloatArray:
    sizes = np.bincount(groups)
    features = Features(
        n_items=groups.size,
        scores=None,
        groups=groups,
        weights=np.ones(groups.size),
        group_shares=sizes / groups.size,
    )
    full = y.mean(axis=1)
    errors = [
        y[:, Stratified().draw(features, n, Stream.of(seed, "draw")).columns].mean(axis=1) - full
        for seed in range(n_draws)
    ]
    return np.asarray((np.array(errors) ** 2).mean(axis=0))


@pytest.mark.slow
@pytest.mark.parametrize("n", [12, 40, 95, 133])
def test_many_groups_of_all_sizes(n: int) -> None:
    rng = np.random.default_rng(3)
    groups = np.sort(np.concatenate([np.arange(40), rng.integers(0, 40, 110)]))
    level = rng.random(40)[groups]
    y = (rng.random((8, groups.size)) < level).astype(float)
    said = stratified_errors(group_moments(y, groups), np.eye(8), n, groups.size)

    assert said.mean() == pytest.approx(drawn(y, groups, n, 1500).mean(), rel=0.06)


def test_real_scores_and_their_differences() -> None:
    matrix = load("intercode_sql").matrix()
    groups = matrix.frame.group_codes
    assert groups is not None
    pair = np.zeros((1, len(matrix.models)))
    pair[0, :2] = 1.0, -1.0
    seen = group_moments(matrix.values, groups)
    gap = matrix.values[:1] - matrix.values[1:2]

    assert stratified_errors(seen, pair, 100, 1032) == pytest.approx(
        drawn(gap, groups, 100, 1500), rel=0.12
    )


def test_all_items_leave_no_error() -> None:
    groups = np.array([0, 0, 1, 1, 1, 2])
    y = np.random.default_rng(0).random((2, 6))

    assert stratified_errors(group_moments(y, groups), np.eye(2), 6, 6) == pytest.approx(
        np.zeros(2), abs=1e-15
    )


def test_whole_shares_give_the_textbook_variance() -> None:
    """Cochran (1977), 5.3: sum of W_h^2 (1 - f) S_h^2 / n_h."""
    groups = np.repeat([0, 1], [20, 60])
    y = np.random.default_rng(1).random((1, 80))
    expected = sum(
        share**2 * (1 - 0.1) * y[0, groups == h].var(ddof=1) / n_h
        for h, (share, n_h) in enumerate([(0.25, 2), (0.75, 6)])
    )

    assert stratified_errors(group_moments(y, groups), np.eye(1), 8, 80)[0] == pytest.approx(
        expected
    )

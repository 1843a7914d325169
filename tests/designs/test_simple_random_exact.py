from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2

from bestrand.designs.base import Features
from bestrand.designs.best_rand import BestRand
from bestrand.designs.simple_random import SimpleRandom
from bestrand.rng import Stream
from bestrand.stats.intervals import two_phase_factor, weighted_spread
from tests.strategies import score_arrays


@pytest.mark.slow
def test_every_subset_is_equally_likely() -> None:
    seen = Features(6, None, None, np.ones(6))
    codes = {subset: code for code, subset in enumerate(combinations(range(6), 3))}
    counts = np.zeros(20)
    for seed in range(8000):
        drawn = SimpleRandom().draw(seen, 3, Stream.of(seed, "select"))
        counts[codes[tuple(drawn.columns.tolist())]] += 1
    statistic = float(((counts - 400) ** 2 / 400).sum())

    assert chi2.sf(statistic, 19) > 1e-6


@given(data=st.data(), n_frame=st.integers(3, 8))
def test_mean_and_variance_are_unbiased_over_all_subsets(data: st.DataObject, n_frame: int) -> None:
    """Averaged over every subset, the mean is the full mean and the variance the mean's own."""
    y = data.draw(score_arrays(2, n_frame))
    n = data.draw(st.integers(2, n_frame - 1))
    subsets = [list(subset) for subset in combinations(range(n_frame), n)]
    spreads = [weighted_spread(y[:, subset], np.ones(n)) for subset in subsets]
    factor = two_phase_factor(np.array([n]), n=n, n_pool=n_frame, n_frame=n_frame)
    means = np.array([spread.mean for spread in spreads])
    variances = np.array([spread.variance * factor for spread in spreads])

    assert means.mean(axis=0) == pytest.approx(y.mean(axis=1), abs=1e-12)
    assert variances.mean(axis=0) == pytest.approx(means.var(axis=0), abs=1e-12)


@given(data=st.data(), n_frame=st.integers(3, 7))
def test_the_variance_of_the_mean_is_that_of_theory(data: st.DataObject, n_frame: int) -> None:
    """The error's exact covariance over all subsets is fpc / n times the items' covariance."""
    y = data.draw(score_arrays(3, n_frame))
    n = data.draw(st.integers(1, n_frame))
    errors = np.array(
        [
            y[:, list(subset)].mean(axis=1) - y.mean(axis=1)
            for subset in combinations(range(n_frame), n)
        ]
    )
    fpc = (n_frame - n) / (n_frame - 1)

    assert errors.T @ errors / len(errors) == pytest.approx(np.cov(y, ddof=0) * fpc / n, abs=1e-12)


@given(m=st.integers(1, 40), data=st.data(), seed=st.integers(0, 1000))
def test_a_search_of_one_candidate_is_simple_random(m: int, data: st.DataObject, seed: int) -> None:
    n = data.draw(st.integers(1, m))
    seen = Features(m, data.draw(score_arrays(2, m)), None, np.ones(m))
    drawn = [
        design.draw(seen, n, Stream.of(seed)).columns.tolist()
        for design in (SimpleRandom(), BestRand(n_candidates=1))
    ]

    assert drawn[0] == drawn[1]


def test_scores_are_not_looked_at() -> None:
    drawn = [
        SimpleRandom().draw(Features(30, scores, None, np.ones(30)), 9, Stream.of(1))
        for scores in (None, np.eye(30))
    ]

    assert drawn[0].columns.tolist() == drawn[1].columns.tolist()

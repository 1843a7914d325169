from dataclasses import dataclass
from itertools import combinations, permutations, product
from math import ceil, comb, floor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, chi2

from bestrand.designs.base import Features
from bestrand.designs.stratified import Stratified
from bestrand.rng import MASK, Stream
from bestrand.search.draws import proportional_counts
from bestrand.types import IntArray


@dataclass(frozen=True, slots=True)
class Scripted(Stream):
    """A stream whose words are written down: u first, then the groups' places in line."""

    script: tuple[int, ...] = ()

    def words(self, number: int, n: int, attempt: int = 0) -> IntArray:
        """Give the script."""
        assert (number, n, attempt) == (0, len(self.script), 0)
        return np.array(self.script, dtype=np.int64)


def scripted(u: float, places: tuple[int, ...]) -> Scripted:
    return Scripted((0, 0), (floor(u * (MASK + 1)), *places))


sizes_and_n = (
    st.lists(st.integers(0, 12), min_size=1, max_size=6)
    .flatmap(lambda sizes: st.tuples(st.just(np.array(sizes)), st.integers(1, max(1, sum(sizes)))))
    .filter(lambda drawn: bool(drawn[0].sum()))
)


def uniformity(counts: IntArray) -> float:
    expected = counts.sum() / counts.size
    return float(chi2.sf(((counts - expected) ** 2 / expected).sum(), counts.size - 1))


# --- the counts ----------------------------------------------------------------------------------


@given(drawn=sizes_and_n, seed=st.integers(0, 10_000))
def test_counts_are_the_exact_shares_up_or_down(drawn: tuple[IntArray, int], seed: int) -> None:
    sizes, n = drawn
    counts = proportional_counts(sizes, n, Stream.of(seed))
    m = int(sizes.sum())

    assert counts.sum() == n
    for size, count in zip(sizes.tolist(), counts.tolist(), strict=True):
        assert size * n // m <= count <= ceil(size * n / m)
        assert count <= size


@given(drawn=sizes_and_n, word=st.sampled_from([0, 1, 2**31, MASK - 1, MASK]))
def test_counts_are_right_at_both_ends_of_chance(drawn: tuple[IntArray, int], word: int) -> None:
    sizes, n = drawn
    m = int(sizes.sum())
    counts = proportional_counts(sizes, n, Scripted((0, 0), (word, *range(sizes.size))))

    assert counts.sum() == n
    assert all(abs(count - size * n / m) < 1 for size, count in zip(sizes, counts, strict=True))


@given(drawn=sizes_and_n, data=st.data())
def test_counts_are_right_on_average_in_any_order_of_the_groups(
    drawn: tuple[IntArray, int], data: st.DataObject
) -> None:
    """Counts change where u passes a multiple of 1/m; the middles between take in all of chance."""
    sizes, n = drawn
    m = int(sizes.sum())
    places = tuple(data.draw(st.permutations(range(sizes.size))))
    total = sum(
        proportional_counts(sizes, n, scripted((step + 0.5) / m, places)) for step in range(m)
    )

    assert np.array_equal(total, sizes * n)


@given(size=st.integers(1, 9), n_groups=st.integers(1, 6), seed=st.integers(0, 1000))
def test_whole_shares_leave_nothing_to_chance(size: int, n_groups: int, seed: int) -> None:
    sizes = np.full(n_groups, 3 * size)

    assert (
        proportional_counts(sizes, size * n_groups, Stream.of(seed)).tolist() == [size] * n_groups
    )


def test_the_counts_follow_the_points_on_the_line() -> None:
    # Shares 1.5, 0.9, 0.6 in the order 2, 0, 1: the line is cut at 0.6, 2.1, 3.
    sizes, places = np.array([5, 3, 2]), (1, 2, 0)

    assert proportional_counts(sizes, 3, scripted(0.05, places)).tolist() == [2, 0, 1]
    assert proportional_counts(sizes, 3, scripted(0.5, places)).tolist() == [1, 1, 1]
    assert proportional_counts(sizes, 3, scripted(0.7, places)).tolist() == [2, 1, 0]


def test_the_groups_stand_in_random_order() -> None:
    """In one fixed order, of four equal groups only the first and third could go together."""
    pairs = {frozenset(pair): code for code, pair in enumerate(combinations(range(4), 2))}
    counts = np.zeros(6, dtype=np.int64)
    for seed in range(6000):
        drawn = proportional_counts(np.ones(4, dtype=np.int64), 2, Stream.of(seed))
        counts[pairs[frozenset(np.flatnonzero(drawn).tolist())]] += 1

    assert uniformity(counts) > 1e-6


# --- the items -----------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("n", [5, 9])
def test_every_item_has_the_same_chance(n: int) -> None:
    groups = np.array([0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 0], dtype=np.int64)
    seen, n_draws = Features(13, None, groups, np.ones(13)), 5000
    drawn = [Stratified().draw(seen, n, Stream.of(seed)) for seed in range(n_draws)]
    chosen = np.bincount(np.concatenate([draw.columns for draw in drawn]), minlength=13)
    tail = 1e-6 / 26

    assert binom.ppf(tail, n_draws, n / 13) <= chosen.min()
    assert chosen.max() <= binom.isf(tail, n_draws, n / 13)
    assert drawn[0].inclusion is not None
    assert drawn[0].inclusion.tolist() == [n / 13] * n


@pytest.mark.slow
def test_within_groups_every_subset_is_equally_likely() -> None:
    """The groups are of 4 and 2 items, scattered; 3 of 6 takes 2 and 1, in 6 * 2 ways."""
    first, second = [0, 2, 3, 5], [1, 4]
    groups = np.array([0, 1, 0, 0, 1, 0], dtype=np.int64)
    ways = {
        tuple(sorted((*two, one))): code
        for code, (two, one) in enumerate(product(combinations(first, 2), second))
    }
    seen = Features(6, None, groups, np.ones(6))
    codes = [
        ways[tuple(Stratified().draw(seen, 3, Stream.of(seed)).columns.tolist())]
        for seed in range(6000)
    ]

    assert len(ways) == comb(4, 2) * 2
    assert uniformity(np.bincount(codes, minlength=12)) > 1e-6


@given(
    codes=st.lists(st.integers(0, 3), min_size=1, max_size=20),
    seed=st.integers(0, 1000),
    data=st.data(),
)
def test_no_group_is_more_than_one_item_off_its_share(
    codes: list[int], seed: int, data: st.DataObject
) -> None:
    n = data.draw(st.integers(1, len(codes)))
    groups = np.array(codes, dtype=np.int64)
    seen = Features(len(codes), None, groups, np.ones(len(codes)))
    columns = Stratified().draw(seen, n, Stream.of(seed)).columns
    shares = np.bincount(groups, minlength=4) * n / len(codes)

    assert np.abs(np.bincount(groups[columns], minlength=4) - shares).max() < 1


def test_over_all_stratified_subsets_the_mean_is_the_full_mean() -> None:
    """Each order of the groups and each piece of chance once, and every subset within."""
    y = np.array([0.0, 1.0, 0.25, 0.5, 1.0, 0.75, 0.0])
    groups = np.array([0, 0, 0, 1, 1, 2, 2])
    sizes, n = np.bincount(groups), 3
    means = []
    for places in permutations(range(3)):
        for step in range(7):
            counts = proportional_counts(sizes, n, scripted((step + 0.5) / 7, places))
            ways = [combinations(np.flatnonzero(groups == h), counts[h]) for h in range(3)]
            subsets = [y[[i for part in parts for i in part]].mean() for parts in product(*ways)]
            means.append(np.mean(subsets))

    assert np.mean(means) == pytest.approx(y.mean(), abs=1e-12)

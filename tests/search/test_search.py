import hashlib
from itertools import combinations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.stats import binom, chi2

from bestrand.rng import MASK, Stream
from bestrand.search import draws, kernel
from bestrand.search.best import NORM_CODES, Best, available_processors, find_best
from bestrand.search.draws import draw_candidate
from bestrand.search.fixed_point import FIELD_BITS, FixedPoint, to_fixed_point
from bestrand.types import FloatArray, IntArray, Norm
from tests.search import oracle
from tests.strategies import NORMS, Search, group_codes, searches


LARGE = 1_000_000


def fixed_columns(columns: FloatArray, n: int) -> FixedPoint:
    return to_fixed_point(columns, max(1, min(n, len(columns) - n)))


def run_kernel(
    fixed: FixedPoint,
    n: int,
    norm: Norm,
    stream: Stream,
    first: int,
    last: int,
    sizes: IntArray | None = None,
) -> tuple[float, int]:
    key = np.array(stream.key, dtype=np.uint64)
    counts_key = np.array(stream.child("counts").key, dtype=np.uint64)
    sizes = np.array([len(fixed.values)]) if sizes is None else sizes
    packed, totals, code = fixed.packed(), fixed.totals, NORM_CODES[norm]
    distance, number = kernel.search(packed, totals, sizes, n, code, key, counts_key, first, last)
    return float(distance), int(number)


def made_columns(m: int, n_columns: int, levels: int = 2) -> FloatArray:
    """Scores that are the same on every machine and in every version of numpy."""
    words = Stream.of(5, "made").words(0, m * n_columns).reshape(m, n_columns)
    return words % levels / (levels - 1)


def uniformity(counts: IntArray) -> float:
    """Give the p value of equal chances, by Pearson's chi-square."""
    expected = counts.sum() / counts.size
    return float(chi2.sf(((counts - expected) ** 2 / expected).sum(), counts.size - 1))


def redraws(stream: Stream, number: int, m: int, n: int) -> IntArray:
    """Find the places of a candidate at which the first word would favour some items."""
    size = min(n, m - n)
    bounds = np.uint64(m) - np.arange(size, dtype=np.uint64)
    low = (stream.words(number, size).astype(np.uint64) * bounds) & np.uint64(MASK)
    return np.flatnonzero(low < np.uint64(MASK + 1) % bounds)


# --- the kernel and the oracle ------------------------------------------------------------------


@given(search=searches(), seed=st.integers(0, 2**40), first=st.integers(0, 2**31))
@example(search=Search(np.zeros((7, 3)), 3, "l2"), seed=0, first=0)
@example(search=Search(np.zeros((1, 1)), 1, "linf"), seed=0, first=0)
@example(search=Search(np.eye(20), 19, "l1"), seed=0, first=0)
def test_the_kernel_equals_the_oracle_bit_for_bit(search: Search, seed: int, first: int) -> None:
    stream = Stream.of(seed)
    fixed = fixed_columns(search.columns, search.n)
    arguments = (fixed, search.n, search.norm, stream, first, first + 12)

    assert run_kernel(*arguments) == oracle.search(*arguments)


@settings(max_examples=60)
@given(
    sizes=st.lists(st.integers(1, 12), min_size=2, max_size=7),
    data=st.data(),
    seed=st.integers(0, 2**32),
)
def test_the_kernel_equals_the_oracle_in_strata(
    sizes: list[int], data: st.DataObject, seed: int
) -> None:
    m = sum(sizes)
    n = data.draw(st.integers(1, m))
    fixed = fixed_columns(made_columns(m, 3, levels=3), n)
    expected = oracle.search(fixed, n, "l2", Stream.of(seed), 0, 9, np.array(sizes))

    assert run_kernel(fixed, n, "l2", Stream.of(seed), 0, 9, np.array(sizes)) == expected


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("n_drawn", [20_000, LARGE - 20_000])
def test_the_kernel_equals_the_oracle_where_words_are_redrawn(n_drawn: int, norm: Norm) -> None:
    stream = Stream.of(1, "large")
    columns = made_columns(LARGE, 3, levels=5)
    arguments = (fixed_columns(columns, n_drawn), n_drawn, norm, stream, 0, 4)
    n_redrawn = [redraws(stream, number, LARGE, n_drawn).size for number in range(4)]

    assert min(n_redrawn) > 0
    assert run_kernel(*arguments) == oracle.search(*arguments)


def redrawn_in_last_stratum(stream: Stream, number: int, sizes: IntArray, n: int) -> bool:
    count = int(draws.proportional_counts(sizes, n, stream.child("counts"), number)[-1])
    bounds = (sizes[-1] - np.arange(count)).astype(np.uint64)
    words = stream.words(number, n)[-count:].astype(np.uint64)
    return bool(((words * bounds) & np.uint64(MASK) < np.uint64(MASK + 1) % bounds).any())


@pytest.mark.parametrize("n_drawn", [20_000, LARGE - 20_000])
def test_the_kernel_equals_the_oracle_where_words_of_strata_are_redrawn(n_drawn: int) -> None:
    stream, sizes = Stream.of(1, "large"), np.array([300_000, 1, 699_999])
    fixed = fixed_columns(made_columns(LARGE, 3, levels=1001), n_drawn)
    numbers = [k for k in range(12) if redrawn_in_last_stratum(stream, k, sizes, 20_000)][:4]

    assert len(numbers) == 4
    for number in numbers:
        expected = oracle.search(fixed, n_drawn, "l2", stream, number, number + 1, sizes)
        assert run_kernel(fixed, n_drawn, "l2", stream, number, number + 1, sizes) == expected


def test_a_redrawn_word_changes_the_subset() -> None:
    stream = Stream.of(1, "large")
    place = int(redraws(stream, 0, LARGE, 20_000)[0])
    biased = place + (int(stream.words(0, 20_000)[place]) * (LARGE - place) >> 32)

    assert biased not in draw_candidate(stream, 0, LARGE, 20_000)


def test_the_kernel_redraws_as_often_as_the_oracle() -> None:
    bound = 3 * 2**29  # a quarter of all words would favour some item
    stream = Stream.of(2)
    key = np.array(stream.key, dtype=np.uint64)
    most = 0
    for number in range(200):
        attempt = 1
        while int(stream.words(number, 6, attempt)[5]) * bound & MASK < (MASK + 1) % bound:
            attempt += 1
        product = kernel._redraw(np.empty(8, dtype=np.uint32), key, number, 5, 2, np.uint64(bound))
        most = max(most, attempt)

        assert int(product) == int(stream.words(number, 6, attempt)[5]) * bound
    assert most >= 3


@pytest.mark.parametrize("norm", NORMS)
def test_a_single_item_left_out_of_very_many_does_not_overflow(norm: Norm) -> None:
    m = 300_000  # m * (sum of all the values) exceeds 2**63
    columns = made_columns(m, 2, levels=7)
    stream = Stream.of(9)
    best = find_best(columns, m - 1, n_candidates=40, norm=norm, stream=stream, n_workers=1)
    whole = m * (m - 1) // 2
    left_out = [whole - int(draw_candidate(stream, k, m, m - 1).sum()) for k in range(40)]
    gaps = (columns.mean(axis=0) - columns[left_out]) / (m - 1)
    distances = np.linalg.norm(gaps, {"l1": 1, "l2": 2, "linf": np.inf}[norm], axis=1)

    assert best.distance == pytest.approx(distances.min(), abs=1e-12)
    assert distances[best.number] == pytest.approx(distances.min(), abs=1e-12)


# --- which candidate wins ------------------------------------------------------------------------


def outcome(best: Best) -> tuple[list[int], float, int]:
    return best.columns.tolist(), best.distance, best.number


@settings(max_examples=40)
@given(search=searches(), seed=st.integers(0, 1000), n_candidates=st.sampled_from([1, 63, 400]))
def test_the_number_of_workers_is_nothing(search: Search, seed: int, n_candidates: int) -> None:
    found = [
        outcome(
            find_best(
                search.columns,
                search.n,
                n_candidates=n_candidates,
                norm=search.norm,
                stream=Stream.of(seed),
                n_workers=n_workers,
            )
        )
        for n_workers in (1, 2, 3, None)
    ]

    assert found == [found[0]] * 4


@settings(max_examples=60)
@given(search=searches(exact=True), seed=st.integers(0, 1000), data=st.data())
def test_scale_and_start_of_the_columns_are_nothing(
    search: Search, seed: int, data: st.DataObject
) -> None:
    n_columns = search.columns.shape[1]
    shifts = data.draw(st.lists(st.integers(-9, 9), min_size=n_columns, max_size=n_columns))

    def best_of(columns: FloatArray) -> Best:
        stream = Stream.of(seed)
        return find_best(
            columns, search.n, n_candidates=60, norm=search.norm, stream=stream, n_workers=1
        )

    plain = best_of(search.columns)
    scaled = best_of(search.columns * 100)
    shifted = best_of(search.columns + np.array(shifts) / 4)

    assert outcome(shifted) == outcome(plain)
    assert scaled.number == plain.number
    assert scaled.distance == pytest.approx(100 * plain.distance, rel=1e-12)


@settings(max_examples=60)
@given(search=searches(), seed=st.integers(0, 1000), data=st.data())
def test_the_order_of_the_columns_is_nothing(
    search: Search, seed: int, data: st.DataObject
) -> None:
    order = data.draw(st.permutations(range(search.columns.shape[1])))
    found = [
        find_best(
            columns,
            search.n,
            n_candidates=60,
            norm=search.norm,
            stream=Stream.of(seed),
            n_workers=1,
        )
        for columns in (search.columns, search.columns[:, order])
    ]

    assert outcome(found[0]) == outcome(found[1])


def test_the_order_of_the_columns_is_nothing_where_the_last_bit_decides() -> None:
    """A subset and its mirror image tie in truth, and not always as sums of floats."""
    rng = np.random.default_rng(0)
    numbers = []
    for seed in range(60):
        one, other = rng.random((2, 10))
        columns = np.stack([one, one[::-1], other + other[::-1]], axis=1)
        numbers += [
            [
                find_best(
                    columns[:, order],
                    4,
                    n_candidates=1500,
                    norm="l2",
                    stream=Stream.of(seed),
                    n_workers=1,
                ).number
                for order in ([0, 1, 2], [0, 2, 1], [2, 1, 0])
            ]
        ]

    assert [len(set(three)) for three in numbers] == [1] * 60


@given(search=searches(max_items=10, max_columns=3), seed=st.integers(0, 1000))
def test_ties_go_to_the_lowest_number(search: Search, seed: int) -> None:
    stream = Stream.of(seed)
    fixed = fixed_columns(search.columns, search.n)
    distances = [
        oracle.search(fixed, search.n, search.norm, stream, number, number + 1)[0]
        for number in range(100)
    ]
    best = find_best(
        search.columns, search.n, n_candidates=100, norm=search.norm, stream=stream, n_workers=2
    )

    assert best.number == distances.index(min(distances))


def test_candidates_that_cannot_be_told_apart_leave_the_first() -> None:
    best = find_best(np.full((30, 4), 0.7), 10, n_candidates=500, norm="l2", stream=Stream.of(0))

    assert best.number == 0
    assert best.distance == 0.0
    assert best.columns.tolist() == draw_candidate(Stream.of(0), 0, 30, 10).tolist()


@given(search=searches(), seed=st.integers(0, 1000))
def test_the_distance_is_that_of_the_means(search: Search, seed: int) -> None:
    best = find_best(
        search.columns,
        search.n,
        n_candidates=20,
        norm=search.norm,
        stream=Stream.of(seed),
        n_workers=1,
    )
    gaps = search.columns[best.columns].mean(axis=0) - search.columns.mean(axis=0)
    order = {"l1": 1, "l2": 2, "linf": np.inf}[search.norm]

    assert best.distance == pytest.approx(float(np.linalg.norm(gaps, order)), abs=1e-6)


@given(search=searches(), seed=st.integers(0, 1000), data=st.data())
def test_stratified_candidates_take_from_every_group_its_share(
    search: Search, seed: int, data: st.DataObject
) -> None:
    m = len(search.columns)
    strata = data.draw(group_codes(m))
    best = find_best(
        search.columns,
        search.n,
        n_candidates=20,
        norm=search.norm,
        stream=Stream.of(seed),
        strata=strata,
        n_workers=1,
    )
    shares = np.bincount(strata) * search.n / m
    gaps = search.columns[best.columns].mean(axis=0) - search.columns.mean(axis=0)
    order = {"l1": 1, "l2": 2, "linf": np.inf}[search.norm]

    assert sorted(set(best.columns.tolist())) == best.columns.tolist()
    assert best.columns.size == search.n
    assert np.abs(np.bincount(strata[best.columns], minlength=shares.size) - shares).max() < 1
    assert best.distance == pytest.approx(float(np.linalg.norm(gaps, order)), abs=1e-6)


@pytest.mark.slow
@given(search=searches(), seed=st.integers(0, 1000))
def test_more_candidates_never_end_farther_off(search: Search, seed: int) -> None:
    distances = [
        find_best(
            search.columns, search.n, n_candidates=n, norm=search.norm, stream=Stream.of(seed)
        ).distance
        for n in (1, 10, 100)
    ]

    assert distances == sorted(distances, reverse=True)


@pytest.mark.parametrize("n_candidates", [1, 2, 63, 65, 130])
def test_no_candidate_is_looked_at_that_was_not_asked_for(n_candidates: int) -> None:
    columns = made_columns(60, 5, levels=1001)
    for seed in range(30):
        stream = Stream.of(seed)
        best = find_best(columns, 20, n_candidates=n_candidates, norm="l2", stream=stream)

        assert 0 <= best.number < n_candidates


def test_this_process_may_use_some_processor() -> None:
    assert available_processors() >= 1


# --- whole numbers -------------------------------------------------------------------------------


@given(search=searches(), n_drawn=st.integers(1, 2**21))
def test_sums_of_whole_numbers_fit_their_field(search: Search, n_drawn: int) -> None:
    fixed = to_fixed_point(search.columns, n_drawn)

    assert fixed.values.min() >= 0
    assert int(fixed.values.max()) * n_drawn < 2**FIELD_BITS


@given(search=searches())
def test_rounding_moves_no_value_by_more_than_half_a_unit(search: Search) -> None:
    fixed = fixed_columns(search.columns, search.n)
    n_columns = search.columns.shape[1]
    errors = [
        min(
            np.abs(fixed.values[:, column] * fixed.unit - (given - given.min())).max()
            for column in range(n_columns)
        )
        for given in search.columns.T
    ]

    assert max(errors) <= fixed.unit * 0.5 * (1 + 1e-6) + 1e-300


@given(search=searches())
def test_packed_words_hold_every_column_and_nothing_else(search: Search) -> None:
    fixed = fixed_columns(search.columns, search.n)
    packed = fixed.packed()
    fields = np.stack([packed & np.uint64(MASK), packed >> np.uint64(32)], axis=2)
    unpacked = fields.reshape(len(packed), -1)
    n_columns = search.columns.shape[1]

    assert packed.shape[1] % 4 == 0
    assert np.array_equal(unpacked[:, :n_columns], fixed.values)
    assert not unpacked[:, n_columns:].any()


@pytest.mark.parametrize("n", [1, 2, 500, 1023, 1024, 30_000])
def test_right_or_wrong_scores_are_exact(n: int) -> None:
    fixed = to_fixed_point(np.array([[0.0, 1.0], [1.0, 1.0], [0.5, 0.0]]), n)
    steps = round(1 / fixed.unit)

    assert sorted(map(sorted, fixed.values.T.tolist())) == [
        [0, steps // 2, steps],
        [0, steps, steps],
    ]
    assert steps & (steps - 1) == 0


def test_neighbouring_fields_do_not_spill_into_each_other() -> None:
    columns = np.ones((40_000, 8))
    columns[0] = 0.0
    stream = Stream.of(0)
    for n in (1023, 1024, 19_999, 20_000):
        fixed = fixed_columns(columns, n)
        expected = oracle.search(fixed, n, "l2", stream, 0, 3)

        assert run_kernel(fixed, n, "l2", stream, 0, 3) == expected


# --- a single candidate --------------------------------------------------------------------------


@given(m=st.integers(1, 60), data=st.data(), number=st.integers(0, MASK))
def test_a_candidate_is_distinct_ascending_and_within(
    m: int, data: st.DataObject, number: int
) -> None:
    n = data.draw(st.integers(0, m))
    drawn = draw_candidate(Stream.of(4), number, m, n)

    assert drawn.shape == (n,)
    assert drawn.dtype == np.int64
    assert sorted(set(drawn.tolist())) == drawn.tolist()
    assert set(drawn.tolist()) <= set(range(m))


@pytest.mark.slow
@pytest.mark.parametrize(("m", "n"), [(6, 3), (6, 4), (6, 1), (5, 4), (7, 2)])
def test_every_subset_is_equally_likely(m: int, n: int) -> None:
    subsets = {subset: code for code, subset in enumerate(combinations(range(m), n))}
    stream = Stream.of(11, "uniform")
    drawn = [draw_candidate(stream, number, m, n).tolist() for number in range(20_000)]
    counts = np.bincount([subsets[tuple(s)] for s in drawn], minlength=len(subsets))
    inclusion = np.bincount(np.concatenate(drawn), minlength=m)
    tail = 1e-6 / (2 * m)

    assert uniformity(counts) > 1e-6
    assert binom.ppf(tail, 20_000, n / m) <= inclusion.min()
    assert inclusion.max() <= binom.isf(tail, 20_000, n / m)


@pytest.mark.slow
def test_neighbouring_candidates_do_not_depend_on_each_other() -> None:
    subsets = {subset: code for code, subset in enumerate(combinations(range(6), 3))}
    stream = Stream.of(12, "uniform")
    codes = np.array(
        [subsets[tuple(draw_candidate(stream, number, 6, 3).tolist())] for number in range(16_000)]
    )
    pairs = codes[0::2] * 20 + codes[1::2]

    assert uniformity(np.bincount(pairs, minlength=400)) > 1e-6


def test_words_that_would_favour_some_items_are_redrawn() -> None:
    m = 3 * 2**29  # unless words are redrawn, every third item is drawn 2/3 as often as the rest
    stream = Stream.of(13)
    rest = [int(draw_candidate(stream, number, m, 1)[0]) % 3 for number in range(6000)]

    assert uniformity(np.bincount(rest, minlength=3)) > 1e-6


# --- numbers that must not change ----------------------------------------------------------------

GOLDEN = {
    "binary, l2": "e9df87ad0d3ae206d116a1254fd8ef6339537618159509f33c9a7be84e1ac246",
    "graded, more than half, l1": (
        "297cf9343603a7b9fa50fc63761d40b60e5f8a849ad710fa5509f067321cb579"
    ),
    "one column, linf": "10f5b4aa667207b0cdefaa63b710604fb0b2ee6870029c610c71a4bac2c306b8",
}


def digest_of(columns: FloatArray, n: int, norm: Norm) -> str:
    best = find_best(columns, n, n_candidates=1000, norm=norm, stream=Stream.of(0, "golden"))
    ids = "\n".join(f"item-{column:05d}" for column in best.columns)
    return hashlib.sha256(ids.encode()).hexdigest()


def test_the_chosen_items_stay_the_same_everywhere() -> None:
    chosen = {
        "binary, l2": digest_of(made_columns(2000, 8), 100, "l2"),
        "graded, more than half, l1": digest_of(made_columns(300, 5, levels=11), 200, "l1"),
        "one column, linf": digest_of(made_columns(5000, 1, levels=1001), 37, "linf"),
    }

    assert chosen == GOLDEN

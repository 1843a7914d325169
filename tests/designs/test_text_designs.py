"""The designs that look at texts alone: each claim by enumeration, and what all of them keep."""

import re
from itertools import combinations
from math import e

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import bestrand as br
from bestrand.core.texts import ItemTexts
from bestrand.designs.base import Design, Features
from bestrand.designs.baselines.agreement import Agreement, candidate_gaps, rank
from bestrand.designs.baselines.facility_location import LEVELS, FacilityLocation, greedy_cover
from bestrand.designs.baselines.independent_set import (
    HALF,
    HIGHEST,
    IndependentSet,
    find_independent,
    greedy_independent,
    independent_rounds,
    join,
    similarity_levels,
)
from bestrand.designs.baselines.k_center import KCenter, farthest_first
from bestrand.rng import Stream
from bestrand.search.draws import draw_candidate
from bestrand.stats.similarity import STEPS, cluster_weights, nearest_chosen, whole_rows
from bestrand.types import FloatArray
from tests.strategies import weight_arrays


GREEDY: list[Design] = [FacilityLocation(), KCenter(), IndependentSet()]
DESIGNS: list[Design] = [*GREEDY, Agreement(n_candidates=1), Agreement(n_candidates=30)]
every_design = pytest.mark.parametrize("design", DESIGNS, ids=repr)
every_greedy = pytest.mark.parametrize("design", GREEDY, ids=repr)


def unit(rows: FloatArray) -> FloatArray:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths > 0, lengths, 1.0))


def unit_rows(m: int, d: int = 3) -> st.SearchStrategy[FloatArray]:
    """Unit rows, of which many are the same and some are all zeros."""
    return arrays(np.float64, (m, d), elements=st.integers(-2, 2).map(float)).map(unit)


@st.composite
def seen_texts(draw: st.DrawFn, *, min_items: int = 1, max_items: int = 20) -> Features:
    m = draw(st.integers(min_items, max_items))
    return Features(
        n_items=m,
        scores=None,
        groups=None,
        weights=np.ones(m) if draw(st.booleans()) else draw(weight_arrays(m)),
        texts=(draw(unit_rows(m)), draw(unit_rows(m, 2))),
    )


def random_rows(seed: int, m: int, d: int = 6) -> FloatArray:
    return unit(np.random.default_rng(seed).normal(size=(m, d)) + 0.5)


# --- what all keep -------------------------------------------------------------------------------


@every_design
@settings(max_examples=40)
@given(seen=seen_texts(), seed=st.integers(0, 1000), data=st.data())
def test_chosen_items_are_n_distinct_ascending_and_always_the_same(
    design: Design, seen: Features, seed: int, data: st.DataObject
) -> None:
    n = data.draw(st.integers(1, seen.n_items))
    draw, again = (design.draw(seen, n, Stream.of(seed)) for _ in range(2))
    columns = draw.columns.tolist()

    assert len(columns) == n
    assert sorted(set(columns)) == columns
    assert set(columns) <= set(range(seen.n_items))
    assert draw.columns.dtype == np.int64
    assert again.columns.tolist() == columns
    assert (draw.inclusion, draw.balanced_on, draw.distance) == (None, (), None)


@every_design
@settings(max_examples=25)
@given(seen=seen_texts())
def test_all_items_are_chosen_where_all_are_asked_for(design: Design, seen: Features) -> None:
    draw = design.draw(seen, seen.n_items, Stream.of(0))

    assert draw.columns.tolist() == list(range(seen.n_items))
    if draw.design_weights is not None:
        assert draw.design_weights == pytest.approx(seen.weights / seen.weights.mean())


@every_greedy
def test_no_chance_is_used(design: Design) -> None:
    seen = Features(40, None, None, np.ones(40), texts=(random_rows(0, 40),))
    drawn = {tuple(design.draw(seen, 9, Stream.of(seed)).columns.tolist()) for seed in range(5)}

    assert len(drawn) == 1


def test_agreement_draws_others_under_another_seed() -> None:
    seen = Features(40, None, None, np.ones(40), texts=(random_rows(0, 40), random_rows(1, 40)))
    drawn = {tuple(Agreement(50).draw(seen, 9, Stream.of(s)).columns.tolist()) for s in range(5)}

    assert len(drawn) == 5


@every_greedy
@settings(max_examples=40)
@given(seen=seen_texts(), data=st.data())
def test_weights_are_shares_of_clusters(
    design: Design, seen: Features, data: st.DataObject
) -> None:
    n = data.draw(st.integers(1, seen.n_items))
    draw = design.draw(seen, n, Stream.of(0))
    rows, chosen = whole_rows(seen.texts[0]), draw.columns.tolist()
    shares = np.zeros(n)
    for item, row in enumerate(rows):
        away = [float(((row - rows[center]) ** 2).sum()) for center in chosen]
        place = chosen.index(item) if item in chosen else away.index(min(away))
        shares[place] += seen.weights[item] / seen.weights.sum()

    assert draw.design_weights is not None
    assert draw.design_weights == pytest.approx(n * shares)
    assert draw.design_weights.mean() == pytest.approx(1.0)
    assert draw.design_weights.min() > 0


@every_design
@settings(max_examples=20)
@given(seed=st.integers(0, 1000), order=st.permutations(range(9)))
def test_the_order_of_texts_is_nothing(design: Design, seed: int, order: list[int]) -> None:
    ids = [f"q{number}" for number in range(9)]
    words, signs = random_rows(seed, 9), random_rows(seed + 1, 9)
    texts = made_texts(ids, words, signs)
    other = made_texts([ids[i] for i in order], words[order], signs[order])
    first, second = (
        br.select(br.Frame.of(ids), 4, design=design, texts=given, seed=seed)
        for given in (texts, other)
    )

    assert first == second


def made_texts(ids: list[str], *matrices: FloatArray) -> ItemTexts:
    parts = [ItemTexts.of_embeddings(ids, rows, name=str(k)) for k, rows in enumerate(matrices)]
    return parts[0] if len(parts) == 1 else parts[0].joined(parts[1])


@every_design
def test_texts_of_other_items_are_refused(design: Design) -> None:
    texts = made_texts(["q1", "q2", "x3"], np.eye(3))
    message = "Every item needs a text or an embedding, and 1 of 3 have none: 'q3'."
    with pytest.raises(br.InputError, match=re.escape(message)):
        br.select(br.Frame.of(["q1", "q2", "q3"]), 2, design=design, texts=texts)


@every_design
def test_a_design_that_looks_at_texts_says_that_there_are_none(design: Design) -> None:
    frame = br.Frame.of(["q1", "q2"])
    message = f"{design.name} needs the items' texts or embeddings, got none. Give them as --texts"
    with pytest.raises(br.DesignError, match=re.escape(message)):
        br.select(frame, 1, design=design)
    with pytest.raises(br.DesignError, match=re.escape(message)):
        br.draw_pool(frame, 1, design=design)


@every_design
def test_a_design_holds_its_settings_and_nothing_else(design: Design) -> None:
    assert type(design)(**design.parameters) == design
    assert design.uses_texts
    assert not design.uses_probes
    with pytest.raises((AttributeError, TypeError)):
        design.anything = 1  # type: ignore[attr-defined]


def test_other_designs_do_not_look_at_texts() -> None:
    texts = made_texts(["x"], np.eye(1))
    subset = br.select(br.Frame.of(["q1", "q2"]), 1, design=br.SimpleRandom(), texts=texts)

    assert "texts_digest" not in subset.parameters


# --- similarity ----------------------------------------------------------------------------------


def test_products_of_whole_rows_are_exact_in_any_order() -> None:
    rows = whole_rows(random_rows(3, 30, 200))
    exact = [[sum(int(a) * int(b) for a, b in zip(x, y, strict=True)) for y in rows] for x in rows]

    assert (rows @ rows.T).astype(np.int64).tolist() == exact
    assert (rows[:, ::-1] @ rows[:, ::-1].T).astype(np.int64).tolist() == exact


def test_a_chosen_copy_is_nearest_to_itself_and_others_go_to_the_first() -> None:
    rows = whole_rows(np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]))
    chosen = np.array([0, 2, 3])

    assert nearest_chosen(rows, chosen).tolist() == [0, 0, 1, 2]
    assert cluster_weights(rows, chosen, np.ones(4)).tolist() == [1.5, 0.75, 0.75]


# --- facility location ---------------------------------------------------------------------------


def covered(rows: FloatArray, weights: FloatArray, subset: list[int]) -> float:
    """Give f of a subset, from plain cosines."""
    cosines = np.maximum(rows @ rows[subset].T / STEPS**2, 0.0)
    return float(weights @ cosines.max(axis=1))


@settings(max_examples=60)
@given(seen=seen_texts(min_items=2, max_items=8), data=st.data())
def test_the_greedy_cover_is_at_least_63_percent_of_the_best(
    seen: Features, data: st.DataObject
) -> None:
    n = data.draw(st.integers(1, min(4, seen.n_items)))
    rows = whole_rows(seen.texts[0])
    best = max(
        covered(rows, seen.weights, list(subset)) for subset in combinations(range(seen.n_items), n)
    )
    got = covered(
        rows, seen.weights, FacilityLocation().draw(seen, n, Stream.of(0)).columns.tolist()
    )

    assert got >= (1 - 1 / e) * best - 1e-4


def plain_greedy(rows: FloatArray, weights: FloatArray, n: int) -> list[int]:
    """Look at every item in every step."""
    m = len(rows)
    cosines = np.maximum(np.rint(rows @ rows.T * (LEVELS / STEPS**2)), 0).astype(np.int64)
    shares = np.rint(weights / weights.sum() * 2**32).astype(np.int64)
    best, chosen = np.zeros(m, dtype=np.int64), []
    for _ in range(n):
        gains = [
            -1 if j in chosen else int(shares @ np.maximum(cosines[:, j] - best, 0))
            for j in range(m)
        ]
        chosen.append(gains.index(max(gains)))
        best = np.maximum(best, cosines[:, chosen[-1]])
    return chosen


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_lazy_greedy_equals_plain_greedy(seed: int, weighted: bool) -> None:  # noqa: FBT001
    m = 90
    rng = np.random.default_rng(seed)
    rows = whole_rows(random_rows(seed, m)[rng.integers(0, 60, m)])  # with copies
    weights = rng.integers(1, 5, m).astype(np.float64) if weighted else np.ones(m)

    assert greedy_cover(rows, weights, m).tolist() == plain_greedy(rows, weights, m)


@settings(max_examples=150)
@given(
    rows=st.integers(1, 12).flatmap(lambda m: unit_rows(m, 2)).map(whole_rows),
    at_once=st.sampled_from([1, 2, 32]),
)
def test_ties_go_to_the_first_however_many_are_looked_at_together(
    rows: FloatArray, at_once: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bestrand.designs.baselines.facility_location.AT_ONCE", at_once)
        chosen = greedy_cover(rows, np.ones(len(rows)), len(rows)).tolist()

    assert chosen == plain_greedy(rows, np.ones(len(rows)), len(rows))


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = Features(50, None, None, np.ones(50), texts=(random_rows(5, 50),))
    whole = [design.draw(seen, 12, Stream.of(0)) for design in GREEDY]
    for module in ("stats.similarity", "designs.baselines.independent_set"):
        monkeypatch.setattr(f"bestrand.{module}.CELLS_AT_ONCE", 130)
    parts = [design.draw(seen, 12, Stream.of(0)) for design in GREEDY]

    for first, second in zip(whole, parts, strict=True):
        assert first.columns.tolist() == second.columns.tolist()
        assert first.design_weights is not None
        assert second.design_weights is not None
        assert first.design_weights.tolist() == second.design_weights.tolist()
        assert first.notes == second.notes


def test_graphs_in_blocks_are_the_graphs_in_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """With few kinds of rows every level that occurs is reached exactly."""
    rows = whole_rows(unit(np.random.default_rng(1).integers(-2, 3, (30, 3)).astype(np.float64)))
    whole = similarity_levels(rows)
    monkeypatch.setattr("bestrand.designs.baselines.independent_set.CELLS_AT_ONCE", 130)
    parts = similarity_levels(rows)

    assert len(parts) == 8
    for level in np.unique(whole[0]).tolist():
        first, second = join(whole, level), join(parts, level)
        assert first.joined.tolist() == second.joined.tolist()
        assert first.degrees.tolist() == second.degrees.tolist()


# --- k-center ------------------------------------------------------------------------------------


def radius(rows: FloatArray, subset: list[int]) -> float:
    away = np.linalg.norm(rows[:, None] - rows[subset], axis=2)
    return float(away.min(axis=1).max()) / STEPS


@settings(max_examples=60)
@given(rows=st.integers(2, 8).flatmap(unit_rows).map(whole_rows), data=st.data())
def test_no_item_is_farther_than_twice_the_smallest_radius(
    rows: FloatArray, data: st.DataObject
) -> None:
    n = data.draw(st.integers(1, min(4, len(rows))))
    best = min(radius(rows, list(subset)) for subset in combinations(range(len(rows)), n))

    assert radius(rows, farthest_first(rows, n).tolist()) <= 2 * best + 1e-12


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_each_step_takes_the_farthest_and_the_first_is_in_the_middle(seed: int) -> None:
    rows = whole_rows(random_rows(seed, 40))
    order = farthest_first(rows, 40).tolist()
    middle = np.linalg.norm(rows - rows.mean(axis=0), axis=1)

    assert order[0] == middle.argmin()
    for step in range(1, 40):
        away = ((rows[:, None] - rows[order[:step]]) ** 2).sum(axis=2).min(axis=1)
        assert away[order[step]] == away.max()


# --- independent set -----------------------------------------------------------------------------


@settings(max_examples=60)
@given(rows=st.integers(1, 12).flatmap(unit_rows).map(whole_rows), share=st.floats(-1, 1))
def test_the_greedy_order_is_that_of_fewest_neighbours(rows: FloatArray, share: float) -> None:
    threshold = max(0, min(HIGHEST, int((share + 1) * HALF)))
    m = len(rows)
    levels = np.clip(np.floor(rows @ rows.T * (HALF / STEPS**2)) + HALF, 0, HIGHEST)
    joined = {i: {j for j in range(m) if j != i and levels[i, j] >= threshold} for i in range(m)}
    left, order = set(range(m)), []
    while left:
        taken = min(left, key=lambda i: (len(joined[i] & left), i))
        order.append(taken)
        left -= joined[taken] | {taken}
    graph = join(similarity_levels(rows), threshold)

    assert graph.degrees.tolist() == [len(joined[i]) for i in range(m)]
    assert greedy_independent(graph, np.ones(m, dtype=np.bool_), m).tolist() == order


@settings(max_examples=60)
@given(rows=st.integers(2, 14).flatmap(unit_rows).map(whole_rows), data=st.data())
def test_chosen_items_are_below_the_threshold_where_n_allows(
    rows: FloatArray, data: st.DataObject
) -> None:
    n = data.draw(st.integers(1, len(rows) - 1))
    found = find_independent(rows, n)
    cosines = rows[found.columns] @ rows[found.columns].T / STEPS**2
    n_kinds = len({tuple(row) for row in rows.tolist() if any(row)})

    assert found.columns.size == n
    if found.n_apart == n:
        assert (cosines[np.triu_indices(n, 1)] < found.threshold).all()
    else:
        assert found.n_apart < n
        assert found.n_apart >= n_kinds
        assert found.threshold == (HIGHEST - HALF) / HALF


def test_the_threshold_is_as_low_as_n_allows() -> None:
    rows = whole_rows(random_rows(7, 60))
    levels, among = similarity_levels(rows), np.ones(60, dtype=np.bool_)
    lowest = 0
    for n in range(1, 60):
        found = find_independent(rows, n)
        level = round(found.threshold * HALF) + HALF
        sizes = [greedy_independent(join(levels, at), among, 60).size for at in (level - 1, level)]

        assert found.n_apart == n
        assert sizes[1] == n or sizes[0] < n < sizes[1]
        order = greedy_independent(join(levels, level), among, n)
        assert found.columns.tolist() == sorted(order.tolist())
        lowest += sizes[1] == n
    assert lowest > 30  # most sizes are hit exactly


def test_where_no_threshold_gives_n_the_first_n_are_kept() -> None:
    """Five pairs whose similarities are all the same: five items are found, or ten."""
    rows = np.repeat(np.eye(5, 6), 2, axis=0)
    rows[1::2, 5] = 0.5
    found = find_independent(whole_rows(unit(rows)), 7)

    assert found.columns.tolist() == [0, 1, 2, 3, 4, 5, 6]
    assert found.n_apart == 7


def test_where_there_are_copies_those_that_are_unlike_come_first() -> None:
    rows = np.repeat(np.eye(3), 4, axis=0)
    draw = IndependentSet().draw(
        Features(12, None, None, np.ones(12), texts=(rows,)), 5, Stream.of(0)
    )

    assert draw.columns.tolist() == [0, 1, 4, 5, 8]
    assert "No more than 3 items are unlike" in draw.notes[0].text


def test_rounds_take_all_items_in_the_end() -> None:
    graph = join(similarity_levels(whole_rows(np.repeat(np.eye(3), 4, axis=0))), HIGHEST)

    assert [sorted(part.tolist()) for part in independent_rounds(graph, 12)] == [
        [0, 4, 8],
        [1, 5, 9],
        [2, 6, 10],
        [3, 7, 11],
    ]


def test_the_threshold_is_noted_as_a_percentile() -> None:
    """Of the six pairs of four items one is alike; three items are asked for."""
    rows = unit(np.array([[1.0, 0.0, 0.0], [1.0, 0.1, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]))
    draw = IndependentSet().draw(
        Features(4, None, None, np.ones(4), texts=(rows,)), 3, Stream.of(0)
    )
    said = draw.notes[0]

    assert draw.columns.tolist() in ([0, 2, 3], [1, 2, 3])
    assert said.code == "threshold"
    assert "percentile 83.33 of all pairs." in said.text


# --- agreement -----------------------------------------------------------------------------------


@st.composite
def axis_rows(draw: st.DrawFn, m: int) -> FloatArray:
    """Rows that are plus or minus an axis: sums over them are whole numbers, and ties abound."""
    axes = draw(st.lists(st.integers(0, 2), min_size=m, max_size=m))
    signs = draw(st.lists(st.sampled_from([-1.0, 1.0]), min_size=m, max_size=m))
    return np.asarray(np.eye(3)[axes] * np.array(signs)[:, None])


@settings(max_examples=80)
@given(m=st.integers(1, 12), seed=st.integers(0, 1000), data=st.data())
def test_agreement_is_what_its_definition_says(m: int, seed: int, data: st.DataObject) -> None:
    texts = tuple(data.draw(axis_rows(m)) for _ in range(data.draw(st.integers(1, 3))))
    n, n_candidates = data.draw(st.integers(1, m)), data.draw(st.integers(1, 40))
    stream = Stream.of(seed)
    candidates = [draw_candidate(stream, k, m, n).tolist() for k in range(n_candidates)]
    worst, total = [0] * n_candidates, [0] * n_candidates
    for rows in texts:
        # m n times the difference of the means: whole numbers, so ties are ties.
        gaps = [m * rows[subset].sum(axis=0) - n * rows.sum(axis=0) for subset in candidates]
        distances = [int(gap @ gap) for gap in gaps]
        for k, own in enumerate(distances):
            place = sum(other < own for other in distances)
            worst[k], total[k] = max(worst[k], place), total[k] + place
    best = min(range(n_candidates), key=lambda k: (worst[k], total[k], k))
    seen = Features(m, None, None, np.ones(m), texts=texts)
    draw = Agreement(n_candidates).draw(seen, n, stream)

    assert draw.columns.tolist() == candidates[best]
    assert draw.design_weights is None
    assert [note.code for note in draw.notes] == ["one-representation"] * (len(texts) == 1)


def test_under_weights_weighted_means_are_compared() -> None:
    """The item that weighs all must be there: then every weighted mean is its own row."""
    rows = random_rows(9, 12)
    weights = np.zeros(12)
    weights[4] = 12.0
    gaps = candidate_gaps((rows,), weights, 3, 60, Stream.of(0))[0]
    with_it = [4 in draw_candidate(Stream.of(0), k, 12, 3) for k in range(60)]

    assert np.isfinite(gaps).all()
    assert len({gap for gap, there in zip(gaps, with_it, strict=True) if there}) == 1


def test_ranks_count_those_that_are_smaller() -> None:
    assert rank(np.array([2.0, 2.0, 1.0, 5.0])).tolist() == [1, 1, 0, 3]


def test_agreement_needs_a_candidate() -> None:
    with pytest.raises(br.ArgumentError, match=r"`n_candidates` must be 1 or more, got 0\."):
        Agreement(n_candidates=0)

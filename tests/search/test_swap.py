"""Swap descent: the compiled one equals the plain one, and never makes a subset worse."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from bestrand.rng import Stream
from bestrand.search.fixed_point import signed_fixed_point
from bestrand.search.swap import descend_plainly, swap_descent
from bestrand.search.swap_kernel import descend


def length(features: np.ndarray, chosen: np.ndarray) -> float:
    return float(np.linalg.norm(features[chosen].sum(axis=0)))


@settings(max_examples=40)
@given(m=st.integers(2, 30), d=st.integers(1, 5), data=st.data(), seed=st.integers(0, 999))
def test_the_compiled_descent_equals_the_plain_one(
    m: int, d: int, data: st.DataObject, seed: int
) -> None:
    n = data.draw(st.integers(1, m - 1))
    rng = np.random.default_rng(seed)
    values, _ = signed_fixed_point(rng.normal(size=(m, d)).round(1))
    order = rng.permutation(m)
    words = rng.integers(0, 2**32, size=40)
    runs = []
    for walk in (descend, descend_plainly):
        members, others = order[:n].copy(), order[n:].copy()
        sums = values[members].sum(axis=0)
        walk(values, members, others, sums, words)
        runs.append((members.tolist(), others.tolist(), sums.tolist()))

    assert runs[0] == runs[1]


@settings(max_examples=40)
@given(m=st.integers(2, 60), d=st.integers(1, 4), data=st.data(), seed=st.integers(0, 999))
def test_a_descent_keeps_n_distinct_items_and_is_never_further(
    m: int, d: int, data: st.DataObject, seed: int
) -> None:
    n = data.draw(st.integers(1, m))
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(m, d))
    features -= features.mean(axis=0)
    start = np.sort(rng.permutation(m)[:n])
    chosen = swap_descent(features, start, stream=Stream.of(seed))

    assert chosen.tolist() == sorted(set(chosen.tolist()))
    assert chosen.size == n
    assert length(features, chosen) <= length(features, start) + 1e-6


def test_a_descent_comes_much_nearer_than_its_start() -> None:
    rng = np.random.default_rng(0)
    features = rng.normal(size=(400, 6))
    features -= features.mean(axis=0)
    start = np.arange(100)
    chosen = swap_descent(features, start, stream=Stream.of(1))

    assert length(features, chosen) < 0.2 * length(features, start)


def test_a_reference_moves_the_aim() -> None:
    rng = np.random.default_rng(0)
    features = rng.normal(size=(400, 2))
    features -= features.mean(axis=0)
    aim = np.array([30.0, -20.0])
    chosen = swap_descent(features, np.arange(100), stream=Stream.of(1), reference=aim)

    assert np.linalg.norm(features[chosen].sum(axis=0) - aim) < 2

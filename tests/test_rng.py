import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2

from bestrand.errors import ArgumentError
from bestrand.rng import MASK, Stream, philox4x32
from tests.strategies import item_ids


# Random123 (D. E. Shaw Research), kat_vectors, philox4x32 with 10 rounds.
KNOWN_ANSWERS = [
    (
        "00000000 00000000 00000000 00000000",
        "00000000 00000000",
        "6627e8d5 e169c58d bc57ac4c 9b00dbd8",
    ),
    (
        "ffffffff ffffffff ffffffff ffffffff",
        "ffffffff ffffffff",
        "408f276d 41c83b0e a20bc7c6 6d5451fd",
    ),
    (
        "243f6a88 85a308d3 13198a2e 03707344",
        "a4093822 299f31d0",
        "d16cfe09 94fdcceb 5001e420 24126ea1",
    ),
]


def as_words(text: str) -> list[int]:
    return [int(word, 16) for word in text.split()]


@pytest.mark.parametrize(("counter", "key", "answer"), KNOWN_ANSWERS)
def test_philox_gives_the_published_answers(counter: str, key: str, answer: str) -> None:
    first, second = as_words(key)
    counters = np.array(as_words(counter), dtype=np.uint64)[:, None]

    assert philox4x32(counters, (first, second)).ravel().tolist() == as_words(answer)


def test_philox_turns_each_counter_by_itself() -> None:
    counters = np.array([as_words(counter) for counter, _, _ in KNOWN_ANSWERS], dtype=np.uint64).T
    together = philox4x32(counters, (7, 11))
    alone = [philox4x32(counters[:, [i]], (7, 11)).ravel() for i in range(3)]

    assert together.T.tolist() == [words.tolist() for words in alone]


def test_philox_leaves_its_counters_as_they_were() -> None:
    counters = np.arange(8, dtype=np.uint64).reshape(4, 2)
    philox4x32(counters, (1, 2))

    assert counters.ravel().tolist() == list(range(8))


@given(
    number=st.integers(0, MASK),
    attempt=st.integers(0, 5),
    n=st.integers(1, 30),
    seed=st.integers(0, 2**70),
)
def test_words_are_the_outputs_of_distinct_counters(
    number: int, attempt: int, n: int, seed: int
) -> None:
    stream = Stream.of(seed)
    n_blocks = -(-n // 4)
    blocks = [
        philox4x32(np.array([[block], [number], [attempt], [0]], dtype=np.uint64), stream.key)
        for block in range(n_blocks)
    ]
    side_by_side = np.hstack(blocks).ravel()

    assert stream.words(number, n, attempt).tolist() == side_by_side[:n].tolist()


def test_words_are_uniform_over_their_high_and_low_bits() -> None:
    words = np.concatenate([Stream.of(3).words(number, 50) for number in range(2000)])
    for cells in (words >> 26, words & 63):
        counts = np.bincount(cells, minlength=64)
        statistic = float(((counts - words.size / 64) ** 2 / (words.size / 64)).sum())

        assert chi2.sf(statistic, 63) > 1e-6
    assert words.min() >= 0
    assert words.max() <= MASK


def test_no_words_can_be_asked_for() -> None:
    assert Stream.of(0).words(0, 0).size == 0


def test_numbers_layers_and_seeds_have_words_of_their_own() -> None:
    drawn = {
        tuple(stream.words(number, 4, attempt).tolist())
        for stream in (Stream.of(0), Stream.of(1), Stream.of(0, "a"), Stream.of(0).child("a"))
        for number in range(3)
        for attempt in range(3)
    }

    assert len(drawn) == 4 * 3 * 3


@given(seed=st.integers(0, 2**70), path=st.lists(item_ids, max_size=3), name=item_ids)
def test_a_stream_depends_on_names_alone(seed: int, path: list[str], name: str) -> None:
    first = Stream.of(seed, *path)
    first.words(0, 10)
    Stream.of(seed, name).child(name)

    assert Stream.of(seed, *path) == first
    assert first.child(name) == Stream.of(seed, *path).child(name)
    assert first.child(name) != first


def test_names_are_kept_apart() -> None:
    assert Stream.of(1, "ab") != Stream.of(1, "a", "b")
    assert Stream.of(1, "a", "b") != Stream.of(1, "b", "a")
    assert Stream.of(11) != Stream.of(1, "1")


def test_keys_stay_as_they_are() -> None:
    assert Stream.of(0, "select").key == (512896845, 3859547090)
    assert Stream.of(0, "select").child("counts").key == (2333655445, 1121663220)


def test_a_negative_seed_is_refused() -> None:
    message = "`seed` must be 0 or more, got -1."
    with pytest.raises(ArgumentError, match=re.escape(message)) as caught:
        Stream.of(-1)

    assert caught.value.facts == {"seed": -1}


def test_generators_repeat_and_differ_by_stream() -> None:
    drawn = [Stream.of(seed).generator().integers(0, 2**60) for seed in (0, 0, 1)]

    assert drawn[0] == drawn[1] != drawn[2]

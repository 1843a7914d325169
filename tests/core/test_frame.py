"""Frames: one order and one digest for the same items, and weights that sum to 1."""

import hashlib
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bestrand import ArgumentError, Frame, InputError
from bestrand.core.frame import items_digest
from bestrand.types import Weighting


ids = st.lists(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=4),
    min_size=1,
    max_size=8,
    unique=True,
)


@given(items=ids, data=st.data())
def test_the_order_in_which_items_come_is_nothing(items: list[str], data: st.DataObject) -> None:
    numbers = [float(number + 1) for number in range(len(items))]
    groups = [f"g{number % 3}" for number in range(len(items))]
    order = data.draw(st.permutations(range(len(items))))

    one = Frame.of(items, groups=groups, tasks=groups, weights=numbers)
    other = Frame.of(
        (items[i] for i in order),
        groups=[groups[i] for i in order],
        tasks=[groups[i] for i in order],
        weights=[numbers[i] for i in order],
    )

    assert list(one.items) == sorted(items)
    assert (one.items, one.groups, one.tasks) == (other.items, other.groups, other.tasks)
    assert one.digest == other.digest
    assert one.weights.tolist() == other.weights.tolist()


def test_the_digest_is_over_each_id_after_its_length_in_bytes() -> None:
    expected = hashlib.sha256(b"1:b" + "3:题".encode()).hexdigest()

    assert Frame.of(["题", "b"]).digest == expected
    assert items_digest(["ab", "c"]) != items_digest(["a", "bc"])


def test_the_digest_is_the_same_for_ever() -> None:
    assert Frame.of(["1", "2"]).digest == (
        "c1a20b6bd4b602a201c037210cde6429b3b32e277260df7defefea3dbbda8fd0"
    )


@given(items=ids)
def test_weights_are_even_unless_told(items: list[str]) -> None:
    frame = Frame.of(items)

    assert frame.weighting == "micro"
    assert frame.n == len(items)
    assert frame.relative_weights.tolist() == [1.0] * len(items)
    assert math.fsum(frame.weights) == pytest.approx(1, abs=1e-12)


@given(groups=st.lists(st.sampled_from("abc"), min_size=1, max_size=12))
def test_macro_weights_give_every_group_the_same_total(groups: list[str]) -> None:
    items = [f"q{number:02}" for number in range(len(groups))]
    frame = Frame.of(items, groups=groups, weighting="macro")
    totals = [
        frame.weights[[i for i, g in enumerate(groups) if g == group]].sum()
        for group in set(groups)
    ]

    assert totals == pytest.approx([1 / len(totals)] * len(totals))
    assert frame.group_sizes == {group: groups.count(group) for group in sorted(set(groups))}


def test_explicit_weights_go_with_their_items_and_are_scaled() -> None:
    frame = Frame.of(["b", "a"], weights=[3, 1])

    assert frame.weighting == "explicit"
    assert frame.weights.tolist() == [0.25, 0.75]
    assert frame.relative_weights.tolist() == [0.5, 1.5]


def test_an_array_of_weights_is_taken_and_stays_the_callers_own() -> None:
    weights = np.array([3.0, 1.0])
    frame = Frame.of(["b", "a"], weights=weights)
    weights[0] = 9

    assert frame.weights.tolist() == [0.25, 0.75]
    with pytest.raises(ValueError, match="read-only"):
        frame.weights[0] = 1


def test_ids_from_an_array_are_plain_text() -> None:
    frame = Frame.of(np.array(["b", "a"]))

    assert [type(item) for item in frame.items] == [str, str]


def test_groups_are_numbered_in_the_order_of_their_names() -> None:
    frame = Frame.of(["a", "b", "c"], groups=["y", "x", "y"])
    codes = frame.group_codes

    assert codes is not None
    assert codes.tolist() == [1, 0, 1]
    assert Frame.of(["a"]).group_codes is None
    assert Frame.of(["a"]).group_sizes is None


def test_positions_say_where_each_item_stands() -> None:
    assert Frame.of(["b", "a"]).positions == {"a": 0, "b": 1}


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ([], "at least one item, got none"),
        (["a", "b", "a", "b", "c"], r"distinct, 2 of them come more than once: 'a', 'b'\. Give"),
        ("items.txt", "must be several ids, got the text 'items.txt'. Read a file"),
        ([1, 2], r"Item ids must be text .*; 2 are not: 1, 2\."),
        (["a", None], r"1 are not: None\."),
        (["a", "x\ud83d"], r"1 are not: 'x\\ud83d'\."),
    ],
)
def test_items_that_are_none_are_refused(items: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Frame.of(items)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1], "`weights` must have one for each of 2 items, got 1"),
        ([1, -1], "Weights must be finite and 0 or more; 1 are not, of items 'b'"),
        ([math.inf, 1], "1 are not, of items 'a'"),
        ([math.nan, math.nan], "2 are not, of items 'a', 'b'"),
        ([1e308, 1e308], "2 are not, of items 'a', 'b'"),
        ([0, 0], "At least one weight must be above 0; all are 0"),
        ([None, 1], r"Weights must be numbers \(.*None.*\). Give every item one"),
        (["x", 1], "Weights must be numbers"),
    ],
)
def test_weights_that_are_none_are_refused(weights: list[float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Frame.of(["a", "b"], weights=weights)


@pytest.mark.parametrize(
    ("weighting", "message"),
    [
        ("macro", 'Weighting "macro" counts every group the same, and these items have no groups'),
        (
            "explicit",
            'Weighting "explicit" needs a weight for every item, and these',
        ),
    ],
)
def test_a_weighting_needs_what_it_is_made_of(weighting: Weighting, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Frame.of(["a", "b"], weighting=weighting)


def test_weights_beside_a_weighting_that_does_not_use_them_are_refused() -> None:
    with pytest.raises(ArgumentError, match="used with weighting \"explicit\" only, got 'macro'"):
        Frame.of(["a", "b"], groups=["g", "h"], weights=[1, 2], weighting="macro")


def test_an_unknown_weighting_is_refused() -> None:
    with pytest.raises(ArgumentError, match=r"`weighting` must be one of 'micro', .*, got 'even'"):
        Frame.of(["a"], weighting="even")  # type: ignore[arg-type]


@pytest.mark.parametrize("what", ["groups", "tasks"])
def test_groups_and_tasks_go_with_the_items(what: str) -> None:
    with pytest.raises(InputError, match=f"`{what}` must have one for each of 2 items, got 1"):
        Frame.of(["a", "b"], **{what: ["g"]})  # type: ignore[arg-type]
    with pytest.raises(InputError, match=f"`{what}` must be text .*; 1 are not: None"):
        Frame.of(["a", "b"], **{what: ["g", None]})  # type: ignore[arg-type]


def test_other_weights_are_given_to_the_same_items() -> None:
    frame = Frame.of(["a", "b", "c"], groups=["x", "x", "y"], weights=[1, 1, 2])

    assert frame.reweighted("macro").weights.tolist() == [0.25, 0.25, 0.5]
    assert frame.reweighted("micro").digest == frame.digest
    assert frame.reweighted("explicit") is frame


def test_a_part_of_a_frame_has_weights_of_its_own() -> None:
    frame = Frame.of(["a", "b", "c"], groups=["x", "x", "y"], weights=[0, 1, 3])
    part = frame.take(np.array([1, 2]))

    assert part.items == ("b", "c")
    assert part.groups == ("x", "y")
    assert part.weights.tolist() == [0.25, 0.75]
    with pytest.raises(InputError, match="must have a weight above 0; all have weight 0"):
        frame.take(np.array([0]))

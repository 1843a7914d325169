"""Ids that look alike: they are never made one, and what makes them differ is named."""

import pytest

from bestrand.ids import explain_mismatch, is_encodable, unicode_twins


@pytest.mark.parametrize(
    ("asked", "got", "why"),
    [
        (["a", "b"], [" a", "b "], "the surrounding white space"),
        (["1", "2"], ["001", "02"], "the way numbers are written ('01', '1.0', '1')"),
        (["1", "2"], ["1.0", "2.00"], "the way numbers are written ('01', '1.0', '1')"),
        (["Q1", "Q2"], ["q1", "q2"], "upper and lower case"),
        (["\u00e9"], ["e\u0301"], "the Unicode form (NFC, NFD)"),
    ],
)
def test_the_form_in_which_ids_would_match_is_named(
    asked: list[str], got: list[str], why: str
) -> None:
    assert explain_mismatch(asked, got) == f" The ids would match but for {why}."
    assert explain_mismatch(got, asked) == f" The ids would match but for {why}."


@pytest.mark.parametrize(
    ("asked", "got"),
    [
        (["a"], ["b"]),
        (["1"], ["1.5"]),
        (["1", "2"], ["1", "2"]),
        (["a", "b", "c", "d"], ["A", "x", "y", "z"]),
        (["9" * 5000], ["0" + "9" * 5000]),
        ([], ["a"]),
        ([], []),
    ],
)
def test_nothing_is_said_where_no_form_would_help(asked: list[str], got: list[str]) -> None:
    assert explain_mismatch(asked, got) == ""


def test_twins_are_named_in_the_order_in_which_they_come() -> None:
    items = ["e\u0301", "a", "\u00e9", "\u212b", "\u00c5", "A\u030a"]

    assert unicode_twins(items) == [
        ("e\u0301", "\u00e9"),
        ("\u212b", "\u00c5"),
        ("\u212b", "A\u030a"),
    ]


def test_the_same_id_twice_is_no_twin() -> None:
    assert unicode_twins(["\u00e9", "\u00e9", "a", "a"]) == []


@pytest.mark.parametrize(("text", "whole"), [("", True), ("题🙂\0", True), ("a\udc80", False)])
def test_half_a_surrogate_pair_is_no_whole_text(text: str, whole: bool) -> None:  # noqa: FBT001
    assert is_encodable(text) is whole

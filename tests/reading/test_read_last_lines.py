"""The last line: cut off, or whole and not alone; scores lose no whole row, lists lose none."""

import gzip
import json
from pathlib import Path

import pytest

from bestrand import FileError, Note, read_items, read_scores
from bestrand.reading.json_rows import is_begun


FIRST = '{"item": "q1", "model": "a", "score": 1}'
WHOLE = (
    '{"item": "q2", "model": "a", "score": 0.5, "error": null, "x": [{"y": "\\u00e9\\""}, true]}'
)


def test_every_beginning_of_an_object_is_one_and_the_whole_is_none() -> None:
    row = {"a": [1.5e-3, {"b": [], "c": {}}, "\\", 'x"y'], "d": True, "é": None, "f": float("nan")}
    for text in (WHOLE, json.dumps(row), json.dumps(row, indent=1), '{"a":-Infinity,"b":false}'):
        assert [n for n in range(1, len(text)) if not is_begun(text[:n])] == []
        for more in ("", ",", "]", "}", "x", text, text[:5], " 1"):
            assert not is_begun(text + more)


@pytest.mark.parametrize("text", ["", "x", "[1", '"a', '{"a": 1]', "{]", '{"a" 1', "{1: 2", "{,"])
def test_what_begins_no_object_is_none(text: str) -> None:
    assert not is_begun(text)


@pytest.mark.parametrize("cut", range(1, len(WHOLE)))
def test_a_line_cut_anywhere_is_left_out_with_a_note(cut: int, tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    path.write_text(f"{FIRST}\n{WHOLE[:cut]}")

    table = read_scores(path)

    assert table.items["item"].to_list() == ["q1"]
    assert table.notes == (
        Note("cut-line", f"{path}:2: the last line is cut off and was left out."),
    )


@pytest.mark.parametrize("line_feed", ["", "\n", "\r\n"])
@pytest.mark.parametrize("between", ["", " ", "\t"])
def test_objects_on_one_line_are_rows_with_a_note(
    line_feed: str, between: str, tmp_path: Path
) -> None:
    path = tmp_path / "m.jsonl"
    third = '{"item": "q3", "model": "a", "score": 0}'
    path.write_bytes(f"{FIRST}\n{WHOLE}{between}{third}{line_feed}".encode())

    table = read_scores(path)

    assert table.matrix().values.tolist() == [[1, 0.5, 0]]
    assert table.notes[0] == Note(
        "glued-line",
        f"{path}:2: several objects on one line; each was read as a row (lines of that kind: 1).",
    )
    with pytest.raises(FileError, match=r"m.jsonl:2: several objects on one line. Write each on"):
        read_items(path)


@pytest.mark.parametrize("line_feed", ["", "\n"])
@pytest.mark.parametrize("more", [",", "]", "}", "},", "x", '{"item": "q3", "sc', "[]", "1"])
def test_a_whole_object_with_more_behind_it_is_refused(
    more: str, line_feed: str, tmp_path: Path
) -> None:
    path = tmp_path / "m.jsonl"
    path.write_text(f"{FIRST}\n{WHOLE}{more}{line_feed}")

    for read in (read_scores, read_items):
        with pytest.raises(FileError) as refused:
            read(path)
        assert refused.value.line == 2
        assert f"more than an object on one line: {more!r} follows it" in str(refused.value)


def test_a_last_line_that_is_not_utf8_is_not_cut(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    path.write_bytes(FIRST.encode() + b'\n{"item": "caf\xe9", "model": "a", "score": 1}')

    with pytest.raises(FileError, match=r"m.jsonl:2: not UTF-8 \(byte 0xe9\)"):
        read_scores(path)


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize("last", ['{"item": "q2", "gr', '{"item": "q2"', "{"])
def test_a_list_of_items_that_is_cut_is_refused(
    last: str, pack: type[bytes], tmp_path: Path
) -> None:
    path = tmp_path / "items.jsonl"
    path.write_bytes(pack(f'{{"item": "q1"}}\n{last}'.encode()))

    with pytest.raises(FileError, match=r"items.jsonl:2: the last line ends too early, and no row"):
        read_items(path)


def test_a_whole_last_line_without_a_line_feed_is_read(tmp_path: Path) -> None:
    (tmp_path / "m.jsonl").write_text(f"{FIRST}\n{WHOLE}")

    assert read_scores(tmp_path / "m.jsonl").matrix().values.tolist() == [[1, 0.5]]
    assert read_items(tmp_path / "m.jsonl").n == 2

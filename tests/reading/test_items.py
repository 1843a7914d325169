"""Item lists: the frame from ids alone, from a table of items, or from scores."""

import json
from pathlib import Path

import polars as pl
import pytest

from bestrand import ArgumentError, FileError, InputError, read_items, read_scores


def test_a_text_file_holds_an_id_a_line_exactly_as_written(tmp_path: Path) -> None:
    path = tmp_path / "items.txt"
    path.write_bytes("\ufeff b\r\n\r\na,1\n[x]\n01\n题 ".encode())

    frame = read_items(path)

    assert frame.items == (" b", "01", "[x]", "a,1", "题 ")
    assert frame.weighting == "micro"


@pytest.mark.parametrize("name", ["items.json", "items.jsonl", "items"])
def test_a_json_list_of_ids_is_read(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(json.dumps(["b", 7, "a"]))

    assert read_items(path).items == ("7", "a", "b")


@pytest.mark.parametrize("name", ["items.csv", "items.tsv", "items.jsonl", "items.parquet"])
def test_a_table_of_items_may_have_groups_tasks_and_weights(name: str, tmp_path: Path) -> None:
    table = pl.DataFrame(
        {"id": ["b", "a"], "subtask": ["y", "x"], "task": ["t", "t"], "weight": [3, 1]}
    )
    path = tmp_path / name
    if name.endswith(".parquet"):
        table.write_parquet(path)
    elif name.endswith(".jsonl"):
        table.write_ndjson(path)
    else:
        table.write_csv(path, separator="\t" if name.endswith(".tsv") else ",")

    frame = read_items(path)

    assert frame.items == ("a", "b")
    assert frame.groups == ("x", "y")
    assert frame.tasks == ("t", "t")
    assert frame.weights.tolist() == [0.25, 0.75]
    assert frame.weighting == "explicit"
    assert read_items(path, weighting="macro").weights.tolist() == [0.5, 0.5]
    assert read_items(path, weighting="micro").weighting == "micro"


def test_columns_that_say_nothing_of_items_are_no_matter(tmp_path: Path) -> None:
    (tmp_path / "items.csv").write_text("item,question,difficulty\na,What?,0.5\nb,Who?,\n")

    assert read_items(tmp_path / "items.csv").items == ("a", "b")


def test_the_items_of_scores_are_those_that_reading_the_scores_gives(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("item,model,score,group\nb,m1,1,g\na,m1,0,h\nb,m2,,g\nc,m2,C,h\n")

    frame = read_items(path)

    assert frame.items == ("a", "b", "c")
    assert frame.groups == ("h", "g", "h")


def test_the_items_of_a_folder_of_scores_are_those_of_all_files(tmp_path: Path) -> None:
    (tmp_path / "m1.csv").write_text("item,score\nb,1\na,1\n")
    (tmp_path / "m2.csv").write_text("item,score\nb,1\nc,1\n")

    assert read_items(tmp_path).items == ("a", "b", "c")
    assert read_items(tmp_path).digest == read_scores(tmp_path).frame().digest


def test_the_items_of_a_wide_table_are_its_rows(tmp_path: Path) -> None:
    (tmp_path / "wide.csv").write_text("item,m1,m2\nb,1,0\na,,\n")

    assert read_items(tmp_path / "wide.csv").items == ("a", "b")


@pytest.mark.parametrize(
    ("name", "content", "place"),
    [
        ("items.txt", "a\nb\na\n", "items.txt:3"),
        ("items.json", '["a", "b", "a"]', "items.json row 3"),
        ("items.csv", "id,q\na,1\nb,2\na,3\n", "items.csv:4"),
        ("wide.csv", "item,m1\na,1\nb,0\na,1\n", "wide.csv:4"),
    ],
)
def test_an_id_that_comes_twice_is_refused(
    name: str, content: str, place: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(content)

    with pytest.raises(FileError, match=rf"ids must be distinct, 1 .*: 'a' \(again at .*{place}\)"):
        read_items(tmp_path / name)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("items.json", "[]", "no rows"),
        ("items.json", "[null]", "row 1: 'item' is empty. Give every row an id"),
        ("items.json", '[1, "1"]', r"row 2: id '1' comes both as a number and as text \(first at"),
        (
            "items.json",
            '{"frame_digest": "ab",\n"items": ["a"]}',
            "this is a manifest, which holds",
        ),
        ("items.json", '{"items": ["a"]}', "no column of item ids"),
        ("items.csv", "q1\nq2\nq3\n", "no column of item ids; looked for item"),
        ("items.txt", " \n\n", "no rows: the file is empty"),
        ("items.txt", "\u00a0\n", "no rows"),
    ],
)
def test_what_holds_no_ids_is_refused(
    name: str, content: str, message: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(content)

    with pytest.raises(FileError, match=message):
        read_items(tmp_path / name)


def test_text_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    (tmp_path / "items.txt").write_bytes(b"a\ncaf\xe9\n")

    with pytest.raises(FileError, match=r"items.txt:2: not UTF-8 \(byte 0xe9\)"):
        read_items(tmp_path / "items.txt")


def test_weights_that_are_asked_for_must_be_there(tmp_path: Path) -> None:
    (tmp_path / "items.txt").write_text("a\nb\n")

    with pytest.raises(InputError, match='Weighting "macro" counts every group the same'):
        read_items(tmp_path / "items.txt", weighting="macro")
    with pytest.raises(
        ArgumentError, match="`weighting` must be one of 'micro', 'macro', 'explicit'"
    ):
        read_items(tmp_path / "items.txt", weighting="even")  # type: ignore[arg-type]


def test_an_item_in_two_groups_is_refused(tmp_path: Path) -> None:
    (tmp_path / "scores.csv").write_text("item,model,score,group\na,m1,1,g\na,m2,1,h\n")

    with pytest.raises(InputError, match="An item must have one group, and 1 have more"):
        read_items(tmp_path / "scores.csv")

"""Broken files: cut, damaged, not of their kind, not there, or too many; none is guessed at."""

import gzip
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
import zstandard

from bestrand import FileError, InputError, read_items, read_scores


@pytest.mark.parametrize(
    "content",
    [b"", b"\n \r\n", b"\xef\xbb\xbf", gzip.compress(b"", mtime=0), zstandard.compress(b"\n")],
)
@pytest.mark.parametrize("name", ["m.jsonl", "m.csv", "m.json", "m.parquet", "m.txt"])
def test_an_empty_file_is_refused(name: str, content: bytes, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)

    with pytest.raises(FileError, match="no rows: the file is empty"):
        read_scores(tmp_path / name)
    with pytest.raises(FileError, match="no rows: the file is empty"):
        read_items(tmp_path / name)


@pytest.mark.parametrize("content", ["item,score\n", "item,score", "\n\nitem,score\n\n"])
def test_a_header_alone_is_refused(content: str, tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text(content)

    with pytest.raises(FileError, match="no rows: there is a header at most, and nothing below"):
        read_scores(tmp_path / "m.csv")


@pytest.mark.parametrize("content", ["[]", "[{}]"])
def test_a_json_list_without_rows_is_refused(content: str, tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text(content)

    with pytest.raises(FileError, match=r"m.json: no rows"):
        read_scores(tmp_path / "m.json")


def test_a_byte_order_mark_and_windows_line_ends_are_no_matter(tmp_path: Path) -> None:
    contents = {
        "m.jsonl": '{"id": "a", "score": 1}\r\n\r\n{"id": "b", "score": 0}\r\n',
        "m.csv": "id,score\r\na,1\r\n\r\nb,0\r\n",
        "m.json": '[\r\n{"id": "a", "score": 1},\r\n{"id": "b", "score": 0}\r\n]',
    }
    tables = []
    for name, content in contents.items():
        (tmp_path / name).write_bytes(b"\xef\xbb\xbf" + content.encode())
        tables.append(read_scores(tmp_path / name))

    assert all(table.items["item"].to_list() == ["a", "b"] for table in tables)
    assert all(table.rows["score"].to_list() == [1, 0] for table in tables)


@pytest.mark.parametrize(
    "cut", [b'{"id": "b", "sco', b'{"id": "caf\xc3', b'{"id": "b", "score": 1']
)
def test_a_cut_last_line_is_left_out_and_noted(cut: bytes, tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    path.write_bytes(b'{"id": "a", "score": 1}\n' + cut)

    table = read_scores(path)

    assert table.items["item"].to_list() == ["a"]
    assert [note.code for note in table.notes] == ["cut-line"]
    assert table.notes[0].text == f"{path}:2: the last line is cut off and was left out."


def test_a_file_of_nothing_but_a_cut_line_is_refused(tmp_path: Path) -> None:
    (tmp_path / "m.jsonl").write_text('{"id": "b", "sco')

    with pytest.raises(FileError, match=r"m.jsonl:1: not JSON \(Unterminated string"):
        read_scores(tmp_path / "m.jsonl")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("WARNING retrying request 3", r"not JSON \(Expecting value\). Mend the line or take it"),
        ('{"id": "b", "sco', r"not JSON \(Unterminated string"),
        ("[1]", "a row must be an object, got a list"),
        ("3", "a row must be an object, got a number"),
        ("null", "a row must be an object, got null"),
        (
            '{"id": "b", "score": 1, "score": 0}',
            r"not usable JSON \(key 'score' comes twice in one",
        ),
        ("[" * 100_000, "not usable JSON"),
        ('{"id": ' + "1" * 5000 + "}", "not usable JSON"),
    ],
)
def test_a_stray_line_is_refused_by_its_number(line: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    path.write_text(f'{{"id": "a", "score": 1}}\n\n{line}\n{{"id": "c", "score": 1}}\n')

    with pytest.raises(FileError, match=f"m.jsonl:3: {message}"):
        read_scores(path)


def test_a_key_twice_is_refused_even_in_the_last_line(tmp_path: Path) -> None:
    (tmp_path / "m.jsonl").write_text('{"id": "a", "score": 1}\n{"id": "b", "id": "c", "score": 1}')

    with pytest.raises(FileError, match=r"m.jsonl:2: .*key 'id' comes twice"):
        read_scores(tmp_path / "m.jsonl")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("m.csv", b"id,score\ncaf\xe9,1\n"),
        ("m.json", b'[\n{"id": "caf\xe9", "score": 1}]'),
        ("m.jsonl", b'{"id": "a", "score": 1}\n{"id": "caf\xe9", "score": 1}\n'),
    ],
)
def test_what_is_not_utf8_is_refused_by_line(name: str, content: bytes, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)

    with pytest.raises(FileError, match=rf"{name}:2: not UTF-8 \(byte 0xe9\). Save it as UTF-8"):
        read_scores(tmp_path / name)


@pytest.mark.parametrize("kind", ["gz", "zst"])
def test_a_cut_stream_says_how_many_lines_were_whole(kind: str, tmp_path: Path) -> None:
    lines = b"".join(b'{"id": "%d", "score": 1}\n' % number for number in range(50_000))
    packed = gzip.compress(lines) if kind == "gz" else zstandard.compress(lines)
    path = tmp_path / f"m.jsonl.{kind}"
    path.write_bytes(packed[: len(packed) * 3 // 4])

    with pytest.raises(FileError, match=r"is cut short; [1-9]\d+ whole lines came out of it"):
        read_scores(path)


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_a_damaged_stream_is_refused(pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    packed = bytearray(pack(bytes(range(256)) * 20))
    packed[len(packed) // 2 :] = b"\xff" * (len(packed) - len(packed) // 2)
    (tmp_path / "m.csv").write_bytes(packed)

    with pytest.raises(FileError, match=r"the compressed stream is (damaged|cut short)"):
        read_scores(tmp_path / "m.csv")


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_streams_one_after_another_are_one_file_and_text_after_them_is_refused(
    pack: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    (tmp_path / "m.csv").write_bytes(pack(b"id,score\na,1\n") + pack(b"b,0\n"))
    (tmp_path / "n.csv").write_bytes(pack(b"id,score\na,1\n") + b"b,0\n")

    assert read_scores(tmp_path / "m.csv").items["item"].to_list() == ["a", "b"]
    with pytest.raises(FileError, match="4 bytes that are not compressed follow"):
        read_scores(tmp_path / "n.csv")


def test_a_cut_parquet_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.parquet"
    pl.DataFrame({"id": ["a"], "score": [1]}).write_parquet(path)
    path.write_bytes(path.read_bytes()[:-9])

    with pytest.raises(FileError, match=r"m.parquet: cannot be read as Parquet \("):
        read_scores(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("id,score\na,1\nb,1,2\n", ":3: 3 fields where the header has 2. Put a field"),
        ('id,score\na,1\n"b"x,1\n', ":3: not a table"),
        ('id,score\na,1\n"b,1\n', ":3: a field opens with a double quote"),
        ("id,score,score\na,1,1\n", ":1: column 'score' comes twice in the header"),
        ('"id;score"\n"a;1"\n', ":1: the separator seems to be ';', and each line stands in"),
        ("name,score\na,1\n", "no column of item ids; looked for item, .* --column item=NAME"),
    ],
)
def test_a_table_that_is_none_is_refused(content: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text(content)

    with pytest.raises(FileError, match=f"m.csv{message}|m.csv: {message}"):
        read_scores(tmp_path / "m.csv")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"results": {"acc": 1},\n"n": 2}', "must hold a list of objects, one a row, got an obj"),
        ('{"a": 1}', "no column of item ids"),
        ("12", "must hold a list of objects, one a row, got a number"),
        ("null", "got null"),
        ('[{"id": "a"}, 3]', "row 2: must be an object, got a number"),
        ('[{"id": "a"}, [3]]', "row 2: must be an object, got a list"),
        ('[{"id": "a"},\n {"id": ]', r"m.json:2: not JSON \(Expecting value"),
        ('{\n"frame_digest": "0"}', "this is a manifest, which holds no scores"),
    ],
)
def test_json_of_something_else_is_refused(content: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text(content)

    with pytest.raises(FileError, match=message):
        read_scores(tmp_path / "m.json")


@pytest.mark.parametrize("name", ["none.csv", "x" * 300, "nul\0.csv"])
def test_a_file_that_is_not_there_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"no such file or folder|cannot be read"):
        read_scores(tmp_path / name)


def test_no_files_at_all_are_refused() -> None:
    with pytest.raises(InputError, match="at least one file, got none"):
        read_scores([])
    with pytest.raises(InputError, match="at least one file, got none"):
        read_scores({})


def test_a_folder_without_scores_is_refused(tmp_path: Path) -> None:
    (tmp_path / "run.log").write_text("started")

    with pytest.raises(InputError, match=r"a folder without scores, among its 1 files. Give one"):
        read_scores(tmp_path)


def test_two_like_named_files_are_refused(tmp_path: Path) -> None:
    for folder in ("x", "y"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "samples.csv").write_text("id,score\na,1\n")

    with pytest.raises(InputError, match=r"Two files would both be model 'samples': .*NAME=PATH"):
        read_scores(tmp_path)


def test_files_with_a_model_column_are_merged_and_that_is_noted(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,model,score\na,m,1\n")
    (tmp_path / "b.csv").write_text("id,model,score\nb,m,0\n")

    table = read_scores(tmp_path)

    assert table.matrix().values.tolist() == [[1, 0]]
    assert [note.text for note in table.notes] == ["Scores of 'm' come from several files."]

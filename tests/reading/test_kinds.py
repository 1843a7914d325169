"""Kinds: what is read is known by its bytes, and what is not read is named."""

import bz2
import gzip
import io
import lzma
import pickle
import sqlite3
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pytest
import zstandard

from bestrand import FileError, read_items, read_scores


CSV = b"item,model,score\nq1,a,1\nq2,a,0.5\n"
FRAME = pl.DataFrame({"item": ["q1", "q2"], "model": ["a", "a"], "score": [1.0, 0.5]})
PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "zst": zstandard.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
}


def scores(path: Path) -> list[float]:
    return [float(value) for value in read_scores(path).matrix().values[0]]


@pytest.mark.parametrize("packing", PACKERS)
@pytest.mark.parametrize("name", ["run.csv.{}", "run.csv", "run"])
def test_packed_files_are_known_by_their_bytes(name: str, packing: str, tmp_path: Path) -> None:
    path = tmp_path / name.format(packing)
    path.write_bytes(PACKERS[packing](CSV))

    assert scores(path) == [1, 0.5]


def test_packed_files_of_a_folder_are_found_and_named_without_suffixes(tmp_path: Path) -> None:
    for packing, pack in PACKERS.items():
        (tmp_path / f"m-{packing}.csv.{packing}").write_bytes(pack(b"id,score\na,1\n"))

    assert read_scores(tmp_path).models == ("m-bz2", "m-gz", "m-xz", "m-zst")


@pytest.mark.parametrize("packing", PACKERS)
def test_packed_streams_may_follow_each_other_and_nothing_else_may(
    packing: str, tmp_path: Path
) -> None:
    pack, path = PACKERS[packing], tmp_path / "m.csv"
    path.write_bytes(pack(b"id,score\na,1\n") + pack(b"b,0\n") + bytes(4))
    assert read_scores(path).items["item"].to_list() == ["a", "b"]

    path.write_bytes(pack(b"id,score\na,1\n") + b"b,0\n")
    with pytest.raises(FileError, match="4 bytes that are not compressed follow"):
        read_scores(path)


@pytest.mark.parametrize("packing", PACKERS)
def test_a_packed_file_that_is_cut_or_damaged_is_refused(packing: str, tmp_path: Path) -> None:
    lines = b"".join(b'{"id": "%d", "score": 1}\n' % number for number in range(50_000))
    packed, path = PACKERS[packing](lines), tmp_path / "m.jsonl"
    path.write_bytes(packed[: len(packed) * 3 // 4])
    with pytest.raises(FileError, match=r"is cut short; \d+ whole lines came out of it"):
        read_scores(path)

    path.write_bytes(packed[: len(packed) // 2] + b"\xff" * (len(packed) // 2))
    with pytest.raises(FileError, match=r"the compressed stream is (damaged|cut short)"):
        read_scores(path)


def test_text_that_begins_like_a_packed_file_is_text(tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text("BZh9,item,score\nx,q1,1\n")

    assert read_scores(tmp_path / "m.csv").items["item"].to_list() == ["q1"]


def as_stream(frame: pl.DataFrame) -> bytes:
    made = io.BytesIO()
    frame.write_ipc_stream(made)
    return made.getvalue()


def as_file(frame: pl.DataFrame) -> bytes:
    made = io.BytesIO()
    frame.write_ipc(made, compression="zstd")
    return made.getvalue()


def as_feather(frame: pl.DataFrame) -> bytes:
    made = io.BytesIO()
    pyarrow.feather.write_feather(frame.to_arrow(), made)
    return made.getvalue()


def as_arrow_stream(frame: pl.DataFrame) -> bytes:
    made = io.BytesIO()
    table = pa.table({"item": ["q1", "q2"], "model": ["a", "a"], "score": frame["score"].to_list()})
    with pa.ipc.new_stream(made, table.schema) as writer:
        writer.write_table(table, max_chunksize=1)
    return made.getvalue()


@pytest.mark.parametrize("write", [as_stream, as_file, as_feather, as_arrow_stream])
@pytest.mark.parametrize("name", ["m.feather", "m.arrow", "m.csv", "m.json", "m"])
def test_arrow_is_known_by_its_bytes(
    name: str, write: Callable[[pl.DataFrame], bytes], tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(write(FRAME))

    assert scores(tmp_path / name) == [1, 0.5]


def test_arrow_files_of_a_folder_are_found(tmp_path: Path) -> None:
    (tmp_path / "m1.feather").write_bytes(as_file(FRAME.drop("model")))
    (tmp_path / "m2.arrow").write_bytes(as_stream(FRAME.drop("model")))

    assert read_scores(tmp_path).models == ("m1", "m2")


@pytest.mark.parametrize("write", [as_stream, as_file])
def test_arrow_that_is_cut_is_refused(
    write: Callable[[pl.DataFrame], bytes], tmp_path: Path
) -> None:
    content = write(FRAME)
    (tmp_path / "m.arrow").write_bytes(content[: len(content) // 2])

    with pytest.raises(FileError, match=r"m.arrow: cannot be read as Arrow \("):
        read_scores(tmp_path / "m.arrow")


def as_zip(*names: str) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name in names:
            archive.writestr(name, "x")
    return made.getvalue()


def as_tar() -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("m.csv"), io.BytesIO(b""))
    return made.getvalue()


def as_npy() -> bytes:
    made = io.BytesIO()
    np.save(made, np.ones(3))
    return made.getvalue()


def as_sqlite(folder: Path) -> bytes:
    with sqlite3.connect(folder / "x.db") as base:
        base.execute("create table scores (item text, score real)")
    base.close()
    return (folder / "x.db").read_bytes()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (as_zip("xl/workbook.xml", "[Content_Types].xml"), "an Excel workbook, .* Save the sheet"),
        (as_zip("mimetype", "content.xml"), "a spreadsheet of LibreOffice, .* Save the sheet"),
        (as_zip("header.json", "samples/1.json"), "a log of Inspect .*samples_df"),
        (as_zip("arr_0.npy"), r"arrays of NumPy \(.npz\)"),
        (as_zip("m/data.pkl"), "a file of PyTorch"),
        (as_zip("a.csv", "b.csv"), r"a zip archive \(of 'a.csv', 'b.csv'\), .* Unpack it"),
        (b"PK\x03\x04" + bytes(40), "a zip archive, "),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(40), r"\(.xls\), .* Save the sheet as CSV"),
        (pickle.dumps(pd.DataFrame({"item": ["a"]})), "a pickle, .*to_parquet"),
        (as_npy(), r"an array of NumPy \(.npy\)"),
        (as_tar(), "a tar archive, .* Unpack it"),
        (gzip.compress(as_tar()), "a tar archive, .* Unpack it"),
        (b"\x89HDF\r\n\x1a\n" + bytes(40), "an HDF5 file, .*read_hdf"),
        (b"\xff\xd8\xff\xe0" + bytes(40), "a picture"),
        (b"\x89PNG\r\n\x1a\n" + bytes(40), "a picture"),
        (b"%PDF-1.7\n\0\xff", "a PDF"),
        (b"7z\xbc\xaf\x27\x1c" + bytes(40), "a 7z archive, .* Unpack it"),
        (b"\x04\x22\x4d\x18" + bytes(40), "packed with lz4, .* Unpack it"),
        (b"ORC\0\0\xffORC\x17", "an ORC file"),
        (bytes(8) + b"DUCK" + bytes(40), "a DuckDB database"),
        (gzip.compress(b"X\n\0\0\0\x03" + bytes(40)), "a file of R, .*write.csv"),
        (b"\x7fELF\x02\0\xfe\xff", "neither text nor a kind of file that is known here"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
@pytest.mark.parametrize("name", ["m.csv", "m.xlsx", "m.parquet.txt", "m"])
def test_other_kinds_are_refused_by_name(
    name: str, content: bytes, said: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(content)

    with pytest.raises(FileError, match=said):
        read_scores(tmp_path / name)
    with pytest.raises(FileError, match=said):
        read_items(tmp_path / name)


def test_a_database_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_bytes(as_sqlite(tmp_path))

    with pytest.raises(FileError, match=r"an SQLite database, .* as CSV: sqlite3 -csv -header"):
        read_scores(tmp_path / "m.csv")


@pytest.mark.parametrize("first", ["ORC", "FEA1", "PARE", "Rar!", "GIF89a", "%PDF-", "ARROW1"])
def test_text_that_begins_like_another_kind_is_text(first: str, tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text(f"{first},item,score\nx,q1,1\n")

    assert read_scores(tmp_path / "m.csv").items["item"].to_list() == ["q1"]


ENCODINGS = ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be", "utf-8-sig"]


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("separator", [",", "\t", ";"])
def test_text_is_read_with_a_mark_of_byte_order_or_without(
    separator: str, encoding: str, tmp_path: Path
) -> None:
    rows = [("item", "score"), ("é", "1"), ("题", "0"), ("😀", "1")]
    text = "".join(separator.join(row) + "\r\n" for row in rows)
    (tmp_path / "m.csv").write_bytes(text.encode(encoding))

    assert read_scores(tmp_path / "m.csv").items["item"].to_list() == ["é", "题", "😀"]


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize(
    "first", ["题目,score", "题目题目题目题目题目,得分得分得分得分", "😀,score"]
)
def test_text_whose_first_letters_are_not_of_ascii_is_read(
    first: str, encoding: str, tmp_path: Path
) -> None:
    text = f"{first}\n" + "".join(f"问题{'很长' * k},1\n" for k in range(40))
    (tmp_path / "m.csv").write_bytes(text.encode(encoding))
    item, score = first.split(",")

    table = read_scores(tmp_path / "m.csv", columns={"item": item, "score": score})

    assert table.items.height == 40


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_json_lines_and_lists_are_read_in_every_encoding(encoding: str, tmp_path: Path) -> None:
    row = '{"item": "题", "model": "é", "score": 1}'
    (tmp_path / "m.jsonl").write_bytes(f"{row}\n".encode(encoding))
    (tmp_path / "m.json").write_bytes(f"[{row}]".encode(encoding))

    for name in ("m.jsonl", "m.json"):
        assert read_scores(tmp_path / name).models == ("é",)


@pytest.mark.parametrize("item", ["a\0b", "\0", "abcdefgh\0", "\0abcdefg"])
def test_a_nul_in_utf8_is_not_taken_for_another_encoding(item: str, tmp_path: Path) -> None:
    for text in (f"item,score\n{item},1\n", f"{item},item,score\nx,q,1\n"):
        (tmp_path / "m.csv").write_bytes(text.encode())
        assert read_scores(tmp_path / "m.csv", form="long").rows["score"].to_list() == [1.0]


def test_half_a_text_in_utf16_is_refused(tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_bytes("item,score\na,1\n".encode("utf-16")[:-1])

    with pytest.raises(FileError, match=r"begins as UTF-16 and is not .* Save it as UTF-8"):
        read_scores(tmp_path / "m.csv")

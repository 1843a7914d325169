"""Sources: which files are meant by a path, a folder or a mapping, and whose scores they hold."""

import gzip
import os
from pathlib import Path

import pytest

from bestrand import FileError, InputError, read_scores


def test_a_mapping_names_the_models(tmp_path: Path) -> None:
    for folder in ("x", "y"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "log.csv").write_text("id,score\na,1\n")

    table = read_scores({"gpt": tmp_path / "x" / "log.csv", "phi": str(tmp_path / "y" / "log.csv")})

    assert table.models == ("gpt", "phi")


def test_a_mapping_renames_the_one_model_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,model,score\na,checkpoint-7,1\n")

    assert read_scores({"gpt": path}).models == ("gpt",)


def test_a_name_for_a_file_of_several_models_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,model,score\na,m1,1\na,m2,1\n")

    with pytest.raises(InputError, match="named 'gpt' and holds scores of 2 models, 'm1', 'm2'"):
        read_scores({"gpt": path})


def test_files_of_a_folder_that_was_named_are_one_model(tmp_path: Path) -> None:
    (tmp_path / "maths.csv").write_text("id,score\nm1,1\n")
    (tmp_path / "law.csv").write_text("id,score\nl1,0\n")

    table = read_scores({"gpt": tmp_path})

    assert table.models == ("gpt",)
    assert table.items["item"].to_list() == ["l1", "m1"]
    assert [note.code for note in table.notes] == ["split-model"]


def test_a_folder_is_read_with_all_below_it(tmp_path: Path) -> None:
    (tmp_path / "deep" / "er").mkdir(parents=True)
    (tmp_path / ".cache").mkdir()
    (tmp_path / "m1.jsonl").write_text('{"id": "a", "score": 1}\n')
    (tmp_path / "deep" / "er" / "m2.CSV.GZ").write_bytes(gzip.compress(b"id,score\na,0\n"))
    (tmp_path / ".cache" / "m3.csv").write_text("id,score\na,0\n")
    (tmp_path / ".m4.csv").write_text("id,score\na,0\n")
    (tmp_path / "run.log").write_text("started")
    (tmp_path / "README.txt").write_text("hello")

    table = read_scores(tmp_path)

    assert table.models == ("m1", "m2")
    assert [note.code for note in table.notes] == ["files-aside"]
    assert "README.txt" in table.notes[0].text
    assert "run.log" in table.notes[0].text
    assert "m3" not in table.notes[0].text


def test_several_paths_are_read_together(tmp_path: Path) -> None:
    (tmp_path / "m1.jsonl").write_text('{"id": "a", "score": 1}\n')
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "m2.tsv").write_text("id\tscore\na\t0\n")

    assert read_scores([str(tmp_path / "m1.jsonl"), tmp_path / "more"]).models == ("m1", "m2")


def test_the_model_of_a_file_is_its_name_without_suffixes(tmp_path: Path) -> None:
    names = ["gpt-4.1", "llama.v2.tsv.zst", "phi.csv"]
    for name in names:
        (tmp_path / name).write_text("id,score\na,1\n")

    table = read_scores([tmp_path / name for name in names])

    assert table.models == ("gpt-4.1", "llama.v2", "phi")


def test_a_file_that_may_not_be_read_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "m.csv"
    path.write_text("id,score\na,1\n")

    def closed(_: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", closed)

    with pytest.raises(FileError, match=r"m.csv: cannot be read: Permission denied"):
        read_scores(path)


def test_a_closed_part_of_a_folder_is_not_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "open").mkdir()
    (tmp_path / "open" / "a.csv").write_text("item,score\nq1,1\nq2,0\n")
    closed = tmp_path / "closed"
    closed.mkdir()
    look = os.scandir

    def scandir(path: str) -> object:
        if Path(path) == closed:
            raise PermissionError(13, "Permission denied", str(closed))
        return look(path)

    monkeypatch.setattr(os, "scandir", scandir)
    with pytest.raises(FileError, match="closed: cannot be read: Permission denied"):
        read_scores(tmp_path)

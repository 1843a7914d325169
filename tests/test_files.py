"""Files: written whole or not at all, and nothing is lost that was not given up."""

import os
from pathlib import Path

import pytest

from bestrand import BestrandError, OutputError
from bestrand.files import check_folder, write_whole


def test_a_file_is_written_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "a.json"

    assert write_whole(path, b"one", force=False) is True
    assert path.read_bytes() == b"one"
    assert list(tmp_path.iterdir()) == [path]


def test_the_same_content_is_not_written_again(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    write_whole(path, b"one", force=False)
    before = path.stat()

    assert write_whole(path, b"one", force=False) is False
    assert write_whole(path, b"one", force=True) is False
    assert path.stat().st_ino == before.st_ino


def test_other_content_is_kept_unless_forced(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b"mine")

    with pytest.raises(OutputError, match=r"a.json' exists and holds something else.*--force"):
        write_whole(path, b"one", force=False)
    assert path.read_bytes() == b"mine"
    assert write_whole(path, b"one", force=True) is True
    assert path.read_bytes() == b"one"
    assert list(tmp_path.iterdir()) == [path]


def test_a_crash_in_the_middle_leaves_the_old_file_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b"old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)

    with pytest.raises(OutputError, match=r"Cannot write .*No space left on device. Write else"):
        write_whole(path, b"new", force=True)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_an_interrupt_leaves_nothing_beside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)

    with pytest.raises(KeyboardInterrupt):
        write_whole(tmp_path / "a.json", b"new", force=False)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"Folder .*none' does not exist. Make it first"):
        write_whole(tmp_path / "none" / "a.json", b"one", force=True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("path", [Path("/"), Path("/dev/null")])
def test_what_is_no_ordinary_file_is_refused(path: Path) -> None:
    with pytest.raises(OutputError, match=r"is a folder or a device. Name an ordinary file"):
        check_folder(path)


@pytest.mark.parametrize("name", ["x" * 300, "nul\0", "x" * 250])
def test_a_name_that_cannot_be_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"Cannot write .*Write elsewhere"):
        write_whole(tmp_path / name, b"one", force=False)


def test_the_error_is_ours_and_the_systems_and_knows_the_path(tmp_path: Path) -> None:
    with pytest.raises(OutputError) as refused:
        check_folder(tmp_path)

    assert isinstance(refused.value, BestrandError)
    assert isinstance(refused.value, OSError)
    assert refused.value.facts == {"path": tmp_path}
    assert str(refused.value).endswith("Name an ordinary file.")

"""The bar of reading: on a terminal, once reading takes long, and never elsewhere."""

import sys
from pathlib import Path

import pytest

import bestrand as br
from bestrand.cli import reading_progress
from bestrand.reading.progress import listening
from tests.conftest import Run


def table(path: Path, n: int = 3) -> Path:
    path.write_text("item,score\n" + "".join(f"q{i},1\n" for i in range(n)))
    return path


def test_each_file_is_told_once_before_it_is_read(tmp_path: Path) -> None:
    files = [table(tmp_path / f"m{k}.csv") for k in range(3)]
    seen: list[Path] = []
    with listening(seen.append):
        br.read_scores(tmp_path)
    br.read_scores(tmp_path)

    assert seen == files


@pytest.mark.parametrize(
    ("stderr", "after", "times"), [("terminal", 0.0, 1), ("terminal", 60.0, 0), ("file", 0.0, 0)]
)
def test_a_bar_is_shown_on_a_terminal_alone_and_late(
    stderr: str,
    after: float,
    times: int,
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for k in range(3):
        table(tmp_path / f"m{k}.csv")
    started: list[int] = []
    monkeypatch.setattr(reading_progress, "SHOWN_AFTER", after)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: stderr == "terminal", raising=False)
    monkeypatch.setattr("rich.progress.Progress.start", lambda _: started.append(1))

    assert run("read", tmp_path).code == 0
    assert min(len(started), 1) == times

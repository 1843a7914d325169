"""`-o -` writes to stdout, and nothing else does."""

from pathlib import Path

import polars as pl
import pytest

from bestrand.cli import main
from bestrand.core.manifest import Manifest


def run(words: list[str]) -> object:
    with pytest.raises(SystemExit) as stopped:
        main(words)
    return stopped.value.code or 0


@pytest.fixture
def scores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    rows = {"item": [f"q{i}" for i in range(80)], "a": [0, 1] * 40, "b": [0, 0, 1, 1] * 20}
    pl.DataFrame(rows).write_csv("scores.csv")
    return "scores.csv"


@pytest.mark.parametrize(
    "words",
    [
        ["pool", "scores.csv", "-n", "10"],
        ["select", "scores.csv", "-n", "10"],
        ["adopt", "scores.csv", "--of", "100"],
    ],
)
def test_the_manifest_alone_is_on_stdout(
    words: list[str], scores: str, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert run([*words, "-o", "-"]) == 0
    out, err = capfdbinary.readouterr()
    Path("out.json").write_bytes(out)

    assert Manifest.read("out.json").items
    assert all(line.startswith(b"note ") for line in err.splitlines())
    assert not Path("-").exists()
    assert run([*words, "-o", "-", "--quiet"]) == 0
    assert capfdbinary.readouterr() == (out, b"")
    assert run([*words, "-o", "-", "--json"]) == 2
    assert b"both write to stdout" in capfdbinary.readouterr().err


def test_read_writes_parquet_on_stdout(
    scores: str, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert run(["read", scores, "-o", "-"]) == 0
    Path("out.parquet").write_bytes(capfdbinary.readouterr().out)

    assert pl.read_parquet("out.parquet").height == 160
    assert run(["read", scores, "-o", "-", "--json"]) == 2


@pytest.mark.parametrize("verb", ["study", "report"])
def test_pages_and_studies_are_refused(
    verb: str, scores: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run([verb, scores, "-o", "-"]) == 2
    assert "is not written to stdout" in capfd.readouterr().err
    assert not Path("-").exists()

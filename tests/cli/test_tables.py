"""Tables for people: names that differ at their end stay apart, and sizes are said as they are."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from bestrand.notes import rough_percent
from tests.conftest import Files, Run


PREFIX = "organisation/a-family-of-models-with-a-name-that-does-not-fit-into-eighty-columns-"


def renamed(files: Files, name: str) -> Path:
    """The scores of a file, with long names of models that differ at their end."""
    path = files.folder / f"long-{name}.parquet"
    rows = pl.read_parquet(files.folder / f"{name}.parquet")
    rows.with_columns((pl.lit(PREFIX) + pl.col("model")).alias("model")).write_parquet(path)
    return path


def in_terminal(columns: int, *words: object) -> str:
    """Run a verb in a terminal of this width."""
    main, side = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", "from bestrand.cli import main; main()", *map(str, words)],
        stdout=side,
        stderr=subprocess.STDOUT,
        env={**os.environ, "COLUMNS": str(columns), "NO_COLOR": "1", "TERM": "xterm"},
    )
    os.close(side)
    parts = []
    try:
        while part := os.read(main, 65536):
            parts.append(part)
    except OSError:  # the other side is closed
        pass
    finally:
        os.close(main)
    assert process.wait() == 0
    return b"".join(parts).decode()


@pytest.mark.parametrize("columns", [40, 80])
def test_without_a_terminal_no_name_is_cut(
    run: Run, files: Files, monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    probes, targets = renamed(files, "probes"), renamed(files, "targets")
    subset = files.folder / "subset.json"
    run("select", probes, "-n", 40, "-o", subset)
    monkeypatch.setenv("COLUMNS", f"{columns}")
    names = {path: set(pl.read_parquet(path)["model"]) for path in (probes, targets)}
    verbs = {
        ("diagnose", probes, "--retention", 0.05): probes,
        ("backtest", probes, "-n", 20, "--draws", 2): probes,
        ("estimate", subset, targets): targets,
    }
    for words, path in verbs.items():
        out = run(*words).out
        assert "…" not in out.replace(" … ", ""), "but for intervals"
        assert all(any(name in line for line in out.splitlines()) for name in names[path])


@pytest.mark.slow
@pytest.mark.parametrize("columns", [60, 80])
def test_in_a_terminal_names_wrap(run: Run, files: Files, columns: int) -> None:
    probes, targets = renamed(files, "probes"), renamed(files, "targets")
    subset = files.folder / "subset.json"
    run("select", probes, "-n", 40, "-o", subset)
    for words in (
        ("diagnose", probes, "--retention", 0.05),
        ("backtest", probes, "-n", 20, "--draws", 2),
        ("estimate", subset, targets),
    ):
        out = in_terminal(columns, *words)
        path = targets if words[0] == "estimate" else probes
        rows = [line.strip("\r") for line in out.splitlines() if line.startswith("│")]
        cells = [row.split("│")[1].strip() for row in rows]
        whole = "".join(cells)

        assert max(map(len, rows)) <= columns
        assert all(name in whole for name in set(pl.read_parquet(path)["model"]))


def test_small_shares_and_dashes_are_explained(run: Run, files: Files) -> None:
    out = run("diagnose", files.probes, "--retention", 0.001, "--retention", 0.5).out
    assert "2 (0.1%)" in out
    assert "0%)" not in out.replace("50%)", "")
    assert "–: such a pool would be all items; the last column says it." in " ".join(out.split())

    run("pool", files.probes, "-n", 20, "--factor", 2, "-o", files.folder / "pool.json")
    words = ("--pool", files.folder / "pool.json", "--retention", 0.01, "--retention", 0.05)
    out = run("diagnose", files.probes, *words).out
    assert " ".join(out.split()).count("–: the subset would be larger than the pool") == 2
    assert "2 (0.1%)" in run("plan", files.probes, "--retention", 0.001).out


def test_less_than_an_item_is_said_as_the_item_that_is_taken(run: Run, files: Files) -> None:
    assert "1 (0.053%)" in run("diagnose", files.probes, "--retention", 0.00001).out


def test_shares_in_percent() -> None:
    shares = (0.5, 0.02, 0.001, 0.00007, 1.0, 0.075)
    assert [rough_percent(s) for s in shares] == ["50%", "2%", "0.1%", "0.007%", "100%", "7.5%"]


def test_the_mean_and_its_p95_have_as_many_digits(run: Run, files: Files) -> None:
    out = run("diagnose", files.probes, "--retention", 0.05).out
    row = next(line for line in out.splitlines() if line.startswith("│ 95 (5%)"))
    random, p95 = (cell.strip() for cell in row.split("│")[2:4])
    assert len(random) == len(p95)

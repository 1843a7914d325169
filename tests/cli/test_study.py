"""The study as a user runs it: stopped and gone on with, its claims, and what is refused."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest
from jsonschema import Draft202012Validator
from rich.console import Console

import bestrand
from bestrand.reporting.json.schemas import schema_of
from bestrand.reporting.json.study import study_report
from bestrand.study.run import read_study
from tests.conftest import Files, Run


PROTOCOL = """
name = "mine"

[[experiments]]
name = "one"
strategies = ["random", "bestrand"]
retentions = [0.05, 0.1]
known = [6]
replicates = {replicates}
"""


@pytest.fixture
def protocol(tmp_path: Path) -> Path:
    """A protocol of four cells."""
    path = tmp_path / "mine.toml"
    path.write_text(PROTOCOL.format(replicates=4))
    return path


def test_what_is_printed_is_the_contract_and_the_store(
    run: Run, files: Files, protocol: Path
) -> None:
    output = files.folder / "out"
    words = ("study", files.scores, "--protocol", protocol, "-o", output)
    done = run(*words, "--json")
    again = run(*words, "--json", "--quiet")
    report = done.json

    assert done.code == 0
    Draft202012Validator(schema_of("study")).validate(report)
    assert (report["protocol"], report["cells"], report["empty_cells"]) == ("mine", 4, 0)
    assert report == json.loads(study_report(read_study(output)).to_json())
    assert again == (0, done.out, "")


def test_errors_are_noted_and_settled_as_told(run: Run, files: Files, protocol: Path) -> None:
    scores = files.folder / "failed.parquet"
    rows = pl.read_parquet(files.scores).with_columns(timed_out=pl.lit(0))
    is_first = (pl.col("item") == rows["item"][0]) & (pl.col("model") == rows["model"][0])
    rows.with_columns(timed_out=is_first.cast(pl.Int64)).write_parquet(scores)
    words = ("study", scores, "--protocol", protocol, "-o", files.folder / "out")

    kept = run(*words, "--json").json
    told = run(*words, "--errors", "zero")
    missing = run(*words, "--errors", "missing")

    assert [note["code"] for note in kept["notes"]] == ["error-marks", "errors-kept"]
    assert kept["notes"][1]["text"].startswith("failed: Scores stand beside an error")
    assert "count as 0: 1 of model" in told.out.replace("\n", " ")
    assert [note.code for note in read_study(files.folder / "out").notes][-1] == "errors-as-zero"
    assert missing.code == 3
    assert "needs them all" not in missing.err
    assert "full scores need them all. Scores beside an error were not taken" in missing.err
    assert run(*words, "--errors", "refuse").code == 3


def test_people_get_tables(run: Run, files: Files, protocol: Path) -> None:
    done = run("study", files.scores, "--protocol", protocol, "-o", files.folder / "out")

    assert done.code == 0
    assert "Protocol 'mine', seed 0: 4 cells on 1 benchmark of 1 family, 0 empty." in done.out
    assert "one: random, 6 models known, 10% of the items" in done.out
    assert "bestrand" in done.out


def test_tables_are_whole_on_80_columns(
    run: Run, files: Files, protocol: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bestrand.cli import output

    monkeypatch.setattr(output.Output, "console", lambda _: Console(width=80, highlight=False))
    done = run("study", files.scores, "--protocol", protocol, "-o", files.folder / "out")
    head = next(line for line in done.out.splitlines() if line.lstrip().startswith("strategy"))

    assert head.split() == [
        "strategy",
        "MAE",
        "ratio",
        "95",
        "%",
        "P95",
        ">P70",
        "held",
        "cost",
        "on",
    ]
    assert "…" not in done.out
    heads = [line for line in done.out.splitlines() if line.lstrip().startswith("strategy")]
    assert "equals" in heads[-1]
    assert all(line.rstrip().endswith("on") for line in heads)


CLAIMS = """
[[claim]]
strategy = "bestrand"
statistic = "mae_ratio"
at_most = {most}

[[claim]]
strategy = "random"
statistic = "high_70"
retention = 0.1
at_least = 0.2
at_most = 0.6
"""


def test_claims_that_hold_pass(run: Run, files: Files, protocol: Path) -> None:
    claims = files.folder / "claims.toml"
    claims.write_text(CLAIMS.format(most=3.0))
    done = run(
        "study", files.scores, "--protocol", protocol, "-o", files.folder / "out",
        "--expect", claims, "--json",
    )  # fmt: skip

    assert done.code == 0
    assert [claim["outcome"] for claim in done.json["claims"]] == ["passed", "passed"]
    assert done.json["claims"][0]["claim"] == "bestrand: mae_ratio to random at most 3"


def test_a_claim_that_does_not_hold_is_exit_code_one(
    run: Run, files: Files, protocol: Path
) -> None:
    claims = files.folder / "claims.toml"
    nobody = '[[claim]]\nstrategy = "cube"\nstatistic = "mae"\nat_most = 1\n'
    claims.write_text(CLAIMS.format(most=0.01) + nobody)
    done = run(
        "study", files.scores, "--protocol", protocol, "-o", files.folder / "out",
        "--expect", claims, "-q",
    )  # fmt: skip

    assert (done.code, done.out) == (1, "")
    first, second = done.err.splitlines()
    assert first.startswith(
        "bestrand study: claim failed: bestrand: mae_ratio to random at most 0.01. It is "
    )
    assert second.endswith(
        "claim failed: cube: mae at most 1. No cell matches it: look at the names, and at which "
        "cells are empty."
    )


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_study_that_was_ended_goes_on_to_the_same_table(
    how: signal.Signals, run: Run, files: Files
) -> None:
    protocol, output = files.folder / "long.toml", files.folder / "out"
    protocol.write_text(PROTOCOL.format(replicates=60))
    words = ["study", files.scores, "--protocol", protocol, "-o"]
    command = [sys.executable, "-c", "from bestrand.cli import main; main()", *words, output]
    source = str(Path(bestrand.__file__).parents[1])
    process = subprocess.Popen(
        [str(word) for word in command],
        env={**os.environ, "PYTHONPATH": source},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    while process.poll() is None and not list(output.glob("cells/*.parquet")):
        time.sleep(0.01)
    process.send_signal(how)
    _, said = process.communicate()
    stopped = read_study(output)
    done = run(*words, output, "--json", "-q")
    whole = run(*words, files.folder / "whole", "--json", "-q")

    assert process.returncode == (130 if how == signal.SIGINT else -how)
    assert how == signal.SIGKILL or f"What was finished is kept in '{output}'" in said
    assert stopped.missing > 0
    assert done.out == whole.out
    assert read_study(output).rows.equals(read_study(files.folder / "whole").rows)


def test_bad_inputs_are_named(run: Run, files: Files, protocol: Path) -> None:
    out, empty = files.folder / "out", files.folder / "empty"
    empty.mkdir()
    wrong = files.folder / "wrong.toml"
    wrong.write_text(PROTOCOL.format(replicates=4).replace("known", "knwon"))
    claims = files.folder / "claims.toml"
    claims.write_text('[[claim]]\nstrategy = "random"\nstatistic = "mean"\nat_most = 1\n')

    cases = [
        ((files.scores, "--protocol", "quik", "-o", out), 2, "must be one of article, calib"),
        ((files.scores, "--protocol", wrong, "-o", out), 3, "`experiments.0.knwon` is no key"),
        ((files.scores, "--protocol", protocol, "-o", protocol), 3, "is a file. Name a folder"),
        ((files.scores, "-o", out, "--workers", 0), 2, "`--workers` must be 1 or more"),
        ((files.scores, "-o", out, "--expect", claims), 3, "`claim.0.statistic` is invalid"),
        ((files.scores, "--protocol", "no.toml", "-o", out), 2, "'no.toml', and there is no such"),
        ((files.scores, "-o", out, "--expect", files.folder / "no.toml"), 3, "no such file. Name"),
        ((files.scores, "-o", out, "--cluster", "nowhere"), 2, "`--cluster` "),
        ((empty, "-o", out), 2, "holds no Parquet files of scores"),
        ((files.folder / "none.parquet", "-o", out), 3, "none.parquet"),
        ((files.scores, files.scores, "-o", out), 2, "must have distinct names; 'scores'"),
    ]
    for words, code, said in cases:
        done = run("study", *words)

        assert (done.code, done.out) == (code, "")
        assert said in done.err
        assert done.err.count("\n") == 1
    assert not out.exists()


def test_a_changed_study_is_refused_by_its_report_and_mended_by_the_study(
    run: Run, files: Files, protocol: Path
) -> None:
    out, page = files.folder / "out", files.folder / "page.html"
    words = ("study", files.scores, "--protocol", protocol, "-o", out, "-q")
    run(*words)
    plan = out / "study.json"
    plan.write_text(plan.read_text().replace('"seed": 0', '"seed": 1'))
    refused = run("report", out, "-o", page)
    again = run(*words)

    assert (refused.code, refused.out, refused.err.count("\n")) == (3, "", 1)
    assert "it was changed after it was written. Run the study again" in refused.err
    assert again.code == 0
    assert read_study(out).missing == 0

from pathlib import Path

import polars as pl
import pytest

import bestrand as br
from bestrand.errors import FileError
from bestrand.study.claims import Claim, check_claims, read_claims
from bestrand.study.run import run_study
from bestrand.study.table import StudyTable
from tests.study.conftest import protocol_of


@pytest.fixture(scope="module")
def table(small: br.ScoreMatrix) -> StudyTable:
    return run_study({"a": small, "b": small}, protocol_of(replicates=6))


def test_bounds_are_met_or_not(table: StudyTable) -> None:
    overall = (pl.col("kind") == "all") & pl.col("retention").is_null()
    best = table.averages().filter(overall & (pl.col("strategy") == "bestrand"))
    value = best["mae_ratio"].item()
    claims = [
        Claim(strategy="bestrand", statistic="mae_ratio", at_most=value),
        Claim(strategy="bestrand", statistic="mae_ratio", at_most=value - 1e-9),
        Claim(strategy="bestrand", statistic="mae_ratio", at_least=value + 1e-9),
        Claim(strategy="bestrand", statistic="mae_ratio", at_least=0, at_most=9, by="interval"),
        Claim(strategy="bestrand", statistic="mae", at_most=1, retention=0.2, split="random"),
        Claim(strategy="bestrand", statistic="mae", at_most=1, retention=0.3),
        Claim(strategy="bestrand", statistic="mae", at_most=1, kind="agent"),
    ]
    checked = check_claims(table, claims)

    assert [line.outcome for line in checked] == [
        "passed",
        "failed",
        "failed",
        "failed",  # one family gives no interval
        "passed",
        "empty",
        "empty",
    ]
    assert checked[0].value == value
    assert checked[4].claim == "bestrand: mae at most 1 (20%, random)"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("claim = 3", "`claim` is invalid: it must be a list, got 3."),
        ("claims = 3", "`claims` is no key of a file of claims. Allowed here: claim."),
        ('[[claim]]\nstrategy = "a"\nstat = "mae"\nat_most = 1', "Allowed here: strategy, base, "),
        ('[[claim]]\nstrategy = "a"\nat_most = 1', "`claim.0.statistic` is missing."),
        (
            '[[claim]]\nstrategy = "a"\nstatistic = "mae"\nat_most = nan',
            "`claim.0.at_most` is invalid: it must be a finite number, got nan.",
        ),
        ('[[claim]]\nstrategy = "a"\nstatistic = "mae"', "give `at_most`, `at_least` or both"),
        (
            '[[claim]]\nstrategy = "a"\nstatistic = "mae"\nat_most = 1\nby = "interval"',
            "only ratios have an interval",
        ),
        ("[[claim]", "not TOML"),
    ],
)
def test_what_is_no_claim_is_named(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "claims.toml"
    path.write_text(text)

    with pytest.raises(FileError, match=said):
        read_claims(path)


def test_a_file_of_claims_that_is_not_there_is_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"nope.toml: there is no such file. Name a list of "):
        read_claims(tmp_path / "nope.toml")
    with pytest.raises(FileError, match="cannot be read"):
        read_claims(tmp_path)

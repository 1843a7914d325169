"""Columns stand once, and frames have what they name; cells keep their keys."""

import json

import jsonschema
import polars as pl
import pytest

import bestrand as br
from bestrand.reporting.json.schemas import schema_of
from bestrand.reporting.json.study import study_report
from bestrand.study.benchmark import take_benchmarks
from bestrand.study.cells import cells_of
from bestrand.study.columns import AverageRow, BenchmarkRow, TheoryRow, columns_of, rows_of
from bestrand.study.run import run_study
from bestrand.study.table import StudyTable
from tests.study.conftest import protocol_of


KEYS = [
    "fc8d98587688501bda7806e1d59e665d",
    "c6d8e0d7b16473928d91d28a2f08c326",
    "7a3d360fd11684854f0217f9b0531faa",
]


@pytest.fixture(scope="module")
def table(small: br.ScoreMatrix) -> StudyTable:
    return run_study({"b": small}, protocol_of(theory=True, retentions=[0.2]))


def test_averages_have_the_columns_that_are_described(table: StudyTable) -> None:
    averages = table.averages()

    assert dict(averages.schema) == columns_of(AverageRow)
    assert table.to_polars().equals(table.rows)


def test_what_is_printed_follows_its_schema_and_nan_is_null(table: StudyTable) -> None:
    report = json.loads(study_report(table).to_json())

    jsonschema.validate(report, schema_of("study"))
    assert report["averages"][0]["mae_low"] is None, "a single family has no interval"
    assert len(report["theory"]) == 1


@pytest.mark.parametrize("kind", [AverageRow, BenchmarkRow, TheoryRow])
def test_each_column_is_described(kind: type[AverageRow]) -> None:
    properties = kind.json_schema()["properties"]

    assert [name for name, said in properties.items() if not said.get("description")] == []


def test_an_empty_frame_gives_no_rows() -> None:
    assert rows_of(AverageRow, pl.DataFrame()) == ()


def test_cells_keep_their_keys(small: br.ScoreMatrix) -> None:
    """Finished cells are found by their keys, so a key that moves computes all of them again."""
    protocol = protocol_of(retentions=[0.1], theory=True)
    cells = cells_of(protocol, take_benchmarks({"b": small}, protocol), 0)

    assert [cell.task.key for cell in cells] == KEYS

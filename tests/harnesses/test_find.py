"""Folders: logs of several harnesses, tables beside them, and files that nobody knows."""

import shutil
from pathlib import Path

import pytest

from bestrand import InputError, read_scores
from bestrand.harnesses.base import Claim, Harness
from bestrand.harnesses.files import LogFile
from bestrand.harnesses.find import sort_files
from bestrand.reading.paths import list_files
from tests.harnesses.conftest import LOGS


PARTS = [
    "lm_eval/out",
    "inspect_ai/models_tasks",
    "promptfoo/full.json",
    "swe_bench/acme__agent-1.demo.json",
    "junit/full.xml",
    "lighteval/out",
    "evalscope/mcq",
    "helm/benchmark_output",
    "deepeval",
]


def test_a_folder_with_logs_of_many_harnesses_is_the_sum_of_its_parts(tmp_path: Path) -> None:
    rows, runs = set(), 0
    for part in PARTS:
        source, target = LOGS / part, tmp_path / part
        target.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if source.is_dir() else shutil.copy)(source, target)
        table = read_scores(source)
        rows |= set(table.rows.iter_rows())
        runs += len(table.runs)
    whole = read_scores(tmp_path)

    assert set(whole.rows.iter_rows()) == rows
    assert len(whole.runs) == runs


def test_of_the_files_beside_logs_tables_of_scores_are_read_and_others_named(
    tmp_path: Path,
) -> None:
    shutil.copytree(LOGS / "lm_eval" / "out", tmp_path / "out")
    (tmp_path / "mine.csv").write_text("item,model,score\ntiny_gen:0,mine,1\n")
    (tmp_path / "questions.csv").write_text("id,gold\nq1,3\n")
    table = read_scores(tmp_path)
    [note] = [note.text for note in table.notes if note.code == "files-aside"]

    assert "mine" in table.models
    assert "questions.csv" in note
    assert "mine.csv" not in note


class Greedy(Harness):
    """Claims every file."""

    name = "greedy"

    def claim(self, file: LogFile) -> Claim | None:
        """Claim it."""
        return "log"


def test_a_file_that_two_harnesses_claim_is_refused_with_both_names(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{}")

    with pytest.raises(InputError, match="claimed by 'greedy', 'other'"):
        sort_files(list_files(tmp_path), {"greedy": Greedy(), "other": Greedy()})

"""What is read of genuine logs: items, models, errors, and the mean that the harness gave."""

from pathlib import Path

import pytest

import bestrand as br
from bestrand.harnesses.files import LogFile
from bestrand.harnesses.registry import HARNESSES
from bestrand.reading.paths import list_files
from tests.harnesses.conftest import EXPECTED, FOLDERS, LOGS, Expected


TESTS = Path(__file__).parent.parent


@pytest.mark.parametrize("one", EXPECTED, ids=lambda one: "-".join(map(str, one[1:5])))
def test_items_errors_and_means_are_those_of_the_harness(one: Expected) -> None:
    table = br.read_scores(one.path, metric=one.metric, filter=one.filter)
    rows = table.rows.join(table.items, on="item")
    rows = rows.filter(rows["model"] == one.model, rows["metric"] == one.metric)
    if one.task is not None:
        rows = rows.filter(rows["task"] == one.task)
        assert rows["item"].str.starts_with(f"{one.task}:").all()
    sizes = {
        name: n for run in table.runs if run.model == one.model for name, n in run.sizes.items()
    }

    assert rows["item"].n_unique() == rows.height == one.items
    assert (rows["status"] == "errored").sum() == one.errored
    assert sizes.get(one.task or "") == one.size
    if one.mean is not None:
        assert rows["score"].mean() == pytest.approx(one.mean, abs=1e-6)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_log_is_claimed_by_one_harness_and_by_its_own(folder: Path) -> None:
    name = folder.name.replace("_", "-")
    claims = {
        (file.path, word)
        for file in list_files(folder)
        for word, harness in HARNESSES.items()
        if harness.claim(LogFile(file))
    }

    assert {word for _, word in claims} == {name}


def test_no_table_is_claimed() -> None:
    tables = [
        file
        for file in list_files(TESTS)
        if LOGS not in file.path.parents and file.path.suffix not in (".py", ".pyc")
    ]

    assert tables
    for file in tables:
        claims = [word for word, harness in HARNESSES.items() if harness.claim(LogFile(file))]
        assert not claims, (file.path, claims)


def test_the_page_names_every_harness_and_the_version_that_was_tested() -> None:
    page = (TESTS.parent / "docs" / "formats" / "logs.md").read_text("utf-8")
    table = [line for line in page.splitlines() if line.startswith("| ")]

    for word, harness in HARNESSES.items():
        if not harness.reads:
            continue
        [row] = [line for line in table if f"| `{word}` |" in line]
        assert row.startswith(f"| {harness.title} |")
        assert harness.versions.split()[-1] in row
        assert (LOGS / word.replace("-", "_")).is_dir() or "the documented form" in row

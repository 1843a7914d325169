"""What is read of genuine logs: items, models, errors, and the mean that the harness gave."""

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

import bestrand as br
from bestrand.harnesses.files import LogFile
from bestrand.harnesses.registry import HARNESSES
from bestrand.reading.paths import list_files
from tests.harnesses.conftest import EXPECTED, FOLDERS, LOGS, Expected


TESTS = Path(__file__).parent.parent
HARNESSES_PAGES = TESTS.parent / "docs" / "harnesses"


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
    rows = {row[1].strip("`"): row for row in table_of_harnesses()}

    assert set(rows) == {*HARNESSES, "txt`, `json`, `csv"}
    for word, harness in HARNESSES.items():
        title, _, reads, exports, compares, tested = rows[word]
        assert title == f"[{harness.title}]({word}.md)"
        assert (reads == "–") is not harness.reads
        assert (compares == "–") is not harness.reads
        assert (exports == "–") is not harness.exports
        assert harness.versions.split()[-1] in tested
        if harness.reads:
            assert (LOGS / word.replace("-", "_")).is_dir() or "the documented form" in tested
        assert (HARNESSES_PAGES / f"{word}.md").is_file()


def table_of_harnesses() -> list[list[str]]:
    """Take the cells of the table of all harnesses."""
    page = (HARNESSES_PAGES / "index.md").read_text("utf-8")
    rows = [line.split(" | ") for line in page.splitlines() if line.startswith("| ")]
    return [[cell.strip("| ") for cell in row] for row in rows if len(row) == 6][2:]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_what_a_run_is_said_to_be_compared_in_is_compared(folder: Path) -> None:
    one = next(one for one in EXPECTED if folder in one.path.parents)
    table = br.read_scores(one.path, metric=one.metric, filter=one.filter)
    word = table.runs[0].harness
    [compared] = [row[4] for row in table_of_harnesses() if row[1] == f"`{word}`"]
    scored = table.rows.filter(pl.col("status") == "scored")
    told = (replace(table.runs[0], digest=""),)
    run = whole_of(replace(table, rows=scored, runs=told), told[0].model)
    subset = br.adopt(run.items["item"].to_list(), of=run.items.height + 1)
    frame = run.frame()
    fields = {
        "item_tasks": None,
        "item_hashes": frame.hashes,
        "source": frame.source,
        "schema_version": 2,
    }
    subset = subset.model_copy(update=fields)
    assert run.contents is not None or "content" not in compared
    other = None if run.contents is None else run.contents.with_columns(document=pl.lit("0" * 64))
    moved = None if run.contents is None else run.contents.with_columns(prompt=pl.lit("1" * 64))
    facts = run.runs[0]
    faults = {
        "content": replace(run, contents=other),
        "size": replace(
            run, runs=(replace(facts, sizes={t: n + 1 for t, n in facts.sizes.items()}),)
        ),
        "version": replace(
            run, runs=(replace(facts, versions=dict.fromkeys(facts.versions, "?")),)
        ),
    }
    found = {name for name, fault in faults.items() if name in failed(subset, fault)}
    if moved is not None and "prompts" in failed(subset, replace(run, contents=moved), against=run):
        found.add("prompts")

    assert not failed(subset, run)
    assert found == {name for name in ("content", "prompts", "size", "version") if name in compared}


def whole_of(table: br.ScoreTable, model: str) -> br.ScoreTable:
    """Keep one model, and the items on which it has every score."""
    rows = table.rows.filter(pl.col("model") == model)
    items = table.items.join(rows.select("item").unique(), on="item", how="semi")
    contents = table.contents
    if contents is not None:
        contents = contents.filter(pl.col("model") == model).join(items, on="item", how="semi")
    return replace(table, rows=rows, items=items, contents=contents, duplicates=None)


def failed(
    subset: br.Manifest, run: br.ScoreTable, against: br.ScoreTable | None = None
) -> set[str]:
    seen = br.verify(subset, run, against=against)
    return {check.name for check in seen.checks if check.outcome == "failed"}

"""`bestrand report` of a subset, as a user runs it."""

import polars as pl
import pytest

import bestrand as br
from bestrand.core.manifest import Manifest
from bestrand.data import load
from tests.cli.test_verbs import drawn, validate
from tests.conftest import Files, Run


def test_the_report_holds_what_estimate_prints(run: Run, files: Files) -> None:
    _, subset = drawn(run, files)
    page = files.folder / "page.html"
    words = (subset, files.targets, "--probes", files.probes)
    done = run("report", *words, "-o", page, "--json")
    estimates = run("estimate", *words, "--json")
    validate("report", done.json)

    assert done.code == 0
    assert done.json["estimates"] == estimates.json
    assert done.json["chosen"]["digest"] == Manifest.read(subset).digest
    assert len(done.json["pairs"]) == 15
    assert len(done.json["balance"]) == 6
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_a_manifest_alone_is_enough(run: Run, files: Files) -> None:
    pool, subset = drawn(run, files)
    for what in (pool, subset):
        page = files.folder / f"{what.stem}.html"
        done = run("report", what, "-o", page, "--json")
        validate("report", done.json)

        assert done.code == 0
        assert done.json["estimates"] is None
        assert done.json["pairs"] == []
        assert "Provenance" in page.read_text(encoding="utf-8")


def test_people_are_told_what_was_written(run: Run, files: Files) -> None:
    _, subset = drawn(run, files)
    page, charts = files.folder / "page.html", files.folder / "charts"
    done = run("report", subset, "-o", page, "--figures", charts)

    assert done.code == 0
    assert str(page) in done.out
    assert (charts / "groups.pdf").read_bytes().startswith(b"%PDF")
    assert run("report", subset, "-o", page, "--figures", charts, "-q") == (0, "", "")


def test_bad_outputs_are_refused_before_anything_is_read(run: Run, files: Files) -> None:
    _, subset = drawn(run, files)
    mine = files.folder / "mine.html"
    mine.write_text("mine")
    wrong = run("report", "nowhere.json", "-o", files.folder / "page.pdf")
    kept = run("report", subset, "-o", mine)
    forced = run("report", subset, "-o", mine, "--force", "-q")

    assert (wrong.code, kept.code, forced.code) == (2, 3, 0)
    assert "written as .html" in wrong.err
    assert "exists and holds something else" in kept.err


def test_a_pool_has_no_targets(run: Run, files: Files) -> None:
    pool, _ = drawn(run, files)
    done = run("report", pool, files.targets, "-o", files.folder / "page.html")

    assert done.code == 3
    assert "must be a manifest of kind 'subset'" in done.err


ABOUT_TARGETS: tuple[tuple[object, ...], ...] = (
    ("--estimator", "mean"),
    ("--missing", "error"),
    ("--level", "0.95"),
    ("--lower-is-better",),
)
ABOUT_READING: tuple[tuple[object, ...], ...] = (
    ("--metric", "score"),
    ("--column", "item=item"),
    ("--range", "0:1"),
    ("--duplicates", "error"),
)


@pytest.mark.parametrize("words", [*ABOUT_TARGETS, *ABOUT_READING, ("--probes", "p.parquet")])
def test_no_option_of_a_subset_is_passed_over_for_a_study(
    words: tuple[object, ...], run: Run, files: Files
) -> None:
    page = files.folder / "page.html"
    done = run("report", files.folder, *words, "-o", page)

    assert done.code == 2
    assert f"`{words[0]}`: this goes with a subset" in done.err
    assert not page.exists()


def test_no_option_is_passed_over_where_there_is_nothing_to_estimate_or_to_read(
    run: Run, files: Files
) -> None:
    _, subset = drawn(run, files)
    page = files.folder / "page.html"
    for words in ABOUT_TARGETS:
        bare = run("report", subset, *words, "-o", page)
        probed = run("report", subset, "--probes", files.probes, *words, "-o", page)

        assert (bare.code, probed.code) == (2, 2)
        assert f"`{words[0]}`: this is about the estimates of targets" in bare.err
    for words in ABOUT_READING:
        done = run("report", subset, *words, "-o", page)

        assert done.code == 2
        assert f"`{words[0]}`: this is about reading scores" in done.err
    assert not page.exists()

    assert run("report", subset, "--probes", files.probes, *ABOUT_READING[0], "-o", page).code == 0


def test_probes_of_another_benchmark_are_refused(run: Run, files: Files) -> None:
    pool, subset = drawn(run, files)
    foreign, page = files.folder / "sql.parquet", files.folder / "page.html"
    load("intercode_sql").rows.select("item", "model", "score").write_parquet(foreign)
    for what in (pool, subset):
        done = run("report", what, "--probes", foreign, "-o", page)

        assert done.code == 3
        assert "are among those of the probes" in done.err
        assert len(done.err.splitlines()) == 1
    assert not page.exists()


def test_nothing_is_half_done_where_charts_cannot_be_written(run: Run, files: Files) -> None:
    _, subset = drawn(run, files)
    page, charts = files.folder / "page.html", files.folder / "charts"
    words = ("report", subset, "-o", page, "--figures")
    charts.mkdir()
    (charts / "groups.png").write_text("mine")
    there = sorted(files.folder.rglob("*"))
    refused = {
        "it is a file": run(*words, files.scores),
        "does not exist": run(*words, files.folder / "no" / "charts"),
        "exists and holds something else": run(*words, charts),
    }
    same = run(*words, page)

    for why, done in refused.items():
        assert done.code == 3
        assert why in done.err
    assert same.code == 2
    assert "have one name" in same.err
    assert sorted(files.folder.rglob("*")) == there
    assert (charts / "groups.png").read_text() == "mine"

    assert run(*words, charts, "--force", "-q").code == 0
    assert (charts / "groups.png").read_bytes().startswith(b"\x89PNG")


def test_a_page_that_is_kept_keeps_its_charts(run: Run, files: Files) -> None:
    _, subset = drawn(run, files)
    page, charts = files.folder / "page.html", files.folder / "charts"
    page.write_text("mine")
    done = run("report", subset, "-o", page, "--figures", charts)

    assert done.code == 3
    assert not charts.exists()


def test_notes_are_printed_as_estimate_prints_them(run: Run, files: Files) -> None:
    _, subset = drawn(run, files)
    few = files.folder / "few.parquet"
    rows = pl.read_parquet(files.targets)
    hole = (pl.col("model") == rows["model"][0]) & (
        pl.col("item") == br.Manifest.read(subset).items[0]
    )
    rows.filter(~hole).write_parquet(few)
    words = (subset, few, "--missing", "omit")
    of_estimate = run("estimate", *words, "--json").json["notes"]
    page = files.folder / "page.html"
    said = run("report", *words, "-o", page)
    lines = " ".join(said.out.split())

    assert of_estimate
    assert said.code == 0
    for note in of_estimate:
        assert " ".join(f"note {note['text']}".split()) in lines
    assert "note" not in run("report", *words, "-o", page, "--force", "--quiet").out

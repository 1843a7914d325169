"""`bestrand report` of a subset, as a user runs it."""

from bestrand.manifest import Manifest
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

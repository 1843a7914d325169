"""Reports of test runs as JUnit XML."""

from pathlib import Path

import pytest

from bestrand import FileError, InputError, read_scores


def write(path: Path, cases: str, counts: str) -> Path:
    path.write_text(f"<testsuites><testsuite {counts}>{cases}</testsuite></testsuites>")
    return path


CASES = """<testcase classname="t" name="a"/><testcase classname="t" name="b"><failure/></testcase>
<testcase classname="t" name="c"><skipped/></testcase><testcase name="d"><error/></testcase>"""
COUNTS = 'tests="4" failures="1" errors="1" skipped="1"'


def test_failed_is_zero_skipped_did_not_run_and_a_broken_set_up_is_errored(tmp_path: Path) -> None:
    table = read_scores(write(tmp_path / "gpt.xml", CASES, COUNTS))

    assert table.models == ("gpt",)
    assert dict(table.rows.select("item", "score").iter_rows()) == {
        "t::a": 1.0,
        "t::b": 0.0,
        "d": None,
    }
    assert table.items["item"].to_list() == ["d", "t::a", "t::b", "t::c"]
    assert table.counts().errored == 1
    assert table.bounds == {"passed": (0.0, 1.0)}


def test_counts_that_differ_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"sum of 'passed' is 1 .* and 2 by the harness"):
        read_scores(
            write(tmp_path / "a.xml", CASES, 'tests="5" failures="1" errors="1" skipped="1"')
        )


def test_a_test_that_ran_several_times_is_averaged(tmp_path: Path) -> None:
    cases = '<testcase name="a"/><testcase name="a"><failure/></testcase><testcase name="b"/>'
    table = read_scores(write(tmp_path / "a.xml", cases, 'tests="3" failures="1"'))

    assert table.matrix().values.tolist() == [[0.5, 1.0]]


def test_a_report_that_is_cut_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_text(f"<testsuites><testsuite {COUNTS}>{CASES}")

    with pytest.raises(FileError, match="not whole XML"):
        read_scores(path)

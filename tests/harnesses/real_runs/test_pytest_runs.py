"""pytest, run for real: export, run, verify; then each fault made on purpose."""

from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import pytest

import bestrand as br
from bestrand.core.manifest import Manifest
from tests.conftest import Run
from tests.harnesses.real_runs.environment import MARKS, Environment, checks_of, environment


pytestmark = MARKS
HOSTILE = [
    *("1", "a,b", "case[1]", "*_adv", "题/3", "x:10", " lead", "trail ", "cafe\u0301", "=1+1"),
    *("null", "-3", 'q"uote', "it's", "new\nline", "a::b", "$HOME", "@ids.txt"),
]
OTHERS = ["01", "case1", "x_adv", "café", "axb", "lead", "\U0001f600", "²", "٧", "7", "007"]
TEST = """
import hashlib, os, pytest

IDS = {ids!r}

@pytest.fixture
def set_up(request):
    if request.node.name == os.environ.get("BROKEN"):
        raise RuntimeError("broken")

{head}
{dent}@pytest.mark.parametrize("item", IDS, ids=IDS)
{dent}def test_item({first}item, set_up):
{dent}    if "[%s]" % item == os.environ.get("SKIPPED"):
{dent}        pytest.skip("not here")
{dent}    key = (os.environ["MODEL"] + item).encode()
{dent}    assert hashlib.sha256(key).digest()[0] < 150
"""


class Benchmark(NamedTuple):
    """Tests in four places, reports of two models over all of them, and chosen items."""

    env: Environment
    tests: Path
    full: Path
    subset: Manifest


def write(path: Path, ids: list[str], head: str = "") -> None:
    """Write a test module, with its test inside of a class if there is a `head`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    dent, first = ("    ", "self, ") if head else ("", "")
    path.write_text(TEST.format(ids=ids, head=head, dent=dent, first=first), encoding="utf-8")


def junit(env: Environment, tests: Path, report: Path, *ids: str, **variables: str) -> None:
    """Run tests and leave a report; failed tests are wrong answers."""
    words = ["pytest", "-q", "-p", "no:cacheprovider", *ids, f"--junitxml={report}"]
    env.run(words, tests, may_fail=True, variables={"MODEL": report.stem, **variables})

    assert report.exists()


@pytest.fixture(scope="module")
def benchmark(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    """Run everything with two models, and choose the hostile ids and some others."""
    env = environment("pytest", "pytest==9.2.0")
    folder = tmp_path_factory.mktemp("pytest")
    tests, full = folder / "tests", folder / "full"
    full.mkdir()
    write(tests / "test_hostile.py", HOSTILE + OTHERS)
    write(tests / "test_plain.py", [f"p{k}" for k in range(10)])
    write(tests / "test_class.py", [f"c{k}" for k in range(6)], "class TestInside:")
    write(tests / "deep" / "Parts" / "test_part.py", [f"d{k}" for k in range(6)], "class TestPart:")
    for model in ("one", "two"):
        junit(env, tests, full / f"{model}.xml")
    return Benchmark(env, tests, full, choose(full))


def choose(full: Path) -> Manifest:
    """Choose the hostile ids and two of each other place."""
    scores = br.read_scores(full)
    hostile = {f"[{item.encode('unicode_escape').decode()}]" for item in HOSTILE}
    chosen = [
        item
        for item in scores.items["item"]
        if any(item.endswith(end) for end in (*hostile, "[p3]", "[p7]", "[c1]", "[d0]", "[d5]"))
    ]

    assert len(chosen) == 23
    return br.adopt(chosen, frame=scores)


def test_exactly_the_chosen_tests_run(benchmark: Benchmark, tmp_path: Path, run: Run) -> None:
    path = tmp_path / "subset.json"
    benchmark.subset.write(path)
    exported = run("export", path, "--to", "junit", "-o", tmp_path / "run", "--json")

    assert exported.code == 0, exported.err
    [command] = exported.json["commands"]
    words = [*command, "-p", "no:cacheprovider"]
    benchmark.env.run(words, benchmark.tests, may_fail=True, variables={"MODEL": "target"})
    report = tmp_path / "run" / "run.xml"
    cases = [
        f"{case.get('classname')}::{case.get('name')}"
        for case in ElementTree.parse(report).iter("testcase")
    ]

    assert sorted(cases) == sorted(benchmark.subset.items)
    verified = run("verify", path, report, "--json")

    assert verified.code == 0, verified.out + verified.err
    assert verified.json["ok"]


def ids_of(benchmark: Benchmark, folder: Path) -> list[str]:
    """Export, and return the ids as they were written."""
    br.export(benchmark.subset, "junit", folder)
    return (folder / "ids.txt").read_text("utf-8").splitlines()


HOSTILE_ITEM = "test_hostile::test_item[case[1]]"


@pytest.mark.parametrize(
    ("name", "fault"),
    [("missing", "left out"), ("extra", "added"), ("errored", "broken"), ("missing", "skipped")],
)
def test_faults_are_named(benchmark: Benchmark, tmp_path: Path, name: str, fault: str) -> None:
    ids = ids_of(benchmark, tmp_path)
    report = tmp_path / "target.xml"
    variables = {}
    if fault == "left out":
        ids = [one for one in ids if not one.endswith("[case[1]]")]
    elif fault == "added":
        ids.append("test_hostile.py::test_item[case1]")
    elif fault == "broken":
        variables = {"BROKEN": "test_item[case[1]]"}
    else:
        variables = {"SKIPPED": "[case[1]]"}
    junit(benchmark.env, benchmark.tests, report, *ids, **variables)
    item = HOSTILE_ITEM.replace("[1]", "1") if fault == "added" else HOSTILE_ITEM

    assert checks_of(benchmark.subset, report) == {name: {item}}


def test_a_report_of_all_tests_is_no_run_of_the_chosen(benchmark: Benchmark) -> None:
    found = br.verify(benchmark.subset, br.read_scores(benchmark.full / "one.xml"))

    assert [check.name for check in found.checks if check.outcome == "passed"][:1] == ["frame"]


def test_items_numbered_anew_are_named(benchmark: Benchmark, tmp_path: Path) -> None:
    write(tmp_path / "tests" / "test_plain.py", [f"p{k + 3}" for k in range(10)])
    report = tmp_path / "target.xml"
    junit(benchmark.env, tmp_path / "tests", report)
    wrong = checks_of(benchmark.subset, report)

    assert set(wrong) == {"missing", "extra"}
    assert "test_plain::test_item[p12]" in wrong["extra"]
    assert HOSTILE_ITEM in wrong["missing"]

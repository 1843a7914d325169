"""JUnit XML, as pytest and other test runners write it."""

import io
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import ClassVar, final
from xml.etree import ElementTree

from bestrand.errors import FileError
from bestrand.harnesses.base import (
    FOLDER,
    Claim,
    Export,
    Harness,
    LogPart,
    LogRow,
    Run,
    Selection,
    Status,
    Total,
)
from bestrand.harnesses.files import LogFile
from bestrand.harnesses.selection import is_one_line, require_ids
from bestrand.notes import Note
from bestrand.reading.paths import unpacked_name


METRIC = "passed"


@final
class JUnit(Harness):
    """Reports of test runs, as of `pytest --junitxml=FILE`; each test is an item.

    A test is called `classname::name`. One that passed counts 1, one that failed 0; a skipped one
    did not run, and one whose set-up broke is errored. A file is one model's, named after it.
    """

    name: ClassVar[str] = "junit"
    title: ClassVar[str] = "pytest (JUnit XML)"
    versions: ClassVar[str] = "pytest 9.2.0"

    def claim(self, file: LogFile) -> Claim | None:
        """Claim XML with test suites; see `Harness.claim`."""
        head = file.head.lstrip()
        is_xml = head.startswith((b"<?xml", b"<testsuite"))
        return "log" if is_xml and b"<testsuite" in head else None

    def read(self, files: Sequence[LogFile]) -> Iterator[Run]:
        """Read a run a file; see `Harness.read`."""
        for file in files:
            yield _read(file)

    def export(self, chosen: Selection) -> Export:
        """Write node ids, one a line, as `pytest @FILE` takes them; see `Harness.export`."""
        require_ids(chosen, _is_node, self, "pytest takes such a line for an option, or for none.")
        ids = [_node_id(item) for item in chosen.ids]
        guessed = [node for node, item in zip(ids, chosen.ids, strict=True) if node != item]
        notes = []
        if guessed:
            text = (
                f"A report does not say where the module ends and the class begins: classes are "
                f"taken to begin with a capital letter, as in {guessed[0]!r}."
            )
            notes.append(Note("node-ids", text))
        command = ["pytest", f"@{FOLDER}/ids.txt", f"--junitxml={FOLDER}/run.xml"]
        return Export({"ids.txt": "".join(f"{node}\n" for node in ids).encode()}, [command], notes)


def _is_node(item: str) -> bool:
    """Whether a line of a file of arguments is taken for a test."""
    return is_one_line(item) and item.strip() != "" and item[0] not in "-@"


def _node_id(item: str) -> str:
    """Turn `tests.test_x.TestIt::test_y[1]` into `tests/test_x.py::TestIt::test_y[1]`."""
    place, colons, name = item.partition("::")
    if not colons or "/" in place or place.endswith(".py"):
        return item
    parts = place.split(".")
    end = len(parts)
    while end > 1 and parts[end - 1][:1].isupper():  # classes stand last; folders may be so called
        end -= 1
    return "::".join(["/".join(parts[:end]) + ".py", *parts[end:], name])


def _read(file: LogFile) -> Run:
    found: list[tuple[str, str]] = []  # test and outcome
    stated, counted = 0, 0
    try:
        for _, element in ElementTree.iterparse(io.BytesIO(file.content())):
            if element.tag != "testsuite":
                continue
            cases = element.findall("testcase")
            found += [(_name(case, element), _outcome(case)) for case in cases]
            if cases and element.get("tests") is not None and element.find("testsuite") is None:
                stated += _passed(element)
                counted += len(cases)
    except ElementTree.ParseError as error:
        raise FileError(
            f"not whole XML ({error}). Did the run end? Write it again.", path=file.path
        ) from error
    times = Counter(name for name, _ in found)
    again = max(times.values(), default=1) > 1
    seen: Counter[str] = Counter()
    rows = []
    for name, outcome in found:
        rows.append(_row(name, outcome, str(seen[name]) if again else None))
        seen[name] += 1
    return Run(
        harness=JUnit.name,
        model=unpacked_name(file.path).stem,
        parts=[LogPart(file.path, rows, named=file.given.model)],
        totals=[Total(METRIC, float(stated), over="sum")] if counted == len(found) else [],
        bounds={METRIC: (0.0, 1.0)},
    )


def _name(case: ElementTree.Element, suite: ElementTree.Element) -> str:
    name, place = case.get("name", ""), case.get("classname") or suite.get("name")
    return f"{place}::{name}" if place else name


def _outcome(case: ElementTree.Element) -> str:
    """Give "error", "skipped", "failure" or "passed"; an error counts before a failure."""
    inside = {child.tag for child in case}
    return next((tag for tag in ("error", "skipped", "failure") if tag in inside), "passed")


def _passed(suite: ElementTree.Element) -> int:
    """Give the number of tests that passed, by the counts of the suite."""
    counts = {
        name: int(suite.get(name) or 0) for name in ("tests", "failures", "errors", "skipped")
    }
    return counts.pop("tests") - sum(counts.values())


def _row(name: str, outcome: str, repeat: str | None) -> LogRow:
    statuses: dict[str, Status] = {"error": "errored", "skipped": "missing"}
    status = statuses.get(outcome, "scored")
    score = float(outcome == "passed") if status == "scored" else None
    fault = "error before or after the test" if outcome == "error" else None
    return LogRow(name, METRIC, score, status, fault=fault, repeat=repeat)

"""DeepEval: the results of one test run."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, final

from bestrand.errors import FileError
from bestrand.harnesses.base import Claim, Harness, LogPart, LogRow, Run, Total
from bestrand.harnesses.files import LogFile
from bestrand.harnesses.values import digest_of, to_number
from bestrand.reading.paths import unpacked_name


@final
class DeepEval(Harness):
    """The test runs that DeepEval writes into `DEEPEVAL_RESULTS_FOLDER`.

    An item is a test case, by its name; a name that DeepEval gave, as `test_case_1`, is a position
    and no name, so cases of one name with other inputs are refused. A metric that raised is
    errored. A file is one model's, named after it.
    """

    name: ClassVar[str] = "deepeval"
    title: ClassVar[str] = "DeepEval"
    versions: ClassVar[str] = "4.3.1"

    def claim(self, file: LogFile) -> Claim | None:
        """Claim test runs; see `Harness.claim`."""
        return "log" if re.match(rb'\s*\{\s*"testCases":\s*\[', file.head) else None

    def read(self, files: Sequence[LogFile]) -> Iterator[Run]:
        """Read a run a file; see `Harness.read`."""
        for file in files:
            yield _read(file)


def _read(file: LogFile) -> Run:
    whole = file.json()
    rows = [row for case in whole.get("testCases") or [] for row in _rows(case, file)]
    return Run(
        harness=DeepEval.name,
        model=unpacked_name(file.path).stem,
        parts=[LogPart(file.path, rows, named=file.given.model)],
        totals=[
            Total(one["metric"], float(sum(one["scores"])), over="sum")
            for one in whole.get("metricsScores") or []
        ],
    )


def _rows(case: Mapping[str, Any], file: LogFile) -> Iterator[LogRow]:
    """Give a row a metric of a test case."""
    name = case.get("name")
    if not isinstance(name, str):
        raise FileError("a test case without a name.", path=file.path)
    content = digest_of(json.dumps([case.get("input"), case.get("expectedOutput")]))
    for metric in case.get("metricsData") or []:
        error = metric.get("error")
        score = to_number(metric.get("score"), str(metric.get("name")), file)
        yield LogRow(
            name,
            str(metric.get("name")),
            None if error else score,
            "errored" if error else "unscored" if score is None else "scored",
            fault=str(error).split("\n", 1)[0] if error else None,
            digest=content,
        )

"""OpenAI Evals: the events of a run, one a line, between its spec and its report."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, final

from bestrand.errors import FileError
from bestrand.harnesses.base import Claim, Harness, LogPart, LogRow, Run, Status, Total
from bestrand.harnesses.files import LogFile
from bestrand.harnesses.values import digest_of, to_id, to_number
from bestrand.notes import Note


SPEC = re.compile(rb'\s*\{\s*"spec":\s*\{')
MATCH = "correct"
TOTALS = ("accuracy", "score", "metascore", "f1_score")  # reports that are means of their metric


class _Event(NamedTuple):
    """One event of a sample."""

    line: int
    sample: str
    kind: str
    data: Mapping[str, Any]


@final
class OpenAIEvals(Harness):
    """The log that `oaieval` writes: JSON lines, with the spec first and the final report last.

    An item is `EVAL:sample_id`. The number in there is the place in the samples file, so one number
    with two expected answers is refused. Metrics: `correct` of matches, and what an eval records as
    metrics. Several events of one sample are averaged. A sample with an error alone is errored.
    """

    name: ClassVar[str] = "openai-evals"
    title: ClassVar[str] = "OpenAI Evals"
    versions: ClassVar[str] = "3.0.1"
    has_tasks: ClassVar[bool] = True

    def claim(self, file: LogFile) -> Claim | None:
        """Claim logs by their first line; see `Harness.claim`."""
        is_log = SPEC.match(file.head) and b'"eval_name":' in file.head
        return "log" if is_log else None

    def read(self, files: Sequence[LogFile]) -> Iterator[Run]:
        """Read a run a file; see `Harness.read`."""
        for file in files:
            yield _read(file)


class _Log(NamedTuple):
    """What a log holds: its spec, its events in order, and its report, if it has one."""

    spec: Mapping[str, Any]
    events: Sequence[_Event]
    report: Mapping[str, Any] | None


def _read(file: LogFile) -> Run:
    notes: list[Note] = []
    spec, events, report = _parse(file, notes)
    rows, unusable = _rows(events, file)
    metrics = {row.metric for row in rows}
    if not any(row.score is not None for row in rows):
        unusable |= dict.fromkeys(report or (), "has no score for each sample")
    functions = spec.get("completion_fns") or [spec.get("model_name") or file.path.stem]
    return Run(
        harness=OpenAIEvals.name,
        model=",".join(map(str, functions)),
        parts=[LogPart(file.path, rows, str(spec.get("eval_name")), file.given.model)],
        totals=list(_totals(report or {}, metrics)),
        bounds={MATCH: (0.0, 1.0)},
        unusable=unusable,
        unfinished="no final report" if report is None else "",
        notes=notes,
    )


def _parse(file: LogFile, notes: list[Note]) -> _Log:
    """Tell the lines apart.

    Raises:
        FileError: there are two specs.
    """
    spec: Mapping[str, Any] = {}
    report: Mapping[str, Any] | None = None
    events: list[_Event] = []
    for line, row in file.rows(notes):
        if "spec" in row:
            if spec:
                raise FileError("a second spec: the log holds two runs.", path=file.path, line=line)
            spec = row["spec"]
        elif "final_report" in row:
            report = row["final_report"] or {}
        elif row.get("sample_id") is not None:
            sample = to_id(row["sample_id"], file, line)
            events.append(_Event(line, sample, str(row.get("type")), row.get("data") or {}))
    return _Log(spec, events, report)


def _rows(events: Sequence[_Event], file: LogFile) -> tuple[list[LogRow], dict[str, str]]:
    """Give a row a sample and metric and event, and why other metrics are none."""
    found: dict[tuple[str, str], list[tuple[float | None, int]]] = {}
    texts: dict[str, _Event] = {}
    errors: dict[str, str] = {}
    contents: dict[str, str] = {}
    prompts: dict[str, str] = {}
    for line, sample, kind, data in events:
        if kind == "match":
            found.setdefault((sample, MATCH), []).append(
                (to_number(data.get("correct"), MATCH, file, line), line)
            )
            contents.setdefault(sample, _digest(data.get("expected")))
        elif kind == "metrics":
            for name, value in data.items():
                if value is None or isinstance(value, bool | int | float):
                    each = found.setdefault((sample, name), [])
                    each.append((to_number(value, name, file, line), line))
                else:
                    texts.setdefault(name, _Event(line, sample, kind, data))
        elif kind == "error":
            errors.setdefault(sample, f"{data.get('type')}: {data.get('message')}")
        elif kind == "sampling" and "prompt" in data:
            prompts.setdefault(sample, _digest(data["prompt"]))
    numbered = {
        metric for (_, metric), each in found.items() if any(one is not None for one, _ in each)
    }
    for name in sorted(texts.keys() & numbered):
        to_number(texts[name].data[name], name, file, texts[name].line)
    metrics = [name for name in dict.fromkeys(name for _, name in found) if name not in texts]
    unusable = dict.fromkeys(texts, "is no number")
    if not metrics and not errors:
        return [], unusable
    rows = []
    for sample in dict.fromkeys(event.sample for event in events):
        fault = errors.get(sample)
        for metric in metrics or (MATCH,):
            scored = found.get((sample, metric)) or [(None, 0)]
            for number, (score, line) in enumerate(scored):
                status: Status = "errored" if fault else "unscored"
                rows.append(
                    LogRow(
                        sample,
                        metric,
                        score,
                        status if score is None else "scored",
                        fault=fault,
                        repeat=str(number) if len(scored) > 1 else None,
                        digest=contents.get(sample),
                        prompt=prompts.get(sample),
                        line=line or None,
                    )
                )
    return rows, unusable


def _digest(value: object) -> str:
    return digest_of(json.dumps(value, ensure_ascii=False, sort_keys=True))


def _totals(report: Mapping[str, Any], metrics: set[str]) -> Iterator[Total]:
    """Give the report's means, where they are of a metric of the samples."""
    for name in TOTALS:
        metric = MATCH if name == "accuracy" and name not in metrics else name
        value = report.get(name)
        if metric in metrics and isinstance(value, int | float):
            yield Total(metric, float(value), over="rows")

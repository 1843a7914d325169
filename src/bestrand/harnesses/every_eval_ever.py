"""Every Eval Ever: rows of samples in a common form, with aggregates beside them."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, final

from bestrand.errors import FileError
from bestrand.harnesses.base import Claim, Harness, LogPart, LogRow, Run, Total
from bestrand.harnesses.files import LogFile
from bestrand.harnesses.values import to_id, to_number
from bestrand.notes import Note
from bestrand.reading.paths import unpacked_name


Result = Mapping[str, Any]
WITHOUT_RESULT = "has no score for each item: its rows name no result, and hold 0"


@final
class EveryEvalEver(Harness):
    """The `*_samples.jsonl` of Every Eval Ever, with the aggregate JSON of one `evaluation_id`.

    An item is `evaluation:sample_id`, a metric `evaluation_result_id`, both without the filter.
    Rows with an error are errored, whatever score stands there, and rows without a result id are no
    scores.
    """

    name: ClassVar[str] = "every-eval-ever"
    title: ClassVar[str] = "Every Eval Ever"
    versions: ClassVar[str] = "0.3.0"
    has_tasks: ClassVar[bool] = True

    def claim(self, file: LogFile) -> Claim | None:
        """Claim samples and aggregates by their first keys; see `Harness.claim`."""
        begins = re.match(rb'\s*\{\s*"schema_version":\s*"[^"]*",\s*"evaluation_id":', file.head)
        if begins is None:
            return None
        if b'"sample_id"' in file.head.split(b"\n", 1)[0]:
            return "log"
        return "companion" if b'"evaluation_results"' in file.head else None

    def read(self, files: Sequence[LogFile]) -> Iterator[Run]:
        """Read a run a file of samples and model; see `Harness.read`."""
        logs = [file for file in files if self.claim(file) == "log"]
        beside = [file.json() for file in files if self.claim(file) == "companion"]
        aggregates = {one.get("evaluation_id"): one for one in beside}
        for file in logs:
            notes: list[Note] = []
            of_model: dict[object, list[tuple[int, Result]]] = {}
            for line, row in _numbered(file, notes):
                of_model.setdefault(row.get("model_id"), []).append((line, row))
            for rows in of_model.values() or [[]]:
                yield _read(file, rows, notes, aggregates)
                notes = []


def _read(
    file: LogFile,
    rows: Sequence[tuple[int, Result]],
    notes: Sequence[Note],
    aggregates: Mapping[object, Result],
) -> Run:
    ids = {row.get("evaluation_id") for _, row in rows}
    results = [
        result
        for one in sorted(map(str, ids))
        for result in aggregates.get(one, {}).get("evaluation_results") or []
    ]
    by_task: dict[str, list[LogRow]] = {}
    for line, row in rows:
        if row.get("evaluation_result_id") is not None:
            by_task.setdefault(_task(row), []).append(_log_row(row, file, line))
    usable = {row.metric for each in by_task.values() for row in each}
    named = {_metric(result): result for result in results}
    absent = [name for name in named if name not in usable]
    if not (usable or absent):
        absent = sorted({_task(row) for _, row in rows})
    first = rows[0][1] if rows else {}
    return Run(
        harness=EveryEvalEver.name,
        model=str(first.get("model_id") or unpacked_name(file.path).stem),
        parts=[LogPart(file.path, found, task, file.given.model) for task, found in by_task.items()]
        or [LogPart(file.path, [])],
        totals=list(_totals(results, usable)),
        harness_version=str(first.get("schema_version") or ""),
        unusable=dict.fromkeys(absent, WITHOUT_RESULT),
        lower_is_better={
            name
            for name, one in named.items()
            if (one.get("metric_config") or {}).get("lower_is_better") is True
        },
        bounds={name: pair for name, one in named.items() if (pair := _bounds(one))},
        notes=notes,
    )


def _numbered(file: LogFile, notes: list[Note]) -> Iterator[tuple[int, Result]]:
    for line, row in file.rows(notes):
        if "sample_id" not in row or not isinstance(row.get("evaluation"), dict):
            raise FileError(
                "a row must have `sample_id` and `evaluation`.", path=file.path, line=line
            )
        yield line, row


def _filter(row: Result) -> str | None:
    name = (row.get("metadata") or {}).get("filter")
    return name if isinstance(name, str) else None


def _task(row: Result) -> str:
    """Give the evaluation's name without the filter behind it."""
    return str(row.get("evaluation_name", "")).removesuffix(f"/{_filter(row)}")


def _log_row(row: Result, file: LogFile, line: int) -> LogRow:
    by = _filter(row)
    metric = str(row["evaluation_result_id"]).removesuffix(f":{by}")
    error = row.get("error")
    score = None if error else to_number(row["evaluation"].get("score"), metric, file, line)
    facts = row.get("metadata") or {}
    return LogRow(
        to_id(row["sample_id"], file, line),
        metric,
        score,
        "errored" if error else "unscored" if score is None else "scored",
        fault=str(error).split("\n", 1)[0] if error else None,
        filter=by,
        digest=facts.get("doc_hash"),
        prompt=facts.get("prompt_hash"),
        line=line,
    )


def _metric(result: Result) -> str:
    """Give the metric of an aggregate, without the filter behind it."""
    return str(result.get("evaluation_result_id")).partition(":")[0]


def _totals(results: Sequence[Result], usable: set[str]) -> Iterator[Total]:
    """Give the scores of aggregates, by evaluation, metric and filter."""
    for result in results:
        metric, _, by = str(result.get("evaluation_result_id")).partition(":")
        score = (result.get("score_details") or {}).get("score")
        if metric in usable and isinstance(score, int | float):
            task = str(result.get("evaluation_name")).removesuffix(f"/{by}")
            yield Total(metric, float(score), task, by or None)


def _bounds(result: Result) -> tuple[float, float] | None:
    """Give the lowest and highest score, where both are known."""
    config = result.get("metric_config") or {}
    try:
        low, high = float(config["min_score"]), float(config["max_score"])
    except (KeyError, TypeError, ValueError):
        return None
    return (low, high) if math.isfinite(low) and math.isfinite(high) and low < high else None

"""lmms-eval: samples by task, with the results file beside them."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, final

from bestrand.errors import FileError
from bestrand.harnesses.base import Claim, Harness, LogPart, LogRow, Run, Status, Total
from bestrand.harnesses.files import LogFile
from bestrand.harnesses.lm_eval import is_own_row
from bestrand.harnesses.values import digest_of, to_id, to_number
from bestrand.notes import Note, shown
from bestrand.reading.paths import unpacked_name


DATE = r"\d{8}_\d{6}"
SAMPLES = re.compile(rf"^(?P<date>{DATE})_samples_(?P<task>.+)\.jsonl$")
RESULTS = re.compile(rf"^(?P<date>{DATE})_results\.json$")
# what stands in every row; all other fields are metrics
ROW = {"doc_id", "target", "filtered_resps", "doc_hash"}
FACTS = ROW | {"input", "resps", "token_counts", "input_media"}


class _Key(NamedTuple):
    """What tells a run: its folder, and the date in the names of its files."""

    folder: Path
    date: str


@final
class LmmsEval(Harness):
    """The logs of `lmms-eval --log_samples`: `DATE_samples_TASK.jsonl` and `DATE_results.json`.

    An item is `TASK:doc_id`. Its content is told by the target alone: `doc_hash` is the same for
    all items, as lmms-eval hashes an absent document. A metric with an object for each item has
    metrics `NAME.member`. A task's filters are told by the order of a document's rows.
    """

    name: ClassVar[str] = "lmms-eval"
    title: ClassVar[str] = "lmms-eval"
    versions: ClassVar[str] = "0.7.3"
    has_tasks: ClassVar[bool] = True

    def claim(self, file: LogFile) -> Claim | None:
        """Claim samples by their rows, and results files; see `Harness.claim`."""
        if RESULTS.match(file.name):
            return "companion" if re.match(rb'\s*\{\s*"results":', file.head) else None
        row = file.first_row
        if row:
            own = row.keys() >= ROW and "item" not in row and not is_own_row(row)
            return "log" if own and {"input", "token_counts"} & row.keys() else None
        begins = re.match(rb'\s*\{\s*"doc_id":', file.head) is not None
        named = SAMPLES.match(file.name) is not None
        return "log" if begins and named and b'"doc":' not in file.head else None

    def read(self, files: Sequence[LogFile]) -> Iterator[Run]:
        """Read a run a folder and date; see `Harness.read`."""
        results: dict[_Key, dict[str, Any]] = {}
        runs: dict[_Key, list[LogFile]] = {}
        for file in files:
            if match := RESULTS.match(file.name):
                results[_Key(file.path.parent, match["date"])] = file.json()
            elif self.claim(file) == "log":
                named = SAMPLES.match(file.name)
                key = _Key(file.path.parent, named["date"] if named else file.name)
                runs.setdefault(key, []).append(file)
        for key, of_run in runs.items():
            yield _run(of_run, results.get(key, {}))


def _run(files: Sequence[LogFile], results: Mapping[str, Any]) -> Run:
    notes: list[Note] = []
    unusable: dict[str, str] = {}
    parts = []
    for file in files:
        match = SAMPLES.match(file.name)
        task = match["task"] if match else unpacked_name(file.path).stem
        rows = _rows(file, notes, _filters(results, task), unusable)
        rows = _averaged(rows, results, task, unusable)
        parts.append(LogPart(file.path, rows, task, file.given.model))
    usable = {row.metric for part in parts for row in part.rows}
    tasks = {part.task for part in parts}
    numbers, versions = results.get("n-samples", {}), results.get("versions", {})
    directions = [one for one in results.get("higher_is_better", {}).values() if one]
    return Run(
        harness=LmmsEval.name,
        model=_model(files[0], results),
        parts=parts,
        totals=list(_totals(results, tasks, usable)),
        sizes={task: int(numbers[task]["original"]) for task in sorted(tasks & numbers.keys())},
        versions={task: str(versions[task]) for task in sorted(tasks & versions.keys())},
        unusable={name: why for name, why in unusable.items() if name not in usable},
        lower_is_better={
            metric
            for metric in usable
            if {one[metric] for one in directions if metric in one} == {False}
        },
        notes=notes,
    )


def _model(file: LogFile, results: Mapping[str, Any]) -> str:
    name = results.get("model_name")
    if isinstance(name, str) and name:
        return name
    folder = file.path.resolve().parent.name
    named = SAMPLES.match(file.name) and folder
    return folder.replace("__", "/") if named else unpacked_name(file.path).stem


def _keys(results: Mapping[str, Any], task: str) -> Iterator[tuple[str, str, Any]]:
    """Give metric, filter and value of a task's results; standard errors are none."""
    for key, value in (results.get("results", {}).get(task) or {}).items():
        metric, comma, by = key.rpartition(",")
        if comma and "_stderr" not in metric:
            yield metric, by, value


def _filters(results: Mapping[str, Any], task: str) -> list[str]:
    return list(dict.fromkeys(by for _, by, _ in _keys(results, task)))


def _rows(
    file: LogFile, notes: list[Note], filters: Sequence[str], unusable: dict[str, str]
) -> list[LogRow]:
    """Give a row a document, filter and metric."""
    found: list[tuple[int, str, dict[str, Any]]] = []
    for line, row in file.rows(notes):
        if "doc_id" not in row:
            raise FileError("a row of lmms-eval without `doc_id`.", path=file.path, line=line)
        found.append((line, to_id(row["doc_id"], file, line), row))
    times = Counter(item for _, item, _ in found)
    told = len(filters) > 1 and set(times.values()) == {len(filters)}
    if len(filters) > 1 and not told:
        raise FileError(
            f"{len(filters)} filters ({shown(list(filters))}) need as many rows of each document, "
            "in their order, as rows do not name theirs. Was the file written by two runs?",
            path=file.path,
        )
    numbers = {name for _, _, row in found for name, value in row.items() if _is_number(value)}
    seen: Counter[str] = Counter()
    rows = []
    for line, item, row in found:
        by = filters[seen[item] if told else 0] if filters else None
        seen[item] += 1
        content = digest_of(json.dumps(row.get("target"), ensure_ascii=False))
        prompt = digest_of(json.dumps(row["input"], ensure_ascii=False)) if "input" in row else None
        for metric, value in _scores(row, numbers, unusable):
            score = to_number(value, metric, file, line)
            status: Status = "unscored" if score is None else "scored"
            rows.append(
                LogRow(
                    item,
                    metric,
                    score,
                    status,
                    filter=by,
                    digest=content,
                    prompt=prompt,
                    line=line,
                )
            )
    return rows


def _is_number(value: object) -> bool:
    return isinstance(value, bool | int | float)


def _scores(
    row: Mapping[str, Any], numbers: set[str], unusable: dict[str, str]
) -> Iterator[tuple[str, Any]]:
    """Give the metrics of a row that are one value an item; members of objects as `name.member`.

    What is a number in other rows is given whatever it is here.
    """
    for name in (name for name in row if name not in FACTS):
        value = row[name]
        if value is None or name in numbers:
            yield name, value
        elif isinstance(value, dict):
            members = {f"{name}.{key}": one for key, one in value.items() if _is_number(one)}
            also = f"; its numbers are {shown(list(members))}" if members else ""
            unusable[name] = f"has an object for each item{also}"
            yield from members.items()
        else:
            kind = "a list" if isinstance(value, list) else "a text"
            unusable[name] = f"has {kind} for each item"


def _averaged(
    rows: Sequence[LogRow], results: Mapping[str, Any], task: str, unusable: dict[str, str]
) -> list[LogRow]:
    """Keep the metrics that the task averages over its items."""
    config = results.get("configs", {}).get(task) or {}
    listed = {one.get("metric"): one.get("aggregation") for one in config.get("metric_list") or []}
    other = {name: how for name, how in listed.items() if how not in (None, "mean")}
    for metric in sorted({row.metric for row in rows} & other.keys()):
        unusable[metric] = "is not averaged over items, but aggregated by a function of its own"
    return [row for row in rows if row.metric not in other]


def _totals(results: Mapping[str, Any], tasks: set[str], usable: set[str]) -> Iterator[Total]:
    for task in sorted(tasks):
        for metric, by, value in _keys(results, task):
            if metric in usable and isinstance(value, int | float):
                yield Total(metric, float(value), task, by)

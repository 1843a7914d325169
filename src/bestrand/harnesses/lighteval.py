"""lighteval: details of every document as Parquet, with results beside them."""

import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, final

import polars as pl

from bestrand.errors import FileError, InputError
from bestrand.harnesses.base import Claim, Harness, LogPart, LogRow, Run, Status, Total
from bestrand.harnesses.files import LogFile
from bestrand.harnesses.values import digest_of, to_id, to_number


DATE = r"\d{4}-\d{2}-\d{2}T\d{2}[-:]\d{2}[-:]\d{2}(?:\.\d+)?"
DETAILS = re.compile(rf"^details_(?P<task>.+)_(?P<date>{DATE})\.parquet$")
RESULTS = re.compile(rf"^results_(?P<date>{DATE})\.json$")
OWN = ("own_id", "id")  # members of `specific` that hold the item's own id


@final
class Lighteval(Harness):
    """The details of `lighteval ... --save-details`: `details_TASK|SHOTS_DATE.parquet`.

    An item is `TASK|SHOTS:id`, by `own_id` or `id` in the document's `specific`, or else by
    `doc.id`, which is the position in this very run. A document has a row for each way of sampling;
    a metric has its score in one of them.
    """

    name: ClassVar[str] = "lighteval"
    title: ClassVar[str] = "lighteval"
    versions: ClassVar[str] = "0.13.0"
    has_tasks: ClassVar[bool] = True

    def claim(self, file: LogFile) -> Claim | None:
        """Claim details by their names, and results; see `Harness.claim`."""
        if DETAILS.match(file.name):
            return "log" if file.head.startswith(b"PAR1") else None
        is_results = RESULTS.match(file.name) and b'"config_general"' in file.head
        return "companion" if is_results else None

    def read(self, files: Sequence[LogFile]) -> Iterator[Run]:
        """Read a run a model and date; see `Harness.read`."""
        results = [
            (match["date"], file.json()) for file in files if (match := RESULTS.match(file.name))
        ]
        runs: dict[tuple[str, str], list[LogFile]] = {}
        for file in files:
            if match := DETAILS.match(file.name):
                runs.setdefault((_model(file), match["date"]), []).append(file)
        for (model, date), of_run in runs.items():
            told = [one for when, one in results if when == date]
            told = [one for one in told if one["config_general"].get("model_name") == model]
            yield _run(model, of_run, told[0] if told else {})


def _model(file: LogFile) -> str:
    """Take the model out of `details/ORG/MODEL/DATE/`."""
    parts = file.path.parts
    if "details" not in parts:
        return file.path.parent.name or file.path.stem
    level = len(parts) - 1 - parts[::-1].index("details")
    return "/".join(parts[level + 1 : -2]) or file.path.stem


def _run(model: str, files: Sequence[LogFile], results: Mapping[str, Any]) -> Run:
    parts = []
    for file in files:
        by_task: dict[str, list[LogRow]] = {}
        for task, row in _rows(file):
            by_task.setdefault(task, []).append(row)
        parts += [
            LogPart(file.path, rows, task, file.given.model) for task, rows in by_task.items()
        ]
    usable = {row.metric for part in parts for row in part.rows}
    return Run(
        harness=Lighteval.name,
        model=model,
        parts=parts,
        totals=list(_totals(results, {part.task for part in parts}, usable)),
    )


def _rows(file: LogFile) -> Iterator[tuple[str, LogRow]]:
    """Give a row a document and metric, with its task."""
    docs = _documents(file.content(), file.path)
    own_ids = _own_ids([doc for doc, _ in docs])
    scored: dict[tuple[str, str], float | None] = {}
    told: dict[tuple[str, str], tuple[str, str]] = {}  # task and content
    contents: dict[str, str] = {}
    for place, (doc, metrics) in enumerate(docs):
        item = to_id(doc.get("id") if own_ids is None else own_ids[place], file)
        content = digest_of(json.dumps([doc.get("query"), doc.get("choices")], ensure_ascii=False))
        if contents.setdefault(item, content) != content:
            raise InputError(
                f"{file.path}: id {item!r} stands for two documents. Give each document an id of "
                'its own: Doc(specific={"own_id": ...}).',
                item=item,
            )
        for metric, value in (metrics or {}).items():
            told[item, metric] = (str(doc.get("task_name")), content)
            number = to_number(value, metric, file)
            if number is not None or (item, metric) not in scored:
                scored[item, metric] = number
    for (item, metric), number in scored.items():
        task, content = told[item, metric]
        status: Status = "unscored" if number is None else "scored"
        yield task, LogRow(item, metric, number, status, digest=content)


def _own_ids(docs: Sequence[Mapping[str, Any]]) -> list[object] | None:
    """Return the ids that the prompt function gave, if it gave each question one of its own."""
    asked = [json.dumps([doc.get("query"), doc.get("choices")], ensure_ascii=False) for doc in docs]
    for name in OWN:
        own = [
            doc["specific"].get(name) if isinstance(doc.get("specific"), dict) else None
            for doc in docs
        ]
        if docs and None not in own:
            pairs = set(zip(map(str, own), asked, strict=True))
            if name == OWN[0] or len(pairs) == len({one for one, _ in pairs}):
                return own
    return None


def _documents(content: bytes, path: Path) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    try:
        table = pl.read_parquet(io.BytesIO(content), columns=["doc", "metric"])
    except (pl.exceptions.PolarsError, OSError) as error:
        raise FileError(
            f"no details of lighteval ({error}). Copy the file again.", path=path
        ) from error
    return list(table.iter_rows())


def _totals(results: Mapping[str, Any], tasks: set[str], usable: set[str]) -> Iterator[Total]:
    """Give the means of metrics that are the mean over the documents."""
    for task in sorted(tasks & set(results.get("results", {}))):
        config = results.get("config_tasks", {}).get(task) or {}
        listed = config.get("metrics") or []
        how = {one.get("metric_name"): one.get("corpus_level_fn") for one in listed}
        for metric, value in results["results"][task].items():
            is_mean = how.get(metric, "mean") == "mean"
            if metric in usable and is_mean and isinstance(value, int | float):
                yield Total(metric, float(value), task)

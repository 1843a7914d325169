"""lm-evaluation-harness: samples by task, with the results file beside them."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, final

from bestrand.errors import FileError, InputError, ManifestError
from bestrand.harnesses.base import (
    FOLDER,
    MANIFEST_KEY,
    Claim,
    Export,
    Harness,
    LogPart,
    LogRow,
    Run,
    Selection,
    Total,
)
from bestrand.harnesses.files import LogFile
from bestrand.harnesses.selection import is_position, positions, require_ids
from bestrand.harnesses.values import digest_of, indented, json_file, to_id, to_number
from bestrand.notes import Note, shown
from bestrand.reading.paths import unpacked_name


DATE = r"\d{4}-\d{2}-\d{2}T\d{2}[-:]\d{2}[-:]\d{2}(?:\.\d+)?"
SAMPLES = re.compile(rf"^samples_(?P<task>.+)_(?P<date>{DATE})\.jsonl$")
RESULTS = re.compile(rf"^results_(?P<date>{DATE})\.json$")
# what `--log_samples` writes in every row; other tables may have some of it
ROW = {"doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "doc_hash"}
FACTS = ROW | {"filter", "metrics", "prompt_hash", "target_hash"}
TASK = re.compile(rf"samples_(?P<task>.+?)(?:_{DATE})?\.jsonl?$")


@dataclass(frozen=True)
class _RunFiles:
    """The files of one run.

    Attributes:
        samples: one a task.
        results: what the results file holds; empty without one.
    """

    samples: list[LogFile]
    results: dict[str, Any]


@final
class LmEval(Harness):
    """The logs of `lm-eval run --log_samples`: `samples_TASK_DATE.jsonl` and `results_DATE.json`.

    A model's name is in the results file, or is that of the folder. Ids are `task:doc_id`.
    """

    name: ClassVar[str] = "lm-eval"
    title: ClassVar[str] = "lm-evaluation-harness"
    versions: ClassVar[str] = "0.4.13"
    has_tasks: ClassVar[bool] = True

    def claim(self, file: LogFile) -> Claim | None:
        """Claim samples by their rows, and results files; see `Harness.claim`."""
        if RESULTS.match(file.name):
            return "companion" if re.match(rb'\s*\{\s*"results"', file.head) else None
        if not file.head.lstrip().startswith(b"{"):
            return None
        row = file.first_row
        if row:
            named = len(ROW & row.keys()) >= 2 or {"filter", "metrics"} <= row.keys()
            own = "doc_id" in row and "item" not in row and is_own_row(row)
            return "log" if own and named else None
        begins = re.match(rb'\s*\{\s*"doc_id"', file.head) is not None
        return "log" if begins and b'"doc":' in file.head else None

    def read(self, files: Sequence[LogFile]) -> Iterator[Run]:
        """Read runs, the largest first; see `Harness.read`."""
        known: dict[str, dict[str, str]] = {}  # task -> id -> digest of the document
        _require_told_apart(files)
        for run in sorted(_runs(files), key=_size, reverse=True):
            yield _read(run, known)

    def export(self, chosen: Selection) -> Export:
        """Write the lists of `--samples`; see `Harness.export`.

        Lists of leaf tasks, ascending and none of them empty: others log wrong ids, or run whole.
        """
        require_ids(chosen, is_position, self, "Ids are positions in a task: 0, 1, 2, ...")
        odd = [task for task in chosen.by_task if not task or task[0] == "-" or "," in task]
        if odd:
            raise ManifestError(
                f"lm-eval takes tasks in one list with commas, and cannot be told {shown(odd)}. "
                "Name the task otherwise.",
                tasks=odd,
            )
        lists = {task: positions(items) for task, items in chosen.by_task.items()}
        command = [
            *("lm-eval", "run", "--model", "MODEL", "--model_args", "ARGS"),
            *("--tasks", ",".join(lists), "--samples", f"{FOLDER}/samples.json"),
            *("--metadata", json.dumps({MANIFEST_KEY: chosen.digest})),
            *("--log_samples", "--output_path", f"{FOLDER}/logs"),
        ]
        text = (
            "Do not add --cache_requests or --limit. Tasks with few-shot examples and the default "
            "sampler ask other prompts when they run some items: `bestrand verify --against` shows "
            "it."
        )
        files = {"samples.json": json_file(lists)}
        return Export(files, [command], [Note("few-shot", text)])


def _require_told_apart(files: Sequence[LogFile]) -> None:
    """Refuse several files of one model of which neither names nor hashes say of which task.

    Raises:
        InputError: there are such files.
    """
    unknown = [
        file
        for file in files
        if not (
            RESULTS.match(file.name) or _task(file) or {"doc", "doc_hash"} & file.first_row.keys()
        )
    ]
    if len(unknown) > 1:
        raise InputError(
            f"{unknown[0].path} and {unknown[1].path}: neither their names nor a `doc_hash` say "
            "whether these are samples of one task: `doc_id` counts from 0 in every task. Name the "
            "files samples_TASK.jsonl."
        )


def is_own_row(row: Mapping[str, Any]) -> bool:
    """Whether a row is of lm-eval, and not of lmms-eval, which leaves out `doc` and `filter`."""
    return bool({"doc", "arguments", "filter"} & row.keys())


def _runs(files: Sequence[LogFile]) -> list[_RunFiles]:
    """Group files by folder and date; each task of a date is one file."""
    results: dict[tuple[Path, str], dict[str, Any]] = {}
    for file in files:
        if match := RESULTS.match(file.name):
            results[file.path.parent, match["date"]] = _results(file)
    runs: dict[tuple[Path, str, str], _RunFiles] = {}
    for file in files:
        if RESULTS.match(file.name):
            continue
        match = SAMPLES.match(file.name)
        date = match["date"] if match else ""
        found = results.get((file.path.parent, date)) or _of_folder(results, file)
        alone = "" if match else file.name
        run = runs.setdefault((file.path.parent, date, alone), _RunFiles([], found))
        run.samples.append(file)
    return list(runs.values())


def _results(file: LogFile) -> dict[str, Any]:
    value = file.json()
    if not (isinstance(value, dict) and isinstance(value.get("results"), dict)):
        raise FileError("no results of lm-eval: `results` must be an object.", path=file.path)
    return value


def _of_folder(results: Mapping[tuple[Path, str], dict[str, Any]], file: LogFile) -> dict[str, Any]:
    """Take the one results file of a folder, for samples that are called otherwise."""
    there = [value for (folder, _), value in results.items() if folder == file.path.parent]
    return there[0] if len(there) == 1 and not SAMPLES.match(file.name) else {}


def _size(run: _RunFiles) -> int:
    return sum(file.content().count(b"\n") for file in run.samples)


def _read(run: _RunFiles, known: dict[str, dict[str, str]]) -> Run:
    notes: list[Note] = []
    unusable: dict[str, str] = {}
    parts = []
    for file in run.samples:
        task = _task(file)
        rows = _averaged(list(_rows(file, unusable, notes)), run.results, task, unusable)
        own = known.setdefault(task, {})
        rows = rejoined(rows, own, file, notes)
        for row in rows:
            if row.digest is not None:
                own.setdefault(row.item, row.digest)
        parts.append(LogPart(file.path, rows, task, file.given.model))
    usable = {row.metric for part in parts for row in part.rows}
    return Run(
        harness=LmEval.name,
        model=_model(run),
        parts=parts,
        totals=_totals(run.results, usable),
        sizes=_sizes(run.results, {part.task for part in parts}),
        ran=_sizes(run.results, {part.task for part in parts}, "effective"),
        versions={
            part.task: str(run.results["versions"][part.task])
            for part in parts
            if part.task in run.results.get("versions", {})
        },
        harness_version=str(run.results.get("lm_eval_version") or ""),
        digest=_digest(run.results),
        unusable={name: why for name, why in unusable.items() if name not in usable},
        lower_is_better=_lower_is_better(run.results, usable),
        notes=notes,
    )


def _task(file: LogFile) -> str:
    match = SAMPLES.match(file.name) or TASK.search(file.name)
    return match["task"] if match else ""


def _model(run: _RunFiles) -> str:
    name = run.results.get("model_name")
    if isinstance(name, str) and name:
        return name
    file = run.samples[0]
    folder = file.path.resolve().parent.name
    if SAMPLES.match(file.name) and "__" in folder:
        return folder.replace("__", "/")
    return unpacked_name(file.path).stem


def _rows(file: LogFile, unusable: dict[str, str], notes: list[Note]) -> Iterator[LogRow]:
    for line, row in file.rows(notes):
        if "doc_id" not in row:
            raise FileError("a row of lm-eval without `doc_id`.", path=file.path, line=line)
        item = to_id(row["doc_id"], file, line)
        content = row.get("doc_hash")
        if isinstance(row.get("doc"), dict):
            content = _require_own_document(row, item, file, line)
        for metric, value in _scores(row, unusable):
            score = to_number(value, metric, file, line)
            yield LogRow(
                item,
                metric,
                score,
                "unscored" if score is None else "scored",
                filter=row.get("filter"),
                digest=content,
                prompt=row.get("prompt_hash"),
                line=line,
            )


def _require_own_document(row: Mapping[str, Any], item: str, file: LogFile, line: int) -> str:
    """Give the digest of the document, which must be that which was logged.

    Raises:
        FileError: it is another one, so the answer is to another question.
    """
    content = digest_of(indented(row["doc"]))
    if row.get("doc_hash") not in (None, content):
        raise FileError(
            f"item {item!r}: `doc_hash` is not that of the document: the answer is to the prompt "
            "of another item, as `--cache_requests` with `--samples` gives. Run it again without "
            "--cache_requests.",
            path=file.path,
            line=line,
        )
    return content


def _scores(row: Mapping[str, Any], unusable: dict[str, str]) -> Iterator[tuple[str, Any]]:
    """Give the metrics of a row that are one value an item; members of objects as `name.member`."""
    names = row.get("metrics")
    if not isinstance(names, list):
        names = [name for name in row if name not in FACTS and _is_score(row[name])]
    for name in names:
        value = row.get(name)
        if isinstance(value, list):
            unusable[name] = "has a list for each item, and is computed over all of them at once"
        elif isinstance(value, dict):
            members = {f"{name}.{key}": one for key, one in value.items() if _is_score(one)}
            also = f"; its numbers are {shown(list(members))}" if members else ""
            unusable[name] = f"has an object for each item{also}"
            yield from members.items()
        else:
            yield name, value


def _is_score(value: object) -> bool:
    return isinstance(value, bool | int | float | list | dict)


def rejoined(
    rows: list[LogRow], known: Mapping[str, str], file: LogFile, notes: list[Note]
) -> list[LogRow]:
    """Give rows the ids of their documents, where ids and documents of a larger run disagree.

    A list of samples that does not ascend is logged with ids that belong to other documents.

    Args:
        rows: of one task.
        known: id -> digest of its document, of runs that were read before.
        file: the rows are of.
        notes: where a note is added.

    Raises:
        InputError: a document is unknown, or stands under several ids.
    """
    told = [row for row in rows if row.digest is not None]  # older logs have no hash
    wrong = {row.item for row in told if known.get(row.item, row.digest) != row.digest}
    if not wrong:
        return rows
    ids: dict[str, list[str]] = {}
    for item, content in known.items():
        ids.setdefault(content, []).append(item)
    new: dict[str, str] = {}
    for row in told:
        of_content = ids.get(row.digest or "", [])
        if row.item in of_content:
            new[row.item] = row.item
        elif len(of_content) == 1:
            new[row.item] = of_content[0]
        else:
            raise InputError(
                f"{file.path}: {len(wrong)} ids stand for other documents than in a larger run of "
                f"the same task, by their doc_hash: {shown(sorted(wrong))}. Document of item "
                f"{row.item!r} {'is not in that run' if not of_content else 'is there twice'}. Is "
                "it another version of the task? Read the runs apart, or run it again with "
                "ascending --samples.",
                items=sorted(wrong),
            )
    text = (
        f"{file.path}: {len(wrong)} ids belonged to other documents ({shown(sorted(wrong))}), as a "
        "list of samples that does not ascend gives; rows were joined by their doc_hash."
    )
    notes.append(Note("rejoined", text))
    return [row._replace(item=new.get(row.item, row.item)) for row in rows]


def _totals(results: Mapping[str, Any], usable: set[str]) -> list[Total]:
    """Give the totals by task, metric and filter, of metrics that have a score an item."""
    totals = []
    for task, values in results.get("results", {}).items():
        if task in results.get("group_subtasks", {}) or not isinstance(values, dict):
            continue
        for key, value in values.items():
            metric, _, by = key.partition(",")
            if metric in usable and isinstance(value, int | float):
                totals.append(Total(metric, float(value), task, by or None))
    return totals


def _averaged(
    rows: Sequence[LogRow], results: Mapping[str, Any], task: str, unusable: dict[str, str]
) -> list[LogRow]:
    """Keep the metrics that the task averages over its items."""
    config = results.get("configs", {}).get(task) or {}
    listed = {one.get("metric"): one.get("aggregation") for one in config.get("metric_list") or []}
    other = {name: how for name, how in listed.items() if how not in (None, "mean")}
    for metric in sorted({row.metric for row in rows} & other.keys()):
        unusable[metric] = f"is not averaged over items, but aggregated by {other[metric]!r}"
    return [row for row in rows if row.metric not in other]


def _sizes(results: Mapping[str, Any], tasks: set[str], which: str = "original") -> dict[str, int]:
    """Return the items of each task: of the whole, or those that ran ("effective")."""
    numbers = results.get("n-samples") or {}
    there = (task for task in sorted(tasks) if which in (numbers.get(task) or {}))
    return {task: int(numbers[task][which]) for task in there}


def _digest(results: Mapping[str, Any]) -> str:
    for config in results.get("configs", {}).values():
        value = (config.get("metadata") or {}).get(MANIFEST_KEY)
        if isinstance(value, str):
            return value
    return ""


def _lower_is_better(results: Mapping[str, Any], usable: set[str]) -> set[str]:
    """Return the metrics of which a lower score is better in every task that says."""
    said: dict[str, list[object]] = {}
    for of_task in results.get("higher_is_better", {}).values():
        for metric, higher in (of_task or {}).items():
            said.setdefault(metric, []).append(higher)
    return {metric for metric in usable if said.get(metric) and not any(said[metric])}

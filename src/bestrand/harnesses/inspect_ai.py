"""Inspect: logs of one task and model each, `.eval` archives or JSON."""

import io
import json
import re
import struct
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, final

import zstandard

from bestrand.errors import FileError, InputError
from bestrand.harnesses.base import (
    MANIFEST_KEY,
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
from bestrand.harnesses.inspect_export import export_of
from bestrand.harnesses.values import short, to_id, to_number
from bestrand.notes import Note, shown


ZSTANDARD = 93  # as a method of compression in a zip archive
# as Inspect itself turns values into numbers
LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
MEANS = ("accuracy", "mean")  # metrics that are the mean over the samples


class _Log(NamedTuple):
    """One log: its header, and its samples as far as they are needed.

    Attributes:
        file: where it is.
        header: `status`, `eval` and `results`.
        samples: `id`, `epoch`, `scores` and `error` of each.
    """

    file: LogFile
    header: Mapping[str, Any]
    samples: Sequence[Mapping[str, Any]]


@final
class InspectAI(Harness):
    """The logs of `inspect eval`: `.eval` archives, or JSON with `--log-format json`.

    A metric is a scorer, or `scorer.key` of a scorer with several values; the letters C, P, I and N
    count 1, .5, 0 and 0. Samples with an error are errored, NaN is unscored; epochs are averaged
    inside an item. Ids are `task:id`.
    """

    name: ClassVar[str] = "inspect-ai"
    title: ClassVar[str] = "Inspect"
    versions: ClassVar[str] = "0.3.285"
    has_tasks: ClassVar[bool] = True

    def claim(self, file: LogFile) -> Claim | None:
        """Claim archives, JSON logs, and what an eval set leaves beside; see `Harness.claim`."""
        if file.name.endswith(".eval"):
            return "log" if file.head.startswith(b"PK") else None
        if file.name in ("logs.json", "eval-set.json"):
            is_own = b'"eval_set_id"' in file.head or b'.eval"' in file.head
            return "companion" if is_own else None
        is_log = re.match(rb'\s*\{\s*"version":\s*\d+,\s*"status":\s*"', file.head)
        return "log" if is_log else None

    def read(self, files: Sequence[LogFile]) -> Iterator[Run]:
        """Read a run a log, of logs of one task the newest; see `Harness.read`."""
        logs = [_open(file) for file in files if self.claim(file) == "log"]
        newest: dict[tuple[str, str, str], _Log] = {}
        for log in sorted(logs, key=lambda log: str(log.header["eval"].get("created", ""))):
            spec = log.header["eval"]
            newest[str(spec.get("task_id")), str(spec.get("model")), str(spec.get("task"))] = log
        ran = [log for log in newest.values() if not _is_left_out(log)] or [*newest.values()]
        for number, log in enumerate(ran):
            older = [one for one in logs if one is not log and _is_same_run(one, log)]
            yield _run(log, older, [] if number else _left_out(newest.values(), ran))

    def export(self, chosen: Selection) -> Export:
        """Write configurations of `--run-config`; see `Harness.export`."""
        return export_of(chosen, self)


def _is_left_out(log: _Log) -> bool:
    """Whether no sample of the task was to run, for the list of samples named other tasks alone."""
    config = log.header["eval"].get("config") or {}
    return config.get("sample_id") == [] and not log.samples


def _left_out(logs: Iterable[_Log], ran: Sequence[_Log]) -> list[Note]:
    """Note the tasks of which no sample was to run."""
    tasks = {str(log.header["eval"]["task"]) for log in logs if log not in ran}
    if not tasks:
        return []
    text = f"Tasks of which no sample was chosen are left aside: {shown(sorted(tasks))}."
    return [Note("empty-tasks", text)]


def _is_same_run(one: _Log, other: _Log) -> bool:
    keys = ("task_id", "model", "task")
    return all(one.header["eval"].get(key) == other.header["eval"].get(key) for key in keys)


def _open(file: LogFile) -> _Log:
    """Read the header, and the samples' summaries, or the samples where there are none."""
    if not file.name.endswith(".eval"):
        whole = file.json()
        return _Log(file, _checked(whole, file), whole.get("samples") or [])
    content = file.path.read_bytes()
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
        names = {entry.filename: entry for entry in archive.infolist()}
    except (zipfile.BadZipFile, OSError) as error:
        raise FileError(
            f"the archive is damaged ({error}). Copy it again, or recover it with "
            "`inspect log recover`.",
            path=file.path,
        ) from error

    def member(name: str) -> Any:  # noqa: ANN401
        return _parse(_unpacked(content, archive, names[name], file.path), name, file.path)

    if "header.json" in names and "summaries.json" in names:
        return _Log(file, _checked(member("header.json"), file), member("summaries.json"))
    if "_journal/start.json" not in names:
        raise FileError("no log of Inspect: it has no header.", path=file.path)
    header = {"status": "started", **member("_journal/start.json")}
    samples = [member(name) for name in names if name.startswith("samples/")]
    return _Log(file, _checked(header, file), samples)


def _unpacked(
    content: bytes, archive: zipfile.ZipFile, entry: zipfile.ZipInfo, path: Path
) -> bytes:
    """Unpack a member; Python before 3.14 cannot unpack those in Zstandard."""
    try:
        if entry.compress_type != ZSTANDARD:
            return archive.read(entry)
        start = entry.header_offset
        n_name, n_extra = struct.unpack("<HH", content[start + 26 : start + 30])
        start += 30 + n_name + n_extra
        packed = content[start : start + entry.compress_size]
        return zstandard.ZstdDecompressor().decompressobj().decompress(packed)
    except (zipfile.BadZipFile, zstandard.ZstdError, struct.error, OSError) as error:
        raise FileError(
            f"member {entry.filename!r} of the archive is damaged ({error}). Copy it again.",
            path=path,
        ) from error


def _parse(content: bytes, name: str, path: Path) -> Any:  # noqa: ANN401
    try:
        return json.loads(content)
    except ValueError as error:
        raise FileError(f"member {name!r} is not JSON ({error}).", path=path) from error


def _checked(header: Any, file: LogFile) -> Mapping[str, Any]:  # noqa: ANN401
    spec = header.get("eval") if isinstance(header, dict) else None
    if not (isinstance(spec, dict) and "task" in spec and "model" in spec):
        raise FileError("no log of Inspect: `eval` names no task and model.", path=file.path)
    return dict(header)


def _run(log: _Log, older: Sequence[_Log], notes: Sequence[Note]) -> Run:
    spec = log.header["eval"]
    task, file = str(spec["task"]), log.file
    unusable: dict[str, str] = {}
    rows = list(_rows(log, unusable))
    usable = {row.metric for row in rows}
    dataset = spec.get("dataset") or {}
    notes = [*notes]
    if older:
        text = (
            f"{file.path}: the newest log of task {task!r} by {spec['model']!r}; left aside: "
            f"{shown([str(one.file.path) for one in older])}."
        )
        notes.append(Note("older-logs", text))
    return Run(
        harness=InspectAI.name,
        model=str(spec["model"]),
        parts=[LogPart(file.path, rows, task, file.given.model)],
        totals=_totals(log, task, usable),
        sizes={task: int(dataset["samples"])} if dataset.get("samples") else {},
        versions={task: str(spec["task_version"])} if "task_version" in spec else {},
        harness_version=str((spec.get("packages") or {}).get("inspect_ai", "")),
        digest=_digest((log.header.get("metadata") or {}, spec.get("metadata") or {})),
        unusable={name: why for name, why in unusable.items() if name not in usable},
        unfinished=_unfinished(log),
        notes=notes,
    )


def _unfinished(log: _Log) -> str:
    """Say in what state a run was left that did not end; "" where it ended."""
    status = log.header.get("status")
    dataset = log.header["eval"].get("dataset") or {}
    n = len({str(sample.get("id")) for sample in log.samples})
    ids = dataset.get("sample_ids") or []
    of = f" of {len(ids)}" if ids else ""
    return "" if status == "success" else f"status {status!r}, with {n}{of} samples"


def _digest(metadata: Sequence[Mapping[str, Any]]) -> str:
    for one in metadata:
        value = one.get(MANIFEST_KEY)
        value = value.get("digest") if isinstance(value, dict) else value
        if isinstance(value, str):
            return value
    return ""


def _rows(log: _Log, unusable: dict[str, str]) -> Iterator[LogRow]:
    """Give a row a sample, epoch and metric."""
    file = log.file
    kinds: dict[str, type] = {}
    epochs = {sample.get("epoch") for sample in log.samples}
    values = [list(_values(sample, file, unusable)) for sample in log.samples]
    metrics = list(dict.fromkeys(name for each in values for name, _ in each)) or ["score"]
    for sample, found in zip(log.samples, values, strict=True):
        item = to_id(sample.get("id"), file)
        if kinds.setdefault(item, type(sample.get("id"))) is not type(sample.get("id")):
            raise InputError(f"{file.path}: id {item!r} is a number and a text.", item=item)
        repeat = str(sample.get("epoch")) if len(epochs) > 1 else None
        error = _error(sample)
        scores = dict(found)
        for metric in metrics:
            score = None if error and not found else scores.get(metric)
            status: Status = "errored" if error else "unscored"
            yield LogRow(
                item,
                metric,
                score,
                status if score is None else "scored",
                fault=error,
                repeat=repeat,
            )


def _error(sample: Mapping[str, Any]) -> str | None:
    """Give the first line of a sample's error, if it has one."""
    error = sample.get("error")
    if isinstance(error, dict):
        error = error.get("message")
    return str(error).split("\n", 1)[0] if error else None


def _values(
    sample: Mapping[str, Any], file: LogFile, unusable: dict[str, str]
) -> Iterator[tuple[str, float | None]]:
    """Give the numbers of a sample by metric; None where it is unscored."""
    for scorer, score in (sample.get("scores") or {}).items():
        value = score.get("value") if isinstance(score, dict) else score
        if isinstance(value, dict):
            for key, one in value.items():
                yield f"{scorer}.{key}", _number(one, f"{scorer}.{key}", file)
        elif isinstance(value, list):
            unusable[scorer] = "has a list for each sample"
        else:
            yield scorer, _number(value, scorer, file)


def _number(value: object, metric: str, file: LogFile) -> float | None:
    """Turn a value into a number as Inspect does, and refuse what it would count as 0."""
    if not isinstance(value, str):
        return to_number(value, metric, file)
    known = LETTERS.get(value, WORDS.get(value.lower()))
    if known is not None:
        return known
    try:
        return to_number(float(value), metric, file)
    except ValueError as error:
        raise FileError(
            f"{metric!r} has the value {short(value)}, which is none of C, P, I, N, yes and no, "
            "and no number. Score it otherwise.",
            path=file.path,
        ) from error


def _totals(log: _Log, task: str, usable: set[str]) -> list[Total]:
    """Give the means that Inspect computed, where epochs were averaged."""
    totals = []
    for score in (log.header.get("results") or {}).get("scores") or []:
        name, scorer = score.get("name"), score.get("scorer")
        metric = scorer if name == scorer or name in usable else f"{scorer}.{name}"
        metric = name if name in usable else metric
        for mean in MEANS:
            value = ((score.get("metrics") or {}).get(mean) or {}).get("value")
            averaged = score.get("reducer") in (None, "mean")
            if metric in usable and averaged and isinstance(value, int | float):
                totals.append(Total(metric, float(value), task))
    return totals

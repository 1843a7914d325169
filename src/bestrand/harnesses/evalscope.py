"""EvalScope: reviews of every answer, by dataset and subset, with reports beside them."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, final

from bestrand.errors import ArgumentError, FileError
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
from bestrand.harnesses.positions import is_positions, own_ids, positions_file
from bestrand.harnesses.values import digest_of, to_id, to_number
from bestrand.notes import Note, shown
from bestrand.reading.paths import unpacked_name


ROUNDING = 5.1e-5  # of the scores in reports, which have four digits
SUCCESS = "success"
LOCAL = ("general_mcq", "general_vmcq", "general_vqa", "general_qa")  # benchmarks of local files
BENCHMARK = re.compile(
    r"^    (?P<name>\S+):\n(?:      .*\n)*?      evaluation_version: (?P<version>\S+)$",
    re.MULTILINE,
)


class _Place(NamedTuple):
    """Where a file of reviews lies: the folder of the run, the model, and what it holds."""

    folder: Path
    model: str
    stem: str


@final
class EvalScope(Harness):
    """The reviews that `evalscope eval` writes: `reviews/MODEL/DATASET_SUBSET.jsonl`.

    An item is `DATASET_SUBSET:id`, by the `id` of the sample's metadata, or else by its group, as
    `index` counts attempts; attempts are averaged inside an item. What has another status than
    success is unscored, and a metric that raised is errored, though 0 stands there.
    """

    name: ClassVar[str] = "evalscope"
    title: ClassVar[str] = "EvalScope"
    versions: ClassVar[str] = "1.14.1"
    has_tasks: ClassVar[bool] = True

    def claim(self, file: LogFile) -> Claim | None:
        """Claim reviews, and reports and predictions beside them; see `Harness.claim`."""
        head = file.head.lstrip()
        if head.startswith(b"{") and b'"sample_score"' in head and b'"group_id"' in head:
            return "log"
        parts = file.path.parts
        if is_positions(file):
            return "companion"
        if "reports" in parts and b'"dataset_name"' in head and b'"model_name"' in head:
            return "companion"
        if "predictions" in parts and re.match(rb'\{\s*"index":\s*\d+,\s*"model":', head):
            return "companion"
        return "companion" if file.name == "task_config.yaml" and b"eval_backend" in head else None

    def read(self, files: Sequence[LogFile]) -> Iterator[Run]:
        """Read a run a model and folder; see `Harness.read`."""
        logs = [file for file in files if self.claim(file) == "log"]
        reports = [file for file in files if "reports" in file.path.parts]
        configs = [file for file in files if file.name == "task_config.yaml"]
        runs: dict[tuple[Path, str], list[LogFile]] = {}
        for file in logs:
            place = _place(file)
            runs.setdefault((place.folder, place.model), []).append(file)
        for (folder, model), of_run in runs.items():
            beside = [file for file in configs if folder in file.path.parents]
            told = [one.json() for one in reports if folder in one.path.parents]
            of_model = [report for report in told if report.get("model_name") == model]
            yield _run(model, of_run, of_model, beside[0].content().decode() if beside else "")

    def export(self, chosen: Selection) -> Export:
        """Write a smaller local file for each subset; see `Harness.export`.

        Raises:
            ArgumentError: the file of all samples was not given.
        """
        if chosen.source is None:
            raise ArgumentError(
                "EvalScope takes no list of items, but a smaller local file. Give the file of all "
                "samples, JSON lines: --from FILE (source=)."
            )
        if len(chosen.by_task) != 1:
            raise ArgumentError(
                f"One file holds one task, and the items are of {shown(sorted(chosen.by_task))}. "
                "Export one task at a time: --task NAME (task=)."
            )
        [(task, items)] = chosen.by_task.items()
        lines = chosen.source.read_bytes().splitlines()
        places = _places(lines, items, chosen.source)
        content = b"".join(lines[place] + b"\n" for place in places)
        benchmark = next((name for name in LOCAL if task.startswith(f"{name}_")), LOCAL[-1])
        subset = task.removeprefix(f"{benchmark}_")
        if not chosen.source.name.startswith(subset):
            subset = unpacked_name(chosen.source).stem
        where = {benchmark: {"local_path": FOLDER, "subset_list": [subset]}}
        command = [
            *("evalscope", "eval", "--model", "MODEL", "--datasets", benchmark),
            *("--dataset-args", json.dumps(where)),
            *("--work-dir", f"{FOLDER}/outputs"),
        ]
        text = (
            "EvalScope numbers the samples of a smaller file anew, from 0: the logs are read by "
            "positions.json, so keep them in a folder below it. Or give each sample a `metadata` "
            "with an `id`, where the dataset keeps it."
        )
        files = {
            chosen.source.name: content,
            **positions_file({task: list(items)}),
        }
        return Export(files, [command], [Note("numbered-anew", text)])


def _places(lines: Sequence[bytes], items: Sequence[str], path: Path) -> list[int]:
    """Find the samples by `id`, or `metadata.id`, else by position.

    Raises:
        FileError: no JSON lines, or a chosen sample that is not there.
    """
    known: dict[str, int] = {}
    for place, line in enumerate(lines):
        try:
            row = json.loads(line)
        except ValueError as error:
            raise FileError(f"not JSON ({error}).", path=path, line=place + 1) from error
        own = (
            row.get("id", (row.get("metadata") or {}).get("id")) if isinstance(row, dict) else None
        )
        known[str(place if own is None else own)] = place
    absent = [item for item in items if item not in known]
    if absent:
        raise FileError(
            f"{len(absent)} of the {len(items)} chosen samples are not in it: {shown(absent)}.",
            path=path,
        )
    return [known[item] for item in items]


def _place(file: LogFile) -> _Place:
    parts = file.path.parts
    stem = unpacked_name(file.path).stem
    if "reviews" not in parts:
        return _Place(file.path.parent, stem, stem)
    level = len(parts) - 1 - parts[::-1].index("reviews")
    return _Place(Path(*parts[:level]), "/".join(parts[level + 1 : -1]) or stem, stem)


def _run(
    model: str, files: Sequence[LogFile], reports: Sequence[Mapping[str, Any]], config: str
) -> Run:
    notes: list[Note] = []
    parts = []
    for file in files:
        rows = list(_rows(file, notes))
        parts.append(LogPart(file.path, rows, _place(file).stem, file.given.model))
    tasks = {part.task for part in parts}
    broken = {row.metric for part in parts for row in part.rows if row.status == "errored"}
    told = {match["name"]: match for match in BENCHMARK.finditer(config)}
    version = re.search(r"^evalscope_version: (\S+)", config, re.MULTILINE)
    return Run(
        harness=EvalScope.name,
        model=model,
        parts=parts,
        totals=[total for report in reports for total in _totals(report, tasks, broken)],
        versions={
            task: match["version"]  # the fingerprint is of the model and of paths too
            for task in sorted(tasks)
            for name, match in told.items()
            if task.startswith(f"{name}_")
        },
        harness_version=version[1] if version else "",
        lower_is_better=_lower_is_better(reports),
        notes=notes,
    )


def _rows(file: LogFile, notes: list[Note]) -> Iterator[LogRow]:
    """Give a row an attempt and metric."""
    found: list[tuple[int, dict[str, Any], dict[str, Any]]] = []
    for line, row in file.rows(notes):
        sample = row.get("sample_score")
        if not isinstance(sample, dict) or "group_id" not in sample:
            raise FileError("no review: `sample_score` is absent.", path=file.path, line=line)
        found.append((line, row, sample))
    owns = _own_ids([sample for _, _, sample in found], file)
    attempts = {sample.get("generation_index") or 0 for _, _, sample in found}
    for (line, row, sample), own in zip(found, owns, strict=True):
        score = sample.get("score") or {}
        item = to_id(own, file, line)
        repeat = str(sample.get("generation_index") or 0) if len(attempts) > 1 else None
        errors = (score.get("metadata") or {}).get("metric_errors") or {}
        for metric, value in (score.get("value") or {}).items():
            error = _error_of(metric, errors)
            number = to_number(value, metric, file, line)
            status: Status = "errored" if error else "unscored"
            if error or score.get("status", SUCCESS) != SUCCESS:
                number = None
            yield LogRow(
                item,
                metric,
                number,
                status if number is None else "scored",
                fault=error,
                repeat=repeat,
                digest=_content(row),
                line=line,
            )


def _own_ids(samples: Sequence[Mapping[str, Any]], file: LogFile) -> Sequence[object]:
    """Take the ids of the samples' metadata if each group has its own, or else the groups.

    Groups of the run of an export are the positions in its list.
    """
    groups = [sample["group_id"] for sample in samples]
    own = [(sample.get("sample_metadata") or {}).get("id") for sample in samples]
    whole = None not in own and all(isinstance(one, str | int) for one in own)
    pairs = set(zip(map(repr, groups), map(str, own), strict=True))
    if whole and len(pairs) == len(set(map(repr, groups))) == len(set(map(str, own))):
        return own
    if all(isinstance(group, int) for group in groups):
        return own_ids(file, _place(file).stem, groups) or groups
    return groups


VARIANT = re.compile(r"[-_ ]?(\d+|[lL])$|[-_].*$")  # bleu-1, Rouge-L-F


def _error_of(metric: str, errors: Mapping[str, Any]) -> str | None:
    """Give the error of a metric, which is named without its variant: BLEU of bleu-1."""
    plain = VARIANT.sub("", metric).casefold()
    for name, error in errors.items():
        if str(name).casefold() in (metric.casefold(), plain):
            return str(error or "").strip().split("\n", 1)[0] or "error"
    return None


def _content(row: Mapping[str, Any]) -> str:
    """Hash the question and its target; ids of messages are others in every run."""
    asked = [
        message.get("content")
        for message in row.get("messages") or []
        if message.get("role") in ("system", "user")
    ]
    return digest_of(json.dumps([asked, row.get("target")], ensure_ascii=False))


def _totals(report: Mapping[str, Any], tasks: set[str], broken: set[str]) -> Iterator[Total]:
    """Give the scores of subsets, of metrics without variants that did not raise."""
    for metric in report.get("metrics") or []:
        identity = metric.get("identity") or {}
        name = identity.get("name")
        if identity.get("dimensions") or identity.get("aggregation") != "mean" or name in broken:
            continue
        for category in metric.get("categories") or []:
            for subset in category.get("subsets") or []:
                task = f"{report.get('dataset_name')}_{subset.get('name')}"
                if task in tasks and not subset.get("is_aggregate"):
                    score = float(subset["score"])
                    yield Total(str(name), score, task, over="rows", tolerance=ROUNDING)


def _lower_is_better(reports: Sequence[Mapping[str, Any]]) -> set[str]:
    """Return the metrics of which reports say that a lower score is better."""
    return {
        str((metric.get("identity") or {}).get("name"))
        for report in reports
        for metric in report.get("metrics") or []
        if (metric.get("semantics") or {}).get("direction") == "lower_is_better"
    }

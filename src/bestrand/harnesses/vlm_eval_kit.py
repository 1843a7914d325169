"""VLMEvalKit: judged answers by question, and a smaller table under a new name."""

import csv
import io
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, final

from bestrand.errors import ArgumentError, FileError, InputError
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
from bestrand.harnesses.values import digest_of, short
from bestrand.harnesses.workbook import sheet_rows
from bestrand.notes import Note, shown
from bestrand.reading.paths import unpacked_name


COPIES = 1_000_000  # circular sets repeat a question under an index that is larger by multiples
METRIC = "hit"
FAILED = "Failed to obtain answer via API"
RESULT = re.compile(r"^(?P<stem>.+)_result\.(?P<kind>tsv|json|xlsx)$")
ACCURACY = "_acc.csv"
NEW_NAME = re.compile(rf"_{MANIFEST_KEY}-[0-9a-f]{{12}}$")
Row = Mapping[str, Any]


class _Named(NamedTuple):
    """What the name of a file says."""

    model: str
    dataset: str
    judge: str


@final
class VlmEvalKit(Harness):
    """The results of multiple choice, and a smaller TSV file, as `run.py --data NAME` takes it.

    A log is `MODEL_DATASET_JUDGE_result.xlsx` (also `.tsv`, `.json`), with `MODEL_DATASET_acc.csv`.
    An item is `DATASET:index`. Rotations of one question are one item, which is hit where all are.
    An answer that the model's API failed to give is errored, whatever hit stands there. The judge
    is the filter.
    """

    name: ClassVar[str] = "vlmevalkit"
    title: ClassVar[str] = "VLMEvalKit"
    versions: ClassVar[str] = "2026-08-18"
    has_tasks: ClassVar[bool] = True

    def claim(self, file: LogFile) -> Claim | None:
        """Claim results by name and columns, and accuracies beside them; see `Harness.claim`."""
        match = RESULT.match(file.name)
        if match is None:
            begins = re.match(rb'"?split"?,"?Overall"?', file.head)
            return "companion" if file.name.endswith(ACCURACY) and begins else None
        if match["kind"] == "xlsx":
            return "log" if file.head.startswith(b"PK\x03\x04") else None
        head = file.head if match["kind"] == "json" else file.head.split(b"\n", 1)[0]
        return "log" if all(b'"' + name + b'"' in head for name in (b"index", b"hit")) else None

    def read(self, files: Sequence[LogFile]) -> Iterator[Run]:
        """Read a run a results file; see `Harness.read`."""
        boards = {file.path: file for file in files if file.name.endswith(ACCURACY)}
        logs = [file for file in files if self.claim(file) == "log"]
        named = [_named(file) for file in logs]
        times = Counter((one.model, one.dataset) for one in named)
        for file, one in zip(logs, named, strict=True):
            board = boards.get(file.path.with_name(f"{one.model}_{one.dataset}{ACCURACY}"))
            is_of_it = times[one.model, one.dataset] == 1
            yield _read(file, one, board if is_of_it else None)

    def export(self, chosen: Selection) -> Export:
        """Write the rows of the chosen questions, with all their rotations; see `Harness.export`.

        Raises:
            ArgumentError: the file of all questions was not given, or there are several tasks.
        """
        if chosen.source is None or len(chosen.by_task) != 1:
            raise ArgumentError(
                "VLMEvalKit takes no list of items, but a smaller table, one a dataset. Give its "
                "file of all questions: --from NAME.tsv (source=), and --task NAME (task=) where "
                "the items are of several."
            )
        [items] = chosen.by_task.values()
        name = f"{chosen.source.stem}_{chosen.run_name}"
        command = ["python", "run.py", "--data", name, "--model", "MODEL"]
        text = f"Set LMUData={FOLDER}: the table is found by its name, which is a new one."
        files = {f"{name}.tsv": _chosen_rows(chosen.source, items)}
        return Export(files, [["env", f"LMUData={FOLDER}", *command]], [Note("new-name", text)])


def _chosen_rows(path: Path, items: tuple[str, ...]) -> bytes:
    """Take the rows of the chosen questions.

    Raises:
        FileError: no table with `index`, or a chosen question that is not in it.
    """
    limit = csv.field_size_limit(2**31 - 1)
    try:
        with path.open(encoding="utf-8", newline="") as file:
            header, *rows = list(csv.reader(file, delimiter="\t"))
    except (OSError, ValueError, csv.Error) as error:
        raise FileError(
            f"no table ({error}). Give the TSV file of the dataset.", path=path
        ) from error
    finally:
        csv.field_size_limit(limit)
    if "index" not in header:
        raise FileError(f"no column 'index'; there are {shown(header, 8)}.", path=path)
    place, wanted = header.index("index"), set(items)
    kept = [row for row in rows if _question(row[place]) in wanted]
    absent = wanted - {_question(row[place]) for row in kept}
    if absent:
        raise FileError(
            f"{len(absent)} questions are not in it: {shown(sorted(absent))}.", path=path
        )
    buffer = io.StringIO()
    csv.writer(buffer, delimiter="\t", lineterminator="\n").writerows([header, *kept])
    return buffer.getvalue().encode()


def _question(index: str) -> str:
    """Return the question of a row: that of its first rotation."""
    is_number = index.isascii() and index.isdigit() and len(index) < 19
    return str(int(index) % COPIES) if is_number else index


def _named(file: LogFile) -> _Named:
    """Take model, dataset and judge out of a file's name: `MODEL_DATASET_JUDGE_result`.

    The model is the nearest folder with whose name it begins; what is before `_result` is judged by
    whom the files beside it, `MODEL_DATASET_acc.csv` and the answers, do not name.

    Raises:
        InputError: no folder is called so.
    """
    stem = unpacked_name(file.path).stem.removesuffix("_result")
    folders = [folder.name for folder in file.path.resolve().parents]
    model = next((name for name in folders if name and stem.startswith(f"{name}_")), None)
    if model is None:
        raise InputError(
            f"{file.path}: no folder above it is called as the model with which its name begins. "
            "Keep it in the folders in which VLMEvalKit wrote it: MODEL/RUN/."
        )
    beside = {
        unpacked_name(path).stem.removesuffix("_acc")
        for path in file.path.resolve().parent.iterdir()
        if not unpacked_name(path).stem.endswith("_result")
    }
    known = [one for one in beside if stem.startswith(f"{one}_") and one.startswith(f"{model}_")]
    whole = max(known, key=len) if known else stem.rpartition("_")[0]
    if "exact_matching" in stem and not known:
        whole = stem.removesuffix("_exact_matching")
    return _Named(model, whole.removeprefix(f"{model}_"), stem.removeprefix(f"{whole}_"))


def _read(file: LogFile, named: _Named, board: LogFile | None) -> Run:
    rows = _table(file)
    task = NEW_NAME.sub("", named.dataset)
    indices = [_index(row, file) for row in rows]
    whole = {int(one) for one in indices if one.isascii() and one.isdigit()}
    # rotations repeat the question of a smaller index
    circular = max(whole, default=0) >= COPIES and all(one % COPIES in whole for one in whole)
    hits = [_hit(row, file) for row in rows]
    failed = [FAILED in str(row.get("prediction")) for row in rows]
    found: dict[str, list[int]] = {}
    for number, index in enumerate(indices):
        found.setdefault(_question(index) if circular else index, []).append(number)
    log_rows = []
    for item, numbers in found.items():
        of_item = [hits[number] for number in numbers]
        known = [hit for hit in of_item if hit is not None]
        error = any(failed[number] for number in numbers)
        scored = not error and len(known) == len(of_item)
        if not circular and len(numbers) > 1:
            raise InputError(f"{file.path}: index {item!r} stands twice. Make the file again.")
        log_rows.append(
            LogRow(
                item,
                METRIC,
                min(known) if scored else None,
                "errored" if error else "scored" if scored else "unscored",
                fault=FAILED if error else None,
                filter=named.judge or None,
                digest=_content(rows[numbers[0]]),
            )
        )
    counted = [hit for hit, lost in zip(hits, failed, strict=True) if lost and hit]
    total = _total(board, rows) if board and not circular and not counted else None
    return Run(
        harness=VlmEvalKit.name,
        model=named.model,
        parts=[LogPart(file.path, log_rows, task, file.given.model)],
        totals=[] if total is None else [Total(METRIC, total, task, errors="zero")],
        bounds={METRIC: (0.0, 1.0)},
    )


def _table(file: LogFile) -> list[Row]:
    """Read the rows, in whichever format they were written.

    Raises:
        FileError: it is no table with `index` and `hit`.
    """
    kind = file.name.rpartition(".")[2]
    if kind == "json":
        rows = file.json()
        if not (isinstance(rows, list) and all(isinstance(row, dict) for row in rows)):
            raise FileError("not a list of rows.", path=file.path)
        return list(rows)
    if kind == "xlsx":
        cells = sheet_rows(file)
    else:
        text = file.content().decode("utf-8-sig")
        limit = csv.field_size_limit(2**31 - 1)
        try:
            table = list(csv.reader(io.StringIO(text, newline=""), delimiter="\t"))
        finally:
            csv.field_size_limit(limit)
        cells = [[cell or None for cell in row] for row in table if row]
    header = cells[0] if cells else []
    if not {"index", METRIC} <= set(header):
        raise FileError(
            "no columns `index` and `hit`: these answers were not judged one by one.",
            path=file.path,
        )
    return [dict(zip(map(str, header), row, strict=False)) for row in cells[1:]]


def _index(row: Row, file: LogFile) -> str:
    """Give an index as text: whole numbers as their digits, also where they were floats."""
    value = row.get("index")
    if value is None or isinstance(value, bool) or not isinstance(value, str | int | float):
        raise FileError(f"`index` must be a number or text, got {short(value)}.", path=file.path)
    if isinstance(value, float) and value == int(value):
        return str(int(value))
    return str(value)


def _hit(row: Row, file: LogFile) -> float | None:
    value = row.get(METRIC)
    if value is None or value == "":
        return None
    try:
        hit = float(value)
    except (TypeError, ValueError):
        hit = math.inf
    if math.isnan(hit):
        return None
    if not 0 <= hit <= 1:
        index = _index(row, file)
        raise FileError(
            f"`hit` of index {index!r} must be from 0 to 1, got {short(value)}.", path=file.path
        )
    return hit


def _content(row: Row) -> str | None:
    """Hash the question, whatever its blanks, which formats keep or not."""
    question = row.get("question")
    return digest_of(" ".join(question.split())) if isinstance(question, str) else None


def _total(board: LogFile, rows: Sequence[Row]) -> float | None:
    """Give the mean over all rows of the accuracies by split; None where the splits are others."""
    told = {
        row["split"] or "none": row["Overall"]
        for row in csv.DictReader(io.StringIO(board.content().decode("utf-8-sig")))
    }
    sizes = Counter(str(row.get("split") or "none") for row in rows)
    if set(told) != set(sizes) or not all(told.values()):
        return None
    return math.fsum(float(told[split]) * n for split, n in sizes.items()) / len(rows)

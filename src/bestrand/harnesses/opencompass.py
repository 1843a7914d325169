"""OpenCompass: results of a dataset with details of each example, and the rows to run."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, final

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
    Total,
)
from bestrand.harnesses.files import LogFile
from bestrand.harnesses.positions import own_ids, positions_file
from bestrand.harnesses.selection import is_position, positions, require_ids
from bestrand.harnesses.values import digest_of, short, to_id
from bestrand.notes import Note
from bestrand.reading.paths import unpacked_name


METRIC = "correct"
VERDICTS = ("correct", "is_correct", "cascade_correct")  # the first that is there counts
TOTALS = ("accuracy", "score", "pass@1")  # of 100; the first that is there
DETAILS = re.compile(rb'"details":\s*(?:\[\s*\{\s*"example_abbr":|\{\s*"type":\s*"(?:GEN|PPL)")')
PREDICTIONS = re.compile(rb'\s*\{\s*"0":\s*\{\s*"(?:origin_prompt|in-context examples|label: )')
CODE = '''"""Chosen rows of OpenCompass datasets, for `datasets = take_subset(datasets)`."""

ROWS = {rows}


def take_subset(datasets):
    """Keep the datasets that have chosen rows, and read these alone."""
    for dataset in datasets:
        rows = ROWS.get(dataset["abbr"])
        if rows is not None:
            dataset["reader_cfg"]["test_range"] = f"[:0] or {{rows}}"
    return [dataset for dataset in datasets if dataset["abbr"] in ROWS]
'''


class _Example(NamedTuple):
    """One example: its id, what was decided in each run of it, and its content."""

    item: str
    verdicts: Sequence[object]
    content: str


@final
class OpenCompass(Harness):
    """The results that OpenCompass writes with details, and rows for its configuration.

    A log is `results/MODEL/DATASET.json`. An item is `DATASET:row`, by the row of the whole
    dataset, with which `example_abbr` ends whatever `test_range` is. Details without it count from
    0 in every run: they are joined only where the prompt is the same, or else the list of
    references. Scores are 0 or 1, by `correct`; totals are of 100. Replicas are averaged.
    """

    name: ClassVar[str] = "opencompass"
    title: ClassVar[str] = "OpenCompass"
    versions: ClassVar[str] = "0.5.4"
    has_tasks: ClassVar[bool] = True

    def claim(self, file: LogFile) -> Claim | None:
        """Claim results with details, and predictions beside them; see `Harness.claim`."""
        if file.head.lstrip().startswith(b"{") and DETAILS.search(file.head):
            return "log"
        is_predictions = "predictions" in file.path.parts and PREDICTIONS.match(file.head)
        return "companion" if is_predictions else None

    def read(self, files: Sequence[LogFile]) -> Iterator[Run]:
        """Read a run a folder of a model; see `Harness.read`."""
        runs: dict[Path, list[LogFile]] = {}
        for file in files:
            if self.claim(file) == "log":
                runs.setdefault(file.path.parent, []).append(file)
        for folder, of_run in runs.items():
            yield _run(folder, of_run)

    def export(self, chosen: Selection) -> Export:
        """Write the rows of each dataset as Python and as JSON; see `Harness.export`."""
        require_ids(chosen, is_position, self, "Ids are rows of a dataset: 0, 1, 2, ...")
        rows = {dataset: positions(items) for dataset, items in chosen.by_task.items()}
        text = (
            "Import `take_subset` of subset.py in CONFIG.py. Details without `example_abbr` are "
            "numbered anew, from 0: they are read by positions.json, so keep the logs in a folder "
            "below it. Evaluators of subjective answers do not take such ranges."
        )
        files = {
            "subset.py": CODE.format(rows=rows).encode(),
            **positions_file({dataset: list(map(str, each)) for dataset, each in rows.items()}),
        }
        command = ["opencompass", "CONFIG.py", "--work-dir", f"{FOLDER}/{chosen.run_name}"]
        return Export(files, [command], [Note("numbered-anew", text)])


def _run(folder: Path, files: Sequence[LogFile]) -> Run:
    parts: list[LogPart] = []
    totals: list[Total] = []
    unusable: dict[str, str] = {}
    for file in files:
        results = file.json()
        task = unpacked_name(file.path).stem
        examples = list(_examples(results["details"], file))
        rows = [row for example in examples for row in _rows(example, file)]
        parts.append(LogPart(file.path, rows, task, file.given.model))
        if rows:
            totals.extend(_totals(results, task))
        else:
            why = f"of {task!r} has no `correct` of each example in the details"
            unusable |= {name: why for name in results if name != "details"}
    return Run(
        harness=OpenCompass.name,
        model=folder.name or parts[0].task,
        parts=parts,
        totals=totals,
        bounds={METRIC: (0.0, 1.0)},
        unusable=unusable,
    )


def _examples(details: object, file: LogFile) -> Iterator[_Example]:
    """Take the examples out of a list with ids, or of a mapping by place."""
    if isinstance(details, list):
        for one in details:
            name = one.get("example_abbr") if isinstance(one, dict) else None
            split, _, row = name.rpartition("_") if isinstance(name, str) else ("", "", "")
            if not (isinstance(name, str) and split and row.isdecimal()):
                raise FileError(
                    f"an example whose `example_abbr` does not end in its row: {short(name)}.",
                    path=file.path,
                )
            yield _Example(row, _verdicts(one), digest_of(name))
        return
    if not isinstance(details, dict):
        raise FileError("`details` must be a list or an object.", path=file.path)
    by_place = {key: one for key, one in details.items() if key.isdecimal()}
    every = [one.get("references") for one in by_place.values()]
    keys = list(by_place)
    own = own_ids(file, unpacked_name(file.path).stem, list(map(int, keys))) or keys
    for key, one in zip(own, by_place.values(), strict=True):
        known = [one["prompt"]] if one.get("prompt") is not None else every
        content = json.dumps([known, one.get("references")], ensure_ascii=False, default=str)
        yield _Example(to_id(key, file), _verdicts(one), digest_of(content))


def _verdicts(one: Mapping[str, Any]) -> Sequence[object]:
    """Give the verdict of each replica."""
    for name in VERDICTS:
        if name in one:
            found = one[name]
            return found if isinstance(found, list) else [found]
    return []


def _rows(example: _Example, file: LogFile) -> Iterator[LogRow]:
    again = len(example.verdicts) > 1
    for number, verdict in enumerate(example.verdicts):
        if verdict is not None and verdict not in (0, 1):
            raise FileError(
                f"`correct` of {example.item!r} must be true or false, got {short(verdict)}.",
                path=file.path,
            )
        yield LogRow(
            example.item,
            METRIC,
            None if verdict is None else float(bool(verdict)),
            "unscored" if verdict is None else "scored",
            repeat=str(number) if again else None,
            digest=example.content,
        )


def _totals(results: Mapping[str, Any], task: str) -> Iterator[Total]:
    """Give the total, of one run or averaged over replicas."""
    for name in TOTALS:
        for key, value in results.items():
            is_it = key == name or re.fullmatch(re.escape(name) + r" \(\d+ runs average\)", key)
            if is_it and isinstance(value, int | float):
                yield Total(METRIC, value / 100, task, over="rows")
                return

"""BFCL: results list every id, scores only those that failed."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar, final

from bestrand.errors import FileError, InputError
from bestrand.harnesses.base import FOLDER, Claim, Export, Harness, LogPart, LogRow, Run, Selection
from bestrand.harnesses.files import LogFile
from bestrand.harnesses.values import json_file, to_id
from bestrand.notes import Note, shown


NAME = re.compile(r"^BFCL_(?P<version>v\d+)_(?P<category>.+)_(?P<what>result|score)\.json$")
METRIC = "valid"
PREREQUISITE = re.compile(r"_prereq$")


@final
class Bfcl(Harness):
    """The pairs `BFCL_vN_CATEGORY_result.json` and `..._score.json` of `bfcl evaluate`.

    An item is `CATEGORY:id`. The score file has a line of counts and then the failures alone, so an
    id that is among the results and not among the failures is valid; the counts must agree.
    """

    name: ClassVar[str] = "bfcl"
    title: ClassVar[str] = "BFCL"
    versions: ClassVar[str] = "2026.3.23"
    has_tasks: ClassVar[bool] = True

    def claim(self, file: LogFile) -> Claim | None:
        """Claim results and scores by their names; see `Harness.claim`."""
        match = NAME.match(file.name)
        if match is None:
            return None
        begins = rb'\s*\{\s*"accuracy"' if match["what"] == "score" else rb"\s*\{"
        return "log" if re.match(begins, file.head) else None

    def read(self, files: Sequence[LogFile]) -> Iterator[Run]:
        """Read a run a model, of the pairs that belong together; see `Harness.read`."""
        pairs: dict[tuple[str, Path, str, str], dict[str, LogFile]] = {}
        for file in files:
            match = NAME.match(file.name)
            if match is not None:
                place = (_model(file.path), _root(file.path), match["version"])
                found = pairs.setdefault((*place, match["category"]), {})
                found[match["what"]] = file
        runs: dict[tuple[str, Path, str], list[LogPart]] = {}
        notes: list[Note] = []
        for (model, root, version, category), pair in pairs.items():
            if PREREQUISITE.search(category) and "score" not in pair:
                continue  # conversations before the questions, which are not scored
            runs.setdefault((model, root, version), []).append(_part(category, pair, notes))
        for (model, _, _), parts in runs.items():
            yield Run(Bfcl.name, model, parts, bounds={METRIC: (0.0, 1.0)}, notes=notes)
            notes = []

    def export(self, chosen: Selection) -> Export:
        """Write the ids by category, as `--run-ids` takes them; see `Harness.export`."""
        lists = {category: list(items) for category, items in chosen.by_task.items()}
        folders = ("--result-dir", f"{chosen.run_name}/result")
        generate = [
            *("env", f"BFCL_PROJECT_ROOT={FOLDER}", "bfcl", "generate"),
            *("--model", "MODEL", "--run-ids", *folders),
        ]
        evaluate = [
            *("env", f"BFCL_PROJECT_ROOT={FOLDER}", "bfcl", "evaluate"),
            *("--model", "MODEL", "--test-category", ",".join(lists), "--partial-eval", *folders),
            *("--score-dir", f"{chosen.run_name}/score"),
        ]
        notes = []
        if any("memory" in category for category in lists):
            text = "Memory categories run the conversations before a chosen one too."
            notes.append(Note("prerequisites", text))
        files = {"test_case_ids_to_generate.json": json_file(lists)}
        return Export(files, [generate, evaluate], notes)


def _model(path: Path) -> str:
    """Take the model out of `result/MODEL/...` or `score/MODEL/...`; or else the folder's name."""
    parts = path.parts
    for place in range(len(parts) - 2, -1, -1):
        if parts[place] in ("result", "score") and place + 1 < len(parts) - 1:
            return parts[place + 1]
    return path.parent.name or path.stem


def _root(path: Path) -> Path:
    """Return the folder above `result` or `score`: that of one run."""
    for parent in path.parents:
        if parent.name in ("result", "score"):
            return parent.parent
    return path.parent


def _part(category: str, pair: dict[str, LogFile], notes: list[Note]) -> LogPart:
    """Join what ran with what failed.

    Raises:
        InputError: one of the two files is absent, or the counts do not agree with the rows.
    """
    if len(pair) < 2:
        [(what, file)] = pair.items()
        other = "score" if what == "result" else "result"
        raise InputError(
            f"{file.path}: there is no {other} file of category {category!r}, and only both say "
            "what passed. Give the folders `result` and `score` together."
        )
    result, score = pair["result"], pair["score"]
    ran = {to_id(row.get("id"), result, line): line for line, row in result.rows(notes)}
    lines = list(score.rows(notes))
    header: dict[str, Any] = lines[0][1] if lines else {}
    failed = {to_id(row.get("id"), score, line) for line, row in lines[1:]}
    unknown = sorted(failed - ran.keys())
    if unknown:
        raise InputError(
            f"{score.path}: {len(unknown)} failures are of ids that are not among the results: "
            f"{shown(unknown)}. Are these files of one run?",
            items=unknown,
        )
    counts = (header.get("correct_count"), header.get("total_count"))
    if counts != (len(ran) - len(failed), len(ran)):
        raise FileError(
            f"counts {counts[0]} of {counts[1]} correct, and there are {len(ran)} results and "
            f"{len(failed)} failures. Are these files of one run? Evaluate it again.",
            path=score.path,
            line=1,
        )
    rows = [LogRow(item, METRIC, float(item not in failed), line=ran[item]) for item in ran]
    return LogPart(result.path, rows, category, result.given.model)

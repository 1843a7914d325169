"""SWE-bench: run reports, which list the ids by what became of them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, final

from bestrand.errors import FileError, InputError
from bestrand.harnesses.base import (
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
from bestrand.harnesses.selection import is_one_word, require_ids
from bestrand.notes import Note, shown
from bestrand.reading.paths import unpacked_name


METRIC = "resolved"


class _Outcome(NamedTuple):
    """What a list of ids means: score, status and fault."""

    score: float | None
    status: Status
    fault: str | None = None


# by the name of the list; errors and empty patches are not resolved by the leaderboard's rule, and
# `--errors missing` takes them out
OUTCOMES = {
    "resolved_ids": _Outcome(1.0, "scored"),
    "unresolved_ids": _Outcome(0.0, "scored"),
    "empty_patch_ids": _Outcome(0.0, "scored", "empty patch"),
    "error_ids": _Outcome(0.0, "scored", "error"),
    "incomplete_ids": _Outcome(None, "missing"),
}
BROKEN = _Outcome(None, "errored", "infrastructure failure")


@final
class SweBench(Harness):
    """The run report that `swebench eval` writes: `MODEL.RUN_ID.json`.

    Resolved counts 1, unresolved 0; empty patches and errors count 0 as the leaderboard has it, or
    as `--errors` says; incomplete instances did not run, and those that the infrastructure failed
    are errored. Reports of single instances are in it already.
    """

    name: ClassVar[str] = "swe-bench"
    title: ClassVar[str] = "SWE-bench"
    versions: ClassVar[str] = "5.0.2"

    def claim(self, file: LogFile) -> Claim | None:
        """Claim run reports, and reports of single instances; see `Harness.claim`."""
        if re.match(rb'\s*\{\s*"total_instances":', file.head):
            return "log"
        is_single = file.name == "report.json" and b'"patch_successfully_applied"' in file.head
        return "companion" if is_single else None

    def read(self, files: Sequence[LogFile]) -> Iterator[Run]:
        """Read a run a report; see `Harness.read`."""
        for file in files:
            if self.claim(file) == "log":
                yield _read(file)

    def export(self, chosen: Selection) -> Export:
        """Write the ids, and pass them with `-i`; see `Harness.export`."""
        require_ids(chosen, is_one_word, self, "An instance id is one word.")
        command = [
            *("swebench", "eval", chosen.dataset or "DATASET", "-p", "PREDICTIONS.jsonl"),
            *("--run-id", chosen.run_name),
            *(word for item in chosen.ids for word in ("-i", item)),
        ]
        text = "`-i` chooses what is graded. Let the agent run these instances alone, by the file."
        files = {"instance_ids.txt": "".join(f"{item}\n" for item in chosen.ids).encode()}
        return Export(files, [command], [Note("grading-only", text)])


def _read(file: LogFile) -> Run:
    report = file.json()
    rows = [
        LogRow(item, METRIC, outcome.score, outcome.status, fault=outcome.fault)
        for item, outcome in sorted(_outcomes(report, file).items())
    ]
    stated = report.get("resolved_instances")
    totals = [Total(METRIC, float(stated), over="sum")] if isinstance(stated, int) else []
    return Run(
        harness=SweBench.name,
        model=unpacked_name(file.path).stem.rpartition(".")[0].replace("__", "/")
        or unpacked_name(file.path).stem,
        parts=[LogPart(file.path, rows, named=file.given.model)],
        totals=totals,
        bounds={METRIC: (0.0, 1.0)},
    )


def _outcomes(report: Mapping[str, Any], file: LogFile) -> dict[str, _Outcome]:
    """Say what became of each id; infrastructure failures are labels inside the other lists.

    Raises:
        FileError: a list is none.
        InputError: an id stands in two lists.
    """
    found: dict[str, _Outcome] = {}
    for name, outcome in OUTCOMES.items():
        for item in _ids(report, name, file):
            if found.setdefault(item, outcome) is not outcome:
                raise InputError(
                    f"{file.path}: instance {item!r} stands in two lists of the report. Make the "
                    "report again.",
                    item=item,
                )
    _require_whole(report, found, file)
    broken = [item for item in _ids(report, "infra_failure_ids", file) if item in found]
    return found | dict.fromkeys(broken, BROKEN)


def _require_whole(report: Mapping[str, Any], found: Mapping[str, _Outcome], file: LogFile) -> None:
    """Refuse a report whose lists are not what its counts and its other lists say.

    Raises:
        InputError: they differ.
    """
    for name in OUTCOMES:
        stated, ids = report.get(name.replace("_ids", "_instances")), _ids(report, name, file)
        is_total = name == "resolved_ids"  # that is checked with the scores
        if isinstance(stated, int) and stated != len(ids) and not is_total:
            raise InputError(
                f"{file.path}: `{name}` holds {len(ids)} ids, and the report counts {stated}. Make "
                "the report again."
            )
    for name in ("submitted_ids", "completed_ids"):
        absent = [item for item in _ids(report, name, file) if item not in found]
        if absent:
            raise InputError(
                f"{file.path}: of {len(absent)} ids of `{name}` the report does not say what "
                f"became: {shown(absent)}. Make the report again.",
                items=absent,
            )


def _ids(report: Mapping[str, Any], name: str, file: LogFile) -> list[str]:
    ids = report.get(name, [])
    if not (isinstance(ids, list) and all(isinstance(item, str) for item in ids)):
        raise FileError(f"`{name}` must be a list of ids.", path=file.path)
    return ids

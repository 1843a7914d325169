"""CARLA leaderboard and Bench2Drive: the routes of one run."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, final
from xml.etree import ElementTree

from bestrand.errors import FileError, ManifestError
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
)
from bestrand.harnesses.files import LogFile
from bestrand.harnesses.selection import require_ids
from bestrand.harnesses.values import to_number
from bestrand.notes import Note, shown
from bestrand.reading.paths import unpacked_name


ROUTE = re.compile(r"\d{1,18}$")
REPEAT = re.compile(r"_rep(\d+)$")
ENDED = ("Completed", "Perfect")
NOT_COUNTED = ("min_speed_infractions",)  # the one infraction that does not cost the success
SCORES = {
    "driving_score": ("score_composed", 100.0),
    "route_completion": ("score_route", 100.0),
    "infraction_penalty": ("score_penalty", 1.0),
}


@final
class Carla(Harness):
    """The checkpoint JSON of the CARLA leaderboard, also as merged by Bench2Drive.

    An item is a route, by `route_id` without its repetition; repetitions are averaged. Metrics:
    `success` (ended as Completed or Perfect, without an infraction other than of the least speed),
    `driving_score` and `route_completion` (0 to 100), `infraction_penalty` (0 to 1). An agent that
    crashed has the scores that stand there, and is counted as an error.
    """

    name: ClassVar[str] = "carla"
    title: ClassVar[str] = "CARLA leaderboard"
    versions: ClassVar[str] = "Bench2Drive 2025-02"

    def claim(self, file: LogFile) -> Claim | None:
        """Claim JSON with a checkpoint; see `Harness.claim`."""
        return "log" if re.match(rb'\s*\{\s*"_checkpoint":', file.head) else None

    def read(self, files: Sequence[LogFile]) -> Iterator[Run]:
        """Read a run a file; see `Harness.read`."""
        for file in files:
            yield _read(file)

    def export(self, chosen: Selection) -> Export:
        """Write the list of `--routes-subset`, or a smaller file; see `Harness.export`."""
        require_ids(
            chosen, lambda item: bool(ROUTE.search(item)), self, "A route ends in a number."
        )
        routes_of = {item: ROUTE.findall(item)[-1] for item in chosen.ids}
        texts = sorted(set(routes_of.values()), key=int)
        if len(texts) < len(routes_of) or len(set(map(int, texts))) < len(texts):
            twice = [item for item, text in routes_of.items() if _is_shared(text, routes_of)]
            raise ManifestError(
                f"Routes are told by their number, which must be one item's alone: {shown(twice)}. "
                "Leave all but one of them out.",
                items=twice,
            )
        subset = ",".join(texts)
        files = {"routes_subset.txt": f"{subset}\n".encode()}
        routes = "ROUTES.xml"
        if chosen.source is not None:
            files["routes.xml"] = _chosen_routes(chosen.source, texts)
            routes = f"{FOLDER}/routes.xml"
        command = [
            *("python", "leaderboard/leaderboard/leaderboard_evaluator.py", f"--routes={routes}"),
            *(f"--routes-subset={subset}", f"--checkpoint={FOLDER}/checkpoint.json"),
        ]
        return Export(files, [command])


def _is_shared(text: str, routes_of: Mapping[str, str]) -> bool:
    return sum(int(other) == int(text) for other in routes_of.values()) > 1


def _chosen_routes(path: Path, numbers: Sequence[str]) -> bytes:
    """Take the chosen routes out of a file of routes.

    Raises:
        FileError: no XML of routes, or a chosen route that is not in it.
    """
    try:
        tree = ElementTree.parse(path)
    except (OSError, ElementTree.ParseError) as error:
        raise FileError(f"not XML ({error}). Give the file of all routes.", path=path) from error
    root = tree.getroot()
    wanted = set(numbers)
    absent = wanted - {route.get("id") for route in root.iter("route")}
    if absent:
        raise FileError(
            f"{len(absent)} chosen routes are not in it: {shown(sorted(absent))}.", path=path
        )
    for parent in list(root.iter()):
        for route in [one for one in parent if one.tag == "route" and one.get("id") not in wanted]:
            parent.remove(route)
    written: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return written


def _read(file: LogFile) -> Run:
    checkpoint = file.json()["_checkpoint"]
    records = checkpoint.get("records") if isinstance(checkpoint, dict) else None
    if not isinstance(records, list):
        raise FileError("`_checkpoint.records` must be a list of routes.", path=file.path)
    progress = checkpoint.get("progress") or []
    done = len(progress) == 2 and progress[0] < progress[1]
    again = any(int(match[1]) for one in records if (match := REPEAT.search(_route(one, file))))
    text = (
        f"{file.path}: scores are computed from the {len(records)} routes; totals that Bench2Drive "
        "writes into a merged file are divided by 220, whatever was run."
    )
    return Run(
        harness=Carla.name,
        model=unpacked_name(file.path).stem,
        parts=[
            LogPart(
                file.path,
                [row for one in records for row in _rows(one, file, again=again)],
                named=file.given.model,
            )
        ],
        bounds={"success": (0.0, 1.0)} | {name: (0.0, top) for name, (_, top) in SCORES.items()},
        unfinished=f"{progress[0]} of {progress[1]} routes" if done else "",
        notes=[Note("divided-by-220", text)] if len(records) != 220 else [],
    )


def _route(record: Mapping[str, Any], file: LogFile) -> str:
    route = record.get("route_id")
    if not isinstance(route, str):
        raise FileError(f"a record without `route_id`: {str(record)[:60]}.", path=file.path)
    return route


def _rows(record: Mapping[str, Any], file: LogFile, *, again: bool) -> Iterator[LogRow]:
    """Give a row a metric of a route."""
    route, status = _route(record, file), str(record.get("status"))
    match = REPEAT.search(route)
    item = route[: match.start()] if match else route
    repeat = match[1] if match and again else None
    fault = status if "crash" in status.casefold() else None
    counted = [
        name
        for name, found in (record.get("infractions") or {}).items()
        if found and name not in NOT_COUNTED
    ]
    success = float(status in ENDED and not counted)
    yield LogRow(item, "success", success, fault=fault, repeat=repeat)
    for metric, (key, _) in SCORES.items():
        score = to_number((record.get("scores") or {}).get(key), metric, file)
        state: Status = "unscored" if score is None else "scored"
        yield LogRow(item, metric, score, state, fault=fault, repeat=repeat)

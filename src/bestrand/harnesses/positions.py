"""The list that an export writes where a harness numbers the chosen items anew."""

import json
from pathlib import Path

from bestrand.errors import FileError
from bestrand.harnesses.files import LogFile
from bestrand.harnesses.values import json_file


FILE = "positions.json"
LEVELS = 8  # folders above a log in which the list may lie


def positions_file(by_task: dict[str, list[str]]) -> dict[str, bytes]:
    """Return the file, by its name: own ids by task, in the order in which they run."""
    return {FILE: json_file(by_task)}


def is_positions(file: LogFile) -> bool:
    """Whether a file is such a list."""
    return file.name == FILE and file.head.lstrip().startswith(b"{")


def own_ids(file: LogFile, task: str, places: list[int]) -> list[str] | None:
    """Return the own ids of the places in a run, by the list in a folder above its log.

    Args:
        file: the log.
        task: of its items.
        places: from 0, in the order of the log.

    Returns:
        One id a place, or None where no list names the task.

    Raises:
        FileError: the list is shorter than the run, so that it belongs to another one.
    """
    for folder in list(file.path.resolve().parents)[:LEVELS]:
        listed = _listed(folder / FILE, task)
        if listed is None:
            continue
        if places and max(places) >= len(listed):
            raise FileError(
                f"{folder / FILE} lists {len(listed)} items of {task!r}, and this run has "
                f"{max(places) + 1}: it is not the run of that list. Keep logs of other runs "
                "elsewhere.",
                path=file.path,
            )
        return [listed[place] for place in places]
    return None


def _listed(path: Path, task: str) -> list[str] | None:
    try:
        lists = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    listed = lists.get(task) if isinstance(lists, dict) else None
    return [str(item) for item in listed] if isinstance(listed, list) else None

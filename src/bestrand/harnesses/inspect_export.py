"""Inspect: the chosen samples as it takes them."""

import glob
from collections.abc import Iterable

from bestrand.errors import ManifestError
from bestrand.harnesses.base import FOLDER, MANIFEST_KEY, Export, Harness, Selection
from bestrand.harnesses.selection import require_ids
from bestrand.harnesses.values import json_file
from bestrand.notes import Note, shown


NO_NUMBER = (
    "Inspect takes them for numbers, and they are none, so that its filter fails. Name those "
    "samples otherwise."
)


def export_of(chosen: Selection, harness: Harness) -> Export:
    """Write configurations of `--run-config`, as JSON, one for tasks that one run tells apart.

    Ids are patterns there, so they are escaped, and have their task in front.

    Raises:
        ManifestError: ids that Inspect cannot be told.
    """
    require_ids(chosen, _is_read_as_text_or_number, harness, NO_NUMBER)
    notes = _require_told_apart(chosen)
    files, commands = {}, []
    for number, tasks in enumerate(_told_together(chosen.by_task)):
        name = f"run_config_{number + 1}.json" if number else "run_config.json"
        ids = [
            # a colon ends the task's name: one that holds a colon cannot stand before an id
            glob.escape(item) if ":" in task else f"{task}:{glob.escape(item)}"
            for task in tasks
            for item in chosen.by_task[task]
        ]
        files[name] = json_file(
            {
                "eval_config": {"sample_id": ids},
                "metadata": {MANIFEST_KEY: {"digest": chosen.digest, "n": len(chosen.ids)}},
                "tags": [MANIFEST_KEY],
            }
        )
        words = [task if "/" in task else f"FILE.py@{task}" for task in tasks]
        commands.append(
            [
                *("inspect", "eval", *words, "--run-config", f"{FOLDER}/{name}"),
                *("--model", "MODEL", "--log-dir", f"{FOLDER}/logs"),
            ]
        )
    return Export(files, commands, notes)


def _told_together(tasks: Iterable[str]) -> list[list[str]]:
    """Group tasks that one run can be told apart by their names, whose case does not count."""
    together: dict[str, str] = {}
    alone = []
    for task in tasks:
        if ":" in task or task.lower() in together:
            alone.append([task])
        else:
            together[task.lower()] = task
    return [*([[*together.values()]] if together else []), *alone]


def _is_read_as_text_or_number(item: str) -> bool:
    """Whether an id of digits alone is a number: "\u00b2" is not, and Inspect tries."""
    if not item.isdigit():
        return True
    try:
        int(item)
    except ValueError:
        return False
    return True


def _require_told_apart(chosen: Selection) -> list[Note]:
    """Refuse ids that are one whole number with ids that are not chosen, as "7" with "007".

    Raises:
        ManifestError: there are such ids, or there may be, and not all items are known.
    """
    notes: list[Note] = []
    for task, items in chosen.by_task.items():
        numbers = [item for item in items if item.isdigit()]
        if chosen.every is not None:
            values = {int(item) for item in numbers}
            others = [
                item
                for item in chosen.every[task]
                if item not in set(items) and _is_number(item) and int(item) in values
            ]
            if others:
                raise ManifestError(
                    f"Inspect runs every sample of {task!r} whose id is the same whole number, so "
                    f"that {shown(others)} would run too. Choose all of them or none: leave those "
                    "items out of the pool.",
                    items=others,
                )
        elif any(str(int(item)) != item for item in numbers) and len(set(map(len, numbers))) > 1:
            raise ManifestError(
                f"Inspect runs every sample of {task!r} whose id is the same whole number: "
                f"{shown(numbers)}. Give all items of the benchmark, so that it can be seen "
                "whether others would run too: --items FILE (items=).",
                items=numbers,
            )
        elif numbers and not notes:
            text = (
                "Inspect runs every sample whose id is the same whole number, as 7 and 007. "
                "--items FILE (items=) shows whether there are any; `bestrand verify` names them "
                "after the run."
            )
            notes.append(Note("numbers", text))
    return notes


def _is_number(item: str) -> bool:
    return item.isdigit() and _is_read_as_text_or_number(item)

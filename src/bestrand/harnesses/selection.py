"""The chosen items of a manifest, by task and under the harness's own ids."""

from collections.abc import Callable, Sequence
from pathlib import Path

from bestrand.core.frame import Frame
from bestrand.core.manifest import Manifest
from bestrand.errors import ManifestError
from bestrand.harnesses.base import Harness, Selection
from bestrand.notes import shown


def selection_of(
    manifest: Manifest,
    harness: Harness,
    *,
    task: str | None = None,
    frame: Frame | None = None,
    source: Path | None = None,
) -> Selection:
    """Take the items of a manifest apart, as a harness needs them.

    Args:
        manifest: a pool or a subset.
        harness: that is to run them.
        task: of all items; of a harness without tasks the name of the benchmark.
        frame: all items of the benchmark.
        source: the harness's own file of all items.

    Raises:
        ManifestError: the harness runs tasks, and it is not known of which the items are.
    """
    unspoken = [item for item in manifest.items if "\0" in item]
    if unspoken:
        raise ManifestError(
            f"No harness can be told ids with a NUL in them: {shown(unspoken)}.", items=unspoken
        )
    every = None if frame is None else frame.items
    if not harness.has_tasks:
        all_items = None if every is None else {"": every}
        return Selection(manifest.digest, {"": manifest.items}, all_items, source, task or "")
    tasks = tasks_of(manifest, harness, task)
    chosen = _by_task(manifest.items, tasks)
    all_items = None
    if every is not None:
        all_items = {
            name: tuple(_own(item, name) for item in every if _is_of(item, name)) for name in chosen
        }
    return Selection(manifest.digest, chosen, all_items, source, task or "")


def tasks_of(manifest: Manifest, harness: Harness, task: str | None = None) -> tuple[str, ...]:
    """Return the task of each chosen item.

    Raises:
        ManifestError: it is not known.
    """
    if task is not None:
        return (task,) * manifest.n
    if manifest.item_tasks is not None:
        return manifest.item_tasks
    groups = manifest.item_groups
    if groups is not None and all(map(_is_of, manifest.items, groups)):
        return groups
    if all(item.count(":") == 1 for item in manifest.items):
        return tuple(item.partition(":")[0] for item in manifest.items)
    raise ManifestError(
        f"{harness.title} runs tasks, and the manifest does not say of which task its items are "
        f"(first: {manifest.items[0]!r}). Choose them from its logs or from a table with a column "
        "`task`, or name the task if it is one: --task NAME (task=)."
    )


def _by_task(items: Sequence[str], tasks: Sequence[str]) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for item, task in zip(items, tasks, strict=True):
        found.setdefault(task, []).append(_own(item, task))
    return {task: tuple(ids) for task, ids in sorted(found.items())}


def _is_of(item: str, task: str) -> bool:
    return item.startswith(f"{task}:")


def _own(item: str, task: str) -> str:
    """Take the task off the front of an id; ids are never split by a search."""
    return item.removeprefix(f"{task}:")


def require_ids(
    chosen: Selection, is_fit: Callable[[str], bool], harness: Harness, why: str
) -> None:
    """Refuse ids that a harness cannot be told.

    Raises:
        ManifestError: some are not fit; `why` says what they must be.
    """
    wrong = [item for item in chosen.ids if not is_fit(item)]
    if wrong:
        raise ManifestError(
            f"{harness.title} cannot be told {len(wrong)} of the {len(chosen.ids)} ids: "
            f"{shown(wrong)}. {why}",
            items=wrong,
        )


def is_position(item: str) -> bool:
    """Whether an id is a whole number from 0 on in plain digits: a position in a list."""
    is_short = item.isascii() and item.isdigit() and len(item) < 19
    return is_short and str(int(item)) == item


def is_one_line(item: str) -> bool:
    """Whether an id is one line of a text file."""
    return len(item.splitlines()) == 1


def is_one_word(item: str) -> bool:
    """Whether an id is one word, without blanks."""
    return item.split() == [item]


def positions(items: Sequence[str]) -> list[int]:
    """Return ids that are positions as numbers, ascending."""
    return sorted(map(int, items))

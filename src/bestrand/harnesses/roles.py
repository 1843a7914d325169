"""Roles: which column of a table is the item, the model, the score, and so on."""

from collections.abc import Mapping

from bestrand.errors import ArgumentError, FileError
from bestrand.harnesses.raw import RawTable
from bestrand.notes import shown


Roles = Mapping[str, str]  # role -> name of its column

# By what name each role is known, the first that is there; `columns=` says otherwise.
NAMES: dict[str, tuple[str, ...]] = {
    "item": (
        "item",
        "item_id",
        "id",
        "doc_id",
        "sample_id",
        "instance_id",
        "question_id",
        "example_id",
    ),
    "model": ("model", "model_name", "model_id"),
    "metric": ("metric", "metric_name"),
    "score": ("score",),
    "group": ("group", "subtask", "category", "subject"),
    "task": ("task", "benchmark"),
    "weight": ("weight",),
    "status": ("status",),
    "error": ("error",),
}
UNNAMED = ("", "unnamed: 0", "__index_level_0__")  # what pandas writes where nobody asked


def find_roles(table: RawTable, given: Mapping[str, str]) -> Roles:
    """Tell which column is what: by `given`, or else by its name in whatever case.

    Raises:
        ArgumentError: `given` speaks of a role that there is not.
        FileError: no column of that name, or none of item ids.
    """
    unknown = sorted(set(given) - set(NAMES))
    if unknown:
        raise ArgumentError(f"`columns` knows the roles {', '.join(NAMES)}, got {shown(unknown)}.")
    absent = sorted(set(given.values()) - set(table.columns))
    if absent:
        raise FileError(
            f"no column {shown(absent)}; there are {shown(list(table.columns), 12)}. Say which of "
            "those it is.",
            path=table.path,
        )
    free = [name for name in table.columns if name not in given.values()]
    known = {_folded(name): name for name in reversed(free)} | {name: name for name in free}
    found = {
        role: next((known[name] for name in names if name in known), None)
        for role, names in NAMES.items()
    }
    roles = {role: name for role, name in found.items() if name is not None} | dict(given)
    if "item" not in roles:
        raise FileError(
            f"no column of item ids; looked for {', '.join(NAMES['item'])}, there are "
            f"{shown(list(table.columns), 12)}. Head one of them `item`, or say which it is, as in "
            "--column item=NAME.",
            path=table.path,
        )
    return roles


def is_unnamed(name: str) -> bool:
    """Whether a column is a row number that came along, and neither metric nor model."""
    return _folded(name) in UNNAMED


def _folded(name: str) -> str:
    return name.strip().casefold()

"""Roles: which column of a table is the item, the model, the score, and so on."""

import re
from collections.abc import Mapping, Sequence

from bestrand.errors import ArgumentError, FileError
from bestrand.notes import shown
from bestrand.reading.raw import RawTable
from bestrand.reading.values import is_numeric


Roles = Mapping[str, str]  # role -> name of its column

# names of metrics of which less is better, as far as names tell
COST = re.compile(
    r"(?i)(?<![a-z])(costs?|price|usd|dollars|latency|time|seconds|secs|duration|runtime|tokens"
    r"|steps|turns|calls|errors?|error_rate|loss|nll|perplexity|ppl|wer|cer|mae|mse|rmse|brier"
    r"|distance|collisions?|infractions?|toxicity|hallucinations?)(?![a-z])"
)
# words in the names of columns that hold scores
SCORES = (
    *(
        "acc",
        "accuracy",
        "correct",
        "correctness",
        "match",
        "em",
        "f1",
        "grade",
        "graded",
        "reward",
    ),
    *("score", "scores", "verdict", "passed", "pass", "resolved", "solved", "success"),
)
RESULTS = ("result", "results", "outcome", "judgement", "judgment", "rating", "evaluation")

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
        "problem_id",
        "test_id",
        "case_id",
        "prompt_id",
        "task_id",
        "qid",
    ),
    "model": ("model", "model_name", "model_id"),
    "metric": ("metric", "metric_name"),
    "score": ("score",),
    "group": ("group", "subtask", "category", "subject"),
    "task": ("task", "benchmark"),
    "weight": ("weight",),
    "status": ("status",),
    "error": ("error",),
    "filter": ("filter",),
    "document": ("doc_hash",),
}
# names that say as much where no column is called by the role itself, and it holds words
ALSO: dict[str, tuple[str, ...]] = {
    "error": ("error_message", "error_msg", "error_type", "exception", "traceback"),
    "status": ("run_status", "exit_status"),
}
UNNAMED = r"|unnamed: 0(\.\d+)*|__index_level_\d+__"  # what pandas writes without being asked


def find_roles(table: RawTable, given: Mapping[str, str]) -> Roles:
    """Tell which column is what: by `given`, or else by its name in whatever case.

    Where no column is called like ids, one without a name that holds words is the item column, as
    the index of a data frame is in a file.

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
    for role, names in ALSO.items():
        words = (known[n] for n in names if n in known and not is_numeric(table, known[n]))
        found[role] = found[role] or next(words, None)
    roles = {role: name for role, name in found.items() if name is not None} | dict(given)
    if "item" not in roles:
        nameless = [name for name in free if is_unnamed(name) and _holds_names(table, name)]
        if len(nameless) == 1:
            return roles | {"item": nameless[0]}
        raise FileError(
            f"no column of item ids; looked for {', '.join(NAMES['item'])}, there are "
            f"{shown(list(table.columns), 12)}. Head one of them `item`, or say which it is, as in "
            "--column item=NAME.",
            path=table.path,
        )
    return roles


def displaced(table: RawTable, roles: Roles, given: Mapping[str, str]) -> list[str]:
    """Return the columns that are called like a role which `given` says is another column.

    They are neither metric nor model: `score` is none where the scores are said to be in `acc`.
    """
    names = {name for role in given for name in NAMES[role]}
    taken = set(roles.values())
    return [name for name in table.columns if name not in taken and _folded(name) in names]


def _holds_names(table: RawTable, name: str) -> bool:
    """Whether every cell of a column is a text, and not all of them are numbers."""
    cells = list(table.columns[name])
    return all(isinstance(cell, str) and cell for cell in cells) and not is_numeric(table, name)


def is_unnamed(name: str) -> bool:
    """Whether a column is a row number that came along, and neither metric nor model."""
    return re.fullmatch(UNNAMED, _folded(name)) is not None


def is_id_name(name: str) -> bool:
    """Whether a column holds ids by its name, be it the item column or one beside it."""
    return _folded(name) in NAMES["item"]


def is_text_role(name: str) -> bool:
    """Whether a column has by its name a role that holds text, or ids."""
    return any(
        _folded(name) in names for role, names in NAMES.items() if role not in ("score", "weight")
    )


def _folded(name: str) -> str:
    return name.strip().casefold()


def named_like(name: str, words: Sequence[str]) -> bool:
    """Return whether a column is called by one of the words, as `run_id` by "run"."""
    return bool(set(_folded(name).replace(" ", "_").split("_")) & set(words))

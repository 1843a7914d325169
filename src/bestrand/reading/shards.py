"""Shards: files that are called like parts of one run, and hold different items of it."""

import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from bestrand.notes import Note, shown
from bestrand.reading.paths import Source, is_read


# rank0, part-00001, gpu_1; or 1-of-8, as in train-00000-of-00008; or nothing but a number
PART = re.compile(
    r"(?:^|(?<=[^a-z]))(?:rank|shard|part|partition|chunk|split|slice|piece|block|batch|fold|worker"
    r"|gpu|device|proc|process|node|host|dp|job|task)[._-]?\d+(?:[._-]?of[._-]?\d+)?(?![a-z0-9])"
    r"|(?<!\d)\d+[._-]?of[._-]?\d+(?!\d)"
    r"|(?:^|(?<=[^a-z]))(?:run|file)[._-]?\d+(?![a-z0-9])"
    r"|(?<=[a-z][.])\d{1,3}$"
    r"|^\d+$",
    re.IGNORECASE,
)
OF = re.compile(r"of[._-]?(\d+)$", re.IGNORECASE)
# names that say nothing of the model
COMMON = re.compile(
    r"(train|test|val(idation)?|dev|data|results?|samples?|scores?|predictions?|outputs?|eval|logs?)?",
    re.IGNORECASE,
)
MOST = 8  # files named in full


class Part(NamedTuple):
    """A file that was read, and the items of which it has rows."""

    source: Source
    items: frozenset[str]


class _Family(NamedTuple):
    """What shards of one run share: where they are, and their name but for the number."""

    folder: Path
    before: str
    part: str
    after: str


def looks_like_part(name: str) -> bool:
    """Whether a file is called like a part of a run, as rank0 or train-00000-of-00008."""
    return PART.search(name) is not None


def shard_notes(parts: Sequence[Part]) -> list[Note]:
    """Say of files that look like shards of one run how to join them.

    They do if their names differ in the number of the part alone, and they share no item; but
    that each may repeat one, as runs on several devices do to be of one length.

    Args:
        parts: the files that hold one model each, named after the file.
    """
    families: dict[_Family, list[Part]] = {}
    for part in parts:
        family = _family(part.source)
        if family is not None:
            families.setdefault(family, []).append(part)
    apart = {key: found for key, found in families.items() if len(found) > 1 and _are_apart(found)}
    names = [_name(family, others=False) for family in apart]
    return [
        Note("shards", _said(family, _name(family, others=names.count(name) > 1), found))
        for name, (family, found) in zip(names, apart.items(), strict=True)
    ]


def like_named(one: Source, other: Source) -> str:
    """Return how to name two files of one name: as parts of one run, or as parts of two."""
    folders = [source.path.parent for source in (one, other)]
    names = [folder.resolve().name for folder in folders]
    if looks_like_part(one.model) and names[0] != names[1]:
        words = (f"{name}={path}" for name, path in zip(names, folders, strict=True))
        return f"If they are parts of two runs, name the folders: {shlex.join(words)}."
    both = joined(one.model, [one.path, other.path])
    return f"If they are parts of one run, give them one name: {both}."


def joined(name: str, paths: Sequence[Path]) -> str:
    """Write how several files become one model, on the command line and in Python."""
    words = [shlex.quote(f"{name}={path}") for path in paths]
    listed = ", ".join(f'"{path}"' for path in paths)
    if len(paths) > MOST:
        words = [*words[: MOST - 1], "...", words[-1]]
        listed = f'"{paths[0]}", ...'
    value = listed if len(paths) == 1 else f"[{listed}]"
    return f'{" ".join(words)} (in Python {{"{name}": {value}}})'


def _family(source: Source) -> _Family | None:
    match = PART.search(source.model)
    if match is None:
        return None
    name, part = source.model, re.sub(r"\d+", "#", match[0], count=1)
    return _Family(source.path.parent, name[: match.start()], part, name[match.end() :])


def _are_apart(parts: Sequence[Part]) -> bool:
    n_distinct = len(frozenset[str]().union(*(part.items for part in parts)))
    return sum(len(part.items) for part in parts) - n_distinct < len(parts)


def _said(family: _Family, name: str, found: Sequence[Part]) -> str:
    sources = [part.source for part in found]
    paths = [source.path for source in sources]
    paths = [family.folder] if _holds_only(family.folder, paths) else paths
    text = (
        f"Models {shown([source.model for source in sources])} have no items in common, and their "
        "files are called like parts of one run. If they are, give them one name: "
        f"{joined(name, paths)}."
    )
    declared = OF.search(PART.search(sources[0].model)[0])  # type: ignore[index]
    if declared and int(declared[1]) > len(found):
        text += f" Only {len(found)} of {int(declared[1])} parts are here."
    return text


def _holds_only(folder: Path, paths: Sequence[Path]) -> bool:
    """Whether giving the folder gives these files, and no others."""
    try:
        entries = [entry for entry in folder.iterdir() if not entry.name.startswith(".")]
        others = [entry for entry in entries if entry not in paths]
        return folder != Path() and not any(map(is_read, others))
    except OSError:
        return False


def _name(family: _Family, *, others: bool) -> str:
    """Make a name for the whole: what the files share, or the folder's where that says nothing."""
    shared = re.sub(r"[._-]{2,}", "-", f"{family.before}{family.after}").strip("._- ")
    if COMMON.fullmatch(shared) and not (others and shared):
        shared = family.folder.resolve().name
    return shared if shared and "=" not in shared else "NAME"

"""Export: the chosen items as a harness takes them."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bestrand.core.frame import Frame
from bestrand.core.manifest import Manifest
from bestrand.errors import ArgumentError, OutputError
from bestrand.files import check_write, write_whole
from bestrand.harnesses.base import FOLDER, Export, Harness
from bestrand.harnesses.plain import FORMS, plain_files
from bestrand.harnesses.registry import HARNESSES
from bestrand.harnesses.selection import selection_of
from bestrand.notes import Note, shown
from bestrand.record import Record


OTHER_WORDS = {"pytest": "junit", "inspect": "inspect-ai", "swebench": "swe-bench"}


@dataclass(frozen=True, slots=True)
class Exported(Record):
    """What was written for a harness.

    Attributes:
        to: the word of the harness, or "txt", "json" or "csv".
        n: items that were written.
        digest: of the manifest.
        files: paths of what was written.
        commands: the words of each command that runs it; words in capitals are to be filled in.
        notes: what a user should know.
    """

    to: str
    n: int
    digest: str
    files: tuple[str, ...]
    commands: tuple[tuple[str, ...], ...]
    notes: tuple[Note, ...]


def export(
    manifest: Manifest,
    to: str,
    folder: str | Path,
    *,
    task: str | None = None,
    items: Frame | None = None,
    source: str | Path | None = None,
    force: bool = False,
) -> Exported:
    """Write the chosen items as a harness takes them, and say which command runs them.

    Args:
        manifest: a pool or a subset.
        to: the harness by its word, as "lm-eval"; or "txt", "json" or "csv" for plain ids.
        folder: where to; made if it is not there.
        task: of all items, where the manifest does not say it; for a harness without tasks, the
            name under which it knows the benchmark.
        items: all items of the benchmark, to see whether an id stands for others too.
        source: the harness's own file of all items, where it takes a smaller one.
        force: replace other files of these names.

    Raises:
        ArgumentError: an unknown harness, or one that takes no list of items.
        ManifestError: the task of the items is not known, or an id cannot be told.
        FileError: `source` is not as the harness writes it, or lacks chosen items.
        OutputError: other files stand there and `force` is not given. Nothing is written then.
    """
    place = Path(folder)
    if to in FORMS:
        made = Export(plain_files(manifest, to), ())
    else:
        harness = _harness(to)
        chosen = selection_of(
            manifest,
            harness,
            task=task,
            frame=items,
            source=None if source is None else Path(source),
        )
        made = harness.export(chosen)
    commands = tuple(
        tuple(word.replace(FOLDER, place.as_posix()) for word in words) for words in made.commands
    )
    paths = _write(made.files, place, force=force)
    return Exported(to, manifest.n, manifest.digest, paths, commands, tuple(made.notes))


def exporting() -> tuple[str, ...]:
    """Return the words of all that can be exported to."""
    return (*FORMS, *(name for name, harness in HARNESSES.items() if harness.exports))


def _harness(word: str) -> Harness:
    harness = HARNESSES.get(OTHER_WORDS.get(word, word))
    if harness is None:
        raise ArgumentError(f"`to` must be one of {shown(list(exporting()), 30)}, got {word!r}.")
    if not harness.exports:
        raise ArgumentError(
            f"{harness.title} takes no list of items. Export plain ids: --to txt, json or csv."
        )
    return harness


def _write(files: Mapping[str, bytes], folder: Path, *, force: bool) -> tuple[str, ...]:
    """Write all files, or none."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(
            f"Cannot make the folder {str(folder)!r}: {error}.", path=folder
        ) from error
    for name, content in files.items():
        check_write(folder / name, content, force=force)
    for name, content in files.items():
        write_whole(folder / name, content, force=force)
    return tuple(str(folder / name) for name in files)

"""Files to read: found, told apart, and decompressed by what they hold, not by their names."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from bestrand.errors import FileError, InputError
from bestrand.reading.compression import unpack
from bestrand.reading.kinds import require_known
from bestrand.reading.progress import tell


Kind = Literal["parquet", "arrow", "jsonl", "json", "csv", "tsv", "txt"]

KINDS: dict[str, Kind] = {
    ".parquet": "parquet",
    ".feather": "arrow",
    ".arrow": "arrow",
    ".arrows": "arrow",
    ".ipc": "arrow",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".csv": "csv",
    ".tsv": "tsv",
    ".txt": "txt",
}
PACKED = (".gz", ".zst", ".bz2", ".xz")
ARROW = (b"ARROW1\0\0", b"\xff\xff\xff\xff")  # a file, and a stream
BOM = b"\xef\xbb\xbf"
# marks of text that is not UTF-8, as Excel and PowerShell write it; longer ones first
MARKS = {
    b"\xff\xfe\0\0": "utf-32",
    b"\0\0\xfe\xff": "utf-32",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}


WIDE = {"utf-16-le": 2, "utf-16-be": 2, "utf-32-le": 4, "utf-32-be": 4}  # bytes of a letter
HEAD = 4096


class Source(NamedTuple):
    """One file to read.

    Attributes:
        path: where it is.
        kind: what its name says it holds; "csv" where it says nothing.
        model: whose scores it holds; used where the file does not say so itself.
        named: whether `model` was given by the user and not taken from the file's name.
    """

    path: Path
    kind: Kind
    model: str
    named: bool


class Given(NamedTuple):
    """One file that was given, itself or by its folder.

    Attributes:
        path: where it is.
        model: the name that the user gave the model, or "".
        folder: the folder given, or None.
    """

    path: Path
    model: str
    folder: Path | None


class Found(NamedTuple):
    """Files meant by paths.

    Attributes:
        sources: those to read, in order.
        aside: those in folders that hold no table.
    """

    sources: list[Source]
    aside: list[str]


def find_sources(
    paths: str | Path | Sequence[str | Path] | Mapping[str, str | Path | Sequence[str | Path]],
) -> Found:
    """Find the tables meant by paths; see `list_files` and `to_sources`."""
    return to_sources(list_files(paths))


def list_files(
    paths: str | Path | Sequence[str | Path] | Mapping[str, str | Path | Sequence[str | Path]],
) -> list[Given]:
    """List the files meant by paths: each a file, or a folder with all that is visible in it.

    Args:
        paths: one or several; a mapping gives each file, or several together, a model's name.

    Raises:
        InputError: no path, something that is none, or nothing there.
    """
    given: list[Given] = []
    for path, model in _named_paths(paths):
        try:
            is_folder, exists = path.is_dir(), path.exists()
        except (OSError, ValueError) as error:  # too long a name, a closed folder, a NUL in it
            raise FileError(f"cannot be read: {error}.", path=path) from error
        if is_folder:
            inside = sorted(entry for entry in _entries(path) if _is_visible_file(entry, path))
            given.extend(Given(entry, model, path) for entry in inside)
            if not inside:
                raise _without_scores(path, 0)
        elif exists:
            given.append(Given(path, model, None))
        else:
            raise FileError("no such file or folder. Is the name right?", path=path)
    if not given:
        raise InputError("Scores need at least one file, got none.")
    return given


def to_sources(given: Sequence[Given], claimed: Sequence[Given] = ()) -> Found:
    """Take the tables among files: all that were given themselves, in folders those of known kinds.

    Args:
        given: the files.
        claimed: files of the same folders that are read otherwise.

    Raises:
        InputError: a folder without tables of which nothing is claimed.
    """
    found = Found([], [])
    useful = {file.folder for file in claimed}
    for file in given:
        if file.folder is not None and _kind_of(file.path) in (None, "txt"):
            found.aside.append(str(file.path))
        else:
            found.sources.append(_source(file.path, file.model))
            useful.add(file.folder)
    for folder in dict.fromkeys(file.folder for file in given):
        if folder not in useful and folder is not None:
            raise _without_scores(folder, sum(file.folder == folder for file in given))
    return found


def _without_scores(folder: Path, n: int) -> InputError:
    return InputError(
        f"{folder}: a folder without scores, among its {n} files. Give one with "
        f"{', '.join(suffix for suffix in KINDS if suffix != '.txt')} files, also packed as "
        f"{' or '.join(PACKED)}, or with logs of a harness."
    )


def _named_paths(
    paths: str | Path | Sequence[str | Path] | Mapping[Any, Any],
) -> Iterator[tuple[Path, str]]:
    if isinstance(paths, Mapping):
        for model, given in paths.items():
            several = [given] if isinstance(given, str | Path) else given
            if (
                not (isinstance(model, str) and model and isinstance(several, Sequence))
                or isinstance(several, bytes)
                or not all(isinstance(path, str | Path) for path in several)
            ):
                raise InputError(
                    "A mapping must lead from model names to paths, or lists of them, got "
                    f"{model!r}: {type(given).__name__}. Read data frames one by one."
                )
            if not several:
                raise InputError(f"Model {model!r} needs at least one file, got none.", model=model)
            yield from ((Path(path), model) for path in several)
    else:
        for path in [paths] if isinstance(paths, str | Path) else paths:
            yield Path(path), ""


def _entries(folder: Path) -> Iterator[Path]:
    """Return all that lies in a folder and below; a part that is closed must not be passed over."""

    def refuse(error: OSError) -> None:
        raise FileError(
            f"cannot be read: {error.strerror}. Open it, or leave it out.",
            path=Path(error.filename or folder),
        ) from error

    for place, _, names in os.walk(folder, onerror=refuse):
        yield from (Path(place, name) for name in names)


def is_read(entry: Path) -> bool:
    """Whether something in a folder is read where the folder is given: a table, or a folder."""
    return entry.is_dir() or _kind_of(entry) not in (None, "txt")


def _is_visible_file(entry: Path, root: Path) -> bool:
    parts = entry.relative_to(root).parts
    return entry.is_file() and not any(part.startswith(".") for part in parts)


def _source(path: Path, model: str) -> Source:
    kind = _kind_of(path)
    stem = unpacked_name(path)
    return Source(path, kind or "csv", model or (stem.stem if kind else stem.name), bool(model))


def _kind_of(path: Path) -> Kind | None:
    return KINDS.get(unpacked_name(path).suffix.lower())


def unpacked_name(path: Path) -> Path:
    """Return the path without the suffix of a packed file."""
    return path.with_suffix("") if path.suffix.lower() in PACKED else path


def read_content(path: Path) -> bytes:
    """Read a file whole: unpacked, and text in UTF-8, both known by the first bytes.

    Raises:
        FileError: it cannot be read, holds nothing, is cut short, or of a kind that is not read.
    """
    tell(path)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise FileError(f"cannot be read: {error.strerror}.", path=path) from error
    content = unpack(content, path)
    require_known(content, path)
    content = _in_utf8(content, path)
    if not content.removeprefix(BOM).strip():
        raise FileError("no rows: the file is empty.", path=path)
    return content


def _in_utf8(content: bytes, path: Path) -> bytes:
    """Turn text in UTF-16 or UTF-32 into UTF-8; all else is given back as it is."""
    encoding = next((name for mark, name in MARKS.items() if content.startswith(mark)), None)
    encoding = encoding or _wide_encoding(content)
    if encoding is None:
        return content
    try:
        return content.decode(encoding).encode()
    except UnicodeError as error:
        raise FileError(
            f"begins as {encoding.upper()} and is not ({error}). Save it as UTF-8.", path=path
        ) from error


def _wide_encoding(content: bytes) -> str | None:
    """Tell UTF-16 and UTF-32 without a mark by the beginning, where text has letters of ASCII.

    In the wrong order of bytes these are no letters of ASCII. Text in UTF-8 that holds a NUL stays
    that, except where half of it would be such letters.
    """
    head = content[: HEAD - HEAD % 4]
    if b"\0" not in head or content.startswith((b"PAR1", *ARROW)):
        return None
    shares: dict[str, float] = {}
    for encoding, width in WIDE.items():
        whole = head[: len(head) - len(head) % width]
        text = whole.decode(encoding, errors="replace").rstrip("\ufffd")
        is_text = not re.search("[\0-\x08\x0e-\x1f\ufffd]", text)
        if is_text and re.search(r"[\n\r\t,;|{\[]", text):
            shares[encoding] = sum(letter.isascii() for letter in text) / len(text)
    if not shares:
        return None
    best = max(shares, key=lambda encoding: shares[encoding])
    is_utf8 = "\ufffd" not in head.decode(errors="replace").rstrip("\ufffd")
    return None if is_utf8 and shares[best] < 0.5 else best


def sniff(kind: Kind, content: bytes) -> Kind:
    r"""Correct what a name says by what the content is, where that is beyond doubt.

    Examples:
        >>> sniff("json", b'{"item": "a", "score": 1}\n{"item": "b", "score": 0}')
        'jsonl'
        >>> sniff("csv", b"item\tscore\na\t1")
        'tsv'
    """
    if content.startswith(b"PAR1"):
        return "parquet"
    if content.startswith(ARROW):
        return "arrow"
    start = content.removeprefix(BOM).lstrip()
    first = start.split(b"\n", 1)[0].strip()
    if kind in ("json", "jsonl") or start.startswith((b"{", b"[")):
        is_lines = start.startswith(b"{") and first.endswith(b"}")
        return "jsonl" if is_lines or (kind == "jsonl" and not start.startswith(b"[")) else "json"
    tab, comma = b"\t" in first, b"," in first
    return kind if tab == comma else "tsv" if tab else "csv"

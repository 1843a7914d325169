"""Files to read: found, told apart, and decompressed by what they hold, not by their names."""

import zlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import zstandard

from bestrand.errors import FileError, InputError
from bestrand.notes import shown


Kind = Literal["parquet", "jsonl", "json", "csv", "tsv", "txt"]

KINDS: dict[str, Kind] = {
    ".parquet": "parquet",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".csv": "csv",
    ".tsv": "tsv",
    ".txt": "txt",
}
PACKED = (".gz", ".zst")
GZIP, ZSTD, PARQUET = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PAR1"


class Source(NamedTuple):
    """One file to read.

    Attributes:
        path: where it is.
        kind: what its name says it holds.
        model: whose scores it holds, unless it says so itself.
        named: whether `model` was given by the user and not taken from the file's name.
    """

    path: Path
    kind: Kind
    model: str
    named: bool


def find_sources(
    paths: str | Path | Sequence[str | Path] | Mapping[str, str | Path],
) -> tuple[list[Source], list[str]]:
    """Find the files meant by paths: each a file, or a folder whose files are taken, in order.

    Args:
        paths: one or several; a mapping gives each file its model's name.

    Returns:
        the files, and the names of those in folders that hold no table.

    Raises:
        InputError: nothing there, or a folder without tables.
    """
    if isinstance(paths, Mapping):
        named = [(Path(path), model) for model, path in paths.items()]
    else:
        several = [paths] if isinstance(paths, str | Path) else list(paths)
        named = [(Path(path), "") for path in several]
    if not named:
        raise InputError("Scores need at least one file, got none.")
    sources: list[Source] = []
    skipped: list[str] = []
    for path, model in named:
        if path.is_dir():
            inside = sorted(entry for entry in path.rglob("*") if _is_visible_file(entry, path))
            tables = [entry for entry in inside if _kind_of(entry) not in (None, "txt")]
            if not tables:
                raise InputError(
                    f"{path}: a folder without scores; looked for {', '.join(KINDS)} "
                    f"(also with {' and '.join(PACKED)}), found {len(inside)} other files."
                )
            skipped += [str(entry) for entry in inside if entry not in tables]
            sources += [_source(entry, model) for entry in tables]
        elif path.exists():
            sources.append(_source(path, model))
        else:
            raise FileError("no such file or folder.", path=path)
    return sources, skipped


def _is_visible_file(entry: Path, root: Path) -> bool:
    parts = entry.relative_to(root).parts
    return entry.is_file() and not any(part.startswith(".") for part in parts)


def _source(path: Path, model: str) -> Source:
    stem = path.name
    for suffix in (*PACKED, *KINDS):
        stem = stem.removesuffix(suffix)
    return Source(path, _kind_of(path) or "csv", model or stem, bool(model))


def _kind_of(path: Path) -> Kind | None:
    suffixes = [suffix for suffix in path.suffixes if suffix not in PACKED]
    return KINDS.get(suffixes[-1].lower()) if suffixes else None


def read_content(path: Path) -> bytes:
    """Read a file whole, unpacking gzip and zstd, which are known by their first bytes.

    Raises:
        FileError: it cannot be read, holds nothing, or is cut short.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise FileError(f"cannot be read: {error.strerror}.", path=path) from error
    if content.startswith(GZIP):
        content = _unpack_gzip(content, path)
    elif content.startswith(ZSTD):
        content = _unpack_zstd(content, path)
    if not content.strip():
        raise FileError("no rows: the file is empty.", path=path)
    return content


def sniff(kind: Kind, content: bytes) -> Kind:
    """Correct what a name says by what the content is, where that is beyond doubt."""
    if content.startswith(PARQUET):
        return "parquet"
    start = content.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    if kind in ("json", "jsonl"):
        return "json" if start == b"[" else "jsonl" if _is_json_lines(content) else "json"
    return kind


def _is_json_lines(content: bytes) -> bool:
    """Whether the first line is a whole object, as lines of JSON are and a laid-out file is not."""
    first = content.lstrip().split(b"\n", 1)[0].strip()
    return first.startswith((b"{", b"\xef\xbb\xbf{")) and first.endswith(b"}")


def _unpack_gzip(content: bytes, path: Path) -> bytes:
    parts: list[bytes] = []
    rest = content
    while rest.startswith(GZIP):
        unpacker = zlib.decompressobj(wbits=31)
        try:
            parts.append(unpacker.decompress(rest))
        except zlib.error as error:
            raise FileError(f"damaged gzip stream ({error}).", path=path) from error
        if not unpacker.eof:
            raise _cut_short(b"".join(parts), path)
        rest = unpacker.unused_data
    return b"".join(parts)


def _unpack_zstd(content: bytes, path: Path) -> bytes:
    parts: list[bytes] = []
    rest = content
    while rest.startswith(ZSTD):
        unpacker = zstandard.ZstdDecompressor().decompressobj()
        try:
            parts.append(unpacker.decompress(rest))
        except zstandard.ZstdError as error:
            raise FileError(f"damaged zstd stream ({error}).", path=path) from error
        if not unpacker.eof:
            raise _cut_short(b"".join(parts), path)
        rest = unpacker.unused_data
    return b"".join(parts)


def _cut_short(read: bytes, path: Path) -> FileError:
    return FileError(
        f"the compressed stream is cut short; {read.count(10)} whole lines came out of it. "
        "Copy the file again.",
        path=path,
    )


def names_of(sources: Iterable[Source]) -> str:
    """Write the files' names for a message."""
    return shown([str(source.path) for source in sources])

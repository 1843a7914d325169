"""Packed files: known by their first bytes, and never taken for whole when cut."""

import zlib
from pathlib import Path
from typing import Protocol

import zstandard

from bestrand.errors import FileError


GZIP, ZSTD, BZIP2, XZ = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"BZh", b"\xfd7zXZ\x00"
# "BZh" could begin a text; what follows the level is the mark of a block or of the end
BZIP2_NEXT = (b"1AY&SY", b"\x17\x72\x45\x38\x50\x90")
PACKED_HEAD = 65536  # bytes of a packed file from which its beginning is unpacked


class Unpacker(Protocol):
    """What unpacks one stream, of which there may be several in a file."""

    @property
    def eof(self) -> bool:
        """Whether the stream came to its end."""

    @property
    def unused_data(self) -> bytes:
        """What follows the stream."""

    def decompress(self, data: bytes, /) -> bytes:
        """Unpack."""


def is_packed(content: bytes) -> bool:
    """Whether content begins as gzip, zstd, bzip2 or xz do."""
    if content.startswith(BZIP2):
        return content[3:4].isdigit() and content[4:10] in BZIP2_NEXT
    return content.startswith((GZIP, ZSTD, XZ))


def unpack(content: bytes, path: Path) -> bytes:
    """Unpack gzip, zstd, bzip2 or xz; anything else is given back as it is.

    Raises:
        FileError: the stream is damaged or cut short, or something else follows it.
    """
    if not is_packed(content):
        return content
    parts: list[bytes] = []
    rest = content
    while is_packed(rest):
        unpacker, damage = _unpacker(rest, path)
        try:
            parts.append(unpacker.decompress(rest))
        except damage as error:
            raise FileError(
                f"the compressed stream is damaged ({error}). Copy the file again.", path=path
            ) from error
        if not unpacker.eof:
            n_lines = sum(part.count(b"\n") for part in parts)
            raise FileError(
                f"the compressed stream is cut short; {n_lines} whole lines came out of it. "
                "Copy the file again.",
                path=path,
            )
        rest = unpacker.unused_data.lstrip(b"\0")  # streams may be padded
    if rest:
        raise FileError(
            f"{len(rest)} bytes that are not compressed follow the compressed stream. "
            "Copy the file again.",
            path=path,
        )
    return b"".join(parts)


def first_bytes(path: Path, n: int) -> bytes:
    """Return the first bytes of a file, unpacked; what cannot be read or unpacked gives none."""
    try:
        with path.open("rb") as file:
            content = file.read(max(n, PACKED_HEAD))
        if not is_packed(content):
            return content[:n]
        unpacker, _ = _unpacker(content, path)
        return unpacker.decompress(content)[:n]
    except Exception:  # noqa: BLE001  (what reads it whole will say what is wrong)
        return b""


def _unpacker(content: bytes, path: Path) -> tuple[Unpacker, tuple[type[Exception], ...]]:
    """Return what unpacks the first stream, and what it raises where that is damaged."""
    if content.startswith(GZIP):
        return zlib.decompressobj(wbits=31), (zlib.error,)
    if content.startswith(ZSTD):
        return zstandard.ZstdDecompressor().decompressobj(), (zstandard.ZstdError,)
    try:
        if content.startswith(BZIP2):
            import bz2

            return bz2.BZ2Decompressor(), (OSError, ValueError)
        import lzma

        return lzma.LZMADecompressor(lzma.FORMAT_XZ), (lzma.LZMAError,)
    except ImportError as error:  # a Python that was built without them
        raise FileError(
            f"packed, and this Python cannot unpack it ({error}). Unpack it first, or pack it "
            "with gzip.",
            path=path,
        ) from error

"""Packed files: gzip and zstd, known by their first bytes, and never taken for whole when cut."""

import zlib
from pathlib import Path
from typing import Protocol

import zstandard

from bestrand.errors import FileError


GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"


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


def unpack(content: bytes, path: Path) -> bytes:
    """Unpack gzip or zstd; anything else is given back as it is.

    Raises:
        FileError: the stream is damaged or cut short, or something else follows it.
    """
    if not content.startswith((GZIP, ZSTD)):
        return content
    parts: list[bytes] = []
    rest = content
    while rest.startswith((GZIP, ZSTD)):
        unpacker = _unpacker(rest)
        try:
            parts.append(unpacker.decompress(rest))
        except (zlib.error, zstandard.ZstdError) as error:
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
        rest = unpacker.unused_data
    if rest.strip(b"\0"):
        raise FileError(
            f"{len(rest)} bytes that are not compressed follow the compressed stream. "
            "Copy the file again.",
            path=path,
        )
    return b"".join(parts)


def _unpacker(content: bytes) -> Unpacker:
    if content.startswith(GZIP):
        return zlib.decompressobj(wbits=31)
    return zstandard.ZstdDecompressor().decompressobj()

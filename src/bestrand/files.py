"""Files: read whole, written whole or not at all."""

import os
import secrets
from pathlib import Path

from bestrand.errors import OutputError


def check_folder(path: Path) -> None:
    """Require that the folder of `path` exists and that `path` itself is a file or nothing.

    Raises:
        OutputError: it does not, or it is.
    """
    try:
        has_folder, is_other = path.parent.is_dir(), path.exists() and not path.is_file()
    except (OSError, ValueError) as error:
        raise _cannot_write(path, error) from error
    if not has_folder:
        raise OutputError(
            f"Folder {str(path.parent)!r} does not exist. Make it first, or write elsewhere.",
            path=path,
        )
    if is_other:
        raise OutputError(
            f"{str(path)!r} is a folder or a device. Name an ordinary file.", path=path
        )


def check_write(path: Path, content: bytes, *, force: bool) -> bool:
    """Require what `write_whole` requires, and write nothing.

    Args:
        path: where to.
        content: all of it.
        force: whether other content that stands there may be replaced.

    Returns:
        False where the very same content stands there already.

    Raises:
        OutputError: the folder is not there, what stands there cannot be read, or it is other
            content and `force` is False.
    """
    check_folder(path)
    try:
        there = path.read_bytes() if path.exists() else None
    except (OSError, ValueError) as error:
        raise _cannot_write(path, error) from error
    if there not in (None, content) and not force:
        raise OutputError(
            f"{str(path)!r} exists and holds something else. Write elsewhere, or say --force "
            "(force=True) to replace it.",
            path=path,
        )
    return there != content


def write_whole(path: Path, content: bytes, *, force: bool) -> bool:
    """Write a file beside its place, then move it there; what stood there is never half written.

    Args:
        path: where to.
        content: all of it.
        force: replace other content that stands there.

    Returns:
        False where the very same content stood there already.

    Raises:
        OutputError: the folder is not there or cannot be written, or other content stands there
            and `force` is False.
    """
    fresh = check_write(path, content, force=force)
    try:
        if fresh:
            _replace(path, content)
    except (OSError, ValueError) as error:
        raise _cannot_write(path, error) from error
    return fresh


def _replace(path: Path, content: bytes) -> None:
    beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        with beside.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def _cannot_write(path: Path, error: Exception) -> OutputError:
    return OutputError(f"Cannot write {str(path)!r}: {error}. Write elsewhere.", path=path)

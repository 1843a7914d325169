"""Files: read whole, written whole or not at all."""

import os
from pathlib import Path

from bestrand.errors import OutputError


def check_folder(path: Path) -> None:
    """Require that the folder of `path` exists and that `path` itself is no folder.

    Raises:
        OutputError: it does not, or it is.
    """
    if not path.parent.is_dir():
        raise OutputError(
            f"Folder {str(path.parent)!r} does not exist. Make it first, or write elsewhere.",
            path=path,
        )
    if path.is_dir():
        raise OutputError(f"{str(path)!r} is a folder. Name a file in it.", path=path)


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
    check_folder(path)
    if path.exists():
        if path.read_bytes() == content:
            return False
        if not force:
            raise OutputError(
                f"{str(path)!r} exists and holds something else. Write elsewhere, or say --force "
                "(force=True) to replace it.",
                path=path,
            )
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with beside.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError as error:
        raise OutputError(f"Cannot write {str(path)!r}: {error}.", path=path) from error
    finally:
        beside.unlink(missing_ok=True)
    return True

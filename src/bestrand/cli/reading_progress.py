"""Which file is being read, as a bar on stderr, once reading takes long."""

import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING


if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SHOWN_AFTER = 2.0  # seconds


@contextmanager
def reading_progress(paths: "Sequence[Path]") -> "Iterator[None]":
    """Show how many of the files were read, on a terminal and past two seconds alone."""
    import sys

    from bestrand.reading.progress import listening

    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    start = time.monotonic()
    total = sum(_n_files(path) for path in paths)
    seen: set[Path] = set()
    bar = Progress(
        TextColumn("files"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[name]}", markup=False),
        console=Console(stderr=True, highlight=False),
        transient=True,
    )
    line = bar.add_task("files", total=total, name="")

    def show(path: Path) -> None:
        seen.add(path)
        if time.monotonic() - start > SHOWN_AFTER:
            bar.start()
            bar.update(line, completed=min(len(seen) - 1, total), name=path.name)

    try:
        with listening(show):
            yield
    finally:
        bar.stop()


def _n_files(path: Path) -> int:
    return sum(one.is_file() for one in path.rglob("*")) if path.is_dir() else 1

"""How far a study is, as a bar on stderr."""

from contextlib import contextmanager
from typing import TYPE_CHECKING


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bestrand.study.run import Progress as Seen


@contextmanager
def study_progress(*, shown: bool) -> "Iterator[Callable[[Seen], None]]":
    """Show cells done, cells a second and time left, while a study runs; nothing if not `shown`."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True, highlight=False)
    bar = Progress(
        TextColumn("cells"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[what]}", markup=False),
        console=console,
        disable=not (shown and console.is_terminal),  # else an empty line is all it leaves
        transient=True,
    )
    with bar:
        line = bar.add_task("cells", total=None, rate="", what="")

        def say(seen: "Seen") -> None:
            if seen.last is None:
                if shown and (seen.reused or seen.damaged):
                    console.print(
                        f"{seen.reused} of {seen.total} cells are there already"
                        + (f", {seen.damaged} damaged files are made again" * bool(seen.damaged))
                    )
                bar.update(line, total=seen.total - seen.reused)
                return
            speed = bar.tasks[line].speed
            bar.update(
                line,
                completed=seen.done - seen.reused,
                rate="" if speed is None else f"{speed:.1f}/s",
                what=seen.last.task.benchmark,
            )

        yield say

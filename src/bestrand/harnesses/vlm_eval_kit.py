"""VLMEvalKit: a smaller table under a new name."""

import csv
import io
from pathlib import Path
from typing import ClassVar, final

from bestrand.errors import ArgumentError, FileError
from bestrand.harnesses.base import FOLDER, Export, Harness, Selection
from bestrand.notes import Note, shown


COPIES = 1_000_000  # circular sets repeat a question under an index that is larger by multiples


@final
class VlmEvalKit(Harness):
    """A smaller TSV file, as `run.py --data NAME` takes it."""

    name: ClassVar[str] = "vlmevalkit"
    title: ClassVar[str] = "VLMEvalKit"
    versions: ClassVar[str] = "2026-08-18"
    has_tasks: ClassVar[bool] = True

    def export(self, chosen: Selection) -> Export:
        """Write the rows of the chosen questions, with all their rotations; see `Harness.export`.

        Raises:
            ArgumentError: the file of all questions was not given, or there are several tasks.
        """
        if chosen.source is None or len(chosen.by_task) != 1:
            raise ArgumentError(
                "VLMEvalKit takes no list of items, but a smaller table, one a dataset. Give its "
                "file of all questions: --from NAME.tsv (source=), and --task NAME (task=) where "
                "the items are of several."
            )
        [items] = chosen.by_task.values()
        name = f"{chosen.source.stem}_{chosen.run_name}"
        command = ["python", "run.py", "--data", name, "--model", "MODEL"]
        text = f"Set LMUData={FOLDER}: the table is found by its name, which is a new one."
        files = {f"{name}.tsv": _chosen_rows(chosen.source, items)}
        return Export(files, [["env", f"LMUData={FOLDER}", *command]], [Note("new-name", text)])


def _chosen_rows(path: Path, items: tuple[str, ...]) -> bytes:
    """Take the rows of the chosen questions.

    Raises:
        FileError: no table with `index`, or a chosen question that is not in it.
    """
    limit = csv.field_size_limit(2**31 - 1)
    try:
        with path.open(encoding="utf-8", newline="") as file:
            header, *rows = list(csv.reader(file, delimiter="\t"))
    except (OSError, ValueError, csv.Error) as error:
        raise FileError(
            f"no table ({error}). Give the TSV file of the dataset.", path=path
        ) from error
    finally:
        csv.field_size_limit(limit)
    if "index" not in header:
        raise FileError(f"no column 'index'; there are {shown(header, 8)}.", path=path)
    place, wanted = header.index("index"), set(items)
    kept = [row for row in rows if _question(row[place]) in wanted]
    absent = wanted - {_question(row[place]) for row in kept}
    if absent:
        raise FileError(
            f"{len(absent)} questions are not in it: {shown(sorted(absent))}.", path=path
        )
    buffer = io.StringIO()
    csv.writer(buffer, delimiter="\t", lineterminator="\n").writerows([header, *kept])
    return buffer.getvalue().encode()


def _question(index: str) -> str:
    """Return the question of a row: that of its first rotation."""
    return str(int(index) % COPIES) if index.isascii() and index.isdigit() else index

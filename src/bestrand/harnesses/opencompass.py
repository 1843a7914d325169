"""OpenCompass: the chosen rows of each dataset, for its configuration."""

from typing import ClassVar, final

from bestrand.harnesses.base import FOLDER, Export, Harness, Selection
from bestrand.harnesses.selection import is_position, positions, require_ids
from bestrand.harnesses.values import json_file
from bestrand.notes import Note


CODE = '''"""Chosen rows of OpenCompass datasets, for `datasets = take_subset(datasets)`."""

ROWS = {rows}


def take_subset(datasets):
    """Keep the datasets that have chosen rows, and read these alone."""
    for dataset in datasets:
        rows = ROWS.get(dataset["abbr"])
        if rows is not None:
            dataset["reader_cfg"]["test_range"] = f"[:0] or {{rows}}"
    return [dataset for dataset in datasets if dataset["abbr"] in ROWS]
'''


@final
class OpenCompass(Harness):
    """A function for the configuration, which sets `test_range`."""

    name: ClassVar[str] = "opencompass"
    title: ClassVar[str] = "OpenCompass"
    versions: ClassVar[str] = "0.5.4"
    has_tasks: ClassVar[bool] = True

    def export(self, chosen: Selection) -> Export:
        """Write the rows of each dataset as Python and as JSON; see `Harness.export`."""
        require_ids(chosen, is_position, self, "Ids are rows of a dataset: 0, 1, 2, ...")
        rows = {dataset: positions(items) for dataset, items in chosen.by_task.items()}
        text = (
            "Import `take_subset` of subset.py in CONFIG.py. Results are numbered anew, from 0: "
            "row k of a dataset's run is the row at position k of its list in positions.json. "
            "Evaluators of subjective answers do not take such ranges."
        )
        files = {
            "subset.py": CODE.format(rows=rows).encode(),
            "positions.json": json_file(rows),
        }
        command = ["opencompass", "CONFIG.py", "--work-dir", f"{FOLDER}/{chosen.run_name}"]
        return Export(files, [command], [Note("numbered-anew", text)])

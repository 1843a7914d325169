"""Reading families: which models are kin."""

from pathlib import Path

from bestrand.errors import FileError
from bestrand.notes import shown
from bestrand.reading.paths import find_sources
from bestrand.reading.tables import read_table


def read_families(path: str | Path) -> dict[str, str]:
    """Read the family of each model.

    Args:
        path: a table with the columns `model` and `family`, a row a model.

    Raises:
        FileError: it cannot be read, a column is not there, a cell is empty, or a model has two
            families.
    """
    found: dict[str, str] = {}
    for source in find_sources(path).sources:
        table = read_table(source)
        absent = [name for name in ("model", "family") if name not in table.columns]
        if absent:
            raise FileError(
                f"families need the columns 'model' and 'family'; there are "
                f"{shown(list(table.columns))}. Name them so.",
                path=source.path,
            )
        pairs = zip(table.columns["model"], table.columns["family"], strict=True)
        for row, (model, family) in enumerate(pairs):
            if model in (None, "") or family in (None, ""):
                raise table.error(row, "a model or a family is empty. Fill it in.")
            if found.setdefault(str(model), str(family)) != str(family):
                raise table.error(
                    row,
                    f"{str(model)!r} is of two families, {found[str(model)]!r} and "
                    f"{str(family)!r}. Say which.",
                )
    return found

"""Plain lists of ids, for harnesses and scripts of one's own."""

import csv
import io
import json
from collections.abc import Callable

from bestrand.core.manifest import Manifest
from bestrand.errors import ManifestError
from bestrand.harnesses.selection import is_one_line
from bestrand.notes import shown


def _txt(manifest: Manifest) -> str:
    broken = [item for item in manifest.items if not is_one_line(item) or item != item.strip()]
    if broken:
        raise ManifestError(
            f"A text file has one id a line, and {len(broken)} ids have a line break or a blank at "
            f"an end: {shown(broken)}. Take --to json.",
            items=broken,
        )
    return "".join(f"{item}\n" for item in manifest.items)


def _json(manifest: Manifest) -> str:
    return json.dumps(list(manifest.items), indent=1, ensure_ascii=False) + "\n"


def _csv(manifest: Manifest) -> str:
    columns = {"item": manifest.items, "task": manifest.item_tasks, "group": manifest.item_groups}
    there = {name: values for name, values in columns.items() if values is not None}
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(there)
    writer.writerows(zip(*there.values(), strict=True))
    return buffer.getvalue()


FORMS: dict[str, Callable[[Manifest], str]] = {"txt": _txt, "json": _json, "csv": _csv}


def plain_files(manifest: Manifest, form: str) -> dict[str, bytes]:
    """Return the file of ids, "items.txt", ".json" or ".csv", by its name.

    Raises:
        ManifestError: an id that a text file cannot hold.
    """
    return {f"items.{form}": FORMS[form](manifest).encode()}

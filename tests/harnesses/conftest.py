"""Genuine logs, and what must be read of them."""

import json
from pathlib import Path
from typing import Any, NamedTuple


LOGS = Path(__file__).parent / "logs"


class Expected(NamedTuple):
    """What must be read of one model, task and metric of a log.

    Attributes:
        path: what to read.
        model: its name.
        task: or None where the harness has none.
        metric: its name.
        filter: that was chosen, or None.
        size: items of the whole benchmark or task, or None where the log does not say.
        items: how many ran.
        errored: how many of them failed.
        mean: what the harness gave; None where it gave nothing.
    """

    path: Path
    model: str
    task: str | None
    metric: str
    filter: str | None
    size: int | None
    items: int
    errored: int
    mean: float | None


def expected(folder: Path) -> list[Expected]:
    """Read what is expected of a folder of logs."""
    rows: list[dict[str, Any]] = json.loads((folder / "expected.json").read_text("utf-8"))
    return [
        Expected(folder / row["read"], **{k: v for k, v in row.items() if k != "read"})
        for row in rows
    ]


FOLDERS = sorted(path for path in LOGS.iterdir() if path.is_dir())
EXPECTED = [one for folder in FOLDERS for one in expected(folder)]

"""Small studies on bundled scores."""

from typing import Any

import pytest

import bestrand as br
from bestrand.study.protocol import Protocol


@pytest.fixture(scope="session")
def small(blink: br.ScoreTable) -> br.ScoreMatrix:
    """Every fifth item of the bundled BLINK scores, with groups."""
    matrix = blink.matrix()
    positions = list(range(0, matrix.frame.n, 5))
    frame = br.Frame.of(
        [matrix.frame.items[i] for i in positions],
        groups=[(matrix.frame.groups or ())[i] for i in positions],
    )
    return br.ScoreMatrix(frame, matrix.models, matrix.values[:, positions], "score", (0.0, 1.0))


def protocol_of(**changes: Any) -> Protocol:  # noqa: ANN401
    """Make a protocol of one experiment."""
    experiment = {
        "name": "one",
        "strategies": ["random", "bestrand"],
        "retentions": [0.1, 0.2],
        "known": [6],
        "replicates": 3,
        **changes,
    }
    return Protocol.of({"name": "test", "experiments": [experiment]})


TWELVE_CELLS = protocol_of(
    strategies=["random", "bestrand", "balanced shrunk", "history"],
    retentions=[0.05, 0.1, 0.2],
    replicates=4,
)

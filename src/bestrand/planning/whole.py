"""What planning asks of scores: all there, more than one item, and some difference."""

import numpy as np

from bestrand.errors import InputError
from bestrand.notes import shown
from bestrand.scores import ScoreMatrix


def require_whole(matrix: ScoreMatrix, what: str) -> None:
    """Require scores from which something can be foretold.

    Raises:
        InputError: scores are missing, there is one item only, or every model is flat.
    """
    if matrix.missing.any():
        row, column = np.argwhere(matrix.missing)[0]
        raise InputError(
            f"{int(matrix.missing.sum())} scores are missing (first: model {matrix.models[row]!r}, "
            f"item {matrix.frame.items[column]!r}), and {what[0].lower()}{what[1:]} needs them "
            "all. Leave out those models or items."
        )
    if matrix.frame.n < 2:
        raise InputError(f"{what} needs two items or more, got 1.")
    if not np.ptp(matrix.values, axis=1).any():
        raise InputError(
            f"Every model scores all items alike ({shown(list(matrix.models))}), so there is "
            "nothing to foretell."
        )

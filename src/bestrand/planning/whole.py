"""What planning asks of scores: all there, more than one item, and some difference."""

import numpy as np

from bestrand.errors import InputError
from bestrand.notes import shown
from bestrand.scores import ScoreMatrix


SMALLEST_SPREAD = 1e-6  # of the scale


def require_whole(matrix: ScoreMatrix, what: str) -> None:
    """Require scores from which something can be foretold.

    Raises:
        InputError: scores are missing, there is one item only, or every model is flat.
    """
    if matrix.missing.any():
        row, column = np.argwhere(matrix.missing)[0]
        raise InputError(
            f"Scores are missing, {int(matrix.missing.sum())} in all (first: model "
            f"{matrix.models[row]!r}, item {matrix.frame.items[column]!r}), and "
            f"{what[0].lower()}{what[1:]} needs them all. Leave out those models or items."
        )
    if matrix.frame.n < 2:
        raise InputError(f"{what} needs two items or more, got 1.")
    spread, (low, width) = float(np.ptp(matrix.values, axis=1).max()), matrix.span
    if 0 < spread < SMALLEST_SPREAD * width:
        raise InputError(
            f"Scores differ by {spread:.3g} at most, on a scale of {low:g} to {low + width:g}: too "
            "little to foretell anything. Say the right scale with --range (bounds=)."
        )
    if spread == 0:
        raise InputError(
            f"Every model scores all items alike ({shown(list(matrix.models))}), so there is "
            "nothing to foretell."
        )

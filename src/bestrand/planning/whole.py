"""What planning asks of scores, and of numbers that are held against them."""

from collections.abc import Sequence

import numpy as np

from bestrand.errors import ArgumentError, InputError
from bestrand.notes import shown
from bestrand.scores import ScoreMatrix
from bestrand.settings import whole_number


SMALLEST_SPREAD = 1e-6  # of the scale
MOST_ITEMS = 10**12


def require_whole(matrix: ScoreMatrix, what: str, why: str = "") -> None:
    """Require scores from which something can be foretold.

    Args:
        matrix: the scores.
        what: what needs them, as "A plan".
        why: what is known of why some are missing.

    Raises:
        InputError: scores are missing, there is one item only, or every model is flat.
    """
    if matrix.missing.any():
        row, column = np.argwhere(matrix.missing)[0]
        raise InputError(
            f"Scores are missing, {int(matrix.missing.sum())} in all (first: model "
            f"{matrix.models[row]!r}, item {matrix.frame.items[column]!r}), and "
            f"{what[0].lower()}{what[1:]} needs them all.{why} Leave out those models or items."
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


def require_shares(retentions: Sequence[float]) -> None:
    """Require sizes as shares of the items.

    Raises:
        ArgumentError: one is not above 0 and at most 1, or there is none.
    """
    wrong = [share for share in retentions if not 0 < share <= 1]
    if wrong or not retentions:
        raise ArgumentError(f"`retentions` must be above 0 and at most 1, got {wrong or 'none'}.")


def frame_size(n_items: int | None, n_scored: int) -> int:
    """Take N, the items of the benchmark, where some of them may have no score yet.

    Args:
        n_items: N as it was given, or None: all items have scores.
        n_scored: items that have scores.

    Raises:
        ArgumentError: N is no whole number, below the items at hand, or beyond all reason.
    """
    if n_items is None:
        return n_scored
    n_frame = whole_number(n_items, "n_items")
    if not n_scored <= n_frame <= MOST_ITEMS:
        raise ArgumentError(
            f"`n_items` (--items) must be {n_scored}, the items of the scores, to "
            f"{MOST_ITEMS:g}, got {n_frame}."
        )
    return n_frame


def require_on_scale(name: str, value: float, width: float) -> None:
    """Require an error or a gap that scores of this scale can have.

    Raises:
        ArgumentError: it is as large as the whole scale.
    """
    if value >= width:
        raise ArgumentError(
            f"`{name}` must be below {width:g}, the width of the scale, got {value:g}. Say it in "
            "the unit of the scores, 0.02 for two points of scores on 0 to 1."
        )

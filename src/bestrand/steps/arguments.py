"""Arguments that several steps take: the items, the size of the subset."""

from collections.abc import Sequence

from bestrand.core.frame import Frame
from bestrand.core.scores import ScoreMatrix, ScoreTable
from bestrand.errors import ArgumentError, InputError
from bestrand.settings import real_number, whole_number
from bestrand.types import Weighting


def as_frame(
    items: Frame | ScoreMatrix | ScoreTable | Sequence[str], weighting: Weighting | None
) -> Frame:
    """Take whatever stands for the items as a frame, with the weights asked for."""
    if isinstance(items, ScoreTable):
        return items.frame(weighting)
    frame = items.frame if isinstance(items, ScoreMatrix) else items
    if not isinstance(frame, Frame):
        frame = Frame.of(frame)
    return frame if weighting in (None, frame.weighting) else frame.reweighted(weighting)


def subset_size(n: int | None, retention: float | None, n_frame: int) -> int:
    """Take the size of the subset, given as such or as a share of the items.

    Raises:
        ArgumentError: both or neither are given, or one is out of its range.
    """
    if (n is None) == (retention is None):
        raise ArgumentError("Give either `n` or `retention`, and not both.")
    if n is not None:
        return whole_number(n, "n")
    share = real_number(retention, "retention")  # type: ignore[arg-type]
    if not 0 < share <= 1:
        raise ArgumentError(
            f"`retention` must be above 0 and at most 1, got {share:g}.", retention=share
        )
    return max(1, round(share * n_frame))


def require_size(n: int, most: int, what: str) -> None:
    """Require 1 <= n <= most.

    Raises:
        ArgumentError: n < 1.
        InputError: n > most.
    """
    if n < 1:
        raise ArgumentError(f"`n` must be 1 or more, got {n}.", n=n)
    if n > most:
        raise InputError(f"`n` must be in 1..{most}, {what}, got {n}. Lower it.", n=n, most=most)

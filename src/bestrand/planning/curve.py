"""A point of the curve of error against size."""

from typing import NamedTuple


class CurvePoint(NamedTuple):
    """What to expect of one model's error at one size, in the metric's unit.

    Attributes:
        design: name of the design.
        n: items.
        retention: n / N.
        mean: expected size of the error.
        p95: its 95th percentile.
        n_probes: K; 0 without probes.
        n_pool: m, items that every probe runs, or ran; 0 without probes.
    """

    design: str
    n: int
    retention: float
    mean: float
    p95: float
    n_probes: int = 0
    n_pool: int = 0

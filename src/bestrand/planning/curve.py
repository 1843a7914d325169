"""Rows of what planning compares: errors against size, and errors of each model as a target."""

from typing import NamedTuple


class CurvePoint(NamedTuple):
    """What to expect of one design at one size; errors in the metric's unit.

    Attributes:
        design: name of the design.
        n: items.
        retention: n / N.
        mean: expected mean absolute error over targets.
        p95: its 95th percentile over draws.
    """

    design: str
    n: int
    retention: float
    mean: float
    p95: float


class TargetErrors(NamedTuple):
    """Errors of one model had it been the target, over repeated draws, in the metric's unit.

    Attributes:
        model: its name.
        random_mean: mean absolute error with simple random subsets.
        random_p95: 95th percentile of the absolute error with simple random subsets.
        bestrand_mean: mean absolute error with BestRand.
        bestrand_p95: 95th percentile of the absolute error with BestRand.
    """

    model: str
    random_mean: float
    random_p95: float
    bestrand_mean: float
    bestrand_p95: float

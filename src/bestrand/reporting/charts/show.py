"""One door to the charts of what Python holds already."""

from typing import assert_never

from bestrand.core.scores import ScoreMatrix, ScoreTable, matrix_of
from bestrand.errors import ArgumentError, InputError
from bestrand.planning.backtest import Backtest
from bestrand.planning.diagnosis import Diagnosis
from bestrand.planning.error_law import error_law
from bestrand.planning.plan import Plan
from bestrand.reporting.charts.planning import backtest_chart, curve_chart, diagnosis_chart
from bestrand.reporting.charts.style import Chart


def chart(
    seen: Diagnosis | Plan | Backtest,
    scores: ScoreTable | ScoreMatrix | None = None,
    *,
    seed: int = 0,
) -> Chart:
    """Draw a diagnosis, a plan or a backtest.

    A diagnosis becomes the law of the error over simulated random subsets, at its first size, its
    tail, what a pool leaves of the shift that all models share, and each model's target R². It
    holds no scores, and simulation needs them; so they are given again. A plan becomes error
    against size, a backtest each model's error.

    Args:
        seen: what `diagnose`, `plan` or `backtest` gave.
        scores: those that a diagnosis was made from.
        seed: random seed; with the seed of the diagnosis the law is the same.

    Returns:
        An altair chart: a notebook shows it, `write_chart` writes it.

    Raises:
        ArgumentError: a diagnosis without scores.
        InputError: the scores are not those of the diagnosis.
    """
    if isinstance(seen, Plan):
        return curve_chart(seen.curve, metric=seen.metric)
    if isinstance(seen, Backtest):
        return backtest_chart(seen)
    if not isinstance(seen, Diagnosis):
        assert_never(seen)
    if scores is None:
        raise ArgumentError("The chart of a diagnosis needs the scores from which it was made.")
    matrix = matrix_of(scores, seen.metric)
    if seen.pool_items is not None:
        matrix = matrix.take_items(seen.pool_items)
    if seen.left_out_models:
        left = set(seen.left_out_models)
        matrix = matrix.take_models([model for model in matrix.models if model not in left])
    if seen.left_out_items:
        left = set(seen.left_out_items)
        matrix = matrix.take_items([item for item in matrix.frame.items if item not in left])
    if matrix.models != seen.names or matrix.frame.n != seen.n_scored:
        raise InputError(
            f"The diagnosis is of {len(seen.models)} models on {seen.n_scored} items, "
            f"these scores are of {len(matrix.models)} on {matrix.frame.n}. Give the scores from "
            "which it was made."
        )
    retention = seen.sizes[0].retention
    law = error_law(matrix, retention, n_items=seen.n_items, seed=seed)
    return diagnosis_chart(seen, law)

"""One door to the charts of what Python holds already."""

from typing import TYPE_CHECKING

from bestrand.errors import InputError
from bestrand.planning.diagnose import Diagnosis
from bestrand.planning.simulate import error_law
from bestrand.report.charts.planning import diagnosis_chart
from bestrand.scores import ScoreMatrix, ScoreTable


if TYPE_CHECKING:
    import altair as alt


def chart(
    diagnosis: Diagnosis, scores: ScoreTable | ScoreMatrix, *, seed: int = 0
) -> "alt.VConcatChart":
    """Draw a diagnosis: the law of the error over simulated random subsets, and what is explained.

    A diagnosis holds no scores, and simulation needs them; so they are given again. The size is
    the first of the diagnosis.

    Args:
        diagnosis: what `diagnose` gave.
        scores: those that it was made from.
        seed: the one source of chance; with the seed of the diagnosis the law is the same.

    Returns:
        An altair chart: a notebook shows it, `write_chart` writes it.

    Raises:
        InputError: the scores are not those of the diagnosis.
    """
    matrix = scores.matrix(diagnosis.metric) if isinstance(scores, ScoreTable) else scores
    if matrix.models != diagnosis.models or matrix.frame.n != diagnosis.n_items:
        raise InputError(
            f"The diagnosis is of {len(diagnosis.models)} models on {diagnosis.n_items} items, "
            f"these scores are of {len(matrix.models)} on {matrix.frame.n}. Give the scores from "
            "which it was made."
        )
    return diagnosis_chart(diagnosis, error_law(matrix, diagnosis.sizes[0].retention, seed=seed))

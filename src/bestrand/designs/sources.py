"""What the designs share that learn from source models' scores on every item."""

from bestrand.designs.base import Design, Features
from bestrand.errors import DesignError
from bestrand.notes import Note
from bestrand.stats.source_scores import Sources


def require_sources(design: Design, features: Features, least: int = 3) -> Sources:
    """Give the sources' scores in the main metric.

    Raises:
        DesignError: there are fewer than `least`.
    """
    n_sources = 0 if features.scores is None else len(features.scores)
    if features.scores is None or n_sources < least:
        raise DesignError(
            f"{design.name} needs the scores of at least {least} source models, got "
            f"{n_sources or 'none'}. Give more as probes, or take SimpleRandom, which looks at no "
            "scores.",
            n_sources=n_sources,
        )
    return Sources.of(features.scores, features.weights)


def source_notes(features: Features, *advice: Note) -> tuple[Note, ...]:
    """Say what goes with such a subset, and that further metrics were not looked at."""
    if features.extras is None:
        return advice
    text = "Only the main metric was looked at; further metrics are left aside."
    return (*advice, Note("main-metric-alone", text))


def predictor_note(estimators: str) -> Note:
    """Say that the plain mean over the subset will not do."""
    text = (
        "These items were chosen to predict from, not to be like the rest: their plain mean may "
        f"be far off the full score. Estimate with {estimators}."
    )
    return Note("not-a-mean", text)

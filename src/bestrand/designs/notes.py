"""Notes that several designs write beside a draw."""

import numpy as np

from bestrand.designs.base import Features
from bestrand.notes import Note
from bestrand.types import FloatArray


def flat_notes(scores: FloatArray) -> tuple[Note, ...]:
    """Note that no probe tells one item from another."""
    if np.ptp(scores, axis=1).any():
        return ()
    text = (
        "Every probe scores all items alike, so candidates cannot be told apart: this is a "
        "random subset."
    )
    return (Note("flat-probes", text),)


def source_notes(features: Features, *advice: Note) -> tuple[Note, ...]:
    """Return what goes with such a subset, and that further metrics were not looked at."""
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

"""What the estimators share that learn the full score from source models."""

from typing import NamedTuple

import numpy as np

from bestrand.errors import EstimateError
from bestrand.estimators.base import (
    Estimator,
    Inference,
    Seen,
    named,
    require_complete,
    require_whole_frame,
    without_errors,
)
from bestrand.estimators.mean import Mean
from bestrand.notes import Note
from bestrand.stats.source_scores import Sources
from bestrand.types import FloatArray, IntArray


STRENGTH_SHIFT = (
    "This learns the full score from source models, and holds for targets like them. Where targets "
    "were stronger than all sources, the error of such methods was mostly above that of the plain "
    "mean over a random subset, and up to 6 times it."
)
ROUNDING = 1e-6  # of the sources' scores


class KnownSources(NamedTuple):
    """The sources on every item of the frame, and where the subset stands.

    Attributes:
        scores: (K, N); see `bestrand.stats.source_scores.Sources`.
        full: (K,) full scores.
        weights: (N,) N times each item's share of the full score.
        columns: (n,) where the subset's items stand.
    """

    scores: FloatArray
    full: FloatArray
    weights: FloatArray
    columns: IntArray

    @property
    def seen(self) -> FloatArray:
        """(K, n) scores on the subset."""
        return self.scores[:, self.columns]


def require_sources(estimator: Estimator, seen: Seen, least: int = 3) -> KnownSources:
    """Return the sources on the whole frame.

    Raises:
        EstimateError: they are not at hand, there are too few, or a target lacks a score.
    """
    require_complete(estimator, seen)
    whole = require_whole_frame(estimator, seen)
    if len(whole.scores) < least:
        raise EstimateError(
            f"{estimator.name} needs at least {least} source models on the whole frame, got "
            f"{len(whole.scores)}. Give more as --probes (probes=), or take Mean.",
            n_sources=len(whole.scores),
        )
    sources = Sources.of(whole.scores, whole.weights)
    return KnownSources(sources.scores, sources.full, whole.weights, whole.columns)


def nothing_to_infer(estimator: Estimator, seen: Seen) -> Inference | None:
    """Return the full scores themselves where the subset is the whole frame, else None.

    Raises:
        EstimateError: a target lacks a score.
    """
    require_complete(estimator, seen)
    return Mean().infer(seen) if seen.scores.shape[1] == seen.n_frame else None


def learned_inference(
    estimator: Estimator, seen: Seen, estimate: FloatArray, *notes: Note
) -> Inference:
    """Make an inference of learned estimates: within the scores that were seen, no intervals."""
    low, high = seen.scores.min(axis=1), seen.scores.max(axis=1)
    bounded = np.clip(estimate, np.minimum(low, 0.0), np.maximum(high, 1.0))
    beyond = np.abs(bounded - estimate) > ROUNDING
    inference = without_errors(
        bounded,
        f"{estimator.name} learns from source models, and how far a target is unlike them cannot "
        "be known from its own scores: there is no interval. Regression and Mean have one.",
    )
    if beyond.any():
        text = (
            f"{int(beyond.sum())} of {estimate.size} estimates fell beyond all scores that were "
            f"seen{named(seen.models, beyond)} and were set to the nearest: the targets are unlike "
            "the sources."
        )
        notes = (*notes, Note("clipped", text))
    return inference._replace(notes=(*inference.notes, *notes))

"""Scores of the probes when targets are estimated: on the subset and on the pool."""

from dataclasses import dataclass, replace

import numpy as np

from bestrand.core.frame import Frame
from bestrand.core.manifest import Manifest
from bestrand.core.matched import require_matched
from bestrand.core.scores import ScoreMatrix, ScoreTable, matrix_of, why_missing
from bestrand.errors import InputError
from bestrand.types import FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class ProbeScores:
    """Scores of the probes, as far as they are known.

    Attributes:
        matrix: (K, n) on the subset.
        scores: (K, M) on all items that are at hand, nan where a probe has no score.
        means: (K,) weighted means on the pool, or None.
        pool_scores: (K, m) on the whole pool, or None.
        pool_weights: (m,) N times each item's share of the full score, or None.
        columns: (n,) where the subset's items stand in the pool, or None.
    """

    matrix: ScoreMatrix
    scores: FloatArray
    means: FloatArray | None
    pool_scores: FloatArray | None
    pool_weights: FloatArray | None
    columns: IntArray | None

    def on(self, span: tuple[float, float]) -> "ProbeScores":
        """Bring everything from low..high to 0..1."""
        low, high = span

        def scaled(values: FloatArray | None) -> FloatArray | None:
            return None if values is None else (values - low) / (high - low)

        return replace(
            self,
            matrix=replace(self.matrix, bounds=span),
            scores=(self.scores - low) / (high - low),
            means=scaled(self.means),
            pool_scores=scaled(self.pool_scores),
        )


def known_probes(
    probes: ScoreTable | ScoreMatrix | None, subset: Manifest, targets: ScoreMatrix
) -> ProbeScores | None:
    """Gather what is known of the probes in the targets' metric.

    The models are those the subset was chosen by. A subset chosen without scores takes all models
    that are no targets, if they have scores on the whole frame.

    Raises:
        InputError: a probe is not there, or lacks items of the subset.
    """
    if probes is None:
        return None
    if isinstance(probes, ScoreTable):
        whole = probes.matrix(targets.metric, weighting="micro")
    else:
        probes = _by_id(probes)
        whole = matrix_of(probes, None, weighting="micro")
    covers = subset.n_pool == subset.n_frame and _is_frame(whole.frame, subset)
    models = subset.probes
    if not models:
        models = tuple(sorted(set(whole.models) - set(targets.models)))
        if not models or not covers:
            return None
    whole = whole.take_models(models)
    matrix = whole.take_items(subset.items, unknown="nan")
    if matrix.missing.any():
        raise InputError(
            f"{int(matrix.missing.sum())} probe scores on the subset are missing from `probes`."
            f"{why_missing(probes)} Give the scores from which the subset was chosen."
        )
    means = _stated_means(subset, whole.metric)
    weights = None
    if covers and not whole.missing.any():
        weights = weights_of(probes, subset, whole.frame.n)
    if means is not None and "probes" in subset.balanced_on:
        require_matched(probes, whole, matrix, means, weights, subset)
    if weights is None:
        return ProbeScores(matrix, whole.values, means, None, None, None)
    return ProbeScores(
        matrix=matrix,
        scores=whole.values,
        means=np.asarray(whole.values @ weights / weights.sum()) if means is None else means,
        pool_scores=whole.values,
        pool_weights=weights,
        columns=np.array([whole.frame.positions[item] for item in subset.items], dtype=np.int64),
    )


def _by_id(matrix: ScoreMatrix) -> ScoreMatrix:
    """Bring the items to the order of their ids, on which nothing that is learned may depend."""
    items = matrix.frame.items
    ordered = tuple(sorted(items))
    return matrix if items == ordered else matrix.take_items(ordered)


def _is_frame(frame: Frame, subset: Manifest) -> bool:
    """Whether these are the items from which the subset was chosen, as far as is known."""
    if subset.frame_digest is not None:
        return frame.digest == subset.frame_digest
    return frame.n == subset.n_frame and frame.positions.keys() >= set(subset.items)


def _stated_means(subset: Manifest, metric: str) -> FloatArray | None:
    """Return the means that the manifest holds, if it holds them for this metric."""
    stated = (subset.probe_means or {}).get(metric)
    return None if stated is None else np.array([stated[model] for model in subset.probes])


def weights_of(
    probes: ScoreTable | ScoreMatrix, subset: Manifest, n_items: int
) -> FloatArray | None:
    """Return the weight of every item in the probes' table, if it can be known from there.

    Args:
        probes: their scores.
        subset: says how items are weighted.
        n_items: how many items the table has.

    Returns:
        (n_items,) relative weights, or None.
    """
    if subset.weighting == "micro":
        return np.ones(n_items)
    try:
        frame = probes.frame
        frame = frame if isinstance(frame, Frame) else frame(subset.weighting)
    except InputError:
        return None
    return frame.relative_weights if frame.weighting == subset.weighting else None

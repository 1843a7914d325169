"""AnchorPredictor: every other item's score from the anchor that predicts it best."""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from bestrand.core.method import Needs
from bestrand.estimators.base import Estimator, Inference, Seen
from bestrand.estimators.learned import (
    KnownSources,
    learned_inference,
    nothing_to_infer,
    require_sources,
)
from bestrand.stats.source_scores import item_moments, item_products
from bestrand.types import FloatArray


ROWS_AT_ONCE = 512


@final
@dataclass(frozen=True, slots=True)
class AnchorPredictor(Estimator):
    r"""Predict each item's score from one item of the subset, and take the mean of all items.

    For item i and each item a of the subset a line is fitted over the source models; the one with
    the least residual is kept:

    $$ \hat y_i = \bar x_i + \frac{\mathrm{Cov}(x_i, x_a)}{\mathrm{Var}(x_a)} (y_a - \bar x_a) $$

    Scores on the subset count as they are. The estimate is the weighted mean of all N.

    References:
        Vivek, R., Ethayarajh, K., Yang, D. and Kiela, D. (2024). Anchor points: benchmarking
        models with much fewer examples. EACL 2024. arXiv:2309.08638
    """

    needs: ClassVar[Needs] = "sources"
    assumes_random_draw: ClassVar[bool] = False

    def infer(self, seen: Seen) -> Inference:
        """Estimate the full scores; see `Estimator.infer`."""
        exact = nothing_to_infer(self, seen)
        if exact is not None:
            return exact
        sources = require_sources(self, seen)
        level, worth = _level_and_worth(sources)
        return learned_inference(self, seen, level + (seen.scores * worth).sum(axis=1))


def _level_and_worth(sources: KnownSources) -> tuple[float, FloatArray]:
    """Add up all lines: what they give where every anchor is 0, and what each anchor adds; (n,)."""
    scores, columns = sources.scores, sources.columns
    spread, sums = item_moments(scores)
    means = sums / len(scores)
    varies = spread[columns] > 0
    scale = np.where(varies, 1.0 / np.where(varies, spread[columns], 1.0), 0.0)

    anchor_of = np.empty(means.size, dtype=np.int64)
    slopes = np.empty(means.size)
    for first in range(0, means.size, ROWS_AT_ONCE):
        rows = slice(first, first + ROWS_AT_ONCE)
        products = item_products(scores[:, rows], scores[:, columns])
        anchor_of[rows] = (products**2 * scale).argmax(axis=1)  # the least residual
        slopes[rows] = np.take_along_axis(products * scale, anchor_of[rows, None], axis=1)[:, 0]
    intercepts = means - slopes * means[columns][anchor_of]
    anchor_of[columns], slopes[columns], intercepts[columns] = np.arange(columns.size), 1.0, 0.0

    shares = sources.weights / sources.weights.sum()
    worth = np.bincount(anchor_of, weights=shares * slopes, minlength=columns.size)
    return float((shares * intercepts).sum()), np.asarray(worth, dtype=np.float64)

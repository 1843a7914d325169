"""Horvitz-Thompson and Hájek: each item counts by the inverse of its chance to be chosen."""

from dataclasses import dataclass
from typing import final

import numpy as np

from bestrand.errors import EstimateError
from bestrand.estimators.base import Estimator, Inference, Seen, require_complete
from bestrand.stats.intervals import (
    PAIR_ROUNDING,
    floored_variance,
    pair_spread,
    weighted_spread,
)
from bestrand.types import FloatArray


@final
@dataclass(frozen=True, slots=True)
class HorvitzThompson(Estimator):
    r"""Unbiased for any design with known inclusion probabilities.

    $$ \hat\mu_j = \sum_{i\in S} \frac{w_i\,y_{ij}}{\pi_i} $$

    References:
        Horvitz, D. G. and Thompson, D. J. (1952). A generalization of sampling without
        replacement from a finite universe. J. Am. Stat. Assoc. 47(260).
        doi:10.1080/01621459.1952.10483446
    """

    def infer(self, seen: Seen) -> Inference:
        """Estimate the full scores; see `Estimator.infer`."""
        require_complete(self, seen)
        chance = require_inclusion(self, seen)
        share = seen.weights / seen.n_frame
        estimate = seen.scores @ (share / chance)
        return inverse_inference(seen, seen.scores * share, chance, estimate)


@final
@dataclass(frozen=True, slots=True)
class Hajek(Estimator):
    r"""The same as a ratio: weights that sum to 1, so that a constant score is met exactly.

    $$ \hat\mu_j = \frac{\sum_S w_i y_{ij}/\pi_i}{\sum_S w_i/\pi_i} $$

    References:
        Hájek, J. (1971). Comment on a paper by D. Basu. In Godambe and Sprott (eds.), Foundations
        of Statistical Inference. Särndal, C.-E., Swensson, B. and Wretman, J. (1992). Model
        Assisted Survey Sampling, section 5.7. Springer.
    """

    def infer(self, seen: Seen) -> Inference:
        """Estimate the full scores; see `Estimator.infer`."""
        require_complete(self, seen)
        chance = require_inclusion(self, seen)
        factor = seen.weights / chance
        estimate = seen.scores @ factor / factor.sum()
        share = seen.weights / factor.sum()
        terms = (seen.scores - estimate[:, None]) * share
        return inverse_inference(seen, terms, chance, estimate)


def require_inclusion(estimator: Estimator, seen: Seen) -> FloatArray:
    """Give the chosen items' inclusion probabilities.

    Raises:
        EstimateError: the design has none.
    """
    if seen.inclusion is None:
        raise EstimateError(
            f"{estimator.name} needs inclusion probabilities, and this design has none to offer. "
            "Take Mean, or Regression with --probes (probes=)."
        )
    return seen.inclusion


def inverse_inference(
    seen: Seen, terms: FloatArray, chance: FloatArray, estimate: FloatArray
) -> Inference:
    r"""Give errors by Hájek's approximation, for which first-order probabilities suffice.

    $$ \hat V = \frac{n}{n-1}\sum_S (1-\pi_i)\Bigl(\frac{t_i}{\pi_i} - \hat A\Bigr)^2, \qquad
       \hat A = \frac{\sum (1-\pi_i) t_i/\pi_i}{\sum (1-\pi_i)} $$

    It takes no account of strata, and so errs on the wide side for stratified designs. Where items
    are few it is raised as `floored_variance` and `pair_spread` raise theirs.

    Args:
        seen: the targets on the subset.
        terms: (T, n) what each item adds, before it is divided by its probability.
        chance: (n,) inclusion probabilities.
        estimate: (T,).
    """
    n = chance.size
    rest = 1 - chance
    expanded = terms / chance
    left = rest.sum()
    n_targets = len(estimate)
    if left <= 1e-12:  # every item was certain
        zero = np.zeros(n_targets)
        pairs = np.zeros((n_targets, n_targets))
        variance, cross = zero, pairs
    else:
        centre = expanded @ rest / left
        off = (expanded - centre[:, None]) * np.sqrt(rest)
        with np.errstate(divide="ignore", invalid="ignore"):
            gram = off @ off.T * (np.float64(n) / (n - 1))
        variance = np.diag(gram).copy()
        cross = np.clip(variance[:, None] + variance - 2 * gram, 0.0, None)
        variance, cross = _raised(seen, chance, variance, cross)
    np.fill_diagonal(cross, 0.0)
    freedom = np.full(n_targets, n - 1.0)
    return Inference(
        estimate=estimate,
        se=np.sqrt(variance),
        freedom=freedom,
        pair_difference=estimate[:, None] - estimate,
        pair_se=np.sqrt(cross),
        pair_freedom=np.full((n_targets, n_targets), n - 1.0),
    )


def _raised(
    seen: Seen, chance: FloatArray, variance: FloatArray, cross: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Raise variances that a few items make too small, those of 0 above all."""
    factor = seen.weights / chance
    spread = weighted_spread(seen.scores, factor)
    floored = floored_variance(spread, seen.scores, factor)
    per_item = 1 / chance.size - 1 / seen.n_frame
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = floored / spread.variance
    flat = ~(spread.variance > 0)
    raised = np.where(flat, floored * per_item, variance * np.where(flat, 1.0, ratio))
    pairs = pair_spread(seen.scores, factor).variance * per_item
    return raised, np.where(cross > PAIR_ROUNDING, cross, pairs)

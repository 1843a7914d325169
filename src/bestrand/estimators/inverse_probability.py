"""Horvitz-Thompson and Hájek: each item counts by the inverse of its chance to be chosen."""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from bestrand.errors import EstimateError
from bestrand.estimators.base import Estimator, Inference, Seen, require_complete
from bestrand.estimators.two_phase import nearest_probe
from bestrand.stats.intervals import (
    floored_variance,
    pair_spread,
    weighted_spread,
)
from bestrand.stats.stratified import UNKNOWN, Sample, sample_errors
from bestrand.types import FloatArray


ROUNDING = 1e-9  # of items due to a group
PAIR_ROUNDING = 1e-14  # of scores on 0..1: what models that agree on every item may show


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

    undoes_chances: ClassVar[bool] = True

    def infer(self, seen: Seen) -> Inference:
        """Estimate the full scores; see `Estimator.infer`."""
        require_complete(self, seen)
        chance = require_inclusion(self, seen)
        share = seen.weights / seen.n_frame
        estimate = seen.scores @ (share / chance)
        return inverse_inference(seen, share, chance, estimate, np.zeros_like(estimate))


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

    undoes_chances: ClassVar[bool] = True

    def infer(self, seen: Seen) -> Inference:
        """Estimate the full scores; see `Estimator.infer`."""
        require_complete(self, seen)
        chance = require_inclusion(self, seen)
        factor = seen.weights / chance
        estimate = seen.scores @ factor / factor.sum()
        return inverse_inference(seen, seen.weights / factor.sum(), chance, estimate, estimate)


def require_inclusion(estimator: Estimator, seen: Seen) -> FloatArray:
    """Return the chosen items' inclusion probabilities.

    Raises:
        EstimateError: the design has none.
    """
    if seen.inclusion is None:
        raise EstimateError(
            f"{estimator.name} needs inclusion probabilities, and this design has none. "
            "Take Mean, or Regression with --probes (probes=)."
        )
    return seen.inclusion


def inverse_inference(
    seen: Seen, share: FloatArray, chance: FloatArray, estimate: FloatArray, centre: FloatArray
) -> Inference:
    """Return errors: by groups where the items of each were drawn at random, else by chances alone.

    Args:
        seen: the targets on the subset.
        share: (n,) what a score adds to the estimate, before it is divided by its chance.
        chance: (n,) inclusion probabilities.
        estimate: (T,).
        centre: (T,) from which scores are counted: the estimate, or 0.
    """
    n = chance.size
    if n == seen.n_frame or not seen.stratified:
        variance, cross = _chance_errors(seen, (seen.scores - centre[:, None]) * share, chance)
        freedom, pair_freedom = np.full(len(estimate), n - 1.0), np.full(cross.shape, n - 1.0)
    else:
        found = sample_errors(_sample(seen, share / chance, chance, estimate), centre)
        variance, freedom, cross, pair_freedom = found
    np.fill_diagonal(cross, 0.0)
    return Inference(
        estimate=estimate,
        se=np.sqrt(variance),
        freedom=freedom,
        pair_difference=estimate[:, None] - estimate,
        pair_se=np.sqrt(cross),
        pair_freedom=pair_freedom,
    )


def _sample(seen: Seen, weights: FloatArray, chance: FloatArray, estimate: FloatArray) -> Sample:
    """Describe the subset as a stratified sample; see `bestrand.stats.stratified`."""
    groups, shares = seen.groups, seen.group_shares
    if groups is None or shares is None:
        raise EstimateError("A stratified draw must come with its groups. Draw the subset again.")
    sizes = np.rint(shares * seen.n_frame)
    due = np.zeros(sizes.size)
    due[groups] = chance * sizes[groups]
    part = due - np.floor(due + ROUNDING)
    rounded = np.clip(part * (1 - part), 0.0, None)
    bounds, like = seen.bounds or UNKNOWN, nearest_probe(seen, estimate)
    return Sample(seen.scores, weights, groups, sizes, rounded, bounds, like)


def _chance_errors(
    seen: Seen, terms: FloatArray, chance: FloatArray
) -> tuple[FloatArray, FloatArray]:
    r"""Return errors by Hájek's approximation, for which first-order probabilities suffice.

    $$ \hat V = \frac{n}{n-1}\sum_S (1-\pi_i)\Bigl(\frac{t_i}{\pi_i} - \hat A\Bigr)^2, \qquad
       \hat A = \frac{\sum (1-\pi_i) t_i/\pi_i}{\sum (1-\pi_i)} $$

    Where items are few it is raised as `floored_variance` and `pair_spread` raise theirs.

    Args:
        seen: the targets on the subset.
        terms: (T, n) what each item adds, before it is divided by its probability.
        chance: (n,) inclusion probabilities.

    Returns:
        (T,) variances of estimates, (T, T) of differences.
    """
    n, n_targets = chance.size, len(terms)
    rest = 1 - chance
    left = rest.sum()
    if left <= 1e-12:  # every item was certain
        return np.zeros(n_targets), np.zeros((n_targets, n_targets))
    expanded = terms / chance
    centre = expanded @ rest / left
    off = (expanded - centre[:, None]) * np.sqrt(rest)
    with np.errstate(divide="ignore", invalid="ignore"):
        gram = off @ off.T * (np.float64(n) / (n - 1))
    variance = np.diag(gram).copy()
    cross = np.clip(variance[:, None] + variance - 2 * gram, 0.0, None)
    return _raised(seen, chance, variance, cross)


def _raised(
    seen: Seen, chance: FloatArray, variance: FloatArray, cross: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Raise variances that a few items make too small, those of 0 above all."""
    factor = seen.weights / chance
    spread = weighted_spread(seen.scores, factor)
    floored = floored_variance(spread, seen.scores, factor, seen.bounds)
    per_item = 1 / chance.size - 1 / seen.n_frame
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = floored / spread.variance
    flat = ~(spread.variance > 0)
    raised = np.where(flat, floored * per_item, variance * np.where(flat, 1.0, ratio))
    pairs = pair_spread(seen.scores, factor, seen.bounds).variance * per_item
    return raised, np.where(cross > PAIR_ROUNDING, cross, pairs)

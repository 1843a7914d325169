"""Post-stratification: each group's mean counts by the group's share in the frame."""

from dataclasses import dataclass
from typing import final

import numpy as np

from bestrand.errors import EstimateError
from bestrand.estimators.base import Estimator, Inference, Seen, require_complete
from bestrand.notes import Note
from bestrand.stats.intervals import floored_variance, pair_spread, weighted_spread
from bestrand.stats.regression import within_share
from bestrand.types import FloatArray, IntArray


@final
@dataclass(frozen=True, slots=True)
class PostStratified(Estimator):
    r"""Group means weighted by the groups' shares, after the fact.

    $$ \hat\mu_j = \sum_h W_h\,\bar y_{jh}, \qquad
       \hat V = \tilde s^2_{w} \sum_h W_h^2\Bigl(\frac1{n_h} - \frac1{N_h}\Bigr) $$

    Groups of which no item was chosen are left out, and the others' shares scaled to sum 1; a note
    says so. The variance within groups is pooled over groups and targets.

    References:
        Holt, D. and Smith, T. M. F. (1979). Post stratification. J. R. Stat. Soc. A 142(1).
        doi:10.2307/2344652
    """

    def infer(self, seen: Seen) -> Inference:
        """Estimate the full scores; see `Estimator.infer`."""
        require_complete(self, seen)
        if seen.groups is None or seen.group_shares is None:
            raise EstimateError(
                "PostStratified needs each item's group, and these items have none. Take Mean."
            )
        counts = np.bincount(seen.groups, minlength=seen.group_shares.size).astype(np.int64)
        shares = self._group_weights(seen, counts)
        member = np.zeros((seen.groups.size, counts.size))
        member[np.arange(seen.groups.size), seen.groups] = 1.0
        per_item = (shares / np.clip(counts, 1, None))[seen.groups]
        estimate = seen.scores @ per_item

        sizes = seen.group_shares * seen.n_frame
        here = counts > 0
        factor = float((shares[here] ** 2 * (1 / counts[here] - 1 / sizes[here])).sum())
        plain = np.ones(seen.groups.size)
        spread = weighted_spread(seen.scores, plain)
        variance = floored_variance(spread, seen.scores, plain)
        pairs = pair_spread(seen.scores, plain)
        apart = seen.scores - seen.scores.mean(axis=0)
        pair_within = within_share(apart, seen.groups) if len(apart) > 1 else 1.0
        pair_variance = pairs.variance * factor * pair_within
        np.fill_diagonal(pair_variance, 0.0)
        notes = () if here.all() else (_absent_note(int((~here).sum()), counts.size),)
        freedom = np.full(len(estimate), seen.groups.size - 1.0)
        return Inference(
            estimate=estimate,
            se=np.sqrt(variance * factor * within_share(seen.scores, seen.groups)),
            freedom=freedom,
            pair_difference=estimate[:, None] - estimate,
            pair_se=np.sqrt(pair_variance),
            pair_freedom=np.full(pairs.mean.shape, seen.groups.size - 1.0),
            notes=notes,
        )

    def _group_weights(self, seen: Seen, counts: IntArray) -> FloatArray:
        """Give W_h of the groups that are here, sum 1; (H,)."""
        shares = np.zeros(counts.size)
        for code in np.flatnonzero(counts):
            weights = seen.weights[seen.groups == code]
            if np.ptp(weights) > 1e-9 * max(float(weights.max()), 1e-300):
                raise EstimateError(
                    "PostStratified needs items of one group to weigh the same, and explicit "
                    "weights differ within a group. Take Mean."
                )
            shares[code] = np.asarray(seen.group_shares)[code] * weights[0]
        return np.asarray(shares / shares.sum())


def _absent_note(absent: int, n_groups: int) -> Note:
    text = f"{absent} of {n_groups} groups have no item in the subset and are left out."
    return Note("absent-groups", text)

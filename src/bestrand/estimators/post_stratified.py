"""Post-stratification: each group's mean counts by the group's share in the frame."""

from dataclasses import dataclass
from typing import final

import numpy as np

from bestrand.errors import EstimateError
from bestrand.estimators.base import Estimator, Inference, Seen, require_complete
from bestrand.notes import Note
from bestrand.stats.stratified import Sample, sample_errors
from bestrand.types import FloatArray, IntArray


@final
@dataclass(frozen=True, slots=True)
class PostStratified(Estimator):
    r"""Group means weighted by the groups' shares, after the fact.

    $$ \hat\mu_j = \sum_h W_h\,\bar y_{jh}, \qquad
       \hat V = \sum_h W_h^2\Bigl(\frac1{n_h} - \frac1{N_h}\Bigr) s_{jh}^2 $$

    Groups of which no item was chosen are left out, and the others' shares scaled to sum 1; a note
    says so. Each group has a variance of its own, see `bestrand.stats.stratified.sample_errors`.

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
        per_item = (shares / np.clip(counts, 1, None))[seen.groups]
        estimate = seen.scores @ per_item

        sizes = np.rint(seen.group_shares * seen.n_frame)
        fixed = np.zeros(sizes.size)  # the counts of the groups are taken as they came
        found = sample_errors(Sample(seen.scores, per_item, seen.groups, sizes, fixed), estimate)
        here = counts > 0
        notes = () if here.all() else (_absent_note(int((~here).sum()), counts.size),)
        return Inference(
            estimate=estimate,
            se=np.sqrt(found.variance),
            freedom=found.freedom,
            pair_difference=estimate[:, None] - estimate,
            pair_se=np.sqrt(found.pair_variance),
            pair_freedom=found.pair_freedom,
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

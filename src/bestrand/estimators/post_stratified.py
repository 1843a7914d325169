"""Post-stratification: each group's mean counts by the group's share in the frame."""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from bestrand.core.method import Needs
from bestrand.errors import EstimateError
from bestrand.estimators.base import Estimator, Inference, Seen, named, require_complete
from bestrand.estimators.two_phase import nearest_probe
from bestrand.notes import Note
from bestrand.stats.stratified import UNKNOWN, Sample, sample_errors
from bestrand.types import BoolArray, FloatArray, IntArray


@final
@dataclass(frozen=True, slots=True)
class PostStratified(Estimator):
    r"""Group means weighted by the groups' shares, after the fact.

    $$ \hat\mu_j = \sum_h W_h\,\bar y_{jh}, \qquad
       \hat V = \sum_h W_h^2\Bigl(\frac1{n_h} - \frac1{N_h}\Bigr) s_{jh}^2 $$

    Groups of which no item was chosen are left out, and the others' shares scaled to sum 1; a note
    says so, and the variance between the groups' means comes in. Each group has a variance of its
    own, see `bestrand.stats.stratified.sample_errors`.

    References:
        Holt, D. and Smith, T. M. F. (1979). Post stratification. J. R. Stat. Soc. A 142(1).
        doi:10.2307/2344652
    """

    needs: ClassVar[Needs] = "groups"
    undoes_chances: ClassVar[bool] = True

    def infer(self, seen: Seen) -> Inference:
        """Estimate the full scores; see `Estimator.infer`."""
        require_complete(self, seen)
        if seen.groups is None or seen.group_shares is None:
            raise EstimateError(
                "PostStratified needs each item's group, and these items have none. Take Mean."
            )
        counts = np.bincount(seen.groups, minlength=seen.group_shares.size).astype(np.int64)
        known = self._group_weights(seen, counts)
        shares = known / known.sum()
        per_item = (shares / np.clip(counts, 1, None))[seen.groups]
        estimate = seen.scores @ per_item

        sizes = np.rint(seen.group_shares * seen.n_frame)
        fixed = np.zeros(sizes.size)  # the counts of the groups are taken as they came
        bounds, like = seen.bounds or UNKNOWN, nearest_probe(seen, estimate)
        sample = Sample(seen.scores, per_item, seen.groups, sizes, fixed, bounds, like)
        found = sample_errors(sample, estimate)
        between, pair_between = _absent_errors(seen, known, counts)
        here = counts > 0
        notes = () if here.all() else (_absent_note(~here, seen.group_names),)
        return Inference(
            estimate=estimate,
            se=np.sqrt(found.variance + between),
            freedom=found.freedom,
            pair_difference=estimate[:, None] - estimate,
            pair_se=np.sqrt(found.pair_variance + pair_between),
            pair_freedom=found.pair_freedom,
            notes=notes,
        )

    def _group_weights(self, seen: Seen, counts: IntArray) -> FloatArray:
        """Return W_h of the groups that are here, 0 of the others; (H,)."""
        shares = np.zeros(counts.size)
        for code in np.flatnonzero(counts):
            weights = seen.weights[seen.groups == code]
            if np.ptp(weights) > 1e-9 * max(float(weights.max()), 1e-300):
                raise EstimateError(
                    "PostStratified needs items of one group to weigh the same, and explicit "
                    "weights differ within a group. Take Mean."
                )
            shares[code] = np.asarray(seen.group_shares)[code] * weights[0]
        return shares


def _absent_errors(
    seen: Seen, known: FloatArray, counts: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Return what groups without an item add to the variances: their means are like the others'.

    With s_B^2 the variance of the means of the groups that are here, w_h their shares scaled to
    sum 1 and W_a those of absent groups, it is s_B^2 [sum W_a^2 + (sum W_a)^2 sum w_h^2]; nan
    where one group alone is here.
    """
    n_models, here = len(seen.scores), np.flatnonzero(counts)
    if here.size == counts.size:
        return np.zeros(n_models), np.zeros((n_models, n_models))
    shares = np.asarray(seen.group_shares)[counts == 0]
    rest = max(1.0 - float(known.sum()), 0.0)
    if np.ptp(seen.weights) > 0:  # what absent items weigh is not known, but for their sum
        shares = np.ones(shares.size)
    absent = rest * shares / shares.sum()
    scaled = known[here] / known.sum()
    factor = (absent**2).sum() + rest**2 * (scaled**2).sum()
    means = np.stack([seen.scores[:, seen.groups == code].mean(axis=1) for code in here], axis=1)
    off = means - means.mean(axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        gram = off @ off.T * (factor / np.float64(here.size - 1))
    own = np.diag(gram)
    cross = np.clip(own[:, None] + own - 2 * gram, 0.0, None)
    np.fill_diagonal(cross, 0.0)
    return own.copy(), cross


def _absent_note(absent: BoolArray, names: tuple[str, ...]) -> Note:
    text = (
        f"{int(absent.sum())} of {absent.size} groups have no item in the subset"
        f"{named(names, absent)}; they are taken to be like the others, and intervals allow for "
        "how much groups differ."
    )
    return Note("absent-groups", text)

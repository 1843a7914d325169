"""What a pilot says of targets to come: how far their scores spread, and what probes explain."""

from typing import NamedTuple

import numpy as np

from bestrand.rng import Stream
from bestrand.stats.explained import explained_by_others, explained_share, scatter
from bestrand.stats.regression import ridge_penalty
from bestrand.types import FloatArray, IntArray


N_SETS = 40  # random choices of probes, over which what they explain is averaged
N_PAIRS = 50  # for each choice of probes


class ModelMoments(NamedTuple):
    """Variances of L models' item scores, and the share of each that K probes explain.

    Attributes:
        own: (L,) variance of each model that is not flat, within strata where there are any.
        shares: (L,) share of it that the probes explain, in 0..1; 0 where there is none.
    """

    own: FloatArray
    shares: FloatArray

    def errors(self, n: int, n_pool: int, n_frame: int) -> FloatArray:
        r"""Variance of each model's error.

        $$ V_k = \Bigl(\frac1n - \frac1m\Bigr)(1 - R^2_k)\,s_k^2
           + \Bigl(\frac1m - \frac1N\Bigr) s_k^2 $$

        Args:
            n: items chosen.
            n_pool: m, of which they are chosen.
            n_frame: N.

        References:
            Cochran, W. G. (1977). Sampling Techniques, third edition, chapter 12. Wiley.
        """
        chosen, drawn = 1 / n - 1 / n_pool, 1 / n_pool - 1 / n_frame
        return np.asarray(self.own * (chosen * (1 - self.shares) + drawn))


def model_moments(
    y: FloatArray, strata: IntArray | None, n_probes: int, stream: Stream
) -> ModelMoments:
    """Take each model for a target that n_probes of the others have to explain.

    Args:
        y: (L, N) scores on 0..1; no nan, and not all models flat.
        strata: (N,) codes within which variances are taken, or None.
        n_probes: K, fewer than L; 0: nothing is explained.
        stream: chooses which models serve as probes.
    """
    seen = scatter(y, strata)
    varies = np.ptp(y, axis=1) > 0
    own = np.diag(seen.covariance)[varies]
    if n_probes == 0:
        return ModelMoments(own, np.zeros(own.size))
    penalty = ridge_penalty(y)
    if n_probes >= len(y) - 1:
        shares = explained_by_others(y, strata, penalty=penalty)
    else:
        total, times = np.zeros(len(y)), np.zeros(len(y))
        for probes in probe_sets(y, n_probes, stream):
            rest = np.setdiff1d(np.arange(len(y)), probes)
            found = explained_share(seen, probes, np.eye(len(y))[rest], penalty=penalty)
            total[rest] += np.nan_to_num(found)
            times[rest] += 1
        shares = total / np.maximum(times, 1)
    return ModelMoments(own, np.clip(np.nan_to_num(shares[varies]), 0.0, 1.0))


def pair_moments(
    y: FloatArray, strata: IntArray | None, n_probes: int, stream: Stream
) -> ModelMoments:
    """Do the same with differences of two models, of pairs drawn at random."""
    seen = scatter(y, strata)
    identity, penalty = np.eye(len(y)), ridge_penalty(y)
    own, shares = [], []
    for number, probes in enumerate(probe_sets(y, n_probes, stream)):
        rest = np.setdiff1d(np.arange(len(y)), probes)
        rng = stream.child(f"pairs {number}").generator()
        a, b = np.triu_indices(rest.size, 1)
        chosen = rng.permutation(a.size)[:N_PAIRS]
        pairs = identity[rest[a[chosen]]] - identity[rest[b[chosen]]]
        own.append(np.clip(np.einsum("tl,lm,tm->t", pairs, seen.covariance, pairs), 0.0, None))
        shares.append(np.nan_to_num(explained_share(seen, probes, pairs, penalty=penalty)))
    return ModelMoments(np.concatenate(own), np.clip(np.concatenate(shares), 0.0, 1.0))


def probe_sets(y: FloatArray, n_probes: int, stream: Stream) -> list[IntArray]:
    """Choose probes again and again, such that every model is left out about as often."""
    n_models = len(y)
    rng = stream.child("probes").generator()
    sets: list[IntArray] = []
    while len(sets) < N_SETS:
        order = rng.permutation(n_models)
        around = np.concatenate([order, order])
        starts = range(0, n_models, max(1, n_models - n_probes))
        sets += [np.sort(around[start : start + n_probes]) for start in starts]
    return sets

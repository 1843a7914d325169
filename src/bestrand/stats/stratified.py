"""The error of a proportional stratified draw whose shares are rounded to whole items by chance."""

from typing import NamedTuple

import numpy as np

from bestrand.types import FloatArray, IntArray


class GroupMoments(NamedTuple):
    """Moments of L models' item scores within each of H groups.

    Attributes:
        shares: (H,) share of each group in the frame.
        means: (L, H) mean of each model in each group.
        within: (H, L, L) covariance within each group, divisor N_h - 1; 0 in a group of one item.
    """

    shares: FloatArray
    means: FloatArray
    within: FloatArray


def group_moments(y: FloatArray, groups: IntArray) -> GroupMoments:
    """Take moments group by group.

    Args:
        y: (L, N) scores; no nan.
        groups: (N,) codes 0..H-1, each of which occurs.
    """
    sizes = np.bincount(groups)
    means, within = np.empty((len(y), sizes.size)), np.zeros((sizes.size, len(y), len(y)))
    for code, size in enumerate(sizes):
        part = y[:, groups == code]
        means[:, code] = part.mean(axis=1)
        off = part - means[:, code : code + 1]
        if size > 1:
            within[code] = off @ off.T / (size - 1)
    return GroupMoments(sizes / sizes.sum(), means, within)


def stratified_errors(
    seen: GroupMoments, combinations: FloatArray, n: int, n_frame: int
) -> FloatArray:
    r"""Variance of the mean of n items, of which each group gets its share, rounded by chance.

    A group that is due $n W_h = \lfloor n W_h \rfloor + f_h$ items gets one more than the whole
    part with probability f_h, such that all sum to n. With k_h the number it gets,

    $$ V = \frac1{n^2}\sum_h \Bigl(\mathrm{E}k_h - \frac{\mathrm{E}k_h^2}{N_h}\Bigr) S_h^2
       + \frac1{n^2}\,\frac{H'}{H'-1} \sum_h f_h(1-f_h)\,(\bar y_h - \bar y_f)^2 $$

    where the second sum is over the H' groups that are rounded and $\bar y_f$ is their mean,
    weighted by f(1 - f): the variance of a draw of fixed size with these probabilities (Hájek).

    Args:
        seen: moments of the groups.
        combinations: (T, L): a row of the identity is a model, one with 1 and -1 a difference.
        n: items drawn.
        n_frame: N.

    Returns:
        (T,) variances; 0 where n = N.

    References:
        Hájek, J. (1964). Asymptotic theory of rejective sampling with varying probabilities from a
        finite population. The Annals of Mathematical Statistics 35(4).
    """
    due = n * seen.shares
    part = due - np.floor(due + 1e-9)
    chance = np.clip(part * (1 - part), 0.0, None)
    squares = due**2 + chance
    inside = np.clip(due - squares / (n_frame * seen.shares), 0.0, None)
    spread = np.einsum("tl,hlm,tm->th", combinations, seen.within, combinations, optimize=True)
    variance = spread @ inside
    rounded = int((chance > 1e-9).sum())
    if rounded > 1:
        means = combinations @ seen.means
        center = (means @ chance) / chance.sum()
        variance = variance + rounded / (rounded - 1) * (means - center[:, None]) ** 2 @ chance
    return np.asarray(variance / n**2)

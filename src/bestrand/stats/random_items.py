"""Ratios of errors as numbers of random items: how many would err as little."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from bestrand.record import MaybeNumber, Record
from bestrand.rng import Stream
from bestrand.types import FloatArray


N_RESAMPLES = 1000
NORMAL_95 = 1.959963984540054  # quantile of the normal law at .975


class RandomRatio(NamedTuple):
    """A subset's figure over that of a simple random subset of the same size.

    Attributes:
        value: of the ratio; nan where it is not known.
        low: lower end of its 95 % interval; nan where it is not known.
        high: upper end.
    """

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class RandomItems(Record):
    """How many random items err as little as a subset does; nan where it is not known.

    Attributes:
        mean: size of a simple random subset whose mean error is as small.
        mean_low: lower end of its 95 % interval.
        mean_high: upper end.
        p95: size of one whose 95th percentile of the error is as small: of a bad draw.
        p95_low: lower end of its 95 % interval.
        p95_high: upper end.
    """

    mean: MaybeNumber
    mean_low: MaybeNumber
    mean_high: MaybeNumber
    p95: MaybeNumber
    p95_low: MaybeNumber
    p95_high: MaybeNumber


def random_items(ratio: float, n: int, n_frame: int) -> float:
    r"""Return the size X of a simple random subset that errs `ratio` times as much as one of n.

    The error of X of N random items is in proportion to $\sqrt{1/X - 1/N}$, so

    $$ \frac1X = \frac1N + q^2\Bigl(\frac1n - \frac1N\Bigr) $$

    Args:
        ratio: q >= 0, a figure of the error over that of n random items: its mean, or a percentile.
        n: size of the subset.
        n_frame: N >= n.

    Returns:
        X, in 0..N and no whole number: below n where q is above 1, N where q = 0 or n = N. nan
        where q is nan.

    References:
        Cochran, W. G. (1977). Sampling Techniques, third edition, chapter 2. Wiley.

    Examples:
        >>> random_items(0.5, 100, 1000)
        307.6923076923077
        >>> random_items(1.0, 100, 1000)
        100.0
    """
    if n == n_frame:
        return float(n_frame)
    return n_frame * n / (n + ratio**2 * (n_frame - n))


def in_random_items(mean: RandomRatio, p95: RandomRatio, n: int, n_frame: int) -> RandomItems:
    """Turn the ratios of the mean and of the 95th percentile, with their intervals.

    Args:
        mean: of the mean error.
        p95: of its 95th percentile.
        n: size of the subset.
        n_frame: N.
    """
    # a large ratio is a small number of items, so the ends change places
    ends = [
        random_items(ratio, n, n_frame)
        for seen in (mean, p95)
        for ratio in (seen.value, seen.high, seen.low)
    ]
    return RandomItems(*ends)


def random_share(ratio: float, retention: float) -> float:
    r"""Return X / n, how many times as many random items err as little, at one retention r = n / N.

    $$ \frac Xn = \frac1{r + q^2(1 - r)} $$

    Args:
        ratio: q >= 0.
        retention: r, above 0 and at most 1.

    Examples:
        >>> round(random_share(0.5, 0.1), 3)
        3.077
    """
    return 1 / (retention + ratio**2 * (1 - retention))


def ratio_of_draws(
    own: FloatArray, random: FloatArray, stream: Stream, level: float | None = None
) -> RandomRatio:
    """Compare errors over repeated draws with Random's, with a 95 % Monte Carlo interval.

    Args:
        own: (R,) error of each draw.
        random: (R,) error of Random's draws, of the same seeds; R >= 2.
        stream: the chance of the resamples.
        level: the quantile to compare, or None for the mean.

    Returns:
        The ratio, nan where Random does not err; the interval holds the middle 95 % of 1000 paired
        resamples of the draws.
    """

    def figure(values: FloatArray) -> FloatArray:
        if level is None:
            return np.asarray(values.mean(axis=-1))
        return np.asarray(np.quantile(values, level, axis=-1))

    again = stream.generator().integers(0, own.size, size=(N_RESAMPLES, own.size))
    tops, bottoms = figure(own[again]), figure(random[again])
    bottom = float(figure(random))
    if bottom <= 0.0 or not (bottoms > 0.0).all():
        return RandomRatio(math.nan, math.nan, math.nan)
    low, high = np.quantile(tops / bottoms, [0.025, 0.975])
    return RandomRatio(float(figure(own)) / bottom, float(low), float(high))


def jackknife_se(without: FloatArray) -> float:
    r"""Return the jackknife's standard error, $\sqrt{(G-1)\,\overline{(\theta_g-\bar\theta)^2}}$.

    Args:
        without: (G,) the figure with each of G groups left out.
    """
    return math.sqrt((without.size - 1) * float(np.mean((without - without.mean()) ** 2)))


def ratio_with_se(value: float, se: float) -> RandomRatio:
    """Return a ratio with a 95 % interval, normal on the log.

    Args:
        value: the ratio, 0 or more.
        se: its standard error.

    Examples:
        >>> ratio_with_se(0.5, 0.0)
        RandomRatio(value=0.5, low=0.5, high=0.5)
    """
    if value == 0.0:
        return RandomRatio(value, 0.0, NORMAL_95 * se)
    factor = math.exp(min(NORMAL_95 * se / value, 700.0))
    return RandomRatio(value, value / factor, value * factor)

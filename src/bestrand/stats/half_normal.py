"""The size of one model's error, where any of several models may be meant.

Errors are normal with a variance of each model's own, so the size of the error of a model taken at
random is a mixture of half-normal laws.
"""

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from bestrand.types import FloatArray


def mean_size(variances: FloatArray) -> float:
    r"""Return the expected size of the error, the mean over models of $\sqrt{2 V_k/\pi}$.

    Examples:
        >>> round(mean_size(np.array([1.0])), 4)
        0.7979
    """
    return float(np.sqrt(2 * variances / np.pi).mean())


def exceedance(variances: FloatArray, t: float) -> float:
    r"""Return P(|error| > t), the mean over models of $2(1 - \Phi(t/\sqrt{V_k}))$.

    Examples:
        >>> round(exceedance(np.array([1.0]), 1.96), 3)
        0.05
    """
    deviations = np.sqrt(variances)
    with np.errstate(divide="ignore", invalid="ignore"):
        each = np.where(deviations > 0, 2 * ndtr(-t / deviations), float(t < 0))
    return float(each.mean())


def quantile_size(variances: FloatArray, level: float) -> float:
    """Return the size below which the error stays with probability `level`.

    Examples:
        >>> round(quantile_size(np.array([1.0]), 0.95), 3)
        1.96
    """
    top = float(np.sqrt(variances.max())) * float(ndtri(0.5 + level / 2))
    if top == 0.0 or exceedance(variances, 0.0) <= 1 - level:
        return 0.0
    if np.ptp(variances) == 0:
        return top
    found = brentq(lambda t: exceedance(variances, t) - (1 - level), 0.0, top * (1 + 1e-9))
    return float(found)

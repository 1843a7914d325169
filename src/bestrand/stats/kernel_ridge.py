"""Kernel ridge regression of one response, its penalty by exact leave-one-out."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bestrand.types import FloatArray


class KernelRidgeFit(NamedTuple):
    """A fitted regression.

    Attributes:
        dual: (K,) weight of each row it was fitted on; they sum to 0.
        level: what is predicted where the kernel says nothing.
        penalty: the one chosen.
        loo: (P,) mean squared error of leaving one out, for each penalty from the largest down.
    """

    dual: FloatArray
    level: float
    penalty: float
    loo: FloatArray

    def predict(self, kernel: FloatArray) -> FloatArray:
        """Predict from the kernel between new rows and those fitted on, (T, K); (T,)."""
        return np.asarray(self.level + kernel @ self.dual)


def fit_kernel_ridge(
    gram: FloatArray, response: FloatArray, penalties: Sequence[float]
) -> KernelRidgeFit:
    r"""Fit a ridge regression with a free intercept, and choose its penalty by leaving one out.

    With the doubly centred kernel $G = V S V'$ the fit is linear in the response, so that leaving
    out each row in turn needs no further fit:

    $$ r = V \frac{\lambda}{S + \lambda} V' (y - \bar y), \qquad
       h_k = \frac1K + \sum_j V_{kj}^2 \frac{S_j}{S_j + \lambda}, \qquad
       y_k - \hat y_{-k} = \frac{r_k}{1 - h_k} $$

    Args:
        gram: (K, K) kernel between the rows, symmetric.
        response: (K,).
        penalties: lambda > 0, of which the one with the least mean squared error is taken, the
            largest where several tie.

    References:
        Hastie, T., Tibshirani, R. and Friedman, J. (2009). The Elements of Statistical Learning,
        2nd ed., sections 5.8 and 7.10. Springer.

    Examples:
        >>> x = np.array([[0.0], [1.0], [2.0], [3.0]])
        >>> fit = fit_kernel_ridge(x @ x.T, np.array([0.0, 1.0, 2.0, 3.0]), [1e-6, 1.0])
        >>> fit.penalty
        1e-06
        >>> fit.predict(np.array([[4.0]]) @ x.T).round(3)
        array([4.])
    """
    n_rows = len(gram)
    row_means = gram.mean(axis=1)
    centred = gram - row_means - row_means[:, None] + row_means.mean()
    values, vectors = np.linalg.eigh(centred)
    values = np.maximum(values, 0.0)
    mean = float(response.mean())
    turned = vectors.T @ (response - mean)
    ordered = sorted(penalties, reverse=True)
    losses = []
    for penalty in ordered:
        kept = values / (values + penalty)
        residuals = vectors @ ((1.0 - kept) * turned)
        leverage = 1.0 / n_rows + (vectors**2) @ kept
        losses.append(float(np.mean((residuals / np.maximum(1.0 - leverage, 1e-12)) ** 2)))
    loo = np.array(losses)
    penalty = ordered[int(loo.argmin())]
    dual = vectors @ (turned / (values + penalty))
    dual -= dual.mean()
    return KernelRidgeFit(dual, mean - float(row_means @ dual), penalty, loo)

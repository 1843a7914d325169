"""Kernel ridge regression over models, with its penalty by exact leave-one-out."""

import numpy as np

from bestrand.types import FloatArray


PENALTIES = np.logspace(-4, 3, 29)  # as shares of the kernel's mean eigenvalue


def polynomial_kernel(a: FloatArray, b: FloatArray, weights: FloatArray) -> FloatArray:
    """Give (a'b/n + 1) squared for all rows of a and b, items weighted; (A, B)."""
    product = (a * weights) @ b.T / weights.sum()
    return np.asarray((product + 1.0) ** 2)


def fit_kernel_ridge(
    kernel: FloatArray, kernel_new: FloatArray, response: FloatArray
) -> FloatArray:
    r"""Predict by ridge regression in a kernel's space, both centred.

    The penalty has the smallest leave-one-out error, which is exact: residual / (1 - h), with h
    the diagonal of the hat matrix, the mean included.

    Args:
        kernel: (K, K) among the models learned from.
        kernel_new: (T, K) of new models with those.
        response: (K,).

    Returns:
        (T,) predictions; the mean of the response where fewer than three models are known or the
        kernel is flat.

    References:
        Saunders, C., Gammerman, A. and Vovk, V. (1998). Ridge regression learning algorithm in
        dual variables. ICML.
    """
    n = len(response)
    mean = float(response.mean())
    flat = np.full(len(kernel_new), mean)
    if n < 3:
        return flat
    columns = kernel.mean(axis=0)
    inner = kernel - columns - columns[:, None] + columns.mean()
    outer = kernel_new - kernel_new.mean(axis=1, keepdims=True) - columns + columns.mean()
    values, vectors = np.linalg.eigh(inner)
    values = np.clip(values, 0.0, None)
    scale = float(values.mean())
    if scale <= 1e-15:
        return flat
    centred = response - mean
    rotated = vectors.T @ centred
    best: tuple[float, FloatArray] | None = None
    for penalty in PENALTIES * scale:
        shrink = values / (values + penalty)
        hat = (vectors**2) @ shrink + 1 / n
        residuals = centred - vectors @ (shrink * rotated)
        error = float(((residuals / np.clip(1 - hat, 1e-9, None)) ** 2).mean())
        if best is None or error < best[0]:
            best = (error, vectors @ (rotated / (values + penalty)))
    return flat if best is None else np.asarray(mean + outer @ best[1])

"""Principal components of many models' scores."""

import numpy as np

from bestrand.types import FloatArray


DIGITS = 9


def components(scores: FloatArray, n_components: int) -> tuple[FloatArray, FloatArray]:
    """Split scores into the items' mean and the components of what is left.

    Args:
        scores: (K, m) of K models, no nan.
        n_components: how many components at most.

    Returns:
        (m,) mean score of each item; (c, m) scores of the components, largest first, rounded to
        nine digits so that another linear algebra library gives the same; c <= n_components.
    """
    mean = scores.sum(axis=0) / len(scores)
    rest = scores - mean
    rest = rest - rest.mean(axis=1, keepdims=True)
    gram = rest @ rest.T  # (K, K); items are many, models are few
    values, vectors = np.linalg.eigh(gram)
    order = np.argsort(values)[::-1][:n_components]
    kept = order[values[order] > max(values.max(initial=0.0), 1e-300) * 1e-10]
    largest = np.abs(vectors[:, kept]).argmax(axis=0)
    signs = np.sign(vectors[largest, kept])
    parts = (vectors[:, kept] * signs).T @ rest
    return mean, np.round(parts, DIGITS)

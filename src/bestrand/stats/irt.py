"""Item response theory: a model of who gets which item right, and what it says of unseen items."""

from dataclasses import dataclass
from typing import final

import numpy as np
from scipy.special import expit

from bestrand.stats.source_scores import one_thread
from bestrand.types import FloatArray, IntArray


DISCRIMINATION_SPREAD = 1.0  # prior standard deviations
DIFFICULTY_SPREAD = 2.0
MEAN_SPREAD = 3.0
TARGET_SPREAD = 2.0
MOST_ROUNDS = 500
PRECISION = 1e-9


@final
@dataclass(frozen=True, slots=True, eq=False)
class IrtModel:
    r"""A multidimensional two-parameter logistic model, P(right) = sigmoid(theta . a - b).

    Its axes are fixed: over the models that it was fitted to, each dimension of ability has mean 0
    and standard deviation 1, and no two go together; the items' squared discriminations sum to
    less from one dimension to the next, and the discriminations to 0 or more in each. So the
    squared distance of two items in (a, b) is the mean squared difference of their logits over
    those models.

    Attributes:
        discrimination: (N, D) a.
        difficulty: (N,) b, on the scale of logits.
        ability: (L, D) theta of the models it was fitted to.
    """

    discrimination: FloatArray
    difficulty: FloatArray
    ability: FloatArray


def fit_irt(responses: FloatArray, n_dimensions: int) -> IrtModel:
    r"""Fit the model by penalised maximum likelihood, all parameters at once.

    $$ \sum_{ji} \log(1 + e^{z_{ji}}) - y_{ji} z_{ji}
       + \frac{N}{2L} \lVert\theta\rVert^2
       + \sum_i \frac{\lVert a_i - \bar a\rVert^2}{2 \cdot 1^2}
       + \sum_i \frac{(b_i - \bar b)^2}{2 \cdot 2^2}
       + \frac{\lVert\bar a\rVert^2 + \bar b^2}{2 \cdot 3^2},
       \qquad z_{ji} = \theta_j a_i - b_i $$

    The priors are normal: a around its mean with standard deviation 1, b around its mean with 2,
    both means around 0 with 3, theta around 0 with 1. That of theta counts N/L times; else the
    many a would be made small and the few theta large. The descent (L-BFGS with exact gradients)
    starts from the leading singular vectors of the standardised residuals of a model with
    difficulties alone. Items with equal responses have equal parameters.

    Args:
        responses: (L, N) on 0..1, no nan; right or wrong, fractions are taken as shares.
        n_dimensions: D >= 1; dimensions that L models cannot fill are 0.

    References:
        Reckase, M. D. (2009). Multidimensional Item Response Theory. Springer.
        doi:10.1007/978-0-387-89976-3
    """
    kinds, kind_of, counts = np.unique(responses, axis=1, return_inverse=True, return_counts=True)
    kind_of = kind_of.ravel()
    objective = PenalisedLikelihood(kinds, counts, n_dimensions)
    with one_thread():
        from scipy.optimize import minimize

        found = minimize(
            objective,
            objective.packed(*_start(kinds, counts, n_dimensions)),
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": MOST_ROUNDS, "maxfun": 2 * MOST_ROUNDS, "ftol": PRECISION},
        )
        ability, discrimination, difficulty = objective.unpacked(found.x)
        return _on_fixed_axes(ability, discrimination, difficulty, kind_of)


class PenalisedLikelihood:
    """The function that `fit_irt` makes small, with its gradient.

    Items of equal responses are one column that counts as often as they come. Parameters are
    scaled so that all are curved about alike, which the descent needs to be quick.

    Args:
        responses: (L, P) on 0..1.
        counts: (P,) how many items each column stands for.
        n_dimensions: D.
    """

    def __init__(self, responses: FloatArray, counts: IntArray, n_dimensions: int) -> None:
        self.responses = responses
        self.counts = np.asarray(counts, dtype=np.float64)
        self.n_models, self.n_kinds = responses.shape
        self.n_dimensions = n_dimensions
        self.n_items = self.counts.sum()
        self.pull = self.n_items / self.n_models
        self.roots = np.sqrt(self.counts)

    def packed(self, theta: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
        """Write the parameters, (L, D), (P, D) and (P,), as one vector."""
        parts = (theta * np.sqrt(self.pull), a * self.roots[:, None], b * self.roots)
        return np.concatenate([part.ravel() for part in parts])

    def unpacked(self, vector: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Read the parameters from a vector."""
        first = self.n_models * self.n_dimensions
        second = first + self.n_kinds * self.n_dimensions
        theta = vector[:first].reshape(self.n_models, self.n_dimensions) / np.sqrt(self.pull)
        a = vector[first:second].reshape(self.n_kinds, self.n_dimensions) / self.roots[:, None]
        return theta, a, vector[second:] / self.roots

    def __call__(self, vector: FloatArray) -> tuple[float, FloatArray]:
        """Return the penalised negative log-likelihood and its gradient."""
        theta, a, b = self.unpacked(vector)
        logits = theta @ a.T - b
        shares = self.counts / self.n_items
        mean_a, mean_b = shares @ a, shares @ b
        far_a, far_b = a - mean_a, b - mean_b
        precision_a, precision_b = DISCRIMINATION_SPREAD**-2, DIFFICULTY_SPREAD**-2
        precision_mean = MEAN_SPREAD**-2
        value = self.counts @ _losses(logits, self.responses).sum(axis=0)
        value += 0.5 * self.pull * (theta**2).sum()
        value += 0.5 * precision_a * (self.counts @ (far_a**2).sum(axis=1))
        value += 0.5 * precision_b * (self.counts @ far_b**2)
        value += 0.5 * precision_mean * (mean_a @ mean_a + mean_b**2)
        slopes = expit(logits) - self.responses
        by_theta = slopes @ (self.counts[:, None] * a) + self.pull * theta
        by_a = slopes.T @ theta + precision_a * far_a + precision_mean / self.n_items * mean_a
        by_b = precision_b * far_b + precision_mean / self.n_items * mean_b - slopes.sum(axis=0)
        # By the scaled parameters: what is counted c times and scaled by sqrt(c) leaves sqrt(c).
        parts = (by_theta / np.sqrt(self.pull), by_a * self.roots[:, None], by_b * self.roots)
        return float(value), np.concatenate([part.ravel() for part in parts])


def _losses(logits: FloatArray, responses: FloatArray) -> FloatArray:
    """Return the negative log-likelihood of each response, whatever the size of the logit."""
    soft = np.maximum(logits, 0.0) + np.log1p(np.exp(-np.abs(logits)))
    return np.asarray(soft - responses * logits)


def _start(
    responses: FloatArray, counts: IntArray, n_dimensions: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return difficulties from the items' means, the rest from what these leave over."""
    n_models, n_kinds = responses.shape
    mean = (responses.sum(axis=0) + 0.5) / (n_models + 1)
    spread = np.sqrt(mean * (1 - mean))
    residuals = (responses - mean) / spread * np.sqrt(counts)
    u, singular, vt = np.linalg.svd(residuals, full_matrices=False)
    kept = min(n_dimensions, singular.size)
    theta, a = np.zeros((n_models, n_dimensions)), np.zeros((n_kinds, n_dimensions))
    theta[:, :kept] = u[:, :kept] * np.sqrt(n_models)
    a[:, :kept] = vt[:kept].T * singular[:kept] / np.sqrt(n_models * counts)[:, None]
    return theta, np.clip(a / spread[:, None], -3.0, 3.0), -np.log(mean / (1 - mean))


def _on_fixed_axes(theta: FloatArray, a: FloatArray, b: FloatArray, kind_of: IntArray) -> IrtModel:
    """Move and turn the axes as `IrtModel` has them; every probability stays what it is.

    Args:
        theta: (L, D) of the models.
        a: (P, D) of the kinds of items.
        b: (P,) of these.
        kind_of: (N,) each item's kind.
    """
    center = theta.mean(axis=0)
    far = theta - center
    squares, axes = np.linalg.eigh(far.T @ far / len(theta))
    spread = np.sqrt(np.maximum(squares, 0.0))
    filled = spread > spread.max() * 1e-6
    ability = far @ (axes * np.where(filled, 1.0 / np.where(filled, spread, 1.0), 0.0))
    discrimination = a @ (axes * np.where(filled, spread, 0.0))
    of_items = discrimination[kind_of]
    turn = np.linalg.eigh(of_items.T @ of_items)[1][:, ::-1]
    turn = turn * np.where((of_items @ turn).sum(axis=0) < 0, -1.0, 1.0)
    return IrtModel((discrimination @ turn)[kind_of], (b - a @ center)[kind_of], ability @ turn)


def fit_ability(model: IrtModel, responses: FloatArray, columns: IntArray) -> FloatArray:
    """Find the abilities of further models from their responses to some of the items.

    Penalised maximum likelihood by Newton's method. The prior is normal around the mean of the
    models of the fit, with twice their standard deviation: wide enough for models that are
    stronger than all of them, and tight enough for a handful of items.

    Args:
        model: the items.
        responses: (T, n) on 0..1, no nan.
        columns: (n,) which items these are.

    Returns:
        (T, D) abilities.
    """
    a, b = model.discrimination[columns], model.difficulty[columns]
    precision = TARGET_SPREAD**-2
    theta = np.zeros((len(responses), a.shape[1]))

    def penalised(theta: FloatArray) -> FloatArray:
        losses = _losses(theta @ a.T - b, responses).sum(axis=1)
        return np.asarray(losses + 0.5 * precision * (theta**2).sum(axis=1))

    value = penalised(theta)
    for _ in range(100):
        p = expit(theta @ a.T - b)
        slope = (p - responses) @ a + precision * theta
        curvature = np.einsum("tn,nd,ne->tde", p * (1 - p), a, a, optimize=True)
        curvature += precision * np.eye(a.shape[1])
        step = np.linalg.solve(curvature, slope[:, :, None])[:, :, 0]
        if np.abs(step).max(initial=0.0) < 1e-10:
            break
        length = np.ones((len(theta), 1))
        for _ in range(30):  # the function is convex, so a short enough step goes down
            worse = penalised(theta - length * step) > value + 1e-12 * np.abs(value)
            if not worse.any():
                break
            length[worse] /= 2
        theta = theta - length * step
        value = penalised(theta)
    return theta


def probability(model: IrtModel, ability: FloatArray) -> FloatArray:
    """Return each model's probability to get each item right; (T, N) for abilities (T, D)."""
    return np.asarray(expit(ability @ model.discrimination.T - model.difficulty))

"""An IRT model of source models' scores, as the IRT designs and estimators share it."""

import hashlib
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from bestrand.stats.irt import IrtModel, fit_ability, fit_irt, probability
from bestrand.stats.source_scores import STEPS, Sources
from bestrand.types import FloatArray, IntArray


DIMENSIONS = (2, 5)
FOLDS = 5
PERCENTS = np.array(sorted(range(1, 100), key=lambda percent: (abs(percent - 50), percent)))
CUTS = PERCENTS / 100  # nearest 0.5 first
FITS_KEPT = 8


class Dimensions(NamedTuple):
    """How many dimensions, and how far they get.

    Attributes:
        n: D.
        error: mean absolute error of a held-out model's predicted mean, on 0..1.
    """

    n: int
    error: float


class SourceFit(NamedTuple):
    """An IRT model of the sources.

    Attributes:
        model: of the N items.
        thresholds: (N,) above which a score counts as right.
        error: see `Dimensions`.
    """

    model: IrtModel
    thresholds: FloatArray
    error: float


def thresholds(scores: FloatArray, groups: IntArray | None = None) -> FloatArray:
    """Choose for each group the score above which an answer counts as right.

    Of 0.01, 0.02, ... 0.99 the one that least changes the models' means, by the mean absolute
    difference; of several the one nearest 0.5, the lower of two. Where all scores are 0 or 1 it is
    0.5.

    Args:
        scores: (L, N) on 0..1, no nan.
        groups: (N,) code of each item's group; None takes all items for one.

    Returns:
        (N,) each item's threshold.
    """
    codes = np.zeros(scores.shape[1], dtype=np.int64) if groups is None else groups
    chosen = np.full(scores.shape[1], 0.5)
    for code in np.unique(codes):
        members = codes == code
        part = scores[:, members]
        if ((part == 0) | (part == 1)).all():
            continue
        means = part.mean(axis=1)
        gaps = [np.abs(is_right(part, cut).mean(axis=1) - means).mean() for cut in CUTS]
        chosen[members] = CUTS[int(np.argmin(np.round(gaps, 12)))]
    return chosen


def binarise(scores: FloatArray, groups: IntArray | None = None) -> FloatArray:
    """Make scores right or wrong, (L, N), by the `thresholds` of their groups.

    Scores of 0 and 1 stay as they are.

    Examples:
        >>> binarise(np.array([[0.0, 0.3, 0.6, 0.9], [0.1, 0.2, 0.8, 1.0]]))
        array([[0., 0., 1., 1.],
               [0., 0., 1., 1.]])
    """
    return is_right(scores, thresholds(scores, groups))


def is_right(scores: FloatArray, cuts: FloatArray | float) -> FloatArray:
    """Return 1 where a score is above its threshold and 0 elsewhere, both to 2**-20."""
    return np.asarray(np.rint(scores * STEPS) > np.rint(cuts * STEPS), dtype=np.float64)


def choose_dimensions(responses: FloatArray) -> Dimensions:
    """Choose 2 or 5 dimensions by what they predict of models that the fit has not seen.

    In each of five folds the model is fitted without a fifth of the models; the ability of each of
    these is found from every second item, and its mean on the rest is predicted. A fold is every
    fifth model in the order of their means. The smallest error wins, fewer dimensions at a tie.

    Args:
        responses: (L, N) of 0 and 1. With a single model or item nothing can be left out: the
            answer is 2 dimensions with an error of 1.
    """
    n_models, n_items = responses.shape
    if n_models < 2 or n_items < 2:
        return Dimensions(DIMENSIONS[0], 1.0)
    order = np.argsort(responses.mean(axis=1), kind="stable")
    folds = [order[start::FOLDS] for start in range(min(FOLDS, n_models))]
    known, rest = np.arange(0, n_items, 2), np.arange(1, n_items, 2)

    def error(n_dimensions: int) -> float:
        errors = []
        for fold in folds:
            model = fit_irt(np.delete(responses, fold, axis=0), n_dimensions)
            ability = fit_ability(model, responses[np.ix_(fold, known)], known)
            predicted = probability(model, ability)[:, rest].mean(axis=1)
            errors.append(np.abs(predicted - responses[np.ix_(fold, rest)].mean(axis=1)))
        return float(np.concatenate(errors).mean())

    choices = [Dimensions(n, error(n)) for n in DIMENSIONS]
    return min(choices, key=lambda choice: (choice.error, choice.n))


def fit_sources(scores: FloatArray) -> SourceFit:
    """Make the scores right or wrong with one threshold, choose the dimensions, and fit.

    The order of the models is nothing. The last few fits are remembered by the scores' content, so
    that a design and the estimators of one run fit once.

    Args:
        scores: (L, N) on 0..1, no nan.
    """
    ordered = np.ascontiguousarray(Sources.of(scores, np.ones(scores.shape[1])).scores)
    digest = hashlib.sha256(ordered.tobytes()).digest()
    return _fit(_Remembered(digest, scores.shape, ordered))


@dataclass(frozen=True, slots=True)
class _Remembered:
    """Scores that are told apart by their digest."""

    digest: bytes
    shape: tuple[int, ...]
    scores: FloatArray = field(compare=False, repr=False)


@lru_cache(maxsize=FITS_KEPT)
def _fit(remembered: _Remembered) -> SourceFit:
    cuts = thresholds(remembered.scores)
    responses = is_right(remembered.scores, cuts)
    chosen = choose_dimensions(responses)
    model = fit_irt(responses, chosen.n)
    for shared in (cuts, model.discrimination, model.difficulty, model.ability):
        shared.flags.writeable = False
    return SourceFit(model, cuts, chosen.error)

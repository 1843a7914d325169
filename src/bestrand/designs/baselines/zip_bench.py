"""ZipBench: IRT anchors from a handful of models, with votes of them as further ones."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar, final

import numpy as np

from bestrand.core.method import Needs
from bestrand.designs.base import Design, Draw, Features, require_sources
from bestrand.designs.baselines.irt_anchors import (
    ADVICE,
    Anchors,
    anchor_draw,
    cluster_anchors,
    item_places,
)
from bestrand.designs.notes import source_notes
from bestrand.notes import Note
from bestrand.rng import Stream
from bestrand.settings import Count
from bestrand.stats.irt import fit_irt
from bestrand.stats.irt_scores import binarise
from bestrand.types import FloatArray, IntArray


N_BINS = 6
N_DIMENSIONS = 5


@final
@dataclass(frozen=True, slots=True)
class ZipBench(Design):
    """Choose IRT anchors by group from a few models of evenly spread accuracy, and votes of them.

    Scores become right or wrong by each group's threshold. The range of the models' accuracies
    is cut into six bins, and each is filled with the first ensemble, small ones first, whose
    majority vote scores within it; a tie in the vote is right or wrong by chance, item by item. A
    five-dimensional IRT model of models and ensembles places the items; each group is clustered by
    itself. Looks at the main metric alone.

    Attributes:
        n_sources: how many models at most, 1 or more; of more given, those that spread best.

    References:
        Huang, Z., Li, J., Ling, G., Lin, Y., Zhong, S. and Wu, H. (2026). Zipbench: low-cost
        framework for compressing comprehensive benchmarks of large language models. EMNLP 2026.
        arXiv:2609.12475
    """

    needs: ClassVar[Needs] = "sources"
    estimator: ClassVar[str | None] = "ClusterWeighted"

    n_sources: Count = 6

    def draw(self, features: Features, n: int, stream: Stream) -> Draw:
        """Choose n items; see `Design.draw`."""
        scores, weights = require_sources(self, features).scores, features.weights
        sources = scores[spread_models(scores, weights, self.n_sources)]
        responses = binarise(sources, features.groups)
        votes = synthetic_responses(responses, weights, stream.child("ties"))
        model = fit_irt(np.concatenate([responses, votes]), N_DIMENSIONS)
        places = item_places(model)
        anchors = [
            _within(places, weights, part, count, stream.child(f"group {code}"))
            for code, part, count in _parts(features.groups, features.n_items, n)
        ]
        columns = np.concatenate([anchor.columns for anchor in anchors])
        shares = np.concatenate([anchor.shares for anchor in anchors])
        order = np.argsort(columns)
        text = (
            f"The items were placed by {len(sources)} models and {len(votes)} votes of them. "
            "An IRT model of so few is rough."
        )
        notes = source_notes(features, ADVICE, Note("few-sources", text))
        return anchor_draw(Anchors(columns[order], shares[order]), notes)


def spread_models(scores: FloatArray, weights: FloatArray, n_models: int) -> IntArray:
    """Choose models whose accuracies are evenly spread, in ascending order of accuracy.

    For each of n evenly spaced accuracies, from the lowest to the highest, the nearest model
    not yet taken. Models of one accuracy are ordered by their scores, so the order in which they
    are given is nothing.

    Args:
        scores: (L, N) on 0..1.
        weights: (N,) of the items.
        n_models: how many; all where there are no more.

    Returns:
        (min(L, n_models),) rows.
    """
    accuracy = _accuracies(scores, weights)
    ranked = sorted(range(len(scores)), key=lambda row: (accuracy[row], scores[row].tobytes()))
    if len(ranked) <= n_models:
        return np.array(ranked, dtype=np.int64)
    chosen: set[int] = set()
    for goal in np.linspace(accuracy[ranked[0]], accuracy[ranked[-1]], n_models):
        left = [row for row in ranked if row not in chosen]
        chosen.add(min(left, key=lambda row: abs(accuracy[row] - goal)))
    return np.array([row for row in ranked if row in chosen], dtype=np.int64)


def synthetic_responses(
    responses: FloatArray, weights: FloatArray, stream: Stream, n_bins: int = N_BINS
) -> FloatArray:
    """Make further models by vote, at most one for each bin of accuracy.

    The bins cut the range from the lowest to the highest accuracy of the models into equal parts.

    An ensemble gets an item right if more than half of its members do. Where just half do, it is
    right with chance one half, drawn for each item and ensemble, so that the vote of two models
    scores near their mean.

    Args:
        responses: (L, N) of 0 and 1, in the order in which ensembles are tried.
        weights: (N,) of the items.
        stream: the chance of ties.
        n_bins: how many bins there are.

    Returns:
        (S, N) of 0 and 1, S <= n_bins, in the order of their bins.
    """
    accuracy = _accuracies(responses, weights)
    low, width = accuracy.min(), float(np.ptp(accuracy)) / n_bins
    filled: dict[int, FloatArray] = {}
    for number, members in enumerate(_ensembles(len(responses))):
        if width == 0.0 or len(filled) == n_bins:
            break
        vote = _vote(responses[members], stream, number)
        place = round((float(_accuracies(vote[None], weights)[0]) - low) / width, 9)
        if 0 <= place <= n_bins:
            filled.setdefault(min(int(place), n_bins - 1), vote)
    return np.array([filled[number] for number in sorted(filled)]).reshape(-1, responses.shape[1])


def _vote(members: FloatArray, stream: Stream, number: int) -> FloatArray:
    """Let the members (k, N) vote on each item; ties by the top bit of the item's word; (N,)."""
    twice = 2 * members.sum(axis=0)
    coins = stream.words(number, members.shape[1]) >> 31
    return np.where(twice == len(members), coins, twice > len(members)).astype(np.float64)


def group_budgets(sizes: IntArray, n: int) -> IntArray:
    """Share n among groups in proportion to their sizes, one each at least, by largest remainder.

    Args:
        sizes: (H,) items of each group, H <= n <= their sum.
        n: how many items to share out.

    Returns:
        (H,) budgets, sum n, none above its size; of equal remainders the first group's goes first.
    """
    total = int(sizes.sum())
    budgets = np.maximum(sizes * n // total, 1)
    remainders = sizes * n - budgets * total  # of the exact share, in units of 1 / total
    while budgets.sum() < n:
        best = int(np.argmax(np.where(budgets < sizes, remainders, np.iinfo(np.int64).min)))
        budgets[best] += 1
        remainders[best] -= total
    while budgets.sum() > n:  # those raised to 1 took what others must give
        worst = int(np.argmin(np.where(budgets > 1, remainders, np.iinfo(np.int64).max)))
        budgets[worst] -= 1
        remainders[worst] += total
    return budgets


def _accuracies(scores: FloatArray, weights: FloatArray) -> FloatArray:
    """Weighted means of the rows, each summed in the same way."""
    return np.array([float((row * weights).sum() / weights.sum()) for row in scores])


def _ensembles(n_models: int) -> Iterator[list[int]]:
    for size in range(2, n_models + 1):
        yield from (list(members) for members in combinations(range(n_models), size))


def _parts(groups: IntArray | None, m: int, n: int) -> list[tuple[int, IntArray, int]]:
    """Return the number, members and budget of each part that is clustered by itself.

    Fewer items than groups cannot stand for each group; then all items are one part.
    """
    if groups is not None:
        codes, sizes = np.unique(groups, return_counts=True)
        if codes.size <= n:
            budgets = group_budgets(sizes, n)
            return [
                (int(code), np.flatnonzero(groups == code), int(budget))
                for code, budget in zip(codes, budgets, strict=True)
            ]
    return [(0, np.arange(m), n)]


def _within(
    places: FloatArray, weights: FloatArray, part: IntArray, n: int, stream: Stream
) -> Anchors:
    """Cluster the items of one part."""
    anchors = cluster_anchors(places[part], weights[part], n, stream)
    return Anchors(part[anchors.columns], anchors.shares)

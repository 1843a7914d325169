"""IRT anchors: the items nearest the centres of clusters of alike items, as in tinyBenchmarks."""

import heapq
import warnings
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, final

import numpy as np

from bestrand.core.method import Needs
from bestrand.designs.base import Design, Draw, Features, require_sources
from bestrand.designs.notes import source_notes
from bestrand.notes import Note
from bestrand.rng import Stream
from bestrand.stats.irt import IrtModel
from bestrand.stats.irt_scores import fit_sources
from bestrand.stats.source_scores import one_thread
from bestrand.types import FloatArray, IntArray


STARTS = 3
FEW_SOURCES = 10
ADVICE = Note(
    "weighted-anchors",
    "Each of these items stands for a cluster of items: their plain mean may be far off the full "
    "score. Estimate with ClusterWeighted, PIrt or GpIrt.",
)


@final
@dataclass(frozen=True, slots=True)
class IrtAnchors(Design):
    """Fit an IRT model to source models, cluster the items by its parameters, take one a cluster.

    An item's place is its discriminations and its difficulty. It counts with its weight in the
    clusters' centres, and the chosen one counts for its whole cluster: see `ClusterWeighted`. Looks
    at the main metric alone. Meant for sources that ran on the whole frame.

    References:
        Maia Polo, F., Weber, L., Choshen, L., Sun, Y., Xu, G. and Yurochkin, M. (2024).
        tinyBenchmarks: evaluating LLMs with fewer examples. ICML. arXiv:2402.14992
    """

    needs: ClassVar[Needs] = "sources"
    estimator: ClassVar[str | None] = "ClusterWeighted"

    def draw(self, features: Features, n: int, stream: Stream) -> Draw:
        """Choose n items; see `Design.draw`."""
        scores = require_sources(self, features).scores
        places = item_places(fit_sources(scores).model)
        anchors = cluster_anchors(places, features.weights, n, stream)
        advice = [ADVICE]
        if len(scores) < FEW_SOURCES:
            text = f"An IRT model of {len(scores)} source models is rough; dozens are better."
            advice.append(Note("few-sources", text))
        return anchor_draw(anchors, source_notes(features, *advice))


class Anchors(NamedTuple):
    """Items that stand for clusters.

    Attributes:
        columns: (n,) positions, ascending, distinct.
        shares: (n,) weight of the items that each stands for; their sum is that of all weights.
    """

    columns: IntArray
    shares: FloatArray


def item_places(model: IrtModel) -> FloatArray:
    """Return each item's discriminations and difficulty; (N, D + 1)."""
    return np.column_stack([model.discrimination, model.difficulty])


def anchor_draw(anchors: Anchors, notes: tuple[Note, ...]) -> Draw:
    """Make a draw of anchors, with weights of mean 1."""
    n = anchors.columns.size
    weights = anchors.shares * (n / anchors.shares.sum())
    return Draw(anchors.columns, inclusion=None, design_weights=weights, notes=notes)


def cluster_anchors(places: FloatArray, weights: FloatArray, n: int, stream: Stream) -> Anchors:
    """Cluster items by k-means into n clusters, and take the member nearest each centre.

    Items at equal distance are chosen among by chance. Where fewer than n places differ, clusters
    have several anchors, so that none stands for much more weight than others need to. An
    anchor stands for itself and for an equal part of the members that are no anchors.

    Args:
        places: (m, d) of the items.
        weights: (m,) >= 0; where all are 0, items are clustered as if they weighed the same.
        n: 1 <= n <= m.
        stream: the chance.
    """
    m = len(places)
    if n == m:
        return Anchors(np.arange(m), weights)
    counted = weights if weights.any() else np.ones(m)
    cluster_of, distance = _clusters(places, counted, n, stream)
    heaviness = np.bincount(cluster_of, weights=weights).astype(np.float64)
    sizes = np.bincount(cluster_of)
    counts = _anchor_counts(heaviness, sizes, n)

    order = np.lexsort((stream.child("ties").words(0, m), distance, cluster_of))
    rank = np.empty(m, dtype=np.int64)
    rank[order] = np.arange(m) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    columns = np.flatnonzero(rank < counts[cluster_of])
    clusters = cluster_of[columns]
    own = weights[columns]
    others = heaviness - np.bincount(clusters, weights=own, minlength=sizes.size)
    others[counts == sizes] = 0.0
    return Anchors(columns, own + np.maximum(others, 0.0)[clusters] / counts[clusters])


def _clusters(
    places: FloatArray, weights: FloatArray, n: int, stream: Stream
) -> tuple[IntArray, FloatArray]:
    """Return each item's cluster, numbered without gaps, and its distance from the centre."""
    heavy = weights > 0
    distinct, place_of = np.unique(places[heavy], axis=0, return_inverse=True)
    centers = distinct
    if len(distinct) > n:
        here = np.bincount(place_of.ravel(), weights=weights[heavy])
        centers = _k_means(distinct, here / here.mean(), n, stream)
    from scipy.spatial import KDTree

    _, nearest = KDTree(centers).query(places)
    codes = np.unique(nearest, return_inverse=True)[1].ravel()
    return codes, ((places - centers[nearest]) ** 2).sum(axis=1)


def _k_means(places: FloatArray, weights: FloatArray, n: int, stream: Stream) -> FloatArray:
    """Return n centres; on one thread, so that sums do not depend on how many there are."""
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    seed = int(stream.child("k-means").words(0, 1)[0])
    with one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # places that differ by rounding alone
        found = KMeans(n, n_init=STARTS, random_state=seed).fit(places, sample_weight=weights)
    return np.asarray(found.cluster_centers_, dtype=np.float64)


def _anchor_counts(heaviness: FloatArray, sizes: IntArray, n: int) -> IntArray:
    """Return each cluster one anchor, and what is left to those with most weight an anchor."""
    counts = np.ones(sizes.size, dtype=np.int64)
    waiting = [(-w, code) for code, w in enumerate(heaviness.tolist()) if sizes[code] > 1]
    heapq.heapify(waiting)
    for _ in range(n - sizes.size):
        _, code = heapq.heappop(waiting)
        counts[code] += 1
        if counts[code] < sizes[code]:
            heapq.heappush(waiting, (-float(heaviness[code] / counts[code]), code))
    return counts

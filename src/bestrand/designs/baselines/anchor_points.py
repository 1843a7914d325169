"""AnchorPoints: items that stand for the items whose scores go up and down with theirs."""

from dataclasses import dataclass
from typing import ClassVar, Literal, final

import numpy as np

from bestrand.core.method import Needs
from bestrand.designs.base import Design, Draw, Features, require_sources
from bestrand.designs.notes import source_notes
from bestrand.notes import Note
from bestrand.rng import Stream
from bestrand.search.draws import draw_candidate
from bestrand.stats.source_scores import item_correlations, item_moments
from bestrand.types import FloatArray, IntArray


Likeness = Literal["signed", "absolute"]
ConstantItems = Literal["omit", "alike"]
AT_ONCE = 8000  # all pairs of so many items take 256 MB
ITEMS_PER_ANCHOR = 4
ROWS_AT_ONCE = 512


@final
@dataclass(frozen=True, slots=True)
class AnchorPoints(Design):
    """Choose medoids of the items under correlation over source models, and weigh them by cluster.

    The dissimilarity of two items is 1 less the correlation of their scores over the sources. An
    item that all sources score alike has no correlation, and 0 stands for it, with itself too:
    choosing it would bring no item nearer. Such items are not clustered, and are drawn at random
    only where fewer than n others are left. Every item joins the anchor that it correlates with
    most; where it ties, the one whose mean score is nearest; where it still ties, it counts for
    each of these in equal parts. An anchor counts for the share of its cluster in the full score.

    All pairs are held in memory for up to 8000 items, which takes 256 MB. Of more items a random
    part of 8000 is clustered, or several apart from each other where a part would have fewer than
    four items an anchor. All items join the anchors.

    Attributes:
        likeness: "signed" takes the correlation for likeness, "absolute" its size, as suits
            `AnchorPredictor`.
        constant_items: what to do with items that all sources score alike. "omit" does not cluster
            them. "alike" clusters them too: those of one score are wholly alike, so that one
            anchor may stand for all of them. That is better with few sources.

    References:
        Vivek, R., Ethayarajh, K., Yang, D. and Kiela, D. (2024). Anchor points: benchmarking
        models with much fewer examples. EACL 2024. arXiv:2309.08638
        Schubert, E. and Rousseeuw, P. J. (2021). Fast and eager k-medoids clustering. Inf. Syst.
        101. doi:10.1016/j.is.2021.101804
    """

    needs: ClassVar[Needs] = "sources"
    estimator: ClassVar[str | None] = "ClusterWeighted"

    likeness: Likeness = "signed"
    constant_items: ConstantItems = "omit"

    def draw(self, features: Features, n: int, stream: Stream) -> Draw:
        """Choose n items; see `Design.draw`."""
        scores = require_sources(self, features).scores
        anchors = self._anchors(scores, n, stream)
        shares = self._shares(scores, anchors, features.weights)
        advice = Note(
            "weighted-anchors",
            "Each of these items stands for a cluster of items: their plain mean may be far off "
            "the full score. Estimate with the weights of the manifest, or AnchorPredictor.",
        )
        return Draw(
            anchors,
            inclusion=None,
            design_weights=shares * (n / shares.sum()),
            notes=source_notes(features, advice),
        )

    def _anchors(self, scores: FloatArray, n: int, stream: Stream) -> IntArray:
        """Return n anchors, ascending: medoids, and constant items where the others are too few."""
        varies = item_moments(scores).spread > 0
        items = np.arange(varies.size) if self.constant_items == "alike" else np.flatnonzero(varies)
        if n <= items.size:
            return self._in_parts(scores, items, n, stream)
        constant = np.flatnonzero(~varies)
        order = np.argsort(stream.child("constant").words(0, constant.size), kind="stable")
        return np.sort(np.concatenate([items, constant[order[: n - items.size]]]))

    def _in_parts(self, scores: FloatArray, items: IntArray, n: int, stream: Stream) -> IntArray:
        """Return n medoids, ascending: of all items, or of random parts that fit into memory."""
        m = items.size
        if m <= AT_ONCE:
            return self._medoids(scores, items, n, stream)
        n_parts = -(-ITEMS_PER_ANCHOR * n // AT_ONCE)
        order = np.argsort(stream.words(0, m), kind="stable")
        found = [
            self._medoids(
                scores,
                items[np.sort(order[part::n_parts][:AT_ONCE])],
                len(range(part, n, n_parts)),
                stream.child(f"part {part}"),
            )
            for part in range(n_parts)
        ]
        return np.sort(np.concatenate(found))

    def _medoids(self, scores: FloatArray, items: IntArray, n: int, stream: Stream) -> IntArray:
        """Return n medoids of these items, from a random start; ascending."""
        from kmedoids import fasterpam

        part = scores[:, items]
        unlike = np.empty((items.size, items.size), dtype=np.float32)
        for first in range(0, items.size, ROWS_AT_ONCE):
            rows = slice(first, first + ROWS_AT_ONCE)
            unlike[rows] = 1.0 - self._alike(part[:, rows], part)
        np.fill_diagonal(unlike, 0.0)
        start = draw_candidate(stream, 0, items.size, n)
        result = fasterpam(unlike, start, n_cpu=1)
        return np.sort(items[np.asarray(result.medoids, dtype=np.int64)])

    def _shares(self, scores: FloatArray, anchors: IntArray, weights: FloatArray) -> FloatArray:
        """Let every item join the anchor that it is most like; (n,) weight of each cluster.

        An anchor's own item is wholly its own.
        """
        totals = scores.sum(axis=0)
        anchor_of = np.full(totals.size, -1)
        anchor_of[anchors] = np.arange(anchors.size)
        shares = weights[anchors].astype(np.float64)
        others = np.flatnonzero(anchor_of < 0)
        for first in range(0, others.size, ROWS_AT_ONCE):
            rows = others[first : first + ROWS_AT_ONCE]
            alike = self._alike(scores[:, rows], scores[:, anchors]).astype(np.float32)
            gaps = np.abs(totals[rows, None] - totals[anchors])
            gaps[alike < alike.max(axis=1, keepdims=True)] = np.inf
            nearest = gaps == gaps.min(axis=1, keepdims=True)
            each = weights[rows] / nearest.sum(axis=1)
            shares += (nearest * each[:, None]).sum(axis=0)
        return shares

    def _alike(self, left: FloatArray, right: FloatArray) -> FloatArray:
        """Return the likeness of each column of (K, a) and each of (K, b); (a, b)."""
        alike = item_correlations(left, right)
        if self.likeness == "absolute":
            np.abs(alike, out=alike)
        if self.constant_items == "alike":
            one, other = item_moments(left), item_moments(right)
            constant = (one.spread == 0)[:, None] & (other.spread == 0)
            alike[constant & (one.sums[:, None] == other.sums)] = 1.0
        return alike

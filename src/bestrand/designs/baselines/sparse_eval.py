"""SparseEval: anchors from clusters of items, exchanged by what a small network makes of them."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, final

import numpy as np

from bestrand.core.method import Needs
from bestrand.designs.base import Design, Draw, Features, require_sources
from bestrand.designs.notes import predictor_note, source_notes
from bestrand.errors import DesignError
from bestrand.rng import Stream
from bestrand.settings import Range
from bestrand.stats.proxy import Effort, ProxyKind, fit_proxy, training
from bestrand.stats.source_scores import Sources, one_thread, split_sources
from bestrand.types import FloatArray, IntArray


VALIDATION_SHARE = 0.25
MOST_ROUNDS = 50
EFFORT = {"linear": Effort(2000, 10, 10), "mlp": Effort(400, 50, 3)}


@final
@dataclass(frozen=True, slots=True)
class SparseEval(Design):
    """Start from the items nearest to K-means centres, then exchange the least important ones.

    In each of ten steps a proxy from the scores on the anchors to the full score is trained on
    three quarters of the sources, and stopped by the rest. The anchor on which its error depends
    least goes; the item whose scores go along most with its error comes.

    Attributes:
        proxy: "linear", one linear layer; "mlp", a perceptron, which needs torch (the extra
            `bestrand[sparse]`).
        n_steps: how many anchors are exchanged, one at a time.

    References:
        Zhang, T., Guo, H., Lu, W., Dai, T., Xia, S.-T. and Wang, J. (2026). SparseEval: efficient
        evaluation of large language models by sparse optimization. ICLR 2026. arXiv:2602.07909
    """

    needs: ClassVar[Needs] = "sources"
    estimator: ClassVar[str | None] = "SparseEvalPredictor"

    proxy: ProxyKind = "linear"
    n_steps: Annotated[int, Range(0)] = 10

    def draw(self, features: Features, n: int, stream: Stream) -> Draw:
        """Choose n items; see `Design.draw`."""
        sources = require_sources(self, features)
        advice = predictor_note("SparseEvalPredictor")
        notes = source_notes(features, advice)
        if n == features.n_items:
            return Draw(np.arange(n), inclusion=None, notes=notes)
        anchors = _nearest_to_centres(sources.scores, n, stream.child("clusters"))
        try:
            with training(self.proxy):
                anchors = self._exchanged(sources, anchors, stream)
        except ImportError as error:
            raise DesignError(
                'SparseEval with proxy="mlp" needs torch, which is not installed. Install '
                '`bestrand[sparse]`, or take proxy="linear".'
            ) from error
        return Draw(np.sort(anchors), inclusion=None, notes=notes)

    def _exchanged(self, sources: Sources, anchors: IntArray, stream: Stream) -> IntArray:
        scores, full = sources
        split = split_sources(len(scores), VALIDATION_SHARE, stream.child("split"))
        for number in range(self.n_steps):
            x = scores[:, anchors]
            fit = stream.child(f"step {number}")
            proxy = fit_proxy(self.proxy, x, full, split, EFFORT[self.proxy], fit)
            goes = int(proxy.importance(x, full).argmin())
            pull = np.abs((proxy.predict(x) - full) @ (scores - 0.5))
            pull[anchors] = -1.0
            anchors = np.append(np.delete(anchors, goes), pull.argmax())
        return anchors


def _nearest_to_centres(scores: FloatArray, n: int, stream: Stream) -> IntArray:
    """Cluster the items and take from each cluster the item nearest to its centre.

    Items are vectors of scores turned to -1..1 and to unit length. Where clusters are empty, for
    there are fewer different items than clusters, the items farthest from their centres fill up.
    """
    import warnings

    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    vectors = 2.0 * scores.T - 1.0
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors = vectors / np.where(lengths > 0, lengths, 1.0)
    seed = int(stream.words(0, 1)[0])
    means = KMeans(n, n_init=1, max_iter=MOST_ROUNDS, random_state=seed)
    with one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        means.fit(vectors)
    distances = np.linalg.norm(vectors - means.cluster_centers_[means.labels_], axis=1)
    order = np.lexsort((distances, means.labels_))
    is_first = np.append(True, np.diff(means.labels_[order]) != 0)
    nearest = order[is_first]
    rest = order[~is_first]
    fill = rest[np.argsort(-distances[rest], kind="stable")][: n - nearest.size]
    return np.concatenate([nearest, fill])

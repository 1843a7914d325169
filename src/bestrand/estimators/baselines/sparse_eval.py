"""SparseEvalPredictor: a small network from scores on the subset to the full score."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, final

from bestrand.core.method import Needs
from bestrand.errors import EstimateError
from bestrand.estimators.base import Estimator, Inference, Seen
from bestrand.estimators.learned import (
    STRENGTH_SHIFT,
    learned_inference,
    nothing_to_infer,
    require_sources,
)
from bestrand.notes import Note
from bestrand.rng import Stream
from bestrand.settings import Range
from bestrand.stats.proxy import Effort, ProxyKind, fit_proxy, training
from bestrand.stats.source_scores import split_sources


VALIDATION_SHARE = 0.25
EFFORT = {"linear": Effort(2000, 10, 20), "mlp": Effort(2000, 50, 10)}


@final
@dataclass(frozen=True, slots=True)
class SparseEvalPredictor(Estimator):
    """Train a network on the sources, from their scores on the subset to their full scores.

    Three quarters of the sources are learned from; what predicted the rest best is kept.

    Attributes:
        kind: "linear", one linear layer that starts as the plain mean; "mlp", a perceptron
            n - 128 - 64 - 32 - 1, which needs torch (the extra `bestrand[sparse]`).
        seed: of the split of the sources and of the network.

    References:
        Zhang, T., Guo, H., Lu, W., Dai, T., Xia, S.-T. and Wang, J. (2026). SparseEval: efficient
        evaluation of large language models by sparse optimization. ICLR 2026. arXiv:2602.07909
    """

    needs: ClassVar[Needs] = "sources"
    word: ClassVar[str] = "sparse-eval"
    assumes_random_draw: ClassVar[bool] = False

    kind: ProxyKind = "linear"
    seed: Annotated[int, Range(0)] = 0

    def infer(self, seen: Seen) -> Inference:
        """Estimate the full scores; see `Estimator.infer`."""
        exact = nothing_to_infer(self, seen)
        if exact is not None:
            return exact
        sources = require_sources(self, seen)
        stream = Stream.of(self.seed, "sparse-eval")
        split = split_sources(len(sources.full), VALIDATION_SHARE, stream.child("split"))
        try:
            with training(self.kind):
                proxy = fit_proxy(
                    self.kind,
                    sources.seen,
                    sources.full,
                    split,
                    EFFORT[self.kind],
                    stream.child("fit"),
                )
                estimate = proxy.predict(seen.scores)
        except ImportError as error:
            raise EstimateError(
                'SparseEvalPredictor with kind="mlp" needs torch, which is not installed. Install '
                '`bestrand[sparse]`, or take kind="linear".'
            ) from error
        return learned_inference(self, seen, estimate, Note("strength-shift", STRENGTH_SHIFT))

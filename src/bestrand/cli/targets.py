"""The options of estimating targets, and estimating as they say."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import bestrand as br
from bestrand.cli.options import (
    EstimatorOption,
    LevelOption,
    LowerOption,
    MissingOption,
    ProbesFileOption,
)
from bestrand.cli.reading import Reading


if TYPE_CHECKING:
    from bestrand.core.estimates import Estimates
    from bestrand.core.manifest import Manifest
    from bestrand.core.scores import ScoreTable


@dataclass(frozen=True, slots=True)
class Estimating:
    """How targets are estimated."""

    probes: ProbesFileOption = None
    estimator: EstimatorOption = None
    missing: MissingOption = "error"
    level: LevelOption = 0.95
    lower_is_better: LowerOption = False

    def read_probes(self, reading: Reading) -> "ScoreTable | None":
        """Read the scores of the probes, if they are given."""
        return reading.scores(self.probes) if self.probes else None

    def estimate(
        self,
        subset: "Manifest",
        scores: Sequence[str],
        probes: "ScoreTable | None",
        reading: Reading,
    ) -> "Estimates":
        """Read the scores of the targets and estimate their full scores."""
        from bestrand.methods import make_estimator

        return br.estimate(
            reading.scores(scores),
            subset,
            probes=probes,
            metric=reading.metric,
            estimator=make_estimator(self.estimator),
            missing=self.missing,
            level=self.level,
            higher_is_better=False if self.lower_is_better else None,
        )

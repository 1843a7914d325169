"""Estimates: each target's full score, its interval, and what the subset cannot tell apart."""

from dataclasses import asdict, dataclass

import numpy as np
import polars as pl

from bestrand.errors import InputError
from bestrand.notes import Note, shown
from bestrand.record import MaybeNumber, Record
from bestrand.types import FloatArray, IntArray, Verdict


TURNED: dict[Verdict, Verdict] = {
    "better": "worse",
    "worse": "better",
    "unresolved": "unresolved",
}


@dataclass(frozen=True, slots=True)
class Estimate(Record):
    """One target's full score.

    Attributes:
        model: its name.
        estimate: full score, in the metric's unit; nan where no item was scored.
        se: standard error; nan where it cannot be known.
        low: lower end of the interval.
        high: upper end of the interval.
        n: items scored.
        unshrunk: the estimate before shrinkage; None where nothing was shrunk.
    """

    model: str
    estimate: MaybeNumber
    se: MaybeNumber
    low: MaybeNumber
    high: MaybeNumber
    n: int
    unshrunk: float | None = None


@dataclass(frozen=True, slots=True)
class EstimateTable(Record):
    """Full scores of all targets, a row a target: what `bestrand estimate --json` prints.

    Attributes:
        models: one row a target.
        metric: what was scored.
        estimator: name of what made the estimates.
        level: confidence level of the intervals.
        resolution: the gap between two models that this subset cannot resolve.
        notes: what a reader should know.
    """

    models: tuple[Estimate, ...]
    metric: str
    estimator: str
    level: float
    resolution: MaybeNumber
    notes: tuple[Note, ...]


@dataclass(frozen=True, slots=True)
class Difference(Record):
    """One model against another.

    Attributes:
        model: the one measured.
        baseline: the one it is measured against.
        difference: estimate of model - baseline, full scores, in the metric's unit.
        se: its standard error; nan where it cannot be known.
        low: lower end of the interval.
        high: upper end.
        verdict: "better" or "worse" where the interval leaves out 0, "unresolved" elsewhere.
    """

    model: str
    baseline: str
    difference: MaybeNumber
    se: MaybeNumber
    low: MaybeNumber
    high: MaybeNumber
    verdict: Verdict

    def turned(self) -> "Difference":
        """Return the same the other way round: the baseline against the model."""
        return Difference(
            model=self.baseline,
            baseline=self.model,
            difference=-self.difference,
            se=self.se,
            low=-self.high,
            high=-self.low,
            verdict=TURNED[self.verdict],
        )


@dataclass(frozen=True, slots=True)
class DifferenceTable(Record):
    """Targets against a baseline: what `bestrand compare --json` prints.

    Attributes:
        pairs: one row a target.
        metric: what was scored.
        level: confidence level of the intervals.
        resolution: the gap between two models that this subset cannot resolve.
        notes: what a reader should know.
    """

    pairs: tuple[Difference, ...]
    metric: str
    level: float
    resolution: MaybeNumber
    notes: tuple[Note, ...]


@dataclass(frozen=True, eq=False)
class Estimates:
    """Full scores as estimated from a subset.

    Attributes:
        models: T names of targets.
        metric: what was scored.
        estimate: (T,) full scores, in the metric's unit; nan where no item was scored.
        se: (T,) standard errors; 0 where the subset is the frame, nan where n = 1.
        low: (T,) lower ends of the intervals; nan where they cannot be known.
        high: (T,) upper ends.
        half_width: (T,) t quantile times se: half of the intervals' width before they were cut at
            the metric's bounds, or, for metrics without bounds that are never negative, drawn
            apart on the logarithm's scale.
        n: (T,) items scored.
        pair_difference: (T, T) estimate of row's score - column's score.
        pair_se: (T, T) its standard error.
        pair_half_width: (T, T) half of its interval's width.
        level: confidence level of all intervals.
        n_frame: N.
        estimator: name of what made the estimates.
        unshrunk: (T,) the estimates before they were drawn together, or None if they were not.
        higher_is_better: direction of the metric.
        notes: what a reader should know.
    """

    models: tuple[str, ...]
    metric: str
    estimate: FloatArray
    se: FloatArray
    low: FloatArray
    high: FloatArray
    half_width: FloatArray
    n: IntArray
    pair_difference: FloatArray
    pair_se: FloatArray
    pair_half_width: FloatArray
    level: float
    n_frame: int
    estimator: str
    unshrunk: FloatArray | None
    higher_is_better: bool
    notes: tuple[Note, ...]

    @property
    def resolution(self) -> float:
        """The gap between two targets that this subset cannot resolve; nan if unknown.

        The median half width of the intervals of paired differences: a smaller gap is, for half
        of the pairs, within its own error. With a single target, sqrt(2) times its half width,
        which is the gap to another model that errs independently.
        """
        if np.isnan(self.se).all():
            return float("nan")
        if len(self.models) < 2:
            return float(np.sqrt(2.0) * self.half_width[0])
        widths = self.pair_half_width[np.triu_indices(len(self.models), 1)]
        known = widths[~np.isnan(widths)]
        return float(np.median(known)) if known.size else float("nan")

    @property
    def rows(self) -> tuple[Estimate, ...]:
        """The targets' full scores, one row each."""
        unshrunk = [None] * len(self.models) if self.unshrunk is None else self.unshrunk.tolist()
        columns = (self.estimate, self.se, self.low, self.high, self.n)
        values = zip(*(column.tolist() for column in columns), unshrunk, strict=True)
        return tuple(Estimate(model, *row) for model, row in zip(self.models, values, strict=True))

    @property
    def table(self) -> EstimateTable:
        """The same as rows: what `to_json` writes."""
        return EstimateTable(
            models=self.rows,
            metric=self.metric,
            estimator=self.estimator,
            level=self.level,
            resolution=self.resolution,
            notes=self.notes,
        )

    def to_json(self) -> str:
        """Return the rows as JSON text; nan is null."""
        return self.table.to_json()

    def to_polars(self) -> pl.DataFrame:
        """Return the rows as a frame; nan where a number cannot be known."""
        return pl.DataFrame([asdict(row) for row in self.rows], infer_schema_length=None)

    def compare(self, baseline: str) -> DifferenceTable:
        """Compare every other target with `baseline`; see `differences`.

        Raises:
            InputError: the baseline is not among the targets, or is alone.
        """
        return DifferenceTable(
            pairs=self.differences(baseline),
            metric=self.metric,
            level=self.level,
            resolution=self.resolution,
            notes=self.notes,
        )

    def differences(self, baseline: str | None = None) -> tuple[Difference, ...]:
        """Compare every pair of targets, or every target with `baseline`.

        The interval of a difference is made from the items' paired scores, so it is mostly
        narrower than two separate intervals suggest. It covers each pair by itself, not all of
        them at once.

        Raises:
            InputError: the baseline is not among the targets.
        """
        if baseline is not None and baseline not in self.models:
            raise InputError(
                f"The baseline {baseline!r} is not among the targets, "
                f"{shown(list(self.models), 8)}. Give its scores too.",
                baseline=baseline,
            )
        if baseline is not None and len(self.models) == 1:
            raise InputError(
                f"There is no model to compare with {baseline!r}: its scores alone were given. "
                "Give those of the others too."
            )
        pairs = [
            (row, column)
            for column, other in enumerate(self.models)
            for row in range(len(self.models))
            if (other == baseline and row != column) or (baseline is None and row > column)
        ]
        return tuple(self._difference(row, column) for row, column in pairs)

    def _difference(self, row: int, column: int) -> Difference:
        value = float(self.pair_difference[row, column])
        half = float(self.pair_half_width[row, column])
        verdict: Verdict = "unresolved"
        if abs(value) > half:
            verdict = "better" if (value > 0) == self.higher_is_better else "worse"
        return Difference(
            model=self.models[row],
            baseline=self.models[column],
            difference=value,
            se=float(self.pair_se[row, column]),
            low=value - half,
            high=value + half,
            verdict=verdict,
        )

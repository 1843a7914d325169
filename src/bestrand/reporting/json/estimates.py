"""What `--json` prints: one object a verb, with a published JSON Schema. nan becomes null."""

import math
from typing import Annotated

import numpy as np
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from bestrand.core.estimates import Estimates
from bestrand.core.manifest import Manifest
from bestrand.core.scores import Counts, ScoreTable
from bestrand.data.demo import Demo
from bestrand.notes import Note
from bestrand.stats.random_items import RandomItems
from bestrand.steps.verify import Verification
from bestrand.types import Verdict


def _null_if_unknown(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else float(value)


MaybeNumber = Annotated[float | None, BeforeValidator(_null_if_unknown)]


class Contract(BaseModel):
    """An object that a verb prints; fields beyond those named do not occur."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    def to_json(self) -> str:
        """Give the object as JSON text, indented."""
        return self.model_dump_json(indent=1)


class NoteRow(Contract):
    """A thing a reader should know."""

    code: str
    text: str


class EstimateRow(Contract):
    """One target's full score."""

    model: str
    estimate: MaybeNumber = Field(description="Full score, in the metric's unit.")
    se: MaybeNumber = Field(description="Standard error; null where it cannot be known.")
    low: MaybeNumber = Field(description="Lower end of the interval.")
    high: MaybeNumber = Field(description="Upper end of the interval.")
    n: int = Field(description="Items scored.")
    unshrunk: MaybeNumber = Field(
        None, description="The estimate before shrinkage; null where nothing was shrunk."
    )


class EstimateReport(Contract):
    """What `bestrand estimate --json` prints."""

    models: tuple[EstimateRow, ...]
    metric: str
    estimator: str
    level: float
    resolution: MaybeNumber = Field(
        description="The gap between two models that this subset cannot resolve."
    )
    notes: tuple[NoteRow, ...]


class PairRow(Contract):
    """One model against the baseline."""

    model: str
    baseline: str
    difference: MaybeNumber = Field(description="model - baseline, full scores.")
    se: MaybeNumber
    low: MaybeNumber
    high: MaybeNumber
    verdict: Verdict


class CompareReport(Contract):
    """What `bestrand compare --json` prints."""

    pairs: tuple[PairRow, ...]
    metric: str
    level: float
    resolution: MaybeNumber
    notes: tuple[NoteRow, ...]


class CountsRow(Contract):
    """What became of every item, model and metric."""

    scored: int
    missing: int = Field(description="Not run: no row.")
    errored: int = Field(description="Run, and failed.")
    unscored: int = Field(description="Run, and without a score.")
    duplicate: int = Field(description="Rows that repeated another.")


class ReadReport(Contract):
    """What `bestrand read --json` prints."""

    models: tuple[str, ...]
    items: int
    groups: tuple[str, ...]
    metrics: tuple[str, ...]
    counts: CountsRow
    notes: tuple[NoteRow, ...]


class CheckRow(Contract):
    """One thing that was looked at."""

    name: str
    outcome: str
    text: str


class VerifyReport(Contract):
    """What `bestrand verify --json` prints."""

    ok: bool
    kind: str
    n: int
    checks: tuple[CheckRow, ...]
    notes: tuple[NoteRow, ...] = Field(description="What reading the other file found odd.")


class DemoTarget(Contract):
    """One hidden target of the demo."""

    model: str
    estimate: float
    low: float
    high: float
    truth: float


class EqualsRow(Contract):
    """How many random items err as little as the chosen ones, with 95 % intervals."""

    mean: MaybeNumber = Field(description="Whose mean error is as small.")
    mean_low: MaybeNumber = Field(description="Lower end; null where it is not known.")
    mean_high: MaybeNumber
    p95: MaybeNumber = Field(description="Whose 95th percentile of the error is as small.")
    p95_low: MaybeNumber
    p95_high: MaybeNumber


class DemoErrors(Contract):
    """Errors of one design over repeated draws, each the mean absolute error over targets."""

    design: str
    mean: float = Field(description="Over the draws, in the metric's unit.")
    p95: float = Field(description="95th percentile over the draws.")
    high_error: float = Field(description="Share of draws above Random's 70th percentile.")
    equals: EqualsRow | None = Field(
        description="How many random items err as little; null of SimpleRandom."
    )


class DemoReport(Contract):
    """What `bestrand demo --json` prints."""

    items: int
    probes: tuple[str, ...]
    pool: int
    subset: int
    level: float
    targets: tuple[DemoTarget, ...]
    draws: int
    errors: tuple[DemoErrors, ...]
    construction_cost: float = Field(description="In full-benchmark runs of one model.")
    cost_per_target: float


def note_rows(notes: tuple[Note, ...]) -> tuple[NoteRow, ...]:
    """Turn notes into rows."""
    return tuple(NoteRow(code=note.code, text=note.text) for note in notes)


def equals_row(worth: RandomItems) -> EqualsRow:
    """Turn what a subset is worth into what is printed."""
    return EqualsRow(**worth._asdict())


def estimate_report(result: Estimates) -> EstimateReport:
    """Turn estimates into what is printed."""
    return EstimateReport(
        models=tuple(
            EstimateRow(
                model=model,
                estimate=result.estimate[j],
                se=result.se[j],
                low=result.low[j],
                high=result.high[j],
                n=int(result.n[j]),
                unshrunk=None if result.unshrunk is None else result.unshrunk[j],
            )
            for j, model in enumerate(result.models)
        ),
        metric=result.metric,
        estimator=result.estimator,
        level=result.level,
        resolution=result.resolution,
        notes=note_rows(result.notes),
    )


def compare_report(result: Estimates, baseline: str) -> CompareReport:
    """Turn the differences from a baseline into what is printed."""
    return CompareReport(
        pairs=tuple(
            PairRow(
                model=pair.model,
                baseline=pair.baseline,
                difference=pair.difference,
                se=pair.se,
                low=pair.low,
                high=pair.high,
                verdict=pair.verdict,
            )
            for pair in result.differences(baseline)
        ),
        metric=result.metric,
        level=result.level,
        resolution=result.resolution,
        notes=note_rows(result.notes),
    )


def read_report(table: ScoreTable) -> ReadReport:
    """Turn what was read into what is printed."""
    counts: Counts = table.counts()
    return ReadReport(
        models=table.models,
        items=table.items.height,
        groups=table.groups,
        metrics=table.metrics,
        counts=CountsRow(**counts._asdict()),
        notes=note_rows(table.notes),
    )


def verify_report(
    manifest: Manifest, seen: Verification, notes: tuple[Note, ...] = ()
) -> VerifyReport:
    """Turn a verification into what is printed, with the notes on what was read for it."""
    return VerifyReport(
        ok=seen.ok,
        kind=manifest.kind,
        n=manifest.n,
        checks=tuple(CheckRow(**check._asdict()) for check in seen.checks),
        notes=note_rows(notes),
    )


def demo_report(seen: Demo) -> DemoReport:
    """Turn what the demo saw into what is printed."""
    result, n_frame = seen.result, seen.subset.n_frame
    rows = zip(result.models, result.estimate, result.low, result.high, seen.truth, strict=True)
    return DemoReport(
        items=n_frame,
        probes=seen.subset.probes,
        pool=seen.pool.n,
        subset=seen.subset.n,
        level=result.level,
        targets=tuple(
            DemoTarget(model=model, estimate=value, low=low, high=high, truth=truth)
            for model, value, low, high, truth in rows
        ),
        draws=seen.errors[0].values.size,
        errors=tuple(
            DemoErrors(
                design=line.design,
                mean=float(line.values.mean()),
                p95=float(np.quantile(line.values, 0.95)),
                high_error=line.high_error,
                equals=None if line.equals is None else equals_row(line.equals),
            )
            for line in seen.errors
        ),
        construction_cost=len(seen.subset.probes) * seen.pool.n / n_frame,
        cost_per_target=seen.subset.n / n_frame,
    )

"""One budget over several benchmarks: how many items of each, so that the mean of all is best."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Annotated, Literal

import numpy as np
import polars as pl

from bestrand.core.bounds import example_range, range_said
from bestrand.core.scores import ScoreMatrix, ScoreTable, matrix_of, notes_of, why_missing
from bestrand.errors import ArgumentError, InputError
from bestrand.notes import Note
from bestrand.planning.checks import LeaveOut, whole_part
from bestrand.planning.moments import model_moments
from bestrand.record import Record, as_key
from bestrand.rng import Stream
from bestrand.settings import whole_number
from bestrand.stats.half_normal import mean_size, quantile_size
from bestrand.types import FloatArray, IntArray


FEWEST_ITEMS = 8  # of a benchmark, whatever its variance
WORTH, WORTH_SAID = 0.97, "3 %"  # Neyman's split must do better than this to be worth a pilot
LEAST_SAID = 0.01  # of a gain, for words
MAX_PROBES = 16

SuiteMean = Literal["macro", "micro"]
Rule = Literal["equal", "equal retention", "neyman"]


@dataclass(frozen=True, slots=True)
class SuiteRow(Record):
    """One benchmark's part of the budget.

    Attributes:
        benchmark: its name.
        n_items: N.
        spread: root mean variance of the models' item scores that probes leave over, on 0..1.
        sizes: items, by rule.
    """

    benchmark: str
    n_items: Annotated[int, as_key("items")]
    spread: float
    sizes: dict[Rule, int]


@dataclass(frozen=True, slots=True)
class SuiteError(Record):
    """The error under one rule.

    Attributes:
        rule: how the budget is split.
        mean: expected size of the error of one model's suite mean, on 0..1.
        p95: its 95th percentile.
    """

    rule: Rule
    mean: float
    p95: float


@dataclass(frozen=True, eq=False)
class SuitePlan(Record):
    """How to split one budget over the benchmarks of a suite.

    Attributes:
        budget: items in all that one target runs.
        suite_mean: "macro", every benchmark counts the same, or "micro", every item.
        benchmarks: a row each, in the order given.
        errors: the error under each rule, the one to take first.
        verdict: what to do, in a sentence or two.
        notes: what a reader should know.
    """

    budget: int
    suite_mean: SuiteMean
    benchmarks: tuple[SuiteRow, ...]
    errors: tuple[SuiteError, ...]
    verdict: str
    notes: tuple[Note, ...]

    def to_polars(self) -> pl.DataFrame:
        """Return each benchmark's part, a row a benchmark, with a column of items a rule."""
        rows = ((asdict(row), row.sizes) for row in self.benchmarks)
        return pl.DataFrame(
            [{k: v for k, v in row.items() if k != "sizes"} | dict(sizes) for row, sizes in rows]
        )

    @property
    def best(self) -> Rule:
        """The rule to take."""
        return self.errors[0].rule


def plan_suite(
    benchmarks: Mapping[str, ScoreTable | ScoreMatrix],
    budget: int,
    *,
    suite_mean: SuiteMean = "macro",
    probes: bool = True,
    missing: LeaveOut = "error",
    metric: str | None = None,
    seed: int = 0,
) -> SuitePlan:
    r"""Split a budget of items over the benchmarks of a suite.

    The error of the suite's mean has the variance $\sum_b w_b^2 V_b(n_b)$, with w_b the weight of a
    benchmark in the mean, for errors on different benchmarks are independent. Every benchmark is
    brought to 0..1. Three rules are compared: equal retention; the same n for every benchmark, at
    most N_b; and Neyman's, n_b in proportion to w_b times what is left of the spread.

    Args:
        benchmarks: scores of a pilot on each, by name; models may differ.
        budget: items in all that one target runs.
        suite_mean: "macro": the mean of the benchmarks' scores; "micro": of all items.
        probes: subsets will be balanced on probes like the pilot's models.
        missing: what to do where a score is missing: "error" refuses; "models" leaves out each
            model that lacks one, "items" each item on which a model lacks one; N
            still counts them.
        metric: which; default: the main one.
        seed: chooses over which sets of probes is averaged.

    Raises:
        ArgumentError: fewer than two benchmarks, or an unknown `suite_mean`.
        InputError: the budget is smaller than eight items a benchmark or larger than all items, a
            scale is not known, scores are missing and `missing` is "error", or all are the same.

    References:
        Neyman, J. (1934). On the two different aspects of the representative method. Journal of
        the Royal Statistical Society 97(4).
    """
    if len(benchmarks) < 2:
        raise ArgumentError(f"A suite is two benchmarks or more, got {len(benchmarks)}.")
    if suite_mean not in ("macro", "micro"):
        raise ArgumentError(f"`suite_mean` must be macro or micro, got {suite_mean!r}.")
    budget = whole_number(budget, "budget")
    given = {name: matrix_of(scores, metric) for name, scores in benchmarks.items()}
    frames = np.array([matrix.frame.n for matrix in given.values()])
    matrices: dict[str, ScoreMatrix] = {}
    notes: list[Note] = []
    for name, matrix in given.items():
        part = whole_part(matrix, f"The plan of {name!r}", missing, why_missing(benchmarks[name]))
        _require_scale(name, part.matrix)
        matrices[name] = part.matrix
        notes += [Note(note.code, f"{name}: {note.text}") for note in part.notes]
    fewest = int(np.minimum(frames, FEWEST_ITEMS).sum())
    if not fewest <= budget <= frames.sum():
        raise InputError(
            f"`budget` must be {fewest} to {frames.sum()} items, {FEWEST_ITEMS} or more of each "
            f"benchmark and at most all, got {budget}."
        )
    variances = [
        _left_over(matrix, n_probes=MAX_PROBES if probes else 0, stream=Stream.of(seed, name))
        for name, matrix in matrices.items()
    ]
    spreads = np.sqrt([float(values.mean()) for values in variances])
    share = (
        np.full(len(frames), 1 / len(frames)) if suite_mean == "macro" else frames / frames.sum()
    )
    sizes: dict[Rule, IntArray] = {
        "equal": proportional_sizes(np.ones(len(frames)), frames, budget),
        "equal retention": proportional_sizes(frames.astype(np.float64), frames, budget),
        "neyman": proportional_sizes(share * spreads, frames, budget),
    }
    errors = [_error(rule, variances, share, frames, n) for rule, n in sizes.items()]
    simple: Rule = "equal" if suite_mean == "macro" else "equal retention"
    errors.sort(key=lambda error: error.mean * (WORTH if error.rule == simple else 1))
    names = list(matrices)
    rows = tuple(
        SuiteRow(
            benchmark=name,
            n_items=int(frames[b]),
            spread=float(spreads[b]),
            sizes={rule: int(n[b]) for rule, n in sizes.items()},
        )
        for b, name in enumerate(names)
    )
    said = _verdict(errors, suite_mean)
    read = (note for scores in benchmarks.values() for note in notes_of(scores))
    return SuitePlan(budget, suite_mean, rows, tuple(errors), said, (*read, *notes))


def _require_scale(name: str, matrix: ScoreMatrix) -> None:
    """Require both ends of a benchmark's scale: its part of the mean is on 0..1."""
    if matrix.bounds is not None:
        return
    low, high = example_range(matrix.values)
    how = f"--range {name}={low}:{high} (read_scores with bounds=({low}, {high}))"
    if matrix.open_ended:
        raise InputError(
            f"The scale of {name!r} has one end only, as --range says, and a mean over benchmarks "
            "needs both. Leave this benchmark out, or say which score is to count as 0 and which "
            f"as 1: --range {name}=LOW:HIGH (read_scores with bounds=(LOW, HIGH)); "
            f"{range_said(matrix.values)}."
        )
    raise InputError(
        f"The scale of {name!r} is not known, and a mean over benchmarks needs it. Say the lowest "
        f"and the highest score possible, as in {how}."
    )


def proportional_sizes(weights: FloatArray, frames: IntArray, budget: int) -> IntArray:
    """Divide a budget in proportion to weights, at least 8 items each and at most all.

    What a full benchmark cannot take goes to the others. Whole numbers by largest remainders.

    Args:
        weights: (B,) >= 0.
        frames: (B,) items of each benchmark.
        budget: items in all.

    Examples:
        >>> proportional_sizes(np.ones(3), np.array([20, 100, 1000]), 200)
        array([20, 90, 90])
    """
    low = np.minimum(frames, FEWEST_ITEMS).astype(np.float64)
    high = frames.astype(np.float64)
    weights = weights if weights.any() else np.ones(frames.size)
    positive = np.maximum(weights, 1e-12 * float(weights.max()))
    bottom, top = 0.0, float((high / positive).max())
    for _ in range(200):
        scale = (bottom + top) / 2
        spent = np.clip(scale * positive, low, high).sum()
        bottom, top = (scale, top) if spent < budget else (bottom, scale)
    exact = np.clip(top * positive, low, high)
    sizes = np.floor(exact + 1e-9)
    order = np.argsort(sizes - exact, kind="stable")
    for b in np.concatenate([order] * 2):
        if sizes.sum() < budget and sizes[b] < high[b]:
            sizes[b] += 1
    return sizes.astype(np.int64)


def _left_over(matrix: ScoreMatrix, *, n_probes: int, stream: Stream) -> FloatArray:
    """Variances of the models' item scores, less what probes explain; (L,)."""
    y = matrix.scaled()
    moments = model_moments(y, None, min(n_probes, len(y) - 1), stream)
    return moments.own * (1 - moments.shares)


def _error(
    rule: Rule, variances: list[FloatArray], share: FloatArray, frames: IntArray, sizes: IntArray
) -> SuiteError:
    """Error of one model's suite mean: of a model that is equally hard to predict everywhere."""
    levels = np.linspace(0.005, 0.995, 100)  # models differ between benchmarks: take equal ranks
    total = np.zeros(levels.size)
    for values, weight, n_frame, n in zip(variances, share, frames, sizes, strict=True):
        total += weight**2 * np.quantile(values, levels) * (1 / n - 1 / n_frame)
    return SuiteError(rule, mean_size(total), quantile_size(total, 0.95))


def _verdict(errors: list[SuiteError], suite_mean: SuiteMean) -> str:
    best = errors[0]
    by_rule = {error.rule: error.mean for error in errors}
    gain = 1 - best.mean / by_rule["equal retention"] if best.mean > 0 else 0.0
    more = max(0.0, 1 - by_rule["neyman"] / best.mean) if best.mean > 0 else 0.0
    also = f" Neyman's split would bring {more:.0%} more." if more >= LEAST_SAID else ""
    lead = "the error of the suite's mean is"
    beside = f"{lead} {gain:.0%} below that of equal retention"
    if best.rule == "equal":
        same = f"{lead} within {WORTH_SAID} of that of any other split"
        return (
            "Take the same number of items of every benchmark: "
            f"{beside if gain > 1 - WORTH else same}.{also}"
        )
    if best.rule == "equal retention":
        why = ", for every item counts the same" if suite_mean == "micro" else ""
        return f"Take the same share of every benchmark{why}."
    simple: Rule = "equal" if suite_mean == "macro" else "equal retention"
    by = 1 - best.mean / by_rule[simple]
    than = "the same number of items of each" if simple == "equal" else "the same share of each"
    return (
        f"Take Neyman's split, for some benchmarks vary much less than others: {lead} {by:.0%} "
        f"below that of {than}."
    )

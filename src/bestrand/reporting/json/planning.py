"""What the planning verbs print with `--json`: diagnose, plan and backtest."""

from pydantic import Field

from bestrand.notes import Note
from bestrand.planning.backtest import Backtest, Comparison
from bestrand.planning.diagnose import AtRetention, Diagnosis
from bestrand.planning.plan import Option, Plan
from bestrand.planning.suite import SuitePlan
from bestrand.planning.theory import ShiftR2
from bestrand.reporting.json.contract import Contract, MaybeNumber
from bestrand.stats.random_items import RandomItems


class ModelRow(Contract):
    """One model, left out in turn."""

    model: str
    target_r2: MaybeNumber = Field(
        description="Share of the variance of its own item scores that the other models, as "
        "probes, explain; null if flat."
    )


class PoolRow(Contract):
    """One size of the pool from which a subset is chosen."""

    n_pool: int
    variance_left: MaybeNumber = Field(
        description="Variance of the shift over that of a simple random subset, if no gap to the "
        "pool's means is left: the finite-pool formula with the shift R^2."
    )


class ShiftRow(Contract):
    """How the shift that all models share divides."""

    r2: MaybeNumber = Field(
        description="Share of the variance of the items' mean score over models that probes "
        "explain."
    )
    n_probes: int = Field(description="Models taken for probes, in many choices.")
    n_targets: int = Field(description="The others, over which the mean score is taken.")
    correlation: MaybeNumber = Field(
        description="Largest correlation of the two parts of the shift: 0 but for rounding."
    )


class SizeRow(Contract):
    """What to expect at one size; errors are mean absolute errors over models."""

    retention: float
    n: int
    sigma_c: float = Field(description="Standard deviation of the shift that all models share.")
    random_mean: float = Field(description="Expected error of a simple random subset.")
    random_p95: float = Field(description="Its 95th percentile.")
    exceedance: float = Field(description="Probability that it is above the threshold.")
    exceedance_bound: float = Field(
        description="What the shift alone makes of it, however many models: "
        "2 (1 - Phi(threshold / sigma_c))."
    )
    lower_end: MaybeNumber = Field(
        description="Smallest error that many such models can have; null for one model."
    )
    mode: MaybeNumber = Field(description="Most likely error of as many models as there are.")
    mode_rate: MaybeNumber = Field(
        description="mode - lower_end is about this over the root of the number of models, if "
        "these are many."
    )
    shift_explained: MaybeNumber = Field(
        description="Standard deviation of the part of the shift that probes' means tell."
    )
    shift_rest: MaybeNumber = Field(
        description="Standard deviation of the rest; uncorrelated with it, and the two squares "
        "sum to that of sigma_c."
    )
    pools: tuple[PoolRow, ...] = Field(
        description="What choice from pools of several sizes leaves of the shift."
    )
    balanced_mean: MaybeNumber = Field(
        description="Forecast with probes on a pool of 4n, or on the pool given; null where the "
        "subset would be larger than that pool."
    )
    balanced_p95: MaybeNumber = Field(description="Its 95th percentile.")


class DiagnoseReport(Contract):
    """What `bestrand diagnose --json` prints."""

    metric: str
    items: int = Field(description="N, of the benchmark.")
    scored_items: int = Field(description="Items that the scores are on: N, or fewer.")
    pool: int | None = Field(description="Items of the pool, if one was given.")
    models: tuple[ModelRow, ...]
    target_r2: MaybeNumber = Field(
        description="Share of the variance of a model's own item scores that the others, as "
        "probes, explain, pooled over the models."
    )
    shift_r2: ShiftRow
    rho: MaybeNumber = Field(description="Mean correlation of two models' item scores.")
    rho_low: MaybeNumber
    rho_high: MaybeNumber
    effective_models: float = Field(description="How many different models there are in effect.")
    flat_items: int = Field(description="Items on which all models score the same.")
    groups: dict[str, int] | None
    near_duplicates: tuple[tuple[str, str], ...]
    threshold: float
    sizes: tuple[SizeRow, ...]
    outlook: str
    verdict: str
    notes: tuple[Note, ...]


class CurveRow(Contract):
    """One model's error at one size, in the metric's unit."""

    design: str
    n: int
    retention: float
    mean: float = Field(description="Expected size of the error.")
    p95: float = Field(description="Its 95th percentile.")
    n_probes: int
    n_pool: int = Field(description="Items that every probe runs, or ran; 0 without probes.")


class OptionRow(Contract):
    """One way to reach the goal."""

    design: str
    n: int = Field(description="Items that every target runs.")
    n_probes: int
    n_pool: int = Field(description="Items that every probe runs, or ran; 0 without probes.")
    cost: float = Field(description="In all, in items of a target.")
    mean: float
    p95: float
    exceedance: float | None = Field(
        description="Probability of an error above `value`; null if that was not asked."
    )


class PlanReport(Contract):
    """What `bestrand plan --json` prints."""

    metric: str
    items: int
    models: tuple[str, ...] = Field(description="Those of the pilot.")
    targets: int
    probe_cost: float
    goal: str | None = Field(description="max_error, resolve, budget, or null.")
    value: float | None = Field(description="The number asked for.")
    risk: float
    curve: tuple[CurveRow, ...]
    options: tuple[OptionRow, ...] = Field(description="The one to take first.")
    verdict: str
    notes: tuple[Note, ...]


class SuiteBenchmarkRow(Contract):
    """One benchmark's part of the budget."""

    benchmark: str
    items: int
    spread: float = Field(description="What probes leave of a model's item scores, on 0..1.")
    sizes: dict[str, int] = Field(description="Items, by rule.")


class SuiteErrorRow(Contract):
    """Error of one model's suite mean under a rule, on 0..1."""

    rule: str
    mean: float
    p95: float


class SuiteReport(Contract):
    """What `bestrand plan --suite --json` prints."""

    budget: int
    suite_mean: str
    benchmarks: tuple[SuiteBenchmarkRow, ...]
    errors: tuple[SuiteErrorRow, ...] = Field(description="The rule to take first.")
    verdict: str
    notes: tuple[Note, ...] = Field(description="What reading the scores found odd.")


class ComparisonRow(Contract):
    """A figure of the design beside that of simple random subsets."""

    random: float
    design: float
    ratio: MaybeNumber = Field(description="design / random; null where random is 0.")
    ratio_se: MaybeNumber = Field(description="Its Monte Carlo standard error.")


class BacktestRow(Contract):
    """One model, had it been the target; errors in the metric's unit."""

    model: str
    family: str | None
    n_draws: int
    full: float = Field(description="Its full score.")
    random_mean: float
    random_mean_se: MaybeNumber
    random_p95: float
    mean: float
    mean_se: MaybeNumber
    p95: float
    coverage: MaybeNumber


class BacktestReport(Contract):
    """What `bestrand backtest --json` prints."""

    metric: str
    items: int
    n: int
    probes: int
    pool: int
    draws: int
    design: str
    estimator: str
    models: tuple[BacktestRow, ...]
    mean: ComparisonRow
    p95: ComparisonRow
    worst_draw: ComparisonRow = Field(
        description="95th percentile over draws of the mean error over the models left out."
    )
    equals: RandomItems = Field(
        description="How many random items err as little, by `mean` and by `worst_draw`."
    )
    coverage: MaybeNumber
    coverage_se: MaybeNumber
    random_coverage: MaybeNumber
    notes: tuple[Note, ...]


def diagnose_report(seen: Diagnosis, notes: tuple[Note, ...]) -> DiagnoseReport:
    """Turn a diagnosis into what is printed."""
    rows = zip(seen.models, seen.target_r2, strict=True)
    return DiagnoseReport(
        metric=seen.metric,
        items=seen.n_items,
        scored_items=seen.n_scored,
        pool=None if seen.pool_items is None else len(seen.pool_items),
        models=tuple(ModelRow(model=model, target_r2=share) for model, share in rows),
        target_r2=seen.target_r2_pooled,
        shift_r2=_shift_row(seen.shift_r2),
        rho=seen.rho,
        rho_low=seen.rho_low,
        rho_high=seen.rho_high,
        effective_models=seen.effective_models,
        flat_items=seen.flat_items,
        groups=seen.group_sizes,
        near_duplicates=seen.near_duplicates,
        threshold=seen.threshold,
        sizes=tuple(_size_row(size) for size in seen.sizes),
        outlook=seen.outlook,
        verdict=seen.verdict,
        notes=(*notes, *seen.notes),
    )


def _shift_row(seen: ShiftR2) -> ShiftRow:
    return ShiftRow(
        r2=seen.value,
        n_probes=seen.n_probes,
        n_targets=seen.n_targets,
        correlation=seen.correlation,
    )


def _size_row(size: AtRetention) -> SizeRow:
    pools = tuple(PoolRow(**pool._asdict()) for pool in size.pools)
    return SizeRow(**{**size._asdict(), "pools": pools})


def plan_report(seen: Plan, notes: tuple[Note, ...]) -> PlanReport:
    """Turn a plan into what is printed."""
    return PlanReport(
        metric=seen.metric,
        items=seen.n_items,
        models=seen.models,
        targets=seen.n_targets,
        probe_cost=seen.probe_cost,
        goal=seen.goal,
        value=seen.value,
        risk=seen.risk,
        curve=tuple(CurveRow(**point._asdict()) for point in seen.curve),
        options=tuple(option_row(option) for option in seen.options),
        verdict=seen.verdict,
        notes=(*notes, *seen.notes),
    )


def option_row(option: Option) -> OptionRow:
    """Turn one way to spend into a row."""
    return OptionRow(**option._asdict())


def suite_report(seen: SuitePlan, notes: tuple[Note, ...] = ()) -> SuiteReport:
    """Turn the plan of a suite into what is printed, with the notes on what was read for it."""
    return SuiteReport(
        budget=seen.budget,
        suite_mean=seen.suite_mean,
        benchmarks=tuple(
            SuiteBenchmarkRow(
                benchmark=row.benchmark,
                items=row.n_items,
                spread=row.spread,
                sizes={str(rule): size for rule, size in row.sizes.items()},
            )
            for row in seen.rows
        ),
        errors=tuple(SuiteErrorRow(**error._asdict()) for error in seen.errors),
        verdict=seen.verdict,
        notes=(*notes, *seen.notes),
    )


def backtest_report(seen: Backtest, notes: tuple[Note, ...]) -> BacktestReport:
    """Turn a backtest into what is printed."""

    def compared(figure: Comparison) -> ComparisonRow:
        return ComparisonRow(**figure._asdict())

    return BacktestReport(
        metric=seen.metric,
        items=seen.n_items,
        n=seen.n,
        probes=seen.n_probes,
        pool=seen.n_pool,
        draws=seen.n_draws,
        design=seen.design,
        estimator=seen.estimator,
        models=tuple(BacktestRow(**model._asdict()) for model in seen.models),
        mean=compared(seen.mean),
        p95=compared(seen.p95),
        worst_draw=compared(seen.worst_draw),
        equals=seen.equals,
        coverage=seen.coverage,
        coverage_se=seen.coverage_se,
        random_coverage=seen.random_coverage,
        notes=(*notes, *seen.notes),
    )

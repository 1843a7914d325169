"""Plan: how many items, and are probes worth their price? Before anything is spent."""

import bisect
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Literal, NamedTuple

import polars as pl

from bestrand.core.scores import ScoreMatrix, ScoreTable, matrix_of, notes_of, why_missing
from bestrand.errors import ArgumentError, InputError
from bestrand.notes import Note
from bestrand.planning.checks import (
    LeaveOut,
    frame_size,
    require_on_scale,
    require_shares,
    whole_part,
)
from bestrand.planning.pilot import CurvePoint, Pilot, Way, Word
from bestrand.record import Record, as_key
from bestrand.rng import Stream
from bestrand.settings import real_number, whole_number
from bestrand.stats.half_normal import exceedance, mean_size, quantile_size


RETENTIONS = (0.02, 0.05, 0.1, 0.2, 0.35, 0.5)
PROBES, ALPHAS = (1, 2, 4, 8, 16), (2.0, 4.0, 8.0, 16.0, math.inf)
USUAL_PROBES, USUAL_ALPHA = 8, 4.0
FEWEST_ITEMS = 10  # intervals do not hold for fewer
MARGIN = 0.97  # probes must do better than this to be worth the trouble
LEVEL, RISK, POWER = 0.95, 0.05, 0.8

Goal = Literal["max_error", "resolve", "budget"]


@dataclass(frozen=True, slots=True)
class Option(Record):
    """One way to spend.

    Attributes:
        design: "random", "stratified" or "balanced".
        n: items of the subset, which every target runs.
        n_probes: K; 0 without probes.
        n_pool: m, items that every probe runs, or ran; 0 without probes.
        cost: in all, in items of a target; what the probes ran already costs nothing.
        mean: expected size of one model's error, in the metric's unit.
        p95: its 95th percentile.
        exceedance: probability that it is above `max_error`; None where that was not asked.
    """

    design: Word
    n: int
    n_probes: int
    n_pool: int
    cost: float
    mean: float
    p95: float
    exceedance: float | None = None


@dataclass(frozen=True, eq=False)
class Plan(Record):
    """What to buy.

    Attributes:
        models: L names of the pilot.
        n_items: N, of the benchmark.
        metric: name of the metric.
        n_targets: T.
        probe_cost: price of an item of a probe, in items of a target; 0: the scores at hand serve.
        goal: what was asked for, or None: the curve alone.
        value: the number asked for, or None.
        risk: probability with which one model's error may be larger than the largest allowed.
        curve: error against size.
        options: ways that reach the goal, the one to take first; empty without a goal.
        verdict: what to do, in a sentence or two.
        notes: what a reader should know.
    """

    models: tuple[str, ...]
    n_items: Annotated[int, as_key("items")]
    metric: str
    n_targets: Annotated[int, as_key("targets")]
    probe_cost: float
    goal: Goal | None
    value: float | None
    risk: float
    curve: tuple[CurvePoint, ...]
    options: tuple[Option, ...]
    verdict: str
    notes: tuple[Note, ...]

    def to_polars(self) -> pl.DataFrame:
        """Return the curve of error against size, a row a point."""
        return pl.DataFrame([asdict(point) for point in self.curve])

    @property
    def best(self) -> Option | None:
        """The option to take, or None without a goal."""
        return self.options[0] if self.options else None


def plan(
    scores: ScoreTable | ScoreMatrix,
    *,
    max_error: float | None = None,
    risk: float = RISK,
    resolve: float | None = None,
    power: float = POWER,
    budget: float | None = None,
    n_targets: int = 1,
    probe_cost: float = 0.0,
    n_items: int | None = None,
    expected_score: float | None = None,
    retentions: Sequence[float] = RETENTIONS,
    missing: LeaveOut = "error",
    metric: str | None = None,
    seed: int = 0,
) -> Plan:
    """Return how many items are needed, or what a budget buys, and whether probes are worth it.

    Every model of the pilot stands for a target in turn. Errors are those of one model's full
    score, of a model taken at random; item weights are left aside. Give one goal at most.

    Args:
        scores: of a pilot or of former models, without holes, on some items or on all.
        max_error: find the fewest items with which one model's error exceeds this, in the metric's
            unit, with probability `risk` at most.
        risk: see `max_error`.
        resolve: find the fewest items with which a gap of this size between two models, in the
            metric's unit, shows in a 95 % interval with probability `power`.
        power: see `resolve`.
        budget: find the smallest error that this many items of a target buy, in all: n items for
            each target, and what the probes run.
        n_targets: T, how many models will be measured; it matters for the cost alone.
        probe_cost: price of an item of a probe, in items of a target. 0: the models of `scores`
            serve as probes, which costs nothing, for they ran already. Above 0: probes like them
            have yet to run.
        n_items: N, items of the benchmark, if `scores` hold some of them only.
        expected_score: full score that targets are expected to have, in the metric's unit, where
            they will score unlike the pilot.
        retentions: sizes of the curve, as shares of the items.
        missing: what to do where a score is missing: "error" refuses; "models" leaves out each
            model that lacks one, "items" each item on which a model lacks one; N
            still counts them.
        metric: which; default: the main one.
        seed: chooses over which sets of probes is averaged.

    Raises:
        ArgumentError: several goals, or a number out of its range.
        InputError: scores are missing and `missing` is "error", all are the same, or a
            budget that pays for less than ten items a target.

    References:
        Cochran, W. G. (1977). Sampling Techniques, third edition, chapters 4 and 12. Wiley.
    """
    goal, value = _goal(max_error=max_error, resolve=resolve, budget=budget)
    risk, power = real_number(risk, "risk"), real_number(power, "power")
    _check(risk=risk, power=power)
    retentions = require_shares(retentions)
    n_targets = whole_number(n_targets, "n_targets")
    probe_cost = real_number(probe_cost, "probe_cost")
    _check_costs(n_targets=n_targets, probe_cost=probe_cost)
    matrix = matrix_of(scores, metric)
    n_items = matrix.frame.n if n_items is None else n_items
    part = whole_part(matrix, "A plan", missing, why_missing(scores))
    matrix = part.matrix
    n_frame = frame_size(n_items, matrix.frame.n)
    low, unit = matrix.span
    if goal in ("max_error", "resolve") and value is not None:
        require_on_scale(goal, value, unit)
    expected = None
    if expected_score is not None:
        expected = (real_number(expected_score, "expected_score") - low) / unit
    if expected is not None and not 0 < expected < 1:
        raise ArgumentError(
            f"`expected_score` must lie between {low:g} and {low + unit:g}, got "
            f"{expected_score:g}. If that is not the scale, say it with --range (bounds=)."
        )
    pilot = Pilot(
        matrix.scaled(),
        matrix.frame.group_codes,
        n_frame,
        expected=expected,
        stream=Stream.of(seed, "plan"),
    )
    planner = _Planner(pilot, unit, n_targets, probe_cost)
    options: list[Option] = []
    if goal == "resolve" and len(matrix.models) < 2:
        raise InputError("A gap between two models needs scores of two models or more, got one.")
    if goal is not None and value is not None:
        options = planner.options(goal, value, risk=risk, power=power)
    return Plan(
        models=matrix.models,
        n_items=n_frame,
        metric=matrix.metric,
        n_targets=n_targets,
        probe_cost=probe_cost,
        goal=goal,
        value=value,
        risk=risk,
        curve=planner.curve(retentions),
        options=tuple(options),
        verdict=_verdict(goal, options, n_frame),
        notes=(*notes_of(scores), *part.notes),
    )


class _Planner(NamedTuple):
    """A pilot with prices."""

    pilot: Pilot
    unit: float
    n_targets: int
    probe_cost: float

    @property
    def _plain(self) -> list[Way]:
        """The ways that need no probes."""
        stratified = [] if self.pilot.groups is None else [Way("stratified")]
        return [Way("random"), *stratified]

    @property
    def _others(self) -> int:
        """How many models can serve as probes where one is the target."""
        return len(self.pilot.y) - 1

    @property
    def _at_hand(self) -> list[Way]:
        """The way that takes the pilot's own models as probes."""
        n_probes = min(self._others, max(PROBES))
        return [Way("balanced", n_probes, n_known=self.pilot.y.shape[1])] if n_probes else []

    def ways(self) -> list[Way]:
        """List all ways to choose, those without probes first."""
        if self.probe_cost == 0:
            return self._plain + self._at_hand
        return self._plain + [
            Way("balanced", n_probes, alpha)
            for n_probes in PROBES
            for alpha in ALPHAS
            if n_probes <= self._others
        ]

    def curve(self, retentions: Sequence[float]) -> tuple[CurvePoint, ...]:
        """Error against size, of each design with its usual settings."""
        n_probes = min(self._others, USUAL_PROBES)
        bought = [Way("balanced", n_probes, USUAL_ALPHA)] if n_probes else []
        ways = self._plain + (self._at_hand if self.probe_cost == 0 else bought)
        points = []
        for way in ways:
            for share in sorted(retentions):
                n = max(1, round(share * self.pilot.n_frame))
                if n <= self.pilot.most(way):
                    option = self.option(way, n)
                    probes = option.n_probes, option.n_pool
                    point = CurvePoint(way.design, n, share, option.mean, option.p95, *probes)
                    points.append(point)
        return tuple(points)

    def option(self, way: Way, n: int, max_error: float | None = None) -> Option:
        """Return what n items cost and bring."""
        variances = self.pilot.errors(way, n)
        return Option(
            design=way.design,
            n=n,
            n_probes=way.n_probes,
            n_pool=self.pilot.pool(way, n) if way.n_probes else 0,
            cost=self.pilot.cost(way, n, self.n_targets, self.probe_cost),
            mean=self.unit * mean_size(variances),
            p95=self.unit * quantile_size(variances, LEVEL),
            exceedance=None if max_error is None else exceedance(variances, max_error / self.unit),
        )

    def options(self, goal: Goal, value: float, *, risk: float, power: float) -> list[Option]:
        """List the ways that reach the goal, the one to take first."""
        sized = [(way, self._size(way, goal, value, risk=risk, power=power)) for way in self.ways()]
        limit = value if goal == "max_error" else None
        # several alphas may ask for the whole benchmark as pool: the same option
        found = list(dict.fromkeys(self.option(way, n, limit) for way, n in sized if n is not None))
        if not found:
            least = FEWEST_ITEMS * self.n_targets
            raise InputError(
                f"A budget of {value:g} items pays for less than {FEWEST_ITEMS} items of each of "
                f"{self.n_targets} targets. Give {least} at least, or measure fewer targets."
            )

        def badness(option: Option) -> tuple[float, int]:
            size = option.p95 if goal == "budget" else option.cost
            return (size / MARGIN if option.n_probes and self.probe_cost else size, option.n_probes)

        return sorted(found, key=badness)

    def _size(self, way: Way, goal: Goal, value: float, *, risk: float, power: float) -> int | None:
        """Find the fewest items that are enough, or the most that can be paid."""
        most = self.pilot.most(way)
        sizes = range(min(FEWEST_ITEMS, most), most + 1)
        if goal == "budget":

            def dear(n: int) -> bool:
                return self.pilot.cost(way, n, self.n_targets, self.probe_cost) > value

            place = bisect.bisect_left(sizes, x=True, key=dear)
            return sizes[place - 1] if place else None

        def enough(n: int) -> bool:
            if goal == "max_error":
                return self.pilot.exceedance(way, n, value / self.unit) <= risk
            return self.pilot.gap(way, n, level=LEVEL, power=power) <= value / self.unit

        place = bisect.bisect_left(sizes, x=True, key=enough)
        return sizes[place] if place < len(sizes) else None


def _goal(**goals: float | None) -> tuple[Goal | None, float | None]:
    given = {name: value for name, value in goals.items() if value is not None}
    if len(given) > 1:
        raise ArgumentError(
            f"Give one goal, not {len(given)}: {' and '.join(f'`{name}`' for name in given)}."
        )
    for name, number in given.items():
        value = real_number(number, name)
        if not 0 < value < math.inf:
            raise ArgumentError(f"`{name}` must be above 0, got {value:g}.")
        return name, value  # type: ignore[return-value]
    return None, None


def _check(*, risk: float, power: float) -> None:
    if not 0 < risk < 1:
        raise ArgumentError(f"`risk` must be between 0 and 1, got {risk:g}.")
    if not 0.5 <= power < 1:
        raise ArgumentError(f"`power` must be from 0.5 to below 1, got {power:g}.")


def _check_costs(*, n_targets: int, probe_cost: float) -> None:
    if n_targets < 1:
        raise ArgumentError(f"`n_targets` (--targets) must be 1 or more, got {n_targets}.")
    if not 0 <= probe_cost < math.inf:
        raise ArgumentError(f"`probe_cost` must be 0 or more, got {probe_cost:g}.")


def _said(option: Option) -> str:
    probes = f"{option.n_probes} probe{'s' if option.n_probes > 1 else ''}"
    how = {
        "random": "at random",
        "stratified": "stratified",
        "balanced": f"balanced on {probes} over {option.n_pool} items",
    }[option.design]
    return (
        f"{option.n} items {how} (error {option.mean:.3g}, P95 {option.p95:.3g}, cost "
        f"{option.cost:.0f})"
    )


def _verdict(goal: Goal | None, options: list[Option], n_frame: int) -> str:
    """Return what to do, and what the best way of the other kind would have been."""
    if goal is None:
        return "No goal was given: the curve shows what each size brings."
    best = options[0]
    if best.n == n_frame:
        why = "the budget pays for it" if goal == "budget" else "nothing less will do"
        return f"Run all {n_frame} items: {why}. Check the scale of the scores if that surprises."
    others = [option for option in options if bool(option.n_probes) != bool(best.n_probes)]
    instead = f" Instead: {_said(others[0])}." if others else ""
    if best.n_probes:
        return f"Take {_said(best)}.{instead}"
    do = "stratify" if best.design == "stratified" else "draw at random"
    lead = f"Do not use probes here, {do}" if others else f"Without probes, {do}"
    return f"{lead}: {_said(best)}.{instead}"

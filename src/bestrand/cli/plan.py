"""`bestrand plan`: how many items, and are probes worth their price?"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal

import typer

import bestrand as br
from bestrand.cli.options import (
    LeaveOut,
    LeaveOutOption,
    RetentionsOption,
    ScoresArgument,
    SeedOption,
)
from bestrand.cli.output import ChartOutput, Output
from bestrand.cli.reading import Reading
from bestrand.errors import ArgumentError


def plan(
    scores: ScoresArgument,
    *,
    max_error: Annotated[
        float | None,
        typer.Option("--max-error", help="Largest error of one model's full score."),
    ] = None,
    risk: Annotated[
        float | None,
        typer.Option("--risk", help="How often the error may be larger; default: 0.05."),
    ] = None,
    resolve: Annotated[
        float | None, typer.Option("--resolve", help="Gap between two models that must show.")
    ] = None,
    power: Annotated[
        float | None, typer.Option("--power", help="How often the gap must show; default: 0.8.")
    ] = None,
    budget: Annotated[
        float | None, typer.Option("--budget", help="Items of a target that may be spent in all.")
    ] = None,
    targets: Annotated[
        int | None,
        typer.Option("--targets", help="How many models will be measured; default: 1."),
    ] = None,
    probe_cost: Annotated[
        float | None,
        typer.Option(
            "--probe-cost",
            help="Price of an item of a probe, in items of a target; 0: the models of SCORES serve "
            "as probes, which costs nothing; default: 0.",
        ),
    ] = None,
    items: Annotated[
        int | None,
        typer.Option("--items", help="Items of the benchmark, if SCORES hold only some of them."),
    ] = None,
    expect_score: Annotated[
        float | None,
        typer.Option(
            "--expect-score", help="Expected full score of targets; default: that of SCORES."
        ),
    ] = None,
    retention: RetentionsOption = None,
    suite: Annotated[
        bool,
        typer.Option("--suite", help="Split --budget over several benchmarks, a file each."),
    ] = False,
    suite_mean: Annotated[
        Literal["macro", "micro"] | None,
        typer.Option(
            "--suite-mean",
            help="macro: benchmarks count the same; micro: items do; default: macro.",
        ),
    ] = None,
    missing: LeaveOutOption = "error",
    seed: SeedOption = 0,
    drawing: ChartOutput,
    reading: Reading,
    out: Output,
) -> None:
    """Say how many items are needed, and whether probes pay.

    With --budget it says what the budget buys.

    Example: bestrand plan pilot.parquet --max-error 0.02 --risk 0.05
    """
    from bestrand.planning.plan import POWER, RETENTIONS, RISK
    from bestrand.reporting.tables.planning import plan_tables

    if suite:
        given = {
            "--max-error": max_error,
            "--risk": risk,
            "--resolve": resolve,
            "--power": power,
            "--targets": targets,
            "--probe-cost": probe_cost,
            "--items": items,
            "--expect-score": expect_score,
            "--retention": retention,
            "--chart": drawing.chart,
        }
        _require_none(given)
        _plan_suite(scores, budget, suite_mean or "macro", missing, seed, reading, out)
        return
    _require_goal("--risk", risk, "--max-error", max_error)
    _require_goal("--power", power, "--resolve", resolve)
    _require_goal("--suite-mean", suite_mean, "--suite", None)
    drawing.check()
    table = reading.scores(scores)
    made = br.plan(
        table,
        max_error=max_error,
        risk=RISK if risk is None else risk,
        resolve=resolve,
        power=POWER if power is None else power,
        budget=budget,
        n_targets=1 if targets is None else targets,
        probe_cost=0.0 if probe_cost is None else probe_cost,
        n_items=items,
        expected_score=expect_score,
        retentions=retention or RETENTIONS,
        missing=missing,
        metric=reading.metric,
        seed=seed,
    )
    drawing.draw(made)
    out.report(made, plan_tables)


def _plan_suite(
    paths: list[str],
    budget: float | None,
    mean: Literal["macro", "micro"],
    missing: LeaveOut,
    seed: int,
    reading: Reading,
    out: Output,
) -> None:
    """Split a budget over several benchmarks and print the shares."""
    from bestrand.reporting.tables.planning import suite_tables

    if budget is None or not budget.is_integer():
        raise ArgumentError("`--suite` splits a budget of whole items: give --budget.")
    named = _benchmarks(paths)
    tables = {}
    for name, path in named.items():
        ranges = _ranges_of(name, reading.ranges or [], named)
        tables[name] = reading.with_ranges(ranges).scores([path])
    split = br.plan_suite(
        tables, int(budget), suite_mean=mean, missing=missing, metric=reading.metric, seed=seed
    )
    out.report(split, suite_tables)


def _benchmarks(paths: list[str]) -> dict[str, str]:
    """Name each benchmark by NAME=FILE, or by its file."""
    named: dict[str, str] = {}
    for word in paths:
        name, equals, path = word.partition("=")
        if not equals or Path(word).exists():
            name, path = Path(word).name.partition(".")[0], word
        if not name:
            raise ArgumentError(f"A benchmark needs a name before the = of {word!r}.")
        if name in named:
            raise ArgumentError(
                f"Two benchmarks are called {name!r}. Name them apart, as in NAME=FILE."
            )
        named[name] = path
    return named


def _ranges_of(name: str, ranges: Sequence[str], named: Mapping[str, str]) -> list[str]:
    """Take the ranges meant for a benchmark: those that name none, then those that name it.

    The latter hold where both speak of the same metric.
    """
    mine, all_ = [], []
    for word in ranges:
        place, equals, span = word.partition("=")
        if not equals or place not in named:
            all_.append(word)
        elif place == name:
            mine.append(span)
    return all_ + mine


def _require_none(options: Mapping[str, object]) -> None:
    given = [name for name, value in options.items() if value is not None]
    if given:
        raise ArgumentError(f"`--suite` does not take {', '.join(given)}: leave it out.")


def _require_goal(option: str, value: object, goal: str, asked: object) -> None:
    if value is not None and asked is None:
        raise ArgumentError(f"`{option}` goes with {goal}: give that too, or leave it out.")

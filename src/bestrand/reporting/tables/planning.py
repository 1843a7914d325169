"""Diagnoses, plans and backtests as tables for people. Text from data is never markup."""

import math

import numpy as np
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from bestrand.notes import rough_percent
from bestrand.planning.backtest import Backtest
from bestrand.planning.diagnosis import Diagnosis
from bestrand.planning.pilot import CurvePoint
from bestrand.planning.plan import Option, Plan
from bestrand.planning.suite import SuitePlan
from bestrand.planning.theory import FACTORS
from bestrand.reporting.charts.style import number
from bestrand.reporting.tables.terminal import facts, listing, table_of
from bestrand.reporting.worth import equals_said, intervals_said


MOST_OPTIONS = 8
ALL_ITEMS = "all items"


def diagnosis_tables(report: Diagnosis) -> RenderableType:
    """Show what to expect at each size, which models the others explain, and the verdict."""
    interval = f"{number(report.rho_low, 2)} … {number(report.rho_high, 2)}"
    about = [
        ("items", _items_said(report)),
        ("models", f"{len(report.models)}, in effect {report.effective_models:.1f} different ones"),
        ("rho", f"{number(report.rho, 2)} ({interval}), mean correlation of two models"),
        ("target R²", f"{number(report.target_r2, 2)} of a model's own variance, by the others"),
        ("shift R²", _shift_said(report)),
    ]
    if report.group_sizes:
        about.append(("groups", listing(tuple(report.group_sizes))))
    if report.near_duplicates:
        pairs = tuple(f"{a} = {b}" for a, b in report.near_duplicates)
        about.append(("near twins", listing(pairs, 3)))
    sizes = table_of(
        [],
        ["items", "random", "P95", f"P(> {report.threshold:g})", "with probes", "P95"],
        f"Mean absolute error over models, metric {report.metric!r}",
    )
    for row in report.sizes:
        sizes.add_row(
            _size(row.n, row.retention, report.n_items),
            number(row.random_mean),
            number(row.random_p95),
            f"{row.exceedance:.0%}",
            number(row.balanced_mean),
            number(row.balanced_p95),
        )
    if any(math.isnan(row.balanced_mean) for row in report.sizes):
        sizes.caption = "–: the subset would be larger than the pool."
    shares = table_of(
        ["model"], ["target R²"], "Share of each model's own variance that the others explain"
    )
    for model in sorted(report.models, key=lambda row: np.nan_to_num(row.target_r2)):
        shares.add_row(Text(model.model), number(model.target_r2, 2))
    theory = Group(_law_table(report), "", _pool_table(report))
    return Group(facts(about), "", sizes, "", theory, "", shares, "", Text(report.verdict))


def _shift_said(report: Diagnosis) -> str:
    shift = report.shift_r2
    probes = f"{shift.n_probes} model{'s' if shift.n_probes > 1 else ''} as probes"
    return f"{number(shift.value, 2)} of the variance of items' mean scores, by {probes}"


def _law_table(report: Diagnosis) -> Table:
    """Show what the law of a random subset's error is made of."""
    bound = f"P(> {report.threshold:g}) ≥"
    law = table_of(
        [],
        ["items", "shift sd", "explained", "rest", bound, "lower end", "mode"],
        "Why random subsets err: the shift that all models share",
    )
    for row in report.sizes:
        law.add_row(
            _size(row.n, row.retention, report.n_items),
            *(number(value) for value in (row.sigma_c, row.shift_explained, row.shift_rest)),
            f"{row.exceedance_bound:.0%}",
            number(row.lower_end),
            number(row.mode),
        )
    law.caption = "With more such models the mode falls to the lower end, as 1/√models."
    return law


def _pool_table(report: Diagnosis) -> Table:
    """Show what choice from a pool leaves of the shift, by size."""
    pools = [f"pool {n}n" for n in FACTORS] if report.pool is None else [f"pool {report.pool}"]
    table = table_of(
        [], ["items", *pools, ALL_ITEMS], "Variance of the shift that is left, of a random subset's"
    )
    unknown = False
    for row in report.sizes:
        left = {pool.n_pool: number(pool.variance_left, 2) for pool in row.pools}
        chosen = [n * row.n for n in FACTORS] if report.pool is None else [report.pool]
        cells = ["–" if n >= report.n_items else left.get(n, "–") for n in chosen]
        unknown |= "–" in cells
        table.add_row(_size(row.n, row.retention, report.n_items), *cells, left[report.n_items])
    if unknown and report.pool is None:
        table.caption = "–: such a pool would be all items; the last column says it."
    elif unknown:
        table.caption = "–: the subset would be larger than the pool, or the pool is all items."
    return table


def _size(n: int, retention: float, n_frame: int) -> str:
    """Write a size, and its share of all items."""
    asked = round(retention * n_frame) == n
    return f"{n} ({rough_percent(retention if asked else n / n_frame)})"


def _items_said(report: Diagnosis) -> str:
    alike = f"{report.flat_items} of them alike for all models"
    if report.n_scored == report.n_items:
        return f"{report.n_items}, {alike}"
    return f"{report.n_items}, of which {report.n_scored} have scores; {alike}"


def plan_tables(report: Plan) -> RenderableType:
    """Show error against size, the ways that reach the goal, and the verdict."""
    designs = list(dict.fromkeys(point.design for point in report.curve))
    heads = ["items"]
    for design in designs:
        heads += [design, "P95"]
    curve = table_of([], heads, f"Error of one model, metric {report.metric!r}")
    known = {(point.n, point.design): point for point in report.curve}
    for n, retention in dict.fromkeys((point.n, point.retention) for point in report.curve):
        cells = []
        for design in designs:
            point = known.get((n, design))
            cells += ["–", "–"] if point is None else [number(point.mean), number(point.p95)]
        curve.add_row(_size(n, retention, report.n_items), *cells)
    balanced = [point for point in report.curve if point.n_probes]
    bought = report.probe_cost > 0
    about = [Text(_pool_said(balanced, bought=bought))] if balanced else []
    if not report.options:
        return Group(curve, *about, "", Text(report.verdict))
    goal = {"max_error": "an error of at most", "resolve": "a gap of", "budget": "a budget of"}
    targets = f"{report.n_targets} target{'s' if report.n_targets > 1 else ''}"
    heads = ["items", "probes", "on", "cost", "error", "P95"]
    if report.goal == "max_error":
        heads.append(f"P(> {report.value:g})")
    title = f"Ways to {goal[report.goal or 'budget']} {report.value:g}, {targets}"
    ways = table_of(["design"], heads, title)
    for option in report.options[:MOST_OPTIONS]:
        ways.add_row(*_option_cells(option))
    return Group(curve, *about, "", ways, "", Text(report.verdict))


def _pool_said(balanced: list[CurvePoint], *, bought: bool) -> str:
    """Return what the balanced subsets of the curve are balanced on."""
    probes = f"balanced: on {balanced[0].n_probes} of these models as probes"
    if not bought:
        return f"{probes}, which ran {balanced[0].n_pool} items"
    factor = balanced[0].n_pool / balanced[0].n
    return f"{probes}, which run {factor:.3g} times as many items, or all"


def _option_cells(option: Option) -> list[str]:
    return [
        option.design,
        str(option.n),
        str(option.n_probes or "–"),
        str(option.n_pool or "–"),
        f"{option.cost:.0f}",
        number(option.mean),
        number(option.p95),
        *([] if option.exceedance is None else [f"{option.exceedance:.1%}"]),
    ]


def suite_tables(report: SuitePlan) -> RenderableType:
    """Show each benchmark's part of the budget by rule, what each rule brings, and the verdict."""
    rules = [error.rule for error in report.errors]
    title = f"Items of each benchmark, {report.budget} in all"
    table = table_of(["benchmark"], ["of", "spread", *rules], title)
    for row in report.benchmarks:
        sizes = [str(row.sizes[rule]) for rule in rules]
        table.add_row(Text(row.benchmark), str(row.n_items), number(row.spread, 2), *sizes)
    table.add_section()
    for name, values in (
        ("error of the mean", [error.mean for error in report.errors]),
        ("its P95", [error.p95 for error in report.errors]),
    ):
        table.add_row(name, "", "", *(number(value) for value in values))
    return Group(table, "", Text(report.verdict))


def backtest_tables(report: Backtest) -> RenderableType:
    """Show each model's error had it been the target, and all of them together."""
    with_families = any(row.family for row in report.models)
    table = table_of(
        ["model", "family"] if with_families else ["model"],
        ["random", "P95", report.design, "P95", "coverage"],
        f"Error of each model had it been the target, {report.n} of {report.n_items} items, "
        f"{report.n_draws} draws",
    )
    for row in report.models:
        table.add_row(
            Text(row.model),
            *([Text(row.family or "")] if with_families else []),
            f"{number(row.random_mean, 3)}±{number(row.random_mean_se, 3)}",
            number(row.random_p95, 3),
            f"{number(row.mean, 3)}±{number(row.mean_se, 3)}",
            number(row.p95, 3),
            "–" if math.isnan(row.coverage) else f"{row.coverage:.0%}",
        )
    together = table_of(
        ["figure"],
        ["random", report.design, "ratio"],
        f"All models; {report.design} with {report.estimator}",
    )
    for name, figure in (
        ("mean error", report.mean),
        ("P95 of the error", report.p95),
        ("P95 over draws of the mean error", report.worst_draw),
    ):
        together.add_row(
            name,
            number(figure.random),
            number(figure.design),
            f"{number(figure.ratio, 2)} ± {number(figure.ratio_se, 2)}",
        )
    held = (
        f"Intervals held the full score in {number(report.coverage, 3)} ± "
        f"{number(report.coverage_se, 3)} of all cases. ± is one Monte Carlo standard error. "
        f"{report.n_probes} probes ran {report.n_pool} items each; in {report.n_draws} draws each "
        f"model was left out {min(row.n_draws for row in report.models)} times or more."
    )
    worth = f"{report.n} items chosen by {report.design} equal {equals_said(report.equals)}."
    worth += intervals_said(report.equals)
    return Group(table, "", together, "", Text(worth), "", Text(held))

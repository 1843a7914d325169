"""Nouns as tables for people; no arithmetic beyond rounding. Text from data is never markup."""

import math
from collections.abc import Sequence
from pathlib import Path

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from bestrand.core.estimates import DifferenceTable, EstimateTable
from bestrand.core.manifest import ADOPTED, Manifest
from bestrand.core.summary import Summary
from bestrand.data.demo import Demo
from bestrand.notes import percent
from bestrand.planning.costs import Costs
from bestrand.reporting.charts.style import number
from bestrand.reporting.worth import cost_facts, equals_of, equals_said, intervals_said
from bestrand.stats.random_items import RandomItems
from bestrand.steps.verify import Verification


VERDICT_STYLES = {"better": "green", "worse": "red", "unresolved": "dim"}
OUTCOME_STYLES = {"passed": "green", "failed": "red", "skipped": "yellow"}


def table_of(names: Sequence[str], figures: Sequence[str], title: str = "") -> Table:
    """Make a table whose columns of names wrap where the terminal is narrow; figures stay whole.

    Args:
        names: heads of the columns that hold names, which may be long.
        figures: heads of the columns that hold figures.
        title: of the table, or nothing.
    """
    table = Table(title=title or None)
    for head in names:
        table.add_column(head, overflow="fold")
    add_figures(table, figures)
    return table


def add_figures(table: Table, heads: Sequence[str]) -> None:
    """Add columns of figures, at the right and whole."""
    for head in heads:
        table.add_column(head, justify="right", no_wrap=True)


def facts(rows: list[tuple[str, str]]) -> Table:
    """Lay out names and what is said of them."""
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in rows:
        table.add_row(Text(name, style="bold"), Text(value))
    return table


def listing(names: tuple[str, ...], limit: int = 6) -> str:
    """Count names and show the first."""
    more = f", … {len(names) - limit} more" if len(names) > limit else ""
    return f"{len(names)} ({', '.join(names[:limit])}{more})" if names else "none"


def read_table(report: Summary) -> RenderableType:
    """Show what was read."""
    counts = report.counts
    return facts(
        [
            ("items", str(report.items)),
            ("models", listing(report.models)),
            ("groups", listing(report.groups)),
            ("metrics", listing(report.metrics)),
            ("scored", str(counts.scored)),
            ("missing", str(counts.missing)),
            ("errored", str(counts.errored)),
            ("unscored", str(counts.unscored)),
            ("duplicate", str(counts.duplicate)),
        ]
    )


def manifest_table(
    manifest: Manifest, path: Path | None, costs: Costs, equals: RandomItems | None = None
) -> RenderableType:
    """Show what was chosen, what it costs, and what it is worth."""
    of = "pool" if manifest.parent else "frame"
    digest = f"{manifest.frame_digest[:12]}…" if manifest.frame_digest else "ids not known"
    rows = [
        (manifest.kind, f"{manifest.n} of {manifest.n_pool} items of the {of}"),
        ("frame", f"{manifest.n_frame} items, {digest}"),
        ("design", f"{manifest.design} {_settings(manifest)}"),
    ]
    if manifest.design != ADOPTED:
        rows.append(("seed", str(manifest.seed)))
    if manifest.probes:
        rows.append(("probes", listing(manifest.probes)))
    if manifest.distance is not None:
        rows.append(("distance", f"{manifest.distance:.3g} between probe means"))
    rows += cost_facts(costs, manifest.design)
    if manifest.kind == "subset":
        rows.append(("equals", equals_of(manifest.design, equals)))
    rows.append(("digest", f"{manifest.digest[:12]}…"))
    rows.append(("written to", str(path) if path else "nowhere; give -o FILE to keep it"))
    return facts(rows)


def _settings(manifest: Manifest) -> str:
    shown = {name: value for name, value in manifest.parameters.items() if "digest" not in name}
    return ", ".join(f"{name}={value}" for name, value in shown.items())


def estimates_table(report: EstimateTable, manifest: Manifest) -> RenderableType:
    """Show full scores with their intervals."""
    shrunk = any(row.unshrunk is not None for row in report.models)
    figures = ["estimate", "se", f"{percent(report.level)} interval", "n"]
    table = table_of(["model"], [*figures, *(["unshrunk"] if shrunk else [])])
    for row in report.models:
        more = [number(row.unshrunk)] if shrunk else []
        table.add_row(
            Text(row.model),
            number(row.estimate),
            number(row.se),
            f"{number(row.low)} … {number(row.high)}",
            str(row.n),
            *more,
        )
    gaps = f"Gaps below about {number(report.resolution)} are not resolved."
    if math.isnan(report.resolution):
        gaps = "How small a gap can be resolved is not known."
    resolution = (
        f"Full scores of metric {report.metric!r} over {manifest.n_frame} items, from "
        f"{manifest.n} ({report.estimator}). {gaps}"
    )
    return Group(table, Text(resolution))


def differences_table(report: DifferenceTable, *, higher_is_better: bool) -> RenderableType:
    """Show each model against the baseline."""
    table = table_of(["model"], ["difference", "se", f"{percent(report.level)} interval"])
    table.add_column("verdict", no_wrap=True)
    for pair in report.pairs:
        table.add_row(
            Text(pair.model),
            number(pair.difference),
            number(pair.se),
            f"{number(pair.low)} … {number(pair.high)}",
            Text(pair.verdict, style=VERDICT_STYLES[pair.verdict]),
        )
    baseline = report.pairs[0].baseline if report.pairs else ""
    better = "higher" if higher_is_better else "lower"
    said = f"against {baseline}, metric {report.metric!r}, {better} is better"
    return Group(Text(said), table)


def checks_table(report: Verification) -> RenderableType:
    """Show what was checked."""
    table = Table.grid(padding=(0, 2))
    for _ in range(2):
        table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    table.add_row(Text("unaltered", style="bold"), Text("passed", style="green"), "digest matches")
    for check in report.checks:
        style = OUTCOME_STYLES[check.outcome]
        table.add_row(
            Text(check.name, style="bold"),
            Text(check.outcome, style=style),
            Text(check.text),
        )
    return table


def demo_tables(report: Demo) -> RenderableType:
    """Show the demo: estimates beside the truth, errors over draws, cost, what to do next."""
    targets = table_of(
        ["model"],
        ["estimate", f"{percent(report.level)} interval", "truth", "error, points"],
        "Hidden targets: what the subset says, and what is true",
    )
    for row in report.targets:
        inside = row.low <= row.truth <= row.high
        targets.add_row(
            Text(row.model),
            number(row.estimate, 3),
            f"{row.low:.3f} … {row.high:.3f}",
            Text(number(row.truth, 3), style="green" if inside else "red"),
            f"{100 * (row.estimate - row.truth):+.1f}",
        )
    errors = table_of(
        ["design"],
        ["mean", "P95", "high-error"],
        f"Mean absolute error over targets, {report.draws} draws, points",
    )
    for line in report.errors:
        errors.add_row(
            line.design,
            number(100 * line.mean, 2),
            number(100 * line.p95, 2),
            f"{line.high_error:.0%}",
        )
    known = [(line.design, line.equals) for line in report.errors if line.equals is not None]
    worth = [
        f"{report.subset} items chosen by {name} equal {equals_said(row)}." for name, row in known
    ]
    if worth:
        worth[-1] += intervals_said(known[-1][1])
    cost = (
        f"Cost: the probes ran {report.pool} of {report.items} items each, which is "
        f"{report.construction_cost:.2f} full-benchmark runs of one (cheap) model in all; every "
        f"target runs {report.subset} items, {report.cost_per_target:.1%} of the benchmark. "
        "High-error: share of draws whose error is above Random's 70th percentile."
    )
    todo = (
        "On your own data:\n"
        "  bestrand pool items.txt -n 200 --seed 0 -o pool.json\n"
        "  bestrand select probes.parquet -n 200 --pool pool.json -o subset.json\n"
        "  bestrand estimate subset.json targets.parquet --probes probes.parquet"
    )
    said = Text("\n".join(worth))
    return Group(targets, "", errors, "", said, "", Text(cost), "", Text(todo))

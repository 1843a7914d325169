"""A study as tables for people; errors in points, 100 points being the unit of scores on 0..1."""

from collections.abc import Iterable
from math import isnan

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from bestrand.reporting.charts.style import noun, number
from bestrand.reporting.json.study import EmptyCells, StudyReport
from bestrand.study.columns import AverageRow


ALL = "all"
NAME_WIDTH, MOST_NAMES = 16, 3
WORDS = (
    "MAE: mean error in points, on as many benchmarks as `on` says. Ratio: to Random on the same, "
    "with its 95 % interval; P95: the same of the 95th percentile. Equals: how many random items "
    "err as little on average, in times the subset's n. >P70: share of draws above Random's 70th "
    "percentile. Held: intervals that held the truth. Cost: of construction, in full runs of one "
    "model. More columns: --json, bestrand report."
)
OUTCOMES = {"passed": "green", "failed": "red", "empty": "red"}


def study_tables(report: StudyReport) -> RenderableType:
    """Show averages over benchmarks, by kind and retention, what stayed empty, and the claims."""
    parts: list[RenderableType] = [Text(_head(report))]
    for title, rows in _blocks(report.averages):
        parts += ["", _block(title, rows)]
    parts += ["", Text(WORDS)]
    if report.article:
        parts += ["", _beside(report)]
    if report.empty:
        parts += ["", _empty(report)]
    if report.claims:
        parts += ["", _claims(report)]
    return Group(*parts)


def _head(report: StudyReport) -> str:
    used = [benchmark for benchmark in report.benchmarks if benchmark.reason is None]
    families = len({benchmark.family for benchmark in used})
    text = (
        f"Protocol {report.protocol!r}, seed {report.seed}: "
        f"{report.cells} {noun(report.cells, 'cell')} on {len(used)} "
        f"{noun(len(used), 'benchmark')} of {families} {noun(families, 'family', 'families')}, "
        f"{report.empty_cells} empty."
    )
    if report.missing_cells:
        text += f" {report.missing_cells} cells are not computed yet."
    unused = [benchmark for benchmark in report.benchmarks if benchmark.reason is not None]
    for benchmark in unused:
        text += f"\nNot used: {benchmark.benchmark}. {benchmark.reason}"
    return text


def _blocks(
    averages: Iterable[AverageRow],
) -> Iterable[tuple[str, list[AverageRow]]]:
    """Take the averages apart: a block for each experiment, setting, kind and retention."""
    blocks: dict[str, list[AverageRow]] = {}
    for row in averages:
        if row.kind != ALL and row.retention is not None:
            continue  # kind by size is in the JSON and the report: too much for a screen
        known = f"{row.known:.0%} of the models" if row.known < 1 else f"{row.known:.0f} models"
        title = f"{row.experiment}: {row.split}, {known} known"
        title += "" if row.kind == ALL else f", {row.kind}"
        title += ", all sizes" if row.retention is None else f", {row.retention:.0%} of the items"
        blocks.setdefault(title, []).append(row)
    return blocks.items()


def _block(title: str, rows: list[AverageRow]) -> RenderableType:
    table = Table(
        title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0)
    )
    table.add_column("strategy", overflow="fold", min_width=NAME_WIDTH)
    # over several sizes there is no one number of random items
    at_one_size = any(row.retention is not None for row in rows)
    worth = ["equals"] if at_one_size else []
    for head in ("MAE", "ratio", "95 %", "P95", *worth, ">P70", "held", "cost", "on"):
        table.add_column(head, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(
            Text(row.strategy),
            points(row.mae),
            number(row.mae_ratio, 2),
            "–" if isnan(row.mae_low) else f"{row.mae_low:.2f}–{number(row.mae_high, 2)}",
            number(row.p95_ratio, 2),
            *(["–" if isnan(row.equals) else f"{row.equals:.1f}n"] if at_one_size else []),
            share(row.high_70),
            share(row.coverage),
            number(row.cost_construction, 2),
            str(row.benchmarks),
        )
    return table


def _beside(report: StudyReport) -> RenderableType:
    """Show the article's figures beside ours."""
    table = Table(
        title="Beside the article, Random Is Almost Enough? Stable and Low-Cost Benchmark "
        "Compression via BestRand (2026): other matrices, models and probes, so figures need not "
        "agree",
        title_justify="left",
    )
    table.add_column("experiment", justify="right")
    table.add_column("figure")
    for head in ("article", "ours"):
        table.add_column(head, justify="right")
    write = {"points": points, "share": share, "number": number}
    for line in report.article:
        to_text = write[line.unit]
        table.add_row(str(line.figure), line.what, to_text(line.article), to_text(line.ours))
    return table


def points(value: float) -> str:
    """Write an error in points."""
    return "–" if isnan(value) else f"{100 * value:.2f}"


def share(value: float) -> str:
    """Write a share in percent."""
    return "–" if isnan(value) else f"{value:.1%}"


def _empty(report: StudyReport) -> RenderableType:
    """Show what stayed empty, a line a reason."""
    reasons: dict[str, list[EmptyCells]] = {}
    for row in report.empty:
        reasons.setdefault(row.reason, []).append(row)
    lines = [Text("Cells that stayed empty, and why", style="italic")]
    for reason, rows in reasons.items():
        cells = sum(row.cells for row in rows)
        strategies = _few(row.strategy for row in rows)
        benchmarks = _few(name for row in rows for name in row.benchmarks)
        lines.append(Text(f"{cells} of {strategies} on {benchmarks}: {reason}"))
    return Group(*lines)


def _few(names: Iterable[str]) -> str:
    distinct = list(dict.fromkeys(names))
    more = f" and {len(distinct) - MOST_NAMES} more" if len(distinct) > MOST_NAMES else ""
    return ", ".join(distinct[:MOST_NAMES]) + more


def _claims(report: StudyReport) -> RenderableType:
    table = Table.grid(padding=(0, 2))
    for claim in report.claims:
        table.add_row(
            Text(claim.outcome, style=OUTCOMES[claim.outcome]), Text(claim.claim), Text(claim.text)
        )
    return table

"""A study as tables for people; errors in points, 100 points being the unit of scores on 0..1."""

from collections.abc import Iterable

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from bestrand.report.study_contracts import StudyAverage, StudyReport
from bestrand.report.terminal import number


ALL = "all"
OUTCOMES = {"passed": "green", "failed": "red", "empty": "red"}


def study_tables(report: StudyReport) -> RenderableType:
    """Show averages over benchmarks, by kind and retention, what stayed empty, and the claims."""
    parts: list[RenderableType] = [Text(_head(report))]
    for title, rows in _blocks(report.averages):
        parts += ["", _block(title, rows)]
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
        f"Protocol {report.protocol!r}, seed {report.seed}: {report.cells} cells on {len(used)} "
        f"benchmarks of {families} families, {report.empty_cells} empty."
    )
    if report.missing_cells:
        text += f" {report.missing_cells} cells are not computed yet."
    unused = [benchmark for benchmark in report.benchmarks if benchmark.reason is not None]
    for benchmark in unused:
        text += f"\nNot used: {benchmark.benchmark}. {benchmark.reason}"
    return text


def _blocks(
    averages: Iterable[StudyAverage],
) -> Iterable[tuple[str, list[StudyAverage]]]:
    """Take the averages apart: a block for each experiment, setting, kind and retention."""
    blocks: dict[str, list[StudyAverage]] = {}
    for row in averages:
        if row.kind != ALL and row.retention is not None:
            continue  # kind by size is in the JSON and the report: too much for a screen
        known = f"{row.known:.0%} of the models" if row.known < 1 else f"{row.known:.0f} models"
        title = f"{row.experiment}: {row.split}, {known} known"
        title += "" if row.kind == ALL else f", {row.kind}"
        title += ", all sizes" if row.retention is None else f", {row.retention:.0%} of the items"
        blocks.setdefault(title, []).append(row)
    return blocks.items()


def _block(title: str, rows: list[StudyAverage]) -> RenderableType:
    table = Table(title=title, title_justify="left")
    table.add_column("strategy")
    heads = ("MAE", "to random", "95 % interval", "P95", "to random", "sd", ">P70", ">mean")
    more = ("Spearman", "covered", "width", "cost", "benchmarks")
    for head in (*heads, *more):
        table.add_column(head, justify="right")
    for row in rows:
        table.add_row(
            Text(row.strategy),
            points(row.mae),
            number(row.mae_ratio, 3),
            f"{number(row.mae_low, 3)} … {number(row.mae_high, 3)}",
            points(row.p95),
            number(row.p95_ratio, 3),
            points(row.sd),
            share(row.high_70),
            share(row.high_mean),
            number(row.spearman, 3),
            share(row.coverage),
            points(row.width),
            number(row.cost_construction, 2),
            str(row.benchmarks),
        )
    return table


def _beside(report: StudyReport) -> RenderableType:
    """Show the article's figures beside ours."""
    table = Table(
        title="Beside the article, Random Is Almost Enough? (2026): other matrices, models and "
        "probes, so figures need not agree",
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


def points(value: float | None) -> str:
    """Write an error in points."""
    return "–" if value is None else f"{100 * value:.2f}"


def share(value: float | None) -> str:
    """Write a share in percent."""
    return "–" if value is None else f"{value:.1%}"


def _empty(report: StudyReport) -> RenderableType:
    table = Table(title="Cells that stayed empty", title_justify="left")
    for head in ("experiment", "strategy", "cells", "benchmarks", "why"):
        table.add_column(head)
    for row in report.empty:
        names = ", ".join(row.benchmarks[:2]) + (", …" if len(row.benchmarks) > 2 else "")
        cells = [row.experiment, row.strategy, str(row.cells), names, row.reason]
        table.add_row(*[Text(cell) for cell in cells])
    return table


def _claims(report: StudyReport) -> RenderableType:
    table = Table.grid(padding=(0, 2))
    for claim in report.claims:
        table.add_row(
            Text(claim.outcome, style=OUTCOMES[claim.outcome]), Text(claim.claim), Text(claim.text)
        )
    return table

"""The page of a study: the article's figures in kind, what stayed empty, and how it was done."""

from collections.abc import Callable, Iterator

import polars as pl

from bestrand.reporting.charts.style import Row, count, noun
from bestrand.reporting.html.figure import Column, Figure
from bestrand.reporting.html.page import Page, Section
from bestrand.reporting.html.study_curves import curve_figures, worth_words
from bestrand.reporting.html.study_errors import (
    cost_figures,
    distribution_figures,
    error_figures,
    high_error_figures,
    ranking_figures,
)
from bestrand.reporting.html.study_other import (
    ablation_figures,
    calibration_figures,
    design_figures,
    driving_figures,
    stability_figures,
    theory_figures,
    transfer_figures,
)
from bestrand.reporting.html.study_view import StudyView
from bestrand.reporting.json.study import ARTICLE
from bestrand.study.article import set_beside
from bestrand.study.table import StudyTable


PARTS: tuple[tuple[str, Callable[[StudyView], Iterator[Figure]]], ...] = (
    ("Errors", error_figures),
    ("High error", high_error_figures),
    ("Distributions", distribution_figures),
    ("Theory", theory_figures),
    ("Rankings", ranking_figures),
    ("Cost", cost_figures),
    ("Ablations", ablation_figures),
    ("Number of models", curve_figures),
    ("Stability", stability_figures),
    ("Out of distribution", transfer_figures),
    ("Driving", driving_figures),
    ("Designs and estimators", design_figures),
    ("Calibration", calibration_figures),
)


def study_page(table: StudyTable) -> Page:
    """Make the page of a study, as far as it was computed.

    Args:
        table: what `run_study` gave, or what was read from its folder.
    """
    view = StudyView.of(table)
    words = {"Errors": tuple(worth_words(view))}
    sections = [Section(title, words.get(title, ()), tuple(make(view))) for title, make in PARTS]
    sections = [section for section in sections if section.figures]
    if table.protocol.name == ARTICLE and not view.averages.is_empty():
        sections.append(_beside(view))
    sections += [_empty(table), _benchmarks(table), _protocol(table)]
    return Page(
        f"Study: {table.protocol.name}",
        tuple(_lead(view)),
        tuple(sections),
        tuple(_names(table)),
    )


def _names(table: StudyTable) -> Iterator[str]:
    """Return the names that somebody chose."""
    yield table.protocol.name
    for experiment in table.protocol.experiments:
        yield experiment.name
        for planned in experiment.planned:
            yield planned.name
            yield from () if planned.of is None else (planned.of,)
    for line in table.benchmarks.iter_rows(named=True):
        yield from (line["benchmark"], line["family"], *(line["metrics"] or ()))


def _lead(view: StudyView) -> Iterator[str]:
    table = view.table
    used = table.benchmarks.filter(pl.col("reason").is_null())
    cells, families, missing = view.cells.height, used["family"].n_unique(), table.missing
    yield (
        f"{count(cells)} {noun(cells, 'cell')} on {used.height} {noun(used.height, 'benchmark')} "
        f"of {families} {noun(families, 'family', 'families')}; {count(table.empty.height)} "
        f"stayed empty. Seed {table.seed}."
    )
    if missing:
        yield (
            f"{count(missing)} {noun(missing, 'cell is', 'cells are')} not computed yet; what "
            "follows is without them."
        )
    yield (
        "Errors are mean absolute errors over targets of estimated against full scores; points "
        "are 100 times the metric's unit. Every ratio is to Random on the same splits and seeds."
    )
    if view.averages.is_empty():
        yield "No cell has Random beside another strategy, so there is nothing to average."


def _beside(view: StudyView) -> Section:
    scale = {"points": 100.0, "share": 100.0, "number": 1.0}
    units = {"points": "points", "share": "%", "number": ""}
    rows: list[Row] = [
        {
            "figure": line.figure,
            "what": line.what,
            "article": scale[line.unit] * line.article,
            "ours": scale[line.unit] * line.ours,
            "unit": units[line.unit],
        }
        for line in set_beside(view.table, view.averages)
    ]
    figure = Figure(
        key="article",
        title="The article's figures beside ours",
        caption=(
            "Random Is Almost Enough? Stable and Low-Cost Benchmark Compression via BestRand "
            "(Bosch Research and Carnegie Mellon University, 2026). Our benchmarks, models and "
            "probes are others, so the figures need not agree. A dash: this study has no such "
            "figure."
        ),
        n=f"{len(rows)} {noun(len(rows), 'figure')} of the article",
        error="that of ours stands with the figures above; the article states none.",
        columns=(
            Column("what", "figure"),
            Column("article", "article", 2),
            Column("ours", "ours", 2),
            Column("unit", "unit"),
            Column("figure", "experiment"),
        ),
        rows=tuple(rows),
        show="table",
    )
    return Section("Beside the article", (), (figure,))


def _empty(table: StudyTable) -> Section:
    lines = table.empty.group_by("experiment", "strategy", "reason", maintain_order=True).agg(
        pl.len().alias("cells"), pl.col("benchmark").unique().sort().str.join(", ")
    )
    text = "" if lines.height else "None: every strategy ran in every cell."
    figure = Figure(
        key="empty",
        title="Cells that stayed empty, and why",
        caption="Such a cell has no number, and counts in no average.",
        n=f"{count(table.empty.height)} {noun(table.empty.height, 'cell')}",
        error="none, for these are counts.",
        columns=(
            Column("strategy", "strategy"),
            Column("reason", "why"),
            Column("cells", "cells"),
            Column("experiment", "experiment"),
            Column("benchmark", "benchmarks"),
        ),
        rows=tuple(lines.iter_rows(named=True)),
        show="table",
    )
    return Section("What stayed empty", (text,) if text else (), (figure,) if lines.height else ())


def _benchmarks(table: StudyTable) -> Section:
    rows = [
        {**line, "metrics": ", ".join(line["metrics"] or ())}
        for line in table.benchmarks.iter_rows(named=True)
    ]
    figure = Figure(
        key="matrices",
        title="Benchmarks",
        caption=(
            "What the study was given. Benchmarks of one family share their models, and count as "
            "one cluster in the intervals."
        ),
        n=f"{len(rows)} score {noun(len(rows), 'matrix', 'matrices')}",
        error="none, for these are counts.",
        columns=(
            Column("benchmark", "benchmark"),
            Column("kind", "kind"),
            Column("family", "family"),
            Column("models", "models"),
            Column("items", "items"),
            Column("groups", "groups"),
            Column("metrics", "metrics"),
            Column("reason", "not used because"),
        ),
        rows=tuple(rows),
        show="table",
    )
    return Section("Benchmarks", (), (figure,))


def _protocol(table: StudyTable) -> Section:
    protocol = table.protocol
    rows: list[Row] = [
        {
            "experiment": experiment.name,
            "strategies": ", ".join(planned.name for planned in experiment.planned),
            "retentions": ", ".join(f"{retention:g}" for retention in experiment.retentions),
            "splits": ", ".join(experiment.splits),
            "regime": experiment.regime,
            "known": ", ".join(f"{known:g}" for known in experiment.known),
            "replicates": experiment.replicates,
        }
        for experiment in protocol.experiments
    ]
    figure = Figure(
        key="protocol",
        title="Experiments",
        caption=(
            "Known models and targets are disjoint in every replicate; no strategy sees a target's "
            "score outside its subset."
        ),
        n=f"{len(rows)} {noun(len(rows), 'experiment')}",
        error="none.",
        columns=(
            Column("experiment", "experiment"),
            Column("replicates", "replicates"),
            Column("retentions", "retentions"),
            Column("splits", "splits"),
            Column("regime", "regime"),
            Column("known", "known models"),
            Column("strategies", "strategies"),
        ),
        rows=tuple(rows),
        show="table",
    )
    about = (protocol.about,) if protocol.about else ()
    return Section("How it was done", about, (figure,))

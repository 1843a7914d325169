"""`bestrand report`: one page of a subset and its targets, or of a study."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import bestrand as br
from bestrand.cli.options import ForceOption
from bestrand.cli.output import Output, refuse_stdout
from bestrand.cli.reading import Reading
from bestrand.cli.targets import Estimating
from bestrand.errors import ArgumentError


if TYPE_CHECKING:
    from bestrand.notes import Note
    from bestrand.reporting.html.page import Page

# options by what they speak of; one that would change nothing is refused, not passed over
OF_TARGETS = {
    "estimator": "--estimator",
    "missing": "--missing",
    "level": "--level",
    "lower_is_better": "--lower-is-better",
}
OF_READING = {
    "metric": "--metric",
    "column": "--column",
    "ranges": "--range",
    "duplicates": "--duplicates",
    "errors": "--errors",
}
OF_SUBSETS = {"scores": "SCORES", "probes": "--probes", **OF_TARGETS, **OF_READING}


def report(
    ctx: typer.Context,
    what: Annotated[
        Path,
        typer.Argument(
            metavar="SUBSET|STUDY",
            help="What `bestrand select` or `bestrand pool` wrote, or the folder of a study.",
            show_default=False,
        ),
    ],
    scores: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SCORES",
            help="Scores of the targets on the subset; without them the page says what was chosen "
            "and how.",
            show_default=False,
        ),
    ] = None,
    *,
    output: Annotated[
        Path,
        typer.Option("-o", "--output", metavar="FILE", help="The page, .html.", show_default=False),
    ],
    figures: Annotated[
        Path | None,
        typer.Option(
            "--figures",
            metavar="DIR",
            help="Write each chart into this folder too, as SVG, PDF and PNG.",
        ),
    ] = None,
    force: ForceOption = False,
    how: Estimating,
    reading: Reading,
    out: Output,
) -> None:
    """Write an HTML page of a subset or a study.

    The page works offline and holds charts, tables that sort, and the rows behind.

    Example: bestrand report subset.json targets/ --probes probes.parquet -o page.html
    """
    from bestrand.reporting.charts.style import noun
    from bestrand.reporting.write import check_report, write_page

    refuse_stdout(output, "a page")
    check_report(output, figures)
    _refuse_idle(ctx, what, scores, how)
    page, text, notes = _study(what) if what.is_dir() else _subset(what, scores or [], how, reading)
    write_page(page, output, figures=figures, force=force)
    out.json(text)
    n = len(page.figures)
    out.say(f"{n} {noun(n, 'figure')} written to {output}")
    if figures is not None:
        out.say(f"charts written to {figures}")
    out.notes(list(dict.fromkeys(notes)))


def _refuse_idle(
    ctx: typer.Context, what: Path, scores: Sequence[str] | None, how: Estimating
) -> None:
    """Refuse options that would change nothing."""
    if what.is_dir():
        _refuse(
            _given(ctx, OF_SUBSETS),
            "this goes with a subset, and here is the folder of a study. Give it alone.",
        )
    elif not scores:
        _refuse(
            _given(ctx, OF_TARGETS),
            "this is about the estimates of targets, and no scores of targets are given. "
            "Give them after the subset, or leave it out.",
        )
        if not how.probes:
            _refuse(
                _given(ctx, OF_READING),
                "this is about reading scores, and none are given. Give some, or leave it out.",
            )


def _given(ctx: typer.Context, options: Mapping[str, str]) -> list[str]:
    """Name those of these options that stand on the command line, whatever their value."""
    sources = {option: ctx.get_parameter_source(name) for name, option in options.items()}
    return [option for option, source in sources.items() if source and source.name == "COMMANDLINE"]


def _refuse(options: Sequence[str], why: str) -> None:
    if options:
        raise ArgumentError(f"{', '.join(f'`{option}`' for option in options)}: {why}")


def _study(folder: Path) -> "tuple[Page, str, list[Note]]":
    """Make the page of a study, what `bestrand study --json` prints of it, and its notes."""
    from bestrand.reporting.html.study import study_page
    from bestrand.reporting.json.study import study_report

    table = br.read_study(folder)
    report = study_report(table)
    return study_page(table), report.to_json(), list(report.notes)


def _subset(
    path: Path, scores: Sequence[str], how: Estimating, reading: Reading
) -> "tuple[Page, str, list[Note]]":
    """Make the page of a subset, and of its targets if scores are given; its JSON and notes."""
    from bestrand.reporting.html.subset import subset_page
    from bestrand.reporting.json.subset import subset_report

    manifest = br.Manifest.read(path)
    known = how.read_probes(reading)
    result = how.estimate(manifest, scores, known, reading) if scores else None
    seen = subset_report(manifest, result, known)
    notes = [*(seen.estimates.notes if seen.estimates else ()), *seen.notes]
    return subset_page(seen, manifest), seen.to_json(), notes

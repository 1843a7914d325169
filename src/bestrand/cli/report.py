"""`bestrand report`: one page of a subset and its targets, or of a study."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bestrand.cli.common import (
    ColumnOption,
    DuplicatesOption,
    ErrorsOption,
    EstimatorOption,
    ForceOption,
    JsonOption,
    LevelOption,
    LowerOption,
    MetricOption,
    MissingOption,
    Output,
    ProbesFileOption,
    QuietOption,
    RangeOption,
    read_for_cli,
)
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


def register(app: typer.Typer) -> None:
    """Add the verb."""

    @app.command(
        epilog="Example: bestrand report subset.json targets/ --probes probes.parquet -o page.html"
    )
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
                metavar="SCORES...",
                help="Scores of the targets on the subset; without them the page tells what was "
                "chosen and how.",
                show_default=False,
            ),
        ] = None,
        *,
        output: Annotated[
            Path,
            typer.Option(
                "-o", "--output", metavar="FILE", help="The page, .html.", show_default=False
            ),
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
        probes: ProbesFileOption = None,
        estimator: EstimatorOption = None,
        metric: MetricOption = None,
        missing: MissingOption = "error",
        level: LevelOption = 0.95,
        lower_is_better: LowerOption = False,
        column: ColumnOption = None,
        ranges: RangeOption = None,
        duplicates: DuplicatesOption = "error",
        errors: ErrorsOption = "keep",
        json: JsonOption = False,
        quiet: QuietOption = False,
    ) -> None:
        """Write one HTML page that works offline: charts, tables that sort, and the rows behind."""
        from bestrand.core.manifest import Manifest
        from bestrand.methods import make_estimator
        from bestrand.reporting.charts.style import noun
        from bestrand.reporting.html.subset import subset_page
        from bestrand.reporting.json.subset import subset_report
        from bestrand.reporting.write import check_report, write_page
        from bestrand.steps.estimate import estimate as infer

        out = Output(json, quiet)
        check_report(output, figures)
        if what.is_dir():
            _refuse(
                _given(ctx, OF_SUBSETS),
                "this goes with a subset, and here is the folder of a study. Give it alone.",
            )
            page, text, notes = _study(what)
        else:
            if not scores:
                _refuse(
                    _given(ctx, OF_TARGETS),
                    "this is about the estimates of targets, and no scores of targets are given. "
                    "Give them after the subset, or leave it out.",
                )
            if not scores and not probes:
                _refuse(
                    _given(ctx, OF_READING),
                    "this is about reading scores, and none are given. Give some, or leave it out.",
                )
            read = partial(
                read_for_cli,
                metric=metric,
                columns=column,
                ranges=ranges,
                duplicates=duplicates,
                errors=errors,
            )
            manifest = Manifest.read(what)
            known = read(probes) if probes else None
            result = None
            if scores:
                result = infer(
                    read(scores),
                    manifest,
                    probes=known,
                    metric=metric,
                    estimator=make_estimator(estimator),
                    missing=missing,
                    level=level,
                    higher_is_better=not lower_is_better,
                )
            seen = subset_report(manifest, result, known)
            page, text = subset_page(seen, manifest), seen.to_json()
            notes = [*(seen.estimates.notes if seen.estimates else ()), *seen.notes]
        write_page(page, output, figures=figures, force=force)
        out.json(text)
        if out.for_people:
            n = len(page.figures)
            typer.echo(f"{n} {noun(n, 'figure')} written to {output}")
            if figures is not None:
                typer.echo(f"charts written to {figures}")
        out.notes(list(dict.fromkeys(notes)))


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
    from bestrand.study.run import read_study

    table = read_study(folder)
    report = study_report(table)
    return study_page(table), report.to_json(), list(report.notes)

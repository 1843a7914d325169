"""The door to reports: one self-contained page of estimates, a subset or a study."""

from pathlib import Path

from bestrand.errors import ArgumentError, OutputError
from bestrand.estimates import Estimates
from bestrand.files import check_folder, write_whole
from bestrand.manifest import Manifest
from bestrand.report.charts.write import drawn
from bestrand.report.page import Page
from bestrand.report.study_page import study_page
from bestrand.report.subset_contracts import subset_report
from bestrand.report.subset_page import subset_page
from bestrand.scores import ScoreMatrix, ScoreTable
from bestrand.study.table import StudyTable


def report(
    what: Estimates | Manifest | StudyTable,
    path: str | Path,
    *,
    subset: Manifest | None = None,
    probes: ScoreTable | ScoreMatrix | None = None,
    figures: str | Path | None = None,
    force: bool = False,
) -> None:
    """Write a report: one HTML file that works offline.

    Args:
        what: estimates; a manifest alone, for what was chosen and how; or a study.
        path: where to.
        subset: the manifest from which estimates were made; without it the report says nothing of
            the items.
        probes: scores from which the subset was chosen, to show how well they are matched.
        figures: a folder for each chart as SVG, PDF and PNG; made if it is not there.
        force: replace other content that stands there.

    Raises:
        ArgumentError: a manifest or probes beside a manifest or a study, or estimates of another
            frame.
        InputError: the probes are not those of the manifest.
        OutputError: a folder is not there, or other content stands there and `force` is False.
    """
    if not isinstance(what, Estimates) and subset is not None:
        raise ArgumentError("`subset` goes with estimates. Give the manifest alone, or estimates.")
    check_report(path)
    if isinstance(what, StudyTable):
        if probes is not None:
            raise ArgumentError("`probes` go with a subset, and this is a study. Leave them out.")
        write_page(study_page(what), path, figures=figures, force=force)
        return
    manifest = what if isinstance(what, Manifest) else subset
    seen = subset_report(manifest, what if isinstance(what, Estimates) else None, probes)
    write_page(subset_page(seen, manifest), path, figures=figures, force=force)


def check_report(path: str | Path) -> None:
    """Require a path that a report can be written to.

    Raises:
        ArgumentError: its name does not end in `.html`.
        OutputError: the folder is not there, or `path` is no ordinary file.
    """
    if Path(path).suffix.lower() not in (".html", ".htm"):
        raise ArgumentError(
            f"A report is written as .html, got {str(path)!r}. End its name with it.", path=path
        )
    check_folder(Path(path))


def write_page(
    page: Page, path: str | Path, *, figures: str | Path | None = None, force: bool = False
) -> None:
    """Write a page, and each of its charts as files if a folder for them is named.

    Raises:
        OutputError: see `report`.
    """
    write_whole(Path(path), page.to_html().encode(), force=force)
    if figures is None:
        return
    folder = _folder(Path(figures))
    for figure in page.figures:
        if figure.chart is None:
            continue
        fresh = write_whole(folder / f"{figure.key}.svg", drawn(figure.chart, ".svg"), force=force)
        for ending in (".pdf", ".png"):
            place = folder / f"{figure.key}{ending}"
            # the same chart is not drawn to the same bytes twice as PDF, so what is there stays
            if fresh or not place.exists():
                write_whole(place, drawn(figure.chart, ending), force=force)


def _folder(path: Path) -> Path:
    try:
        path.mkdir(exist_ok=True)
    except (OSError, ValueError) as error:
        raise OutputError(
            f"Cannot make the folder {str(path)!r}: {error}. Name another.", path=path
        ) from error
    return path

"""The door to reports: one self-contained page of estimates, a subset or a study."""

from collections.abc import Iterator
from pathlib import Path

from bestrand.core.estimates import Estimates
from bestrand.core.manifest import Manifest
from bestrand.core.scores import ScoreMatrix, ScoreTable
from bestrand.errors import ArgumentError, OutputError
from bestrand.files import check_folder, check_write, write_whole
from bestrand.reporting.charts.write import drawn
from bestrand.reporting.html.page import Page
from bestrand.reporting.html.study import study_page
from bestrand.reporting.html.subset import subset_page
from bestrand.reporting.json.subset import subset_report
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
        ArgumentError: a manifest or probes beside a manifest or a study, estimates of another
            frame, or a path that is none of a page.
        InputError: the probes are not those of the manifest.
        OutputError: a folder is not there, or other content stands at the page or at a chart and
            `force` is False; then nothing is written.
    """
    if not isinstance(what, Estimates) and subset is not None:
        raise ArgumentError("`subset` goes with estimates. Give the manifest alone, or estimates.")
    check_report(path, figures)
    if isinstance(what, StudyTable):
        if probes is not None:
            raise ArgumentError("`probes` go with a subset, and this is a study. Leave them out.")
        write_page(study_page(what), path, figures=figures, force=force)
        return
    manifest = what if isinstance(what, Manifest) else subset
    seen = subset_report(manifest, what if isinstance(what, Estimates) else None, probes)
    write_page(subset_page(seen, manifest), path, figures=figures, force=force)


def check_report(path: str | Path, figures: str | Path | None = None) -> None:
    """Require a path that a report can be written to, and a folder for its charts.

    Args:
        path: of the page.
        figures: of the folder, if there is to be one; it need not be there yet.

    Raises:
        ArgumentError: the page's name does not end in `.html`, or is that of the folder too.
        OutputError: a folder is not there, `path` is no ordinary file, or `figures` no folder.
    """
    if Path(path).suffix.lower() != ".html":
        raise ArgumentError(
            f"A report is written as .html, got {str(path)!r}. End its name with it.", path=path
        )
    check_folder(Path(path))
    if figures is None:
        return
    try:
        is_page = Path(figures).resolve() == Path(path).resolve()
        is_file = Path(figures).exists() and not Path(figures).is_dir()
        has_parent = Path(figures).parent.is_dir()
    except (OSError, ValueError, RuntimeError) as error:
        raise _no_folder(figures, str(error)) from error
    if is_page:
        raise ArgumentError("The page and the folder of its charts have one name. Name another.")
    if is_file:
        raise _no_folder(figures, "it is a file")
    if not has_parent:
        raise _no_folder(figures, f"{str(Path(figures).parent)!r} does not exist")


def write_page(
    page: Page, path: str | Path, *, figures: str | Path | None = None, force: bool = False
) -> None:
    """Write a page, and each of its charts as files if a folder for them is named.

    All is drawn and checked before the first file is written.

    Raises:
        ArgumentError: see `check_report`.
        OutputError: see `report`.
    """
    check_report(path, figures)
    html = page.to_html().encode()
    check_write(Path(path), html, force=force)
    charts = [] if figures is None else list(_charts(page, Path(figures), force=force))
    if figures is not None:
        _make_folder(Path(figures))
    for place, content in [(Path(path), html), *charts]:
        write_whole(place, content, force=force)


def _charts(page: Page, folder: Path, *, force: bool) -> Iterator[tuple[Path, bytes]]:
    """Draw what is to be written into the folder, each file with its content."""
    for figure in page.figures:
        if figure.chart is None:
            continue
        content = drawn(figure.chart, ".svg")
        place = folder / f"{figure.key}.svg"
        fresh = not folder.exists() or check_write(place, content, force=force)
        yield place, content
        for ending in (".pdf", ".png"):
            place = folder / f"{figure.key}{ending}"
            # the same chart is not drawn to the same bytes twice as PDF, so what is there stays
            if fresh or not place.exists():
                content = drawn(figure.chart, ending)
                if folder.exists():
                    check_write(place, content, force=force)
                yield place, content


def _make_folder(path: Path) -> None:
    try:
        path.mkdir(exist_ok=True)
    except (OSError, ValueError) as error:
        raise _no_folder(path, str(error)) from error


def _no_folder(path: str | Path, why: str) -> OutputError:
    return OutputError(
        f"Cannot make the folder {str(path)!r}: {why}. Name another.", path=Path(path)
    )

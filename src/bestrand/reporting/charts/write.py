"""Charts as files: SVG, PNG, PDF, or one page of HTML; without a browser and without a network."""

from pathlib import Path

from bestrand.errors import ArgumentError
from bestrand.files import check_folder, write_whole
from bestrand.reporting.charts.style import Chart
from bestrand.reporting.html.page import chart_page


ENDINGS = (".svg", ".png", ".pdf", ".html")
PNG_SCALE = 2.0


def check_chart(path: str | Path) -> str:
    """Require a path that a chart can be written to, and give its ending in lower case.

    Raises:
        ArgumentError: another ending than those of `ENDINGS`.
        OutputError: the folder is not there, or `path` is no ordinary file.
    """
    ending = Path(path).suffix.lower()
    if ending not in ENDINGS:
        raise ArgumentError(
            f"A chart is written as {', '.join(ENDINGS)}, got {str(path)!r}. "
            "End its name with one of these.",
            path=path,
        )
    check_folder(Path(path))
    return ending


def write_chart(chart: Chart, path: str | Path, *, force: bool = False) -> None:
    """Write a chart; the ending says how: `.svg`, `.png`, `.pdf`, or `.html`, which works offline.

    Args:
        chart: what `bestrand.chart` gave, or any altair chart.
        path: where to.
        force: replace other content that stands there.

    Raises:
        ArgumentError: another ending.
        OutputError: the folder is not there, or other content stands there and `force` is False.
    """
    ending = check_chart(path)
    write_whole(Path(path), drawn(chart, ending), force=force)


def drawn(chart: Chart, ending: str) -> bytes:
    """Draw a chart as one of `ENDINGS`."""
    if ending == ".html":
        return chart_page(chart).encode()
    import vl_convert as convert

    spec = chart.to_dict()
    if ending == ".svg":
        return convert.vegalite_to_svg(spec, allowed_base_urls=[]).encode()
    if ending == ".png":
        return convert.vegalite_to_png(spec, scale=PNG_SCALE, allowed_base_urls=[])
    return convert.vegalite_to_pdf(spec, allowed_base_urls=[])

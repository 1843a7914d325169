"""One self-contained HTML file: charts, tables and text, offline, all data escaped."""

import hashlib
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from bestrand.reporting.html.bidi import isolating
from bestrand.reporting.html.figure import Figure


if TYPE_CHECKING:
    import jinja2

    from bestrand.reporting.charts.style import Chart


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page under one heading.

    Attributes:
        title: its heading.
        text: paragraphs above the figures.
        figures: in order.
        facts: names and values, as a list of terms.
    """

    title: str
    text: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()

    @property
    def key(self) -> str:
        """The anchor, from the heading."""
        words = "".join(letter if letter.isalnum() else " " for letter in self.title.lower())
        return "-".join(words.split())


@dataclass(frozen=True, slots=True)
class Page:
    """All of a page.

    Attributes:
        title: its heading.
        lead: what to know first, a sentence or two each.
        sections: in order.
        names: names from data that stand in its texts; those in rows need not be given again.
    """

    title: str
    lead: tuple[str, ...]
    sections: tuple[Section, ...]
    names: tuple[str, ...] = ()

    @property
    def figures(self) -> tuple[Figure, ...]:
        """All figures, in order."""
        return tuple(figure for section in self.sections for figure in section.figures)

    def to_html(self) -> str:
        """Write it as one self-contained HTML file."""
        charts = any(figure.chart is not None for figure in self.figures)
        scripts = _scripts(with_charts=charts)
        in_rows = (
            cell
            for figure in self.figures
            for row in figure.rows
            for cell in row.values()
            if isinstance(cell, str)
        )
        return _render(
            "report.html.j2",
            title=self.title,
            page=self,
            spec=page_spec,
            scripts=scripts,
            isolate=isolating((*self.names, *in_rows)),
        )


def chart_page(chart: "Chart") -> str:
    """Write a page that holds one chart as it is, with its own titles."""
    spec = chart.to_dict()
    scripts = _scripts(with_charts=True)
    return _render("chart.html.j2", title=_title_of(spec), chart_spec=spec, scripts=scripts)


def page_spec(figure: Figure) -> dict[str, Any]:
    """Return a figure's chart as it is drawn on a page: as wide as the page, titled by the page."""
    if figure.chart is None:
        raise ValueError("a figure without a chart has no spec")
    spec: dict[str, Any] = figure.chart.to_dict()
    spec.pop("title", None)
    if "vconcat" not in spec:
        spec |= {"width": "container", "autosize": {"type": "fit-x", "contains": "padding"}}
    spec["config"] = {**spec.get("config", {}), "background": None}
    return spec


def _title_of(spec: dict[str, Any]) -> str:
    title = spec.get("title", "Chart")
    return str(title["text"] if isinstance(title, dict) else title)


def _render(template: str, **names: Any) -> str:  # noqa: ANN401 - what a template takes
    page = _environment().get_template(template)
    policy = _policy(names["scripts"])
    text = page.render(**names, policy=policy, version=version("bestrand"), style=_file("page.css"))
    return text.encode("utf-8", "replace").decode("utf-8")  # an unpaired surrogate fails


@cache
def _environment() -> "jinja2.Environment":
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("bestrand.reporting.html", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    # `tojson` escapes <, >, & and quotes, so that no text can end the script that holds it
    environment.policies["json.dumps_kwargs"] = {"allow_nan": False, "ensure_ascii": True}
    return environment


def _file(name: str) -> str:
    return files("bestrand.reporting.html").joinpath("templates", name).read_text(encoding="utf-8")


@cache
def _scripts(*, with_charts: bool) -> tuple[str, ...]:
    if not with_charts:
        return (_file("page.js"),)
    import vl_convert

    return (vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;"), _file("page.js"))


def _policy(scripts: Sequence[str]) -> str:
    """Allow these scripts by their digests and nothing else: no network, no other script."""
    digests = [b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in scripts]
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests)
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )

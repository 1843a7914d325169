"""What all charts share: colours that print, fonts, sizes, and rows without nan.

Names come from data and may hold anything. They stand in rows, titles and the domains of scales,
where they are text; never in `sort`, `filter`, the domain of an offset, or any other place that
becomes an expression.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar


if TYPE_CHECKING:
    import altair as alt


Chart: TypeAlias = "alt.Chart | alt.LayerChart | alt.VConcatChart"
C = TypeVar("C", "alt.Chart", "alt.LayerChart", "alt.VConcatChart")
Width: TypeAlias = int | Literal["container"]
Cell: TypeAlias = str | int | float | bool | None
Row: TypeAlias = Mapping[str, Cell]
R = TypeVar("R", bound=Mapping[str, Any])

FILE_WIDTH = 520
ROW_HEIGHT = 20
LEAST_HEIGHT = 70  # so that the title of the axis fits
LABEL_LIMIT = 200
# colours that stay apart for the colour-blind and in grey: Okabe and Ito (2008), their order
# chosen so that neighbours differ in lightness
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#767676")
DASHES = [[1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [4, 4], [1, 2], [10, 3]]
INK, FAINT, NEUTRAL = "#222222", "#767676", "#9A9A9A"
CONFIG: dict[str, Any] = {
    "background": "white",
    "font": "Helvetica, Arial, sans-serif",
    "padding": {"left": 5, "top": 5, "right": 22, "bottom": 5},
    "view": {"stroke": None},
    "axis": {
        "labelFontSize": 11,
        "labelLimit": LABEL_LIMIT,
        "labelFlush": False,
        "labelSeparation": 8,
        "titleFontSize": 12,
        "titlePadding": 10,
        "titleFontWeight": "normal",
        "labelColor": INK,
        "titleColor": INK,
        "gridColor": "#DDDDDD",
        "domainColor": FAINT,
        "tickColor": FAINT,
    },
    "legend": {
        "labelFontSize": 11,
        "title": None,
        "orient": "top",
        "labelLimit": LABEL_LIMIT,
        "labelColor": INK,
    },
    "title": {
        "anchor": "start",
        "fontSize": 14,
        "color": INK,
        "subtitleFontSize": 11,
        "subtitleColor": INK,
        "subtitlePadding": 4,
        "offset": 10,
    },
}


def plain(value: Any) -> Cell:  # noqa: ANN401 - numpy's numbers and Python's
    """Return a value as JSON has it; a number that is not known becomes None.

    Examples:
        >>> plain(float("nan")), plain(3), plain("a")
        (None, 3, 'a')
    """
    if value is None or isinstance(value, str | bool | int):
        return value
    number = float(value)
    return number if math.isfinite(number) else None


def data(rows: Iterable[Mapping[str, Any]]) -> "alt.InlineData":
    """Return rows to a chart as they are, inline."""
    import altair as alt

    values = [{name: plain(value) for name, value in row.items()} for row in rows]
    return alt.InlineData(values=values)


def only(rows: Iterable[Row], *names: str) -> list[dict[str, Cell]]:
    """Keep these columns, so that a chart holds no more than it draws."""
    return [{name: row.get(name) for name in names} for row in rows]


def known(rows: Iterable[R], *names: str) -> list[R]:
    """Keep the rows in which all of these are known; a scale made of nothing is an error."""
    return [row for row in rows if all(plain(row.get(name)) is not None for name in names)]


def numbers(rows: Sequence[Row], column: str) -> list[float]:
    """Return the distinct numbers of a column, ascending."""
    values = [row.get(column) for row in rows]
    return sorted({float(value) for value in values if isinstance(value, int | float)})


def titled(title: str, *lines: str) -> "alt.TitleParams":
    """Return a title with smaller lines under it."""
    import altair as alt

    return alt.TitleParams(title, subtitle=list(lines)) if lines else alt.TitleParams(title)


def finished(chart: C, title: "alt.TitleParams") -> C:
    """Return a chart its title and the style of the house."""
    import altair as alt

    return chart.properties(title=title, config=alt.Config(**CONFIG))


def number(value: float | None, digits: int = 4) -> str:
    """Write a number, or a dash where it is not known.

    Examples:
        >>> number(0.12345), number(None), number(float("nan"))
        ('0.1235', '–', '–')
    """
    known = plain(value)
    return "–" if known is None else f"{known:.{digits}f}"


def count(n: int) -> str:
    """Write a whole number with thin groups of three.

    Examples:
        >>> count(12002)
        '12 002'
    """
    return f"{n:,}".replace(",", " ")


def by_strategy(names: Sequence[str]) -> "dict[str, alt.Color | alt.Shape | alt.StrokeDash]":
    """Return the channels that distinguish strategies, also in grey and for the colour-blind.

    Args:
        names: as they stand in the rows under `strategy`, in the order of the legend.
    """
    import altair as alt

    def scale(marks: Sequence[Any] | None = None) -> "alt.Scale":
        if marks is None:
            return alt.Scale(domain=list(names))
        return alt.Scale(domain=list(names), range=list(marks)[: len(names)])

    return {
        "color": alt.Color("strategy:N", scale=scale(COLOURS)),
        "shape": alt.Shape("strategy:N", scale=scale()),
        "strokeDash": alt.StrokeDash("strategy:N", scale=scale(DASHES)),
    }


def noun(n: int, one: str, many: str | None = None) -> str:
    """Return a noun as it stands behind a number.

    Args:
        n: the number.
        one: of one; more have an "s".
        many: of more, where it is another word.

    Examples:
        >>> noun(1, "family", "families"), noun(0, "item"), noun(2, "item")
        ('family', 'items', 'items')
    """
    return one if n == 1 else many or f"{one}s"


def share(value: float) -> str:
    """Write a share in percent, as short as it can be told.

    Examples:
        >>> share(0.05), share(0.125), share(0.0002)
        ('5 %', '12.5 %', '0.02 %')
    """
    return f"{100 * value:.3g} %"

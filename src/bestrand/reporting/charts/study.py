"""Charts of a study; every one takes rows, and the names of the columns that it draws."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from bestrand.reporting.charts.style import (
    COLOURS,
    FAINT,
    FILE_WIDTH,
    INK,
    LEAST_HEIGHT,
    ROW_HEIGHT,
    Row,
    Width,
    by_strategy,
    data,
    finished,
    known,
    numbers,
    only,
    titled,
)


if TYPE_CHECKING:
    import altair as alt


def ratio_chart(rows: Sequence[Row], *, title: str, width: Width = FILE_WIDTH) -> "alt.LayerChart":
    """Draw ratios to a base with their intervals, in the order of the rows; 1 is marked.

    Args:
        rows: with `strategy`, `ratio`, `low`, `high` and `benchmarks`.
        title: of the chart.
        width: in pixels, or "container".
    """
    import altair as alt

    drawn = only(rows, "strategy", "ratio", "low", "high", "benchmarks")
    base = alt.Chart(data(drawn)).encode(
        y=alt.Y("strategy:N", scale=alt.Scale(domain=_names(rows, "strategy")), title="strategy"),
        tooltip=[
            alt.Tooltip("strategy:N"),
            alt.Tooltip("ratio:Q", format=".3f"),
            alt.Tooltip("low:Q", title="95 % interval from", format=".3f"),
            alt.Tooltip("high:Q", title="to", format=".3f"),
            alt.Tooltip("benchmarks:Q"),
        ],
    )
    scale = alt.Scale(zero=False)
    axis = alt.X("low:Q", scale=scale, title="mean error over Random's")
    spans = base.mark_rule(strokeWidth=3, color=COLOURS[4]).encode(x=axis, x2="high:Q")
    dots = base.mark_point(filled=True, size=60, opacity=1, color=COLOURS[0]).encode(
        x=alt.X("ratio:Q", scale=scale, title="mean error over Random's")
    )
    one = (
        alt.Chart(data([{"one": 1.0}]))
        .mark_rule(strokeDash=[4, 3], color=FAINT)
        .encode(x=alt.X("one:Q", scale=scale))
    )
    chart = alt.LayerChart(layer=[one, *([spans] if known(rows, "low", "high") else []), dots])
    height = max(LEAST_HEIGHT, ROW_HEIGHT * len(_names(rows, "strategy")))
    return finished(
        chart.properties(width=width, height=height),
        titled(title, "Line: 95 % interval, families of benchmarks as clusters."),
    )


def dots_chart(
    rows: Sequence[Row],
    *,
    title: str,
    axis: str,
    y: str = "strategy",
    marked: float | None = None,
    share: bool = False,
    width: Width = FILE_WIDTH,
) -> "alt.LayerChart":
    """Draw several values a line, each kind of value with its colour and shape.

    Args:
        rows: with the column `y`, `what` (which value it is), `value` and `se`, its Monte Carlo
            error, which is drawn as a line.
        title: of the chart.
        axis: what the values are, with their unit.
        y: column of the lines' names.
        marked: a value to be marked.
        share: whether values are shares, and shown in percent.
        width: in pixels, or "container".
    """
    import altair as alt

    kinds, lines = _names(rows, "what"), _names(rows, y)
    form = ".1%" if share else ".4~g"
    ends = [
        {
            **row,
            "low": _less(row.get("value"), row.get("se"), least=0.0 if share else -math.inf),
            "high": _more(row.get("value"), row.get("se"), most=1.0 if share else math.inf),
            "lane": kinds.index(str(row.get("what"))),
        }
        for row in rows
    ]
    base = alt.Chart(data(ends)).encode(
        y=alt.Y(f"{y}:N", scale=alt.Scale(domain=lines), title=y),
        yOffset=alt.YOffset("lane:O", sort="ascending"),
        color=alt.Color("what:N", scale=alt.Scale(domain=kinds, range=list(COLOURS)[: len(kinds)])),
        tooltip=[
            alt.Tooltip(f"{y}:N"),
            alt.Tooltip("what:N", title="which"),
            alt.Tooltip("value:Q", format=form),
            alt.Tooltip("se:Q", title="Monte Carlo se", format=form),
        ],
    )
    scale = alt.Scale(zero=False)
    form_axis = alt.Axis(format=".3~%") if share else alt.Axis()
    spans = base.mark_rule(strokeWidth=2).encode(
        x=alt.X("low:Q", scale=scale, title=axis, axis=form_axis), x2="high:Q"
    )
    dots = base.mark_point(filled=True, size=55, opacity=1).encode(
        x=alt.X("value:Q", scale=scale, title=axis, axis=form_axis),
        shape=alt.Shape("what:N", scale=alt.Scale(domain=kinds)),
    )
    layers = [spans, dots] if known(ends, "low", "high") else [dots]
    if marked is not None:
        layers.insert(
            0,
            alt.Chart(data([{"marked": marked}]))
            .mark_rule(strokeDash=[4, 3], color=FAINT)
            .encode(x=alt.X("marked:Q", scale=scale)),
        )
    height = max(LEAST_HEIGHT, max(ROW_HEIGHT, 12 * len(kinds)) * len(lines))
    chart = alt.LayerChart(layer=layers).properties(width=width, height=height)
    return finished(chart, titled(title, "Line: one Monte Carlo standard error either side."))


def lines_chart(
    rows: Sequence[Row], *, title: str, axis: str, width: Width = FILE_WIDTH
) -> "alt.Chart":
    """Draw a value over the retention, a line a strategy.

    Args:
        rows: with `strategy`, `retention`, `value` and `se`.
        title: of the chart.
        axis: what the values are, with their unit.
        width: in pixels, or "container".
    """
    import altair as alt

    names = _names(rows, "strategy")
    chart: alt.Chart = (
        alt.Chart(data(rows))
        .mark_line(point=True, strokeWidth=2)
        .encode(
            x=alt.X(
                "retention:Q",
                scale=alt.Scale(type="log", nice=False),
                title="share of the items, log scale",
                axis=alt.Axis(format=".3~%", values=numbers(rows, "retention")),
            ),
            y=alt.Y("value:Q", title=axis),
            **by_strategy(names),
            tooltip=[
                alt.Tooltip("strategy:N"),
                alt.Tooltip("retention:Q", format=".3~%"),
                alt.Tooltip("value:Q", format=".4~g"),
                alt.Tooltip("se:Q", title="Monte Carlo se", format=".2~g"),
            ],
        )
        .properties(width=width, height=280)
    )
    return finished(chart, titled(title))


def spread_chart(rows: Sequence[Row], *, title: str, width: Width = FILE_WIDTH) -> "alt.LayerChart":
    """Draw percentiles of errors: thin 5 to 95, thick 25 to 75, a tick at 95, a dot at the median.

    Args:
        rows: with `benchmark`, `strategy`, and `q5`, `q25`, `q50`, `q75`, `q95` in points.
        title: of the chart.
        width: in pixels, or "container".
    """
    import altair as alt

    benchmarks, names = _names(rows, "benchmark"), _names(rows, "strategy")
    axis = "mean absolute error, points"
    drawn = only(rows, "benchmark", "strategy", *(f"q{p}" for p in (5, 25, 50, 75, 95)))
    for row in drawn:
        row["lane"] = names.index(str(row["strategy"]))
    base = alt.Chart(data(drawn)).encode(
        y=alt.Y("benchmark:N", scale=alt.Scale(domain=benchmarks), title="benchmark"),
        yOffset=alt.YOffset("lane:O", sort="ascending"),
        color=alt.Color(
            "strategy:N", scale=alt.Scale(domain=names, range=list(COLOURS)[: len(names)])
        ),
        tooltip=[
            alt.Tooltip("benchmark:N"),
            alt.Tooltip("strategy:N"),
            *(alt.Tooltip(f"q{p}:Q", title=f"P{p}", format=".2f") for p in (5, 25, 50, 75, 95)),
        ],
    )
    thin = base.mark_rule(strokeWidth=1.5).encode(x=alt.X("q5:Q", title=axis), x2="q95:Q")
    thick = base.mark_bar(height=6).encode(x="q25:Q", x2="q75:Q")
    dots = base.mark_point(filled=True, size=22, opacity=1, color="white", stroke=INK).encode(
        x="q50:Q", color=alt.value("white")
    )
    ticks = base.mark_tick(thickness=2.5, size=10).encode(x="q95:Q")
    height = max(ROW_HEIGHT, 13 * len(names)) * len(benchmarks)
    chart = alt.LayerChart(layer=[thin, thick, ticks, dots])
    return finished(
        chart.properties(width=width, height=height),
        titled(title, "Dot: median; bar: P25 to P75; tick: P95."),
    )


def agreement_chart(
    rows: Sequence[Row],
    *,
    title: str,
    x: str,
    y: str,
    x_axis: str,
    y_axis: str,
    by: str,
    width: Width = FILE_WIDTH,
) -> "alt.LayerChart":
    """Draw one value against another that it should equal, and the line on which it does.

    Args:
        rows: with columns `x`, `y`, `by` (a colour each) and `benchmark`.
        title: of the chart.
        x: column.
        y: column.
        x_axis: its title, with the unit.
        y_axis: its title, with the unit.
        by: column that gives the colour; the first seven values have one of their own.
        width: in pixels, or "container".
    """
    import altair as alt

    names = _names(rows, by)
    top = max([0.0, *numbers(rows, x), *numbers(rows, y)])
    ends = alt.Chart(data([{"a": 0.0, "b": 0.0}, {"a": top, "b": top}]))
    same = ends.mark_line(strokeDash=[4, 3], color=FAINT).encode(x="a:Q", y="b:Q")
    dots = (
        alt.Chart(data(only(rows, x, y, by, "benchmark")))
        .mark_point(filled=True, size=55, opacity=1)
        .encode(
            x=alt.X(f"{x}:Q", title=x_axis),
            y=alt.Y(f"{y}:Q", title=y_axis),
            color=alt.Color(f"{by}:N", scale=alt.Scale(domain=names, range=list(COLOURS))),
            shape=alt.Shape(f"{by}:N", scale=alt.Scale(domain=names)),
            tooltip=[
                alt.Tooltip("benchmark:N"),
                alt.Tooltip(f"{by}:N"),
                alt.Tooltip(f"{x}:Q", title=x_axis, format=".4~g"),
                alt.Tooltip(f"{y}:Q", title=y_axis, format=".4~g"),
            ],
        )
    )
    chart = alt.LayerChart(layer=[same, dots]).properties(width=width, height=320)
    return finished(chart, titled(title, "Dashed: both are the same."))


def bars_chart(
    rows: Sequence[Row], *, title: str, axis: str, width: Width = FILE_WIDTH
) -> "alt.LayerChart":
    """Draw the law's shares as a line over the histogram of what was drawn.

    Args:
        rows: with `low`, `high`, `share` and `expected` (None where unknown).
        title: of the chart.
        axis: what the errors are, with their unit.
        width: in pixels, or "container".
    """
    import altair as alt

    drawn, law = "simple random subsets", "law of the error"
    colour = alt.Color(
        "what:N", scale=alt.Scale(domain=[drawn, law], range=[COLOURS[4], COLOURS[3]])
    )
    bars = (
        alt.Chart(data({**row, "what": drawn} for row in rows))
        .mark_bar(binSpacing=0.5)
        .encode(
            x=alt.X("low:Q", bin="binned", title=axis),
            x2="high:Q",
            y=alt.Y("share:Q", title="share of subsets in a bin", axis=alt.Axis(format=".3~%")),
            color=colour,
            tooltip=[
                alt.Tooltip("low:Q", title="from", format=".2f"),
                alt.Tooltip("high:Q", title="to", format=".2f"),
                alt.Tooltip("share:Q", format=".1%"),
                alt.Tooltip("expected:Q", title="by the law", format=".1%"),
            ],
        )
    )
    line = (
        alt.Chart(data({**row, "what": law} for row in known(rows, "expected")))
        .mark_line(strokeWidth=2)
        .encode(x="middle:Q", y="expected:Q", color=colour)
    )
    chart = alt.LayerChart(layer=[bars, line]).properties(width=width, height=200)
    return finished(chart, titled(title))


def _names(rows: Sequence[Row], column: str) -> list[str]:
    """Return the distinct values of a column in the order in which they come."""
    return list(dict.fromkeys(str(row.get(column)) for row in rows))


def _less(value: object, error: object, *, least: float) -> float | None:
    if not isinstance(value, int | float) or not isinstance(error, int | float):
        return None
    return max(float(value) - float(error), least)


def _more(value: object, error: object, *, most: float) -> float | None:
    if not isinstance(value, int | float) or not isinstance(error, int | float):
        return None
    return min(float(value) + float(error), most)

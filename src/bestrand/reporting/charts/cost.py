"""Error against the cost of construction: a named point a strategy, or a line over the sizes."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bestrand.reporting.charts.style import (
    COLOURS,
    FILE_WIDTH,
    INK,
    NEUTRAL,
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


COSTS = [0, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200]


def cost_chart(rows: Sequence[Row], *, title: str, width: Width = FILE_WIDTH) -> "alt.LayerChart":
    """Draw the error over what construction costs, a labelled point a strategy.

    Args:
        rows: with `strategy`, `cost` in full-benchmark runs, `ratio`, `low` and `high`.
        title: of the chart.
        width: in pixels, or "container".
    """
    import altair as alt

    scale = alt.Scale(zero=False)
    top = max([1.0, *numbers(rows, "cost")])
    ticks = [tick for tick in COSTS if tick <= top]
    base = alt.Chart(data(only(rows, "strategy", "cost", "ratio", "low", "high"))).encode(
        x=alt.X(
            "cost:Q",
            scale=alt.Scale(type="symlog", constant=0.1, domain=[0.0, 1.8 * top], nice=False),
            axis=alt.Axis(values=ticks, format="~g"),
            title="construction, full runs of one model",
        ),
        tooltip=[
            alt.Tooltip("strategy:N"),
            alt.Tooltip("cost:Q", format=".3~g"),
            alt.Tooltip("ratio:Q", format=".3f"),
            alt.Tooltip("low:Q", title="95 % interval from", format=".3f"),
            alt.Tooltip("high:Q", title="to", format=".3f"),
        ],
    )
    name = "mean error over Random's"
    spans = base.mark_rule(strokeWidth=1.5, color=NEUTRAL).encode(
        y=alt.Y("low:Q", scale=scale, title=name), y2="high:Q"
    )
    dots = base.mark_point(filled=True, size=60, opacity=1, color=COLOURS[0]).encode(
        y=alt.Y("ratio:Q", scale=scale, title=name)
    )
    layers = [spans, dots] if known(rows, "low", "high") else [dots]
    layers += [
        alt.Chart(data(side))
        .mark_text(align="left" if dx > 0 else "right", dx=dx, fontSize=10, color=INK)
        .encode(x="cost:Q", y=alt.Y("place:Q", scale=scale), text="strategy:N")
        for side, dx in zip(_labels(rows), (7, -7), strict=True)
        if side
    ]
    chart = alt.LayerChart(layer=layers).properties(width=width, height=340)
    return finished(
        chart, titled(title, "Line: 95 % interval. The scale of costs is linear near 0, then log.")
    )


def cost_lines_chart(rows: Sequence[Row], *, title: str, width: Width = FILE_WIDTH) -> "alt.Chart":
    """Draw the error over what construction costs, a line a strategy, a point a size.

    Args:
        rows: with `strategy`, `retention`, `cost` in full-benchmark runs, and `ratio`; a strategy
            without a line of its own, as Random, whose construction costs nothing, is left out.
        title: of the chart.
        width: in pixels, or "container".
    """
    import altair as alt

    names = list(dict.fromkeys(str(row["strategy"]) for row in rows))
    costs = numbers(rows, "cost")
    ticks = [tick for tick in COSTS if min(costs) <= tick <= max(costs)]
    chart: alt.Chart = (
        alt.Chart(data(only(rows, "strategy", "retention", "cost", "ratio")))
        .mark_line(point=True, strokeWidth=2)
        .encode(
            x=alt.X(
                "cost:Q",
                scale=alt.Scale(type="log", nice=False),
                axis=alt.Axis(values=ticks, format="~g"),
                title="construction, full runs of one model, log scale",
            ),
            y=alt.Y("ratio:Q", scale=alt.Scale(zero=False), title="mean error over Random's"),
            order="retention:Q",
            **by_strategy(names),
            tooltip=[
                alt.Tooltip("strategy:N"),
                alt.Tooltip("retention:Q", title="share of the items", format=".3~%"),
                alt.Tooltip("cost:Q", format=".3~g"),
                alt.Tooltip("ratio:Q", format=".3f"),
            ],
        )
        .properties(width=width, height=280)
    )
    return finished(chart, titled(title))


def _labels(rows: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """Place names beside points so that they do not cover each other.

    Returns:
        Those to the right of their points, which cost most or nothing, and those to the left.
    """
    ratios, top = numbers(rows, "ratio"), max(numbers(rows, "cost"), default=0.0)
    low, high = numbers(rows, "low")[:1] or ratios[:1], numbers(rows, "high")[-1:] or ratios[-1:]
    gap = 0.035 * (max(high + ratios) - min(low + ratios))
    right: list[Row] = []
    left: list[Row] = []
    for row in sorted(rows, key=lambda row: numbers([row], "ratio")):
        cost, ratio = numbers([row], "cost")[0], numbers([row], "ratio")[0]
        side = right if cost in (0.0, top) else left
        # costs that are close share a column of names
        column = [
            numbers([other], "place")[0]
            for other in side
            if abs(numbers([other], "cost")[0] - cost) <= 0.3 * cost
        ]
        place = max([ratio, *(taken + gap for taken in column)])
        side.append({"strategy": row["strategy"], "cost": cost, "place": place})
    return right, left

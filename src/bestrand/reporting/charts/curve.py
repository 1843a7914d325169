"""Error against the number of models that a strategy looks at, a line a strategy."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bestrand.reporting.charts.style import (
    FAINT,
    FILE_WIDTH,
    Row,
    Width,
    by_strategy,
    data,
    finished,
    titled,
)


if TYPE_CHECKING:
    import altair as alt


def models_chart(
    rows: Sequence[Row], *, numbers: Sequence[str], title: str, width: Width = FILE_WIDTH
) -> "alt.LayerChart":
    """Draw ratios to Random over the number of models; 1 is marked.

    Args:
        rows: with `strategy`, `models` (one of `numbers`), `ratio`, `low`, `high`, `cost` and
            `benchmarks`.
        numbers: of models, in the order of the axis; the last may be "all".
        title: of the chart.
        width: in pixels, or "container".
    """
    import altair as alt

    names = list(dict.fromkeys(str(row["strategy"]) for row in rows))
    # places and not names on the axis, so that lines go from left to right
    drawn = [{**row, "place": list(numbers).index(str(row["models"]))} for row in rows]
    labels = " : ".join(f"datum.value == {place} ? '{k}'" for place, k in enumerate(numbers))
    lines = (
        alt.Chart(data(drawn))
        .mark_line(point=True, strokeWidth=2)
        .encode(
            x=alt.X(
                "place:Q",
                scale=alt.Scale(domain=[0, max(len(numbers) - 1, 1)], nice=False),
                axis=alt.Axis(
                    values=list(range(len(numbers))), labelExpr=f"{labels} : ''", grid=False
                ),
                title="models that a strategy looks at, K",
            ),
            y=alt.Y("ratio:Q", scale=alt.Scale(zero=False), title="mean error over Random's"),
            order="place:Q",
            **by_strategy(names),
            tooltip=[
                alt.Tooltip("strategy:N"),
                alt.Tooltip("models:N", title="models, K"),
                alt.Tooltip("ratio:Q", format=".3f"),
                alt.Tooltip("low:Q", title="95 % interval from", format=".3f"),
                alt.Tooltip("high:Q", title="to", format=".3f"),
                alt.Tooltip("cost:Q", title="construction, full runs", format=".3~g"),
                alt.Tooltip("benchmarks:Q"),
            ],
        )
    )
    one = (
        alt.Chart(data([{"one": 1.0}]))
        .mark_rule(strokeDash=[4, 3], color=FAINT)
        .encode(y=alt.Y("one:Q", scale=alt.Scale(zero=False)))
    )
    chart = alt.LayerChart(layer=[one, lines]).properties(width=width, height=300)
    return finished(chart, titled(title))

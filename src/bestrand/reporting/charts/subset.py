"""Charts of one subset: estimates, differences, groups, balance of the probes."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from bestrand.core.estimates import Difference, EstimateTable
from bestrand.notes import percent
from bestrand.reporting.charts.style import (
    COLOURS,
    FAINT,
    FILE_WIDTH,
    LEAST_HEIGHT,
    NEUTRAL,
    ROW_HEIGHT,
    Width,
    data,
    finished,
    known,
    titled,
)
from bestrand.steps.describe import GroupShare, ProbeBalance


if TYPE_CHECKING:
    import altair as alt


CHOSEN, WHOLE = "chosen items", "full benchmark"
VERDICTS = ("better", "worse", "unresolved")


def estimates_chart(report: EstimateTable, *, width: Width = FILE_WIDTH) -> "alt.LayerChart":
    """Draw each target's estimate with its interval, the highest first.

    Args:
        report: what `estimate` prints; a model without an estimate is left out.
        width: in pixels, or "container".
    """
    import altair as alt

    ranked = [row for row in report.models if not math.isnan(row.estimate)]
    ranked.sort(key=lambda row: -row.estimate)
    rows = [row.to_dict() for row in ranked]
    base = alt.Chart(data(rows)).encode(
        y=alt.Y("model:N", scale=alt.Scale(domain=[row.model for row in ranked]), title="model"),
        tooltip=[
            alt.Tooltip("model:N"),
            alt.Tooltip("estimate:Q", format=".4f"),
            alt.Tooltip("low:Q", format=".4f"),
            alt.Tooltip("high:Q", format=".4f"),
            alt.Tooltip("se:Q", format=".4f"),
            alt.Tooltip("n:Q", title="items scored"),
        ],
    )
    title = f"full score, unit of {report.metric!r}"
    scale = alt.Scale(zero=False)
    spans = base.mark_rule(strokeWidth=3, color=COLOURS[4]).encode(
        x=alt.X("low:Q", scale=scale, title=title), x2="high:Q"
    )
    dots = base.mark_point(filled=True, size=55, opacity=1, color=COLOURS[0]).encode(
        x=alt.X("estimate:Q", scale=scale, title=title)
    )
    chart = alt.LayerChart(layer=[spans, dots] if known(rows, "low", "high") else [dots])
    return finished(
        chart.properties(width=width, height=max(LEAST_HEIGHT, ROW_HEIGHT * len(rows))),
        titled("Estimated full scores", f"Line: {percent(report.level)} interval, model by model."),
    )


def differences_chart(
    pairs: Sequence[Difference], *, metric: str, level: float, width: Width = FILE_WIDTH
) -> "alt.LayerChart":
    """Draw each model's difference from one baseline with its interval, by verdict.

    Args:
        pairs: against one baseline, in the order to be drawn.
        metric: whose unit the differences are in.
        level: confidence level of the intervals.
        width: in pixels, or "container".
    """
    import altair as alt

    title = f"model - baseline, unit of {metric!r}"
    rows = [pair.to_dict() for pair in pairs]
    base = alt.Chart(data(rows)).encode(
        y=alt.Y("model:N", scale=alt.Scale(domain=[pair.model for pair in pairs]), title="model"),
        color=_verdicts(),
        tooltip=[
            alt.Tooltip("model:N"),
            alt.Tooltip("baseline:N"),
            alt.Tooltip("difference:Q", format="+.4f"),
            alt.Tooltip("low:Q", format="+.4f"),
            alt.Tooltip("high:Q", format="+.4f"),
            alt.Tooltip("verdict:N"),
        ],
    )
    spans = base.mark_rule(strokeWidth=3).encode(x=alt.X("low:Q", title=title), x2="high:Q")
    dots = base.mark_point(filled=True, size=55, opacity=1).encode(
        x=alt.X("difference:Q", title=title),
        shape=alt.Shape("verdict:N", scale=alt.Scale(domain=list(VERDICTS)), legend=None),
    )
    zero = (
        alt.Chart(data([{"zero": 0}])).mark_rule(strokeDash=[4, 3], color=FAINT).encode(x="zero:Q")
    )
    layers = [zero, spans, dots] if known(rows, "low", "high") else [zero, dots]
    chart = alt.LayerChart(layer=layers)
    return finished(
        chart.properties(width=width, height=max(LEAST_HEIGHT, ROW_HEIGHT * len(pairs))),
        titled(
            "Paired differences from the baseline",
            f"Line: {percent(level)} interval, pair by pair.",
        ),
    )


def pairs_chart(
    pairs: Sequence[Difference], models: Sequence[str], *, width: Width = FILE_WIDTH
) -> "alt.Chart":
    """Draw which pairs of targets are told apart, row against column.

    Args:
        pairs: all pairs, each once or both ways.
        models: the order of rows and columns.
        width: in pixels, or "container".
    """
    import altair as alt

    both = [*pairs, *(pair.turned() for pair in pairs)]
    rows = [
        {
            "model": pair.model,
            "other": pair.baseline,
            "difference": pair.difference,
            "verdict": pair.verdict,
        }
        for pair in both
    ]
    domain = alt.Scale(domain=list(models))
    chart: alt.Chart = (
        alt.Chart(data(rows))
        .mark_rect(stroke="white", strokeWidth=0.5)
        .encode(
            x=alt.X("other:N", scale=domain, title="compared with", axis=alt.Axis(labelAngle=-60)),
            y=alt.Y("model:N", scale=domain, title="model"),
            color=_verdicts(),
            tooltip=[
                alt.Tooltip("model:N"),
                alt.Tooltip("other:N", title="compared with"),
                alt.Tooltip("difference:Q", format="+.4f"),
                alt.Tooltip("verdict:N"),
            ],
        )
        .properties(width=width, height=ROW_HEIGHT * max(len(models), 1))
    )
    return finished(chart, titled("Which pairs are told apart"))


def _verdicts() -> "alt.Color":
    import altair as alt

    colours = [COLOURS[2], COLOURS[3], NEUTRAL]
    return alt.Color("verdict:N", scale=alt.Scale(domain=list(VERDICTS), range=colours))


def groups_chart(groups: Sequence[GroupShare], *, width: Width = FILE_WIDTH) -> "alt.Chart":
    """Draw each group's share of the chosen items beside its share of the frame, largest first.

    Args:
        groups: those of a `SubsetReport`.
        width: in pixels, or "container".
    """
    import altair as alt

    order = sorted(groups, key=lambda row: -row.n_frame)
    rows = [
        {"group": row.group, "of": of, "share": share, "items": items}
        for row in order
        for of, share, items in (
            (CHOSEN, row.share, row.n),
            (WHOLE, row.share_frame, row.n_frame),
        )
    ]
    domain = [CHOSEN, WHOLE]
    chart: alt.Chart = (
        alt.Chart(data(rows))
        .mark_bar()
        .encode(
            x=alt.X("share:Q", title="share of items", axis=alt.Axis(format=".3~%")),
            y=alt.Y("group:N", scale=alt.Scale(domain=[row.group for row in order]), title="group"),
            yOffset=alt.YOffset("of:N", scale=alt.Scale(domain=domain)),
            color=alt.Color("of:N", scale=alt.Scale(domain=domain, range=[COLOURS[0], NEUTRAL])),
            tooltip=[
                alt.Tooltip("group:N"),
                alt.Tooltip("of:N"),
                alt.Tooltip("items:Q", format=","),
                alt.Tooltip("share:Q", format=".1%"),
            ],
        )
        .properties(width=width, height=28 * max(len(order), 1))
    )
    return finished(chart, titled("Groups: chosen items against the full benchmark"))


def balance_chart(
    balance: Sequence[ProbeBalance], *, width: Width = FILE_WIDTH
) -> "alt.LayerChart":
    """Draw the gap of each probe's means over the band that a random choice would leave.

    Args:
        balance: that of a `SubsetReport`.
        width: in pixels, or "container".
    """
    import altair as alt

    several = len({row.metric for row in balance}) > 1
    rows = [
        {
            **row.to_dict(),
            "name": f"{row.probe} ({row.metric})" if several else row.probe,
            "minus": -row.random_se,
        }
        for row in balance
    ]
    title = "mean on chosen items - mean on the pool"
    base = alt.Chart(data(rows)).encode(
        y=alt.Y("name:N", scale=alt.Scale(domain=[row["name"] for row in rows]), title="probe"),
        tooltip=[
            alt.Tooltip("probe:N"),
            alt.Tooltip("metric:N"),
            alt.Tooltip("pool:Q", title="mean on the pool", format=".4f"),
            alt.Tooltip("subset:Q", title="mean on chosen items", format=".4f"),
            alt.Tooltip("gap:Q", format="+.4f"),
            alt.Tooltip("random_se:Q", title="se of a random choice", format=".4f"),
        ],
    )
    bands = base.mark_bar(color=NEUTRAL, height=9).encode(
        x=alt.X("minus:Q", title=title), x2="random_se:Q"
    )
    dots = base.mark_point(filled=True, size=60, opacity=1, color=COLOURS[0]).encode(x="gap:Q")
    chart = alt.LayerChart(layer=[bands, dots] if known(rows, "random_se") else [dots])
    return finished(
        chart.properties(width=width, height=max(LEAST_HEIGHT, ROW_HEIGHT * len(rows))),
        titled("Balance of the probes", "Band: one standard error of a random choice."),
    )

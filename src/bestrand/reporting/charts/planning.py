"""Charts for planning: the law of the error, error against size, and what models explain."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bestrand.planning.backtest import Backtest
from bestrand.planning.diagnosis import Diagnosis
from bestrand.planning.error_law import ErrorLaw
from bestrand.planning.pilot import CurvePoint
from bestrand.reporting.charts.style import (
    COLOURS,
    FILE_WIDTH,
    INK,
    LEAST_HEIGHT,
    ROW_HEIGHT,
    Width,
    count,
    data,
    finished,
    number,
    share,
    titled,
)
from bestrand.reporting.charts.theory import shift_layers, shift_title, tail_layers, tail_title


if TYPE_CHECKING:
    import altair as alt


SIMULATED, LAW = "simulated subsets", "law of the error"
MEAN, P95 = "mean", "95th percentile"


def law_chart(law: ErrorLaw, *, width: Width = FILE_WIDTH) -> "alt.LayerChart":
    """Draw the law of the error over the histogram of simulated subsets, both P95 marked.

    Args:
        law: what `planning.error_law.error_law` gave.
        width: in pixels, or "container".
    """
    return finished(_law_layers(law, width), _law_title(law))


def _law_title(law: ErrorLaw) -> "alt.TitleParams":
    return titled(
        f"Error of a simple random subset of {count(law.n)} items",
        f"{share(law.retention)} of {count(law.n_items)} items; {law.n_models} models, "
        f"{count(law.n_draws)} subsets simulated.",
        f"P95: simulated {number(law.simulated_p95)} (Monte Carlo se "
        f"{number(law.simulated_p95_se)}), by the law {number(law.law_p95)}.",
    )


def _law_layers(law: ErrorLaw, width: Width) -> "alt.LayerChart":
    import altair as alt

    colour = alt.Color(
        "what:N", scale=alt.Scale(domain=[SIMULATED, LAW], range=[COLOURS[4], COLOURS[3]])
    )
    axis = f"mean absolute error over models, unit of {law.metric!r}"
    bins = [
        {"what": SIMULATED, "low": low, "high": high, "share": part}
        for low, high, part in zip(law.edges[:-1], law.edges[1:], law.shares, strict=True)
    ]
    bars = (
        alt.Chart(data(bins))
        .mark_bar(binSpacing=0.5)
        .encode(
            x=alt.X("low:Q", bin="binned", title=axis),
            x2="high:Q",
            y=alt.Y("share:Q", title="share of subsets in a bin", axis=alt.Axis(format=".3~%")),
            color=colour,
            tooltip=[
                alt.Tooltip("low:Q", title="from", format=".4f"),
                alt.Tooltip("high:Q", title="to", format=".4f"),
                alt.Tooltip("share:Q", title="share of subsets", format=".1%"),
            ],
        )
    )
    curve = [
        {"what": LAW, "error": error, "expected": expected}
        for error, expected in zip(law.grid, law.expected, strict=True)
        if not np.isnan(expected)
    ]
    line = (
        alt.Chart(data(curve))
        .mark_line(strokeWidth=2)
        .encode(x="error:Q", y="expected:Q", color=colour)
    )
    marks = [
        {"what": SIMULATED, "p95": law.simulated_p95},
        {"what": LAW, "p95": law.law_p95},
    ]
    rules = (
        alt.Chart(data(marks))
        .mark_rule(strokeWidth=2)
        .encode(
            x="p95:Q",
            color=colour,
            strokeDash=alt.StrokeDash(
                "what:N",
                scale=alt.Scale(domain=[SIMULATED, LAW], range=[[1, 0], [6, 3]]),
                legend=None,
            ),
            tooltip=[
                alt.Tooltip("what:N", title="of"),
                alt.Tooltip("p95:Q", title="95th percentile", format=".4f"),
            ],
        )
    )
    words = (
        alt.Chart(data([{"p95": max(law.simulated_p95, law.law_p95)}]))
        .mark_text(align="left", dx=5, y=8, text="P95", color=INK)
        .encode(x="p95:Q")
    )
    return alt.LayerChart(layer=[bars, line, rules, words]).properties(width=width, height=240)


def curve_chart(
    points: Sequence[CurvePoint], *, metric: str = "score", width: Width = FILE_WIDTH
) -> "alt.Chart":
    """Draw the mean and the 95th percentile of the error over the size, a colour a design.

    Args:
        points: any number of designs; they keep the order in which they come first.
        metric: whose unit the errors are in.
        width: in pixels, or "container".
    """
    import altair as alt

    rows = [
        {
            "design": point.design,
            "items": point.n,
            "retention": point.retention,
            "figure": figure,
            "error": error,
        }
        for point in points
        for figure, error in ((MEAN, point.mean), (P95, point.p95))
    ]
    designs = list(dict.fromkeys(point.design for point in points))
    chart: alt.Chart = (
        alt.Chart(data(rows))
        .mark_line(point=True, strokeWidth=2)
        .encode(
            x=alt.X("items:Q", scale=alt.Scale(type="log", nice=False), title="items, log scale"),
            y=alt.Y("error:Q", title=f"error of one model, unit of {metric!r}"),
            color=alt.Color(
                "design:N",
                scale=alt.Scale(domain=designs, range=list(COLOURS)[: len(designs)]),
            ),
            shape=alt.Shape("design:N", scale=alt.Scale(domain=designs)),
            strokeDash=alt.StrokeDash(
                "figure:N",
                scale=alt.Scale(domain=[MEAN, P95], range=[[1, 0], [5, 3]]),
                legend=alt.Legend(symbolType="stroke", symbolSize=300, symbolStrokeColor=INK),
            ),
            tooltip=[
                alt.Tooltip("design:N"),
                alt.Tooltip("items:Q", format=","),
                alt.Tooltip("retention:Q", format=".3~%"),
                alt.Tooltip("figure:N"),
                alt.Tooltip("error:Q", format=".4f"),
            ],
        )
        .properties(width=width, height=280)
    )
    return finished(chart, titled("Error to expect against the size of the subset"))


def target_r2_chart(diagnosis: Diagnosis, *, width: Width = FILE_WIDTH) -> "alt.LayerChart":
    """Draw each model's target R², what the others explain of its own variance, largest first.

    Args:
        diagnosis: what `diagnose` gave; a flat model has no target R², and no bar.
        width: in pixels, or "container".
    """
    return finished(_target_r2_layers(diagnosis, width), _target_r2_title(diagnosis))


def _target_r2_title(diagnosis: Diagnosis) -> "alt.TitleParams":
    flat = sum(np.isnan(row.target_r2) for row in diagnosis.models)
    without = f" {flat} flat or single models have none." if flat else ""
    return titled(
        "What the other models explain of each model",
        f"{len(diagnosis.models)} models on {count(diagnosis.n_items)} items, each left out in "
        f"turn; target R² {number(diagnosis.target_r2, 2)} pooled (line).{without}",
    )


def _target_r2_layers(diagnosis: Diagnosis, width: Width) -> "alt.LayerChart":
    import altair as alt

    known = [row for row in diagnosis.models if not np.isnan(row.target_r2)]
    order = [row.model for row in sorted(known, key=lambda row: -row.target_r2)]
    bars = (
        alt.Chart(data([row.to_dict() for row in known]))
        .mark_bar(color=COLOURS[0])
        .encode(
            x=alt.X("target_r2:Q", title="target R², share of the variance of its own item scores"),
            y=alt.Y("model:N", scale=alt.Scale(domain=order), title="model"),
            tooltip=[
                alt.Tooltip("model:N"),
                alt.Tooltip("target_r2:Q", title="target R²", format=".3f"),
            ],
        )
    )
    pooled = (
        alt.Chart(data([{"pooled": diagnosis.target_r2}]))
        .mark_rule(strokeDash=[5, 3], strokeWidth=2, color=COLOURS[3])
        .encode(x="pooled:Q", tooltip=[alt.Tooltip("pooled:Q", format=".3f")])
    )
    return alt.LayerChart(layer=[bars, pooled]).properties(
        width=width, height=max(LEAST_HEIGHT, ROW_HEIGHT * len(known))
    )


def diagnosis_chart(
    diagnosis: Diagnosis, law: ErrorLaw, *, width: int = FILE_WIDTH
) -> "alt.VConcatChart":
    """Draw the law of the error over simulated subsets, its tail, the shift, and each target R².

    Args:
        diagnosis: what `diagnose` gave.
        law: of the same scores, from `planning.error_law.error_law`.
        width: of each part, in pixels.
    """
    import altair as alt

    parts = [
        _law_layers(law, width).properties(title=_law_title(law)),
        tail_layers(diagnosis, law, width).properties(title=tail_title(diagnosis)),
    ]
    if not np.isnan(diagnosis.shift_r2.value):
        parts.append(shift_layers(diagnosis, width).properties(title=shift_title(diagnosis)))
    parts.append(_target_r2_layers(diagnosis, width).properties(title=_target_r2_title(diagnosis)))
    whole: alt.VConcatChart = alt.vconcat(*parts, spacing=30).resolve_scale(color="independent")
    return finished(whole, titled(f"Diagnosis of {diagnosis.metric!r}"))


def backtest_chart(seen: Backtest, *, width: Width = FILE_WIDTH) -> "alt.LayerChart":
    """Draw each model's error had it been the target: a dot at the mean, a tick at the P95.

    Args:
        seen: what `backtest` gave; the worst model under random subsets stands first.
        width: in pixels, or "container".
    """
    import altair as alt

    both = ["random", seen.design]
    lines = [
        {"model": row.model, "subset": subset, "mean": mean, "p95": p95}
        for row in seen.models
        for subset, mean, p95 in (
            (both[0], row.random_mean, row.random_p95),
            (both[1], row.mean, row.p95),
        )
    ]
    order = [row.model for row in sorted(seen.models, key=lambda row: -row.random_mean)]
    base = alt.Chart(data(lines)).encode(
        y=alt.Y("model:N", scale=alt.Scale(domain=order), title="model"),
        yOffset=alt.YOffset("subset:N", scale=alt.Scale(domain=both)),
        color=alt.Color("subset:N", scale=alt.Scale(domain=both, range=[COLOURS[3], COLOURS[0]])),
        tooltip=[
            alt.Tooltip("model:N"),
            alt.Tooltip("subset:N"),
            alt.Tooltip("mean:Q", format=".4f"),
            alt.Tooltip("p95:Q", title="95th percentile", format=".4f"),
        ],
    )
    axis = f"absolute error, unit of {seen.metric!r}"
    spans = base.mark_rule(strokeWidth=2).encode(x=alt.X("mean:Q", title=axis), x2="p95:Q")
    dots = base.mark_point(filled=True, size=50, opacity=1).encode(
        x="mean:Q", shape=alt.Shape("subset:N", scale=alt.Scale(domain=both))
    )
    ticks = base.mark_tick(thickness=2, size=9).encode(x="p95:Q")
    chart = alt.LayerChart(layer=[spans, dots, ticks]).properties(
        width=width, height=26 * len(seen.models)
    )
    title = titled(
        "Error of each model had it been the target",
        f"{count(seen.n)} of {count(seen.n_items)} items, {seen.n_probes} probes on "
        f"{count(seen.n_pool)}; {count(seen.n_draws)} draws. Dot: mean; tick: 95th percentile.",
        f"Mean error {number(seen.mean.design)} against {number(seen.mean.random)}: ratio "
        f"{number(seen.mean.ratio, 2)} (Monte Carlo se {number(seen.mean.ratio_se, 2)}).",
    )
    return finished(chart, title)

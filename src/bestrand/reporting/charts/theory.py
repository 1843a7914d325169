"""Charts of the theory: how likely a large error is, and what a pool leaves of the shift."""

from typing import TYPE_CHECKING

import numpy as np

from bestrand.planning.diagnosis import Diagnosis
from bestrand.planning.error_law import ErrorLaw
from bestrand.reporting.charts.style import (
    COLOURS,
    FAINT,
    FILE_WIDTH,
    INK,
    Width,
    count,
    data,
    finished,
    number,
    share,
    titled,
)
from bestrand.stats.tail import exceedance_bound


if TYPE_CHECKING:
    import altair as alt


SIMULATED, BOUND = "simulated subsets", "by the shift alone, at least"


def tail_chart(
    diagnosis: Diagnosis, law: ErrorLaw, *, width: Width = FILE_WIDTH
) -> "alt.LayerChart":
    """Draw how likely an error above t is, over t, and what the shift alone makes of it.

    Lower end and mode of the law are marked.

    Args:
        diagnosis: what `diagnose` gave; its first size is drawn.
        law: of the same scores at that size, from `planning.simulate.error_law`.
        width: in pixels, or "container".
    """
    return finished(tail_layers(diagnosis, law, width), tail_title(diagnosis))


def tail_title(diagnosis: Diagnosis) -> "alt.TitleParams":
    """Return what is drawn, and its figures in words."""
    first = diagnosis.sizes[0]
    return titled(
        f"How likely the error of a random subset of {count(first.n)} items is above t",
        f"The shift that all models share has the sd {number(first.sigma_c)}: "
        "P(error > t) is at least 2 (1 - Φ(t / sd)), however many models.",
        f"Lower end of the law {number(first.lower_end)}, mode {number(first.mode)}.",
    )


def tail_layers(diagnosis: Diagnosis, law: ErrorLaw, width: Width) -> "alt.LayerChart":
    """Draw without title."""
    import altair as alt

    first = diagnosis.sizes[0]
    above = 1 - np.concatenate([[0.0], np.cumsum(law.shares)])
    simulated = [
        {"what": SIMULATED, "error": error, "probability": max(float(part), 0.0)}
        for error, part in zip(law.edges, above, strict=True)
    ]
    bound = [
        {"what": BOUND, "error": error, "probability": exceedance_bound(error, first.sigma_c)}
        for error in law.edges.tolist()
    ]
    colours = alt.Scale(domain=[SIMULATED, BOUND], range=[COLOURS[4], COLOURS[3]])
    lines = [
        alt.Chart(data(rows))
        .mark_line(strokeWidth=2, strokeDash=dash)
        .encode(
            x=alt.X("error:Q", title=f"t, unit of {law.metric!r}"),
            y=alt.Y("probability:Q", title="P(error > t)", axis=alt.Axis(format=".0%")),
            color=alt.Color("what:N", scale=colours),
            tooltip=[
                alt.Tooltip("what:N", title="of"),
                alt.Tooltip("error:Q", title="t", format=".4f"),
                alt.Tooltip("probability:Q", title="P(error > t)", format=".1%"),
            ],
        )
        for rows, dash in ((simulated, [1, 0]), (bound, [6, 3]))
    ]
    marks = [
        {"mark": name, "at": value}
        for name, value in (("lower end", first.lower_end), ("mode", first.mode))
        if not np.isnan(value)
    ]
    if not marks:
        return alt.LayerChart(layer=lines).properties(width=width, height=200)
    rules = (
        alt.Chart(data(marks))
        .mark_rule(strokeDash=[2, 2], strokeWidth=1.5, color=FAINT)
        .encode(x="at:Q", tooltip=[alt.Tooltip("mark:N"), alt.Tooltip("at:Q", format=".4f")])
    )
    ends = alt.Chart(data(marks[:1])).mark_text(align="right", dx=-5, y=8, color=INK)
    modes = alt.Chart(data(marks[1:])).mark_text(align="left", dx=5, y=8, color=INK)
    words = [part.encode(x="at:Q", text="mark:N") for part in (ends, modes)]
    return alt.LayerChart(layer=[*lines, rules, *words]).properties(width=width, height=200)


def shift_chart(diagnosis: Diagnosis, *, width: Width = FILE_WIDTH) -> "alt.LayerChart":
    """Draw what choice from a pool leaves of the shift's variance, over the pool's size.

    Args:
        diagnosis: what `diagnose` gave, of two models or more.
        width: in pixels, or "container".
    """
    return finished(shift_layers(diagnosis, width), shift_title(diagnosis))


def shift_title(diagnosis: Diagnosis) -> "alt.TitleParams":
    """Return what is drawn, and its figures in words."""
    shift = diagnosis.shift_r2
    return titled(
        "What choice from a pool leaves of the shift that all models share",
        f"Shift R² {number(shift.value, 2)}: {count(shift.n_probes)} models as probes, the mean "
        f"score of {count(shift.n_targets)} others.",
        f"Line: {number(1 - shift.value, 2)}, what no choice by these probes can touch.",
    )


def shift_layers(diagnosis: Diagnosis, width: Width) -> "alt.LayerChart":
    """Draw without title."""
    import altair as alt

    rows = [
        {
            "size": f"{count(size.n)} items ({share(size.retention)})",
            "pool": pool.n_pool,
            "left": pool.variance_left,
        }
        for size in diagnosis.sizes
        for pool in size.pools
        if size.n < diagnosis.n_items
    ]
    sizes = list(dict.fromkeys(str(row["size"]) for row in rows))
    colours = [COLOURS[k % len(COLOURS)] for k in range(len(sizes))]
    lines = (
        alt.Chart(data(rows))
        .mark_line(point=True, strokeWidth=2)
        .encode(
            x=alt.X("pool:Q", scale=alt.Scale(type="log", nice=False), title="pool, log scale"),
            y=alt.Y(
                "left:Q",
                scale=alt.Scale(domain=[0, 1]),
                title="variance left, of a random subset's",
            ),
            color=alt.Color("size:N", scale=alt.Scale(domain=sizes, range=colours)),
            tooltip=[
                alt.Tooltip("size:N"),
                alt.Tooltip("pool:Q", format=","),
                alt.Tooltip("left:Q", title="variance left", format=".3f"),
            ],
        )
    )
    least = (
        alt.Chart(data([{"least": 1 - max(diagnosis.shift_r2.value, 0.0)}]))
        .mark_rule(strokeDash=[5, 3], strokeWidth=2, color=FAINT)
        .encode(y="least:Q")
    )
    return alt.LayerChart(layer=[lines, least]).properties(width=width, height=200)

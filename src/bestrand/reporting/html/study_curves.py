"""A study over the number of models, 2, 3, ... all; and what subsets equal in random items."""

from collections.abc import Iterator
from typing import Any

from bestrand.reporting.charts.curve import models_chart
from bestrand.reporting.charts.style import known, share
from bestrand.reporting.html.figure import Column, Figure
from bestrand.reporting.html.study_view import (
    OVER_BENCHMARKS,
    RATIO_COLUMNS,
    ExperimentSetting,
    StudyView,
    basis,
    largest,
)


MOST_LINES = 7
WORTH = ("bestrand", "balanced")  # whose worth is said in words; that of others is in the rows


def curve_figures(view: StudyView) -> Iterator[Figure]:
    """Draw the mean error to Random's over the number of models, a line a strategy."""
    settings = [setting for setting in view.settings(7) if setting.experiment.n_probes]
    for place, setting in enumerate(settings, start=1):
        rows = _with_models(view, setting)
        if rows:
            yield _curve(setting, rows, place)


def worth_words(view: StudyView) -> Iterator[str]:
    """Return how many random items each size equals, a paragraph a strategy and setting."""
    for setting in view.settings(1):
        for strategy in WORTH:
            rows = [
                row
                for row in known(view.averaged(setting, retention=-1), "equals")
                if row["strategy"] == strategy
            ]
            if rows:
                said = "; ".join(f"{share(row['retention'])}: {_times(row)}" for row in rows)
                yield f"A subset by {strategy} equals, by its size ({setting.name}): {said}."


def _times(row: dict[str, Any]) -> str:
    """Return how many times as many random items err as little, with 95 % intervals."""
    text = f"about {row['equals']:.1f} times as many random items on average"
    text += _span(row["equals_low"], row["equals_high"])
    if row["equals_p95"] is None:
        return text
    span = _span(row["equals_p95_low"], row["equals_p95_high"])
    return f"{text}, {row['equals_p95']:.1f} times in a bad draw{span}"


def _span(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f" ({low:.1f} to {high:.1f})"


def _with_models(view: StudyView, setting: ExperimentSetting) -> list[dict[str, Any]]:
    """Return the averages of strategies that ran with several numbers of models, in order."""
    by_name = {row["strategy"]: row for row in known(view.averaged(setting), "ratio")}
    return [
        {**by_name[planned.name], "method": planned.of, "models": str(planned.n_probes)}
        for planned in setting.experiment.planned
        if planned.of is not None and planned.name in by_name
    ]


def _curve(setting: ExperimentSetting, rows: list[dict[str, Any]], place: int) -> Figure:
    names = list(dict.fromkeys(row["method"] for row in rows))
    drawn = names[:MOST_LINES]
    left_out = names[MOST_LINES:]
    numbers = [str(k) for k in setting.experiment.n_probes]
    title = f"Error against the number of models: {setting.name}"
    more = f" Not drawn, but in the rows: {', '.join(left_out)}." if left_out else ""
    return Figure(
        key=f"models-{place}",
        title=title,
        caption=(
            "Mean absolute error over targets, divided by Random's on the same splits and seeds, "
            "over the number of known models that a strategy looks at. The targets are the same "
            "for every number. Below the dashed line a strategy errs less than Random. Larger "
            "numbers are there on fewer benchmarks, and some strategies need more models than "
            "others: the rows say on how many benchmarks each figure rests, and what its "
            f"construction costs.{more}"
        ),
        n=basis(setting, rows),
        error=(
            f"{OVER_BENCHMARKS}; Monte Carlo se of the mean errors at most "
            f"{largest(rows, 'mae_se')} points."
        ),
        columns=(Column("method", "method"), Column("models", "models, K"), *RATIO_COLUMNS),
        rows=tuple(rows),
        chart=models_chart(
            [
                {
                    **{name: row[name] for name in ("models", "ratio", "low", "high", "cost")},
                    "strategy": row["method"],
                    "benchmarks": row["benchmarks"],
                }
                for row in rows
                if row["method"] in drawn
            ],
            numbers=numbers,
            title=title,
        ),
    )

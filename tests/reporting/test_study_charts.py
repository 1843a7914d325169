"""Charts of a study: names that do not cover each other, no more data than is drawn, no gaps."""

import json
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import pytest

from bestrand.reporting.charts.cost import cost_chart, cost_lines_chart
from bestrand.reporting.charts.study import (
    agreement_chart,
    dots_chart,
    lines_chart,
    ratio_chart,
    spread_chart,
)
from bestrand.reporting.charts.style import Chart, Row
from bestrand.reporting.charts.write import drawn
from tests.reporting.test_charts import HOSTILE, expressions, rows_of, rows_with


ROW = {
    "strategy": HOSTILE,
    "benchmark": HOSTILE,
    "ratio": 0.9,
    "low": None,
    "high": None,
    "benchmarks": 1,
    "cost": 1.0,
    "what": HOSTILE,
    "value": 0.5,
    "se": None,
    "retention": 0.1,
    "extra": "not drawn",
    **{f"q{p}": p / 10 for p in (5, 25, 50, 75, 95)},
}
CHARTS: list[Callable[[Sequence[Row]], Chart]] = [
    lambda rows: ratio_chart(rows, title=HOSTILE),
    lambda rows: cost_chart(rows, title=HOSTILE),
    lambda rows: cost_lines_chart(rows, title=HOSTILE),
    lambda rows: spread_chart(rows, title=HOSTILE),
    lambda rows: lines_chart(rows, title=HOSTILE, axis="error, points"),
    lambda rows: dots_chart(rows, title=HOSTILE, axis="share", share=True, marked=0.95),
    lambda rows: agreement_chart(
        rows, title=HOSTILE, x="q5", y="q95", x_axis="a", y_axis="b", by="strategy"
    ),
]


@pytest.mark.parametrize("make", CHARTS)
def test_hostile_names_and_unknown_errors_are_drawn(
    make: Callable[[Sequence[Row]], Chart],
) -> None:
    chart = make([ROW])
    svg = drawn(chart, ".svg").decode()

    assert "<img" not in svg
    assert "&lt;img" in svg
    assert [expression for expression in expressions(chart) if "onerror" in expression] == []
    assert json.dumps(chart.to_dict(), allow_nan=False)


@pytest.mark.parametrize("make", [*CHARTS[:4], CHARTS[6]])
def test_a_chart_holds_no_more_than_it_draws(make: Callable[[Sequence[Row]], Chart]) -> None:
    assert not any("extra" in row for row in rows_of(make([ROW]).to_dict()))


def test_names_of_equal_costs_stand_apart() -> None:
    rows: list[dict[str, Any]] = [
        {**ROW, "strategy": f"s{k}", "ratio": ratio, "low": 0.5, "high": 1.5, "cost": cost}
        for k, (ratio, cost) in enumerate(
            [(0.9, 8.0), (0.901, 8.0), (0.902, 8.0), (1.2, 8.0), (0.9, 7.5), (0.9, 0.0)]
        )
    ]
    labels = {row["strategy"]: row for row in rows_with(cost_chart(rows, title="t"), "place")}
    dearest = sorted(labels[f"s{k}"]["place"] for k in range(4))

    assert len(labels) == 6
    assert all(b - a >= 0.034 for a, b in pairwise(dearest))
    assert labels["s3"]["place"] == 1.2
    assert labels["s4"]["place"] == labels["s5"]["place"] == 0.9  # columns of their own


def test_intervals_are_drawn_where_they_are_known() -> None:
    bare = ratio_chart([ROW], title="t").to_dict()
    whole = ratio_chart([{**ROW, "low": 0.8, "high": 1.1}], title="t").to_dict()

    assert len(bare["layer"]) == 2
    assert len(whole["layer"]) == 3

"""Charts: what is in them, that they are valid, and that they are written as asked."""

import json
from collections.abc import Iterator
from dataclasses import astuple
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bestrand as br
from bestrand.planning.backtest import Backtest, Comparison, ModelErrors
from bestrand.planning.error_law import error_law
from bestrand.planning.pilot import CurvePoint
from bestrand.reporting.charts.planning import (
    backtest_chart,
    curve_chart,
    diagnosis_chart,
    law_chart,
    target_r2_chart,
)
from bestrand.reporting.charts.style import Chart
from bestrand.reporting.charts.theory import shift_chart, tail_chart
from bestrand.reporting.charts.write import drawn
from bestrand.stats.random_items import RandomItems
from tests.conftest import Files, Run


HOSTILE = "<img src=x onerror=alert(1)> </script><!-- \u2028 'datum.x' \"q\""


def backtested(*errors: tuple[str, float]) -> Backtest:
    """A backtest of models whose random subsets are wrong by so much."""
    same = Comparison(0.2, 0.1, 0.5, 0.05)
    rows = tuple(
        ModelErrors(model, None, 9, 0.5, size, 0.01, 2 * size, size / 2, 0.01, size, 0.95)
        for model, size in errors
    )
    return Backtest(
        "score",
        100,
        20,
        8,
        80,
        9,
        "Balanced",
        "Regression",
        rows,
        same,
        same,
        0.95,
        0.01,
        0.95,
        same,
        RandomItems(50.0, 40.0, 60.0, 50.0, 40.0, 60.0),
        (),
    )


def rows_of(spec: dict[str, Any]) -> list[dict[str, Any]]:
    """Give all rows of data that a spec holds."""
    return [row for rows in spec["datasets"].values() for row in rows]


def rows_with(chart: Chart, key: str) -> list[dict[str, Any]]:
    return [row for row in rows_of(chart.to_dict()) if key in row]


def expressions(chart: Chart) -> list[str]:
    """Give every expression that a chart is compiled to; no name from data may be in one."""
    import vl_convert as convert

    def walk(part: object, key: str = "") -> Iterator[str]:
        if isinstance(part, dict):
            for name, value in part.items():
                yield from () if name == "values" else walk(value, name)
        elif isinstance(part, list):
            for value in part:
                yield from walk(value, key)
        elif isinstance(part, str) and key in ("expr", "signal", "update", "test"):
            yield part

    return list(walk(convert.vegalite_to_vega(chart.to_dict())))


@pytest.fixture(scope="module")
def diagnosis(blink: br.ScoreTable) -> br.Diagnosis:
    return br.diagnose(blink, retentions=[0.05])


def test_the_law_marks_both_percentiles_and_draws_every_bin(blink: br.ScoreTable) -> None:
    law = error_law(blink.matrix(), 0.05, n_draws=400)
    chart = law_chart(law)
    marks = {row["what"]: row["p95"] for row in rows_with(chart, "p95") if "what" in row}

    assert marks == {
        "simulated subsets": law.simulated_p95,
        "law of the error": law.law_p95,
    }
    assert sum(row["share"] for row in rows_with(chart, "share")) == pytest.approx(1)
    assert "95 items" in chart.to_dict()["title"]["text"]


def test_the_tail_is_above_what_the_shift_alone_makes_of_it(
    blink: br.ScoreTable, diagnosis: br.Diagnosis
) -> None:
    law = error_law(blink.matrix(), 0.05, n_draws=2000)
    chart = tail_chart(diagnosis, law)
    drawn_at = {
        what: {
            row["error"]: row["probability"]
            for row in rows_with(chart, "probability")
            if row["what"] == what
        }
        for what in ("simulated subsets", "by the shift alone, at least")
    }
    simulated, bound = drawn_at.values()
    marks = {row["mark"]: row["at"] for row in rows_with(chart, "mark")}

    assert all(simulated[t] > bound[t] - 0.02 for t in simulated)
    assert bound[0.0] == 1.0
    assert marks == {"lower end": diagnosis.sizes[0].lower_end, "mode": diagnosis.sizes[0].mode}


def test_the_shift_chart_draws_every_pool_and_what_no_pool_can_touch(
    diagnosis: br.Diagnosis,
) -> None:
    chart = shift_chart(diagnosis)
    pools = [(row["pool"], row["left"]) for row in rows_with(chart, "pool")]

    assert pools == [astuple(pool) for pool in diagnosis.sizes[0].pools]
    assert rows_with(chart, "least") == [{"least": 1 - diagnosis.shift_r2.value}]
    assert "Shift R² 0.5" in " ".join(chart.to_dict()["title"]["subtitle"])


def test_one_model_has_a_tail_and_no_shift(blink: br.ScoreTable) -> None:
    one = blink.matrix().take_models(blink.models[:1])
    whole = diagnosis_chart(br.diagnose(one, retentions=[0.05]), error_law(one, 0.05, n_draws=200))

    assert len(whole.to_dict()["vconcat"]) == 3
    assert not rows_with(whole, "pool")
    assert not rows_with(whole, "mark")
    assert drawn(whole, ".svg").startswith(b"<svg")


def test_the_curve_has_a_row_a_point_and_figure_in_the_given_order() -> None:
    points = [CurvePoint("Z", 10, 0.1, 0.3, 0.5), CurvePoint("A", 10, 0.1, 0.2, float("nan"))]
    chart = curve_chart(points, metric="acc")
    rows = rows_with(chart, "error")

    assert [(row["design"], row["figure"], row["error"]) for row in rows] == [
        ("Z", "mean", 0.3),
        ("Z", "95th percentile", 0.5),
        ("A", "mean", 0.2),
        ("A", "95th percentile", None),
    ]
    assert chart.to_dict()["encoding"]["color"]["scale"]["domain"] == ["Z", "A"]


def test_a_flat_model_has_no_bar_and_is_counted(blink: br.ScoreTable) -> None:
    whole = blink.matrix()
    values = whole.values[:4].copy()
    values[1] = 1.0
    scores = br.ScoreMatrix(whole.frame, ("a", "flat", "c", "d"), values, bounds=(0.0, 1.0))
    chart = target_r2_chart(br.diagnose(scores))

    assert {row["model"] for row in rows_with(chart, "target_r2")} == {"a", "c", "d"}
    assert "1 flat or single models" in chart.to_dict()["title"]["subtitle"][0]


def test_a_backtest_puts_the_worst_model_first() -> None:
    chart = backtest_chart(backtested(("low", 0.1), ("high", 0.3)))

    assert chart.to_dict()["layer"][0]["encoding"]["y"]["scale"]["domain"] == ["high", "low"]
    assert len(rows_with(chart, "subset")) == 4


def test_every_chart_names_its_axes(diagnosis: br.Diagnosis, blink: br.ScoreTable) -> None:
    law = error_law(blink.matrix(), 0.05, n_draws=100)
    charts = [
        law_chart(law),
        target_r2_chart(diagnosis),
        curve_chart([CurvePoint("A", 10, 0.1, 0.2, 0.3)]),
        backtest_chart(backtested(("m", 0.1))),
    ]
    for chart in charts:
        spec = chart.to_dict()
        first = spec["layer"][0] if "layer" in spec else spec

        assert spec["title"]
        assert all(first["encoding"][axis]["title"] for axis in ("x", "y"))


@pytest.mark.parametrize(
    ("ending", "start"), [(".svg", b"<svg"), (".png", b"\x89PNG"), (".pdf", b"%PDF")]
)
def test_charts_are_drawn_without_a_browser(
    diagnosis: br.Diagnosis, ending: str, start: bytes, blink: br.ScoreTable
) -> None:
    chart = diagnosis_chart(diagnosis, error_law(blink.matrix(), 0.05, n_draws=100))

    assert drawn(chart, ending).startswith(start)


def test_names_stay_text_wherever_they_are_drawn() -> None:
    chart = backtest_chart(backtested((HOSTILE, 0.1)))
    page = drawn(chart, ".html").decode()
    held = page.split('<script type="application/json">')[1].split("</script>")[0]
    svg = drawn(chart, ".svg").decode()

    assert "<img" not in page.split("<script>")[0]  # what comes after are libraries
    assert "<img" not in svg
    assert {row["model"] for row in rows_of(json.loads(held))} == {HOSTILE}
    assert [expression for expression in expressions(chart) if "onerror" in expression] == []


def test_a_page_of_one_chart_links_to_nothing(tmp_path: Path) -> None:
    path = tmp_path / "curve.html"
    br.write_chart(curve_chart([CurvePoint("A", 10, 0.1, 0.2, 0.3)]), path)
    page = path.read_text(encoding="utf-8")

    assert "default-src &#39;none&#39;" in page
    assert 'src="' not in page.split("<script>")[0]


def test_what_stands_there_is_kept_unless_forced(tmp_path: Path) -> None:
    path = tmp_path / "curve.svg"
    path.write_text("mine")
    chart = curve_chart([CurvePoint("A", 10, 0.1, 0.2, 0.3)])
    with pytest.raises(br.OutputError, match="exists and holds something else"):
        br.write_chart(chart, path)

    assert path.read_text() == "mine"
    br.write_chart(chart, path, force=True)
    assert path.read_text().startswith("<svg")


def test_another_ending_is_refused(tmp_path: Path) -> None:
    chart = curve_chart([CurvePoint("A", 10, 0.1, 0.2, 0.3)])
    with pytest.raises(br.ArgumentError, match=r"written as \.svg, \.png, \.pdf, \.html"):
        br.write_chart(chart, tmp_path / "curve.jpg")
    with pytest.raises(br.OutputError, match="does not exist"):
        br.write_chart(chart, tmp_path / "nowhere" / "curve.svg")


def test_a_chart_is_of_the_scores_of_its_diagnosis(
    diagnosis: br.Diagnosis, blink: br.ScoreTable
) -> None:
    chart = br.chart(diagnosis, blink)
    marks = {row["what"]: row["p95"] for row in rows_with(chart, "p95") if "what" in row}

    assert marks["law of the error"] == pytest.approx(diagnosis.sizes[0].random_p95)
    with pytest.raises(br.InputError, match="Give the scores from which it was made"):
        br.chart(diagnosis, blink.matrix().take_models(blink.models[:3]))


def test_diagnose_draws_what_it_says(run: Run, files: Files) -> None:
    path = files.folder / "seen.svg"
    path.write_text("mine")
    words = ("diagnose", files.scores, "--retention", 0.2, "--chart", path, "-q")
    kept, text = run(*words), path.read_text()
    forced = run(*words, "--force")
    wrong = run("diagnose", files.scores, "--chart", files.folder / "seen.txt")

    assert (kept.code, forced.code, wrong.code) == (3, 0, 2)
    assert "exists and holds something else" in kept.err
    assert text == "mine"
    assert "380 items" in path.read_text()


def test_numbers_that_are_not_known_are_null(diagnosis: br.Diagnosis) -> None:
    chart = target_r2_chart(diagnosis)

    assert json.dumps(chart.to_dict(), allow_nan=False)
    assert not any(np.isnan(row["target_r2"]) for row in rows_with(chart, "target_r2"))

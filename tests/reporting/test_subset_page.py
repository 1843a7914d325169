"""The page of a subset, in a real browser, and what it is made from."""

import csv
import io
import json
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import bestrand as br
from bestrand.reporting.charts.subset import balance_chart
from bestrand.reporting.charts.write import drawn
from bestrand.reporting.html.figure import Column, Figure
from bestrand.reporting.html.subset import subset_page
from bestrand.reporting.json.subset import SubsetReport, subset_report
from bestrand.reporting.write import report
from bestrand.rng import Stream
from bestrand.types import Weighting
from tests.reporting.conftest import (
    A4_WIDTH,
    ESCAPING,
    TURNED,
    Open,
    beyond_the_paper,
    turned_around,
)
from tests.reporting.test_charts import expressions


HOSTILE = '<img src=x onerror="document.title=1">'
CLOSING = "</script><script>document.title=2</script><!-- \u2028 {{ 7 * 7 }} ' \""


class Made(NamedTuple):
    """A subset, estimates of targets with hostile names, and the probes."""

    subset: br.Manifest
    result: br.Estimates
    probes: br.ScoreMatrix
    seen: SubsetReport


@pytest.fixture(scope="module")
def made(blink: br.ScoreTable) -> Made:
    matrix = blink.matrix()
    probes = matrix.take_models(matrix.models[:6])
    pool = br.draw_pool(matrix.frame, 60, seed=0)
    subset = br.select(probes, 60, pool=pool, seed=0)
    models = (HOSTILE, CLOSING, *matrix.models[8:12])
    targets = br.ScoreMatrix(
        matrix.frame, models, matrix.values[6:12], matrix.metric, matrix.bounds
    )
    result = br.estimate(targets, subset, probes=probes)
    return Made(subset, result, probes, subset_report(subset, result, probes))


@pytest.fixture(scope="module")
def page(made: Made, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    br.report(made.result, path, subset=made.subset, probes=made.probes)
    return path


def test_the_page_draws_every_chart_offline_and_asks_for_nothing(page: Path, opened: Open) -> None:
    with opened(page) as seen:
        charts = seen.locator(".chart").count()

        assert charts == 5
        assert seen.locator(".chart svg").count() == charts
        assert seen.locator(".failed").count() == 0


def test_hostile_names_stay_text(page: Path, opened: Open) -> None:
    with opened(page) as seen:
        title = seen.title()
        seen.locator("#estimates summary").click()
        cells = seen.locator("#estimates tbody tr td:first-child").all_inner_texts()

        assert title == "A subset of 60 of 1 901 items"
        assert seen.locator("img").count() == 0
        assert HOSTILE in cells
        assert any("{{ 7 * 7 }}" in cell for cell in cells)
        assert HOSTILE in (seen.locator("#estimates svg").text_content() or "")


@pytest.mark.slow
def test_a_name_does_not_turn_the_text_around_it(
    blink: br.ScoreTable, tmp_path: Path, opened: Open
) -> None:
    matrix = blink.matrix()
    probes = replace(
        matrix.take_models(matrix.models[:3]), models=(TURNED, ESCAPING, "plain"), metric=TURNED
    )
    subset = br.select(probes, 40, design=br.Balanced(n_candidates=20), seed=0)
    path = tmp_path / "turned.html"
    br.report(subset, path, probes=probes)
    with opened(path) as seen:
        seen.evaluate("for (const more of document.querySelectorAll('details')) more.open = true")
        listed = seen.locator("#provenance dd", has_text="plain").first

        assert turned_around(seen) == []
        assert listed.locator("bdi").all_text_contents() == [TURNED, ESCAPING]
        assert seen.locator("#balance td bdi").count() == 5  # three metrics, two names


def test_tooltips_hold_names_as_text(page: Path, made: Made, opened: Open) -> None:
    with opened(page) as seen:
        tip = seen.locator("#vg-tooltip-element")
        shown = []
        for mark in seen.locator("#estimates .chart svg .mark-symbol path").all():
            mark.hover()
            tip.wait_for(state="visible")
            shown.append(tip.inner_text())

        assert len(shown) == len(made.result.models)
        assert any(HOSTILE in text for text in shown)
        assert seen.locator("img").count() == 0
        assert seen.title() == "A subset of 60 of 1 901 items"


def test_every_anchor_is_there_once(page: Path, opened: Open) -> None:
    with opened(page) as seen:
        ids = seen.evaluate("[...document.querySelectorAll('main [id]')].map((e) => e.id)")
        links = seen.evaluate("[...document.querySelectorAll('nav a')].map((a) => a.hash.slice(1))")

    assert len(set(ids)) == len(ids)
    assert set(links) <= set(ids)


def test_estimates_without_intervals_are_drawn_as_dots(
    made: Made, tmp_path: Path, opened: Open
) -> None:
    none = np.full(6, np.nan)
    pairs = np.full((6, 6), np.nan)
    bare = replace(
        made.result,
        se=none,
        low=none,
        high=none,
        half_width=none,
        pair_se=pairs,
        pair_half_width=pairs,
    )
    path = tmp_path / "bare.html"
    br.report(bare, path, subset=made.subset)
    with opened(path) as seen:
        assert "It has no intervals" in seen.locator("header").inner_text()
        assert seen.locator("#estimates .mark-symbol path").count() == 6


@pytest.mark.slow
def test_tables_sort_by_button_and_by_key(page: Path, opened: Open) -> None:
    with opened(page) as seen:
        seen.locator("#estimates summary").click()
        head = seen.locator("#estimates th").nth(1)
        values = "#estimates tbody tr td:nth-child(2)"
        head.locator("button").click()
        up = [float(text) for text in seen.locator(values).all_inner_texts()]

        assert up == sorted(up)
        assert head.get_attribute("aria-sort") == "ascending"
        head.locator("button").focus()
        seen.keyboard.press("Enter")
        down = [float(text) for text in seen.locator(values).all_inner_texts()]
        assert down == sorted(up, reverse=True)
        assert head.get_attribute("aria-sort") == "descending"
        assert seen.locator("#estimates th").nth(0).get_attribute("aria-sort") == "none"


@pytest.mark.slow
def test_a_chart_shows_what_a_mark_stands_for(page: Path, opened: Open) -> None:
    with opened(page) as seen:
        seen.locator("#groups .chart svg .mark-rect path").first.hover()
        tip = seen.locator("#vg-tooltip-element")
        tip.wait_for(state="visible")

        assert "share" in tip.inner_text()


@pytest.mark.slow
def test_rows_are_downloaded_as_csv(page: Path, made: Made, opened: Open) -> None:
    with opened(page) as seen:
        with seen.expect_download() as waiting:
            seen.locator("#estimates .take a").click()
        content = Path(waiting.value.path()).read_text(encoding="utf-8")
        name = waiting.value.suggested_filename
    rows = list(csv.DictReader(io.StringIO(content, newline="")))

    assert name == "estimates.csv"
    assert [row["model"] for row in rows] == list(made.result.models)
    assert [float(row["estimate"]) for row in rows] == list(made.result.estimate)


def test_no_text_of_a_csv_file_is_a_formula() -> None:
    formulas = ("=1+1", "+1", "-1", "@sum", "\t=1", " =1", "\r", "＝1")
    names = (*formulas, "a=1", "a-b", "'quoted", "", "–")
    figure = Figure(
        key="x",
        title="x",
        caption="x",
        n="x",
        error="x",
        columns=(Column("name", "name"), Column("value", "value", 1)),
        rows=tuple({"name": name, "value": -1.5} for name in names),
    )
    rows = list(csv.DictReader(io.StringIO(figure.to_csv(), newline="")))

    assert [row["name"] for row in rows] == [
        f"'{name}" if name in formulas else name for name in names
    ]
    assert {float(row["value"]) for row in rows} == {-1.5}


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_has_light_and_dark_ink_and_prints_dark_on_white(
    page: Path, scheme: str, opened: Open
) -> None:
    with opened(page, color_scheme=scheme) as seen:
        paint = "getComputedStyle(document.documentElement).backgroundColor"
        ink = "getComputedStyle(document.querySelector('.chart svg text')).fill"
        paper, text = seen.evaluate(paint), seen.evaluate(ink)
        seen.emulate_media(media="print")

        assert (paper, text) == {
            "light": ("rgb(255, 255, 255)", "rgb(28, 31, 35)"),
            "dark": ("rgb(20, 23, 26)", "rgb(230, 232, 235)"),
        }[scheme]
        assert seen.evaluate(paint) == "rgb(255, 255, 255)"
        assert seen.evaluate(ink) == "rgb(0, 0, 0)"


def test_a_phone_scrolls_down_and_not_sideways(page: Path, opened: Open) -> None:
    with opened(page, viewport={"width": 390, "height": 800}) as seen:
        seen.evaluate("for (const more of document.querySelectorAll('details')) more.open = true")

        assert seen.evaluate("document.documentElement.scrollWidth") == 390


@pytest.mark.slow
def test_paper_cuts_nothing_off(page: Path, opened: Open) -> None:
    with opened(page) as seen:
        widths = "[...document.querySelectorAll('.chart svg')].map((e) => e.clientWidth)"
        on_screen = seen.evaluate(widths)

        assert min(on_screen) > A4_WIDTH
        assert beyond_the_paper(seen, A4_WIDTH) == []
        assert max(seen.evaluate(widths)) <= A4_WIDTH


@pytest.mark.slow
def test_a_chart_taller_than_the_paper_is_printed_on_one_page(
    made: Made, tmp_path: Path, opened: Open
) -> None:
    groups = tuple(replace(made.seen.groups[0], group=f"group {i}") for i in range(60))
    path = tmp_path / "tall.html"
    tall = replace(made.seen, groups=groups)
    path.write_text(subset_page(tall, made.subset).to_html(), encoding="utf-8")
    with opened(path) as seen:
        box = "document.querySelector('#groups svg').getBoundingClientRect().toJSON()"
        screen = seen.evaluate(box)

        assert beyond_the_paper(seen, A4_WIDTH) == []
        paper = seen.evaluate(box)
        assert screen["height"] > 1600
        assert paper["height"] < 267 / 25.4 * 96  # of A4 between margins of 15 mm
        assert paper["width"] / paper["height"] == pytest.approx(
            screen["width"] / screen["height"], rel=0.01
        )


def test_a_script_that_was_not_written_here_does_not_run(
    page: Path, tmp_path: Path, opened: Open
) -> None:
    text = page.read_text(encoding="utf-8")
    foreign = tmp_path / "foreign.html"
    foreign.write_text(
        text.replace("<h1>", "<script>document.title = 'run'</script><h1>"), encoding="utf-8"
    )
    with pytest.raises(AssertionError, match="Content Security Policy"), opened(foreign) as seen:
        assert seen.title() != "run"


def test_the_same_result_writes_the_same_page(page: Path, made: Made, tmp_path: Path) -> None:
    again = tmp_path / "again.html"
    br.report(made.result, again, subset=made.subset, probes=made.probes)

    assert again.read_bytes() == page.read_bytes()


def test_no_name_becomes_an_expression_of_a_chart(made: Made) -> None:
    groups = tuple(replace(row, group=f"{CLOSING} {row.group}") for row in made.seen.groups)
    seen = replace(made.seen, groups=groups)
    charts = [f.chart for f in subset_page(seen, made.subset).figures if f.chart is not None]

    assert len(charts) == 5
    for chart in charts:
        assert [text for text in expressions(chart) if "document" in text] == []
        assert drawn(chart, ".svg").startswith(b"<svg")


def test_the_balance_is_that_of_the_subset(made: Made) -> None:
    chosen = made.probes.take_items(made.subset.items).values
    n, m = made.subset.n, made.subset.n_pool
    means = made.subset.probe_means or {}

    for k, row in enumerate(made.seen.balance):
        assert row.pool == means["score"][row.probe]
        assert row.subset == pytest.approx(chosen[k].mean())
        assert row.gap == pytest.approx(row.subset - row.pool)
        # these scores are on all items, so which of them were the pool is not known
        assert row.random_se == pytest.approx(np.sqrt(1 / n - 1 / m) * chosen[k].std(ddof=1))
        assert row.random_se_from == "chosen items"
    assert "estimated from the spread" in caption_of(made.seen, made.subset, "balance")


def caption_of(seen: SubsetReport, subset: br.Manifest, key: str) -> str:
    return next(f.caption for f in subset_page(seen, subset).figures if f.key == key)


@pytest.mark.parametrize("weighting", ["micro", "macro"])
def test_a_random_choice_errs_by_the_spread_on_the_pool(
    blink: br.ScoreTable, weighting: Weighting
) -> None:
    matrix = blink.matrix(weighting=weighting).take_models(blink.models[:3])
    subset = br.select(matrix, 40, design=br.Balanced(n_candidates=50), seed=0)
    seen = subset_report(subset, None, matrix)
    stream = Stream.of(0, "check").generator()
    relative = matrix.frame.relative_weights
    choices = [stream.choice(matrix.frame.n, 40, replace=False) for _ in range(4000)]
    for k, row in enumerate(seen.balance):
        means = [np.average(matrix.values[k, items], weights=relative[items]) for items in choices]

        assert row.random_se_from == "pool"
        # the Monte Carlo error of a standard deviation over 4000 draws is 1.1 %
        assert row.random_se == pytest.approx(np.std(means), rel=0.06)
    assert "estimated from the spread" not in caption_of(seen, subset, "balance")


def test_scores_on_the_pool_alone_are_known_for_the_pool(blink: br.ScoreTable) -> None:
    matrix = blink.matrix().take_models(blink.models[:3])
    pool = br.draw_pool(matrix.frame, 20, seed=0)
    ran = matrix.take_items(pool.items)
    subset = br.select(matrix, 20, pool=pool, design=br.Balanced(n_candidates=50), seed=0)
    for row, scores in zip(subset_report(subset, None, ran).balance, ran.values, strict=True):
        assert row.random_se_from == "pool"
        assert row.random_se == pytest.approx(np.sqrt(1 / 20 - 1 / 80) * scores.std(ddof=1))


def test_a_spread_that_is_not_known_is_no_zero(blink: br.ScoreTable) -> None:
    matrix = blink.matrix().take_models(blink.models[:2])
    pool = br.draw_pool(matrix.frame, 20, seed=0)
    subset = br.select(matrix, 20, pool=pool, design=br.Balanced(n_candidates=50), seed=0)
    values = matrix.values.copy()
    values[0, [matrix.frame.positions[item] for item in subset.items]] = 1.0
    seen = subset_report(subset, None, replace(matrix, values=values))
    alone = br.select(matrix, 1, pool=pool, design=br.Balanced(n_candidates=50), seed=0)

    assert np.isnan(seen.balance[0].random_se)
    assert (seen.balance[1].random_se or 0.0) > 0.0
    assert all(np.isnan(row.random_se) for row in subset_report(alone, None, matrix).balance)
    assert drawn(balance_chart(seen.balance), ".svg").startswith(b"<svg")


def test_groups_and_costs_are_counted(made: Made) -> None:
    costs = made.seen.costs

    assert sum(row.n for row in made.seen.groups) == 60
    assert sum(row.n_frame for row in made.seen.groups) == 1901
    assert sum(row.expected for row in made.seen.groups) == pytest.approx(60)
    assert costs is not None
    assert costs.construction == pytest.approx(6 * 240 / 1901)
    assert costs.saved == pytest.approx(6 * (1 - 60 / 1901) - 6 * 240 / 1901)
    assert costs.construction_items == 6 * 240
    assert (costs.target_items, costs.pays_from) == (60, 1)


def test_the_page_says_what_it_costs_and_what_it_equals(made: Made) -> None:
    page = subset_page(made.seen, made.subset)
    facts = dict(next(section for section in page.sections if section.title == "Cost").facts)
    equals = made.seen.equals

    assert facts["Choosing"] == "6 probes x 240 items = 1 440 calls, 0.76 full runs of one model"
    assert facts["Each target"] == "60 items, 0.032 of a full run"
    assert facts["Pays"].startswith("from 1 target on, against running them on all items")
    assert equals is not None
    assert equals.mean is not None
    said = f"The subset of 60 items equals about {equals.mean:.0f} random items on average ("
    assert any(text.startswith(said) for text in page.lead)


def test_differences_are_turned_towards_the_best(made: Made) -> None:
    figures = {figure.key: figure for figure in subset_page(made.seen, made.subset).figures}
    rows = figures["differences"].rows
    best = made.result.models[int(np.argmax(made.result.estimate))]
    expected = {pair.model: pair for pair in made.result.differences(best)}

    assert made.seen.best == best
    assert len(rows) == 5
    for row in rows:
        pair = expected[str(row["model"])]
        assert (row["difference"], row["low"], row["high"], row["verdict"]) == pytest.approx(
            (pair.difference, pair.low, pair.high, pair.verdict)
        )
    assert len(figures["unresolved"].rows) == 15 - made.seen.told_apart


def test_the_best_is_the_lowest_where_lower_is_better(made: Made, blink: br.ScoreTable) -> None:
    targets = blink.matrix().take_models(blink.models[8:12])
    result = br.estimate(targets, made.subset, higher_is_better=False)
    lowest = result.models[int(np.argmin(result.estimate))]

    assert subset_report(made.subset, result).best == lowest


def test_a_manifest_alone_tells_what_was_chosen(made: Made, tmp_path: Path) -> None:
    path = tmp_path / "manifest.html"
    br.report(made.subset, path)
    text = path.read_text(encoding="utf-8").split("<script>")[0]

    assert made.subset.digest in text
    assert "What was chosen" in text
    assert "Full scores" not in text


def test_estimates_without_a_manifest_are_told_too(made: Made, tmp_path: Path) -> None:
    path = tmp_path / "estimates.html"
    br.report(made.result, path)
    text = path.read_text(encoding="utf-8").split("<script>")[0]

    assert "Estimated full scores" in text
    assert "Provenance" not in text


def test_a_pool_and_items_without_groups_have_a_page(tmp_path: Path) -> None:
    pool = br.draw_pool(br.Frame.of([f"<b>{i}" for i in range(40)]), 5, seed=0)
    path = tmp_path / "pool.html"
    br.report(pool, path)
    text = path.read_text(encoding="utf-8")

    assert "A pool of 20 of 40 items" in text
    assert "The items have no groups." in text
    assert "&lt;b&gt;" in text
    assert "<b>1" not in text
    assert "vegaEmbed = " not in text  # no chart, so no library of charts


def test_one_target_and_no_probes_are_enough(blink: br.ScoreTable, tmp_path: Path) -> None:
    subset = br.select(blink.frame(), 20, design=br.SimpleRandom(), seed=0)
    result = br.estimate(blink.matrix().take_models(blink.models[:1]), subset)
    seen = subset_report(subset, result)
    br.report(result, tmp_path / "one.html", subset=subset)
    notes = {figure.key: figure.n for figure in subset_page(seen, subset).figures}

    assert notes["estimates"] == "1 target, 20 items each"
    assert ("1 target on the full benchmark", "1 run") in subset_page(seen, subset).sections[
        2
    ].facts
    assert seen.pairs == ()
    assert "No probes were matched" in (tmp_path / "one.html").read_text(encoding="utf-8")


def test_figures_are_written_for_a_paper(made: Made, tmp_path: Path) -> None:
    br.report(made.subset, tmp_path / "page.html", probes=made.probes, figures=tmp_path / "out")
    names = sorted(path.name for path in (tmp_path / "out").iterdir())

    assert names == [
        f"{key}.{ending}" for key in ("balance", "groups") for ending in ("pdf", "png", "svg")
    ]
    assert (tmp_path / "out" / "groups.svg").read_text(encoding="utf-8").startswith("<svg")


def test_what_does_not_go_together_is_refused(made: Made, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    other = br.select(br.Frame.of(["a", "b", "c"]), 2, design=br.SimpleRandom())
    pool = br.draw_pool(br.Frame.of(["a", "b", "c"]), 1, seed=0)
    with pytest.raises(br.ArgumentError, match="`subset` goes with estimates"):
        br.report(made.subset, path, subset=made.subset)
    with pytest.raises(br.ArgumentError, match="stand for 1901 items, the subset for 3"):
        br.report(made.result, path, subset=other)
    with pytest.raises(br.ArgumentError, match="made from a subset, got a pool"):
        br.report(made.result, path, subset=pool)
    with pytest.raises(br.ArgumentError, match="give `subset` too"):
        br.report(made.result, path, probes=made.probes)
    for name in ("page.pdf", "page.htm", "page"):
        with pytest.raises(br.ArgumentError, match=r"written as \.html"):
            br.report(made.result, tmp_path / name)
    other_metric = replace(made.probes, metric="f1")
    with pytest.raises(br.InputError, match="was matched on 'score', and these scores are of 'f1'"):
        br.report(made.subset, path, probes=other_metric)
    with pytest.raises(br.InputError, match="No scores of model"):
        br.report(made.subset, path, probes=made.probes.take_models(made.probes.models[:2]))

    assert not path.exists()


def test_another_page_is_kept_unless_forced(made: Made, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text("mine")
    with pytest.raises(br.OutputError, match="exists and holds something else"):
        br.report(made.subset, path)

    assert path.read_text() == "mine"
    report(made.subset, path, force=True)
    assert "Provenance" in path.read_text(encoding="utf-8")


def test_data_on_the_page_is_json_that_ends_no_script(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    blocks = text.split('<script type="application/json">')[1:]

    assert blocks
    for block in blocks:
        held = block.split("</script>")[0]
        assert "<" not in held
        assert "\u2028" not in held
        assert json.loads(held)["width"] == "container"

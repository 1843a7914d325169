"""The page of a small study on bundled scores, in a real browser, and the verb."""

import json
from pathlib import Path
from typing import NamedTuple

import polars as pl
import pytest

import bestrand as br
from bestrand.data import load
from bestrand.reporting.html.page import Page
from bestrand.reporting.html.study import study_page
from bestrand.study.protocol import Protocol
from bestrand.study.run import read_study, run_study
from bestrand.study.table import StudyTable
from tests.conftest import Run
from tests.reporting.conftest import (
    A4_WIDTH,
    ESCAPING,
    TURNED,
    Open,
    beyond_the_paper,
    turned_around,
)
from tests.reporting.test_charts import expressions


HOSTILE = "<img src=x onerror=alert(1)>"
WHAT = {
    "name": f"all figures {HOSTILE}",
    "about": "A little of everything.",
    "experiments": [
        {
            "name": HOSTILE,
            "figure": [1, 2, 3, 5, 6, 8, 11, 12],
            "strategies": [
                "random",
                "stratified",
                "bestrand",
                "balanced",
                {"name": HOSTILE, "like": "bestrand", "n_probes": 2},
            ],
            "retentions": [0.1, 0.3],
            "known": [5],
            "replicates": 6,
            "kinds": ["multimodal", "agent"],
            "forecast": True,
        },
        {
            "name": "law",
            "figure": [4],
            "strategies": ["random"],
            "retentions": [0.1],
            "splits": ["none"],
            "replicates": 40,
            "kinds": ["multimodal", "agent"],
            "theory": True,
        },
        {
            "name": "ablations",
            "figure": [7],
            "strategies": ["random", {"name": "K = 2", "like": "bestrand", "n_probes": 2}],
            "retentions": [0.1],
            "known": [5],
            "replicates": 5,
            "kinds": ["agent"],
        },
        {
            "name": "two to all",
            "figure": [7],
            "strategies": ["random", "bestrand", {"name": HOSTILE, "like": "cube"}],
            "retentions": [0.1],
            "known": [5],
            "n_probes": [2, 3, 9, "all"],
            "replicates": 4,
            "kinds": ["agent"],
        },
        {
            "name": "transfer",
            "figure": [9],
            "strategies": ["random", "bestrand"],
            "retentions": [0.2],
            "splits": ["weak-to-strong", "strong-to-weak"],
            "known": [4],
            "replicates": 5,
            "kinds": ["agent", "multimodal"],
        },
        {
            "name": "driving",
            "figure": [10],
            "strategies": ["random", "bestrand"],
            "retentions": [0.5],
            "known": [3],
            "replicates": 5,
            "kinds": ["vla"],
            "metrics": ["score", "success"],
        },
    ],
}


class Made(NamedTuple):
    """A study in its folder, its table, and its page."""

    folder: Path
    table: StudyTable
    page: Page


def thinned(name: str, every: int) -> pl.DataFrame:
    """Give every so manieth item of a bundled matrix."""
    scores = load(name)
    items = scores.items.gather_every(every).select("item", "group")
    return scores.rows.join(items, on="item").select("item", "model", "score", "group")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    root = tmp_path_factory.mktemp("study")
    blink, sql = thinned("blink_val", 7), thinned("intercode_sql", 5)
    for kind in ("multimodal", "agent", "vla"):
        (root / "data" / kind).mkdir(parents=True)
    blink.write_parquet(root / "data" / "multimodal" / "blink.parquet")
    sql.write_parquet(root / "data" / "agent" / "sql.parquet")
    long = sql.with_columns(pl.lit("score").alias("metric"))
    success = long.with_columns((pl.col("score") > 0.5).cast(pl.Float64), metric=pl.lit("success"))
    pl.concat([long, success]).drop("group").write_parquet(root / "data" / "vla" / "drive.parquet")
    folder = root / "store"
    table = run_study([root / "data"], Protocol.of(WHAT), output=folder)
    return Made(folder, table, study_page(table))


@pytest.fixture(scope="module")
def page(made: Made, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    br.report(made.table, path)
    return path


@pytest.mark.slow
def test_every_part_of_the_article_has_its_figure(made: Made) -> None:
    titles = [section.title for section in made.page.sections]
    keys = [figure.key for figure in made.page.figures]

    assert titles == [
        "Errors",
        "High error",
        "Distributions",
        "Theory",
        "Rankings",
        "Cost",
        "Ablations",
        "Number of models",
        "Stability",
        "Out of distribution",
        "Driving",
        "Designs and estimators",
        "Calibration",
        "What stayed empty",
        "Benchmarks",
        "How it was done",
    ]
    assert len(set(keys)) == len(keys)


@pytest.mark.slow
def test_every_figure_has_caption_n_error_and_rows(made: Made) -> None:
    assert made.page.figures
    for figure in made.page.figures:
        assert figure.caption
        assert figure.n
        assert figure.error
        assert figure.rows
        assert "nan" not in figure.to_csv()


def test_figures_show_the_averages_of_the_study(made: Made) -> None:
    figure = next(figure for figure in made.page.figures if figure.key == "errors-1")
    averages = made.table.averages().filter(pl.col("experiment") == HOSTILE)

    assert len(figure.rows) == averages.height
    for row, line in zip(figure.rows, averages.iter_rows(named=True), strict=True):
        assert row["strategy"] == line["strategy"]
        assert row["ratio"] == pytest.approx(line["mae_ratio"])
        assert row["mae"] == pytest.approx(100 * line["mae"])
        assert row["mae_se"] is not None


def test_the_curve_over_models_is_in_order_and_names_its_rivals(made: Made) -> None:
    figure = next(figure for figure in made.page.figures if figure.key == "models-1")
    seen = [(row["method"], row["models"], row["cost"]) for row in figure.rows]

    # 9 models are not known, so those cells stay empty; a pool of 4n at a tenth is .4 of a run
    assert [(method, models) for method, models, _ in seen] == [
        (method, models) for method in ("bestrand", HOSTILE) for models in ("2", "3", "all")
    ]
    assert [cost for _, _, cost in seen[:3]] == pytest.approx([0.8, 1.2, 2.0], rel=0.03)
    assert "models-2" not in {figure.key for figure in made.page.figures}
    assert all(figure.title != "Ablations: two to all" for figure in made.page.figures)


def test_the_page_says_what_subsets_equal(made: Made) -> None:
    errors = next(section for section in made.page.sections if section.title == "Errors")
    averages = made.table.averages().filter(
        (pl.col("strategy") == "balanced")
        & (pl.col("kind") == "all")
        & (pl.col("experiment") == HOSTILE)
    )
    row = averages.filter(pl.col("retention") == 0.1).row(0, named=True)
    said = next(text for text in errors.text if text.startswith("A subset by balanced equals"))

    assert f"10 %: about {row['equals']:.1f} times as many random items on average" in said
    assert f"{row['equals_p95']:.1f} times in a bad draw" in said
    assert "30 %: about" in said


def test_one_of_a_thing_is_not_many(made: Made, tmp_path: Path) -> None:
    law = {**WHAT["experiments"][1], "kinds": ["agent"], "replicates": 1}  # type: ignore[dict-item]
    errors = {**law, "name": "errors", "figure": [1], "splits": ["random"], "theory": False}
    what = {"name": "one", "experiments": [{**errors, "known": [5]}]}
    data = made.folder.parent / "data" / "agent"
    one = study_page(run_study([data], Protocol.of(what), output=tmp_path / "one"))
    figures = {figure.key: figure for figure in one.figures}

    assert "1 cell on 1 benchmark of 1 family; 0 stayed empty" in one.lead[0]
    assert figures["errors-1"].n.startswith("1 benchmark of 1 family, 1 replicate a cell")
    assert figures["matrices"].n == "1 score matrix"
    assert figures["protocol"].n == "1 experiment"


def test_stability_counts_what_it_shows(made: Made) -> None:
    figure = next(figure for figure in made.page.figures if figure.key == "stability-1")
    lower = sum(bool(row["both_lower"]) for row in figure.rows)

    assert f"in {lower} of {len(figure.rows)} cells" in figure.caption


def test_no_name_becomes_an_expression_of_a_chart(made: Made) -> None:
    charts = [figure.chart for figure in made.page.figures if figure.chart is not None]

    assert len(charts) > 12
    for chart in charts:
        assert [text for text in expressions(chart) if "onerror" in text] == []


def test_driving_is_in_the_metrics_own_unit(made: Made) -> None:
    figure = next(figure for figure in made.page.figures if figure.key == "driving-1")
    cells = made.table.cells().filter(pl.col("experiment") == "driving")

    assert {row["metric"] for row in figure.rows} == {"score", "success"}
    assert [row["mae"] for row in figure.rows] == pytest.approx(cells["mae"].to_list())


@pytest.mark.slow
def test_the_page_draws_every_chart_offline_and_names_stay_text(page: Path, opened: Open) -> None:
    with opened(page) as seen:
        charts = seen.locator(".chart").count()
        heading = seen.locator("h1").inner_text()
        sections = seen.locator("h3").all_inner_texts()

        ids = seen.evaluate("[...document.querySelectorAll('main [id]')].map((e) => e.id)")

        assert charts > 12
        assert len(set(ids)) == len(ids)
        assert seen.locator(".chart svg").count() == charts
        assert seen.locator(".failed").count() == 0
        assert seen.locator("img").count() == 0
        assert HOSTILE in heading
        assert f"Mean error: {HOSTILE}" in sections


@pytest.mark.slow
def test_a_name_does_not_turn_the_text_around_it(made: Made, tmp_path: Path, opened: Open) -> None:
    text = json.dumps(WHAT).replace(json.dumps(HOSTILE)[1:-1], json.dumps(TURNED)[1:-1])
    what = json.loads(text)
    by_name = {experiment["name"]: experiment for experiment in what["experiments"]}
    law, transfer = by_name["law"], by_name["transfer"]
    what["experiments"] = [law, {**transfer, "name": ESCAPING, "figure": [1, 2], "replicates": 2}]
    for experiment in what["experiments"]:
        experiment["kinds"] = ["agent"]
    table = run_study([made.folder.parent / "data"], Protocol.of(what), output=tmp_path / "study")
    path = tmp_path / "turned.html"
    br.report(table, path)
    with opened(path) as seen:
        headings = seen.locator("h1:has(bdi), h3:has(bdi)").all_text_contents()

        assert turned_around(seen) == []
        assert f"Study: all figures {TURNED}" in headings
        assert f"Mean error: {ESCAPING}, weak-to-strong" in headings


def test_a_phone_scrolls_down_and_not_sideways(page: Path, opened: Open) -> None:
    with opened(page, viewport={"width": 390, "height": 800}) as seen:
        assert seen.evaluate("document.documentElement.scrollWidth") == 390


@pytest.mark.slow
def test_paper_cuts_nothing_off(page: Path, opened: Open) -> None:
    with opened(page) as seen:
        assert beyond_the_paper(seen, A4_WIDTH) == []


@pytest.mark.slow
def test_the_verb_writes_the_same_page_and_prints_the_same_summary(
    run: Run, made: Made, page: Path, tmp_path: Path
) -> None:
    path = tmp_path / "again.html"
    done = run("report", made.folder, "-o", path, "--json")
    averages = made.table.averages()

    assert done.code == 0
    assert path.read_bytes() == page.read_bytes()
    assert len(done.json["averages"]) == averages.height
    assert "seconds" not in json.dumps(done.json)


def test_a_study_that_is_half_done_says_so(made: Made, tmp_path: Path) -> None:
    folder = tmp_path / "half"
    (folder / "cells").mkdir(parents=True)
    (folder / "study.json").write_bytes((made.folder / "study.json").read_bytes())
    parts = sorted((made.folder / "cells").iterdir())
    for part in parts[::2]:
        (folder / "cells" / part.name).write_bytes(part.read_bytes())
    half = study_page(read_study(folder))

    assert any("are not computed yet" in text for text in half.lead)
    assert half.to_html()


def test_a_study_of_nothing_yet_has_a_page(made: Made, tmp_path: Path) -> None:
    (tmp_path / "cells").mkdir()
    (tmp_path / "study.json").write_bytes((made.folder / "study.json").read_bytes())
    bare = study_page(read_study(tmp_path))

    assert [section.title for section in bare.sections] == [
        "What stayed empty",
        "Benchmarks",
        "How it was done",
    ]
    assert "nothing to average" in " ".join(bare.lead)


def test_scores_do_not_go_with_a_study(run: Run, made: Made, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    with pytest.raises(br.ArgumentError, match="`probes` go with a subset"):
        br.report(made.table, path, probes=load("blink_val"))
    done = run("report", made.folder, "scores.csv", "-o", path)
    bare = run("report", tmp_path, "-o", path)

    assert done.code == 2
    assert "the folder of a study" in done.err
    assert bare.code == 3
    assert "no study here" in bare.err
    assert not path.exists()

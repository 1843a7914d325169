"""Every verb as a user runs it, and that what it prints is its contract."""

import json
from pathlib import Path

import numpy as np
import pytest
from jsonschema import Draft202012Validator

import bestrand as br
from bestrand.planning.costs import pays_against_random
from bestrand.planning.equals import random_items_of
from bestrand.reporting.json.schemas import CONTRACTS, schema_of
from bestrand.stats.random_items import random_items
from tests.conftest import Files, Run


def validate(name: str, value: object) -> None:
    Draft202012Validator(schema_of(name)).validate(value)


def drawn(run: Run, files: Files, *more: object) -> tuple[Path, Path]:
    pool, subset = files.folder / "pool.json", files.folder / "subset.json"

    assert run("pool", files.scores, "-n", 60, "--seed", 3, "-o", pool, "-q").code == 0
    done = run("select", files.probes, "-n", 60, "--pool", pool, "-o", subset, "-q", *more)
    assert done == (0, "", "")
    return pool, subset


@pytest.mark.parametrize("name", sorted(CONTRACTS))
def test_every_contract_is_a_valid_schema(name: str) -> None:
    Draft202012Validator.check_schema(schema_of(name))


def test_the_whole_flow_gives_the_same_numbers_as_python(run: Run, files: Files) -> None:
    pool, subset = drawn(run, files)
    done = run("estimate", subset, files.targets, "--probes", files.probes, "--json")
    manifest = br.Manifest.read(subset)
    result = br.estimate(
        br.read_scores(files.targets), manifest, probes=br.read_scores(files.probes)
    )

    assert done.code == 0
    validate("estimate", done.json)
    assert [row["model"] for row in done.json["models"]] == list(result.models)
    assert [row["estimate"] for row in done.json["models"]] == pytest.approx(result.estimate)
    assert [row["low"] for row in done.json["models"]] == pytest.approx(result.low)
    assert done.json["resolution"] == pytest.approx(result.resolution)
    assert manifest.parent == br.Manifest.read(pool).digest
    validate("manifest", json.loads(subset.read_text()))


def test_estimates_are_means_over_the_chosen_items(run: Run, files: Files) -> None:
    _, subset = drawn(run, files)
    done = run("estimate", subset, files.targets, "--json")
    chosen = files.matrix.take_items(br.Manifest.read(subset).items)
    rows = {row["model"]: row for row in done.json["models"]}

    for model, row in rows.items():
        assert row["estimate"] == pytest.approx(chosen.take_models([model]).values.mean())
        assert row["n"] == 60
    assert "no-probes" in {note["code"] for note in done.json["notes"]}


def test_probes_narrow_the_intervals_of_what_they_explain(run: Run, files: Files) -> None:
    _, subset = drawn(run, files)
    with_probes = run("estimate", subset, files.targets, "--probes", files.probes, "--json").json
    without = run("estimate", subset, files.targets, "--json").json

    ratios = [
        narrow["se"] / wide["se"]
        for narrow, wide in zip(with_probes["models"], without["models"], strict=True)
    ]
    assert max(ratios) < 1.02  # 1 for a target that these probes do not explain
    assert min(ratios) < 0.98


def test_read_counts_and_writes_what_it_read(run: Run, files: Files) -> None:
    output = files.folder / "again.parquet"
    done = run("read", files.probes, "-o", output, "--json")
    validate("read", done.json)

    assert done.json["items"] == 1901
    assert done.json["counts"] == {
        "scored": 6 * 1901,
        "missing": 0,
        "errored": 0,
        "unscored": 0,
        "duplicate": 0,
    }
    assert run("read", output, "--json").json == done.json


def test_compare_says_which_are_worse_and_fails_if_asked(run: Run, files: Files) -> None:
    _, subset = drawn(run, files)
    scores = files.matrix.take_items(br.Manifest.read(subset).items)
    best = scores.models[int(np.argmax(scores.values.mean(axis=1)))]
    plain = run("compare", subset, files.scores, "--baseline", best, "--json")
    gate = run("compare", subset, files.scores, "--baseline", best, "--fail-if-worse")
    validate("compare", plain.json)

    assert plain.code == 0
    assert len(plain.json["pairs"]) == len(files.matrix.models) - 1
    assert {pair["baseline"] for pair in plain.json["pairs"]} == {best}
    assert gate.code == 1
    assert f"worse than {best}" in gate.err


def test_a_lower_score_can_be_the_better_one(run: Run, files: Files) -> None:
    _, subset = drawn(run, files)
    scores = files.matrix.take_items(br.Manifest.read(subset).items)
    best = scores.models[int(np.argmax(scores.values.mean(axis=1)))]
    words = ("compare", subset, files.scores, "--baseline", best, "--fail-if-worse")

    assert run(*words, "--lower-is-better").code == 0


def test_max_se_is_a_gate(run: Run, files: Files) -> None:
    _, subset = drawn(run, files)

    assert run("estimate", subset, files.targets, "--max-se", 0.5, "-q") == (0, "", "")
    failed = run("estimate", subset, files.targets, "--max-se", 0.001, "--json")
    assert failed.code == 1
    assert "standard error of 6 of 6 models is above 0.001" in failed.err
    validate("estimate", failed.json)


def test_verify_draws_pool_and_subset_again(run: Run, files: Files) -> None:
    pool, subset = drawn(run, files)
    of_pool = run("verify", pool, files.scores, "--json")
    of_subset = run("verify", subset, files.probes, "--pool", pool, "--json")
    validate("verify", of_subset.json)

    for done in (of_pool, of_subset):
        assert done.code == 0
        assert {check["name"]: check["outcome"] for check in done.json["checks"]}[
            "redrawn"
        ] == "passed"


def test_verify_knows_the_scores_of_a_run(run: Run, files: Files) -> None:
    _, subset = drawn(run, files)
    items = list(br.Manifest.read(subset).items)
    exact, short = files.folder / "run.csv", files.folder / "short.csv"
    exact.write_text("item,score\n" + "".join(f"{item},1\n" for item in items))
    short.write_text("item,score\n" + "".join(f"{item},1\n" for item in items[1:]))

    assert run("verify", subset, exact).code == 0
    failed = run("verify", subset, short)
    assert failed.code == 1
    assert f"missing    failed  1 of the 60 chosen items did not run ('short'): '{items[0]}'." in (
        failed.out
    )


@pytest.mark.parametrize("design", ["random", "stratified"])
def test_designs_without_probes_can_be_chosen(run: Run, files: Files, design: str) -> None:
    done = run("select", files.scores, "--retention", 0.05, "--design", design, "--json")
    validate("manifest", done.json)

    assert len(done.json["items"]) == 95
    assert done.json["probes"] == []
    assert done.json["inclusion"] == pytest.approx([95 / 1901] * 95)


def test_what_choosing_costs_and_is_worth_is_printed(run: Run, files: Files) -> None:
    pool, subset = drawn(run, files)
    words = ("select", files.probes, "-n", 60, "--pool", pool)
    of_pool = run("pool", files.scores, "-n", 60, "--seed", 3, "--json").json
    chosen, said = run(*words, "--json"), run(*words).out
    costs, equals = chosen.json["costs"], chosen.json["equals"]
    worth = random_items_of(
        br.Manifest.read(subset), br.read_scores(files.probes), pool=br.Manifest.read(pool)
    )

    for printed in (of_pool, chosen.json):
        validate("manifest", printed)
    assert of_pool["costs"]["probe_items"] == 240
    assert of_pool["costs"]["construction"] is None
    assert of_pool["equals"] is None
    assert costs["construction_items"] == 6 * 240
    assert costs["construction"] == pytest.approx(6 * 240 / 1901)
    assert costs["target_items"] == 60
    assert costs["pays_from"] == 1
    assert worth is not None
    assert equals == pytest.approx(worth.to_dict())
    assert costs["pays_from_random"] == pays_against_random(br.Manifest.read(subset), worth.mean)
    assert "6 probes x 240 items = 1 440 calls, 0.76 full runs of one model" in said
    assert "from 1 target on, against running them on all items" in said
    assert f"about {worth.mean:.0f} random items on average ({worth.mean_low:.0f} to" in said
    assert "each probe" in run("pool", files.scores, "-n", 60).out


def test_what_is_printed_is_the_manifest_of_the_file(run: Run, files: Files) -> None:
    pool, subset = drawn(run, files)
    done = run("select", files.probes, "-n", 60, "--pool", pool, "--json")
    written = json.loads(subset.read_text())
    piped = files.folder / "piped.json"
    piped.write_text(done.out)

    assert {name: done.json[name] for name in written} == written
    assert set(done.json) - set(written) == {"costs", "equals", "read_notes"}
    assert br.Manifest.read(piped) == br.Manifest.read(subset)
    assert run("estimate", piped, files.targets, "-q").code == 0


def test_the_worth_of_other_designs(run: Run, files: Files) -> None:
    random = run("select", files.scores, "-n", 60, "--design", "random", "--json").json
    stratified = run("select", files.scores, "-n", 60, "--design", "stratified")
    history = run("select", files.probes, "-n", 60, "--design", "history")

    assert random["equals"]["mean"] == random["equals"]["p95_high"] == 60
    assert random["costs"]["construction"] == 0.0
    assert "no probe runs, so it costs no calls" in stratified.out
    assert "not known before targets run" in stratified.out
    assert "6.00 full runs of one model; nothing if they have run already" in history.out


def test_macro_weights_are_kept_in_the_manifest_and_used(run: Run, files: Files) -> None:
    subset = files.folder / "macro.json"
    words = ("select", files.probes, "-n", 200, "--weights", "macro", "-o", subset, "-q")
    assert run(*words).code == 0
    manifest = br.Manifest.read(subset)
    done = run("estimate", subset, files.targets, "--json")
    model = done.json["models"][0]
    values = files.matrix.take_models([model["model"]]).take_items(manifest.items).values[0]
    expected = np.average(values, weights=manifest.relative_weights)

    assert manifest.weighting == "macro"
    assert model["estimate"] == pytest.approx(expected)


def test_the_same_seed_writes_the_same_bytes(run: Run, files: Files) -> None:
    _, subset = drawn(run, files)
    again = files.folder / "again.json"
    run("select", files.probes, "-n", 60, "--pool", files.folder / "pool.json", "-o", again)

    assert again.read_bytes() == subset.read_bytes()


def test_the_demo_runs_and_keeps_its_contract(run: Run) -> None:
    done = run("demo", "--draws", 40, "--json")
    validate("demo", done.json)
    errors = {row["design"]: row for row in done.json["errors"]}

    assert done.code == 0
    assert len(done.json["targets"]) == 20
    assert errors["BestRand"]["mean"] < errors["SimpleRandom"]["mean"]
    assert done.json["construction_cost"] == pytest.approx(8 * 800 / 12002)
    assert errors["SimpleRandom"]["equals"] is None
    ratio = errors["Balanced"]["mean"] / errors["SimpleRandom"]["mean"]
    assert errors["Balanced"]["equals"]["mean"] == pytest.approx(random_items(ratio, 200, 12002))
    assert errors["Balanced"]["equals"]["mean_low"] < errors["Balanced"]["equals"]["mean"]


def test_people_get_tables(run: Run, files: Files) -> None:
    _, subset = drawn(run, files)
    done = run("estimate", subset, files.targets)

    assert done.code == 0
    assert "95% interval" in done.out
    assert "are not resolved" in done.out
    assert done.err == ""


@pytest.mark.parametrize(
    "verb",
    [
        "demo",
        "read",
        "diagnose",
        "plan",
        "backtest",
        "pool",
        "select",
        "estimate",
        "compare",
        "study",
        "report",
        "verify",
    ],
)
def test_every_verb_has_help_with_an_example(run: Run, verb: str) -> None:
    done = run(verb, "--help")

    assert done.code == 0
    assert f"Example: bestrand {verb}" in done.out
    assert "--json" in done.out


def test_the_version_is_printed(run: Run) -> None:
    assert run("--version").out.startswith("bestrand 0.")

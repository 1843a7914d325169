"""Backtests: each model left out, by itself or with its family, and nothing seen that is hidden."""

from pathlib import Path

import numpy as np
import pytest

import bestrand as br
from bestrand.data import load
from bestrand.planning.leave_out import leave_out
from bestrand.rng import Stream
from bestrand.stats.random_items import random_items
from tests.cli.test_verbs import validate
from tests.conftest import Files, Run


MATRIX = load("blink_val").matrix()
FAMILIES = {model: model.lower()[:3] for model in MATRIX.models}


def test_every_model_is_left_out_about_as_often_and_never_probes_for_itself() -> None:
    draws = list(leave_out(MATRIX.models, None, 8, 30, Stream.of(0, "b")))
    counts = dict.fromkeys(MATRIX.models, 0)
    for probes, targets in draws:
        assert len(probes) == 8
        assert not set(probes) & set(targets)
        assert set(probes) | set(targets) == set(MATRIX.models)
        for model in targets:
            counts[model] += 1

    assert min(counts.values()) >= 30
    assert max(counts.values()) <= 2 * min(counts.values())


def test_no_probe_is_of_a_family_that_is_left_out() -> None:
    draws = list(leave_out(MATRIX.models, FAMILIES, 8, 5, Stream.of(0, "b")))
    left = {FAMILIES[target] for _, targets in draws for target in targets}

    assert left == set(FAMILIES.values())
    for probes, targets in draws:
        assert not {FAMILIES[probe] for probe in probes} & {FAMILIES[target] for target in targets}
        assert len({FAMILIES[target] for target in targets}) == 1


@pytest.mark.slow
def test_balance_on_probes_is_better_than_random_on_real_models() -> None:
    seen = br.backtest(MATRIX, 190, n_draws=60)

    assert seen.n_probes == 8
    assert seen.n_pool == 760
    assert seen.mean.ratio + 2 * seen.mean.ratio_se < 1
    assert seen.worst_draw.ratio < 0.9
    assert seen.coverage == pytest.approx(0.95, abs=3 * seen.coverage_se + 0.01)
    assert seen.mean.design == pytest.approx(
        np.average([m.mean for m in seen.models], weights=[m.n_draws for m in seen.models])
    )


def test_random_against_itself_differs_by_chance_alone() -> None:
    plain = br.ScoreMatrix(br.Frame.of(MATRIX.frame.items), MATRIX.models, MATRIX.values)
    seen = br.backtest(plain, 100, design=br.SimpleRandom(), n_draws=20)

    assert seen.mean.ratio == pytest.approx(1.0)  # the same seeds draw the same items
    assert seen.estimator == "Mean"


@pytest.mark.slow
def test_the_error_of_the_ratio_is_its_spread_over_seeds() -> None:
    seen = [br.backtest(MATRIX, 100, n_draws=6, seed=seed).mean for seed in range(12)]
    spread = np.std([figure.ratio for figure in seen], ddof=1)

    assert np.mean([figure.ratio_se for figure in seen]) == pytest.approx(spread, rel=0.6)


def test_what_it_equals_is_from_the_ratios() -> None:
    seen = br.backtest(MATRIX, 100, n_draws=20)
    equals, n_items = seen.equals, MATRIX.frame.n

    assert equals.mean == pytest.approx(random_items(seen.mean.ratio, 100, n_items))
    assert equals.p95 == pytest.approx(random_items(seen.worst_draw.ratio, 100, n_items))
    assert equals.mean_low < equals.mean < equals.mean_high
    assert equals.p95_low <= equals.p95 <= equals.p95_high


def test_the_same_seed_gives_the_same_numbers() -> None:
    one, other = (br.backtest(MATRIX, 60, n_draws=3, seed=4) for _ in range(2))

    assert one.models == other.models
    assert one.models != br.backtest(MATRIX, 60, n_draws=3, seed=5).models


def test_few_models_leave_one_out() -> None:
    three = MATRIX.take_models(MATRIX.models[:3])
    seen = br.backtest(three, 60, n_draws=4)

    assert seen.n_probes == 2
    assert [row.n_draws for row in seen.models] == [4, 4, 4]


def test_what_cannot_be_tested_is_refused() -> None:
    with pytest.raises(br.InputError, match="two models or more"):
        br.backtest(MATRIX.take_models(MATRIX.models[:1]), 50)
    with pytest.raises(br.InputError, match="Families must name every model; 18 have none"):
        br.backtest(MATRIX, 50, families={MATRIX.models[0]: "x"})
    with pytest.raises(br.InputError, match="two families or more"):
        br.backtest(MATRIX, 50, families=dict.fromkeys(MATRIX.models, "x"))
    with pytest.raises(br.ArgumentError, match="either `n` or `retention`"):
        br.backtest(MATRIX)
    with pytest.raises(br.ArgumentError, match="must be 2 or more"):
        br.backtest(MATRIX, 50, n_draws=1)
    with pytest.raises(br.InputError, match=r"in 1\.\.1901"):
        br.backtest(MATRIX, 5000)
    holes = MATRIX.values.copy()
    holes[0, 0] = np.nan
    with pytest.raises(br.InputError, match="a backtest needs them all"):
        br.backtest(br.ScoreMatrix(MATRIX.frame, MATRIX.models, holes), 50)


def test_families_are_read_from_a_table(tmp_path: Path) -> None:
    path = tmp_path / "kin.csv"
    path.write_text("model,family\na,x\nb,y\n")
    assert br.read_families(path) == {"a": "x", "b": "y"}

    path.write_text("model,kin\na,x\n")
    with pytest.raises(br.FileError, match="need the columns 'model' and 'family'"):
        br.read_families(path)
    path.write_text("model,family\na,x\na,y\n")
    with pytest.raises(br.FileError, match="'a' is of two families"):
        br.read_families(path)
    path.write_text("model,family\na,\n")
    with pytest.raises(br.FileError, match="is empty"):
        br.read_families(path)


def test_the_command_prints_its_contract(run: Run, files: Files) -> None:
    kin = files.folder / "kin.csv"
    kin.write_text("model,family\n" + "".join(f"{m},{f}\n" for m, f in FAMILIES.items()))
    words = ("backtest", files.scores, "-n", 60, "--draws", 2)
    done = run(*words, "--json", "--chart", files.folder / "models.svg")
    validate("backtest", done.json)

    assert done.code == 0
    assert done.json["models"][0]["mean"] == br.backtest(MATRIX, 60, n_draws=2).models[0].mean
    assert (files.folder / "models.svg").read_text().startswith("<svg")
    by_family = run(*words, "--families", kin)
    assert "Intervals held the full score" in by_family.out
    assert "family" in by_family.out
    assert run("backtest", files.scores).code == 2
    assert run(*words, "--families", files.folder / "absent.csv").code == 3


def test_fewer_probes_than_asked_for_and_draws_of_one_target_are_said(
    run: Run, files: Files
) -> None:
    seven = MATRIX.take_models(MATRIX.models[:7])
    codes = [note.code for note in br.backtest(seven, 30, n_probes=7, n_draws=2).notes]
    assert codes == ["fewer-probes", "one-left-out"]
    assert "has 6 probes, not 7: there are 7 models" in (
        br.backtest(seven, 30, n_probes=7, n_draws=2).notes[0].text
    )
    one = br.backtest(seven, 30, n_probes=6, n_draws=2)
    assert [note.code for note in one.notes] == ["one-left-out"]
    assert one.p95 == one.worst_draw
    assert br.backtest(seven, 30, n_probes=5, n_draws=2).notes == ()
    pair = br.backtest(MATRIX.take_models(MATRIX.models[:2]), 30, n_draws=2)
    assert "A draw has 1 probe, not 8" in pair.notes[0].text
    kin = {model: model[0] for model in seven.models}
    of_kin = br.backtest(seven, 30, n_probes=6, n_draws=2, families=kin)
    assert of_kin.notes[0].code == "fewer-probes"

    words = ("backtest", files.probes, "-n", 30, "--n-probes", 6, "--draws", 2)
    said = " ".join(run(*words).out.split())
    assert "note A draw has 5 probes, not 6: there are 6 models" in said
    assert [note["code"] for note in run(*words, "--json").json["notes"]] == codes

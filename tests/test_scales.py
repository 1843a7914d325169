"""Probes and targets in different units are refused, whatever range was said; weak models pass."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import bestrand as br
from bestrand.core.bounds import scale_gap
from bestrand.data import load
from tests.conftest import Run


INF = float("inf")
RNG = np.random.default_rng(0)
ITEMS = tuple(f"q{i:03d}" for i in range(300))
FRAME = br.Frame.of(ITEMS)
RIGHT = (RNG.random((8, 300)) < np.linspace(0.2, 0.8, 8)[:, None]).astype(np.float64)
GRADED = np.clip(RNG.normal(0.5, 0.25, (8, 300)), 0, 1)


def models_of(
    values: np.ndarray, letter: str, bounds: tuple[float, float] | None, *, is_open: bool = False
) -> br.ScoreMatrix:
    names = tuple(f"{letter}{i}" for i in range(len(values)))
    return br.ScoreMatrix(FRAME, names, values, bounds=bounds, open_ended=is_open)


def estimated(
    probes: np.ndarray,
    targets: np.ndarray,
    bounds: tuple[float, float] | None,
    *,
    is_open: bool = False,
) -> dict[str, str]:
    """Estimate with the probes chosen by, and give the notes."""
    known = models_of(probes, "p", bounds, is_open=is_open)
    subset = br.select(known, 60, seed=0)
    result = br.estimate(models_of(targets, "t", bounds, is_open=is_open), subset, probes=known)
    return {note.code: note.text for note in result.notes}


@pytest.mark.parametrize("values", [RIGHT, GRADED], ids=["right", "graded"])
@pytest.mark.parametrize("bounds", [(0.0, 100.0), (0.0, 1000.0), (-100.0, 100.0), (0.0, 120.0)])
def test_a_range_that_was_said_hides_no_other_unit(
    values: np.ndarray, bounds: tuple[float, float]
) -> None:
    for one, other in ((values[:5], 100 * values[5:]), (100 * values[:5], values[5:])):
        with pytest.raises(br.InputError, match=r"must all be on one scale: .* The range"):
            estimated(one, other, bounds)
    assert "scales-differ" not in estimated(100 * values[:5], 100 * values[5:], bounds)


def test_one_model_of_many_in_another_unit_is_named() -> None:
    mixed = 100 * RIGHT[5:]
    mixed[1] = RIGHT[6]
    with pytest.raises(br.InputError, match="those of 't1' stay within 1, those of 't0' go up to"):
        estimated(100 * RIGHT[:5], mixed, (0, 100))
    assert "scales-differ" not in estimated(RIGHT[:5], RIGHT[5:], (0, 1))


def test_matrices_made_by_hand_without_bounds_are_looked_at() -> None:
    with pytest.raises(br.InputError, match="one scale"):
        estimated(RIGHT[:5], 100 * RIGHT[5:], None)
    mixed = np.concatenate([RIGHT[5:7], 100 * RIGHT[7:]])
    with pytest.raises(br.InputError, match="one scale: those of 't0' stay within 1"):
        estimated(100 * RIGHT[:5], mixed, None)
    few = np.concatenate([RIGHT[5:7] * 0.4, 8 * GRADED[5:]])  # costs, say
    assert "scales-differ" in estimated(few, 8 * GRADED[5:], None)
    for bounds in (None, (0.0, 100.0)):
        with pytest.raises(br.InputError, match="one scale: those of 'p0' stay within 1"):
            br.select(models_of(mixed, "p", bounds), 60, seed=0)


def test_a_weak_model_passes_on_a_scale_of_a_hundred() -> None:
    """It scores 0 or next to nothing, on few items or on many."""
    weak = np.zeros((3, 300))
    weak[1, :3] = 0.8
    weak[2, :80] = np.linspace(0.001, 0.02, 80)

    assert "scales-differ" in estimated(100 * GRADED[:5], weak, (0, 100))
    assert "scales-differ" not in estimated(100 * GRADED[:5], weak[:1], (0, 100))


def test_a_judge_that_gives_1_of_10_passes_and_is_said() -> None:
    marks = RNG.integers(0, 11, (8, 300)).astype(np.float64)
    worst = (RNG.random((2, 300)) < 0.4).astype(np.float64)

    assert "scales-differ" in estimated(marks[:5], worst, (0, 10))
    assert "scales-differ" not in estimated(1 + np.minimum(marks[:5], 4), 1 + worst, (1, 5))


def test_costs_may_differ_ten_times_and_more_is_said_but_not_refused() -> None:
    costs = RNG.lognormal(-1.5, 0.5, (8, 300)).clip(0, 0.9)

    assert "scales-differ" not in estimated(costs[:5], 10 * costs[5:], (0, 60))
    assert "scales-differ" not in estimated(costs[:5], 10 * costs[5:], None, is_open=True)
    said = estimated(costs[:5], 100 * costs[5:], None, is_open=True)["scales-differ"]
    assert "Estimates and intervals hold only if both are in one unit" in said


@pytest.mark.parametrize("name", ["mmlu_pro", "blink_val"])
@pytest.mark.parametrize("unit", [5.0, 10.0, 100.0])
def test_real_models_are_never_refused(name: str, unit: float) -> None:
    matrix = load(name).matrix()
    for seed in range(50):
        rng = np.random.default_rng(seed)
        n = int(rng.choice([5, 20, 100]))
        order = rng.permutation(len(matrix.models))
        columns = rng.permutation(matrix.frame.n)[:n]
        values = list(unit * matrix.values[order[:5]]) + list(
            unit * matrix.values[order[5:], :][:, columns]
        )
        gap = scale_gap([str(i) for i in range(len(values))], values, (0.0, unit))

        assert gap is None or not gap.is_certain


@pytest.mark.slow
def test_files_with_a_declared_range_are_looked_at(run: Run, tmp_path: Path) -> None:
    def written(name: str, factor: float) -> Path:
        rows = [
            f"{item},{name}{j},{factor * score:g}\n"
            for j, scores in enumerate(RIGHT[:4])
            for item, score in zip(ITEMS, scores, strict=True)
        ]
        path = tmp_path / f"{name}.csv"
        path.write_text("item,model,score\n" + "".join(rows))
        return path

    probes, targets, subset = written("p", 1), written("t", 100), tmp_path / "s.json"
    assert run("select", probes, "-n", 60, "-o", subset, "--range", "0:100").code == 0
    for verb in (("estimate",), ("compare", "--baseline", "t0")):
        words = (verb[0], subset, targets, *verb[1:], "--probes", probes)
        for span in (("--range", "0:100"), ("--range", "score=0:100"), ()):
            done = run(*words, *span)
            assert done.code == 3, span
            assert "on one scale" in done.err
        assert run(*words, "--range", "0:").code == 0
        assert "times those of" in run(*words, "--range", "0:").out
    both = run("select", probes, targets, "-n", 60, "--range", "0:100")
    assert both.code == 3
    assert "The range 0..100 is that of all models" in both.err


def test_a_table_with_a_range_is_looked_at_too(tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text(
        "item,model,score\n"
        + "".join(f"q{i},unit,{i % 2}\nq{i},percent,{100 * (i % 3 == 0)}\n" for i in range(20))
    )
    with pytest.raises(br.InputError, match="must all be on one scale"):
        br.read_scores(tmp_path / "s.csv", bounds=(0, 100)).matrix()
    assert br.read_scores(tmp_path / "s.csv", bounds=(0, INF)).matrix().open_ended


def test_the_means_of_the_manifest_count_in_its_own_unit() -> None:
    """Without the probes' scores nothing is in two units: the estimate is in the targets'."""
    subset = br.select(models_of(RIGHT[:5], "p", (0, 1)), 60, seed=0)
    targets = models_of(100 * RIGHT[5:], "t", (0, 100))
    result = br.estimate(targets, subset)

    assert result.estimate == pytest.approx(
        100 * br.estimate(replace(targets, values=RIGHT[5:], bounds=(0, 1)), subset).estimate
    )

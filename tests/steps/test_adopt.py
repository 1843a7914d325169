"""Subsets that others chose: N is said, nothing is drawn, intervals rest on a statement."""

from pathlib import Path

import numpy as np
import pytest

import bestrand as br
from bestrand.core.manifest import ADOPTED
from bestrand.estimators.inverse_probability import Hajek
from tests.conftest import Run


IDS = [f"t{i:03d}" for i in range(100)]
N = 14_042


def run_of(n_right: int = 66, models: tuple[str, ...] = ("m",)) -> br.ScoreMatrix:
    values = np.tile((np.arange(100) < n_right).astype(np.float64), (len(models), 1))
    return br.ScoreMatrix(br.Frame.of(IDS), models, values, bounds=(0.0, 1.0))


def benchmark(weighting: str = "micro") -> br.Frame:
    items = [f"t{i:03d}" for i in range(400)]
    groups = ["easy" if i % 4 else "hard" for i in range(400)]
    return br.Frame.of(items, groups=groups, weighting=weighting)  # type: ignore[arg-type]


def test_a_random_list_has_the_error_of_a_simple_random_sample() -> None:
    """sqrt(.66 * .34 / 99 * (1 - 100 / 14042)) = .0474, by hand; the floor adds .0002."""
    result = br.estimate(run_of(), br.adopt(IDS, of=N, inclusion="random"))

    assert result.estimate[0] == pytest.approx(0.66)
    assert result.se[0] == pytest.approx(np.sqrt(0.66 * 0.34 / 99 * (1 - 100 / N)), rel=0.01)
    assert (result.n_frame, result.n[0]) == (N, 100)


def test_a_list_of_unknown_origin_has_no_interval() -> None:
    subset = br.adopt(IDS, of=N)
    result = br.estimate(run_of(models=("a", "b")), subset)
    codes = [note.code for note in result.notes]

    assert result.estimate == pytest.approx([0.66, 0.66])
    for values in (result.se, result.low, result.high, result.half_width):
        assert np.isnan(values).all()
    assert np.isnan(result.pair_se[0, 1])
    assert result.differences()[0].verdict == "unresolved"
    assert np.isnan(result.resolution)
    assert "no-interval" in codes
    assert np.isnan(result.rows[0].se)
    assert result.table.to_dict()["models"][0]["se"] is None
    assert not subset.has_intervals


def test_no_estimator_gives_an_interval_to_a_list_of_unknown_origin() -> None:
    rng = np.random.default_rng(0)
    frame = benchmark()
    values = (rng.random((8, 400)) < rng.random(400)).astype(np.float64)
    matrix = br.ScoreMatrix(frame, tuple(f"m{k}" for k in range(8)), values, bounds=(0.0, 1.0))
    probes, targets = matrix.take_models(matrix.models[:6]), matrix.take_models(matrix.models[6:])
    unknown = br.adopt(IDS, frame=frame)
    for how in (None, br.Mean(), br.Regression(), br.HistoryAverage(), br.Shrunk()):
        result = br.estimate(targets, unknown, probes=probes, estimator=how)

        assert np.isfinite(result.estimate).all()
        assert np.isnan(result.se).all()
    with pytest.raises(br.EstimateError, match="needs inclusion probabilities"):
        br.estimate(targets, unknown, estimator=Hajek())


def test_scores_of_others_make_the_interval_of_a_random_list_narrower() -> None:
    rng = np.random.default_rng(1)
    frame = benchmark()
    chance = 1 / (1 + np.exp(rng.normal(0, 2, 400) - rng.normal(0, 1, (9, 1))))
    values = (rng.random((9, 400)) < chance).astype(np.float64)
    matrix = br.ScoreMatrix(frame, tuple(f"m{k}" for k in range(9)), values, bounds=(0.0, 1.0))
    probes, target = matrix.take_models(matrix.models[:8]), matrix.take_models(["m8"])
    for subset in (
        br.adopt(IDS, of=400, inclusion="random"),
        br.adopt(IDS, frame=frame, inclusion="random"),
    ):
        alone, helped = br.estimate(target, subset), br.estimate(target, subset, probes=probes)

        assert helped.estimator == "Regression"
        assert helped.se[0] < 0.95 * alone.se[0]


def test_the_manifest_says_that_it_was_not_drawn(tmp_path: Path) -> None:
    subset = br.adopt(reversed(IDS), of=N)  # type: ignore[arg-type]
    subset.write(tmp_path / "s.json")

    assert br.Manifest.read(tmp_path / "s.json") == subset
    assert (subset.kind, subset.design, subset.n_frame) == ("subset", ADOPTED, N)
    assert subset.parameters == {"n": 100, "inclusion": "unknown"}
    assert (subset.frame_digest, subset.inclusion) == (None, None)
    assert subset.items == tuple(IDS)
    assert "chosen elsewhere, and not drawn by bestrand" in subset.notes[0].text
    assert br.adopt(IDS, of=N) == subset


def test_the_whole_list_binds_the_manifest_and_brings_groups_and_weights() -> None:
    frame = benchmark("macro")
    subset = br.adopt(IDS, frame=frame, inclusion="random")

    assert subset.frame_digest == frame.digest
    assert (subset.n_frame, subset.weighting) == (400, "macro")
    assert subset.group_sizes == {"easy": 300, "hard": 100}
    assert subset.inclusion == (0.25,) * 100
    assert subset.relative_weights[:2] == pytest.approx([2.0, 2 / 3])
    assert br.estimate(run_of(), subset).estimate[0] == pytest.approx(0.66, abs=0.01)
    assert br.adopt(run_of(), frame=frame, of=400).items == subset.items


def test_a_list_that_is_the_whole_benchmark_has_no_error() -> None:
    subset = br.adopt(IDS, of=100)

    assert subset.frame_digest == br.Frame.of(IDS).digest
    assert br.estimate(run_of(), subset).se.tolist() == [0.0]


def test_what_cannot_be_adopted_is_refused() -> None:
    with pytest.raises(br.ArgumentError, match=r"--of N \(of=\), or all of them"):
        br.adopt(IDS)
    for of in (99, 0, -1):
        with pytest.raises(br.ArgumentError, match="`of` must be 100 or more"):
            br.adopt(IDS, of=of)
    with pytest.raises(br.ArgumentError, match="`of` must be a whole number"):
        br.adopt(IDS, of=200.5)  # type: ignore[arg-type]
    with pytest.raises(br.ArgumentError, match=r"`of` is 500, and the items .* are 400"):
        br.adopt(IDS, of=500, frame=benchmark())
    with pytest.raises(br.ArgumentError, match="`inclusion` must be unknown or random, got 'yes'"):
        br.adopt(IDS, of=500, inclusion="yes")  # type: ignore[arg-type]
    with pytest.raises(br.InputError, match="1 of the 2 items are not among the 400"):
        br.adopt(["t001", "x"], frame=benchmark())
    with pytest.raises(br.InputError, match="come more than once: 't001'"):
        br.adopt(["t001", "t001"], of=10)
    with pytest.raises(br.InputError, match="cannot be known from a part of the items"):
        br.adopt(IDS, of=500, weighting="macro")
    weighted = br.Frame.of(IDS, weights=np.arange(1.0, 101.0))
    with pytest.raises(br.InputError, match="cannot be known from a part of the items"):
        br.adopt(weighted, of=500)
    assert br.adopt(weighted, of=500, weighting="micro").weighting == "micro"


def outcomes(subset: br.Manifest, items: object) -> dict[str, str]:
    seen = br.verify(subset, items)  # type: ignore[arg-type]
    return {check.name: check.outcome for check in seen.checks}


def test_verify_says_what_can_be_checked() -> None:
    unbound, bound = br.adopt(IDS, of=400), br.adopt(IDS, frame=benchmark(), inclusion="random")
    all_items = benchmark().items
    others = [f"u{i:03d}" for i in range(400)]
    skipped = {"redrawn": "skipped"}

    for subset in (unbound, bound):
        assert outcomes(subset, run_of()) == {"items": "passed", **skipped}
        assert outcomes(subset, all_items) == {"frame": "passed", **skipped}
        assert outcomes(subset, others) == {"frame": "failed", **skipped}
        assert outcomes(subset, all_items[:399]) == {"frame": "failed", **skipped}
    assert "which cannot be checked" in br.verify(bound, all_items).checks[-1].text
    assert "how is not known" in br.verify(unbound, all_items).checks[-1].text


def test_select_says_what_it_means_that_no_item_is_left_out() -> None:
    whole = br.select(br.Frame.of(IDS), 100, design=br.SimpleRandom())
    part = br.select(br.Frame.of(IDS), 99, design=br.SimpleRandom())

    assert "bestrand adopt IDS --of N" in next(
        n.text for n in whole.notes if n.code == "whole-frame"
    )
    assert "whole-frame" in {note.code for note in br.estimate(run_of(), whole).notes}
    assert "whole-frame" not in {note.code for note in part.notes}


def test_the_command_adopts(run: Run, tmp_path: Path) -> None:
    ids, scores, everything = tmp_path / "tiny.txt", tmp_path / "run.csv", tmp_path / "all.csv"
    ids.write_text("\n".join(IDS) + "\n")
    scores.write_text("item,model,score\n" + "".join(f"{t},m,{int(t < 't066')}\n" for t in IDS))
    everything.write_text("item,group\n" + "".join(f"t{i:03d},{'ab'[i % 2]}\n" for i in range(400)))
    out = tmp_path / "s.json"
    said = run("adopt", ids, "--of", N, "--inclusion", "random", "-o", out)

    assert said.code == 0
    assert "Adopted n=100, inclusion=random" in said.out
    assert "seed" not in said.out
    estimated = run("estimate", out, scores, "--json").json["models"][0]
    assert estimated["se"] == pytest.approx(0.0474, abs=0.0004)
    unknown = run("adopt", ids, "--of", N, "--json")
    assert br.Manifest.from_json(unknown.out).frame_digest is None
    stated = run("adopt", ids, "--of", N, "--inclusion", "random", "--json").json
    assert (unknown.json["equals"], unknown.json["costs"]["n_probes"]) == (None, 0)
    assert stated["equals"]["mean"] == stated["equals"]["p95_low"] == len(stated["items"])
    assert "by others, so what it cost is not known" in run("adopt", ids, "--of", N).out
    bound = run("adopt", ids, "--items", everything, "--json")
    assert br.Manifest.from_json(bound.out).group_sizes == {"a": 200, "b": 200}
    from_scores = run("adopt", scores, "--of", N, "--json")
    assert from_scores.out == unknown.out
    assert run("adopt", ids).code == 2
    assert run("adopt", ids, "--of", 7).code == 2
    assert run("adopt", ids, "--of", N, "--weights", "macro").code == 3
    assert run("adopt", ids, "--of", N, "-o", out).code == 3  # another manifest stands there
    assert run("report", out, scores, "-o", tmp_path / "r.html").code == 0
    page = (tmp_path / "r.html").read_text()
    assert "nothing can be drawn again" in page


def test_a_gate_on_the_error_fails_where_there_is_none(run: Run, tmp_path: Path) -> None:
    scores, out = tmp_path / "run.csv", tmp_path / "s.json"
    scores.write_text("item,model,score\n" + "".join(f"{t},m,1\n" for t in IDS))
    br.adopt(IDS, of=N).write(out)
    done = run("estimate", out, scores, "--max-se", 0.5)

    assert done.code == 1
    assert "How small a gap can be resolved is not known" in " ".join(done.out.split())

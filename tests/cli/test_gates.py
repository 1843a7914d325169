"""Gates of estimate and compare: what is not known does not pass, and the message says so."""

from pathlib import Path

import pytest

import bestrand as br
from tests.conftest import Run


ITEMS = [f"q{i:02d}" for i in range(40)]


def written(path: Path, scores: dict[str, list[float | None]]) -> Path:
    rows = [
        f"{item},{model},{'' if score is None else score}\n"
        for model, values in scores.items()
        for item, score in zip(ITEMS, values, strict=True)
    ]
    path.write_text("item,model,score\n" + "".join(rows))
    return path


def pattern(*rights: int) -> list[float | None]:
    return [float(i % 10 in rights) for i in range(40)]


@pytest.fixture
def adopted(tmp_path: Path) -> Path:
    """A subset of which nobody says how it was drawn, so nothing has an interval."""
    br.adopt(ITEMS, of=400).write(tmp_path / "adopted.json")
    return tmp_path / "adopted.json"


@pytest.fixture
def drawn(tmp_path: Path) -> Path:
    """A simple random subset."""
    br.adopt(ITEMS, of=440, inclusion="random").write(tmp_path / "drawn.json")
    return tmp_path / "drawn.json"


def test_fail_if_worse_does_not_pass_where_no_interval_is_known(
    run: Run, adopted: Path, tmp_path: Path
) -> None:
    scores = written(tmp_path / "s.csv", {"a": pattern(1, 2, 3), "b": pattern(), "c": pattern(1)})
    words = ("compare", adopted, scores, "--baseline", "a")
    gate = run(*words, "--fail-if-worse")

    assert run(*words).code == 0
    assert gate.code == 1
    assert gate.err == "bestrand compare: unknown whether worse than a: b, c.\n"
    assert run(*words, "--fail-if-worse", "--lower-is-better").code == 1
    assert run(*words, "--fail-if-worse", "--json").json["pairs"][0]["low"] is None


def test_worse_and_unknown_are_said_apart(run: Run, drawn: Path, tmp_path: Path) -> None:
    """One model shares a single item with the baseline, another is far below it."""
    one: list[float | None] = [1.0, *([None] * 39)]
    scores = written(
        tmp_path / "s.csv", {"base": pattern(0, 1, 2, 3, 4, 5, 6, 7), "bad": pattern(1), "one": one}
    )
    words = ("compare", drawn, scores, "--baseline", "base", "--missing", "omit")
    gate = run(*words, "--fail-if-worse")

    assert gate.code == 1
    assert "worse than base: bad. unknown whether worse than base: one." in gate.err
    plain = written(tmp_path / "t.csv", {"base": pattern(0, 1, 2), "good": pattern(0, 1, 2, 3)})
    assert run("compare", drawn, plain, "--baseline", "base", "--fail-if-worse").code == 0


def test_max_se_says_unknown_where_it_is(
    run: Run, adopted: Path, drawn: Path, tmp_path: Path
) -> None:
    scores = written(tmp_path / "s.csv", {"a": pattern(1, 2, 3), "b": pattern(5)})
    done = run("estimate", adopted, scores, "--max-se", 0.5)

    assert done.code == 1
    assert done.err == (
        "bestrand estimate: the standard error of 2 of 2 models is unknown (first: a).\n"
    )
    one: list[float | None] = [1.0, *([None] * 39)]
    both = written(tmp_path / "t.csv", {"a": pattern(1, 2, 3), "one": one})
    words = ("estimate", drawn, both, "--missing", "omit", "--max-se")
    done = run(*words, 0.001)
    assert "1 of 2 models is above 0.001 (first: a)" in done.err
    assert "1 of 2 models is unknown (first: one)" in done.err
    done = run(*words, 0.5)
    assert done.code == 1
    assert "above" not in done.err


@pytest.mark.parametrize(
    ("level", "said"),
    [
        (".9999999999", "99.99999999%"),
        (".9999999999999999", "99.99999999999999%"),
        ("0.999", "99.9%"),
        ("0.975", "97.5%"),
        ("0.95", "95%"),
        ("1e-9", "0.0000001%"),
    ],
)
def test_a_level_is_printed_as_it_was_given(
    level: str, said: str, run: Run, drawn: Path, tmp_path: Path
) -> None:
    scores = written(tmp_path / "s.csv", {"a": pattern(1, 2, 3), "b": pattern(5)})
    for verb in (("estimate",), ("compare", "--baseline", "a")):
        done = run(verb[0], drawn, scores, *verb[1:], "--level", level)

        assert f" {said} interval" in done.out


# --- what a missing score is worth ---------------------------------------------------------------


@pytest.mark.parametrize("span", [(), ("--range", "0:"), ("--range", "0:100"), ("--range", "-5:9")])
@pytest.mark.parametrize("unit", [0.0, 1.0, 8.0])
def test_a_missing_cost_is_not_the_lowest_one(
    span: tuple[str, ...], unit: float, run: Run, drawn: Path, tmp_path: Path
) -> None:
    a: list[float | None] = [unit * (i % 2) for i in range(40)]
    scores = written(tmp_path / "s.csv", {"a": a, "b": [None, *a[1:]]})
    for verb in (("estimate",), ("compare", "--baseline", "a")):
        words = (verb[0], drawn, scores, *verb[1:], *span, "--missing")
        done = run(*words, "zero", "--lower-is-better")

        assert done.code == 3
        assert "a lower score is better and none of metric 'score' is below 0" in done.err
        assert run(*words, "zero").code == 0
        assert run(*words, "omit", "--lower-is-better").code == 0


def test_0_is_the_worst_where_lower_is_better_and_scores_are_below(
    run: Run, drawn: Path, tmp_path: Path
) -> None:
    a: list[float | None] = [-1.0 - i % 3 for i in range(40)]
    scores = written(tmp_path / "s.csv", {"a": a, "b": [None, *a[1:]]})
    words = ("estimate", drawn, scores, "--missing", "zero")

    assert run(*words, "--lower-is-better").code == 0
    assert "0 would be the best" in run(*words).err


def test_what_0_is_among_costs_is_said(run: Run, drawn: Path, tmp_path: Path) -> None:
    a: list[float | None] = [0.5 + i % 3 for i in range(40)]
    scores = written(tmp_path / "s.csv", {"a": a, "b": [None, *a[1:]]})
    done = run("estimate", drawn, scores, "--missing", "zero", "--range", "0:", "--json")
    said = {note["code"]: note["text"] for note in done.json["notes"]}

    assert "right only if higher scores are better" in said["missing-as-zero"]


def test_a_target_without_any_score_counts_as_0_without_a_warning(
    run: Run, drawn: Path, tmp_path: Path
) -> None:
    scores = written(tmp_path / "s.csv", {"a": pattern(1, 2, 3), "none": [None] * 40})
    done = run("estimate", drawn, scores, "--missing", "zero", "--json")

    assert done.code == 0
    assert done.json["models"][1]["estimate"] == 0
    assert "few-items" not in {note["code"] for note in done.json["notes"]}


@pytest.mark.parametrize("words", [("0:1", "0:2"), ("score=0:1", "score=0:2")])
def test_a_range_that_is_given_twice_is_wrong_usage(
    words: tuple[str, str], run: Run, tmp_path: Path
) -> None:
    scores = written(tmp_path / "s.csv", {"a": pattern(1), "b": pattern(1, 5)})
    done = run("select", scores, "-n", 5, "--range", words[0], "--range", words[1])

    assert done.code == 2
    assert "was given twice" in done.err

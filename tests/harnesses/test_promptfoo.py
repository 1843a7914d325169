"""Results of promptfoo: which test a result is of, whose it is, and what an error is."""

import json
from pathlib import Path
from typing import Any

import pytest

from bestrand import InputError, read_items, read_scores
from tests.harnesses.conftest import LOGS


OWN = LOGS / "promptfoo"


def result(test: int, model: str, **more: object) -> dict[str, Any]:
    return {
        "id": f"f0798921-{test}{model}",
        "testIdx": test,
        "promptIdx": 0,
        "provider": {"id": f"toss:{model}", "label": model},
        "vars": {"q": f"question {test}"},
        "score": test,
        "failureReason": 0,
        **more,
    }


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    lines = "\n".join(map(json.dumps, rows))
    path.write_text(json.dumps(rows) if path.suffix == ".json" else lines)
    return path


def test_a_run_says_its_version_and_the_manifest_that_it_was_for() -> None:
    table = read_scores(OWN / "subset_pattern.json")

    assert {run.digest for run in table.runs} == {"0000"}
    assert {run.harness_version for run in table.runs} == {"0.123.1"}
    assert read_items(OWN / "full.json").items == read_scores(OWN / "full.json").frame().items


def test_an_error_is_no_failed_assertion() -> None:
    kept = read_scores(OWN / "full.json")
    zero = read_scores(OWN / "full.json", errors="zero")

    assert (kept.counts().scored, kept.counts().errored) == (65, 1)
    assert zero.counts().scored == 66
    assert zero.rows["score"].sum() == kept.rows["score"].sum() == 46


@pytest.mark.parametrize("name", ["full.jsonl", "full.json"])
def test_tests_are_known_by_their_variables_where_they_have_no_names(
    name: str, tmp_path: Path
) -> None:
    rows = [result(test, model) for test in range(2) for model in ("p1", "p2")]
    table = read_scores(write(tmp_path / name, rows))

    assert (table.models, len(table.items)) == (("p1", "p2"), 2)
    assert table.metrics == ("score",)


def test_tests_are_known_by_their_descriptions_before_their_variables(tmp_path: Path) -> None:
    rows = [result(test, "p", testCase={"description": f"d{test}"}) for test in range(2)]

    assert read_scores(write(tmp_path / "a.jsonl", rows)).frame().items == ("d0", "d1")


def test_descriptions_that_do_not_tell_tests_apart_are_passed_over(tmp_path: Path) -> None:
    rows = [result(test, "p", testCase={"description": "d"}) for test in range(2)]

    assert len(read_scores(write(tmp_path / "a.jsonl", rows)).items) == 2


def test_tests_that_nothing_tells_apart_are_refused(tmp_path: Path) -> None:
    rows = [
        result(test, "p", vars={"q": "same"}, testCase={"assert": [{"value": test}]})
        for test in range(2)
    ]

    with pytest.raises(InputError, match=r"nothing tells the tests apart: .*metadata"):
        read_scores(write(tmp_path / "a.jsonl", rows))


def test_repeats_are_averaged_inside_a_test(tmp_path: Path) -> None:
    rows = [result(k, "p", vars={"q": f"{k // 2}"}, score=k % 2) for k in range(4)]
    table = read_scores(write(tmp_path / "a.jsonl", rows))

    assert table.matrix().values.tolist() == [[0.5, 0.5]]
    assert table.n_duplicates == 0


def test_a_provider_with_two_prompts_is_two_models(tmp_path: Path) -> None:
    rows = [result(test, "p", promptId=f"id{k}") for test in range(2) for k in range(2)]

    assert read_scores(write(tmp_path / "a.jsonl", rows)).models == ("p (prompt 1)", "p (prompt 2)")


def test_named_scores_are_metrics(tmp_path: Path) -> None:
    rows = [result(test, "p", namedScores={"tone": 0.5}) for test in range(2)]

    assert read_scores(write(tmp_path / "a.jsonl", rows)).metrics == ("score", "tone")


def test_results_are_a_table_where_the_column_of_items_is_named(tmp_path: Path) -> None:
    rows = [
        result(test, model) | {"key": f"k{test}", "who": model}
        for test in range(2)
        for model in ("p1", "p2")
    ]
    path = write(tmp_path / "full.jsonl", rows)
    table = read_scores(path, columns={"item": "key", "model": "who"}, metric="score")

    assert table.models == ("p1", "p2")
    assert table.frame().items == ("k0", "k1")
    assert table.runs == ()

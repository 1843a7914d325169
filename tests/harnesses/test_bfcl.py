"""Pairs of BFCL: what ran, and what failed of it. Files are made in the documented form."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from bestrand import FileError, InputError, read_scores


def write(
    folder: Path, failed: Sequence[str], *, n: int = 5, category: str = "simple", right: int = -1
) -> Path:
    ran = [f"{category}_{k}" for k in range(n)]
    counts = {"accuracy": 0.5, "correct_count": n - len(failed), "total_count": n}
    counts |= {"correct_count": right} if right >= 0 else {}
    for what, rows in (
        ("result", [{"id": item, "result": "f()"} for item in ran]),
        ("score", [counts, *({"id": item, "valid": False} for item in failed)]),
    ):
        path = folder / what / "acme" / "live" / f"BFCL_v4_{category}_{what}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(json.dumps(row) for row in rows))
    return folder


def test_what_is_not_among_the_failures_passed(tmp_path: Path) -> None:
    table = read_scores(write(tmp_path, ["simple_1", "simple_4"]))

    assert table.models == ("acme",)
    assert table.frame().items == tuple(f"simple:simple_{k}" for k in range(5))
    assert table.matrix().values.tolist() == [[1, 0, 1, 1, 0]]


def test_categories_of_a_model_are_tasks_of_one_run(tmp_path: Path) -> None:
    write(tmp_path, ["simple_1"])
    table = read_scores(write(tmp_path, [], category="multi_turn_base"))

    assert table.groups == ("multi_turn_base", "simple")
    assert len(table.runs) == 1


@pytest.mark.parametrize(("n", "right"), [(5, 4), (5, 2)])
def test_counts_that_do_not_agree_are_refused(n: int, right: int, tmp_path: Path) -> None:
    write(tmp_path, ["simple_1", "simple_4"], n=n, right=right)

    with pytest.raises(FileError, match=rf"counts {right} of 5 correct, and there are 5 results"):
        read_scores(tmp_path)


def test_a_failure_that_did_not_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="1 failures are of ids that are not among the results"):
        read_scores(write(tmp_path, ["simple_9"]))


@pytest.mark.parametrize(("kept", "other"), [("result", "score"), ("score", "result")])
def test_one_file_of_a_pair_is_refused(kept: str, other: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"there is no {other} file of category 'simple'"):
        read_scores(write(tmp_path, ["simple_1"]) / kept)

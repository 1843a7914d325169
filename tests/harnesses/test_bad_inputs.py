"""What goes wrong in logs of any harness: odd bytes, odd ids, repeats, runs that do not fit."""

import gzip
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import zstandard

from bestrand import FileError, InputError, read_scores, select


DATE = "2026-01-01T00-00-00"
# hostile ids: look-alikes, blanks, words for nothing, patterns, formulas, a line feed
AWKWARD = [
    *("题/3", "a,b", "=1+1", "*_adv", "case[1]", "x:10", " lead", "e\u0301", "\xe9", "", "null"),
    *("NA", "new\nline", "007", "7", "a/../b"),
]
Row = dict[str, Any]
Maker = Callable[[object, object], Row]


def lm_eval(item: object, score: object) -> Row:
    return {"doc_id": item, "target": "A", "filter": "none", "metrics": ["acc"], "acc": score}


def evalscope(item: object, score: object) -> Row:
    value = {"value": {"acc": score}, "status": "success"}
    sample = {"score": value, "sample_id": 0, "group_id": item, "generation_index": 0}
    return {"index": 0, "messages": [], "target": "A", "sample_score": sample}


def lmms_eval(item: object, score: object) -> Row:
    facts = {"doc_id": item, "target": "A", "filtered_resps": "A", "doc_hash": "0"}
    return facts | {"token_counts": [None], "acc": score, "input": "Which?"}


NAMES: dict[Maker, str] = {
    lm_eval: f"samples_demo_{DATE}.jsonl",
    evalscope: "demo.jsonl",
    lmms_eval: "20260101_000000_samples_demo.jsonl",
}
each_harness = pytest.mark.parametrize("make", NAMES, ids=lambda make: make.__name__)


def lines(rows: Sequence[Row], end: str = "\n") -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + end for row in rows).encode()


def write(folder: Path, make: Maker, content: bytes, *, suffix: str = "") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{NAMES[make]}{suffix}"
    path.write_bytes(content)
    return path


def scores(path: Path, **how: Any) -> dict[str, float | None]:  # noqa: ANN401
    return dict(read_scores(path, **how).rows.select("item", "score").iter_rows())


# --- scores


@each_harness
@pytest.mark.parametrize("value", ["85%", "B", "yes", "nan", "", float("inf")])
def test_a_score_that_is_none_is_refused_with_its_line(
    make: Maker, value: object, tmp_path: Path
) -> None:
    path = write(tmp_path, make, lines([make(0, 1), make(1, value)]))

    with pytest.raises(FileError, match=r":2: 'acc' must be a number"):
        read_scores(path)


@each_harness
def test_truth_is_1_or_0_and_nan_and_null_are_unscored(make: Maker, tmp_path: Path) -> None:
    values = {0: True, 1: False, 2: float("nan"), 3: None, 4: 0.5}
    path = write(tmp_path, make, lines([make(*pair) for pair in values.items()]))

    assert list(scores(path).values()) == [1, 0, None, None, 0.5]
    assert read_scores(path).counts().unscored == 2


# --- ids


@each_harness
def test_whole_numbers_are_ids_as_text_and_text_stays(make: Maker, tmp_path: Path) -> None:
    write(tmp_path / "a", make, lines([make(1, 1), make(2**70, 1)]))
    write(tmp_path / "b", make, lines([make("1", 1), make(str(2**70), 0), make("01", 1)]))
    table = read_scores({"a": tmp_path / "a", "b": tmp_path / "b"})

    assert set(table.items["item"]) == {"demo:1", f"demo:{2**70}", "demo:01"}
    assert table.counts().scored == 5


@each_harness
def test_awkward_ids_stay_as_they_are(make: Maker, tmp_path: Path) -> None:
    path = write(tmp_path, make, lines([make(item, 1) for item in AWKWARD]))

    assert set(scores(path)) == {f"demo:{item}" for item in AWKWARD}


@each_harness
@pytest.mark.parametrize("item", [None, True, 1.5, ["a"], float("nan")])
def test_what_is_no_id_is_refused_with_its_line(make: Maker, item: object, tmp_path: Path) -> None:
    path = write(tmp_path, make, lines([make(0, 1), make(item, 1)]))

    with pytest.raises(FileError, match=r":2: an id must be"):
        read_scores(path)


# --- rows that stand twice


@each_harness
def test_a_row_that_was_appended_again_counts_once(make: Maker, tmp_path: Path) -> None:
    path = write(tmp_path, make, lines([make(0, 1), make(1, 0), make(0, 1)]))

    assert scores(path) == {"demo:0": 1, "demo:1": 0}
    assert read_scores(path).counts().duplicate == 1


@each_harness
def test_rows_that_clash_are_refused_until_it_is_said_what_they_are(
    make: Maker, tmp_path: Path
) -> None:
    path = write(tmp_path, make, lines([make(0, 1), make(1, 0), make(0, 0)]))

    with pytest.raises(InputError, match="clash"):
        read_scores(path)
    assert scores(path, duplicates="mean")["demo:0"] == 0.5
    assert scores(path, duplicates="last")["demo:0"] == 0


# --- bytes


@each_harness
def test_a_mark_and_other_line_ends_are_no_matter(make: Maker, tmp_path: Path) -> None:
    content = b"\xef\xbb\xbf" + lines([make(0, 1), make(1, 0)], "\r\n\r\n")

    assert scores(write(tmp_path, make, content)) == {"demo:0": 1, "demo:1": 0}


@each_harness
def test_a_last_line_that_is_cut_is_left_out_with_a_note(make: Maker, tmp_path: Path) -> None:
    path = write(tmp_path, make, lines([make(0, 1), make(1, 0)])[:-20])

    assert scores(path) == {"demo:0": 1}
    assert any("cut off" in note.text for note in read_scores(path).notes)


@each_harness
def test_another_line_that_is_none_is_refused_with_its_number(make: Maker, tmp_path: Path) -> None:
    content = lines([make(0, 1)]) + b"WARNING: slow\n" + lines([make(1, 0)])

    with pytest.raises(FileError, match=r":2: not JSON"):
        read_scores(write(tmp_path, make, content))


@each_harness
def test_latin_1_is_refused(make: Maker, tmp_path: Path) -> None:
    content = lines([make("a", 1), make("\xe9", 0)]).replace("\xe9".encode(), b"\xe9")

    with pytest.raises(FileError, match="not UTF-8"):
        read_scores(write(tmp_path, make, content))


def test_an_empty_log_has_no_rows(tmp_path: Path) -> None:
    for make in NAMES:
        with pytest.raises(InputError, match="no rows"):
            read_scores(write(tmp_path, make, b""))


@each_harness
@pytest.mark.parametrize("suffix", ["", ".gz", ".zst"])
def test_packed_logs_are_known_by_their_bytes(make: Maker, suffix: str, tmp_path: Path) -> None:
    content = lines([make(0, 1), make(1, 0)])
    packed = zstandard.compress(content) if suffix == ".zst" else gzip.compress(content)
    path = write(tmp_path, make, packed, suffix=suffix)

    assert scores(path) == {"demo:0": 1, "demo:1": 0}


@each_harness
def test_a_packed_log_that_is_cut_is_refused(make: Maker, tmp_path: Path) -> None:
    content = gzip.compress(lines([make(k, k % 2) for k in range(5000)]))

    with pytest.raises(FileError, match="cut short"):
        read_scores(write(tmp_path, make, content[: len(content) // 2], suffix=".gz"))


# --- runs that do not fit each other


@each_harness
def test_runs_of_other_items_are_told_and_no_pool_shrinks_in_silence(
    make: Maker, tmp_path: Path
) -> None:
    parts = {"m1": range(8), "m2": range(4, 12), "m3": range(3)}
    paths = {
        model: write(tmp_path / model, make, lines([make(k, k % 2) for k in items]))
        for model, items in parts.items()
    }
    table = read_scores(paths)
    said = " ".join(note.text for note in table.notes)

    assert table.counts().missing == 3 * 12 - (8 + 8 + 3)
    assert all(f"'{model}'" in said for model in parts)
    with pytest.raises(InputError):
        select(table, n=2, seed=0)


def test_scores_of_other_ranges_are_not_matched_together(tmp_path: Path) -> None:
    paths = {
        f"m{top}": write(
            tmp_path / str(top),
            lm_eval,
            lines([lm_eval(k, top * (k % 11) / 10) for k in range(40)]),
        )
        for top in (1, 1, 100)
    }

    with pytest.raises(InputError, match="m100"):
        select(read_scores(paths), n=10, seed=0)


# --- files of another shape


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", {"info": {"git_commit": "a", "environment_info": 3}, "simulations": []}),
        ("a.json", {"per_task": [{"task_group": "g", "task_id": 0, "metrics": 1}]}),
        ("a.json", {"testCases": [3]}),
        ("a.json", {"_checkpoint": {"records": [1]}}),
        ("a.json", {"results": [{"trial_name": "a", "task_id": "a"}, 3], "accuracy": 1}),
        ("a.json", {"accuracy": "most", "details": {"type": "GEN", "0": 1}}),
    ],
)
def test_a_log_of_another_shape_is_refused_by_name(name: str, content: Row, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(json.dumps(content))

    with pytest.raises(FileError, match=name):
        read_scores(path)


def test_of_several_logs_the_one_of_another_shape_is_named(tmp_path: Path) -> None:
    good = {"per_task": [{"task_group": "g", "task_id": 0, "metrics": {}}]}
    lists = {"successes": [True], "sum_rewards": [1], "max_rewards": [1]}
    good["per_task"][0]["metrics"] = lists
    for name, content in (("a", good), ("b", {"per_task": [{"task_group": "g"}, 3]}), ("c", good)):
        (tmp_path / f"{name}.json").write_text(json.dumps(content))

    with pytest.raises(FileError, match=r"b\.json"):
        read_scores(tmp_path)

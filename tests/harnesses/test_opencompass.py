"""Results of OpenCompass. Files are made in the documented form."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from bestrand import FileError, InputError, read_scores


def write(
    folder: Path,
    details: object,
    totals: dict[str, float] | None = None,
    *,
    model: str = "acme",
    task: str = "gsm8k",
) -> Path:
    path = folder / "results" / model / f"{task}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps((totals or {}) | {"details": details}, ensure_ascii=False, indent=4))
    return path


def listed(verdicts: dict[int, Sequence[object]], *, word: str = "correct") -> list[dict[str, Any]]:
    """Make details as evaluators give them, by the place in the whole dataset."""
    return [
        {"example_abbr": f"gsm8k_test_{place}", "pred": ["1"] * len(of_one), word: list(of_one)}
        for place, of_one in verdicts.items()
    ]


def by_place(references: Sequence[str], right: Sequence[bool], **more: Any) -> dict[str, Any]:  # noqa: ANN401
    rows = {
        str(place): {"references": told, "predictions": "A", "correct": ok}
        | {name: values[place] for name, values in more.items()}
        for place, (told, ok) in enumerate(zip(references, right, strict=True))
    }
    return {"type": "GEN" if more else "PPL"} | rows


def scores(path: Path) -> dict[str, tuple[str, float | None]]:
    rows = read_scores(path).rows
    return {row["item"]: (row["status"], row["score"]) for row in rows.iter_rows(named=True)}


def test_places_in_the_whole_dataset_are_ids(tmp_path: Path) -> None:
    write(tmp_path, listed({0: [True], 1: [False], 7: [True]}), totals={"accuracy": 200 / 3})
    write(tmp_path, listed({7: [False]}), model="other", totals={"accuracy": 0.0})
    table = read_scores(tmp_path)

    assert table.models == ("acme", "other")
    assert table.frame().items == tuple(f"gsm8k:{k}" for k in (0, 1, 7))
    assert table.bounds == {"correct": (0.0, 1.0)}
    assert [run.tasks for run in table.runs] == [("gsm8k",), ("gsm8k",)]


@pytest.mark.parametrize("word", ["correct", "is_correct", "cascade_correct"])
def test_replicas_are_averaged_inside_an_example(word: str, tmp_path: Path) -> None:
    details = listed({0: [True, False], 1: [True, True]}, word=word)
    path = write(tmp_path, details, totals={"accuracy (2 runs average)": 75.0})

    assert [score for _, score in scores(path).values()] == [0.5, 1.0]


@pytest.mark.parametrize("total", ["accuracy", "score", "pass@1", "accuracy (1 runs average)"])
def test_a_total_of_100_that_differs_is_refused(total: str, tmp_path: Path) -> None:
    path = write(tmp_path, listed({0: [True], 1: [False]}), totals={total: 75.0})

    with pytest.raises(InputError, match=r"mean of 'correct' .* is 0\.5 .* and 0\.75 by the"):
        read_scores(path)


def test_verdicts_that_are_missing_are_unscored(tmp_path: Path) -> None:
    path = write(tmp_path, listed({0: [True], 1: [None]}), totals={"accuracy": 100.0})

    assert scores(path)["gsm8k:1"] == ("unscored", None)


def test_places_of_runs_of_one_list_are_joined(tmp_path: Path) -> None:
    for model, right in (("a", [True, False]), ("b", [True, True])):
        write(
            tmp_path,
            by_place(["A", "B"], right),
            model=model,
            totals={"accuracy": 50.0 * sum(right)},
        )

    assert read_scores(tmp_path).matrix().values.tolist() == [[1, 0], [1, 1]]


def test_places_of_a_run_of_some_examples_are_not_joined(tmp_path: Path) -> None:
    write(tmp_path, by_place(["A", "A", "B"], [True, True, False]), totals={"accuracy": 200 / 3})
    write(tmp_path, by_place(["A", "B"], [True, True]), model="b", totals={"accuracy": 100.0})

    with pytest.raises(InputError, match=r"'gsm8k:0'.* number a run of some items anew"):
        read_scores(tmp_path)


def test_rows_of_the_whole_dataset_are_not_joined_with_mere_places(tmp_path: Path) -> None:
    write(tmp_path, listed({0: [True], 1: [False]}), totals={"accuracy": 50.0})
    write(tmp_path, by_place(["A"], [True]), model="b", totals={"accuracy": 100.0})

    with pytest.raises(InputError, match="'gsm8k:0'"):
        read_scores(tmp_path)


@pytest.mark.parametrize("name", ["gsm8k", "gsm8k_test", "_3", 3, None])
def test_an_example_without_its_row_is_refused(name: object, tmp_path: Path) -> None:
    details = [{"example_abbr": "gsm8k_0", "correct": [True]}, {"example_abbr": name}]

    with pytest.raises(FileError, match="does not end in its row"):
        read_scores(write(tmp_path, details))


def test_places_are_joined_where_the_prompt_is_the_same(tmp_path: Path) -> None:
    def run(model: str, prompts: list[str]) -> None:
        right = [True] * len(prompts)
        write(tmp_path, by_place(["A"] * len(prompts), right, prompt=prompts), model=model)

    run("a", ["1+1?", "2+2?", "3+3?"])
    run("b", ["1+1?", "2+2?"])
    assert read_scores(tmp_path).counts().scored == 5

    run("c", ["2+2?"])
    with pytest.raises(InputError, match="'gsm8k:0'"):
        read_scores(tmp_path)


def test_totals_without_a_verdict_of_each_example_are_refused_by_name(tmp_path: Path) -> None:
    details = {"type": "GEN", "0": {"prompt": "Sum up.", "predictions": "a", "references": "b"}}
    path = write(tmp_path, details, totals={"rouge1": 41.5})

    with pytest.raises(InputError, match="'rouge1' of 'gsm8k' has no `correct` of each example"):
        read_scores(path)
    write(tmp_path, listed({0: [True]}), task="gsm8k_2", totals={"accuracy": 100.0})
    assert "metrics-aside" in {note.code for note in read_scores(tmp_path).notes}
    with pytest.raises(InputError, match=r"metric 'rouge1' of 'gsm8k' .* Usable: 'correct'"):
        read_scores(tmp_path, metric="rouge1")


def test_predictions_beside_results_are_no_tables(tmp_path: Path) -> None:
    write(tmp_path, listed({0: [True]}), totals={"accuracy": 100.0})
    path = tmp_path / "predictions" / "acme" / "gsm8k.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"0": {"origin_prompt": "1+1?", "prediction": "2"}}))

    assert "files-aside" not in {note.code for note in read_scores(tmp_path).notes}


@pytest.mark.parametrize("value", ["yes", 0.5, 100])
def test_a_verdict_that_is_none_is_refused(value: object, tmp_path: Path) -> None:
    with pytest.raises(FileError, match="must be true or false"):
        read_scores(write(tmp_path, listed({0: [value]})))

"""Annotations of AlpacaEval. Files are made in the documented form."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from bestrand import FileError, InputError, read_scores


def write(
    folder: Path,
    preferences: Mapping[str, float | None],
    *,
    rate: float | None = None,
    model: str = "acme-7b",
    reference: str = "gpt4_turbo",
    annotator: str = "judge",
) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    rows = [
        {
            "instruction": instruction,
            "output_1": "a",
            "generator_1": reference,
            "dataset": "helpful_base",
            "output_2": "b",
            "generator_2": model,
            "annotator": annotator,
            "preference": preference,
            "raw_completion": None,
        }
        for instruction, preference in preferences.items()
    ]
    (folder / "annotations.json").write_text(json.dumps(rows, indent=2))
    if rate is not None:
        board = f",win_rate,standard_error,mode\nother,12.5,1.0,verified\n{model},{rate},1.0,\n"
        (folder / "leaderboard.csv").write_text(board)
    return folder


def scores(path: Path) -> list[float | None]:
    return read_scores(path).rows["score"].to_list()


def test_the_score_is_the_preference_less_1(tmp_path: Path) -> None:
    made = {"Say a.": 1, "Say b.": 2, "Say c.": 1.5, "Say d.": 1.25}
    table = read_scores(write(tmp_path, made, rate=100 * 1.75 / 4))
    ids = {hashlib.sha256(text.encode()).hexdigest()[:16] for text in made}

    assert sorted(table.rows["score"].to_list()) == [0, 0.25, 0.5, 1]
    assert set(table.items["item"]) == ids
    assert table.models == ("acme-7b",)
    assert table.runs[0].versions == {"": "against gpt4_turbo by judge"}
    assert "files-aside" not in {note.code for note in table.notes}


def test_an_old_draw_is_one_half(tmp_path: Path) -> None:
    assert scores(write(tmp_path, {"Say a.": 0}, rate=50.0)) == [0.5]


@pytest.mark.parametrize("value", [None, float("nan"), -1, 3])
def test_what_is_no_preference_is_unscored(value: float | None, tmp_path: Path) -> None:
    table = read_scores(write(tmp_path, {"Say a.": value, "Say b.": 2}, rate=100.0))

    assert (table.counts().scored, table.counts().unscored) == (1, 1)


def test_a_rate_that_differs_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"mean of 'win_rate' is 0\.5 .* and 0\.6 by the harness"):
        read_scores(write(tmp_path, {"Say a.": 1, "Say b.": 2}, rate=60.0))


def test_the_length_controlled_rate_is_refused_by_name(tmp_path: Path) -> None:
    write(tmp_path, {"Say a.": 1})

    with pytest.raises(InputError, match=r"is of a model that is fitted .* Usable: 'win_rate'"):
        read_scores(tmp_path, metric="length_controlled_winrate")


def test_models_share_instructions_whatever_their_order(tmp_path: Path) -> None:
    write(tmp_path / "a", {"Say a.": 1, "Say b.": 2})
    write(tmp_path / "b", {"Say b.": 1, "Say a.": 1.5}, model="other")
    table = read_scores(tmp_path)

    assert table.models == ("acme-7b", "other")
    assert table.matrix().values.shape == (2, 2)
    assert table.counts().scored == 4


def test_outputs_beside_annotations_are_no_tables(tmp_path: Path) -> None:
    write(tmp_path, {"Say a.": 1})
    outputs = [{"instruction": "Say a.", "output": "a", "generator": "acme-7b"}]
    (tmp_path / "model_outputs.json").write_text(json.dumps(outputs))

    assert "files-aside" not in {note.code for note in read_scores(tmp_path).notes}


def test_an_instruction_that_is_no_text_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, {"Say a.": 1}) / "annotations.json"
    path.write_text(path.read_text().replace('"Say a."', "7"))

    with pytest.raises(FileError, match="`instruction` must be text"):
        read_scores(path)

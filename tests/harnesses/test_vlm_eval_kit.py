"""Results of VLMEvalKit. Files are made in the documented form, in each format it writes."""

import csv
import io
import json
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import pytest

from bestrand import FileError, InputError, read_scores


LOST = "Failed to obtain answer via API."
Row = dict[str, Any]
each_format = pytest.mark.parametrize("kind", ["tsv", "json", "xlsx"])


def row(index: object, hit: object, *, prediction: str = "A", split: str = "dev") -> Row:
    question = f"What is on\nthe {index} picture?"
    facts = {"index": index, "question": question, "answer": "A", "split": split}
    return facts | {"prediction": prediction, "hit": hit, "log": "Match Log: A. "}


def workbook(rows: Sequence[Sequence[object]]) -> bytes:
    """Write cells as Excel files hold them: texts shared, numbers in place, blanks left out."""
    main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    texts: list[str] = []
    lines = []
    for number, cells in enumerate(rows, 1):
        line = ""
        for place, cell in enumerate(cells):
            name = f'r="{chr(ord("A") + place)}{number}"'
            if isinstance(cell, str):
                texts.append(f'<si><t xml:space="preserve">{escape(cell)}</t></si>')
                line += f'<c {name} t="s"><v>{len(texts) - 1}</v></c>'
            elif cell is not None:
                line += f"<c {name}><v>{cell}</v></c>"
        lines.append(f'<row r="{number}">{line}</row>')
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        sheet = f"<worksheet {main}><sheetData>{''.join(lines)}</sheetData></worksheet>"
        archive.writestr("xl/worksheets/sheet1.xml", sheet)
        archive.writestr("xl/sharedStrings.xml", f"<sst {main}>{''.join(texts)}</sst>")
    return buffer.getvalue()


def write(
    folder: Path,
    rows: Sequence[Row],
    kind: str = "tsv",
    *,
    model: str = "eye-7b",
    dataset: str = "MMBench_DEV_EN",
    judge: str = "exact_matching",
    accuracy: dict[str, float] | None = None,
) -> Path:
    inside = folder / model / "T20260101_G0"
    inside.mkdir(parents=True, exist_ok=True)
    path = inside / f"{model}_{dataset}_{judge}_result.{kind}"
    (inside / f"{model}_{dataset}.{kind}").write_bytes(b"")
    cells = [list(rows[0]), *(list(one.values()) for one in rows)]
    if kind == "json":
        path.write_text(json.dumps(rows, indent=4, ensure_ascii=False))
    elif kind == "xlsx":
        path.write_bytes(workbook(cells))
    else:
        with path.open("w", newline="") as file:
            csv.writer(file, delimiter="\t", quoting=csv.QUOTE_ALL).writerows(cells)
    if accuracy is not None:
        lines = ['"split","Overall"', *(f'"{split}","{one}"' for split, one in accuracy.items())]
        (inside / f"{model}_{dataset}_acc.csv").write_text("\n".join(lines))
    return folder


def scores(path: Path, **how: Any) -> dict[str, tuple[str, float | None]]:  # noqa: ANN401
    rows = read_scores(path, **how).rows
    return {one["item"]: (one["status"], one["score"]) for one in rows.iter_rows(named=True)}


@each_format
def test_judged_answers_are_read_in_each_format(kind: str, tmp_path: Path) -> None:
    rows = [row(3, 1), row(241, 0), row(7, 1, split="test")]
    write(tmp_path, rows, kind, accuracy={"dev": 0.5, "test": 1.0})
    table = read_scores(tmp_path / "eye-7b")

    assert scores(tmp_path) == {
        "MMBench_DEV_EN:3": ("scored", 1.0),
        "MMBench_DEV_EN:241": ("scored", 0.0),
        "MMBench_DEV_EN:7": ("scored", 1.0),
    }
    assert table.models == ("eye-7b",)
    assert table.bounds == {"hit": (0.0, 1.0)}


def test_formats_may_differ_among_models(tmp_path: Path) -> None:
    for kind in ("tsv", "json", "xlsx"):
        write(tmp_path, [row(3, 1), row(4, 0)], kind, model=f"m-{kind}")

    assert read_scores(tmp_path).matrix().values.tolist() == [[1, 0]] * 3


@each_format
def test_an_answer_that_the_api_failed_to_give_is_errored(kind: str, tmp_path: Path) -> None:
    rows = [row(1, 1), row(2, 0, prediction=LOST)]
    write(tmp_path, rows, kind, accuracy={"dev": 0.5})

    assert scores(tmp_path)["MMBench_DEV_EN:2"] == ("errored", None)
    assert scores(tmp_path, errors="zero")["MMBench_DEV_EN:2"] == ("scored", 0.0)


def test_an_answer_that_was_not_given_and_hit_by_chance_is_errored_too(tmp_path: Path) -> None:
    write(tmp_path, [row(1, 1), row(2, 1, prediction=LOST)], accuracy={"dev": 1.0})

    assert scores(tmp_path)["MMBench_DEV_EN:2"] == ("errored", None)


def test_rotations_are_one_item_that_is_hit_where_all_are(tmp_path: Path) -> None:
    rows = [row(k + 1_000_000 * turn, int(k != 2 or turn != 1)) for k in (1, 2) for turn in (0, 1)]
    write(tmp_path, rows)

    assert [score for _, score in scores(tmp_path).values()] == [1, 0]
    assert set(scores(tmp_path)) == {"MMBench_DEV_EN:1", "MMBench_DEV_EN:2"}


def test_large_indices_that_are_no_rotations_are_items_of_their_own(tmp_path: Path) -> None:
    write(tmp_path, [row(1, 1), row(2_000_005, 0)])

    assert set(scores(tmp_path)) == {"MMBench_DEV_EN:1", "MMBench_DEV_EN:2000005"}


@each_format
def test_an_accuracy_that_differs_is_refused(kind: str, tmp_path: Path) -> None:
    write(tmp_path, [row(1, 1), row(2, 0)], kind, accuracy={"dev": 0.75})

    with pytest.raises(InputError, match=r"mean of 'hit' .* is 0\.5 .* and 0\.75 by the harness"):
        read_scores(tmp_path)


def test_judges_are_filters(tmp_path: Path) -> None:
    write(tmp_path, [row(1, 1)])
    write(tmp_path, [row(1, 0)], judge="openai")

    assert scores(tmp_path, filter="openai") == {"MMBench_DEV_EN:1": ("scored", 0.0)}
    assert scores(tmp_path, filter="exact_matching") == {"MMBench_DEV_EN:1": ("scored", 1.0)}


def test_a_smaller_table_is_of_the_same_dataset_and_its_questions_must_be_too(
    tmp_path: Path,
) -> None:
    write(tmp_path, [row(1, 1), row(2, 1)])
    write(tmp_path, [row(2, 0)], model="b", dataset="MMBench_DEV_EN_bestrand-0123456789ab")
    assert set(scores(tmp_path)) == {"MMBench_DEV_EN:1", "MMBench_DEV_EN:2"}

    write(tmp_path, [row(2, 0) | {"question": "Another one?"}], model="c")
    with pytest.raises(InputError, match="'MMBench_DEV_EN:2'"):
        read_scores(tmp_path)


@each_format
@pytest.mark.parametrize("hit", ["yes", 3, -1])
def test_a_hit_that_is_none_is_refused(kind: str, hit: object, tmp_path: Path) -> None:
    with pytest.raises(FileError, match="`hit` of index '1' must be from 0 to 1"):
        read_scores(write(tmp_path, [row(1, hit)], kind))


@each_format
def test_answers_without_a_hit_are_unscored(kind: str, tmp_path: Path) -> None:
    assert scores(write(tmp_path, [row(1, None), row(2, 1)], kind)) == {
        "MMBench_DEV_EN:1": ("unscored", None),
        "MMBench_DEV_EN:2": ("scored", 1.0),
    }


def test_a_file_out_of_its_folders_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, [row(1, 1)]) / "eye-7b" / "T20260101_G0"
    [result] = path.glob("*_result.tsv")
    moved = result.rename(tmp_path / result.name)

    with pytest.raises(InputError, match="no folder above it is called as the model"):
        read_scores(moved)


def test_letters_that_a_workbook_escapes_are_given_back(tmp_path: Path) -> None:
    write(tmp_path, [row("a_x005F_x0041__x0001_", 1)], "xlsx")

    assert set(scores(tmp_path)) == {"MMBench_DEV_EN:a_x0041_\x01"}


def test_a_workbook_that_is_none_is_refused(tmp_path: Path) -> None:
    write(tmp_path, [row(1, 1)], "xlsx")
    [result] = tmp_path.glob("*/*/*_result.xlsx")
    result.write_bytes(result.read_bytes()[:200])

    with pytest.raises(FileError, match="no Excel workbook"):
        read_scores(result)


def test_an_index_that_stands_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="index '1' stands twice"):
        read_scores(write(tmp_path, [row(1, 1), row(1, 0)]))

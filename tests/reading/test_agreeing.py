"""Rows that agree in their scores, and scores that give way to costs."""

from pathlib import Path

import pytest

from bestrand import FileError, InputError, read_items, read_scores


def write(path: Path, header: str, rows: list[str]) -> Path:
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("label", ["language", "dataset", "task_name", "prompt_hash"])
def test_items_of_several_labels_are_not_joined(tmp_path: Path, label: str) -> None:
    rows = [f"{i},{said},m,1" for i in range(50) for said in ("en", "de")]
    path = write(tmp_path / "a.csv", f"id,{label},model,score", rows)
    with pytest.raises(InputError, match=rf"50 times rows .* differ in column '{label}'"):
        read_scores(path)

    assert read_scores(path, duplicates="first").items.height == 50


def test_another_id_is_named(tmp_path: Path) -> None:
    rows = ["0,q0,m,0", "1,q1,m,1", "0,q2,m,0", "1,q3,m,1"]
    path = write(tmp_path / "a.csv", "doc_id,question_id,model,score", rows)
    with pytest.raises(InputError, match="--column item=question_id"):
        read_scores(path)

    assert read_scores(path, columns={"item": "question_id"}).items.height == 4


@pytest.mark.parametrize("label", ["run", "epoch", "seed", "response"])
def test_repeated_rows_that_agree_are_joined(tmp_path: Path, label: str) -> None:
    rows = [f"{i},{k if label != 'response' else 'A'},m,1" for i in range(9) for k in ("x", "y")]
    table = read_scores(write(tmp_path / "a.csv", f"id,{label},model,score", rows))

    assert (table.items.height, table.n_duplicates) == (9, 9)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("acc", ["85%", "much"]),
        ("correct", ["yes", "maybe"]),
        ("verdict", ["pass", "timeout"]),
        ("is_correct", ["Y", "N"]),
        ("grade", ["C", "P"]),
        ("result", ["Correct", "n/a"]),
        ("acc", ["", ""]),
    ],
)
def test_scores_do_not_give_way_to_costs(tmp_path: Path, name: str, values: list[str]) -> None:
    rows = [f"q{i},m,{values[i % 2]},{i / 7:.3f}" for i in range(20)]
    path = write(tmp_path / "a.csv", f"item,model,{name},latency", rows)
    with pytest.raises(FileError, match=rf"'{name}' is called like a score .* --metric latency"):
        read_scores(path)

    assert read_scores(path, metric="latency").metrics == ("latency",)


@pytest.mark.parametrize(
    ("text", "n", "codes"),
    [
        ("id\nq1\nq2\nq3\n", 3, ["lines-aside"]),
        ("# my list\nitem\nq1\nq2\n# more\nq3\n", 3, ["lines-aside"] * 3),
        ("q1\rq2\rq3\r", 3, []),
        ("q1\r\nq2\r\nq3\r\n", 3, []),
        ("id\n", 1, []),
        ("#1\n#2\n", 2, []),
    ],
)
def test_headers_and_comments_are_no_ids(
    tmp_path: Path, text: str, n: int, codes: list[str]
) -> None:
    path = tmp_path / "items.txt"
    path.write_bytes(text.encode())
    frame = read_items(path)

    assert frame.n == n
    assert [note.code for note in frame.notes] == codes


def test_files_of_one_name_hold_one_model(tmp_path: Path) -> None:
    one = write(tmp_path / "x.csv", "item,model,score", ["q1,gpt,1", "q2,gpt,0"])
    other = write(tmp_path / "y.csv", "item,model,score", ["q3,llama,1", "q4,llama,0"])
    more = write(tmp_path / "z.csv", "item,model,score", ["q3,gpt,1", "q4,gpt,0"])
    with pytest.raises(InputError, match=r"both named 'm', and hold scores of 'gpt' and 'llama'"):
        read_scores({"m": [one, other]})
    table = read_scores({"m": [one, more]})
    texts = [note.text for note in table.notes if note.code == "renamed-model"]

    assert (table.models, table.items.height) == (("m",), 4)
    assert len(texts) == 2
    assert "model 'gpt' is called 'm' here" in texts[0]
    assert not [n for n in read_scores({"gpt": one}).notes if n.code == "renamed-model"]

"""Text tables: separators, decimal commas, long fields, and headers that come again."""

import csv
import io
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bestrand import BestrandError, FileError, ScoreTable, read_items, read_scores
from bestrand.reading.delimited import split_long


def read(text: str, folder: Path, name: str = "m.csv") -> ScoreTable:
    (folder / name).write_text(text, newline="")
    return read_scores(folder / name)


def scores(table: ScoreTable) -> list[float]:
    return [float(value) for value in table.matrix().values[0]]


def codes(table: ScoreTable) -> list[str]:
    return [note.code for note in table.notes]


# fields of any length


def test_a_field_may_be_of_any_length(tmp_path: Path) -> None:
    limit = csv.field_size_limit()
    answer = 'say ""yes"",\r\n' * 20_000
    text = f'item,model,score,response\nq1,a,1,short\nq2,a,0,"{answer}"\nq3,a,0.5,short\n'

    table = read(text, tmp_path)

    assert scores(table) == [1, 0, 0.5]
    assert csv.field_size_limit() == limit


@pytest.mark.parametrize("separator", [",", "\t", ";"])
def test_a_long_field_does_not_move_the_lines_of_errors(separator: str, tmp_path: Path) -> None:
    rows = ["item,score,answer", "q1,1,x\u2028y", f'q2,0,"{"y" * 140_000}\n"', "", "q3,pass,x"]
    with pytest.raises(FileError, match=r"m.csv:6: 'score' must be one number, got 'pass'"):
        read("\n".join(rows).replace(",", separator), tmp_path)

    rows[4] = "q3,1"
    with pytest.raises(FileError, match=r"m.csv:6: 2 fields where the header has 3"):
        read("\n".join([*rows, ""]).replace(",", separator), tmp_path)

    rows[4] = 'q3,1,"x'
    with pytest.raises(FileError, match=r"m.csv:6: a field opens with a double quote that noth"):
        read("\n".join(rows).replace(",", separator), tmp_path)

    rows[4] = 'q3,1,"x"y'
    with pytest.raises(FileError, match=r"m.csv:6: not a table \(.* expected after"):
        read("\n".join(rows).replace(",", separator), tmp_path)


def test_the_limit_that_others_set_is_theirs(tmp_path: Path) -> None:
    before = csv.field_size_limit(5)
    try:
        table = read("item,score\nlonger than five,1\n", tmp_path)
        limit = csv.field_size_limit()
    finally:
        csv.field_size_limit(before)

    assert table.items["item"].to_list() == ["longer than five"]
    assert limit == 5


def test_long_fields_are_read_in_several_threads(tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text(f"item,score,x\nq1,1,{'y' * 140_000}\n")
    found: list[list[str]] = []

    def look() -> None:
        found.append(read_scores(tmp_path / "m.csv").items["item"].to_list())

    threads = [threading.Thread(target=look) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert found == [["q1"]] * 8


PIECES = st.sampled_from(
    ["a", ",", ";", '"', '""', "\n", "\r\n", "\r", " ", "\x0b", "\u2028", ",\n"]
)


@given(text=st.lists(PIECES, max_size=15).map("".join), separator=st.sampled_from([",", ";"]))
def test_splitting_is_that_of_the_csv_module(text: str, separator: str) -> None:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    expected: list[list[str]] | None
    try:
        expected = [row for row in reader if row]
    except csv.Error:
        expected = None
    got: list[list[str]] | None
    try:
        got = [row for _, row in split_long(text, Path("m.csv"), separator, 1)]
    except FileError:
        got = None

    assert got == expected


# separators and decimal commas


@pytest.mark.parametrize("name", ["m.csv", "m.tsv", "m"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("separator", [";", "\t", "|", "sep=;", '"sep=;"', "sep=,"])
def test_the_separator_is_that_of_the_header(
    separator: str, mark: str, name: str, tmp_path: Path
) -> None:
    first = f"{separator}\r\n" if "sep" in separator else ""
    separator = separator.strip('"')[-1]
    rows = [["item", "model", "score"], ["q1", "a", "0.5"], ["q2", "a", "1"]]
    text = mark + first + "".join(separator.join(row) + "\r\n" for row in rows)

    table = read(text, tmp_path, name)

    assert scores(table) == [0.5, 1]
    assert codes(table) == []


def test_quoted_commas_in_a_header_are_no_separators(tmp_path: Path) -> None:
    table = read('item;"a, b";c\nq1;1;0\n', tmp_path)

    assert table.models == ("a, b", "c")


def test_semicolons_are_taken_where_commas_cannot_be(tmp_path: Path) -> None:
    table = read("item;score;notes, if any\nq1;1;\nq2;0;x\n", tmp_path)

    assert scores(table) == [1, 0]


def test_commas_are_taken_where_they_can_be(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no column of item ids"):
        read("item;x,score\nq1,1\n", tmp_path)


@pytest.mark.parametrize("separator", [";", "\t"])
def test_decimal_commas_are_read_where_all_numbers_have_them(
    separator: str, tmp_path: Path
) -> None:
    rows = [
        "item;model;score;weight",
        "1,5;a;0,5;2",
        "1.5;a;1,0;0,5",
        "2;a;,25;1",
        "3;a;-1,5e-1;1",
        "4;a;;1",
        "5;a; 1 ;1",
    ]
    table = read("\r\n".join(rows).replace(";", separator), tmp_path)

    matrix = table.matrix()
    pairs = dict(zip(matrix.frame.items, matrix.values[0].tolist(), strict=True))
    assert pairs["4"] != pairs["4"]  # nan
    del pairs["4"]
    assert pairs == {"1,5": 0.5, "1.5": 1.0, "2": 0.25, "3": -0.15, "5": 1.0}
    assert table.items.filter(item="1.5")["weight"].item() == 0.5
    assert "decimal-comma" in codes(table)


def test_decimal_commas_are_read_in_wide_form_and_as_metrics(tmp_path: Path) -> None:
    wide = read("item;a;b\nq1;0,5;1\nq2;0;0,25\n", tmp_path)
    long = read("item;model;f1;answer\nq1;a;0,5;x\nq2;a;0,75;y\n", tmp_path)

    assert wide.matrix().values.tolist() == [[0.5, 0], [1, 0.25]]
    assert long.metrics == ("f1",)
    assert scores(long) == [0.5, 0.75]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "item;score\nq1;0,5\nq2;0.5\n",
            "m.csv:2: 'score' must be one number, got '0,5'. Write 0.5",
        ),
        ("item;a;b\nq1;0.5;0,5\n", "m.csv:2: 'b' must be one number, got '0,5'. Write 0.5"),
        ("item;score\nq1;1,234\nq2;5,678\n", "got '1,234'. Write 1.234 or 1234: numbers have"),
        ("item;score\nq1;1,234,567\nq2;5,6\n", "got '1,234,567'. Write 1234567: numbers have"),
        ('item,score\nq1,"0,5"\nq2,"1,0"\n', "m.csv:2: .* got '0,5'. Write 0.5: numbers have a"),
        (
            "item,model,score\nq1,a,0,5\n",
            "m.csv:2: 4 fields .* if 0,5 is one number, write a point",
        ),
        ("item;score\nq1;1.234,5\n", "got '1.234,5'. Write 1234.5"),
        ('item,score\nq1,"1,234,567.89"\n', "got '1,234,567.89'. Write 1234567.89"),
        ("| item | score |\n|---|---|\n| q1 | 1 |\n", "m.csv:1: a table in Markdown. Save it as"),
        ('"item;score"\n"q1;0,5"\n', "m.csv:1: the separator seems to be ';'"),
    ],
)
def test_commas_in_numbers_that_may_be_something_else_are_refused(
    text: str, said: str, tmp_path: Path
) -> None:
    with pytest.raises(FileError, match=said):
        read(text, tmp_path)


def test_a_comma_in_a_number_of_json_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"got '0,5'\. Write 0\.5"):
        read('{"item": "q1", "score": "0,5"}\n', tmp_path, "m.jsonl")


# a header that comes again


@pytest.mark.parametrize("separator", [",", "\t", ";"])
def test_a_header_that_comes_again_is_left_out(separator: str, tmp_path: Path) -> None:
    rows = ["item,model,score", "q1,a,1", "item,model,score", "q1,b,0", "\ufeffitem,model,score"]
    text = "\n".join([*rows, "q1,c,1"]).replace(",", separator)

    table = read(text, tmp_path)

    assert table.models == ("a", "b", "c")
    assert codes(table) == ["header-again"]
    assert table.notes[0].text.startswith(
        f"{tmp_path}/m.csv: the header comes again on 2 lines (3, 5), as in files that were joined"
    )
    assert read_items(tmp_path / "m.csv").items == ("q1",)


def test_a_header_that_comes_again_leaves_wide_form_and_metrics_as_they_are(tmp_path: Path) -> None:
    wide = read("item,a,b\nq1,1,0\nitem,a,b\nq2,0,1\n", tmp_path)
    long = read("item,model,acc\nq1,a,1\nitem,model,acc\nq2,a,0\n", tmp_path)

    assert wide.matrix().values.tolist() == [[1, 0], [0, 1]]
    assert long.metrics == ("acc",)


def test_a_header_in_another_order_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"m.csv:3: the header comes again in another order, 'mod"):
        read("item,model,score\nq1,a,1\nmodel,item,score\na,q2,0\n", tmp_path)


def test_an_id_that_is_called_like_the_only_column_is_refused(tmp_path: Path) -> None:
    (tmp_path / "items.csv").write_text("id\nq1\nid\nq2\n")

    with pytest.raises(FileError, match=r"items.csv:3: the header 'id' comes again. Take the line"):
        read_items(tmp_path / "items.csv")


def test_an_item_may_be_called_like_a_column(tmp_path: Path) -> None:
    table = read("item,model,score\nitem,a,1\nscore,score,0\n", tmp_path)

    assert table.items["item"].to_list() == ["item", "score"]


@given(text=st.lists(st.sampled_from(["item", "1", ",", ";", "|", "\n", "sep=;\n", '"', "0,5"])))
def test_whatever_it_is_it_is_read_or_refused(
    text: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    try:
        read("".join(text), tmp_path_factory.mktemp("text"))
    except BestrandError as error:
        said = str(error)
    else:
        said = "."

    assert said.endswith(".")


# --- what stands around the rows


ROWS = "q1,m,1\nq2,m,0\n"


@pytest.mark.parametrize("head", ["# made by x\n", "# one\n# two, three\n", "#\n"])
def test_comments_above_the_header_are_left_out_and_lines_keep_their_numbers(
    head: str, tmp_path: Path
) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"{head}item,model,score\n{ROWS}")
    table = read_scores(path)

    assert table.matrix().values.tolist() == [[1, 0]]
    assert f"{head.count('#')} lines of comments" in table.notes[0].text
    path.write_text(f"{head}item,model,score\nq1,m,x\n")
    with pytest.raises(FileError, match=rf"a.csv:{head.count('#') + 2}: "):
        read_scores(path)


def test_a_header_that_begins_with_a_hash_is_one(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"#item,model,score\n{ROWS}")

    assert read_scores(path, columns={"item": "#item"}).matrix().values.tolist() == [[1, 0]]


def test_rows_without_any_field_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"item,model,score\n{ROWS},,\n , ,\n")
    table = read_scores(path)

    assert table.matrix().values.tolist() == [[1, 0]]
    assert "2 rows without any field" in table.notes[0].text


def test_a_blank_after_every_comma_is_no_part_of_the_fields(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("item, a, b\nq1, 1, 0\nq2, 0, 1\n")

    assert read_scores(path).models == ("a", "b")

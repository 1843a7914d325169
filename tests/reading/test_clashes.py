"""Files that contradict each other, and names that are one."""

from pathlib import Path

import pytest

from bestrand import InputError, read_scores


def test_where_files_clash_no_choice_of_rows_is_advised(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,model,score\nx,m,1\n")
    (tmp_path / "b.csv").write_text("id,model,score\nx,m,0\n")

    with pytest.raises(InputError) as refused:
        read_scores(tmp_path)

    assert "--duplicates" not in str(refused.value)
    assert "Files contradict each other: " in str(refused.value)
    assert read_scores(tmp_path, duplicates="mean").matrix().values.tolist() == [[0.5]]


@pytest.mark.parametrize("other", ["m ", " m", "m\t"])
def test_models_that_differ_in_white_space_alone_are_one(other: str, tmp_path: Path) -> None:
    rows = [f"q{i},{'m' if i % 2 else other},{i % 2}" for i in range(6)]
    path = tmp_path / "a.csv"
    path.write_text("\n".join(["item,model,score", *rows]))
    table = read_scores(path)

    assert table.models == ("m",)
    assert table.counts().scored == 6
    assert "white-space" in {note.code for note in table.notes}


def test_a_name_keeps_its_white_space_where_no_other_is_meant(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("item,model,score\nx,m ,1\nx,n,0\n")

    assert read_scores(path).models == ("m ", "n")

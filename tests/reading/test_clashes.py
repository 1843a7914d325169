"""Files that contradict each other."""

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

"""Details of lighteval: own ids, positions that moved, ways of sampling."""

from pathlib import Path

import polars as pl
import pytest

from bestrand import InputError, read_scores
from tests.harnesses.conftest import LOGS


OWN = LOGS / "lighteval"
NAME = "details_{}_2026-01-01T00-00-00.123456.parquet"


def write(folder: Path, *asked: str, own: bool = False) -> Path:
    docs = [
        {
            "query": query,
            "choices": ["a"],
            "id": str(k),
            "task_name": "mc|0",
            "specific": {"own_id": query} if own else None,
        }
        for k, query in enumerate(asked)
    ]
    folder.mkdir(parents=True)
    table = pl.DataFrame({"doc": docs, "metric": [{"em": 1.0}] * len(docs)})
    table.write_parquet(folder / NAME.format("mc|0"))
    return folder


def test_an_own_id_joins_runs_whose_positions_differ() -> None:
    table = read_scores([OWN / "out", OWN / "out_subset"], metric="acc")

    assert len(table.items) == 16
    both = table.rows.filter(table.rows["item"] == "tiny_mc|0:=1+1")
    assert both["model"].to_list() == ["acme/p1", "acme/p2"]


def test_positions_of_other_questions_are_not_joined(tmp_path: Path) -> None:
    write(tmp_path / "details" / "a" / "2026", "q0", "q1")
    write(tmp_path / "details" / "b" / "2026", "q1")

    with pytest.raises(InputError, match="An id must stand for one document"):
        read_scores(tmp_path)


def test_own_ids_are_taken_where_the_log_has_them(tmp_path: Path) -> None:
    write(tmp_path / "details" / "org" / "a" / "2026", "q0", "q1", own=True)
    write(tmp_path / "details" / "org" / "b" / "2026", "q1", own=True)
    table = read_scores(tmp_path)

    assert table.models == ("org/a", "org/b")
    assert table.frame().items == ("mc|0:q0", "mc|0:q1")

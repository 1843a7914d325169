"""Checkpoints of the CARLA leaderboard. Files are made in the documented form."""

import json
from pathlib import Path
from typing import Any

import pytest

from bestrand import InputError, read_scores


def route(number: int, status: str = "Completed", rep: int = 0, **hits: object) -> dict[str, Any]:
    return {
        "route_id": f"RouteScenario_{number}_rep{rep}",
        "status": status,
        "infractions": {"collisions_vehicle": [], "min_speed_infractions": ["slow"], **hits},
        "scores": {"score_route": 100.0, "score_penalty": 0.5, "score_composed": 50.0},
    }


def write(path: Path, *records: dict[str, Any], **more: object) -> Path:
    checkpoint = {"records": records, **more}
    path.write_text(json.dumps({"_checkpoint": checkpoint, "driving score": 0.7}))
    return path


def successes(path: Path) -> dict[str, float]:
    return dict(read_scores(path, metric="success").rows.select("item", "score").iter_rows())


def test_a_route_succeeds_that_ended_without_an_infraction_but_of_speed(tmp_path: Path) -> None:
    path = write(
        tmp_path / "agent.json",
        route(1, "Perfect"),
        route(2),
        route(3, collisions_vehicle=["hit"]),
        route(4, "Failed - Agent crashed"),
    )

    assert list(successes(path).values()) == [1, 1, 0, 0]
    table = read_scores(path)
    assert table.metrics == ("driving_score", "infraction_penalty", "route_completion", "success")
    assert table.bounds["driving_score"] == (0.0, 100.0)
    driving = table.rows.filter(table.rows["metric"] == "driving_score")["score"]
    assert driving.to_list() == [50.0] * 4
    assert {"divided-by-220", "errors-kept"} <= {note.code for note in table.notes}


def test_a_crash_is_errored_where_that_is_said(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", route(1), route(2, "Failed - Agent crashed"))
    table = read_scores(path, metric="success", errors="missing")

    assert (table.counts().scored, table.counts().errored) == (1, 1)


def test_repetitions_are_averaged_inside_a_route(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", route(1), route(1, "Failed", rep=1))

    assert successes(path) == {"RouteScenario_1": 0.5}


def test_a_run_that_did_not_end_is_read_if_asked_for(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", route(1), progress=[1, 3])

    with pytest.raises(InputError, match=r"did not end \(1 of 3 routes\)"):
        read_scores(path)
    assert read_scores(path, unfinished=True).counts().scored == 4

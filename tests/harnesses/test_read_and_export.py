"""What is read of a log is exported again under the ids that the harness takes."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import bestrand as br
from tests.harnesses import test_harbor, test_opencompass, test_tau2, test_terminal_bench


def tau2(folder: Path) -> Path:
    return test_tau2.write(folder / "r.json", test_tau2.results({"0": [1.0], "7": [0.0]}))


def opencompass(folder: Path) -> Path:
    return test_opencompass.write(folder, test_opencompass.listed({3: [True], 17: [False]}))


LOGS: dict[str, tuple[Callable[[Path], Path], str, object]] = {
    "tau2": (tau2, "task_ids.json", {"airline": ["0", "7"]}),
    "opencompass": (opencompass, "positions.json", {"gsm8k": ["3", "17"]}),
    "harbor": (lambda _: test_harbor.ONE, "job.json", None),
    "terminal-bench": (lambda _: test_terminal_bench.RUN, "task_ids.txt", None),
}


@pytest.mark.parametrize("word", LOGS)
def test_items_of_a_log_are_exported_and_their_run_is_verified(word: str, tmp_path: Path) -> None:
    make, name, expected = LOGS[word]
    log = make(tmp_path)
    table = br.read_scores(log)
    frame = table.frame()
    subset = br.adopt(list(frame.items), frame=frame)
    br.export(subset, word, tmp_path / "run")
    written = (tmp_path / "run" / name).read_text()

    if expected is None:
        assert all(item.replace("[", "[[]").split("]")[0] in written for item in frame.items)
    else:
        assert json.loads(written) == expected
    failed = [one.name for one in br.verify(subset, table).checks if one.outcome == "failed"]
    assert not failed

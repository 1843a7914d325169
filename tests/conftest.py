"""What tests share: a way to run a verb of the command line, and small real files."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers

import bestrand as br
from bestrand.cli import main
from bestrand.data import load


# The checks try the same examples every time, so that a rare failure stops no other change;
# HYPOTHESIS_PROFILE=dev tries new ones in each run.
settings.register_profile("ci", derandomize=True, deadline=None, print_blob=True)
settings.register_profile("dev", deadline=None, print_blob=True)
PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "ci")
settings.load_profile(PROFILE)
if PROFILE == "ci":
    # Hypothesis mixes constants of the loaded modules into its examples, so that these depended on
    # which tests the same process ran before. There is no setting for it; test_profiles.py watches.
    vars(providers)["is_local_module_file"] = lambda path: False


class Ran(NamedTuple):
    """What a verb did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """Its stdout, which must be one JSON object and nothing else."""
        value = json.loads(self.out)

        assert isinstance(value, dict)
        return value


Run = Callable[..., Ran]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a verb in this process."""
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("NO_COLOR", "1")

    def call(*words: object) -> Ran:
        capsys.readouterr()
        code = 0
        try:
            main([str(word) for word in words])
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else 0 if stop.code is None else 1
        out, err = capsys.readouterr()
        return Ran(code, out, err)

    return call


class Files(NamedTuple):
    """A folder with the files of a whole use, and the scores they hold."""

    folder: Path
    scores: Path
    probes: Path
    targets: Path
    matrix: br.ScoreMatrix


@pytest.fixture(scope="session")
def blink() -> br.ScoreTable:
    """The bundled BLINK scores."""
    return load("blink_val")


@pytest.fixture
def files(tmp_path: Path, blink: br.ScoreTable) -> Files:
    """Six probes and six targets of the bundled BLINK scores, as files."""
    models = blink.models
    probes, targets = models[:6], models[6:12]
    table = blink.rows.join(blink.items.select("item", "group"), on="item")
    columns = ["item", "model", "score", "group"]
    paths = {}
    for name, chosen in (("scores", models), ("probes", probes), ("targets", targets)):
        path = tmp_path / f"{name}.parquet"
        table.filter(table["model"].is_in(list(chosen))).select(columns).write_parquet(path)
        paths[name] = path
    return Files(tmp_path, paths["scores"], paths["probes"], paths["targets"], blink.matrix())


LEFT_OUT = pytest.StashKey[int]()


def pytest_deselected(items: list[pytest.Item]) -> None:
    """Count the slow tests that `-m "not slow"` leaves out."""
    config = items[0].config
    if config.option.markexpr != "not slow" or config.option.keyword:
        return
    slow = sum(item.get_closest_marker("slow") is not None for item in items)
    config.stash[LEFT_OUT] = config.stash.get(LEFT_OUT, 0) + slow
    if hasattr(config, "workeroutput"):
        config.workeroutput["left_out"] = config.stash[LEFT_OUT]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:  # noqa: ANN401
    """Take the count of a worker of pytest-xdist; all of them collect the same tests."""
    output = getattr(node, "workeroutput", {})
    node.config.stash[LEFT_OUT] = output.get("left_out", 0)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Say last of all how many slow tests were left out, and how to run them."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None and config.stash.get(LEFT_OUT, 0):
        reporter.write_line(
            f"Left out: {config.stash[LEFT_OUT]} slow tests. "
            "Run them with: python scripts/check.py --slow"
        )

"""Environments of their own for harnesses, and a way to run commands in them."""

import fcntl
import json
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

import bestrand as br
from bestrand.core.manifest import Manifest


ROOT = Path(__file__).resolve().parents[3]
ENVIRONMENTS = ROOT / ".venv-real"
INSTALL_SECONDS = 900
RUN_SECONDS = 300
VARIABLE = "BESTRAND_REAL_RUNS"
MARKS = [
    pytest.mark.slow,
    pytest.mark.skipif(
        os.environ.get(VARIABLE) != "1",
        reason=f"real runs install harnesses: set {VARIABLE}=1",
    ),
]
# runs several command lines of a program in one process, as importing it takes most of the time
ALL_AT_ONCE = """
import importlib, json, sys

module, function, before = sys.argv[1:4]
exec(before)
main = getattr(importlib.import_module(module), function)
for words in json.loads(sys.stdin.read()):
    sys.argv = words
    try:
        main()
    except SystemExit as stop:
        print(words, "ended with", stop.code, file=sys.stderr)
"""


@dataclass(frozen=True)
class Environment:
    """A virtual environment that holds one harness."""

    folder: Path

    def run(
        self,
        words: Sequence[str],
        where: Path,
        *,
        stdin: str | None = None,
        may_fail: bool = False,
        variables: Mapping[str, str] | None = None,
    ) -> str:
        """Run a command in folder `where`, and return what it printed.

        Raises:
            AssertionError: it failed, and `may_fail` is not given.
        """
        path = f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            list(words),
            cwd=where,
            env={**_own_variables(), "PATH": path, **(variables or {})},
            input=stdin,
            capture_output=True,
            text=True,
            timeout=RUN_SECONDS,
            check=False,
        )
        said = done.stdout + done.stderr

        assert may_fail or done.returncode == 0, said[-4000:]
        return said

    def run_all(
        self,
        main: tuple[str, str],
        commands: Sequence[Sequence[str]],
        where: Path,
        *,
        before: str = "",
        variables: Mapping[str, str] | None = None,
    ) -> str:
        """Run command lines of one program in one process.

        Args:
            main: its module and function.
            commands: the words of each.
            where: the folder to run in.
            before: code that is run first.
            variables: to set.
        """
        words = ["python", "-c", ALL_AT_ONCE, *main, before]
        return self.run(words, where, stdin=json.dumps(commands), variables=variables)


def _own_variables() -> dict[str, str]:
    """Return the variables of this process without those that are about its own Python."""
    others = ("PYTHON", "PYTEST", "COV_", "COVERAGE", "INSPECT_", "HF_", "VIRTUAL_ENV")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(others)}
    return {**kept, "HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "NO_COLOR": "1"}


def environment(name: str, *packages: str) -> Environment:
    """Make an environment with packages, or take the one made before; skip where it fails.

    It stays in the project's folder, as installing takes a minute and several hundred megabytes.
    """
    folder = ENVIRONMENTS / name
    ENVIRONMENTS.mkdir(exist_ok=True)
    wanted = "\n".join((sys.version, *packages))
    made = folder / "made.txt"
    with (ENVIRONMENTS / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # several processes run tests
        if made.exists() and made.read_text() == wanted:
            return Environment(folder)
        shutil.rmtree(folder, ignore_errors=True)
        venv.create(folder, with_pip=True)
        pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "-q"]
        try:
            subprocess.run(
                [*pip, "--disable-pip-version-check", *packages],
                capture_output=True,
                text=True,
                timeout=INSTALL_SECONDS,
                check=True,
            )
        except subprocess.CalledProcessError as error:
            last = (str(error.stderr).strip().splitlines() or [""])[-1]
            pytest.skip(f"{packages[0]} cannot be installed: {last}")
        except subprocess.TimeoutExpired:
            pytest.skip(f"{packages[0]} was not installed within {INSTALL_SECONDS} s")
        made.write_text(wanted)
    return Environment(folder)


def filled(words: Sequence[str], **values: str) -> list[str]:
    """Fill in the words in capitals of a printed command, as a user does."""
    found = list(words)
    for name, value in values.items():
        assert any(name in word for word in found), f"no {name} in {words}"
        found = [word.replace(name, value) for word in found]
    return found


def checks_of(
    manifest: Manifest, logs: Path, *, against: Path | None = None
) -> dict[str, set[str]]:
    """Return what `verify` found wrong with a run: the items at fault, by the name of the check."""
    full = None if against is None else br.read_scores(against)
    found = br.verify(manifest, br.read_scores(logs), against=full)
    wrong: dict[str, set[str]] = {}
    for check in found.checks:
        if check.outcome == "failed":
            wrong.setdefault(check.name, set()).update(check.items)

    assert found.ok == (not wrong)
    return wrong

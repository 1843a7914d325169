"""How the tests themselves run: the same examples in every run, by default."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import settings


ROOT = Path(__file__).resolve().parent.parent

DRAWN = """
import os
from hypothesis import given, strategies as st
from tests import conftest

if "MORE" in os.environ:
    __import__(os.environ["MORE"])

@given(number=st.integers(0, 10**9))
def test_number(number: int) -> None:
    print("drawn", number)
"""


def drawn(folder: Path, **variables: str) -> list[str]:
    """Give what a test prints that is run in a process of its own."""
    (folder / "test_drawn.py").write_text(DRAWN)
    words = ["-m", "pytest", "-q", "-s", "-p", "no:cacheprovider", "--rootdir", str(folder)]
    done = subprocess.run(
        [sys.executable, *words, str(folder / "test_drawn.py")],
        capture_output=True,
        text=True,
        check=True,
        cwd=folder,
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": os.pathsep.join([str(ROOT), str(folder), *sys.path]),
        }
        | variables,
    )
    return [line for line in done.stdout.splitlines() if "drawn" in line]


def test_examples_are_the_same_in_every_run_unless_others_are_asked_for(tmp_path: Path) -> None:
    first, again = drawn(tmp_path), drawn(tmp_path, PYTHONHASHSEED="7")
    (tmp_path / "more.py").write_text(f"NUMBERS = {list(range(1000, 2000, 20))}")
    third = drawn(tmp_path, MORE="more")
    other, others = (drawn(tmp_path, HYPOTHESIS_PROFILE="dev") for _ in range(2))

    assert len(first) > 50
    assert first == again
    assert first == third, "examples depend on the modules that are loaded; see conftest.py"
    assert other != others


@pytest.mark.parametrize("profile", ["ci", "dev"])
def test_no_test_fails_since_the_machine_is_slow(profile: str) -> None:
    assert settings.get_profile(profile).deadline is None

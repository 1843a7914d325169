"""How the tests themselves run: the same examples in every run; what is left out is said."""

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


SOME_SLOW = """
import pytest

def test_fast() -> None:
    pass

@pytest.mark.slow
@pytest.mark.parametrize("number", range(3))
def test_slow(number: int) -> None:
    pass
"""


def printed(tests: str, folder: Path, *options: str, **variables: str) -> list[str]:
    """Give the lines that pytest prints in a process of its own."""
    (folder / "test_inner.py").write_text(tests)
    words = ["-m", "pytest", "-q", "-s", "-p", "no:cacheprovider", "--rootdir", str(folder)]
    done = subprocess.run(
        [sys.executable, *words, *options, str(folder / "test_inner.py")],
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
    return done.stdout.splitlines()


def drawn(folder: Path, **variables: str) -> list[str]:
    """Give the numbers that a test of Hypothesis draws."""
    return [line for line in printed(DRAWN, folder, **variables) if "drawn" in line]


@pytest.mark.slow
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


@pytest.mark.parametrize(
    "options",
    [
        pytest.param((), id="alone"),
        pytest.param(("-n", "2"), marks=pytest.mark.slow, id="two workers"),
    ],
)
def test_a_run_says_last_how_many_slow_tests_it_left_out(
    options: tuple[str, ...], tmp_path: Path
) -> None:
    if options:
        pytest.importorskip("xdist")
    options = ("-p", "tests.conftest", "-W", "ignore::pytest.PytestUnknownMarkWarning", *options)
    fast = printed(SOME_SLOW, tmp_path, "-m", "not slow", *options)
    whole = printed(SOME_SLOW, tmp_path, *options)

    assert fast[-1] == "Left out: 3 slow tests. Run them with: python scripts/check.py --slow"
    assert any("1 passed" in line for line in fast)
    assert any("4 passed" in line for line in whole)
    assert not any("Left out" in line for line in whole)

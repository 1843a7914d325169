"""How long importing and the command line take to start, in units of `import numpy, polars`.

Commands take turns, and the least time of each counts, so that load of the machine moves no ratio.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from importlib.resources import files
from pathlib import Path


UNIT = "import numpy, polars"


def least_seconds(commands: dict[str, list[str]], rounds: int) -> dict[str, float]:
    """Least wall time of each command over rounds in which each runs once."""
    least = dict.fromkeys(commands, float("inf"))
    for _ in range(rounds):
        for name, command in commands.items():
            start = time.perf_counter()
            subprocess.run(command, check=True, capture_output=True)
            least[name] = min(least[name], time.perf_counter() - start)
    return least


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=20, help="runs of each command")
    rounds = parser.parse_args().rounds
    python = [sys.executable, "-c"]
    bestrand = [*python, "from bestrand.cli import main; main()"]
    probes = str(files("bestrand.data").joinpath("blink_val.parquet"))
    with tempfile.TemporaryDirectory() as folder:
        subset = str(Path(folder) / "subset.json")
        select = [*bestrand, "select", probes, "-n", "200", "-o", subset]
        commands = {
            UNIT: [*python, UNIT],
            "pass": [*python, "pass"],
            "import typer": [*python, "import typer"],
            "import bestrand": [*python, "import bestrand"],
            "bestrand --help": [*bestrand, "--help"],
            "bestrand select --help": [*bestrand, "select", "--help"],
            "bestrand select (1 901 items, 19 probes)": select,
        }
        least = least_seconds(commands, rounds)
    for name, seconds in least.items():
        print(f"{name:42}{seconds:7.3f} s {seconds / least[UNIT]:7.2f} times {UNIT!r}")


if __name__ == "__main__":
    main()

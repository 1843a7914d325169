"""How long the command line takes to start, beside a bare Python, in one run."""

import subprocess
import sys
import tempfile
import time
from importlib.resources import files
from pathlib import Path


def seconds(command: list[str], repeats: int = 5) -> float:
    """Median wall time of a command."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        times.append(time.perf_counter() - start)
    return sorted(times)[repeats // 2]


def main() -> None:
    """Measure."""
    python = sys.executable
    bestrand = str(Path(python).with_name("bestrand"))
    probes = str(files("bestrand.data").joinpath("blink_val.parquet"))
    print(f"python -c pass            {seconds([python, '-c', 'pass']):.3f} s")
    print(f"python -c 'import numpy'  {seconds([python, '-c', 'import numpy']):.3f} s")
    print(f"import bestrand           {seconds([python, '-c', 'import bestrand']):.3f} s")
    print(f"bestrand --help           {seconds([bestrand, '--help']):.3f} s")
    with tempfile.TemporaryDirectory() as folder:
        output = str(Path(folder) / "subset.json")
        command = [bestrand, "select", probes, "-n", "200", "-o", output]
        print(f"bestrand select           {seconds(command):.3f} s (1 901 items, 19 probes)")


if __name__ == "__main__":
    main()

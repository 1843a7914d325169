"""Run what must pass: lint, format, types, documentation, tests; stop at the first failure.

`--slow` runs the slow tests too, and requires the share of code that tests must run; `-n` says how
many tests run at once. What else is given goes to pytest.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path


ROOT = Path(__file__).resolve().parent.parent
COVERED = 97  # percent of lines and branches that tests must run


def main() -> int:
    """Run the checks in the order in which they are quick."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--slow", action="store_true", help="run the slow tests too, with coverage")
    parser.add_argument("-n", default=str(os.cpu_count()), help="tests at once")
    args, others = parser.parse_known_args()
    python = sys.executable
    gate = ["--cov", "--cov-report=term:skip-covered", f"--cov-fail-under={COVERED}"]
    chosen = gate if args.slow else ["-m", "not slow"]
    with tempfile.TemporaryDirectory() as site:
        checks = [
            [python, "-m", "ruff", "check"],
            [python, "-m", "ruff", "format", "--check"],
            [python, "-m", "mypy"],
            [python, "scripts/docs.py", "--check"],
            [python, "-m", "mkdocs", "build", "--strict", "--site-dir", site],
            [python, "-m", "pytest", "-n", args.n, *chosen, *others],
        ]
        for check in checks:
            print("$", " ".join(["python", *check[1:]]), flush=True)
            start = time.monotonic()
            code = subprocess.run(check, cwd=ROOT, check=False).returncode
            print(f"  {time.monotonic() - start:.0f} s", flush=True)
            if code:
                return code
    return 0


if __name__ == "__main__":
    sys.exit(main())

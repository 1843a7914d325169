"""Run what must pass: lint, format, types, documentation, tests; stop at the first failure."""

import subprocess
import sys
import tempfile
from pathlib import Path


ROOT = Path(__file__).resolve().parent.parent


def main() -> int:
    """Run the checks in the order in which they are quick."""
    python = sys.executable
    with tempfile.TemporaryDirectory() as site:
        checks = [
            [python, "-m", "ruff", "check"],
            [python, "-m", "ruff", "format", "--check"],
            [python, "-m", "mypy"],
            [python, "scripts/docs.py", "--check"],
            [python, "-m", "mkdocs", "build", "--strict", "--site-dir", site],
            [python, "-m", "pytest", *sys.argv[1:]],
        ]
        for check in checks:
            print("$", " ".join(["python", *check[1:]]), flush=True)
            code = subprocess.run(check, cwd=ROOT, check=False).returncode
            if code:
                return code
    return 0


if __name__ == "__main__":
    sys.exit(main())

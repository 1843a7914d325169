"""Write what the documentation takes from the code: help texts, schemas, what commands print.

`python scripts/docs.py` writes `docs/cli.md`, `docs/schemas/` and the outputs shown in the pages,
and prints each file that it changes with its lines, old -> new.
`python scripts/docs.py --check` compares `docs/cli.md` and `docs/schemas/` with the code and exits
with 1 where they differ; `tests/test_docs.py` compares the outputs in the pages.

In a page, blocks of `python` and `console` are one program, run from top to bottom in an empty
folder. Under each `$` line of a `console` block stands what the command prints. A block of
`text title="Output"` right below a `python` block holds what that block prints.
"""

import argparse
import contextlib
import io
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from difflib import SequenceMatcher
from importlib.metadata import version
from itertools import zip_longest
from pathlib import Path
from typing import Any
from unittest.mock import patch


ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
WIDTH = 100
PLAIN = {
    "COLUMNS": str(WIDTH),
    "NO_COLOR": "1",
    "TERM": "dumb",
    "_TYPER_FORCE_DISABLE_TERMINAL": "1",
}
COLOURED = (
    "BESTRAND_TRACEBACK",
    "FORCE_COLOR",
    "GITHUB_ACTIONS",
    "PY_COLORS",
    "TERMINAL_WIDTH",
    "TTY_COMPATIBLE",
)
BLOCK = re.compile(
    r'^```(?P<kind>python|console|text title="Output")\n(?P<body>.*?)^```$',
    re.MULTILINE | re.DOTALL,
)
ESCAPE = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
STAMP = re.compile(r"<!-- rendered by typer (\S+) -->")


@contextlib.contextmanager
def plain_terminal() -> Iterator[None]:
    """Make what is printed the same everywhere: a fixed width, and no colour."""
    with patch.dict(os.environ, PLAIN):
        for name in COLOURED:
            os.environ.pop(name, None)
        yield


def run_command(line: str) -> tuple[str, int]:
    """Run one command line in the current folder; give what it prints and its exit code."""
    words = shlex.split(line, comments=True)
    with plain_terminal():
        if words[0] != "bestrand":
            done = subprocess.run(
                ["sh", "-c", line],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
            )
            return _tidy(done.stdout), done.returncode
        from bestrand.cli import main

        said, code = io.StringIO(), 0
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            try:
                main(words[1:])
            except SystemExit as leave:
                code = leave.code if isinstance(leave.code, int) else int(leave.code is not None)
    return _tidy(said.getvalue()), code


def _tidy(text: str) -> str:
    lines = [line.rstrip() for line in ESCAPE.sub("", text).splitlines()]
    return "".join(f"{line}\n" for line in lines).strip("\n")


class Page:
    """The blocks of one page, run one after the other."""

    def __init__(self) -> None:
        self.names: dict[str, Any] = {"__name__": "__docs__"}
        self.printed = ""
        self.code = 0

    def run(self, block: re.Match[str]) -> str:
        """Run a block and give it back with what it prints now."""
        kind, body = block["kind"], block["body"]
        if kind == "python":
            said = io.StringIO()
            with plain_terminal(), contextlib.redirect_stdout(said):
                exec(compile(body, "<docs>", "exec"), self.names)
            self.printed = _tidy(said.getvalue())
        elif kind == "console":
            body = "".join(self._shown(line) for line in body.splitlines() if line.startswith("$"))
        else:
            body = f"{self.printed}\n"
        return f"```{kind}\n{body}```"

    def _shown(self, line: str) -> str:
        if line == "$ echo $?":
            said = str(self.code)
        else:
            said, self.code = run_command(line.removeprefix("$ "))
        return f"{line}\n{said}\n" if said else f"{line}\n"


def refreshed(page: str, folder: Path) -> str:
    """Run the blocks of a page in `folder` and give the page with what they print now."""
    blocks = Page()
    with contextlib.chdir(folder):
        return BLOCK.sub(blocks.run, page)


def verbs() -> list[str]:
    """Name the verbs of the command line, in its order."""
    from bestrand.cli import app

    return [command.callback.__name__ for command in app.registered_commands if command.callback]


def cli_page() -> str:
    """Write the page of help texts."""
    parts = [
        f"# Command line\n\n<!-- rendered by typer {version('typer')} -->\n\n"
        "What `--help` prints, for the program and for each verb. Written by `scripts/docs.py`.\n"
    ]
    for verb in ("", *verbs()):
        said, code = run_command(f"bestrand {verb} --help")
        if code:
            raise RuntimeError(f"`bestrand {verb} --help` failed: {said}")
        title = f"bestrand {verb}".strip()
        guide = f"[Guide](guide/{verb}.md)\n\n" if verb else ""
        parts.append(f"\n## {title}\n\n{guide}```text\n{said}\n```\n")
    return "".join(parts)


def schema_files() -> dict[str, str]:
    """Write the JSON Schema of each contract; name -> text."""
    from bestrand.reporting.json.schemas import CONTRACTS, schema_of

    return {name: json.dumps(schema_of(name), indent=2) + "\n" for name in CONTRACTS}


def generated() -> dict[Path, str]:
    """Give all files that are written whole."""
    schemas = {DOCS / "schemas" / f"{name}.json": text for name, text in schema_files().items()}
    return {DOCS / "cli.md": cli_page(), **schemas}


def check() -> list[str]:
    """Name what differs from the code; help texts only under the typer that rendered them."""
    stale = []
    for path, text in generated().items():
        there = path.read_text(encoding="utf-8") if path.exists() else ""
        if there == text:
            continue
        stamp = STAMP.search(there)
        if stamp and stamp[1] != version("typer"):
            print(f"{path.relative_to(ROOT)}: rendered by typer {stamp[1]}, not compared")
            continue
        stale.append(f"{path.relative_to(ROOT)} differs from the code")
    others = {path.stem for path in (DOCS / "schemas").glob("*.json")} - set(schema_files())
    return stale + [f"docs/schemas/{name}.json is of no contract" for name in sorted(others)]


def changes(old: str, new: str) -> list[str]:
    """List the lines that differ, each as "old -> new"; "nothing" where a line came or went."""
    before, after = old.splitlines(), new.splitlines()
    found = []
    for kind, i, j, k, m in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind != "equal":
            pairs = zip_longest(before[i:j], after[k:m], fillvalue="nothing")
            found += [f"{one.strip()} -> {other.strip()}" for one, other in pairs]
    return found


def rewrite(path: Path, text: str) -> None:
    """Write a page where it differs, and print the page and its lines that change."""
    there = path.read_text(encoding="utf-8") if path.exists() else ""
    if there == text:
        return
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    print(path.relative_to(ROOT))
    for line in changes(there, text):
        print(f"  {line}")


def write() -> None:
    """Write all generated files, and the outputs in the pages; print every line that changes."""
    for path, text in generated().items():
        rewrite(path, text)
    for path in sorted(DOCS.rglob("*.md")):
        page = path.read_text(encoding="utf-8")
        if BLOCK.search(page):
            with tempfile.TemporaryDirectory() as folder:
                rewrite(path, refreshed(page, Path(folder)))


def main() -> int:
    """Write, or compare."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare, and exit with 1 if stale")
    if not parser.parse_args().check:
        write()
        return 0
    stale = check()
    for line in stale:
        print(f"{line}. Run python scripts/docs.py")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())

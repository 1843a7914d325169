"""The documentation: what it shows is what happens, and every name has its place in it."""

import inspect
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from scripts import docs
from scripts.docs import BLOCK, DOCS, ROOT, refreshed, verbs

import bestrand
from bestrand import errors
from bestrand.core.manifest import Manifest
from bestrand.methods import DESIGNS, ESTIMATORS
from bestrand.reporting.json.schemas import CONTRACTS, schema_of


PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
FENCE = re.compile(r"^```(.*)$", re.MULTILINE)
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#{1,6} +(.+)$", re.MULTILINE)
GUIDE = ("On the command line", "In Python", "Options that matter", "Bad inputs", "Exit codes")
METHOD = ("Assumes", "Fails when", "Costs", "Reference")
METHODS = [method.__name__ for method in [*DESIGNS.values(), *ESTIMATORS.values()]]


def where(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def prose(page: str) -> str:
    """Give a page without its blocks of code."""
    return re.sub(r"^```.*?^```$", "", page, flags=re.MULTILINE | re.DOTALL)


def headings(page: str) -> list[str]:
    return HEADING.findall(prose(page))


def anchors(page: str) -> set[str]:
    """Give the anchors of a page's headings, as Markdown makes them."""
    words = [re.sub(r"[^\w\s-]", "", heading).strip().lower() for heading in headings(page)]
    return {re.sub(r"[-\s]+", "-", word) for word in words}


def runs_long(path: Path) -> bool:
    return where(path) in ("docs/guide/demo.md", "docs/guide/study.md")


WITH_BLOCKS = [
    pytest.param(path, marks=pytest.mark.slow if runs_long(path) else (), id=where(path))
    for path in PAGES
    if BLOCK.search(read(path))
]


@pytest.mark.parametrize("path", WITH_BLOCKS)
def test_blocks_run_and_print_what_the_page_shows(path: Path, tmp_path: Path) -> None:
    page = read(path)

    assert refreshed(page, tmp_path) == page  # `python scripts/docs.py` writes what is printed now


def test_a_page_written_anew_says_which_lines_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(docs, "ROOT", tmp_path)
    page = tmp_path / "page.md"
    page.write_text("# Page\n\nerror 0.12\nwidth 0.30\n")
    docs.rewrite(page, page.read_text())
    unchanged = capsys.readouterr().out
    docs.rewrite(page, "# Page\n\nerror 0.13\nwidth 0.30\nlast\n")

    assert unchanged == ""
    assert capsys.readouterr().out.splitlines() == [
        "page.md",
        "  error 0.12 -> error 0.13",
        "  nothing -> last",
    ]


@pytest.mark.parametrize("path", PAGES, ids=where)
def test_every_block_is_of_a_known_kind(path: Path) -> None:
    opened = FENCE.findall(read(path))[::2]
    known = {"python", "console", "text", 'text title="Output"', "sh", "toml"}

    assert set(opened) <= known


def test_what_is_written_from_the_code_is_up_to_date() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "docs.py"), "--check"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("path", PAGES, ids=where)
def test_links_lead_somewhere(path: Path) -> None:
    broken = []
    for link in LINK.findall(prose(read(path))):
        if link.startswith(("https://", "http://")):
            continue
        name, _, anchor = link.partition("#")
        goal = (path.parent / name).resolve() if name else path
        if not goal.exists() or (anchor and anchor not in anchors(read(goal))):
            broken.append(link)

    assert broken == []


@pytest.mark.parametrize("path", PAGES, ids=where)
def test_lines_of_prose_are_short_enough_to_read_as_text(path: Path) -> None:
    lines = prose(read(path)).splitlines()

    assert [line for line in lines if len(line) > 200 and not line.lstrip().startswith("|")] == []


def test_links_are_found() -> None:
    assert all(LINK.findall(prose(read(path))) for path in (ROOT / "README.md", DOCS / "index.md"))


@pytest.mark.parametrize("verb", verbs())
def test_every_verb_has_a_guide_and_its_help(verb: str) -> None:
    page = read(DOCS / "guide" / f"{verb}.md")

    assert page.startswith(f"# {verb}\n\n**What it answers:**")
    assert [heading for heading in headings(page) if heading in GUIDE] == list(GUIDE)
    assert f"$ bestrand {verb}" in page
    assert f"bestrand {verb}" in headings(read(DOCS / "cli.md"))


def test_every_guide_is_of_a_verb_or_of_texts() -> None:
    assert {path.stem for path in (DOCS / "guide").glob("*.md")} == {*verbs(), "texts"}


def test_every_public_name_is_in_the_reference() -> None:
    pages = [read(path) for path in (DOCS / "reference").glob("*.md")]
    shown = {
        name.rpartition(".")[2]
        for page in pages
        for name in re.findall(r"^::: (bestrand\.\S+)$", page, re.MULTILINE)
    }
    public = {
        name
        for name in dir(bestrand)
        if not name.startswith("_") and not inspect.ismodule(getattr(bestrand, name))
    }
    index = read(DOCS / "reference" / "index.md")

    assert public
    assert public - shown == set()
    assert {name for name in public if f"`{name}`" not in index} == set()


@pytest.mark.parametrize("name", METHODS)
def test_every_method_has_a_page_with_the_four_headings(name: str) -> None:
    pages = {headings(read(path))[0]: path for path in (DOCS / "methods").glob("*.md")}
    found = headings(read(pages[name]))

    assert [heading for heading in found if heading in METHOD] == list(METHOD)
    assert f"[{name}]({pages[name].name})" in read(DOCS / "methods" / "index.md")


def test_the_tree_of_errors_is_that_of_the_code() -> None:
    tree = (errors.__doc__ or "").split("```")[1].strip("\n")

    assert tree in read(DOCS / "errors.md")


def test_every_field_of_a_manifest_is_in_its_table() -> None:
    page = read(DOCS / "formats" / "manifest.md")

    assert [name for name in Manifest.model_fields if f"\n| `{name}` |" not in page] == []


@pytest.mark.parametrize("name", CONTRACTS)
def test_every_contract_has_a_schema_that_the_page_links(name: str) -> None:
    page = read(DOCS / "formats" / "json.md")

    assert f"(../schemas/{name}.json)" in page
    assert json.loads(read(DOCS / "schemas" / f"{name}.json")) == schema_of(name)


@pytest.mark.parametrize("name", [name for name in CONTRACTS if name != "manifest"])
def test_every_key_of_a_contract_is_named(name: str) -> None:
    section = read(DOCS / "formats" / "json.md").split(f"\n## {name}\n")[1].split("\n## ")[0]
    schema = schema_of(name)
    keys = {*schema["properties"]}
    for part in schema["$defs"].values():
        keys |= {*part.get("properties", ())}

    assert sorted(key for key in keys - {"code", "text"} if f"`{key}`" not in section) == []

"""The laws of the house: data flows one way, modules are small, and importing does nothing."""

import ast
import importlib
import inspect
import subprocess
import sys
from collections.abc import Callable, Iterator
from graphlib import TopologicalSorter
from pathlib import Path
from typing import get_args

import pytest
import typer

import bestrand
from bestrand.cli import VERBS, app
from bestrand.cli.options import DesignWord, EstimatorWord
from bestrand.methods import DESIGNS, ESTIMATORS


ROOT = Path(bestrand.__file__).parent
MODULES = sorted(ROOT.rglob("*.py"))
# Every room may import from those before it, and from itself.
ROOMS = (
    "errors",
    "types",
    "notes",
    "record",
    "version",
    "settings",
    "files",
    "rng",
    "ids",
    "stats",
    "search",
    "core",
    "reading",
    "harnesses",
    "designs",
    "estimators",
    "methods",
    "steps",
    "planning",
    "data",
    "study",
    "reporting",
    "__init__",
    "cli",
)
LEVEL = {room: level for level, room in enumerate(ROOMS)}
MOST_LINES = 400
HEAVY = (
    "numba",
    "sklearn",
    "altair",
    "torch",
    "pandas",
    "jinja2",
    "vl_convert",
    "distributed",
    "dask",
)
PUBLIC = [name for name in dir(bestrand) if not name.startswith("_")]
OFFERED = [
    name
    for name in PUBLIC
    if not inspect.ismodule(getattr(bestrand, name)) and name != "STRATEGIES"
]
AT_THE_DOOR = ("numpy", "polars", "scipy", "pydantic", "typer", *HEAVY)


def where(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def dotted(path: Path) -> str:
    """Give a module's full name, that of a package for its `__init__`."""
    parts = ["bestrand", *path.relative_to(ROOT).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


NAMES = {dotted(path) for path in MODULES}


def imports(path: Path) -> Iterator[str]:
    """Give the full names of all modules that a module imports, at its top or anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{where(path)}:{node.lineno} imports by a relative name"
            module = node.module or ""
            for alias in node.names:
                inner = f"{module}.{alias.name}"
                yield inner if inner in NAMES else module


def room_of(name: str) -> str:
    """Give the room of a module's full name."""
    return name.split(".")[1] if "." in name else "__init__"


def ours(path: Path) -> set[str]:
    return {name for name in imports(path) if name.split(".")[0] == "bestrand"}


@pytest.mark.parametrize("path", MODULES, ids=where)
def test_no_room_imports_from_a_room_downstream(path: Path) -> None:
    level = LEVEL[room_of(dotted(path))]
    back = sorted(name for name in ours(path) if LEVEL[room_of(name)] > level)

    assert back == []


def test_no_module_imports_itself_in_a_circle() -> None:
    order = TopologicalSorter({dotted(path): ours(path) - {dotted(path)} for path in MODULES})

    order.prepare()  # raises CycleError where there is a circle


def test_every_room_has_its_place_in_the_flow() -> None:
    assert {room_of(dotted(path)) for path in MODULES} == set(ROOMS)


@pytest.mark.parametrize("path", MODULES, ids=where)
def test_no_module_is_too_long(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= MOST_LINES


@pytest.mark.parametrize("path", MODULES, ids=where)
def test_nothing_is_unpickled_and_nothing_goes_over_the_network(path: Path) -> None:
    banned = {"pickle", "dill", "joblib", "marshal", "shelve", "socket", "urllib", "http"}
    banned |= {"requests", "httpx", "aiohttp", "urllib3", "ftplib", "smtplib", "ssl"}

    assert banned & {name.split(".")[0] for name in imports(path)} == set()


@pytest.mark.parametrize("path", MODULES, ids=where)
def test_chance_comes_from_streams_alone(path: Path) -> None:
    used = {name.split(".")[0] for name in imports(path)}
    allowed = {"secrets"} if where(path) == "files.py" else set()  # for a file's passing name

    assert used & {"random", "secrets", "uuid"} <= allowed


def loaded_by(code: str, names: tuple[str, ...]) -> str:
    """Give those of the libraries that a piece of code loads, and what else it prints."""
    done = subprocess.run(
        [
            sys.executable,
            "-W",
            "error",
            "-c",
            f"import sys; {code}\nprint([m for m in {names} if m in sys.modules])",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip() + done.stderr


def test_importing_prints_nothing_and_loads_nothing() -> None:
    assert loaded_by("import bestrand", AT_THE_DOOR) == "[]"


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["select", "--help"]])
def test_help_loads_no_arrays_no_tables_and_no_methods(words: list[str]) -> None:
    code = f"""
from contextlib import suppress
from bestrand.cli import main
with suppress(SystemExit):
    main({words})
"""
    names = ("numpy", "polars", "scipy", "rich", "bestrand.methods", *HEAVY)
    typers = ("pydantic",) if len(words) == 1 else ()  # typer parses options of verbs with it

    assert loaded_by(code, names + typers).splitlines()[-1] == "[]"


def test_the_choices_of_the_command_line_are_the_methods() -> None:
    assert get_args(DesignWord) == tuple(sorted(DESIGNS))  # add a new word to cli/options.py
    assert get_args(EstimatorWord) == tuple(sorted(ESTIMATORS))


def test_every_verb_fits_a_screen() -> None:
    """The body of a verb, below its options, has at most 60 lines."""
    long = []
    for verb in VERBS:
        tree = ast.parse(inspect.getsource(verb)).body[0]
        assert isinstance(tree, ast.FunctionDef)
        if (tree.end_lineno or 0) - tree.body[0].lineno >= 60:
            long.append(verb.__name__)

    assert long == []


def test_an_estimate_loads_neither_search_nor_clusters_nor_charts() -> None:
    code = """
import bestrand as br
scores = br.data.load("blink_val")
subset = br.select(scores.frame(), 40, design=br.SimpleRandom())
br.estimate(scores, subset, probes=scores.matrix().take_models(scores.models[:5]))
"""

    assert loaded_by(code, HEAVY) == "[]"


def test_the_door_names_what_is_loaded_when_it_is_used() -> None:
    tree = ast.parse((ROOT / "__init__.pyi").read_text(encoding="utf-8"))
    lines = [node for node in tree.body[1:] if isinstance(node, ast.ImportFrom)]
    names = [(node.module or "", alias.name) for node in lines for alias in node.names]

    assert len(lines) == len(tree.body) - 1
    assert all(alias.name == alias.asname for node in lines for alias in node.names)
    assert names == sorted(names)
    assert sorted(name for _, name in names) == sorted(dir(bestrand))


@pytest.mark.parametrize("name", dir(bestrand))
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(bestrand, name) is not None


def test_functions_are_not_hidden_by_modules() -> None:
    for path in MODULES:
        importlib.import_module(dotted(path))

    assert [
        name for name in ("report", "select", "estimate") if not callable(getattr(bestrand, name))
    ] == []


def test_every_method_is_exported_by_its_package() -> None:
    for package, methods in ((bestrand.designs, DESIGNS), (bestrand.estimators, ESTIMATORS)):
        assert {each.__name__ for each in methods.values()} <= set(dir(package))


@pytest.mark.parametrize("name", OFFERED)
def test_every_public_name_says_what_it_is(name: str) -> None:
    offered = getattr(bestrand, name)
    members = {
        member: value
        for member, value in vars(offered).items()
        if not member.startswith("_") and (callable(value) or isinstance(value, property))
    }

    assert inspect.getdoc(offered)
    assert [member for member, value in members.items() if not inspect.getdoc(value)] == []


def words_of(offered: Callable[..., object]) -> Iterator[str]:
    """Give every name that a public object shows: its members, fields and parameters."""
    yield from inspect.signature(offered).parameters
    if inspect.isclass(offered):
        for base in offered.__mro__:
            if base.__module__.split(".")[0] == "bestrand":
                yield from inspect.get_annotations(base)
                for member, value in vars(base).items():
                    yield member
                    if inspect.isfunction(value):
                        yield from inspect.signature(value).parameters


def test_no_public_name_speaks_of_samples() -> None:
    words = {name: [name, *words_of(getattr(bestrand, name))] for name in OFFERED}
    command = typer.main.get_command(app)
    options = [
        parameter.name or ""
        for verb in getattr(command, "commands").values()  # noqa: B009
        for parameter in verb.params
    ]

    spoken = [(name, word) for name in words for word in words[name] if "sample" in word.lower()]
    assert spoken == []
    assert [word for word in options if "sample" in word] == []

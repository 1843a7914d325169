"""What all verbs share: options, where output goes, and reading scores as the user asks."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from bestrand.core.scores import ScoreTable
from bestrand.errors import ArgumentError
from bestrand.methods import DESIGNS, ESTIMATORS
from bestrand.reading.scores import read_scores


WHOLE = 100_000  # columns: more than any table needs

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from bestrand.notes import Note


JsonOption = Annotated[
    bool,
    typer.Option("--json", help="Print one JSON object on stdout, and nothing else."),
]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]
ForceOption = Annotated[
    bool, typer.Option("--force", help="Replace what stands at the output already.")
]
ChartOption = Annotated[
    Path | None,
    typer.Option("--chart", metavar="FILE", help="Draw it too: .svg, .png, .pdf or .html."),
]
MetricOption = Annotated[
    str | None,
    typer.Option("--metric", help="Which metric; the main one unless given."),
]
RangeOption = Annotated[
    list[str] | None,
    typer.Option(
        "--range",
        metavar="[METRIC=]LOW:HIGH",
        help="Lowest and highest score possible, where scores are not on 0..1; 0: for costs.",
    ),
]
ColumnOption = Annotated[
    list[str] | None,
    typer.Option(
        "--column",
        metavar="ROLE=NAME",
        help="Column of a role (item, model, score, group, task, weight, metric, status, error, "
        "filter, document). aside=NAME leaves a column, model or item out; keep=NAME keeps one "
        "that looks like a summary of the others or a fact about items.",
    ),
]
DuplicatesOption = Annotated[
    Literal["error", "mean", "first", "last"],
    typer.Option("--duplicates", help="What to do with scores of one item that clash."),
]
ErrorsOption = Annotated[
    Literal["keep", "zero", "missing", "refuse"],
    typer.Option(
        "--errors",
        help="What a row with an error, or a status not known, counts as: keep takes its score as "
        "it stands, with a note; zero: 0; missing: errored, without a score; refuse: stop.",
    ),
]
WeightsOption = Annotated[
    Literal["micro", "macro", "explicit"] | None,
    typer.Option(
        "--weights",
        help="micro: every item the same; macro: every group; explicit: the `weight` column, "
        "which is the default where there is one.",
    ),
]
SeedOption = Annotated[int, typer.Option("--seed", help="The one source of chance.")]
MissingOption = Annotated[
    Literal["error", "zero", "omit"],
    typer.Option("--missing", help="What to do where a target has no score on a chosen item."),
]
LeaveOutOption = Annotated[
    Literal["error", "models", "items"],
    typer.Option(
        "--missing",
        help="What to do where scores are missing: stop, leave out the models that lack some, or "
        "the items on which some model lacks one.",
    ),
]
LevelOption = Annotated[float, typer.Option("--level", help="Confidence level of the intervals.")]
LowerOption = Annotated[
    bool, typer.Option("--lower-is-better", help="A lower score is a better one, as of costs.")
]
# the words of the registries, as choices on the command line
DesignWord = StrEnum("DesignWord", {word: word for word in sorted(DESIGNS)})  # type: ignore[misc]
EstimatorWord = StrEnum("EstimatorWord", {word: word for word in sorted(ESTIMATORS)})  # type: ignore[misc]
EstimatorOption = Annotated[
    EstimatorWord | None,
    typer.Option(
        "--estimator",
        help="How to estimate; unless given, what fits the design and the scores at hand.",
        show_default=False,
    ),
]
ProbesFileOption = Annotated[
    list[str] | None,
    typer.Option(
        "--probes",
        metavar="PROBES",
        help="Scores of the probes; they make the intervals narrower.",
    ),
]
ScoresArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="SCORES...",
        help="Files or folders of scores; NAME=FILE names the model of a file, and files of one "
        "NAME are parts of its run.",
        show_default=False,
    ),
]


def wants_traceback(words: Sequence[str]) -> bool:
    """Whether the user asked to see where an error came from."""
    return "--traceback" in words or os.environ.get("BESTRAND_TRACEBACK", "") not in ("", "0")


def _print_version(wanted: bool) -> None:  # noqa: FBT001 - typer calls it
    if wanted:
        from importlib.metadata import version

        typer.echo(f"bestrand {version('bestrand')}")
        raise typer.Exit


def global_options(
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version and leave.", is_eager=True, callback=_print_version
        ),
    ] = False,
    traceback: Annotated[
        bool, typer.Option("--traceback", help="On an error, show where it came from.")
    ] = False,
) -> None:
    """Run a fraction of a benchmark, know the full score, and know how wrong you can be."""


@dataclass(frozen=True, slots=True)
class Output:
    """Where a verb speaks: people read tables, programs read JSON, `--quiet` reads nothing."""

    as_json: bool
    quiet: bool

    @property
    def for_people(self) -> bool:
        """Whether to print tables and words."""
        return not (self.as_json or self.quiet)

    def console(self) -> "Console":
        """Give the console for people, on stdout."""
        from rich.console import Console

        return Console(highlight=False)

    def show(self, tables: "RenderableType") -> None:
        """Print tables and words for people; where no terminal cuts them, tables are whole."""
        if not self.for_people:
            return
        console = self.console()
        if not console.is_terminal:
            console.width = max(console.width, _width_of(tables, console))
        console.print(tables)

    def json(self, text: str) -> None:
        """Print the JSON object, if it was asked for."""
        if self.as_json:
            typer.echo(text.rstrip("\n"))

    def notes(self, notes: "Sequence[Note]") -> None:
        """Print notes for people."""
        if self.for_people and notes:
            from rich.markup import escape

            for note in notes:
                self.console().print(f"[yellow]note[/] {escape(note.text)}")


def listed(names: Sequence[str], limit: int = 3) -> str:
    """Write the first names as they are, and how many there are beyond them."""
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return f"{', '.join(names[:limit])}{more}"


def fail_gate(verb: str, failures: Sequence[str]) -> None:
    """Say on one line why a gate that was asked for was not met, and exit with 1; else go on."""
    if failures:
        typer.echo(f"bestrand {verb}: {'. '.join(failures)}.", err=True)
        raise typer.Exit(1)


def _width_of(tables: "RenderableType", console: "Console") -> int:
    """Give the width of the widest table that has borders; others wrap and lose nothing."""
    from rich.console import Group
    from rich.table import Table

    if isinstance(tables, Group):
        return max((_width_of(part, console) for part in tables.renderables), default=0)
    if isinstance(tables, Table) and tables.box is not None:
        wide = console.options.update(width=WHOLE)
        return console.measure(tables, options=wide).maximum
    return 0


def read_for_cli(
    paths: Sequence[str],
    *,
    metric: str | Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    ranges: Sequence[str] | None = None,
    duplicates: Literal["error", "mean", "first", "last"] = "error",
    errors: Literal["keep", "zero", "missing", "refuse"] = "keep",
) -> ScoreTable:
    """Read scores as the options of a verb say."""
    return read_scores(
        _paths(paths),
        metric=metric,
        columns=columns_of(columns),
        bounds=_bounds(ranges or ()),
        duplicates=duplicates,
        errors=errors,
    )


def _paths(paths: Sequence[str]) -> list[Path] | dict[str, list[Path]]:
    """Take NAME=PATH apart, unless a file of that very name exists; one NAME may have several."""
    named: dict[str, list[Path]] = {}
    for word in paths:
        if "=" in word and not Path(word).exists():
            name, _, path = word.partition("=")
            named.setdefault(name, []).append(Path(path))
    if not named:
        return [Path(word) for word in paths]
    if sum(map(len, named.values())) < len(paths):
        raise ArgumentError(
            "Name every file, as in NAME=PATH, or none of them. Files of one NAME are parts of one "
            "model's run."
        )
    return named


def columns_of(words: Sequence[str] | None) -> dict[str, str | list[str]]:
    """Take `--column` apart: role -> column name; `aside` and `keep` have a list of names."""
    columns: dict[str, str | list[str]] = {}
    for word in words or ():
        if "=" not in word:
            raise ArgumentError(f"`--column` must be ROLE=NAME, got {word!r}.")
        role, name = word.split("=", 1)
        columns[role] = [*columns.get(role, []), name] if role in ("aside", "keep") else name
    return columns


def _bounds(
    words: Sequence[str],
) -> tuple[float, float] | dict[str, tuple[float, float]] | None:
    by_metric: dict[str, tuple[float, float]] = {}
    for word in words:
        metric, _, span = word.rpartition("=")
        low, colon, high = span.partition(":")
        if metric in by_metric:
            whose = f"of metric {metric!r} " if metric else ""
            raise ArgumentError(f"`--range` {whose}was given twice. Give one of them.")
        try:
            by_metric[metric] = (float(low or "-inf"), float(high or "inf"))
        except ValueError:
            colon = ""
        if not colon:
            raise ArgumentError(
                "`--range` must be [METRIC=]LOW:HIGH, or LOW: without an upper bound, got "
                f"{word!r}."
            )
    if "" in by_metric:
        if len(by_metric) > 1:
            raise ArgumentError("Give one `--range` for all metrics, or one for each by name.")
        return by_metric[""]
    return by_metric or None

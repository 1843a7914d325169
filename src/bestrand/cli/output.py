"""The options of output, and what verbs print and write."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

import typer

import bestrand as br
from bestrand.cli.options import (
    ChartOption,
    ForceOption,
    JsonOption,
    ManifestOption,
    QuietOption,
)
from bestrand.errors import ArgumentError


if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from bestrand.core.manifest import Manifest
    from bestrand.core.scores import ScoreTable
    from bestrand.notes import Note
    from bestrand.planning.backtest import Backtest
    from bestrand.planning.diagnosis import Diagnosis
    from bestrand.planning.plan import Plan
    from bestrand.stats.random_items import RandomItems


STDOUT = "-"  # as a place to write to
WHOLE = 100_000  # columns: more than any table needs


class Report(Protocol):
    """A JSON contract with notes."""

    @property
    def notes(self) -> "Sequence[Note]":
        """What its readers should know."""

    def to_json(self) -> str:
        """Return it as JSON."""


R = TypeVar("R", bound=Report)


@dataclass(frozen=True, slots=True)
class Output:
    """What a verb prints: tables for people, JSON for programs, or nothing with `--quiet`."""

    as_json: JsonOption = False
    quiet: QuietOption = False

    @property
    def for_people(self) -> bool:
        """Whether to print tables and words."""
        return not (self.as_json or self.quiet)

    def console(self) -> "Console":
        """Return the console for people, on stdout."""
        from rich.console import Console

        return Console(highlight=False)

    def report(self, report: R, tables: "Callable[[R], RenderableType]") -> None:
        """Print a report: its JSON, or its tables and notes."""
        self.json(report.to_json())
        if self.for_people:
            self.show(tables(report))
            self.notes(report.notes)

    def show(self, tables: "RenderableType") -> None:
        """Print tables and words for people; where no terminal cuts them, tables are whole."""
        if not self.for_people:
            return
        console = self.console()
        if not console.is_terminal:
            console.width = max(console.width, _width_of(tables, console))
        console.print(tables)

    def say(self, text: str) -> None:
        """Print a line for people."""
        if self.for_people:
            typer.echo(text)

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


@dataclass(frozen=True, slots=True)
class ManifestOutput(Output):
    """Where a verb writes a manifest, and what it prints of it.

    Attributes:
        output: file of the manifest; None: it is not written.
        force: replace an existing file.
    """

    output: ManifestOption = None
    force: ForceOption = False

    @property
    def to_stdout(self) -> bool:
        """Whether the manifest is written to stdout, and nothing else is."""
        return is_stdout(self.output)

    @property
    def for_people(self) -> bool:
        """Whether to print tables and words."""
        return not (self.as_json or self.quiet or self.to_stdout)

    def check(self) -> None:
        """Refuse two things on stdout, before anything is computed.

        Raises:
            ArgumentError: `-o -` and `--json` were given.
        """
        if self.to_stdout and self.as_json:
            raise ArgumentError("`-o -` and `--json` both write to stdout. Give one of them.")

    def manifest(
        self,
        made: "Manifest",
        notes: "Sequence[Note]",
        worth: "Callable[[], RandomItems | None]" = lambda: None,
    ) -> None:
        """Write a manifest and print it.

        Args:
            made: a pool or a subset.
            notes: on what was read.
            worth: how many random items err as little; called only if it is printed.
        """
        from bestrand.planning.costs import costs
        from bestrand.reporting.tables.terminal import manifest_table
        from bestrand.reporting.worth import printed

        self.check()
        if self.to_stdout:
            write_stdout(made.to_json().encode())
        elif self.output is not None:
            made.write(self.output, force=self.force)
        if self.as_json or self.for_people:
            equals = worth()
            self.json(printed(made, equals, tuple(notes)).to_json())
            if self.for_people:
                self.show(manifest_table(made, self.output, costs(made, worth=equals), equals))
        every = [*notes, *made.notes]
        self.notes(every)
        if self.to_stdout and not self.quiet:
            for note in every:
                typer.echo(f"note {note.text}", err=True)


@dataclass(frozen=True, slots=True)
class ChartOutput:
    """Where a verb writes a chart.

    Attributes:
        chart: file of the chart; None: none is drawn.
        force: replace an existing file.
    """

    chart: ChartOption = None
    force: ForceOption = False

    def check(self) -> None:
        """Refuse a path that no chart can be written to, before anything is computed."""
        if self.chart is not None:
            from bestrand.reporting.charts.write import check_chart

            check_chart(self.chart)

    def draw(
        self,
        seen: "Diagnosis | Plan | Backtest",
        scores: "ScoreTable | None" = None,
        *,
        seed: int = 0,
    ) -> None:
        """Draw and write the chart, if it was asked for; see `bestrand.chart`."""
        if self.chart is not None:
            br.write_chart(br.chart(seen, scores, seed=seed), self.chart, force=self.force)


def is_stdout(output: Path | None) -> bool:
    """Whether a place to write to is stdout, as in `-o -`."""
    return output is not None and str(output) == STDOUT


def write_stdout(content: bytes) -> None:
    """Write bytes to stdout as they are."""
    stream = typer.get_binary_stream("stdout")
    stream.write(content)
    stream.flush()


def refuse_stdout(output: Path | None, what: str) -> None:
    """Require a place on disk.

    Raises:
        ArgumentError: it is `-`.
    """
    if is_stdout(output):
        raise ArgumentError(f"`-o -`: {what} is not written to stdout. Name a place on disk.")


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
    """Return the width of the widest table that has borders; others wrap and lose nothing."""
    from rich.console import Group
    from rich.table import Table

    if isinstance(tables, Group):
        return max((_width_of(part, console) for part in tables.renderables), default=0)
    if isinstance(tables, Table) and tables.box is not None:
        wide = console.options.update(width=WHOLE)
        return console.measure(tables, options=wide).maximum
    return 0

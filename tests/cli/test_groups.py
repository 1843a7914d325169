"""Groups of options become single options of a verb."""

import inspect
from dataclasses import dataclass
from typing import Annotated

import pytest
import typer

from bestrand.cli.groups import with_groups


@dataclass(frozen=True, slots=True)
class Base:
    """A group."""

    shared: Annotated[int, typer.Option("--shared")] = 1


@dataclass(frozen=True, slots=True)
class Own(Base):
    """A group that extends another."""

    own: Annotated[str | None, typer.Option("--own")] = None


def test_a_group_is_given_as_one_value(capsys: pytest.CaptureFixture[str]) -> None:
    def verb(
        word: str, *, group: Own, last: Annotated[bool, typer.Option("--last")] = False
    ) -> None:
        """Print what it got."""
        typer.echo(f"{word} {group.shared} {group.own} {last}")

    made = with_groups(verb)
    app = typer.Typer()
    app.command()(made)
    app(["a", "--own", "b", "--shared", "3", "--last"], standalone_mode=False)
    app(["a"], standalone_mode=False)

    assert capsys.readouterr().out.splitlines() == ["a 3 b True", "a 1 None False"]
    assert list(inspect.signature(made).parameters) == ["word", "own", "shared", "last"]
    assert (made.__name__, made.__doc__) == ("verb", "Print what it got.")

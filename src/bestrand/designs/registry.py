"""All designs, by the names that manifests and the command line know."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from bestrand.designs.base import Design
from bestrand.designs.balanced import Balanced
from bestrand.designs.best_rand import BestRand
from bestrand.designs.cube import Cube
from bestrand.designs.history import History
from bestrand.designs.simple_random import SimpleRandom
from bestrand.designs.stratified import Stratified
from bestrand.errors import ArgumentError, DesignError
from bestrand.notes import shown


# word on the command line -> design
DESIGNS: dict[str, type[Design]] = {
    "balanced": Balanced,
    "bestrand": BestRand,
    "cube": Cube,
    "history": History,
    "random": SimpleRandom,
    "stratified": Stratified,
}


def design_of(name: str, parameters: Mapping[str, Any]) -> Design:
    """Make the design that a manifest names, with the settings that it holds.

    Raises:
        DesignError: this version knows no design of that name.
    """
    for design in DESIGNS.values():
        if design.__name__ == name:
            known = {field.name for field in fields(design)}  # type: ignore[arg-type]
            return design(**{key: value for key, value in parameters.items() if key in known})
    raise DesignError(f"This bestrand knows no design {name!r}. Install the version that wrote it.")


def make_design(word: str, **settings: Any) -> Design:  # noqa: ANN401
    """Make the design of a word on the command line; settings that are None stay as they are.

    Raises:
        ArgumentError: a setting that this design does not have.
    """
    design = DESIGNS[word]
    known = {field.name for field in fields(design)}  # type: ignore[arg-type]
    given = {key: value for key, value in settings.items() if value is not None}
    unknown = sorted(set(given) - known)
    if unknown:
        raise ArgumentError(
            f"Design {word!r} has no setting {shown(unknown)}; it has {shown(sorted(known))}."
        )
    return design(**given)

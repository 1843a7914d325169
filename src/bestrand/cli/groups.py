"""Options in groups: a dataclass of options becomes single options of every verb that takes it."""

import dataclasses
import inspect
from collections.abc import Callable, Iterator
from functools import update_wrapper
from inspect import Parameter
from typing import Any, get_type_hints


def with_groups(verb: Callable[..., None]) -> Callable[..., None]:
    """Return a verb as typer must see it: in place of each group, its options.

    A group is a parameter annotated with a dataclass whose fields are `Annotated` as typer wants
    it. Fields of a subclass come before those of its base.

    Args:
        verb: a function whose parameters are options, arguments and groups.
    """
    hints = get_type_hints(verb, include_extras=True)
    groups: dict[str, type[Any]] = {}
    single: list[Parameter] = []
    for name, parameter in inspect.signature(verb).parameters.items():
        if dataclasses.is_dataclass(hints[name]):
            groups[name] = hints[name]
            single += _options_of(hints[name])
        else:
            single.append(parameter.replace(annotation=hints[name]))

    def call(**given: Any) -> None:  # noqa: ANN401 - of as many types as there are options
        for name, group in groups.items():
            fields = [field.name for field in dataclasses.fields(group)]
            given[name] = group(**{field: given.pop(field) for field in fields})
        verb(**given)

    update_wrapper(call, verb, assigned=("__module__", "__name__", "__qualname__", "__doc__"))
    call.__annotations__ = {parameter.name: parameter.annotation for parameter in single}
    vars(call)["__signature__"] = inspect.Signature(single)
    return call


def _options_of(group: type[Any]) -> Iterator[Parameter]:
    """Return the fields of a dataclass as keyword parameters, those of the subclass first."""
    hints = get_type_hints(group, include_extras=True)
    fields = {field.name: field for field in dataclasses.fields(group)}
    own_first = [name for part in group.__mro__ for name in inspect.get_annotations(part)]
    for name in own_first:
        if name in fields:
            default = fields[name].default
            kept = Parameter.empty if default is dataclasses.MISSING else default
            yield Parameter(name, Parameter.KEYWORD_ONLY, default=kept, annotation=hints[name])

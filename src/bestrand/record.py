"""Records: results that are frozen and are their own JSON contract."""

import inspect
import json
import re
from dataclasses import is_dataclass
from functools import cache
from typing import Annotated, Any, ClassVar

from pydantic import ConfigDict, Field, TypeAdapter, WithJsonSchema
from pydantic.fields import FieldInfo


# a number that may be unknown: nan in Python, null in JSON
MaybeNumber = Annotated[
    float, WithJsonSchema({"anyOf": [{"type": "number"}, {"type": "null"}]}, mode="serialization")
]

HIDDEN: Any = Field(exclude=True)  # a field that JSON leaves out: Annotated[int, HIDDEN]

_ATTRIBUTE = re.compile(r"^    (\w+): (.*(?:\n     .*|\n(?=\n     ))*)", re.MULTILINE)


def as_key(name: str) -> Any:  # noqa: ANN401
    """Return a field another name in JSON.

    Examples:
        >>> Annotated[int, as_key("items")].__metadata__[0].serialization_alias
        'items'
    """
    return Field(serialization_alias=name)


class Record:
    """A frozen dataclass whose fields, as they stand, are what `--json` prints.

    nan, which stands for a number that cannot be known, becomes null. The JSON Schema takes its
    descriptions from the docstring's *Attributes*, so that each is written once.
    """

    __slots__ = ()
    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    def to_json(self) -> str:
        """Return the record as JSON text, indented; nan is null."""
        kind: Any = type(self)
        return _adapter(kind).dump_json(self, indent=1, by_alias=True).decode("utf-8")

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name, as JSON has them; nan is None."""
        fields: dict[str, Any] = json.loads(self.to_json())
        return fields

    @classmethod
    def json_schema(cls) -> dict[str, Any]:
        """Return the JSON Schema of `to_json`."""
        kind: Any = cls
        schema = _adapter(kind).json_schema(by_alias=True, mode="serialization")
        for name, kind in _records_in(cls).items():
            place = schema if name == cls.__name__ else schema.get("$defs", {}).get(name)
            if place is not None:
                _describe(place, kind)
        return schema


@cache
def _adapter(kind: type) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def _records_in(kind: type) -> dict[str, type]:
    """Find the records that a record holds, by name, itself too."""
    found: dict[str, type] = {}
    left: list[Any] = [kind]
    while left:
        each = left.pop()
        left.extend(getattr(each, "__args__", ()))
        if isinstance(each, type) and is_dataclass(each) and each.__name__ not in found:
            found[each.__name__] = each
            left.extend(inspect.get_annotations(each, eval_str=True).values())
    return found


def _describe(schema: dict[str, Any], kind: type) -> None:
    """Put the docstring's first line and attributes into a schema."""
    text = inspect.getdoc(kind) or ""
    schema["description"] = text.split("\n\n")[0]
    alias = _aliases(kind)
    for name, said in _ATTRIBUTE.findall(text.partition("Attributes:\n")[2]):
        key = alias.get(name, name)
        if key in schema.get("properties", {}):
            schema["properties"][key]["description"] = " ".join(said.split())


def _aliases(kind: type) -> dict[str, str]:
    """Return the JSON keys of the fields that have another name in Python."""
    found = {}
    for name, said in inspect.get_annotations(kind, eval_str=True).items():
        for part in getattr(said, "__metadata__", ()):
            if isinstance(part, FieldInfo) and part.serialization_alias:
                found[name] = part.serialization_alias
    return found

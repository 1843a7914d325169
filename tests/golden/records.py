"""The recorded values: how they are read, written and compared."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from bestrand.methods import DESIGNS, ESTIMATORS, Strategy
from tests.golden import made


FOLDER = Path(__file__).resolve().parent
KERNEL = "kernel"
GONE, NEW = "recorded, and gone now", "new, and not recorded"
# designs whose choice may turn on the last bits of what linear algebra gives
PROCESSOR_BOUND = ("cube", "irt-anchors", "sparse-eval", "zip-bench")
# estimators that iterate: what they stop at may be further apart than rounding
ITERATIVE = ("gp-irt", "p-irt", "sparse-eval")


class Tolerance(NamedTuple):
    """How far apart numbers may be.

    Attributes:
        rel: relative to the larger one.
        near_zero: whatever they are.
        by_key: key -> relative, for what stands under it.
    """

    rel: float
    near_zero: float
    by_key: Mapping[str, float] = {}


# from one kernel to another a study's mean width of pairs moved by 7e-4, its standard error by 7e-3
OTHER_BY_KEY = {"pair_width": 1e-2, "pair_width_se": 5e-2}


def tolerance(name: str, kernel: str | None, now: str) -> Tolerance:
    """Give what numbers of a file may differ by; printed ones may be noise around 0."""
    same = kernel == now
    rel = 1e-12 if same else 1e-9
    near_zero = rel / 1000 if name in ("designs", "estimates") else rel
    return Tolerance(rel, near_zero, {} if same else OTHER_BY_KEY)


class Difference(NamedTuple):
    """A value that is not the recorded one.

    Attributes:
        place: the names and positions that lead to it.
        text: what was recorded and what is there now.
    """

    place: str
    text: str


def files() -> dict[str, Path]:
    """Give the files by the names of what they hold."""
    prints = ["study table", *sorted(path.stem for path in (FOLDER / "contracts").glob("*.json"))]
    named = {name: path_of(name) for name in ("designs", "estimates", KERNEL, *prints)}
    return {name: path for name, path in named.items() if path.exists()}


def path_of(name: str) -> Path:
    """Say where the values of a name are kept."""
    if name in ("designs", "estimates", KERNEL):
        return FOLDER / f"{name}.json"
    return FOLDER / ("study_table.json" if name == "study table" else f"contracts/{name}.json")


def recorded() -> dict[str, Any]:
    """Read all that is recorded."""
    return {name: json.loads(path.read_text(encoding="utf-8")) for name, path in files().items()}


def made_now() -> dict[str, Any]:
    """Compute all anew."""
    return {
        KERNEL: made.kernel(),
        "designs": {
            **{word: made.made_design(word) for word in DESIGNS},
            made.DEFAULT: made.made_pools(),
        },
        "estimates": {name: made.made_estimates(name) for name in made.PAIRED},
        **made.made_prints(),
    }


def is_bound(strategy: Strategy) -> bool:
    """Whether the items that a strategy chooses may differ from one processor to another."""
    return any(isinstance(strategy.design, DESIGNS[word]) for word in PROCESSOR_BOUND)


def is_iterative(strategy: Strategy) -> bool:
    """Whether estimates from the same items may differ from one processor to another."""
    return any(isinstance(strategy.estimator, ESTIMATORS[word]) for word in ITERATIVE)


def compare(recorded: Any, now: Any, near: Tolerance) -> list[Difference]:  # noqa: ANN401
    """List what differs: keys, lengths, values, and numbers that are not near each other."""
    return list(_compare(recorded, now, near, ()))


def _compare(
    old: Any,  # noqa: ANN401
    new: Any,  # noqa: ANN401
    near: Tolerance,
    place: tuple[str, ...],
) -> Iterator[Difference]:
    where = " / ".join(place)
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in [*old, *(key for key in new if key not in old)]:
            inner = (*place, str(key))
            if key not in new:
                yield Difference(" / ".join(inner), GONE)
            elif key not in old:
                yield Difference(" / ".join(inner), NEW)
            else:
                rel = near.by_key.get(key, near.rel)
                yield from _compare(old[key], new[key], near._replace(rel=rel), inner)
    elif isinstance(old, list) and isinstance(new, list):
        if len(old) != len(new):
            yield Difference(where, f"recorded {len(old)} values, now {len(new)}")
        for number, (one, other) in enumerate(zip(old, new, strict=False)):
            yield from _compare(one, other, near, (*place, f"[{number}]"))
    elif type(old) is not type(new) or not _is_near(old, new, near):
        yield Difference(where, f"recorded {old!r}, now {new!r}")


def _is_near(old: object, new: object, near: Tolerance) -> bool:
    if not isinstance(old, float) or not isinstance(new, float):
        return old == new
    return abs(old - new) <= max(near.rel * max(abs(old), abs(new)), near.near_zero)


def report(what: str, found: list[Difference]) -> str:
    """Say what differs: the first value, how many more, and what to do if that is meant."""
    first = found[0]
    more = f", and {len(found) - 1} more values" if len(found) > 1 else ""
    return (
        f"{what} / {first.place}: {first.text}{more}. If the change is meant, run "
        'python scripts/golden.py --reason "why the numbers change".'
    )


def dumped(value: Any) -> str:  # noqa: ANN401
    """Write as JSON with sorted keys; a list of plain values stands on one line."""
    return _dumped(value, "") + "\n"


def _dumped(value: Any, indent: str) -> str:  # noqa: ANN401
    inner = indent + "  "
    if isinstance(value, Mapping) and value:
        rows = [
            f"{inner}{json.dumps(key, ensure_ascii=False)}: {_dumped(value[key], inner)}"
            for key in sorted(value)
        ]
        return "{\n" + ",\n".join(rows) + f"\n{indent}}}"
    if isinstance(value, list) and any(isinstance(each, Mapping | list) for each in value):
        return (
            "[\n" + ",\n".join(f"{inner}{_dumped(each, inner)}" for each in value) + f"\n{indent}]"
        )
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def items_of(estimates: Any) -> list[Any]:  # noqa: ANN401
    """Give the items that estimates rest on, in every matrix and weighting."""
    found = []
    for forms in estimates.values():
        found += [each["items"] for each in forms.values() if isinstance(each, Mapping)]
    return found

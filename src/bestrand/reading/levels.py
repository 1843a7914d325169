"""Index levels of pandas: made into columns, with the role that each must have."""

from collections.abc import Collection
from typing import Any

from bestrand.errors import InputError
from bestrand.reading.columns import NAMES


NAMELESS = "__index_level_0__"  # what an index without a name is called in files, too
WORDS = ("string", "categorical", "mixed")  # what pandas calls values that may be names


def with_index(frame: Any, given: Collection[str]) -> Any:  # noqa: ANN401
    """Make columns of a pandas index; an index that only numbers the rows is dropped.

    Of several levels one without a name is the model, if there is an item column, the items come
    again and all else has a name; and the item, if there is a model column.

    Args:
        frame: of pandas.
        given: columns that have a role by the user's word.

    Raises:
        InputError: columns in levels, or an index in levels that do not say what they are.
        ValueError: a level is called like a column.
    """
    levels = range(frame.columns.nlevels)
    if len(levels) > 1:
        apart = [level for level in levels if frame.columns.get_level_values(level).is_unique]
        keep = (
            f"; or keep one: frame.columns = frame.columns.get_level_values({apart[0]})"
            if apart
            else ""
        )
        raise InputError(
            f"Columns must be in one level, and these are in {len(levels)} (first: "
            f"{frame.columns[0]!r}). Join the levels: frame.columns = ['_'.join(map(str, name)) "
            f"for name in frame.columns]{keep}."
        )
    if frame.index.nlevels > 1:
        return _with_levels(frame, given)
    if frame.index.names == [None]:
        if frame.index.inferred_type not in WORDS:
            return frame
        frame = frame.rename_axis(index=NAMELESS)
    return frame.reset_index()


def _with_levels(frame: Any, given: Collection[str]) -> Any:  # noqa: ANN401
    """Make columns of index levels."""
    flat = frame.reset_index()
    nameless = {f"level_{k}": k for k, name in enumerate(frame.index.names) if name is None}
    if not nameless or set(nameless) & set(given):
        return flat
    names = [name for name in flat.columns if name not in nameless]
    item, model, score = (_role(role, names, given) for role in ("item", "model", "score"))
    words = [name for name, k in nameless.items() if frame.index.levels[k].inferred_type in WORDS]
    if item is not None and model is None and len(words) == 1 and flat[item].duplicated().any():
        if not flat.duplicated([item, words[0]]).any():
            return flat.rename(columns={words[0]: "model"})
    elif item is None and model is not None and len(nameless) == 1:
        return flat.rename(columns={next(iter(nameless)): "item"})
    elif item is not None:
        return flat
    elif score is None and len(nameless) == 2:
        unique = [name for name in nameless if flat[name].is_unique]
        rest = [name for name in words if name not in unique]
        if len(unique) == len(rest) == 1:  # wide form, with items in groups
            return flat.rename(columns={unique[0]: "item", rest[0]: "group"})
    n = frame.index.nlevels
    said = [name if name is not None else f"level_{k}" for k, name in enumerate(frame.index.names)]
    raise InputError(
        f"The row index has {n} levels, {', '.join(map(repr, said))} (first row: "
        f"{frame.index[0]!r}), and {', '.join(map(repr, nameless))} do not say what they are. Name "
        "them, as in frame.index.names = ['item', 'model'], or say which is which: "
        f"columns={{'item': {next(iter(nameless))!r}, ...}}."
    )


def _role(role: str, names: list[Any], given: Collection[str]) -> Any:  # noqa: ANN401
    """Return the column of a role by its name."""
    known = (name for name in names if str(name).strip().casefold() in NAMES[role])
    return next(known, None)

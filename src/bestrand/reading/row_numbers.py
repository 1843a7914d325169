"""Row numbers: columns that a table library wrote beside the scores, and that are none."""

import re
from collections.abc import Sequence

import numpy as np

from bestrand.errors import FileError
from bestrand.reading.columns import is_id_name, is_unnamed
from bestrand.reading.raw import RawTable
from bestrand.reading.values import to_scores


# As libraries write them (a name is compared without blanks, points, dashes and underscores).
WRITTEN = r"index|idx|rowindex|rowidx|rownr|rownum|rownumber|rowid|rownames?|level\d+|unnamed:\d+"
# As people write them: only the exact row numbers count.
HEADED = (
    r"(row|line|item|doc|sample|example|question|instance)?(index|number|num|nr|no|pos|position)"
    r"|row|line|rn|#|s(r|l|erial)?no|serial|seq|order|obs|column1"
)
# As R names a column without a name: only in front of all others.
IN_FRONT = r"x\d*|v1|1|i|n"


def numbers_rows(table: RawTable, names: Sequence[str]) -> list[str]:
    """Return those of the columns `names` that number the rows, and are neither model nor metric.

    A column without a name does, and one of ids that is not the item's. One that is called like
    an index does if it holds row numbers: 0, 1, 2, ... or 1, 2, 3, ...; as a library writes it,
    also those that are left of them where rows were taken out, shuffled, or put below others.
    """
    found: list[str] = []
    for name in names:
        word = re.sub(r"[\s._-]+", "", name.casefold())
        in_front = list(table.columns)[: len(found) + 1] == [*found, name]
        if (
            is_unnamed(name)
            or is_id_name(name)
            or (re.fullmatch(WRITTEN, word) and _are_row_numbers(table, name, exact=False))
            or (
                (re.fullmatch(HEADED, word) or (in_front and re.fullmatch(IN_FRONT, word)))
                and table.n_rows > 2
                and _are_row_numbers(table, name, exact=True)
            )
        ):
            found.append(name)
    return found


def _are_row_numbers(table: RawTable, name: str, *, exact: bool) -> bool:
    try:
        values = to_scores(table, name).to_numpy()
    except FileError:  # a word among them
        return False
    n = len(values)
    if values[0] in (0, 1) and np.array_equal(values, values[0] + np.arange(n)):
        return True
    whole = np.isfinite(values).all() and (values >= 0).all() and (values % 1 == 0).all()
    if exact or not whole or values.max() < 2:
        return False
    restarts = (values[1:] > values[:-1]) | (values[1:] == values[0])
    return len(np.unique(values)) == n or bool(restarts.all() and values[0] < 2)

"""The compiled swap descent; `swap.descend_plainly` says the same in plain Python."""

from typing import Any

import numpy as np
from numba import njit


@njit(nogil=True, cache=True)
def descend(values: Any, members: Any, others: Any, sums: Any, words: Any) -> None:  # noqa: ANN401
    """Try one swap for every two words, and keep those that shorten the sums; all in place."""
    d = sums.size
    best = 0.0
    for column in range(d):
        best += float(sums[column]) * float(sums[column])
    trial = np.empty(d, dtype=np.int64)
    for k in range(0, words.size - 1, 2):
        i = (words[k] * members.size) >> 32
        j = (words[k + 1] * others.size) >> 32
        out, into = members[i], others[j]
        length = 0.0
        for column in range(d):
            trial[column] = sums[column] - values[out, column] + values[into, column]
            length += float(trial[column]) * float(trial[column])
        if length < best:
            best = length
            sums[:] = trial
            members[i], others[j] = into, out

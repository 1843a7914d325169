"""The cube method: exact balance with exact inclusion probabilities."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, final

import numpy as np

from bestrand.core.method import Needs
from bestrand.designs.balance import group_features
from bestrand.designs.base import Design, Draw, Features, require_probes
from bestrand.rng import Stream
from bestrand.stats.balance import weighted_deviations
from bestrand.types import BoolArray, FloatArray, IntArray


if TYPE_CHECKING:
    from bestrand.core.manifest import Balance


TINY = 1e-9


@final
@dataclass(frozen=True, slots=True)
class Cube(Design):
    """Choose n items whose means of the probes' scores are the pool's, each with chance n/m.

    The flight moves the vector of inclusion probabilities at random inside the cube, along
    directions that keep every balancing total, until as few items as there are totals are
    undecided. The landing decides these, giving up one total after the other and the size last.

    References:
        Deville, J.-C. and Tillé, Y. (2004). Efficient balanced sampling: the cube method.
        Biometrika 91(4). doi:10.1093/biomet/91.4.893
        Chauvet, G. and Tillé, Y. (2006). A fast algorithm for balanced sampling. Comput. Stat.
        21(1). doi:10.1007/s00180-006-0250-2
    """

    needs: ClassVar[Needs] = "probes"

    def draw(self, features: Features, n: int, stream: Stream) -> Draw:
        """Choose n items; see `Design.draw`."""
        scores = require_probes(self, features)
        m = features.n_items
        columns = [np.ones((m, 1)), group_features(features)]
        matched = weighted_deviations(scores, features.weights).T
        # in an order that depends on the scores alone, not on which probe was named first
        columns.append(np.array(sorted(matched, key=lambda row: row.tobytes())).T)
        totals = np.concatenate(columns, axis=1).T  # the size first: it is given up last
        chance = np.full(m, n / m)
        decided = land(flight(chance, totals, stream.child("flight")), totals, stream)
        chosen = np.flatnonzero(decided > 0.5)
        groups: tuple[Balance, ...] = () if features.groups is None else ("groups",)
        gaps = matched[:, chosen].mean(axis=1) - matched.mean(axis=1)
        return Draw(
            chosen,
            inclusion=np.full(n, n / m),
            balanced_on=("probes", *groups),
            distance=float(np.linalg.norm(gaps)),
        )


def flight(chance: FloatArray, totals: FloatArray, stream: Stream) -> FloatArray:
    """Decide items at random while every total stays what it is.

    Args:
        chance: (m,) inclusion probabilities.
        totals: (p, m) what is to be balanced, before it is divided by the probability.
        stream: the chance.

    Returns:
        (m,) probabilities, 0 or 1 but for at most p; on average `chance`, and
        totals @ (result / chance) is totals.sum(axis=1) but for rounding.
    """
    state = chance.copy()
    expanded = totals / chance
    rng = stream.generator()
    waiting = [int(i) for i in rng.permutation(np.flatnonzero(_undecided(state)))]
    n_totals = len(totals)
    active: list[int] = []
    while True:
        while waiting and len(active) <= n_totals:
            active.append(waiting.pop())
        here = np.array(active, dtype=np.int64)
        direction = _kernel_vector(expanded[:, here]) if here.size else None
        if direction is None:
            return state
        _step(state, here, direction, rng)
        active = [int(i) for i in here[_undecided(state[here])]]


def land(state: FloatArray, totals: FloatArray, stream: Stream) -> FloatArray:
    """Decide what the flight left open, giving up the last total first; (m,) of 0 and 1."""
    for n_kept in range(len(totals), 0, -1):
        if not _undecided(state).any():
            break
        here = np.flatnonzero(_undecided(state))
        kept = totals[:n_kept, here]
        state[here] = _move(state[here], kept, stream.child(f"land {n_kept}"))
    return np.rint(state)


def _move(state: FloatArray, totals: FloatArray, stream: Stream) -> FloatArray:
    """Move open probabilities along directions that keep `totals`, as far as there are any."""
    state = state.copy()
    rng = stream.generator()
    while True:
        here = np.flatnonzero(_undecided(state))
        direction = _kernel_vector(totals[:, here]) if here.size else None
        if direction is None:
            return state
        _step(state, here, direction, rng)


def _undecided(state: FloatArray) -> BoolArray:
    return (state > TINY) & (state < 1 - TINY)


def _kernel_vector(matrix: FloatArray) -> FloatArray | None:
    """Return a direction that the rows of `matrix` do not see; None if there is none."""
    n_rows, n_columns = matrix.shape
    if n_columns > n_rows:
        return np.asarray(np.linalg.qr(matrix.T, mode="complete")[0][:, -1])
    _, singular, vectors = np.linalg.svd(matrix, full_matrices=True)
    if singular.size == n_columns and singular[-1] > 1e-10 * max(singular[0], 1e-300):
        return None
    return np.asarray(vectors[-1])


def _step(
    state: FloatArray, here: IntArray, direction: FloatArray, rng: np.random.Generator
) -> None:
    """Go forwards or backwards to the wall of the cube, so that on average nothing moves."""
    with np.errstate(divide="ignore", invalid="ignore"):
        now = state[here]
        up = np.where(direction > 0, (1 - now) / direction, -now / direction)
        down = np.where(direction > 0, now / direction, -(1 - now) / direction)
    moves = np.abs(direction) > 1e-12
    forth, back = float(up[moves].min()), float(down[moves].min())
    length = forth if rng.random() < back / (forth + back) else -back
    moved = now + length * direction
    moved[moved < TINY] = 0.0
    moved[moved > 1 - TINY] = 1.0
    state[here] = moved

"""Draw the pool: the items that the probes must run, before any score is known."""

import math
from collections.abc import Sequence

from bestrand.core.frame import Frame
from bestrand.core.manifest import Manifest
from bestrand.core.pool import Pool
from bestrand.core.scores import ScoreMatrix, ScoreTable
from bestrand.designs.base import Design, Features
from bestrand.designs.simple_random import SimpleRandom
from bestrand.designs.stratified import Stratified
from bestrand.errors import ArgumentError
from bestrand.rng import Stream
from bestrand.settings import real_number, whole_number
from bestrand.steps.arguments import as_frame, require_size
from bestrand.steps.stamp import drawn_fields
from bestrand.types import Weighting


def draw_pool(
    items: Frame | ScoreMatrix | ScoreTable | Sequence[str],
    n: int,
    *,
    factor: float = 4.0,
    design: Design | None = None,
    weighting: Weighting | None = None,
    seed: int = 0,
) -> Manifest:
    """Draw the pool: the items that the probes must run, before any score is known.

    Args:
        items: the frame, or scores or ids from which to take it.
        n: size of the subset that will be chosen from the pool.
        factor: alpha >= 1; the pool has alpha * n items, or the whole frame if that is fewer.
        design: how to choose; default: `Stratified()`, which takes each group's share, where every
            item has a group, and `SimpleRandom()` elsewhere.
        weighting: "micro", "macro" or "explicit"; see `ScoreTable.frame`.
        seed: random seed.

    Returns:
        A manifest of kind "pool".

    Raises:
        ArgumentError: n < 1, factor < 1 or a negative seed.
        InputError: n exceeds the frame.
        DesignError: the design needs scores, or groups that the items do not have.
    """
    factor = real_number(factor, "factor")
    if not 1 <= factor < math.inf:
        raise ArgumentError(f"`factor` (alpha) must be 1 or more, got {factor:g}.", factor=factor)
    n, seed = whole_number(n, "n"), whole_number(seed, "seed")
    frame = as_frame(items, weighting)
    require_size(n, frame.n, "the size of the frame")
    design = design or (SimpleRandom() if frame.groups is None else Stratified())
    chosen_from = Pool.of_frame(frame)
    features = Features(
        n_items=frame.n,
        scores=None,
        groups=chosen_from.group_codes,
        weights=chosen_from.weights,
        group_shares=chosen_from.group_shares,
    )
    m = frame.n if factor * n >= frame.n else math.ceil(factor * n)
    draw = design.draw(features, m, Stream.of(seed, "pool"))
    return Manifest.make(
        kind="pool",
        parameters={**design.parameters, "n": n, "factor": factor},
        seed=seed,
        probes=(),
        metrics=(),
        scores_digest=None,
        probe_means=None,
        parent=None,
        **drawn_fields(chosen_from, draw, design.name),
    )

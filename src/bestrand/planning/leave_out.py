"""Leaving models out: who probes and who is the target, and one draw through the doors."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from bestrand.core.scores import ScoreMatrix
from bestrand.designs.base import Design
from bestrand.designs.simple_random import SimpleRandom
from bestrand.errors import InputError
from bestrand.estimators.base import Estimator
from bestrand.notes import shown
from bestrand.rng import Stream
from bestrand.steps.draw_pool import draw_pool
from bestrand.steps.estimate import estimate
from bestrand.steps.select import select
from bestrand.types import FloatArray


ROUNDING = 1e-12


class LeftOut(NamedTuple):
    """Who probes and who is the target in one draw."""

    probes: tuple[str, ...]
    targets: tuple[str, ...]


class Settings(NamedTuple):
    """What is tested."""

    design: Design
    estimator: Estimator | None
    factor: float


class FoldErrors(NamedTuple):
    """One draw: (L,) errors of ours and Random, and whether intervals held; nan of the probes."""

    ours: FloatArray
    random: FloatArray
    held: FloatArray
    random_held: FloatArray
    n_pool: int
    estimator: str


def one_draw(
    matrix: ScoreMatrix, models: LeftOut, n: int, settings: Settings, seed: int
) -> FoldErrors:
    """Choose and estimate through the doors, hiding the targets' other scores."""
    probes, targets = matrix.take_models(models.probes), matrix.take_models(models.targets)
    pool = draw_pool(matrix.frame, n, factor=settings.factor, seed=seed)
    uses_probes = settings.design.uses_probes
    subset = select(
        probes if uses_probes else matrix.frame,
        n,
        pool=pool if uses_probes else None,
        design=settings.design,
        seed=seed,
    )
    plain = select(matrix.frame, n, design=SimpleRandom(), seed=seed)
    rows = [matrix.models.index(model) for model in models.targets]
    truth = targets.full_scores()
    found = []
    for chosen, is_ours in ((subset, True), (plain, False)):
        result = estimate(
            targets.take_items(chosen.items),
            chosen,
            probes=probes if is_ours and uses_probes else None,
            estimator=settings.estimator if is_ours else None,
        )
        error, held = np.full((2, len(matrix.models)), np.nan)
        error[rows] = result.estimate - truth
        inside = (result.low <= truth + ROUNDING) & (truth - ROUNDING <= result.high)
        held[rows] = np.where(np.isnan(result.low), np.nan, inside)
        found.append((error, held, result.estimator))
    (ours, held, name), (random, random_held, _) = found
    return FoldErrors(ours, random, held, random_held, pool.n, name)


def leave_out(
    models: tuple[str, ...],
    families: Mapping[str, str] | None,
    n_probes: int,
    n_draws: int,
    stream: Stream,
) -> Iterator[LeftOut]:
    """Return probes and targets of every draw."""
    if families is None:
        n_probes = min(n_probes, len(models) - 1)
        step = len(models) - n_probes
        rng = stream.generator()
        for _ in range(n_draws):
            around = list(rng.permutation(np.array(models, dtype=object))) * 2
            for start in range(0, len(models), step):
                targets = set(around[start : start + step])
                yield LeftOut(
                    probes=tuple(model for model in models if model not in targets),
                    targets=tuple(model for model in models if model in targets),
                )
        return
    for family in sorted(set(families.values())):
        others = [model for model in models if families[model] != family]
        rng = stream.child(family).generator()
        for _ in range(n_draws):
            chosen = rng.permutation(np.array(others, dtype=object))[:n_probes]
            yield LeftOut(
                probes=tuple(sorted(chosen)),
                targets=tuple(model for model in models if families[model] == family),
            )


def families_of(matrix: ScoreMatrix, families: Mapping[str, str] | None) -> dict[str, str] | None:
    """Take the family of every model here."""
    if families is None:
        return None
    lacking = [model for model in matrix.models if model not in families]
    if lacking:
        raise InputError(
            f"Families must name every model; {len(lacking)} have none: {shown(lacking)}."
        )
    found = {model: families[model] for model in matrix.models}
    if len(set(found.values())) < 2:
        raise InputError(
            "Leaving a family out needs two families or more; all models here are of "
            f"{found[matrix.models[0]]!r}."
        )
    return found

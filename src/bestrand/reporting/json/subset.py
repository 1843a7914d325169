"""What `bestrand report --json` prints of a subset, and what its page is made from."""

from dataclasses import dataclass

import numpy as np

from bestrand.core.estimates import Difference, Estimates, EstimateTable
from bestrand.core.manifest import Manifest
from bestrand.core.scores import ScoreMatrix, ScoreTable
from bestrand.errors import ArgumentError
from bestrand.notes import Note
from bestrand.planning.costs import Costs, costs
from bestrand.planning.equals import random_items_of
from bestrand.record import Record
from bestrand.stats.random_items import RandomItems
from bestrand.steps.describe import GroupShare, ProbeBalance, group_shares, probe_balance


@dataclass(frozen=True, slots=True)
class Chosen(Record):
    """What was chosen.

    Attributes:
        kind: "pool" or "subset".
        design: its name.
        n: chosen items.
        n_pool: items of the pool.
        n_frame: items of the frame.
        digest: of the manifest.
        distance: between the probes' means; None if there is none.
    """

    kind: str
    design: str
    n: int
    n_pool: int
    n_frame: int
    digest: str
    distance: float | None


@dataclass(frozen=True, slots=True)
class SubsetReport(Record):
    """A manifest and estimates made from it: what `bestrand report --json` prints.

    Attributes:
        chosen: None where no manifest was given.
        groups: of the chosen items and of the frame.
        balance: of the probes' means; empty where no probes were given.
        costs: None where no manifest was given.
        equals: how many random items would err as little, as forecast from the probes; None where
            they were not given on the pool, or where it is not known.
        estimates: None where no targets were given.
        best: the target with the best estimate.
        pairs: each pair of targets once.
        told_apart: pairs whose interval leaves out 0.
        notes: of the manifest; without targets, also of the probes' scores as read.
    """

    chosen: Chosen | None
    groups: tuple[GroupShare, ...]
    balance: tuple[ProbeBalance, ...]
    costs: Costs | None
    equals: RandomItems | None
    estimates: EstimateTable | None
    best: str | None
    pairs: tuple[Difference, ...]
    told_apart: int
    notes: tuple[Note, ...]


def subset_report(
    manifest: Manifest | None,
    result: Estimates | None = None,
    probes: ScoreTable | ScoreMatrix | None = None,
) -> SubsetReport:
    """Turn a manifest, and estimates made from it, into what is printed.

    Args:
        manifest: of a pool or a subset; or None, if only estimates are at hand.
        result: estimates made from it, if there are any.
        probes: scores from which it was chosen, to show how well they are matched.

    Raises:
        ArgumentError: probes without a manifest, or estimates of another frame.
        InputError: the probes are not those of the manifest.
    """
    if manifest is None and probes is not None:
        raise ArgumentError("`probes` are held against a subset: give `subset` too.")
    if manifest is not None and result is not None and manifest.kind != "subset":
        raise ArgumentError(
            f"Estimates are made from a subset, got a {manifest.kind}. Give what "
            "`bestrand select` wrote."
        )
    if manifest is not None and result is not None and manifest.n_frame != result.n_frame:
        raise ArgumentError(
            f"The estimates stand for {result.n_frame} items, the subset for {manifest.n_frame}. "
            "Give the subset from which they were made."
        )
    pairs = () if result is None else result.differences()
    balance = probe_balance(manifest, probes) if manifest and probes is not None else ()
    worth = None if manifest is None else random_items_of(manifest, probes)
    read = probes.notes if result is None and isinstance(probes, ScoreTable) else ()
    return SubsetReport(
        chosen=None if manifest is None else _chosen(manifest),
        groups=() if manifest is None else group_shares(manifest),
        balance=balance,
        costs=(
            None
            if manifest is None
            else costs(manifest, 0 if result is None else len(result.models), worth)
        ),
        equals=worth,
        estimates=None if result is None else result.table,
        best=None if result is None else best_of(result),
        pairs=pairs,
        told_apart=sum(pair.verdict != "unresolved" for pair in pairs),
        notes=(*(manifest.notes if manifest else ()), *read),
    )


def best_of(result: Estimates) -> str | None:
    """Name the target with the best estimate, the first of several; None if none is known."""
    if np.isnan(result.estimate).all():
        return None
    sign = 1.0 if result.higher_is_better else -1.0
    return result.models[int(np.nanargmax(sign * result.estimate))]


def _chosen(manifest: Manifest) -> Chosen:
    return Chosen(
        kind=manifest.kind,
        design=manifest.design,
        n=manifest.n,
        n_pool=manifest.n_pool,
        n_frame=manifest.n_frame,
        digest=manifest.digest,
        distance=manifest.distance,
    )

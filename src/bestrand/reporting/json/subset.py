"""What `bestrand report --json` prints of a subset, and what its page is made from."""

from dataclasses import asdict

import numpy as np
from pydantic import Field

from bestrand.core.estimates import Estimates
from bestrand.core.manifest import Manifest
from bestrand.core.scores import ScoreMatrix, ScoreTable
from bestrand.errors import ArgumentError
from bestrand.planning.equals import random_items_of
from bestrand.reporting.json.estimates import (
    Contract,
    EqualsRow,
    EstimateReport,
    MaybeNumber,
    NoteRow,
    PairRow,
    equals_row,
    estimate_report,
    note_rows,
)
from bestrand.reporting.worth import CostRow, cost_row
from bestrand.steps.describe import SpreadOf, group_shares, probe_balance


class ChosenRow(Contract):
    """What was chosen."""

    kind: str = Field(description='"pool" or "subset".')
    design: str
    n: int
    n_pool: int
    n_frame: int
    digest: str
    distance: MaybeNumber = Field(description="Between the probes' means; null if none.")


class GroupRow(Contract):
    """One group among the chosen items and in the frame."""

    group: str
    n: int = Field(description="Chosen items.")
    n_frame: int = Field(description="Items in the frame.")
    share: float
    share_frame: float
    expected: float = Field(description="Items that a random choice has on average.")


class BalanceRow(Contract):
    """One probe's mean on the chosen items and on the pool."""

    metric: str
    probe: str
    pool: float
    subset: float
    gap: float = Field(description="subset - pool.")
    random_se: MaybeNumber = Field(
        description="Standard error of the gap of a random choice; null where it is not known."
    )
    random_se_from: SpreadOf = Field(description="What it was computed on.")


class SubsetReport(Contract):
    """What `bestrand report --json` prints of a manifest and of estimates made from it."""

    chosen: ChosenRow | None = Field(description="Null where no manifest was given.")
    groups: tuple[GroupRow, ...]
    balance: tuple[BalanceRow, ...] = Field(description="Empty where no probes were given.")
    costs: CostRow | None = Field(description="Null where no manifest was given.")
    equals: EqualsRow | None = Field(
        description="How many random items would err as little, as forecast from the probes; null "
        "where they were not given on the pool, or where it is not known."
    )
    estimates: EstimateReport | None
    best: str | None = Field(description="The target with the best estimate.")
    pairs: tuple[PairRow, ...] = Field(description="Each pair of targets once.")
    told_apart: int = Field(description="Pairs whose interval leaves out 0.")
    notes: tuple[NoteRow, ...] = Field(
        description="Of the manifest; without targets, also of the probes' scores as read."
    )


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
    return SubsetReport(
        chosen=None if manifest is None else _chosen(manifest),
        groups=tuple(
            GroupRow(**row._asdict()) for row in (group_shares(manifest) if manifest else ())
        ),
        balance=tuple(BalanceRow(**row._asdict()) for row in balance),
        costs=(
            None
            if manifest is None
            else cost_row(manifest, 0 if result is None else len(result.models), worth)
        ),
        equals=None if worth is None else equals_row(worth),
        estimates=None if result is None else estimate_report(result),
        best=None if result is None else best_of(result),
        pairs=tuple(PairRow(**asdict(pair)) for pair in pairs),
        told_apart=sum(pair.verdict != "unresolved" for pair in pairs),
        notes=(
            *(
                NoteRow(code=note.code, text=note.text)
                for note in (manifest.notes if manifest else ())
            ),
            *note_rows(probes.notes if result is None and isinstance(probes, ScoreTable) else ()),
        ),
    )


def best_of(result: Estimates) -> str | None:
    """Name the target with the best estimate, the first of several; None if none is known."""
    if np.isnan(result.estimate).all():
        return None
    sign = 1.0 if result.higher_is_better else -1.0
    return result.models[int(np.nanargmax(sign * result.estimate))]


def _chosen(manifest: Manifest) -> ChosenRow:
    return ChosenRow(
        kind=manifest.kind,
        design=manifest.design,
        n=manifest.n,
        n_pool=manifest.n_pool,
        n_frame=manifest.n_frame,
        digest=manifest.digest,
        distance=manifest.distance,
    )

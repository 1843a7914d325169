"""What a subset costs and what it is worth, in the same words and fields wherever it is said."""

import json
import math

from pydantic import Field

from bestrand.core.manifest import ADOPTED, PRINTED, Manifest, canonical
from bestrand.notes import Note
from bestrand.planning.costs import Costs, costs
from bestrand.reporting.charts.style import count, noun
from bestrand.stats.random_items import RandomItems


class PrintedManifest(Manifest):
    """A manifest as the file holds it; `pool --json` and `select --json` add three fields.

    `costs` and `equals` are computed from it and from the probes' scores, `read_notes` say what was
    odd in the files read. They are no part of the file, and `digest` does not cover them.
    """

    costs: Costs | None = Field(
        None, description="Printed with `--json`, and not in the file: what runs cost."
    )
    equals: RandomItems | None = Field(
        None,
        description="Printed with `--json`, and not in the file: how many random items would err "
        "as little, as forecast; null of a pool, or where it is not known.",
    )
    read_notes: tuple[Note, ...] = Field(
        (),
        description="Printed with `--json`, and not in the file: what reading the items or scores "
        "found odd.",
    )

    def to_json(self) -> str:
        """Return the canonical text of all fields; nan is null."""
        fields = self.to_fields()
        fields |= json.loads(self.model_dump_json(include=set(PRINTED)))  # nan is null
        return canonical(fields)


def printed(
    manifest: Manifest, worth: RandomItems | None = None, notes: tuple[Note, ...] = ()
) -> PrintedManifest:
    """Return what `pool --json` and `select --json` print, with the notes on what was read."""
    fields = {name: getattr(manifest, name) for name in Manifest.model_fields}
    return PrintedManifest(
        **fields,
        costs=costs(manifest, worth=worth),
        equals=worth,
        read_notes=notes,
    )


def equals_said(row: RandomItems) -> str:
    """Return how many random items a subset equals, with the error of that number.

    Examples:
        >>> nan = float("nan")
        >>> equals_said(
        ...     RandomItems(
        ...         mean=264.2, mean_low=240, mean_high=295, p95=340, p95_low=nan, p95_high=nan
        ...     )
        ... )
        'about 264 random items on average (240 to 295), 340 in a bad draw'
    """
    if math.isnan(row.mean):
        return "a number of random items that is not known"
    if row.mean_low == row.mean_high == row.mean == row.p95:
        return f"{_rounded(row.mean)} random items"
    text = f"about {_rounded(row.mean)} random items on average"
    text += _span(row.mean_low, row.mean_high)
    if math.isnan(row.p95):
        return text
    return f"{text}, {_rounded(row.p95)} in a bad draw{_span(row.p95_low, row.p95_high)}"


def intervals_said(row: RandomItems) -> str:
    """Return what stands in brackets where `equals_said` of draws has any."""
    has_error = not math.isnan(row.mean_low) and row.mean_low != row.mean_high
    return " In brackets: 95 % Monte Carlo intervals." if has_error else ""


def equals_of(design: str, row: RandomItems | None) -> str:
    """Return what a subset is worth before any target has run, and where that comes from."""
    if row is None:
        return "not known before targets run; `bestrand backtest` measures it on full scores"
    if design == "SimpleRandom" or row.mean_low == row.mean_high == row.mean:
        return equals_said(row)
    return (
        f"{equals_said(row)}; forecast from the probes' scores, for targets like them, with 95 % "
        f"{'intervals unknown for a single probe' if math.isnan(row.mean_low) else 'intervals'}"
    )


def cost_facts(row: Costs, design: str) -> list[tuple[str, str]]:
    """Return costs as names and what is said of them, for a screen or a page.

    Args:
        row: the costs.
        design: that chose.
    """
    runs = f"{count(row.probe_items)} {noun(row.probe_items, 'item')}"
    if row.n_probes is None:
        choosing = (
            "each probe",
            f"{runs}, {_runs(row.per_probe)} full runs of one model; K probes cost K times as much",
        )
    elif design == ADOPTED:
        choosing = ("choosing", "by others, so what it cost is not known")
    elif not row.n_probes:
        choosing = ("choosing", "no probe runs, so it costs no calls")
    else:
        more = "; nothing if they have run already" if row.already_run else ""
        cost = _runs(row.construction or 0.0)
        choosing = (
            "choosing",
            f"{row.n_probes} {noun(row.n_probes, 'probe')} x {runs} = "
            f"{count(row.construction_items or 0)} calls, {cost} full runs of one model{more}",
        )
    n = row.target_items
    target = (
        "each target",
        f"{count(n)} {noun(n, 'item')}, {_runs(row.per_target)} of a full run",
    )
    text = "" if design == ADOPTED else _pays(row)  # what choosing cost is not known
    pays = [("pays", text)] if text else []
    return [choosing, target, *pays]


def _pays(row: Costs) -> str:
    """Say from how many targets on all of it costs less than without."""
    if row.n_probes is None:
        return ""
    if row.pays_from is None:
        return "never: each target runs every item"
    text = f"from {_targets(row.pays_from)} on, against running them on all items"
    if row.n_probes and row.pays_from_random is not None:
        text += (
            f"; from {_targets(row.pays_from_random)} on, against random items that err as little"
        )
    if row.n_probes:
        text += ". A probe's call is counted as a target's: cheaper probes pay sooner"
    return text


def _targets(n: int) -> str:
    return f"{count(n)} {noun(n, 'target')}"


def _runs(value: float) -> str:
    """Write a number of full runs: to the cent, and small ones to two digits."""
    return f"{value:.2f}" if value >= 0.1 or value == 0.0 else f"{value:.2g}"


def _rounded(value: float) -> str:
    """Write a number of items; a few of them with a decimal, for it is half of the answer."""
    return f"{value:.1f}" if value < 10 and value != round(value) else count(round(value))


def _span(low: float, high: float) -> str:
    if math.isnan(low) or math.isnan(high):
        return ""
    return f" ({_rounded(low)} to {_rounded(high)})"

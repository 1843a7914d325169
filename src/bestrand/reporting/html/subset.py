"""The page of one subset: what was chosen, what it says of the targets, what it cannot tell."""

import math
from collections.abc import Iterator

from bestrand.core.estimates import Difference, EstimateTable
from bestrand.core.manifest import ADOPTED, Manifest
from bestrand.notes import percent
from bestrand.reporting.charts.style import Row, count, noun, number, share
from bestrand.reporting.charts.subset import (
    balance_chart,
    differences_chart,
    estimates_chart,
    groups_chart,
    pairs_chart,
)
from bestrand.reporting.html.figure import Column, Figure
from bestrand.reporting.html.page import Page, Section
from bestrand.reporting.json.subset import SubsetReport
from bestrand.reporting.worth import cost_facts, equals_of


MOST_DRAWN = 60  # groups, models or pairs of models in one chart; the table has all
NO_CHANCE = "none, for these are counts."


def subset_page(report: SubsetReport, manifest: Manifest | None) -> Page:
    """Make the page of a manifest and of the estimates made from it.

    Args:
        report: what `subset_report` gave of them.
        manifest: the same manifest, for items and settings.
    """
    sections = [*_of_estimates(report), *_of_choice(report)]
    if manifest is not None:
        sections.append(_provenance(manifest))
    return Page(_title(report), tuple(_lead(report)), tuple(sections), _names(report, manifest))


def _names(report: SubsetReport, manifest: Manifest | None) -> tuple[str, ...]:
    """Return the names that stand in texts and lists of the page."""
    of_manifest = () if manifest is None else (*manifest.probes, *manifest.metrics)
    return of_manifest if report.estimates is None else (*of_manifest, report.estimates.metric)


def _title(report: SubsetReport) -> str:
    chosen = report.chosen
    if chosen is None:
        return "Estimated full scores"
    of = "pool" if chosen.kind == "pool" else "subset"
    return f"A {of} of {count(chosen.n)} of {count(chosen.n_frame)} {noun(chosen.n_frame, 'item')}"


def _lead(report: SubsetReport) -> Iterator[str]:
    chosen, estimates = report.chosen, report.estimates
    if chosen is not None:
        of = "" if chosen.n_pool == chosen.n_frame else f" from a pool of {count(chosen.n_pool)}"
        yield (
            f"{chosen.design} chose {count(chosen.n)} {noun(chosen.n, 'item')}{of}, "
            f"{share(chosen.n / chosen.n_frame)} of the full benchmark."
        )
    if estimates is not None:
        n = len(estimates.models)
        text = f"{n} {noun(n, 'target was', 'targets were')} estimated with {estimates.estimator}. "
        if math.isnan(estimates.resolution):
            text += "It has no intervals, so what this subset resolves is not known."
        else:
            text += f"Gaps below about {number(estimates.resolution)} are not resolved."
        if report.pairs:
            text += (
                f" {report.told_apart} of {len(report.pairs)} {noun(len(report.pairs), 'pair')} "
                f"{noun(report.told_apart, 'is', 'are')} told apart."
            )
        yield text
    if chosen is not None and report.equals is not None:
        yield (
            f"The subset of {count(chosen.n)} {noun(chosen.n, 'item')} equals "
            f"{equals_of(chosen.design, report.equals)}."
        )


def _of_estimates(report: SubsetReport) -> Iterator[Section]:
    estimates = report.estimates
    if estimates is None:
        return
    notes = tuple(f"Note: {note.text}" for note in estimates.notes)
    yield Section("Full scores", notes, (_estimates(estimates),))
    if report.pairs:
        yield Section("Comparisons", (), tuple(_comparisons(report, estimates)))


def _estimates(estimates: EstimateTable) -> Figure:
    columns = [
        Column("model", "model"),
        Column("estimate", "estimate", 4),
        Column("se", "se", 4),
        Column("low", f"{percent(estimates.level)} low", 4),
        Column("high", f"{percent(estimates.level)} high", 4),
        Column("n", "items scored"),
    ]
    if any(row.unshrunk is not None for row in estimates.models):
        columns.append(Column("unshrunk", "unshrunk", 4))
    scored = sorted({row.n for row in estimates.models})
    items = count(scored[0]) if len(scored) == 1 else f"{count(scored[0])} to {count(scored[-1])}"
    return Figure(
        key="estimates",
        title="Estimated full scores",
        caption=(
            f"Full scores of metric {estimates.metric!r}, in its own unit, estimated from the "
            f"chosen items by {estimates.estimator}. Dot: the estimate; line: its interval."
        ),
        n=(
            f"{len(estimates.models)} {noun(len(estimates.models), 'target')}, {items} "
            f"{noun(scored[-1], 'item')} each"
        ),
        error=f"intervals of {percent(estimates.level)}, each for one model by itself.",
        columns=tuple(columns),
        rows=tuple(row.to_dict() for row in estimates.models),
        chart=estimates_chart(estimates) if len(estimates.models) <= MOST_DRAWN else None,
        show="folded" if len(estimates.models) <= MOST_DRAWN else "table",
    )


PAIR_COLUMNS = (
    Column("model", "model"),
    Column("baseline", "compared with"),
    Column("difference", "difference", 4),
    Column("se", "se", 4),
    Column("low", "low", 4),
    Column("high", "high", 4),
    Column("verdict", "verdict"),
)


def _comparisons(report: SubsetReport, estimates: EstimateTable) -> Iterator[Figure]:
    """Return the differences from the best, which pairs are told apart, and which are not."""
    per_pair = f"intervals of {percent(estimates.level)}, each for one pair by itself, not for all."
    n = f"{len(estimates.models)} targets, scored on the same items"
    against = tuple(_against(report.pairs, report.best))
    drawn = len(estimates.models) <= MOST_DRAWN
    if against:
        yield Figure(
            key="differences",
            title="Paired differences from the best target",
            caption=(
                f"Full score of each target minus that of {report.best!r}, from scores on the same "
                "items. Where the line crosses 0, this subset cannot tell the two apart."
            ),
            n=n,
            error=per_pair,
            columns=PAIR_COLUMNS,
            rows=tuple(pair.to_dict() for pair in against),
            chart=(
                differences_chart(against, metric=estimates.metric, level=estimates.level)
                if drawn
                else None
            ),
            show="folded" if drawn else "table",
        )
    order = [row.model for row in sorted(estimates.models, key=lambda row: -row.estimate)]
    yield Figure(
        key="pairs",
        title="Which pairs are told apart",
        caption=(
            "Row against column. Grey: their interval holds 0, so this subset does not say which "
            "of the two is better."
        ),
        n=n,
        error=per_pair,
        columns=PAIR_COLUMNS,
        rows=tuple(pair.to_dict() for pair in report.pairs),
        chart=pairs_chart(report.pairs, order) if drawn else None,
    )
    unresolved = tuple(pair for pair in report.pairs if pair.verdict == "unresolved")
    yield Figure(
        key="unresolved",
        title="What this subset cannot resolve",
        caption=(
            f"Pairs that are not told apart, {len(unresolved)} of {len(report.pairs)}. "
            + (
                "Their intervals are not known."
                if math.isnan(estimates.resolution)
                else f"For half of the pairs a gap below {number(estimates.resolution)} is within "
                "its own error. More items resolve smaller gaps."
            )
        ),
        n=n,
        error=per_pair,
        columns=PAIR_COLUMNS,
        rows=tuple(pair.to_dict() for pair in unresolved),
        show="folded" if len(unresolved) > 20 else "table",
    )


def _against(pairs: tuple[Difference, ...], best: str | None) -> list[Difference]:
    """Turn the pairs of one model so that it is the baseline, largest differences last."""
    turned = [pair.turned() if pair.model == best else pair for pair in pairs]
    found = [pair for pair in turned if pair.baseline == best and pair.model != best]
    return sorted(found, key=lambda pair: abs(pair.difference))


def _of_choice(report: SubsetReport) -> Iterator[Section]:
    chosen = report.chosen
    if chosen is None:
        return
    notes = tuple(f"Note: {note.text}" for note in report.notes)
    figures = [figure for figure in (_groups(report), _balance(report)) if figure is not None]
    text = [*notes]
    if not report.groups:
        text.append("The items have no groups.")
    if not report.balance and chosen.kind == "subset":
        text.append(
            "The probes' scores were not given, so their balance is not shown."
            if chosen.distance is not None
            else "No probes were matched, so there is no balance to show."
        )
    yield Section("What was chosen", tuple(text), tuple(figures))
    if report.costs is not None:
        words = "A call is one model on one item; a full run is one model on the whole benchmark."
        yield Section("Cost", (words,), (), tuple(_cost_facts(report)))


def _groups(report: SubsetReport) -> Figure | None:
    if not report.groups or report.chosen is None:
        return None
    drawn = len(report.groups) <= MOST_DRAWN
    return Figure(
        key="groups",
        title="Groups: chosen items against the full benchmark",
        caption="Share of each group among the chosen items, and in the full benchmark.",
        n=(
            f"{count(report.chosen.n)} chosen {noun(report.chosen.n, 'item')} of "
            f"{count(report.chosen.n_frame)}"
        ),
        error=NO_CHANCE,
        columns=(
            Column("group", "group"),
            Column("n", "chosen"),
            Column("expected", "expected at random", 1),
            Column("n_frame", "in the benchmark"),
            Column("share", "share of chosen", 3),
            Column("share_frame", "share of benchmark", 3),
        ),
        rows=tuple(row.to_dict() for row in report.groups),
        chart=groups_chart(report.groups) if drawn else None,
        show="folded" if drawn else "table",
    )


def _balance(report: SubsetReport) -> Figure | None:
    if not report.balance or report.chosen is None:
        return None
    caption = (
        "How far each probe's mean on the chosen items is from its mean on the pool. The band is "
        "one standard error of a random choice from the same pool: dots well inside it are what "
        "the choice has gained."
    )
    if any(row.random_se_from == "chosen items" for row in report.balance):
        caption += (
            " The probes' scores on the pool alone are not at hand, so the band is estimated from "
            "the spread of their scores on the chosen items. A dash, and no band: these scores are "
            "all the same, so it is not known."
        )
    return Figure(
        key="balance",
        title="Balance of the probes",
        caption=caption,
        n=(
            f"{len(report.balance)} probe {noun(len(report.balance), 'mean')}, "
            f"{count(report.chosen.n)} {noun(report.chosen.n, 'item')}"
        ),
        error="none, for the means are known; the band is the error of a random choice.",
        columns=(
            Column("probe", "probe"),
            Column("metric", "metric"),
            Column("pool", "mean on the pool", 4),
            Column("subset", "mean on chosen items", 4),
            Column("gap", "gap", 4),
            Column("random_se", "se of a random choice", 4),
            Column("random_se_from", "computed on"),
        ),
        rows=tuple(row.to_dict() for row in report.balance),
        chart=balance_chart(report.balance),
    )


def _cost_facts(report: SubsetReport) -> Iterator[tuple[str, str]]:
    costs = report.costs
    if costs is None or report.chosen is None:
        return
    for name, text in cost_facts(costs, report.chosen.design):
        yield f"{name[0].upper()}{name[1:]}", text
    if costs.n_targets and costs.saved is not None:
        targets = f"{costs.n_targets} {noun(costs.n_targets, 'target')}"
        yield (
            f"{targets} on the full benchmark",
            f"{costs.full:.0f} {noun(costs.n_targets, 'run')}",
        )
        yield (
            "Saved, probes taken off",
            f"{costs.saved:.2f} runs by {targets}",
        )


def _provenance(manifest: Manifest) -> Section:
    settings = ", ".join(f"{name} = {value}" for name, value in sorted(manifest.parameters.items()))
    facts = [
        ("Kind", manifest.kind),
        ("Design", manifest.design),
        ("Settings", settings or "none"),
        ("Balanced on", ", ".join(manifest.balanced_on) or "nothing"),
        ("Seed", "none" if manifest.design == ADOPTED else str(manifest.seed)),
        ("Probes", ", ".join(manifest.probes) or "none"),
        ("Metrics", ", ".join(manifest.metrics) or "none"),
        ("Weighting", manifest.weighting),
        ("Items of the frame", count(manifest.n_frame)),
        ("Digest of the frame", manifest.frame_digest or "its ids are not known"),
        ("Digest of the probes' scores", manifest.scores_digest or "none"),
        ("Digest of the pool", manifest.parent or "none"),
        ("Digest of this manifest", manifest.digest),
        ("Written by", f"bestrand {manifest.bestrand_version}"),
    ]
    text = "`bestrand verify` draws the same items again from these and the probes' scores."
    if manifest.design == ADOPTED:
        text = "The items were chosen elsewhere; nothing can be drawn again."
    return Section("Provenance", (text.replace("`", ""),), (_items(manifest),), tuple(facts))


def _items(manifest: Manifest) -> Figure:
    aligned = {
        "group": manifest.item_groups,
        "item_weight": manifest.item_weights,
        "estimation_weight": manifest.estimation_weights,
        "inclusion": manifest.inclusion,
    }
    given = {name: values for name, values in aligned.items() if values is not None}
    rows: list[Row] = [
        {"item": item, **{name: values[place] for name, values in given.items()}}
        for place, item in enumerate(manifest.items)
    ]
    labels = {"item_weight": "item weight", "estimation_weight": "estimation weight"}
    columns = [
        Column(name, labels.get(name, name), None if name == "group" else 4) for name in given
    ]
    return Figure(
        key="items",
        title="The chosen items",
        caption="Ids as they are in the benchmark, ascending.",
        n=f"{count(manifest.n)} {noun(manifest.n, 'item')}",
        error=NO_CHANCE,
        columns=(Column("item", "item"), *columns),
        rows=tuple(rows),
    )

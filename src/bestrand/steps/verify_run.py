"""Verify a run: did each model run the chosen items, on the same content, of the same benchmark?"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl

from bestrand.core.manifest import Manifest
from bestrand.core.runs import RunFacts, source_of
from bestrand.core.scores import ScoreMatrix, ScoreTable, why_missing
from bestrand.ids import explain_mismatch
from bestrand.notes import shown
from bestrand.record import Record


NAMED = 12  # letters of the digest in the name that an export gives a run


@dataclass(frozen=True, slots=True)
class Check(Record):
    """One thing that was looked at.

    Attributes:
        name: a short fixed word.
        outcome: "passed", "failed", or "skipped" where it could not be looked at.
        text: what was seen.
        models: whose run is meant; empty where all are, or none.
        items: every item at fault.
    """

    name: str
    outcome: Literal["passed", "failed", "skipped"]
    text: str
    models: tuple[str, ...] = ()
    items: tuple[str, ...] = ()


def check_run(
    manifest: Manifest, scores: ScoreTable | ScoreMatrix, against: ScoreTable | None = None
) -> Iterator[Check]:
    """Check the scores of a run, by model.

    Args:
        manifest: a pool or a subset.
        scores: of one run or several.
        against: scores of the whole benchmark from logs, with whose content, prompts and sizes the
            runs are compared.
    """
    yield from _check_items(manifest, scores)
    if isinstance(scores, ScoreTable):
        yield from check_benchmark(manifest, scores, against)


def check_benchmark(
    manifest: Manifest, scores: ScoreTable, against: ScoreTable | None = None
) -> Iterator[Check]:
    """Check what logs say beside the items that ran: content, prompts, size, version, digest."""
    yield from _check_content(manifest, scores, against)
    yield from _check_prompts(scores, against)
    yield from _check_source(manifest, scores.runs, against)
    yield from _check_digests(manifest, scores.runs)


def _check_items(manifest: Manifest, scores: ScoreTable | ScoreMatrix) -> Iterator[Check]:
    """Compare the items that each model ran with those chosen."""
    ran, without = _ran(scores)
    chosen = set(manifest.items)
    of = f"of the {manifest.n} chosen items"
    faults = {
        "missing": (f"{of} did not run", {m: chosen - items for m, items in ran.items()}),
        "extra": ("ran and were not chosen", {m: items - chosen for m, items in ran.items()}),
        "errored": (f"{of} errored", without["errored"]),
        "unscored": (f"{of} ran and have no score", without["unscored"]),
        "duplicate": ("ran more than once", _duplicates(scores)),
    }
    clean = True
    for name, (said, by_model) in faults.items():
        for models, items in _alike(by_model):
            clean = False
            text = f"{len(items)} {said}{_by(models, scores)}: {shown(list(items))}."
            if name == "missing":
                text += explain_mismatch(chosen, set().union(*ran.values()))
            if name in ("missing", "errored", "unscored"):
                text += why_missing(scores)
            yield Check(name, "failed", text, models, items)
    if clean:
        end = ", scored for every model" if isinstance(scores, ScoreTable) else ""
        yield Check("items", "passed", f"exactly the {manifest.n} chosen items are here{end}")


def _ran(
    scores: ScoreTable | ScoreMatrix,
) -> tuple[dict[str, set[str]], dict[str, dict[str, set[str]]]]:
    """Return the items that each model ran, and, by status, those on which it lacks a score."""
    if isinstance(scores, ScoreMatrix):
        names = np.array(scores.frame.items, dtype=object)
        there = zip(scores.models, ~scores.missing, strict=True)
        return {model: set(names[row]) for model, row in there}, {"errored": {}, "unscored": {}}
    without = {
        status: _items_by_model(scores.rows.filter(pl.col("status") == status))
        for status in ("errored", "unscored")
    }
    return _items_by_model(scores.rows), without


def _items_by_model(rows: pl.DataFrame) -> dict[str, set[str]]:
    each = rows.group_by("model").agg(pl.col("item").unique()).sort("model")
    return {model: set(items) for model, items in each.iter_rows()}


def _duplicates(scores: ScoreTable | ScoreMatrix) -> dict[str, set[str]]:
    if isinstance(scores, ScoreMatrix) or not scores.runs or scores.duplicates is None:
        return {}
    return _items_by_model(scores.duplicates)


def _alike(
    by_model: Mapping[str, set[str]],
) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Join the models that have the same items at fault; models without any are left out."""
    found: dict[tuple[str, ...], list[str]] = {}
    for model, items in by_model.items():
        if items:
            found.setdefault(tuple(sorted(items)), []).append(model)
    return [(tuple(models), items) for items, models in found.items()]


def _counted(items: tuple[str, ...]) -> str:
    return "1 item" if len(items) == 1 else f"{len(items)} items"


def _by(models: tuple[str, ...], scores: ScoreTable | ScoreMatrix) -> str:
    """Name the models, where it is not all of several."""
    if len(models) == len(scores.models) > 1:
        return " (all models)"
    return f" ({shown(list(models))})"


def _check_content(
    manifest: Manifest, scores: ScoreTable, against: ScoreTable | None
) -> Iterator[Check]:
    """Compare what the items were with what they were when they were chosen."""
    if scores.contents is None or not scores.contents["document"].count():
        return
    expected = _documents(manifest, against)
    if not expected:
        text = "the manifest holds no digest of the items' content: give a full log, --against LOG"
        yield Check("content", "skipped", text)
        return
    owners: dict[str, list[str]] = {}
    for item, digest in expected.items():
        owners.setdefault(digest, []).append(item)
    yield from _contradictions(manifest, against)
    same, faults = set[str](), dict[str, dict[str, str]]()
    for item, model, document in scores.contents.select("item", "model", "document").iter_rows():
        if document is None or item not in expected:
            continue
        if document == expected[item]:
            same.add(item)
        else:
            faults.setdefault(model, {})[item] = document
    for models, items in _alike({model: set(wrong) for model, wrong in faults.items()}):
        wrong = faults[models[0]]
        swapped = {item: owners[wrong[item]] for item in items if wrong[item] in owners}
        if swapped:
            pairs = [f"{item!r} is {_nearest(item, of)!r}" for item, of in swapped.items()]
            text = (
                f"{_counted(items)} with the content of others{_by(models, scores)}: "
                f"{', '.join(pairs[:3])}. The log numbers them wrongly, as lists of samples that "
                "do not ascend give: run them again, or read the log beside a full one of the "
                "task, which joins rows by their digest."
            )
        else:
            text = (
                f"{_counted(items)} with other content than when they were chosen"
                f"{_by(models, scores)}: {shown(list(items))}. Another version of the benchmark, "
                "or items that were numbered anew?"
            )
        yield Check("content", "failed", text, models, items)
    known = scores.contents["item"].n_unique()
    if not faults and same:
        which = "all" if len(same) == known else f"{len(same)} of"
        text = f"the content of {which} {known} items is what it was when they were chosen"
        yield Check("content", "passed", text)
    elif not faults:
        yield Check("content", "skipped", "of none of these items is it known what it was")


def _contradictions(manifest: Manifest, against: ScoreTable | None) -> Iterator[Check]:
    """Compare the full log itself with what the manifest holds of the items' content."""
    of_manifest, of_log = _documents(manifest, None), _documents(None, against)
    wrong = [
        item for item in of_manifest if of_log.get(item, of_manifest[item]) != of_manifest[item]
    ]
    if wrong:
        text = (
            f"{_counted(tuple(wrong))} with other content in the full log than the manifest says: "
            f"{shown(wrong)}. Give the full log of that version."
        )
        yield Check("against", "failed", text, (), tuple(wrong))


def _nearest(item: str, owners: list[str]) -> str:
    """Return the owner of the same task, as tasks may share documents; else the first."""
    task = item.partition(":")[0]
    return next((owner for owner in owners if owner.partition(":")[0] == task), owners[0])


def _documents(manifest: Manifest | None, against: ScoreTable | None) -> dict[str, str]:
    """Return the digest of each item's content, as far as it is known."""
    found: dict[str, str] = {}
    if against is not None and against.contents is not None:
        known = against.contents.drop_nulls("document")
        found.update(known.select("item", "document").iter_rows())
    if manifest is None:
        return found
    of_manifest = zip(manifest.items, manifest.item_hashes or (), strict=False)
    return found | {item: digest for item, digest in of_manifest if digest is not None}


def _check_prompts(scores: ScoreTable, against: ScoreTable | None) -> Iterator[Check]:
    """Compare the prompts of items with those in the full log; their content is the same."""
    if scores.contents is None or against is None or against.contents is None:
        return
    here = scores.contents.drop_nulls(["document", "prompt"])
    there = against.contents.drop_nulls(["document", "prompt"])
    if not here.height or not there.height:
        return
    own = here.join(there, on=["item", "model", "document"], suffix="_there")
    strangers = here.filter(~pl.col("model").is_in(there["model"].unique().to_list()))
    other = strangers.join(there.drop("model"), on=["item", "document"], suffix="_there")
    pairs = pl.concat([own, other])
    each = pairs.group_by("item", "model").agg(
        (pl.col("prompt") == pl.col("prompt_there")).any().alias("same")
    )
    moved = each.filter(~pl.col("same"))
    n = each["item"].n_unique()
    for models, items in _alike(_items_by_model(moved)):
        text = (
            f"{len(items)} of {n} items were asked with another prompt than in the full log, "
            f"though their content is the same{_by(models, scores)}: {shown(list(items))}. "
            "Few-shot examples move with the list of items where a harness draws them one by one "
            "(lm-eval's default sampler): use the task's `first_n` sampler, or none, for all runs."
        )
        yield Check("prompts", "failed", text, models, items)
    if n and not moved.height:
        yield Check("prompts", "passed", f"the prompts of all {n} items are those of the full log")


def _check_source(
    manifest: Manifest, runs: tuple[RunFacts, ...], against: ScoreTable | None
) -> Iterator[Check]:
    """Compare size and version of the benchmark that was run with that of the manifest."""
    source = manifest.source or (None if against is None else source_of(against.runs))
    known = {} if source is None else source.tasks
    for run in runs:
        for task, size in run.sizes.items():
            was = known[task].n if task in known else _size_of(manifest, run, task)
            if was is not None and was != size:
                of = f" of task {task!r}" if task else ""
                text = (
                    f"the benchmark had {size} items{of} in the run of {run.model!r}, and {was} "
                    "when the items were chosen. Another version, or another split?"
                )
                yield Check("size", "failed", text, (run.model,))
        for task, version in run.versions.items():
            was_version = known[task].version if task in known else None
            if was_version is not None and was_version != version:
                of = f" of task {task!r}" if task else ""
                text = (
                    f"the version{of} is {version!r} in the run of {run.model!r}, and was "
                    f"{was_version!r} when the items were chosen."
                )
                yield Check("version", "failed", text, (run.model,))


def _size_of(manifest: Manifest, run: RunFacts, task: str) -> int | None:
    """Return N of a task, where the manifest tells it."""
    sizes = manifest.group_sizes or {}
    if task in sizes and set(run.sizes) <= set(sizes):
        return sizes[task]
    is_one = len(sizes) < 2 and all(item.startswith(f"{task}:") for item in manifest.items)
    return manifest.n_frame if not task or is_one else None


def _check_digests(manifest: Manifest, runs: tuple[RunFacts, ...]) -> Iterator[Check]:
    """Look whether the runs were made for this manifest, where they say for which."""
    named = [run for run in runs if run.digest]
    for run in named:
        if not _is_named(manifest, run):
            text = (
                f"the run of {run.model!r} says that it was made for another manifest "
                f"({run.digest[:8]}…, and this is {manifest.digest[:8]}…). Give the log of the run "
                "for this one, or that manifest."
            )
            yield Check("manifest", "failed", text, (run.model,))
    if named and len(named) == len(runs) and all(_is_named(manifest, run) for run in named):
        yield Check("manifest", "passed", "the runs say that they were made for this manifest")


def _is_named(manifest: Manifest, run: RunFacts) -> bool:
    """Whether a run was made for this manifest, or for its pool; a run's name has 12 letters."""
    known = [digest for digest in (manifest.digest, manifest.parent) if digest is not None]
    return run.digest in known or run.digest in [digest[:NAMED] for digest in known]

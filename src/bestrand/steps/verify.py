"""Verify: is this the manifest of these items, and does the same draw come out again?"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from bestrand.core.frame import Frame, items_digest
from bestrand.core.manifest import ADOPTED, SINCE_2, Manifest
from bestrand.core.scores import ScoreMatrix, ScoreTable
from bestrand.core.texts import ItemTexts
from bestrand.errors import BestrandError
from bestrand.ids import explain_mismatch
from bestrand.methods import design_of
from bestrand.notes import Note, shown
from bestrand.record import Record
from bestrand.steps.draw_pool import draw_pool
from bestrand.steps.select import select
from bestrand.steps.verify_run import Check, check_benchmark, check_run


@dataclass(frozen=True, slots=True)
class Verification(Record):
    """What `verify` found.

    Attributes:
        ok: whether nothing failed.
        kind: of the manifest, "pool" or "subset".
        n: items that it holds.
        checks: one a thing looked at.
        notes: what reading the other file found odd.
    """

    ok: bool
    kind: str
    n: int
    checks: tuple[Check, ...]
    notes: tuple[Note, ...] = ()


def verify(
    manifest: Manifest,
    items: Frame | ScoreTable | ScoreMatrix | Sequence[str],
    *,
    pool: Manifest | None = None,
    texts: ItemTexts | None = None,
    against: ScoreTable | None = None,
) -> Verification:
    """Check a manifest against items or scores.

    Given the whole frame (or the pool, for a subset with a parent), it checks that this is the
    frame drawn from, and draws again. Given the scores of a run, it checks by model that exactly
    the chosen items were run, and, as far as logs say it, that their content, their prompts, the
    version and the size of the benchmark are what they were when the items were chosen.

    Args:
        manifest: a pool or a subset, as read; an edited file is refused when it is read.
        items: the frame's items, the scores the choice was made from, or the scores of a run.
        pool: the parent, for a subset chosen from a pool.
        texts: the items' texts, for a subset chosen by them.
        against: scores from full logs, with whose content and prompts a run is compared.

    Returns:
        The checks and their outcome.
    """
    checks = tuple(_checks(manifest, items, pool, texts, against))
    notes = () if isinstance(items, ScoreMatrix) else getattr(items, "notes", ())
    ok = all(check.outcome != "failed" for check in checks)
    return Verification(ok, manifest.kind, manifest.n, checks, notes)


def _checks(
    manifest: Manifest,
    items: Frame | ScoreTable | ScoreMatrix | Sequence[str],
    pool: Manifest | None,
    texts: ItemTexts | None,
    against: ScoreTable | None,
) -> Iterator[Check]:
    ids = _ids(items)
    if pool is not None:
        yield _check_parent(manifest, pool)
    if manifest.n < manifest.n_frame and _is_run(manifest, ids, items, pool):
        if isinstance(items, ScoreTable | ScoreMatrix):
            yield from check_run(manifest, items, against)
        else:
            yield Check("items", "passed", f"exactly the {manifest.n} chosen items are here")
        if manifest.design == ADOPTED:
            yield _not_drawn(manifest)
        return
    fits = _check_items(manifest, ids, pool)
    yield fits
    if isinstance(items, ScoreTable) and items.runs and fits.outcome == "passed":
        yield from check_benchmark(manifest, items, against)
    if manifest.design == ADOPTED:
        yield _not_drawn(manifest)
    elif fits.outcome == "passed":
        yield _redraw(manifest, items, pool, texts)


def _is_run(
    manifest: Manifest,
    ids: tuple[str, ...],
    items: Frame | ScoreTable | ScoreMatrix | Sequence[str],
    pool: Manifest | None,
) -> bool:
    """Whether these are what a run of the chosen items left, and not what they were chosen from."""
    here = set(ids)
    if here == set(manifest.items):
        return True
    if not isinstance(items, ScoreTable | ScoreMatrix):
        return False
    if isinstance(items, ScoreTable) and items.runs and not _ran_alike(items, manifest):
        return True
    if items_digest(here) == manifest.frame_digest:
        return False
    is_pool = pool is not None and here == set(pool.items)
    holds_all = set(manifest.items) <= here
    if is_pool or (holds_all and len(here) in (manifest.n_pool, manifest.n_frame)):
        return False
    if isinstance(items, ScoreTable) and items.runs:
        return len(here) < manifest.n_frame
    return len(here) ** 2 < manifest.n * manifest.n_frame  # nearer to n than to N


def _ran_alike(scores: ScoreTable, manifest: Manifest) -> bool:
    """Whether every model of logs ran all of these items, as what a choice is made from did."""
    models = set(scores.models)
    if manifest.probes and models == set(manifest.probes):
        return True
    each = scores.rows.group_by("model").agg(pl.col("item").n_unique())
    return bool((each["item"] == scores.items.height).all())


def _not_drawn(manifest: Manifest) -> Check:
    """Return what of a subset that others chose cannot be checked."""
    how = "how is not known"
    if manifest.parameters.get("inclusion") == "random":
        how = (
            f"they were adopted as a simple random sample of {manifest.n_frame} items, "
            "which cannot be checked"
        )
    if manifest.n == manifest.n_frame:
        how = "they are the whole benchmark"
    return Check(
        "redrawn", "skipped", f"the items were chosen elsewhere, so nothing is drawn again: {how}"
    )


def _check_unbound(manifest: Manifest, ids: tuple[str, ...]) -> Check:
    """Look at items for a manifest that knows of the frame no more than its size."""
    absent = sorted(set(manifest.items) - set(ids))
    if absent:
        said = f"{len(absent)} of {manifest.n} chosen items are absent ({shown(absent)})"
        return Check("frame", "failed", said + explain_mismatch(manifest.items, ids))
    if len(ids) != manifest.n_frame:
        said = f"the manifest is of {manifest.n_frame} items, and these are {len(ids)}"
        return Check("frame", "failed", said)
    said = f"all {manifest.n} chosen items are among these {len(ids)}"
    return Check("frame", "passed", f"{said}, as many as the manifest says; it does not list them")


def _ids(items: Frame | ScoreTable | ScoreMatrix | Sequence[str]) -> tuple[str, ...]:
    if isinstance(items, ScoreTable):
        return tuple(items.items["item"])
    if isinstance(items, ScoreMatrix):
        return items.frame.items
    return items.items if isinstance(items, Frame) else Frame.of(items).items


def _check_parent(manifest: Manifest, pool: Manifest) -> Check:
    if manifest.parent == pool.digest:
        return Check("parent", "passed", f"chosen from this pool ({pool.digest[:8]}…)")
    return Check("parent", "failed", f"not chosen from this pool ({pool.digest[:8]}…)")


def _check_items(manifest: Manifest, ids: tuple[str, ...], pool: Manifest | None) -> Check:
    here = set(ids)
    if manifest.frame_digest is None:
        return _check_unbound(manifest, ids)
    if Frame.of(ids).digest == manifest.frame_digest:
        return Check("frame", "passed", f"drawn from these {len(ids)} items")
    if pool is not None and here == set(pool.items) and manifest.parent == pool.digest:
        return Check("items", "passed", f"these are the {pool.n} items of the pool")
    absent = sorted(set(manifest.items) - here)
    if not absent and manifest.parent is not None and len(ids) == manifest.n_pool:
        return Check(
            "items",
            "passed",
            f"all {manifest.n} chosen items are among these {len(ids)}",
        )
    extra = len(here - set(manifest.items))
    said = f"{len(absent)} of {manifest.n} chosen items are absent"
    if absent:
        said += f" ({shown(absent)})"
    return Check(
        "frame",
        "failed",
        f"drawn from {manifest.n_frame} items, and not from these {len(ids)}: {said}, "
        f"{extra} others are here.{explain_mismatch(manifest.items, ids)}",
    )


def _redraw(
    manifest: Manifest,
    items: Frame | ScoreTable | ScoreMatrix | Sequence[str],
    pool: Manifest | None,
    texts: ItemTexts | None,
) -> Check:
    """Draw again with the same settings and compare."""
    if manifest.parent is not None and pool is None:
        return Check("redrawn", "skipped", "chosen from a pool; give it too, to draw again")
    if manifest.probes and not isinstance(items, ScoreTable | ScoreMatrix):
        return Check(
            "redrawn",
            "skipped",
            "chosen by scores; give the probes' scores to draw again",
        )
    if "texts_digest" in manifest.parameters and texts is None:
        return Check(
            "redrawn",
            "skipped",
            "chosen by the items' texts; give them, --texts (texts=), to draw again",
        )
    try:
        again = _draw_again(manifest, items, pool, texts)
    except BestrandError as error:
        return Check("redrawn", "skipped", f"cannot be drawn again: {error}")
    if again.scores_digest != manifest.scores_digest:
        return Check("redrawn", "skipped", "these are not the probe scores it was chosen by")
    if again.parameters.get("texts_digest") != manifest.parameters.get("texts_digest"):
        return Check(
            "redrawn",
            "skipped",
            "these are not the representations it was chosen by: other texts, another method, or "
            "another version of what made them",
        )
    other = _other_fields(manifest, again)
    if again.items == manifest.items and other:
        return Check(
            "redrawn",
            "failed",
            f"the same {manifest.n} items are drawn again, but the manifest says otherwise of "
            f"{', '.join(other)}",
        )
    if again.items == manifest.items:
        return Check("redrawn", "passed", f"the same {manifest.n} items are drawn again")
    common = len(set(again.items) & set(manifest.items))
    return Check(
        "redrawn",
        "failed",
        f"other items are drawn now: {common} of {manifest.n} are the same "
        f"(written by bestrand {manifest.bestrand_version})",
    )


def _other_fields(manifest: Manifest, again: Manifest) -> list[str]:
    """Name the fields in which a redrawn manifest differs, as far as they can be compared."""
    skipped = {"digest", "bestrand_version", "items", "schema_version"}
    # layout 1 does not hold these, and neither does what is no log
    skipped |= {name for name in SINCE_2 if None in (getattr(manifest, name), getattr(again, name))}
    if again.group_sizes is None:  # a bare list of ids knows no groups
        skipped |= {"group_sizes", "item_groups", "notes"}
    one, other = manifest.model_dump(), again.model_dump()
    for fields in (one, other):  # versions word their notes differently
        fields["notes"] = [note["code"] for note in fields["notes"]]
    return sorted(name for name in one if name not in skipped and one[name] != other[name])


def _draw_again(
    manifest: Manifest,
    items: Frame | ScoreTable | ScoreMatrix | Sequence[str],
    pool: Manifest | None,
    texts: ItemTexts | None,
) -> Manifest:
    design = design_of(manifest.design, manifest.parameters)
    n = int(manifest.parameters["n"])
    weighting = manifest.weighting
    if manifest.kind == "pool":
        factor = float(manifest.parameters["factor"])
        return draw_pool(
            items, n, factor=factor, design=design, weighting=weighting, seed=manifest.seed
        )
    if not isinstance(items, ScoreTable | ScoreMatrix | Frame):
        items = Frame.of(items)
    probes, metrics = manifest.probes or None, manifest.metrics or None
    return select(
        items,
        n,
        pool=pool,
        design=design,
        probes=probes,
        metrics=metrics,
        weighting=weighting,
        texts=texts,
        seed=manifest.seed,
    )

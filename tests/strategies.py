"""Hypothesis strategies for the nouns. A new noun joins here, so that old properties meet it."""

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bestrand.core.frame import Frame
from bestrand.core.scores import ScoreMatrix
from bestrand.types import FloatArray, IntArray, Norm, Weighting


BINARY = st.sampled_from([0.0, 1.0])
QUARTERS = st.integers(0, 4).map(lambda k: k / 4)
DYADIC = st.integers(0, 2**20).map(lambda k: k / 2**20)  # adding or scaling them rounds nothing
REAL = st.floats(0.0, 1.0)

NORMS: tuple[Norm, ...] = ("l1", "l2", "linf")
norms = st.sampled_from(NORMS)
item_ids = st.text(st.characters(codec="utf-8"), min_size=1, max_size=6)


def score_arrays(
    n_rows: int, n_columns: int, *, exact: bool = False, missing: bool = False
) -> st.SearchStrategy[FloatArray]:
    """Scores on 0..1, right-or-wrong or graded, (n_rows, n_columns).

    Args:
        n_rows: how many rows.
        n_columns: how many columns.
        exact: only numbers that sums and scaling by whole numbers do not round.
        missing: some may be nan.
    """
    kinds = [BINARY, QUARTERS, DYADIC] if exact else [BINARY, QUARTERS, DYADIC, REAL]
    shape = (n_rows, n_columns)
    return st.one_of(
        [
            arrays(
                np.float64, shape, elements=st.one_of(kind, st.just(np.nan)) if missing else kind
            )
            for kind in kinds
        ]
    )


def weight_arrays(n: int) -> st.SearchStrategy[FloatArray]:
    """Give n weights above 0, mostly unequal; (n,)."""
    return arrays(np.float64, n, elements=st.integers(1, 16).map(lambda k: k / 4))


def group_codes(n: int, n_groups: int = 4) -> st.SearchStrategy[IntArray]:
    """Give the codes of n items' groups, every code up to the highest in use; (n,)."""
    return arrays(np.int64, n, elements=st.integers(0, n_groups - 1)).map(
        lambda codes: np.unique(codes, return_inverse=True)[1].astype(np.int64)
    )


@st.composite
def frames(
    draw: st.DrawFn,
    *,
    min_items: int = 1,
    max_items: int = 12,
    grouped: bool | None = None,
    weightings: tuple[Weighting, ...] = ("micro", "macro", "explicit"),
) -> Frame:
    """Frames of a few items, with groups or without, weighted in any of the ways.

    Args:
        draw: Hypothesis hands it in.
        min_items: N at least.
        max_items: N at most.
        grouped: whether the items have groups; None means either.
        weightings: ways to weigh; "macro" only comes where there are groups.
    """
    items = draw(st.lists(item_ids, min_size=min_items, max_size=max_items, unique=True))
    with_groups = draw(st.booleans()) if grouped is None else grouped
    names = st.sampled_from(["algebra", "botany", "chess"])
    groups = draw(st.lists(names, min_size=len(items), max_size=len(items)))
    weighting = draw(st.sampled_from([w for w in weightings if with_groups or w != "macro"]))
    return Frame.of(
        items,
        groups=groups if with_groups else None,
        weights=draw(weight_arrays(len(items))) if weighting == "explicit" else None,
        weighting=weighting,
    )


@st.composite
def score_matrices(
    draw: st.DrawFn,
    *,
    frame: Frame | None = None,
    min_models: int = 1,
    max_models: int = 4,
    min_items: int = 1,
    max_items: int = 12,
    exact: bool = False,
    missing: bool = False,
) -> ScoreMatrix:
    """Scores of a few models over a frame, on 0..1 and declared so.

    Args:
        draw: Hypothesis hands it in.
        frame: the items; any of `frames` unless given.
        min_models: L at least.
        max_models: L at most.
        min_items: N at least, of frames that are not given.
        max_items: N at most, of frames that are not given.
        exact: see `score_arrays`.
        missing: see `score_arrays`.
    """
    whole = frame or draw(frames(min_items=min_items, max_items=max_items))
    n_models = draw(st.integers(min_models, max_models))
    values = draw(score_arrays(n_models, whole.n, exact=exact, missing=missing))
    models = tuple(f"m{row}" for row in range(n_models))
    return ScoreMatrix(whole, models, values, bounds=(0.0, 1.0))


class Search(NamedTuple):
    """A search to run: columns (m, C), and how many items to draw."""

    columns: FloatArray
    n: int
    norm: Norm


@st.composite
def searches(
    draw: st.DrawFn, *, max_items: int = 40, max_columns: int = 20, exact: bool = False
) -> Search:
    """Searches of any shape: a single item, all items, more than half of them; ties abound."""
    m = draw(st.integers(1, max_items))
    n = draw(st.one_of(st.integers(1, m), st.sampled_from([1, m, max(1, m - 1)])))
    n_columns = draw(st.integers(1, max_columns))
    columns = draw(score_arrays(m, n_columns, exact=exact))
    return Search(columns, n, draw(norms))

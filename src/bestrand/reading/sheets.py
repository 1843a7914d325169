"""Sheets: scores laid out with a row for each model, or for each item."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal, Self

import numpy as np
import polars as pl

from bestrand.types import FloatArray


Kind = Literal["model", "item"]


@dataclass(frozen=True, eq=False)
class Sheet:
    """Scores with a row for each model, or for each item.

    Attributes:
        kind: what the rows are.
        names: of the L rows, in the order of the file.
        groups: of each row; None where there is none.
        values: (L, C), nan where there is no score; a cell for each metric of each of the others.
    """

    kind: Kind
    names: list[str]
    groups: list[str | None]
    values: FloatArray

    @classmethod
    def of(cls, rows: pl.DataFrame, kind: Kind) -> Self:
        """Lay out rows in long form, which have a score."""
        other = "item" if kind == "model" else "model"
        names = rows.group_by(kind, maintain_order=True).agg(pl.col("group").drop_nulls().first())
        cells = rows.select(other, "metric").unique(maintain_order=True)
        place = rows.select(kind, other, "metric", "score")
        place = place.join(names.select(kind).with_row_index("row"), on=kind)
        place = place.join(cells.with_row_index("cell"), on=[other, "metric"])
        values = np.full((names.height, cells.height), np.nan)
        values[place["row"].to_numpy(), place["cell"].to_numpy()] = place["score"].to_numpy()
        groups = names["group"].to_list() if kind == "item" else [None] * names.height
        return cls(kind, names[kind].to_list(), groups, values)

    def at(self, rows: Collection[int]) -> FloatArray:
        """Take rows, in ascending order."""
        return self.values[sorted(rows)]


def odd_rows(values: FloatArray, numbers: list[int]) -> list[int]:
    """Return the rows whose scores are of another kind than those of most others.

    Where at least half of the rows, and two, hold nothing but 0 and 1, all others are odd; where
    as many lie in 0..1, those beyond it.

    Args:
        values: (L, C), nan where there is no score.
        numbers: what to call the L rows.
    """
    there = ~np.isnan(values)
    for is_usual in (
        (np.isin(values, (0, 1)) | ~there).all(axis=1),
        (((values >= 0) & (values <= 1)) | ~there).all(axis=1),
    ):
        usual = is_usual & there.any(axis=1)
        if usual.sum() >= max(2, len(values) / 2):
            return [numbers[k] for k in np.flatnonzero(~is_usual)]
    return []

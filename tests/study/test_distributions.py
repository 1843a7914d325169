"""Shapes for the report: on small tables whose answers are known."""

import numpy as np
import polars as pl
import pytest

from bestrand.rng import Stream
from bestrand.study.columns import SETTING
from bestrand.study.distributions import STATISTICS, distributions, law_bars, precision, stability


PLACE = {
    "experiment": "e",
    "benchmark": "b",
    "kind": None,
    "family": "f",
    "metric": "score",
    "matched": "score",
    "split": "random",
    "regime": "probes",
    "known": 8.0,
    "n_known": 8,
    "retention": 0.1,
    "n": 10,
}


def cell(strategy: str, **more: object) -> dict[str, object]:
    """Make a line of cells, every figure 1 and every error .1 unless told otherwise."""
    figures = dict.fromkeys(STATISTICS, 1.0)
    errors = {f"{name}_se": 0.1 for name in STATISTICS}
    return {**PLACE, "strategy": strategy, "replicates": 5, **figures, **errors, **more}


def test_the_places_are_those_of_a_cell() -> None:
    assert tuple(PLACE) == SETTING


def test_percentiles_are_those_of_the_replicates() -> None:
    errors = Stream.of(0, "t").generator().random(41)
    rows = pl.DataFrame(
        [{**PLACE, "strategy": "a", "mae": error} for error in errors], infer_schema_length=None
    )
    line = distributions(rows).row(0, named=True)

    assert line["replicates"] == 41
    assert [line[f"q{p}"] for p in (5, 25, 50, 75, 95)] == pytest.approx(
        np.quantile(errors, [0.05, 0.25, 0.5, 0.75, 0.95])
    )


def test_both_are_lower_only_where_mean_and_spread_are() -> None:
    cells = pl.DataFrame(
        [
            cell("random"),
            cell("a", mae=0.9, sd=0.9),
            cell("random", retention=0.2),
            cell("a", retention=0.2, mae=0.9, sd=1.1),
            cell("a", retention=0.5, mae=0.1),
        ],
        infer_schema_length=None,
    )
    lines = stability(cells, "a")

    assert lines["both_lower"].to_list() == [True, False]
    assert lines["base_mae"].to_list() == [1.0, 1.0]
    assert lines["retention"].to_list() == [0.1, 0.2]  # at .5 there is no base


def test_the_law_expects_what_its_percentiles_say() -> None:
    law = np.arange(1, 100) / 100  # uniform on 0..1
    bars = law_bars(law, np.array([0.05, 0.15, 0.25, 1.5]))
    known = bars.filter(pl.col("expected").is_not_null())

    assert bars["share"].sum() == pytest.approx(1)
    assert bars["high"].max() == pytest.approx(1.5)
    assert known["expected"].to_numpy() == pytest.approx(np.full(known.height, 0.05))
    assert known["low"].min() >= law[0]
    assert known["high"].max() <= law[-1]


def test_errors_of_benchmarks_add_in_squares_and_those_of_cells_in_line() -> None:
    cells = pl.DataFrame(
        [
            cell("a", mae_se=0.3),
            cell("a", mae_se=0.5, retention=0.2),
            cell("a", mae_se=0.3, benchmark="c", kind="text"),
        ],
        infer_schema_length=None,
    )
    lines = {(row["kind"], row["retention"]): row for row in precision(cells).iter_rows(named=True)}

    assert lines["all", None]["mae_se"] == pytest.approx(np.hypot(0.4, 0.3) / 2)
    assert lines["all", 0.2]["mae_se"] == pytest.approx(0.5)
    assert lines["text", None]["mae_se"] == pytest.approx(0.3)
    assert ("text", 0.2) not in lines


def test_the_error_said_is_not_too_small() -> None:
    rng = Stream.of(0, "repeats").generator()
    means, said = [], []
    for _ in range(300):
        values = rng.normal(size=(4, 25)) * np.array([[1.0], [2.0], [0.5], [1.0]])
        cells = pl.DataFrame(
            [
                cell("a", benchmark=str(b), mae_se=row.std(ddof=1) / 5)
                for b, row in enumerate(values)
            ],
            infer_schema_length=None,
        )
        means.append(values.mean())
        said.append(precision(cells)["mae_se"][0])

    assert np.mean(said) == pytest.approx(np.std(means), rel=0.15)


def test_nothing_has_no_precision() -> None:
    assert precision(pl.DataFrame()).is_empty()

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import bestrand as br
from bestrand.core.manifest import fields_digest
from bestrand.errors import ArgumentError, FileError, InputError, OutputError
from bestrand.study.protocol import Protocol
from bestrand.study.run import Progress, read_study, run_study
from bestrand.study.table import StudyTable
from tests.study.conftest import protocol_of


PROTOCOL = protocol_of()
N_CELLS = 4


class Counter:
    """Count the cells that are computed; stop after so many, if asked."""

    def __init__(self, stop_after: int | None = None) -> None:
        self.computed, self.damaged, self.stop_after = 0, 0, stop_after

    def __call__(self, seen: Progress) -> None:
        """Count one."""
        self.damaged = seen.damaged
        self.computed += seen.last is not None
        if self.computed == self.stop_after:
            raise KeyboardInterrupt


def count(
    matrix: br.ScoreMatrix, folder: Path, protocol: Protocol = PROTOCOL, seed: int = 0
) -> tuple[int, StudyTable]:
    counter = Counter()
    table = run_study({"b": matrix}, protocol, output=folder, seed=seed, progress=counter)
    return counter.computed, table


def parts(folder: Path) -> list[Path]:
    return sorted((folder / "cells").glob("*.parquet"))


def test_the_table_is_tidy(small: br.ScoreMatrix) -> None:
    table = run_study({"b": small}, PROTOCOL)

    assert table.rows.height == N_CELLS * 3
    assert table.rows["replicate"].to_list() == [0, 1, 2] * N_CELLS
    assert table.rows["n"].unique().sort().to_list() == [38, 76]
    assert table.rows["mae"].is_between(0, 0.3).all()
    assert table.rows["cost_construction"].unique().sort().to_list() == pytest.approx(
        [0.0, 6 * 152 / 381, 6 * 304 / 381]
    )
    assert (table.missing, table.empty.height, table.theory.height) == (0, 0, 0)


def test_the_same_seed_gives_the_same_table_and_another_seed_another(small: br.ScoreMatrix) -> None:
    first, again, other = (run_study({"b": small}, PROTOCOL, seed=s) for s in (1, 1, 2))

    assert first.rows.equals(again.rows)
    assert not first.rows.equals(other.rows)


def test_what_was_stored_is_the_table(small: br.ScoreMatrix, tmp_path: Path) -> None:
    table = run_study({"b": small}, PROTOCOL, output=tmp_path)
    again = read_study(tmp_path)

    assert again.rows.equals(table.rows)
    assert again.benchmarks.equals(table.benchmarks)
    assert (again.protocol, again.seed) == (PROTOCOL, 0)
    assert again.averages().equals(table.averages())


def test_a_stopped_study_goes_on_and_repeats_nothing(small: br.ScoreMatrix, tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        run_study({"b": small}, PROTOCOL, output=tmp_path, progress=Counter(stop_after=3))
    stopped = read_study(tmp_path)
    computed, table = count(small, tmp_path)

    assert stopped.missing == 1
    assert computed == 1
    assert table.rows.equals(run_study({"b": small}, PROTOCOL).rows)


def spoil(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:100])


def put_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def put_broken_link(path: Path) -> None:
    path.unlink()
    path.symlink_to("nowhere")


@pytest.mark.parametrize("damage", [spoil, cut, put_folder, put_broken_link])
def test_a_damaged_part_is_found_and_made_again(
    damage: Callable[[Path], None], small: br.ScoreMatrix, tmp_path: Path
) -> None:
    _, whole = count(small, tmp_path)
    damage(parts(tmp_path)[1])
    torn = read_study(tmp_path)
    counter = Counter()
    table = run_study({"b": small}, PROTOCOL, output=tmp_path, progress=counter)

    assert torn.missing == 1
    assert (counter.damaged, counter.computed) == (1, 1)
    assert table.rows.equals(whole.rows)
    assert len(parts(tmp_path)) == N_CELLS


def test_a_folder_with_content_in_place_of_a_part_is_named(
    small: br.ScoreMatrix, tmp_path: Path
) -> None:
    count(small, tmp_path)
    part = parts(tmp_path)[1]
    put_folder(part)
    (part / "mine").write_text("keep me")

    assert read_study(tmp_path).missing == 1
    with pytest.raises(OutputError, match=r"cannot be taken away .* Take it away, or name another"):
        count(small, tmp_path)
    assert (part / "mine").read_text() == "keep me"


def test_times_that_cannot_be_noted_are_said(small: br.ScoreMatrix, tmp_path: Path) -> None:
    (tmp_path / "times.jsonl").mkdir()

    with pytest.raises(OutputError, match=r"Cannot write .*times.jsonl'"):
        count(small, tmp_path)


def test_a_part_that_may_not_be_read_is_named(
    small: br.ScoreMatrix, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count(small, tmp_path)

    read = Path.read_bytes

    def refuse(path: Path) -> bytes:
        if path.suffix == ".parquet":
            raise PermissionError(13, "Permission denied", str(path))
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(FileError, match=r"cannot be read .Permission denied"):
        read_study(tmp_path)


def rewrite(path: Path, changes: dict[str, object], *, stamped: bool) -> None:
    """Change fields of a file, with the digest of what it says then or as it was."""
    fields = {**json.loads(path.read_text()), **changes}
    if stamped:
        fields["digest"] = fields_digest(fields)
    path.write_text(json.dumps(fields))


@pytest.mark.parametrize(
    ("changes", "stamped", "said"),
    [
        ({"seed": 1}, False, "it was changed after it was written"),
        ({"benchmarks": []}, False, "it was changed after it was written"),
        ({"digest": None}, False, "it was changed after it was written"),
        ({"format": 2}, True, "it is not of format 1"),
        ({"format": "1"}, True, "it is not of format 1"),
        ({"cells": [{"key": "../" * 10 + "ab", "is_law": False, "place": {}}]}, True, "writes"),
        ({"cells": [{"key": "AB" * 16, "is_law": False, "place": {}}]}, True, "writes"),
        ({"more": 1}, True, "it is not what this bestrand writes"),
    ],
)
def test_a_changed_plan_is_refused_and_mended_by_the_same_study(
    changes: dict[str, object], *, stamped: bool, said: str, small: br.ScoreMatrix, tmp_path: Path
) -> None:
    _, whole = count(small, tmp_path)
    rewrite(tmp_path / "study.json", changes, stamped=stamped)

    with pytest.raises(FileError, match=f"{said}.* Run the study again into this folder"):
        read_study(tmp_path)
    assert count(small, tmp_path)[0] == 0
    assert read_study(tmp_path).rows.equals(whole.rows)


@pytest.mark.parametrize("content", [b"", b"[]", b"\xff", b"[" * 100_000, b"{}"])
def test_what_is_no_plan_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "study.json").write_bytes(content)

    with pytest.raises(FileError, match="this cannot be used, for it is not"):
        read_study(tmp_path)


def test_what_an_interrupted_write_left_is_no_part(small: br.ScoreMatrix, tmp_path: Path) -> None:
    count(small, tmp_path)
    left = tmp_path / "cells" / ".x.parquet.0000.tmp"
    left.write_bytes(b"half")

    assert count(small, tmp_path)[0] == 0
    assert not left.exists()


@pytest.mark.parametrize(
    ("changes", "computed"),
    [
        ({"name": "another", "figure": [3]}, 0),
        ({"retentions": [0.1]}, 0),
        ({"retentions": [0.1, 0.2, 0.3]}, 2),
        ({"strategies": ["random", "bestrand", "balanced"]}, 2),
        ({"strategies": ["random", {"name": "again", "like": "bestrand", "n_probes": 6}]}, 0),
        ({"strategies": ["random", {"name": "fewer", "like": "bestrand", "n_probes": 5}]}, 2),
        ({"alpha": 3}, 2),  # of no matter to random subsets
        ({"known": [7]}, 4),
        ({"replicates": 2}, 4),
        ({"forecast": True}, 4),
        ({"splits": ["weak-to-strong"]}, 4),
    ],
)
def test_another_protocol_computes_what_is_not_there(
    changes: dict[str, object], computed: int, small: br.ScoreMatrix, tmp_path: Path
) -> None:
    count(small, tmp_path)
    found, table = count(small, tmp_path, protocol_of(**changes))

    assert found == computed
    assert table.rows.equals(run_study({"b": small}, protocol_of(**changes)).rows)


def test_settings_that_come_to_the_same_counts_stay_cells_of_their_own(
    small: br.ScoreMatrix, tmp_path: Path
) -> None:
    changes = {"retentions": [0.1, 0.1005], "known": [6, 0.3158]}
    computed, table = count(small, tmp_path, protocol_of(**changes))
    cells = table.cells()

    assert computed == 2
    assert cells.select("n", "n_known").unique().rows() == [(38, 6)]
    assert cells.select("strategy", "retention", "known").n_unique() == cells.height == 8
    assert cells["replicates"].unique().to_list() == [3]
    assert table.ratios().height == 8


def test_another_seed_or_other_scores_compute_all(small: br.ScoreMatrix, tmp_path: Path) -> None:
    count(small, tmp_path)
    values = small.values.copy()
    values[0, 0] = 1 - values[0, 0]

    assert count(small, tmp_path, seed=1)[0] == N_CELLS
    assert count(replace(small, values=values), tmp_path)[0] == N_CELLS
    assert count(small, tmp_path)[0] == 0


def test_the_order_of_models_is_nothing(small: br.ScoreMatrix, tmp_path: Path) -> None:
    count(small, tmp_path)

    assert count(small.take_models(small.models[::-1]), tmp_path)[0] == 0


def test_another_benchmark_joins_without_moving_the_first(
    small: br.ScoreMatrix, tmp_path: Path
) -> None:
    _, alone = count(small, tmp_path)
    counter = Counter()
    both = run_study({"a": small, "b": small}, PROTOCOL, output=tmp_path, progress=counter)

    assert counter.computed == N_CELLS
    assert (
        both.rows.filter(pl.col("benchmark") == "b")
        .drop("family")
        .equals(alone.rows.drop("family"))
    )
    assert both.benchmarks["family"].to_list() == ["a", "a"]


def test_all_strategies_meet_the_same_split_and_random_is_the_same_in_both_regimes(
    small: br.ScoreMatrix,
) -> None:
    protocol = Protocol.of(
        {
            "name": "x",
            "experiments": [
                {
                    "name": regime,
                    "regime": regime,
                    "strategies": ["random", "random + ridge"],
                    "retentions": [0.2],
                    "known": [10],
                    "replicates": 2,
                }
                for regime in ("probes", "sources")
            ],
        }
    )
    done = Counter()
    rows = run_study({"b": small}, protocol, progress=done).rows
    random = rows.filter(pl.col("strategy") == "random")

    assert done.computed == 2
    assert random.filter(pl.col("experiment") == "probes")["mae"].equals(
        random.filter(pl.col("experiment") == "sources")["mae"]
    )
    assert rows.filter(pl.col("strategy") != "random")["cost_construction"].unique().item() == 10


def test_a_cell_that_cannot_run_stays_empty_with_the_reason(small: br.ScoreMatrix) -> None:
    bare = replace(small, frame=br.Frame.of(small.frame.items))
    table = run_study(
        {"b": bare}, protocol_of(strategies=["random", "stratified", "k-center"], known=[6, 18])
    )
    reasons = dict(table.empty.group_by("strategy").agg(pl.col("reason").unique()).iter_rows())

    assert table.rows["strategy"].unique().to_list() == ["random"]
    assert table.rows["known"].unique().to_list() == [6.0]
    assert any("needs each item's group" in reason for reason in reasons["stratified"])
    assert any("texts or embeddings" in reason for reason in reasons["k-center"])
    assert reasons["random"] == [
        "A split needs 18 known models and 2 targets or more; these "
        "models allow 18 and 1. Lower `known`, or leave the benchmark out."
    ]


def test_texts_are_handed_to_designs_that_look_at_them(small: br.ScoreMatrix) -> None:
    vectors = np.random.default_rng(0).normal(size=(small.frame.n, 4))
    texts = br.ItemTexts.of_embeddings(small.frame.items, vectors)
    protocol = protocol_of(strategies=["random", "k-center"], retentions=[0.1], replicates=1)
    table = run_study({"b": small}, protocol, texts={"b": texts})

    assert table.rows["strategy"].to_list() == ["random", "k-center"]


def test_a_benchmark_with_holes_is_named_and_left_out(small: br.ScoreMatrix) -> None:
    values = small.values.copy()
    values[2, 5] = np.nan
    table = run_study({"b": small, "holes": replace(small, values=values)}, PROTOCOL)

    assert table.rows["benchmark"].unique().to_list() == ["b"]
    assert table.benchmarks["reason"].null_count() == 1
    assert "Scores are missing, 1 of 7239" in table.benchmarks["reason"][1]
    with pytest.raises(InputError, match="None of 1 benchmarks can be used"):
        run_study({"holes": replace(small, values=values)}, PROTOCOL)


def test_a_benchmark_that_no_experiment_takes_is_named(small: br.ScoreMatrix) -> None:
    few = small.take_models(small.models[:9])
    table = run_study({"b": small, "few": few}, protocol_of(min_models=12))

    assert table.rows["benchmark"].unique().to_list() == ["b"]
    assert "`min_models` (it has 9)" in table.benchmarks["reason"][1]


def test_several_metrics_are_matched_together(small: br.ScoreMatrix) -> None:
    rows = [
        pl.DataFrame(
            {
                "item": small.frame.items,
                "model": model,
                "metric": metric,
                "score": scores if metric == "score" else scores[::-1],
            }
        )
        for model, scores in zip(small.models, small.values, strict=True)
        for metric in ("score", "turned")
    ]
    changes = {"metrics": ["score", "turned"], "retentions": [0.2], "replicates": 2}
    table = run_study(br.read_scores(pl.concat(rows)), protocol_of(**changes, matched="all"))
    alone = run_study(br.read_scores(pl.concat(rows)), protocol_of(**changes))
    best = pl.col("strategy") == "bestrand"

    assert table.rows["matched"].unique().to_list() == ["score+turned"]
    assert sorted(table.rows["metric"].unique()) == ["score", "turned"]
    assert not table.rows.filter(best)["mae"].equals(alone.rows.filter(best)["mae"])
    assert table.rows.filter(~best)["mae"].equals(alone.rows.filter(~best)["mae"])


@pytest.mark.slow
def test_the_law_stands_beside_the_draws(small: br.ScoreMatrix) -> None:
    table = run_study(
        {"b": small},
        protocol_of(strategies=["random"], splits=["none"], replicates=200, theory=True),
    )
    law = table.theory.row(0, named=True)

    assert table.theory.height == 2
    assert law["models"] == 19
    assert law["random_mean"] == pytest.approx(law["law_mean"], rel=0.1)
    assert law["random_p95"] == pytest.approx(law["law_p95"], rel=0.2)
    assert law["distance"] < 0.12  # of 200 draws; 0.096 is the 95 % point of Kolmogorov's law
    assert (len(law["law"]), len(law["draws"])) == (99, 200)
    assert table.rows.filter(pl.col("retention") == 0.1)["mae"].sort().to_list() == law["draws"]


def test_forecasts_stand_beside_what_happened(small: br.ScoreMatrix) -> None:
    strategies = ["random", "bestrand", "stratified"]
    protocol = protocol_of(strategies=strategies, forecast=True, retentions=[0.2])
    table = run_study({"b": small}, protocol)
    ahead = dict(table.cells().select("strategy", "forecast_mean").iter_rows())

    assert 0.5 < ahead["random"] / table.cells()["mae"][0] < 2
    assert ahead["bestrand"] < ahead["random"]
    assert np.isnan(ahead["stratified"])


@pytest.mark.slow
def test_bestrand_errs_less_than_random_on_real_scores(blink: br.ScoreTable) -> None:
    protocol = protocol_of(strategies=["random", "bestrand", "balanced"], known=[8], replicates=30)
    averages = run_study({"blink": blink}, protocol, seed=0).averages()
    overall = averages.filter((pl.col("kind") == "all") & pl.col("retention").is_null())
    ratio = dict(overall.select("strategy", "mae_ratio").iter_rows())

    assert ratio["random"] == 1.0
    assert ratio["bestrand"] < 0.95
    assert ratio["balanced"] < 0.95


def test_bad_arguments_are_refused(small: br.ScoreMatrix, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("x")
    matrices = {"b": small}

    with pytest.raises(ArgumentError, match="`workers` must be 1 or more, got 0"):
        run_study(matrices, PROTOCOL, workers=0)
    with pytest.raises(ArgumentError, match="`workers` or `cluster`, and not both"):
        run_study(matrices, PROTOCOL, workers=2, cluster="tcp://127.0.0.1:1")
    with pytest.raises(OutputError, match="is a file"):
        run_study(matrices, PROTOCOL, output=file)
    with pytest.raises(OutputError, match="holds other things than a study"):
        run_study(matrices, PROTOCOL, output=tmp_path)
    with pytest.raises(ArgumentError, match="finds nothing to do on 'b'"):
        run_study(matrices, protocol_of(kinds=["text"]))
    with pytest.raises(ArgumentError, match="one file of scores or more, got none"):
        run_study({}, PROTOCOL)
    with pytest.raises(FileError, match="no study here"):
        read_study(tmp_path)

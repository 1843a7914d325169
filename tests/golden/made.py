"""What is pinned: subsets, estimates, a study and the JSON contracts, computed from the code.

Every entry is plain data (dicts, lists, text, numbers) on parts of the bundled real scores. Words
of notes and what goes with the package's version are masked, for they change without any number.
"""

import contextlib
import io
import json
import math
import tempfile
from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from threadpoolctl import threadpool_info  # type: ignore[import-untyped]

import bestrand as br
from bestrand.cli import main
from bestrand.core.texts import ItemTexts, embed_texts
from bestrand.data import load
from bestrand.designs.stratified import Stratified
from bestrand.errors import DesignError, EstimateError
from bestrand.estimators.inverse_probability import HorvitzThompson
from bestrand.methods import DESIGNS, STRATEGIES, Strategy
from bestrand.study.run import read_study


N_TARGETS, SEEDS = 5, (0, 1)
DEFAULT = "default pool and subset"
# matrix -> (step from one item taken to the next, size of the subset)
PARTS = {"mmlu_pro": (75, 24), "intercode_sql": (8, 20)}
OTHER = ("blink_val", 8)  # a second benchmark, for a suite
WORDS = ("river", "stone", "prime", "verb", "cell", "market", "engine", "poem")
PAIRED = {
    **STRATEGIES,
    "stratified equal + horvitz-thompson": Strategy(
        Stratified("equal"), HorvitzThompson(), "groups"
    ),
}
# keys whose values go with the version or are words; whole sentences are masked too
MASKED = {"digest", "parent", "bestrand_version", "text"}
MASK = "(masked)"


class Part(NamedTuple):
    """A part of a bundled matrix.

    Attributes:
        matrix: scores of all models.
        n: size of the subsets that are drawn from it.
    """

    matrix: br.ScoreMatrix
    n: int

    @property
    def known(self) -> br.ScoreMatrix:
        """The models that are known: probes, or sources."""
        return self.matrix.take_models(self.matrix.models[:-N_TARGETS])

    @property
    def targets(self) -> br.ScoreMatrix:
        """The models whose full scores are estimated."""
        return self.matrix.take_models(self.matrix.models[-N_TARGETS:])


@cache
def part(name: str, form: str) -> Part:
    """Take a part of a bundled matrix: "no groups", or with groups "micro" or "macro"."""
    step, n = PARTS[name]
    return Part(_thinned(name, step, form), n)


@cache
def _whole(name: str) -> br.ScoreMatrix:
    return load(name).matrix()


def _thinned(name: str, step: int, form: str) -> br.ScoreMatrix:
    whole = _whole(name)
    columns = list(range(0, whole.frame.n, step))
    groups = [(whole.frame.groups or ())[column] for column in columns]
    frame = br.Frame.of(
        [whole.frame.items[column] for column in columns],
        groups=None if form == "no groups" else groups,
        weighting="macro" if form == "macro" else "micro",
    )
    return br.ScoreMatrix(frame, whole.models, whole.values[:, columns], "score", (0.0, 1.0))


@cache
def texts(name: str) -> ItemTexts:
    """Make a text for each item: six words, and a number that comes again."""
    items = part(name, "micro").matrix.frame.items
    rng = np.random.default_rng(0)
    return embed_texts(
        items, [f"{' '.join(rng.choice(WORDS, size=6))} {i % 7}" for i in range(len(items))]
    )


def kernel() -> str:
    """Name what computes in this process: the BLAS kernels, and numpy's own vector instructions."""
    found = {
        f"{pool['internal_api']} {pool.get('architecture', 'unknown')}"
        for pool in threadpool_info()
        if pool["user_api"] == "blas"
    }
    # show_config takes the mode that numpy's own stub leaves out
    simd: Any = np.show_config(mode="dicts")
    levels = simd["SIMD Extensions"].get("found") or simd["SIMD Extensions"].get("baseline")
    return "; ".join([*sorted(found), f"numpy {levels[-1] if levels else 'plain'}"])


def made_design(word: str) -> dict[str, Any]:
    """Give the items that a design chooses, by matrix, form and seed."""
    return {
        name: {
            form: {
                f"seed {seed}": _refused_or(partial(_chosen, word, name, form, seed))
                for seed in SEEDS
            }
            for form in ("no groups", "micro", "macro")
        }
        for name in PARTS
    }


def _chosen(word: str, name: str, form: str, seed: int) -> list[str]:
    known = part(name, form).known
    n = part(name, form).n
    design = DESIGNS[word]()
    return list(br.select(known, n, design=design, texts=texts(name), seed=seed).items)


def made_pools() -> dict[str, Any]:
    """Give the items of the default pool and of the default subset that is drawn from it."""
    made: dict[str, Any] = {}
    for name, (_, n) in PARTS.items():
        for form in ("no groups", "micro", "macro"):
            for seed in SEEDS:
                known = part(name, form).known
                pool = br.draw_pool(known.frame, n, factor=3, seed=seed)
                subset = br.select(known.take_items(pool.items), n, pool=pool, seed=seed)
                made.setdefault(name, {}).setdefault(form, {})[f"seed {seed}"] = {
                    "pool": list(pool.items),
                    "subset": list(subset.items),
                }
    return made


def made_estimates(strategy: str) -> dict[str, Any]:
    """Give the estimates of a strategy with their errors, by matrix and weighting."""
    return {
        name: {
            form: _refused_or(partial(_estimated, PAIRED[strategy], name, form))
            for form in ("micro", "macro")
        }
        for name in PARTS
    }


def _estimated(strategy: Strategy, name: str, form: str) -> dict[str, Any]:
    known, targets, n = part(name, form).known, part(name, form).targets, part(name, form).n
    knows = strategy.needs in ("probes", "sources")
    subset = br.select(
        known if knows else known.frame,
        n,
        design=strategy.design,
        probes=known.models if knows else None,
        texts=texts(name),
        seed=SEEDS[0],
    )
    result = br.estimate(
        targets, subset, probes=known if knows else None, estimator=strategy.estimator
    )
    upper = np.triu_indices(len(result.models), 1)
    values = {
        "estimate": result.estimate,
        "se": result.se,
        "low": result.low,
        "high": result.high,
        "half_width": result.half_width,
        "pair_difference": result.pair_difference[upper],
        "pair_se": result.pair_se[upper],
        "pair_half_width": result.pair_half_width[upper],
    }
    return {"items": list(subset.items), **{key: plain(value) for key, value in values.items()}}


def _refused_or(run: Callable[[], Any]) -> Any:  # noqa: ANN401
    """Give what is made, or the kind of error where the method refuses; its words may change."""
    try:
        return run()
    except (DesignError, EstimateError) as error:
        return f"refused: {type(error).__name__}"


@cache
def made_prints() -> dict[str, Any]:
    """Run the command line on small files; give what each contract prints, and a study's table.

    Keys are names of contracts, and "study table".
    """
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        return _prints()


def _prints() -> dict[str, Any]:
    whole = part("intercode_sql", "micro")
    _write("all.parquet", whole.matrix)
    _write("known.parquet", whole.known)
    _write("targets.parquet", whole.targets)
    _write("other.parquet", _thinned(*OTHER, "micro"))
    targets = ("targets.parquet", "--probes", "known.parquet")
    made = {
        "read": _run("read", "all.parquet"),
        "demo": _run("demo", "--draws", "10"),
        "pool": _run("pool", "all.parquet", "-n", "30", "--factor", "3", "-o", "pool.json"),
        "manifest": _run("select", "known.parquet", "-n", "30", "-o", "subset.json"),
        "estimate": _run("estimate", "subset.json", *targets),
        "compare": _run("compare", "subset.json", *targets, "--baseline", whole.targets.models[0]),
        "export": _run("export", "subset.json", "--to", "json", "-o", "exported"),
        "verify": _run("verify", "subset.json", "known.parquet"),
        "diagnose": _run("diagnose", "all.parquet", "--retention", "0.2"),
        "plan": _run("plan", "all.parquet", "--max-error", "0.1", "--retention", "0.2"),
        "suite": _run("plan", "a=all.parquet", "b=other.parquet", "--suite", "--budget", "80"),
        "backtest": _run("backtest", "all.parquet", "-n", "20", "--draws", "4"),
        "report": _run("report", "subset.json", *targets, "-o", "page.html"),
        "study": _run("study", "all.parquet", "--protocol", "quick", "-o", "study"),
    }
    table = read_study(Path("study"))
    made["study table"] = {
        "cells": _records(table.cells()),
        "ratios": _records(table.ratios()),
    }
    return {name: masked(value) for name, value in made.items()}


def _write(path: str, matrix: br.ScoreMatrix) -> None:
    """Write a matrix as a file of scores."""
    rows = [
        {"item": item, "model": model, "score": float(score), "group": group}
        for model, scores in zip(matrix.models, matrix.values, strict=True)
        for item, group, score in zip(
            matrix.frame.items, matrix.frame.groups or (), scores, strict=True
        )
    ]
    pl.DataFrame(rows).write_parquet(path)


def _run(*words: str) -> Any:  # noqa: ANN401
    """Run a verb with --json and read what it prints."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.suppress(SystemExit):
        main([*words, "--json", "--quiet"])
    return json.loads(said.getvalue())


def _records(table: pl.DataFrame) -> dict[str, Any]:
    """Give a table by its columns."""
    return {name: plain(table[name].to_list()) for name in table.columns}


def masked(value: Any) -> Any:  # noqa: ANN401
    """Mask what changes with the version or with words alone: digests, texts and sentences."""
    if isinstance(value, Mapping):
        return {
            key: MASK if key in MASKED and isinstance(each, str) else masked(each)
            for key, each in value.items()
        }
    if isinstance(value, str) and value.endswith("."):
        return MASK
    return [masked(each) for each in value] if isinstance(value, list) else plain(value)


def plain(value: Any) -> Any:  # noqa: ANN401
    """Turn arrays to lists, and numbers that JSON lacks to text."""
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return repr(value)
    return value

"""Benchmarks: full scores as a study takes them, each with its kind and its cluster."""

import hashlib
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from bestrand.core.manifest import scores_digest
from bestrand.core.scores import ScoreMatrix, ScoreTable, why_missing
from bestrand.core.texts import ItemTexts
from bestrand.errors import ArgumentError, InputError
from bestrand.notes import Note, shown
from bestrand.reading.faults import ErrorPolicy
from bestrand.reading.texts import read_texts
from bestrand.steps.read_scores import read_scores
from bestrand.study.protocol import Protocol
from bestrand.study.splits import Label, families_of, label_models
from bestrand.types import FloatArray


KINDS = ("text", "multimodal", "agent", "vla")
TEXTS = "texts"
SHARED = 0.5

Scores = ScoreTable | ScoreMatrix
Matrices = Mapping[str, Scores | str | Path] | Sequence[str | Path] | str | Path | Scores


@dataclass(frozen=True, eq=False)
class Benchmark:
    """Full scores of one benchmark: every model on every item.

    Attributes:
        name: distinct within a study.
        kind: "text", "multimodal", "agent" or "vla"; None where it is not known.
        family: cluster of benchmarks that share their models.
        matrices: metric -> scores, the main metric first; models ascending.
        texts: of the items, for designs that look at them.
        model_families: of each model, ascending by model.
        model_dates: of each model, nan where unknown.
        reason: why it cannot be used, or None.
        notes: what was noted when it was read.
    """

    name: str
    kind: str | None
    family: str
    matrices: dict[str, ScoreMatrix]
    texts: ItemTexts | None = None
    model_families: tuple[str, ...] = ()
    model_dates: FloatArray = field(default_factory=lambda: np.empty(0))
    reason: str | None = None
    notes: tuple[Note, ...] = ()

    @property
    def main(self) -> ScoreMatrix:
        """Scores in the main metric."""
        return next(iter(self.matrices.values()))

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models, ascending."""
        return self.main.models

    @cached_property
    def digests(self) -> dict[str, str]:
        """SHA-256 by metric, over models, items, scores, groups, weights and bounds."""
        return {metric: _digest(matrix) for metric, matrix in self.matrices.items()}

    @cached_property
    def labels_digest(self) -> str:
        """SHA-256 over the models' families and dates."""
        text = repr((self.models, self.model_families, self.model_dates.tolist()))
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def take_benchmarks(
    matrices: Matrices,
    protocol: Protocol,
    texts: Mapping[str, ItemTexts] | None = None,
    errors: ErrorPolicy = "keep",
) -> tuple[Benchmark, ...]:
    """Read what a study is given.

    Args:
        matrices: name -> scores, files or folders; or the scores of one benchmark. A file is named
            after its stem, and its kind is the name of its folder if that is a kind. A folder
            `texts` holds the items' texts, one file a benchmark.
        protocol: says which benchmarks and models belong together.
        texts: name -> representations of the items' texts, for benchmarks that have some.
        errors: what a row of a file counts as that has an error, as in `read_scores`.

    Returns:
        Benchmarks in ascending order of names. One that cannot be used has a `reason`.

    Raises:
        ArgumentError: there are none, or two of one name.
        FileError: a file that cannot be read.
    """
    found = list(_named(matrices))
    if not found:
        raise ArgumentError("`matrices` must be one file of scores or more, got none.")
    names = [name for name, _, _ in found]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ArgumentError(
            f"Benchmarks must have distinct names; {shown(twice)} come more than once. Rename them."
        )
    parts = []
    given = texts or {}
    for name, source, beside in sorted(found, key=lambda entry: entry[0]):
        scores = (
            source
            if isinstance(source, ScoreTable | ScoreMatrix)
            else read_scores(source, errors=errors)
        )
        parts.append(_take(name, scores, _kind(source), given.get(name, beside), protocol))
    return _clustered(parts, protocol)


def _named(matrices: Matrices) -> Iterator[tuple[str, Scores | Path, ItemTexts | None]]:
    if isinstance(matrices, ScoreTable | ScoreMatrix):
        yield "scores", matrices, None
        return
    if isinstance(matrices, Mapping):
        for name, source in matrices.items():
            yield name, Path(source) if isinstance(source, str) else source, None
        return
    paths = [matrices] if isinstance(matrices, str | Path) else list(matrices)
    for path in map(Path, paths):
        if not path.is_dir():
            yield path.stem, path, _texts(path)
            continue
        found = sorted(path.rglob("*.parquet"))
        if not found:
            raise ArgumentError(
                f"Folder {str(path)!r} holds no Parquet files of scores. Name the files.", path=path
            )
        for file in found:
            if file.parent.name != TEXTS:
                yield file.stem, file, _texts(file)


def _texts(path: Path) -> ItemTexts | None:
    """Read the texts that lie beside a file, or beside its folder."""
    places = [folder / TEXTS / path.name for folder in (path.parent, path.parent.parent)]
    there = next((place for place in places if place.is_file()), None)
    return None if there is None else read_texts(there)


def _kind(source: Scores | Path) -> str | None:
    folder = source.resolve().parent.name if isinstance(source, Path) else ""
    return folder if folder in KINDS else None


def _take(
    name: str, scores: Scores, kind: str | None, texts: ItemTexts | None, protocol: Protocol
) -> Benchmark:
    tables = (
        {scores.metric: scores}
        if isinstance(scores, ScoreMatrix)
        else {metric: scores.matrix(metric) for metric in _wanted(scores, protocol)}
    )
    matrices = {m: matrix.take_models(sorted(matrix.models)) for m, matrix in tables.items()}
    main = next(iter(matrices.values()))
    known = _known_models()
    dates = label_models(main.models, _after(protocol.model_dates, known["dates"]))
    return Benchmark(
        name=name,
        kind=kind,
        family=name,
        matrices={m: matrix for m, matrix in matrices.items() if matrix.models == main.models},
        texts=texts,
        model_families=families_of(main.models, _after(protocol.model_families, known["families"])),
        model_dates=np.array([np.nan if date is None else date for date in dates]),
        reason=_unusable(main, why_missing(scores)),
        notes=scores.notes if isinstance(scores, ScoreTable) else (),
    )


def _known_models() -> dict[str, Any]:
    """Read the shipped patterns of widely known models; a protocol's own go before them."""
    text = files("bestrand.study").joinpath("models.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def _after(own: Mapping[str, Label], shipped: Mapping[str, Label]) -> dict[str, Label]:
    """Put shipped patterns behind a protocol's own."""
    return {**own, **{name: label for name, label in shipped.items() if name not in own}}


def _wanted(scores: ScoreTable, protocol: Protocol) -> list[str]:
    """Name the main metric, and those that some experiment names."""
    main = scores.metrics[0]
    named = {metric for experiment in protocol.experiments for metric in experiment.metrics}
    return [main, *(metric for metric in scores.metrics[1:] if metric in named)]


def _unusable(matrix: ScoreMatrix, why: str) -> str | None:
    n_missing = int(matrix.missing.sum())
    if n_missing:
        row, column = np.argwhere(matrix.missing)[0]
        return (
            f"Scores are missing, {n_missing} of {matrix.values.size} (first: model "
            f"{matrix.models[row]!r}, item {matrix.frame.items[column]!r}), and full scores need "
            f"them all.{why} Leave out those models or items."
        )
    if len(matrix.models) < 2 or matrix.frame.n < 2:
        return "A study needs two models and two items or more."
    return None


def _clustered(parts: list[Benchmark], protocol: Protocol) -> tuple[Benchmark, ...]:
    """Put benchmarks that share half of the models of the smaller into one cluster."""
    cluster = {part.name: part.name for part in parts}
    for position, one in enumerate(parts):
        for other in parts[:position]:
            common = len(set(one.models) & set(other.models))
            if common >= SHARED * min(len(one.models), len(other.models)):
                old, new = sorted([cluster[one.name], cluster[other.name]])[::-1]
                cluster = {name: new if of == old else of for name, of in cluster.items()}
    declared = protocol.clusters.items()
    for name in cluster:
        label = next((label for pattern, label in declared if fnmatchcase(name, pattern)), None)
        cluster[name] = cluster[name] if label is None else label
    return tuple(replace(part, family=cluster[part.name]) for part in parts)


def require_usable(benchmarks: Sequence[Benchmark]) -> None:
    """Require one benchmark at least that can be used.

    Raises:
        InputError: there is none; says why of the first.
    """
    if all(benchmark.reason for benchmark in benchmarks):
        first = benchmarks[0]
        raise InputError(
            f"None of {len(benchmarks)} benchmarks can be used. {first.name}: {first.reason}"
        )


def _digest(matrix: ScoreMatrix) -> str:
    frame = matrix.frame
    facts = (frame.digest, frame.groups, frame.weighting, matrix.metric, matrix.bounds)
    state = hashlib.sha256(repr(facts).encode("utf-8", "surrogatepass"))
    state.update(np.ascontiguousarray(frame.weights, dtype="<f8").tobytes())
    state.update(scores_digest(matrix.models, matrix.values).encode())
    return state.hexdigest()

"""What a log says of the run itself, and what runs say together of the benchmark."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from bestrand.record import Record


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class RunFacts(Record):
    """What the log of one model's run says beside its scores.

    Attributes:
        model: whose run it is.
        harness: the word for what wrote the log.
        harness_version: of it; "" where the log does not say.
        tasks: of which there are rows; empty where the benchmark has one list of items.
        sizes: items of the whole benchmark, by task; "" for a benchmark without tasks.
        versions: of the benchmark, by task: a version or a fingerprint.
        digest: of the manifest that it was run for, or its first letters; "" where the log does
            not say.
        paths: files that were read.
        lower_is_better: metrics of which a lower score is better, by the log.
    """

    model: str
    harness: str
    harness_version: str
    tasks: tuple[str, ...]
    sizes: Mapping[str, int]
    versions: Mapping[str, str]
    digest: str
    paths: tuple[str, ...]
    lower_is_better: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TaskSource(Record):
    """What is known of one task of a benchmark.

    Attributes:
        version: of the task or of its data; None where it is not known.
        n: items of the whole task; None where it is not known.
    """

    version: str | None
    n: int | None


@dataclass(frozen=True, slots=True)
class BenchmarkSource(Record):
    """Where the items of a benchmark come from.

    Attributes:
        harness: the word for what wrote the logs.
        version: of the harness; None where it is not known, or logs differ.
        tasks: by name; "" for a benchmark without tasks.
    """

    harness: str
    version: str | None
    tasks: dict[str, TaskSource]


def source_of(runs: Sequence[RunFacts]) -> BenchmarkSource | None:
    """Return what runs say of the benchmark, as far as they agree; None of several harnesses."""
    harness = _one(run.harness for run in runs)
    if harness is None:
        return None
    names = sorted({task for run in runs for task in (*run.sizes, *run.versions, *run.tasks)})
    tasks = {
        name: TaskSource(
            version=_one(run.versions[name] for run in runs if name in run.versions),
            n=_one(run.sizes[name] for run in runs if name in run.sizes),
        )
        for name in names
    }
    return BenchmarkSource(harness, _one(run.harness_version for run in runs) or None, tasks)


def _one(values: Iterable[T]) -> T | None:
    """Return the one value that all are; None where there are none, or several."""
    distinct = set(values)
    return distinct.pop() if len(distinct) == 1 else None

"""What a log says of the run itself."""

from collections.abc import Mapping
from dataclasses import dataclass

from bestrand.record import Record


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
        digest: of the manifest that it was run for; "" where the log does not say.
        paths: files that were read.
    """

    model: str
    harness: str
    harness_version: str
    tasks: tuple[str, ...]
    sizes: Mapping[str, int]
    versions: Mapping[str, str]
    digest: str
    paths: tuple[str, ...]

"""What every harness answers, and what a run is made of."""

from abc import ABC
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Literal, NamedTuple

from bestrand.harnesses.files import LogFile
from bestrand.notes import Note


MANIFEST_KEY = "bestrand"  # under which an export puts the manifest's digest into a log

Claim = Literal["log", "companion"]
Status = Literal["scored", "errored", "unscored", "missing"]


class LogRow(NamedTuple):
    """What a log says of one item, by one metric.

    Attributes:
        item: the harness's own id.
        metric: its name.
        score: the number, or None where there is none.
        status: "errored" where the run of the item failed, "unscored" where it ran and has no
            score, "missing" where it did not run.
        fault: the error in words, also where there is a score beside it; None without an error.
        repeat: which run of the item, where it ran several times.
        filter: by which the answer was taken, where there are several.
        group: of the item, where it is not the task.
        digest: tells the item's content, as the harness hashes it.
        prompt: tells the prompt, likewise.
        line: where in the file, or None.
    """

    item: str
    metric: str
    score: float | None
    status: Status = "scored"
    fault: str | None = None
    repeat: str | None = None
    filter: str | None = None
    group: str | None = None
    digest: str | None = None
    prompt: str | None = None
    line: int | None = None


class LogPart(NamedTuple):
    """The rows of one file of a run, of one task.

    Attributes:
        path: the file.
        rows: in file order.
        task: its name; "" where one list of ids serves the whole benchmark. Items are then called
            by their own ids, and `task:id` else.
        named: what the user called the model, as in NAME=PATH; "" without.
    """

    path: Path
    rows: Sequence[LogRow]
    task: str = ""
    named: str = ""


class Total(NamedTuple):
    """A mean or a sum that the harness itself gave, against which what was read is checked.

    Attributes:
        metric: of the scores.
        value: of the total.
        task: over which it goes; None: over all of the run.
        filter: of the scores; None: whichever.
        errors: whether the harness leaves errored items out ("missing") or counts them as 0.
        over: "items", after repeats were averaged inside an item; "rows", where each repeat
            counts; "sum", the sum over rows.
        tolerance: by how much rounding may change it.
    """

    metric: str
    value: float
    task: str | None = None
    filter: str | None = None
    errors: Literal["missing", "zero"] = "missing"
    over: Literal["items", "rows", "sum"] = "items"
    tolerance: float = 1e-6


@dataclass(frozen=True, slots=True)
class Run:
    """One model's run.

    Attributes:
        harness: the word for what wrote the log.
        model: its name.
        parts: the rows, by file and task.
        totals: what the harness gave itself.
        sizes: items of the whole benchmark, by task.
        ran: how many items ran by the log, by task; compared with the rows like a total.
        versions: of the benchmark: a version or a fingerprint, by task.
        harness_version: of the harness; "" where the log does not say.
        digest: of the manifest that it was run for, as an export writes it; "" without.
        unusable: metrics that have no score an item, and why, by name.
        bounds: lowest and highest score possible, by metric, where the format says so.
        lower_is_better: metrics of which a lower score is better, where the format says so.
        unfinished: in what state the run was left if it did not end; "" if it ended.
        notes: what was odd.
    """

    harness: str
    model: str
    parts: Sequence[LogPart]
    totals: Sequence[Total] = ()
    sizes: Mapping[str, int] = field(default_factory=dict)
    ran: Mapping[str, int] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    harness_version: str = ""
    digest: str = ""
    unusable: Mapping[str, str] = field(default_factory=dict)
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    lower_is_better: Collection[str] = ()
    unfinished: str = ""
    notes: Sequence[Note] = ()


FOLDER = "{folder}"  # in the words of a command: the folder into which the files were written


class Selection(NamedTuple):
    """The items to be run, as an export needs them.

    Attributes:
        digest: of the manifest.
        by_task: the harness's own ids, by task, in the order of the manifest; the task is "" where
            one list of ids serves the whole benchmark.
        every: own ids of all items of the benchmark, by task; None where they were not given.
        source: the harness's own file of all items; None where it was not given.
        dataset: the name under which the harness knows the benchmark; "" where it was not given.
    """

    digest: str
    by_task: Mapping[str, tuple[str, ...]]
    every: Mapping[str, tuple[str, ...]] | None = None
    source: Path | None = None
    dataset: str = ""

    @property
    def run_name(self) -> str:
        """A name for the run from which the manifest can be told."""
        return f"{MANIFEST_KEY}-{self.digest[:12]}"

    @property
    def ids(self) -> tuple[str, ...]:
        """Own ids of all tasks."""
        return tuple(item for items in self.by_task.values() for item in items)


class Export(NamedTuple):
    """What runs a harness on the chosen items.

    Attributes:
        files: content by file name, to be written into one folder.
        commands: the words of each command that runs it, with `FOLDER` for that folder; words in
            capitals are to be filled in.
        notes: what a user should know.
    """

    files: Mapping[str, bytes]
    commands: Sequence[Sequence[str]]
    notes: Sequence[Note] = ()


class Harness(ABC):
    """One harness: which files are its logs, what they say, and what it takes.

    Attributes:
        name: the word on the command line.
        title: as its authors write it.
        versions: of which logs or runs were tested.
        has_tasks: whether its runs have tasks, so that items are called `task:id`.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    versions: ClassVar[str]
    has_tasks: ClassVar[bool] = False

    def claim(self, file: LogFile) -> Claim | None:
        """Say whether a file is a log of this harness, or goes with one; by name and first bytes.

        A "companion" is read with the logs, or left aside, and never a table.
        """
        return None

    def read(self, files: Sequence[LogFile]) -> Iterator[Run]:
        """Read the runs that lie in files which this harness claims, in the order of the files.

        Raises:
            FileError: a file that is not as this harness writes it.
            InputError: rows that would change the score without a word.
        """
        raise NotImplementedError(self.name)

    def export(self, chosen: Selection) -> Export:
        """Write the chosen items as this harness takes them.

        Raises:
            ArgumentError: it takes no list of items, or needs something that was not given.
            ManifestError: an id that it cannot be told.
            FileError: its own file of all items is not as it writes it.
        """
        raise NotImplementedError(self.name)

    @property
    def reads(self) -> bool:
        """Whether logs are read."""
        return type(self).read is not Harness.read

    @property
    def exports(self) -> bool:
        """Whether chosen items are written."""
        return type(self).export is not Harness.export

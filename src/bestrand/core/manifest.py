"""The manifest: which items were chosen, how, and all that is needed to choose them again."""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired, Self, TypedDict, Unpack

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from bestrand.core.frame import Frame
from bestrand.core.runs import BenchmarkSource
from bestrand.errors import ManifestError
from bestrand.files import write_whole
from bestrand.ids import is_encodable
from bestrand.notes import Note, shown
from bestrand.types import FloatArray, IntArray, Weighting


SCHEMA_VERSION = 2  # of manifests that hold a field of `SINCE_2`; others are of layout 1
SINCE_2 = ("item_tasks", "item_hashes", "source")
ADOPTED = "Adopted"  # stands for the design of a subset that others chose
Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Balance = Literal["probes", "groups"]
PRINTED = ("costs", "equals", "read_notes")  # what `--json` prints beside a manifest


class DrawnFields(TypedDict):
    """What a manifest says of the chosen items and of what they were chosen from."""

    items: tuple[str, ...]
    n_frame: int
    frame_digest: str | None
    n_pool: int
    design: str
    balanced_on: tuple[Balance, ...]
    weighting: Weighting
    item_weights: tuple[float, ...] | None
    item_groups: tuple[str, ...] | None
    group_sizes: dict[str, int] | None
    estimation_weights: tuple[float, ...] | None
    inclusion: tuple[float, ...] | None
    distance: float | None
    notes: tuple[Note, ...]
    item_tasks: NotRequired[tuple[str, ...] | None]
    item_hashes: NotRequired[tuple[str | None, ...] | None]
    source: NotRequired[BenchmarkSource | None]


class MadeFields(TypedDict):
    """What a manifest says of how it was made."""

    kind: Literal["pool", "subset"]
    parameters: dict[str, Any]
    seed: int
    probes: tuple[str, ...]
    metrics: tuple[str, ...]
    scores_digest: str | None
    probe_means: dict[str, dict[str, float]] | None
    parent: str | None
    pool_balanced_on: NotRequired[tuple[Balance, ...]]


class ManifestFields(MadeFields, DrawnFields):
    """All that a manifest is made of; see the fields of `Manifest`."""


class Manifest(BaseModel):
    """A pool or a subset of a frame's items, with its provenance.

    Written as canonical JSON: equal manifests are equal bytes. `digest` covers all the rest, so
    an edited file is noticed.
    """

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        allow_inf_nan=False,
        title="bestrand manifest",
    )

    schema_version: Literal[1, 2] = Field(
        description="Version of this layout: 2 with `item_tasks`, `item_hashes` or `source`."
    )
    kind: Literal["pool", "subset"] = Field(
        description="`pool`: the items to run the probes on. `subset`: the items to run targets on."
    )
    items: tuple[str, ...] = Field(description="Ids of the chosen items, ascending by code point.")
    n_frame: int = Field(description="N, how many items the chosen ones stand for.", ge=1)
    frame_digest: Digest | None = Field(
        description="SHA-256 over the ids of the whole frame; null where they are not known, as "
        "may be for a subset chosen elsewhere."
    )
    n_pool: int = Field(
        description="m, how many items the choice was made from: the pool's, or the frame's.",
        ge=1,
    )
    design: str = Field(
        description="Name of the design that chose; `Adopted` for a subset chosen elsewhere."
    )
    parameters: dict[str, Any] = Field(description="The design's own settings.")
    balanced_on: tuple[Balance, ...] = Field(
        description="What the means of the chosen items were made to match."
    )
    pool_balanced_on: tuple[Balance, ...] = Field((), description="The same, of the parent pool.")
    seed: int = Field(description="Random seed.", ge=0)
    probes: tuple[str, ...] = Field(description="Models whose scores the design looked at.")
    metrics: tuple[str, ...] = Field(description="Metrics of the probes that it looked at.")
    scores_digest: Digest | None = Field(description="SHA-256 over those scores, or null.")
    parent: Digest | None = Field(description="`digest` of the pool's manifest, or null.")
    weighting: Weighting = Field(description="What an item counts for in the full score.")
    item_weights: tuple[float, ...] | None = Field(
        description="N times each chosen item's share of the full score; null where all are 1."
    )
    item_groups: tuple[str, ...] | None = Field(description="Each chosen item's group, or null.")
    group_sizes: dict[str, int] | None = Field(description="Items of each group in the frame.")
    estimation_weights: tuple[float, ...] | None = Field(
        description="What each chosen item counts for in the design's own estimate, mean 1: its "
        "cluster's share of the full score, or, where `inclusion` is given, its inverse chance; "
        "null where all count the same."
    )
    probe_means: dict[str, dict[str, float]] | None = Field(
        description="By metric and probe: weighted mean on the pool, which the estimators that "
        "use probes refer to; null if no probe was looked at."
    )
    inclusion: tuple[float, ...] | None = Field(
        description="Probability with which each chosen item was to be chosen; null if unknown."
    )
    distance: float | None = Field(
        description="Between the probes' means on the chosen items and on the pool; null if none."
    )
    notes: tuple[Note, ...] = Field(description="What a reader should know.")
    item_tasks: tuple[str, ...] | None = Field(
        None, description="Each chosen item's task, which begins its id, or null."
    )
    item_hashes: tuple[str | None, ...] | None = Field(
        None,
        description="Digest of each chosen item's content, as its harness computes it; null where "
        "it is not known.",
    )
    source: BenchmarkSource | None = Field(
        None, description="Harness, and version and size of each task, or null."
    )
    bestrand_version: str = Field(description="The version that wrote this.")
    digest: Digest = Field(description="SHA-256 over all the other fields.")

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        """Require that the fields do not contradict each other."""
        n = len(self.items)
        aligned = (
            *(self.item_weights, self.item_groups, self.estimation_weights, self.inclusion),
            *(self.item_tasks, self.item_hashes),
        )
        if n == 0 or list(self.items) != sorted(set(self.items)):
            raise ValueError("`items` must be distinct, ascending, and one at least")
        if not n <= self.n_pool <= self.n_frame:
            raise ValueError("sizes must be items <= n_pool <= n_frame")
        if any(values is not None and len(values) != n for values in aligned):
            raise ValueError("what goes with `items` must be as long as they are")
        weights = (self.item_weights, self.estimation_weights)
        if any(weight < 0 for values in weights for weight in values or ()):
            raise ValueError("weights must be 0 or more")
        if any(not 0 < chance <= 1 for chance in self.inclusion or ()):
            raise ValueError("`inclusion` must be above 0 and at most 1")
        groups, sizes = self.item_groups, self.group_sizes
        if groups is not None and sizes is not None and not set(groups) <= set(sizes):
            raise ValueError("`item_groups` must be among `group_sizes`")
        for means in (self.probe_means or {}).values():
            if set(means) != set(self.probes):
                raise ValueError("`probe_means` must be those of `probes`")
        if "" in (self.item_hashes or ()):
            raise ValueError("`item_hashes` must be text, or null where unknown")
        tasks = {} if self.source is None else self.source.tasks
        for name, n_chosen in Counter(self.item_tasks or ()).items():
            size = tasks[name].n if name in tasks else None
            if size is not None and not n_chosen <= size:
                raise ValueError("`source` must have as many items of each task as were chosen")
        if (self.schema_version == 1) != all(getattr(self, name) is None for name in SINCE_2):
            raise ValueError("`schema_version` must be 2 with tasks, hashes or source, else 1")
        return self

    @classmethod
    def make(cls, **fields: Unpack[ManifestFields]) -> Self:
        """Make a manifest and stamp it with version and digest.

        Raises:
            ManifestError: a field that is invalid, or a name that is not valid Unicode.
        """
        stamped = {
            "schema_version": 2 if any(fields.get(name) for name in SINCE_2) else 1,
            "bestrand_version": _own_version(),
            "digest": "0" * 64,
            **fields,
        }
        try:
            bare = cls.model_validate(stamped)
        except ValidationError as error:
            raise ManifestError(f"{_said(error)}. A manifest cannot be made of it.") from error
        written = bare.to_fields()
        if not is_encodable(json.dumps(written, ensure_ascii=False)):
            raise ManifestError(
                "A manifest must be valid Unicode, and some name in it has an unpaired surrogate. "
                "Rename that item, model or group."
            )
        return bare.model_copy(update={"digest": fields_digest(written)})

    @property
    def n(self) -> int:
        """How many items were chosen."""
        return len(self.items)

    @property
    def has_intervals(self) -> bool:
        """Whether estimates may have intervals: not if others chose, and how is not known."""
        return self.design != ADOPTED or self.inclusion is not None

    @cached_property
    def relative_weights(self) -> FloatArray:
        """(n,) N times each item's share of the full score."""
        return np.ones(self.n) if self.item_weights is None else np.array(self.item_weights)

    @cached_property
    def group_codes(self) -> IntArray | None:
        """(n,) number of each item's group, in the order of `group_sizes`, or None."""
        if self.item_groups is None or self.group_sizes is None:
            return None
        codes = {name: code for code, name in enumerate(self.group_sizes)}
        return np.array([codes[group] for group in self.item_groups], dtype=np.int64)

    def to_fields(self) -> dict[str, Any]:
        """Return the fields as JSON has them; those that came with layout 2 in no earlier one."""
        fields = self.model_dump(mode="json")
        late = SINCE_2 if self.schema_version == 1 else ()
        return {name: value for name, value in fields.items() if name not in late}

    def to_json(self) -> str:
        """Return the canonical text: sorted keys, ASCII, one line feed at the end."""
        return canonical(self.to_fields())

    def write(self, path: str | Path, *, force: bool = False) -> None:
        """Write the manifest; the same manifest may be written again.

        Raises:
            OutputError: the folder is not there, or something else stands at `path` and `force`
                is not given.
        """
        write_whole(Path(path), self.to_json().encode("ascii"), force=force)

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """Read a manifest and check that it was not edited.

        Raises:
            ManifestError: no such file, not a manifest, edited, or of a newer layout.
        """
        try:
            content = Path(path).read_bytes()
        except (OSError, ValueError) as error:
            raise ManifestError(f"{path}: cannot be read: {error}.", path=path) from error
        return cls.from_json(content, source=str(path))

    @classmethod
    def from_json(cls, text: str | bytes, *, source: str = "manifest") -> Self:
        """Make a manifest of its JSON; see `read`."""
        try:
            fields = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise _no_manifest(source, f"it is not JSON ({error})") from error
        if not isinstance(fields, dict) or "schema_version" not in fields:
            raise _no_manifest(source, "it has no `schema_version`")
        fields = {name: value for name, value in fields.items() if name not in PRINTED}
        layout = fields["schema_version"]
        if isinstance(layout, int) and layout > SCHEMA_VERSION:
            raise ManifestError(
                f"{source}: written in layout {layout} (by bestrand "
                f"{fields.get('bestrand_version', 'unknown')}), and this bestrand reads up to "
                f"{SCHEMA_VERSION}. Install a newer bestrand.",
                schema_version=layout,
            )
        try:
            # JSON has no tuples; everything else is checked strictly.
            manifest = cls.model_validate_json(json.dumps(fields))
        except ValidationError as error:
            raise ManifestError(
                f"{source}: {_said(error)}: changed after it was written, or no manifest. "
                "Draw it again, or take the copy that was published."
            ) from error
        if manifest.digest != fields_digest(fields):
            raise ManifestError(
                f"{source}: changed after it was written, for its digest does not match. "
                "Draw it again, or take the copy that was published."
            )
        return manifest

    def require_frame(self, frame: Frame) -> None:
        """Require that this was drawn from `frame`.

        Raises:
            ManifestError: it was drawn from other items.
        """
        if frame.digest == self.frame_digest:
            return
        absent = [item for item in self.items if item not in frame.positions]
        if self.frame_digest is None and frame.n == self.n_frame and not absent:
            return
        of = f" ({self.frame_digest[:8]}…)" if self.frame_digest else ""
        more = f" {len(absent)} chosen items are not among them: {shown(absent)}." if absent else ""
        raise ManifestError(
            f"This {self.kind} was drawn from a frame of {self.n_frame} items"
            f"{of}, these are {frame.n} ({frame.digest[:8]}…).{more} "
            "Another version of the benchmark, or another split?",
            absent=absent,
        )


@cache
def _own_version() -> str:
    """Read the version once: it lies in a file, and a study makes a manifest a replicate."""
    return version("bestrand")


def _no_manifest(source: str, why: str) -> ManifestError:
    return ManifestError(
        f"{source}: not a manifest, for {why}. Give the file that `bestrand pool` or `bestrand "
        "select` wrote."
    )


def _said(error: ValidationError) -> str:
    """Name the first field that is wrong, and what is wrong with it."""
    first = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in first["loc"]) or "manifest"
    return f"`{place}` is invalid ({first['msg']})"


def scores_digest(models: Sequence[str], values: FloatArray) -> str:
    """SHA-256 over names and scores, models in ascending order; values (L, m) go with them."""
    state = hashlib.sha256()
    for row in sorted(range(len(models)), key=models.__getitem__):
        state.update(models[row].encode("utf-8", "surrogatepass") + b"\0")
        state.update(np.ascontiguousarray(values[row], dtype="<f8").tobytes())
    return state.hexdigest()


def canonical(fields: dict[str, Any]) -> str:
    """Write fields as canonical JSON: sorted keys, ASCII, one line feed at the end."""
    return json.dumps(fields, sort_keys=True, indent=1, ensure_ascii=True) + "\n"


def fields_digest(fields: Mapping[str, Any]) -> str:
    """SHA-256 over all fields but `digest`, whatever their order."""
    rest = {name: value for name, value in fields.items() if name != "digest"}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()

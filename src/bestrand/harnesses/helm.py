"""HELM: statistics of every instance, with the run's specification beside them."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, final

from bestrand.errors import FileError
from bestrand.harnesses.base import Claim, Harness, LogPart, LogRow, Run, Status, Total
from bestrand.harnesses.files import LogFile
from bestrand.harnesses.values import digest_of, to_id, to_number
from bestrand.notes import Note, shown


INSTANCES = "per_instance_stats.json"
BESIDE = ("run_spec.json", "scenario.json", "scenario_state.json", "stats.json")
MODEL_WORDS = re.compile(r"(?:^|,)model(?:_deployment)?=[^,]*")


@final
class Helm(Harness):
    """The runs of `helm-run`: `runs/SUITE/SPEC/per_instance_stats.json` and what lies beside.

    An item is `SPEC:instance id`, of the specification without its model. Perturbed copies are left
    out; train trials are averaged inside an item. The metrics are those that the specification
    names, not the bookkeeping.
    """

    name: ClassVar[str] = "helm"
    title: ClassVar[str] = "HELM"
    versions: ClassVar[str] = "0.5.16"
    has_tasks: ClassVar[bool] = True

    def claim(self, file: LogFile) -> Claim | None:
        """Claim the files of a run by their names and each other; see `Harness.claim`."""
        if file.name == INSTANCES:
            return "log" if b'"instance_id"' in file.head else None
        is_beside = file.name in BESIDE and (file.path.parent / INSTANCES).exists()
        return "companion" if is_beside else None

    def read(self, files: Sequence[LogFile]) -> Iterator[Run]:
        """Read a run a folder; see `Harness.read`."""
        for file in files:
            if file.name == INSTANCES:
                yield _read(file)


def _read(file: LogFile) -> Run:
    spec = _beside(file, "run_spec.json") or {}
    adapter = spec.get("adapter_spec") or {}
    task = _task(str(spec.get("name") or file.path.parent.name))
    named = {
        name
        for metric in spec.get("metric_specs") or []
        for name in (metric.get("args") or {}).get("names") or []
    }
    notes: list[Note] = []
    instances = file.json()
    if not isinstance(instances, list):
        raise FileError("must hold a list of instances.", path=file.path)
    splits = {_split(one) for one in instances} - {""}
    split = "test" if "test" in splits or not splits else min(splits)
    if len(splits) > 1:
        text = (
            f"{file.path}: instances of the splits {shown(sorted(splits))}; those of {split!r} are "
            "read."
        )
        notes.append(Note("one-split", text))
    kept = [one for one in instances if _split(one) in ("", split)]
    contents = _contents(_beside(file, "scenario_state.json"))
    rows = list(_rows(file, kept, named, contents))
    return Run(
        harness=Helm.name,
        model=str(adapter.get("model") or file.path.parent.name),
        parts=[LogPart(file.path, rows, task, file.given.model)],
        totals=list(
            _totals(_beside(file, "stats.json") or [], {row.metric for row in rows}, split)
        ),
        notes=notes,
    )


def _split(instance: dict[str, Any]) -> str:
    """Return the split of an instance, by its statistics; "" where these do not say."""
    splits = {(stat.get("name") or {}).get("split") for stat in instance.get("stats") or []}
    return str(splits.pop()) if len(splits) == 1 and None not in splits else ""


def _contents(state: Any) -> dict[str, str]:  # noqa: ANN401
    """Return the digest of each instance's input, by its id."""
    found = {}
    for one in (state or {}).get("request_states") or []:
        instance = one.get("instance") or {}
        if not instance.get("perturbation"):
            text = json.dumps(instance.get("input"), sort_keys=True, ensure_ascii=False)
            found[str(instance.get("id"))] = digest_of(text)
    return found


def _beside(file: LogFile, name: str) -> Any:  # noqa: ANN401
    path = file.path.parent / name
    return LogFile(file.given._replace(path=path)).json() if path.exists() else None


def _task(name: str) -> str:
    """Take the model out of a specification's name.

    Examples:
        >>> _task("mmlu:subject=law,model=openai_gpt-4,data_augmentation=canonical")
        'mmlu:subject=law,data_augmentation=canonical'
        >>> _task("demo_mcqa:model=simple_model1")
        'demo_mcqa'
    """
    scenario, _, words = name.partition(":")
    rest = MODEL_WORDS.sub("", words).strip(",")
    return f"{scenario}:{rest}" if rest else scenario


def _rows(
    file: LogFile, instances: Sequence[dict[str, Any]], named: set[str], contents: Mapping[str, str]
) -> Iterator[LogRow]:
    trials = {one.get("train_trial_index") for one in instances}
    for one in instances:
        if one.get("perturbation"):
            continue
        item = to_id(one.get("instance_id"), file)
        repeat = str(one.get("train_trial_index")) if len(trials) > 1 else None
        for stat in one.get("stats") or []:
            metric = stat["name"]["name"]
            if (named and metric not in named) or stat["name"].get("perturbation"):
                continue
            score = to_number(stat.get("mean"), metric, file) if stat.get("count") else None
            status: Status = "unscored" if score is None else "scored"
            yield LogRow(item, metric, score, status, repeat=repeat, digest=contents.get(item))


def _totals(stats: Sequence[dict[str, Any]], usable: set[str], split: str) -> Iterator[Total]:
    """Give the means over instances and trials of a split, of scores that are not perturbed."""
    for stat in stats:
        name = stat["name"]
        is_whole = name.get("split") == split and not name.get("sub_split")
        plain = is_whole and not name.get("perturbation")
        if plain and name["name"] in usable and stat.get("mean") is not None:
            yield Total(name["name"], float(stat["mean"]), over="rows")

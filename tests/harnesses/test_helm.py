"""Runs of HELM: trials, perturbed copies, metrics of the specification."""

import json
from pathlib import Path
from typing import Any

from bestrand import read_scores


def instance(item: str, score: float, trial: int = 0, **more: Any) -> dict[str, Any]:  # noqa: ANN401
    stats = [
        {"name": {"name": name, "split": "test"}, "count": 1, "mean": value}
        for name, value in (("exact_match", score), ("num_prompt_tokens", 9.0))
    ]
    return {"instance_id": item, "train_trial_index": trial, "stats": stats, **more}


def write(folder: Path, *instances: dict[str, Any]) -> Path:
    spec = {
        "name": "mmlu:subject=law,model=openai_gpt-4",
        "adapter_spec": {"model": "openai/gpt-4"},
        "metric_specs": [{"args": {"names": ["exact_match"]}}],
    }
    folder.mkdir()
    (folder / "per_instance_stats.json").write_text(json.dumps(instances))
    (folder / "run_spec.json").write_text(json.dumps(spec))
    return folder


def test_trials_are_averaged_and_perturbed_copies_left_out(tmp_path: Path) -> None:
    perturbed = instance("id0", 0, perturbation={"name": "typos"})
    rows = [instance("id0", 1), instance("id0", 0, 1), instance("id1", 1), perturbed]
    table = read_scores(write(tmp_path / "run", *rows))

    assert table.models == ("openai/gpt-4",)
    assert table.metrics == ("exact_match",)
    assert table.frame().items == ("mmlu:subject=law:id0", "mmlu:subject=law:id1")
    assert table.matrix().values.tolist() == [[0.5, 1.0]]


def test_a_statistic_without_a_count_is_unscored(tmp_path: Path) -> None:
    empty = instance("id1", 0)
    empty["stats"][0] |= {"count": 0, "mean": None}

    assert read_scores(write(tmp_path / "run", instance("id0", 1), empty)).counts().unscored == 1

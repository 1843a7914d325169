"""Numbers that a user gets are the recorded ones; `scripts/golden.py` records them anew."""

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from scripts import golden

from bestrand.methods import DESIGNS
from bestrand.reporting.json.schemas import CONTRACTS
from tests.golden import made, records


RECORDED = records.recorded()
EXACT = records.Tolerance(1e-12, 0.0)
PRINTS = ["pool", "study table", *CONTRACTS]


def require_same_kernel(what: str) -> None:
    """Skip where the items depend on the processor and this one is not the recorded one."""
    here, there = made.kernel(), RECORDED[records.KERNEL]
    if here != there:
        pytest.skip(f"{what} depends on the processor: recorded with {there}, here {here}")


def require_recorded(what: str, name: str, now: Any) -> None:  # noqa: ANN401
    """Fail and say what differs."""
    near = records.tolerance(what, RECORDED[records.KERNEL], made.kernel())
    old = RECORDED[what][name] if what in ("designs", "estimates") else RECORDED[name]
    found = records.compare(old, now, near)

    assert not found, records.report(f"{what} / {name}", found)


def test_everything_is_recorded_and_nothing_else() -> None:
    assert set(RECORDED["designs"]) == {*DESIGNS, made.DEFAULT}
    assert set(RECORDED["estimates"]) == set(made.PAIRED)
    assert set(RECORDED) == {"designs", "estimates", records.KERNEL, *PRINTS}


@pytest.mark.parametrize("word", DESIGNS)
def test_a_design_chooses_the_recorded_items(word: str) -> None:
    if word in records.PROCESSOR_BOUND:
        require_same_kernel(f"what {word} chooses")

    require_recorded("designs", word, made.made_design(word))


def test_the_default_pool_and_subset_are_the_recorded_ones() -> None:
    require_recorded("designs", made.DEFAULT, made.made_pools())


@pytest.mark.parametrize("name", made.PAIRED)
def test_a_strategy_gives_the_recorded_estimates_and_errors(name: str) -> None:
    now = made.made_estimates(name)
    strategy, old = made.PAIRED[name], RECORDED["estimates"][name]
    if records.is_iterative(strategy):
        require_same_kernel(f"where the estimator of {name!r} stops")
    if records.is_bound(strategy) and records.items_of(now) != records.items_of(old):
        require_same_kernel(f"what the design of {name!r} chooses")

    require_recorded("estimates", name, now)


@pytest.mark.parametrize("name", PRINTS)
def test_the_command_line_prints_the_recorded_numbers(name: str) -> None:
    require_recorded("prints", name, made.made_prints()[name])


def test_a_difference_is_named_with_both_values() -> None:
    old = {"a": {"se": [0.1, 0.2]}, "b": ["x"], "c": 1, "gone": 0, "d": 0.5}
    new = {"a": {"se": [0.1, 0.3]}, "b": ["x", "y"], "c": 1.0, "d": 0.5 + 1e-14, "e": None}
    found = records.compare(old, new, EXACT)

    assert [(each.place, each.text) for each in found] == [
        ("a / se / [1]", "recorded 0.2, now 0.3"),
        ("b", "recorded 1 values, now 2"),
        ("c", "recorded 1, now 1.0"),
        ("gone", "recorded, and gone now"),
        ("e", "new, and not recorded"),
    ]
    assert records.report("x", found).startswith("x / a / se / [1]: recorded 0.2, now 0.3, and 4")
    assert records.compare("nan", 0.1, EXACT)
    assert records.compare(None, 0.0, EXACT)


def run_script(
    monkeypatch: pytest.MonkeyPatch, folder: Path, now: dict[str, Any], *words: str
) -> int:
    """Run the script on a copy of the records and of a change log in `folder`."""
    monkeypatch.setattr(records, "FOLDER", folder / "golden")
    monkeypatch.setattr(golden, "ROOT", folder)
    monkeypatch.setattr(golden, "CHANGELOG", folder / "CHANGELOG.md")
    (folder / "CHANGELOG.md").write_text("# Changes\n\n### Numbers changed\n\n- One.\n\n## 0.0.1\n")
    (folder / "golden" / "contracts").mkdir(parents=True)
    for name, value in RECORDED.items():
        records.path_of(name).write_text(records.dumped(value))
    monkeypatch.setattr(records, "made_now", lambda: now)
    monkeypatch.setattr("sys.argv", ["golden.py", *words])
    return golden.main()


def test_the_script_refuses_without_a_reason(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number, words in enumerate([(), ("--reason", "  ")]):
        folder = tmp_path / str(number)
        folder.mkdir()
        with pytest.raises(SystemExit) as refused:
            run_script(monkeypatch, folder, {}, *words)

        assert refused.value.code == 2
        assert "reason" in capsys.readouterr().err
        assert golden.CHANGELOG.read_text().count("- ") == 1


def test_the_script_writes_nothing_where_nothing_changed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    nearly = deepcopy(RECORDED)
    nearly["estimates"]["random"]["mmlu_pro"]["micro"]["se"][0] *= 1 + 1e-14

    assert run_script(monkeypatch, tmp_path, nearly, "--reason", "Why") == 0
    assert records.recorded() == RECORDED
    assert golden.CHANGELOG.read_text().count("- ") == 1


def test_the_script_writes_the_reason_and_what_changed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    changed = deepcopy(RECORDED)
    changed["estimates"]["random"]["mmlu_pro"]["micro"]["se"][0] *= 1.1
    changed["designs"]["balanced"]["mmlu_pro"]["micro"]["seed 0"][0] = "other"
    changed["estimate"]["resolution"] = 0.5
    changed["designs"]["new one"] = {}

    assert run_script(monkeypatch, tmp_path, changed, "--reason", "Wider  errors") == 0
    assert records.recorded() == changed
    assert golden.CHANGELOG.read_text() == (
        "# Changes\n\n### Numbers changed\n\n- One.\n- Wider errors. Changed in designs: balanced; "
        "estimates: random; printed: estimate.\n\n## 0.0.1\n"
    )

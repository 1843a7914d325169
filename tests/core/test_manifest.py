"""Manifests: equal ones are equal bytes, and none that was changed is taken for what it was."""

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bestrand import Frame, Manifest, ManifestError, Note, OutputError, draw_pool
from bestrand.core.manifest import SCHEMA_VERSION, SINCE_2, fields_digest, scores_digest
from bestrand.core.runs import BenchmarkSource, TaskSource


FIELDS: dict[str, Any] = {
    "kind": "subset",
    "items": ("a", "b,c", "é", "题\n", "🙂"),
    "n_frame": 9,
    "frame_digest": "0" * 64,
    "n_pool": 7,
    "design": "best_rand",
    "parameters": {"n": 5, "n_candidates": 1000, "norm": "l1", "share": 0.1},
    "balanced_on": ("probes",),
    "pool_balanced_on": ("groups",),
    "seed": 2**70,
    "probes": ("p1", "p2"),
    "metrics": ("acc",),
    "scores_digest": "1" * 64,
    "parent": "2" * 64,
    "weighting": "explicit",
    "item_weights": (0.1, 1.0, 1 / 3, 2.0, 1e-17),
    "item_groups": ("g", "g", "h", "h", "h"),
    "group_sizes": {"h": 5, "g": 4},
    "inclusion": (0.5, 0.5, 0.25, 1.0, 1.0),
    "estimation_weights": (1.0, 1.0, 0.5, 1.5, 1.0),
    "probe_means": {"acc": {"p1": 0.25, "p2": 1 / 3}},
    "distance": 0.00123,
    "notes": (Note("one-probe", "A single probe …"),),
    "item_tasks": ("t", "t", "u", "u", "u"),
    "item_hashes": ("5f", None, "7a", "7b", "7c"),
    "source": BenchmarkSource("lm-eval", "0.4.13", {"t": TaskSource("1.0", 6)}),
}
NONE_ALLOWED = [
    *("scores_digest", "parent", "item_weights", "item_groups", "group_sizes"),
    *("inclusion", "distance", "estimation_weights", "probe_means"),
    *("item_tasks", "item_hashes", "source"),
]
LAYOUT_1 = {name: value for name, value in FIELDS.items() if name not in SINCE_2}
MANIFEST = Manifest.make(**FIELDS)
OTHER: dict[str, Any] = {
    "bestrand_version": "9.9",
    "balanced_on": ["groups"],
    "design": "random",
    "digest": "f" * 64,
    "distance": 0.00124,
    "frame_digest": "3" * 64,
    "group_sizes": {"h": 4, "g": 5},
    "estimation_weights": [1.0, 1.0, 0.5, 1.5, 1.1],
    "inclusion": [0.5, 0.5, 0.25, 1.0, 0.9],
    "item_groups": ["g", "h", "h", "h", "h"],
    "item_weights": [0.1, 1.0, 1 / 3, 2.0, 1e-16],
    "items": ["a", "b,c", "e\u0301", "题\n", "🙂"],
    "kind": "pool",
    "metrics": ["f1"],
    "n_frame": 10,
    "n_pool": 8,
    "notes": [],
    "parameters": {"n": 5, "n_candidates": 1001, "norm": "l1", "share": 0.1},
    "parent": None,
    "pool_balanced_on": [],
    "probe_means": {"acc": {"p1": 0.25, "p2": 0.3}},
    "probes": ["p2", "p1"],
    "schema_version": 1,
    "item_tasks": ["t", "u", "u", "u", "u"],
    "item_hashes": ["5f", "6a", "7a", "7b", "7c"],
    "source": None,
    "scores_digest": None,
    "seed": 1,
    "weighting": "macro",
}


def fields_of(manifest: Manifest) -> dict[str, Any]:
    fields: dict[str, Any] = json.loads(manifest.to_json())
    return fields


def test_equal_manifests_are_equal_bytes() -> None:
    again = Manifest.make(**dict(reversed(FIELDS.items())))

    assert again == MANIFEST
    assert again.to_json() == MANIFEST.to_json()
    assert MANIFEST.to_json().isascii()
    assert MANIFEST.to_json().endswith("}\n")


def test_what_needs_no_field_of_layout_2_is_written_in_layout_1() -> None:
    plain = Manifest.make(**LAYOUT_1)
    text = plain.to_json()

    assert MANIFEST.schema_version == 2
    assert plain.schema_version == 1
    assert not set(SINCE_2) & set(json.loads(text))
    assert Manifest.from_json(text) == plain
    assert Manifest.from_json(text).to_json() == text


def test_a_manifest_of_layout_1_is_written_again_byte_for_byte() -> None:
    text = (Path(__file__).parent / "layout_1.json").read_text(encoding="ascii")

    assert Manifest.from_json(text).to_json() == text


@pytest.mark.parametrize("changed", [{"source": None}, {"schema_version": 1}])
def test_a_layout_must_have_its_fields(changed: dict[str, Any]) -> None:
    fields = fields_of(MANIFEST) | {"item_tasks": None, "item_hashes": None} | changed
    fields["digest"] = fields_digest(fields)

    with pytest.raises(ManifestError, match="`schema_version` must be 2 with tasks"):
        Manifest.from_json(json.dumps(fields))


def test_the_digest_is_over_all_other_fields_in_canonical_form() -> None:
    fields = fields_of(MANIFEST)
    digest = fields.pop("digest")
    text = json.dumps(fields, sort_keys=True, separators=(",", ":"), ensure_ascii=True)

    assert digest == hashlib.sha256(text.encode("ascii")).hexdigest()


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "subset.json"
    MANIFEST.write(path)

    assert Manifest.read(path) == MANIFEST
    assert Manifest.read(str(path)).to_json() == MANIFEST.to_json()
    assert Manifest.from_json(MANIFEST.to_json()) == MANIFEST


@settings(max_examples=50)
@given(
    items=st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=1, unique=True),
    seed=st.integers(0, 2**128),
    distance=st.none() | st.floats(0, allow_infinity=False),
    weights=st.floats(0, allow_infinity=False),
)
def test_any_manifest_is_the_same_after_it_was_read(
    items: list[str], seed: int, distance: float | None, weights: float
) -> None:
    changed = {
        "items": tuple(sorted(items)),
        "seed": seed,
        "distance": distance,
        "item_weights": (weights,) * len(items),
        "item_groups": tuple(items),
        "group_sizes": dict.fromkeys(items, 1),
        "estimation_weights": None,
        "inclusion": None,
        "item_tasks": tuple(items),
        "item_hashes": (None,) * len(items),
        "n_pool": 100,
        "n_frame": 1000,
    }
    manifest = Manifest.make(**FIELDS | changed)

    again = Manifest.from_json(manifest.to_json())

    assert again == manifest
    assert again.digest == manifest.digest
    assert again.to_json() == manifest.to_json()


@pytest.mark.parametrize("layout", [{"indent": None}, {"indent": 4, "ensure_ascii": False}])
def test_another_layout_of_the_same_json_is_no_change(layout: dict[str, Any]) -> None:
    text = json.dumps(fields_of(MANIFEST), **layout)

    assert Manifest.from_json(text) == MANIFEST
    assert Manifest.from_json(b"\xef\xbb\xbf" + text.encode()) == MANIFEST


def test_every_field_has_another_value_in_these_tests() -> None:
    assert set(OTHER) == set(fields_of(MANIFEST)) == set(Manifest.model_fields)
    assert all(fields_of(MANIFEST)[name] != value for name, value in OTHER.items())


@pytest.mark.parametrize("name", OTHER)
def test_a_changed_field_is_noticed(name: str) -> None:
    text = json.dumps(fields_of(MANIFEST) | {name: OTHER[name]})
    because = "`manifest` is invalid .*: " if name == "schema_version" else ""

    with pytest.raises(ManifestError, match=rf"^m.json: {because}changed after it was written, "):
        Manifest.from_json(text, source="m.json")


@pytest.mark.parametrize("name", OTHER)
def test_a_missing_field_is_noticed(name: str) -> None:
    fields = fields_of(MANIFEST)
    del fields[name]
    because = {
        "schema_version": "not a manifest, for it has no `schema_version`",
        **dict.fromkeys(("pool_balanced_on", *SINCE_2), "changed after it was written"),
    }.get(name, f"`{name}` is invalid .*changed after it was written, or no manifest")

    with pytest.raises(ManifestError, match=because):
        Manifest.from_json(json.dumps(fields))


@settings(max_examples=150)
@given(
    name=st.sampled_from(sorted(OTHER)),
    value=st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(), max_size=3)
    | st.lists(st.text(max_size=2), max_size=2)
    | st.dictionaries(st.text(max_size=2), st.integers(), max_size=2),
)
def test_a_field_changed_into_anything_is_noticed(name: str, value: object) -> None:
    fields = fields_of(MANIFEST)
    assume(json.dumps(fields[name]) != json.dumps(value))

    with pytest.raises(ManifestError, match=r"changed after it was written|Install a newer best"):
        Manifest.from_json(json.dumps(fields | {name: value}))


def test_a_field_that_does_not_belong_is_noticed() -> None:
    with pytest.raises(ManifestError, match=r"`extra` is invalid .*Extra inputs"):
        Manifest.from_json(json.dumps(fields_of(MANIFEST) | {"extra": 1}))


def test_a_newer_layout_asks_for_a_newer_bestrand() -> None:
    newer = {"schema_version": SCHEMA_VERSION + 1, "bestrand_version": "7.0", "items": {"a": 1}}

    with pytest.raises(ManifestError) as refused:
        Manifest.from_json(json.dumps(newer), source="m.json")

    assert str(refused.value) == (
        "m.json: written in layout 3 (by bestrand 7.0), and this bestrand reads up to 2. Install a "
        "newer bestrand."
    )
    assert refused.value.facts == {"schema_version": 3}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "it is not JSON"),
        ("item,score\na,1\n", "it is not JSON"),
        (b"\xff\xfe\x00", "it is not JSON"),
        (b"PAR1\x80", "it is not JSON"),
        ("[" * 100_000, "it is not JSON"),
        ("1" * 5000, "it is not JSON"),
        ("[]", "it has no `schema_version`"),
        ("null", "it has no `schema_version`"),
        ('{"items": ["a"]}', "it has no `schema_version`"),
    ],
)
def test_what_is_no_manifest_is_refused(text: str | bytes, why: str) -> None:
    with pytest.raises(ManifestError, match=f"m: not a manifest, for {why}.*Give the file that"):
        Manifest.from_json(text, source="m")


@pytest.mark.parametrize("name", ["none.json", "nul\0.json", "."])
def test_a_manifest_that_cannot_be_read_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(ManifestError, match="cannot be read: "):
        Manifest.read(tmp_path / name)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("kind", "half"),
        ("distance", float("nan")),
        ("n_frame", 0),
        ("seed", -1),
    ],
)
def test_a_manifest_cannot_be_made_of_what_cannot_be_written(name: str, value: object) -> None:
    with pytest.raises(ManifestError, match=rf"`{name}.* is invalid .* A manifest cann"):
        Manifest.make(**FIELDS | {name: value})


HALF = "\ud83d"


@pytest.mark.parametrize(
    "changed",
    [
        {"items": ("a", "b,c", "é", "题\n", HALF)},
        {"probes": ("p1", HALF), "probe_means": {"acc": {"p1": 0.5, HALF: 0.5}}},
        {"item_groups": (HALF,) * 5, "group_sizes": {HALF: 9}},
    ],
)
def test_half_a_surrogate_pair_is_refused(changed: dict[str, Any]) -> None:
    with pytest.raises(ManifestError, match="some name in it has an unpaired surrogate"):
        Manifest.make(**FIELDS | changed)


@pytest.mark.parametrize(
    "changed",
    [
        {"items": ()},
        {"items": ("b", "a", "c", "d", "e")},
        {"items": ("a", "a", "c", "d", "e")},
        {"n_pool": 4},
        {"n_frame": 6},
        {"item_weights": (1.0,)},
        {"item_weights": (1.0, 1.0, -1.0, 1.0, 1.0)},
        {"inclusion": (0.5, 0.5, 0.5, 0.5, 1.5)},
        {"item_groups": ("g", "g", "h", "h", "elsewhere")},
        {"probe_means": {"acc": {"p1": 0.5}}},
    ],
)
def test_fields_that_contradict_each_other_are_refused(changed: dict[str, Any]) -> None:
    with pytest.raises(ManifestError, match="is invalid"):
        Manifest.make(**FIELDS | changed)


@pytest.mark.parametrize("name", NONE_ALLOWED)
def test_what_is_unknown_is_null(name: str) -> None:
    manifest = Manifest.make(**FIELDS | {name: None})

    assert fields_of(manifest)[name] is None
    assert Manifest.from_json(manifest.to_json()) == manifest


def test_the_same_manifest_may_be_written_again_and_another_may_not(tmp_path: Path) -> None:
    path = tmp_path / "subset.json"
    MANIFEST.write(path)
    MANIFEST.write(path)
    other = Manifest.make(**FIELDS | {"seed": 1})

    with pytest.raises(OutputError, match="exists and holds something else"):
        other.write(path)
    assert Manifest.read(path) == MANIFEST

    other.write(path, force=True)

    assert Manifest.read(path) == other
    assert list(tmp_path.iterdir()) == [path]


def test_a_crash_in_the_middle_of_writing_leaves_the_old_manifest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "subset.json"
    MANIFEST.write(path)

    def crash(_: int) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fsync", crash)

    with pytest.raises(OutputError, match="Input/output error"):
        Manifest.make(**FIELDS | {"seed": 1}).write(path, force=True)
    assert Manifest.read(path) == MANIFEST
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="does not exist. Make it first".replace(".", r"\.")):
        MANIFEST.write(tmp_path / "none" / "subset.json")


def test_a_manifest_cannot_be_changed_in_place() -> None:
    with pytest.raises(ValueError, match="frozen"):
        MANIFEST.seed = 1


def test_weights_and_groups_go_with_the_items() -> None:
    plain = Manifest.make(**FIELDS | {"item_weights": None, "item_groups": None})
    codes = MANIFEST.group_codes

    assert MANIFEST.n == 5
    assert MANIFEST.relative_weights.tolist() == list(FIELDS["item_weights"])
    assert plain.relative_weights.tolist() == [1.0] * 5
    assert plain.group_codes is None
    assert codes is not None
    assert codes.tolist() == [1, 1, 0, 0, 0]


def test_the_frame_it_was_drawn_from_is_known_again() -> None:
    frame = Frame.of([f"q{number}" for number in range(20)])
    pool = draw_pool(frame, 2, factor=2)

    pool.require_frame(frame)
    with pytest.raises(ManifestError) as refused:
        pool.require_frame(Frame.of(["q1", "x"]))

    assert f"drawn from a frame of 20 items ({frame.digest[:8]}…), these are 2" in str(
        refused.value
    )
    assert "chosen items are not among them: 'q" in str(refused.value)
    assert "Another version of the benchmark, or another split?" in str(refused.value)


def test_the_digest_of_scores_goes_by_names_and_not_by_order() -> None:
    values = np.array([[1.0, 0.0], [0.5, np.nan]])

    assert scores_digest(["a", "b"], values) == scores_digest(["b", "a"], values[::-1])
    assert scores_digest(["a", "b"], values) != scores_digest(["b", "a"], values)
    assert scores_digest(["a"], values[:1]) == (
        hashlib.sha256(b"a\0" + np.array([1.0, 0.0], "<f8").tobytes()).hexdigest()
    )

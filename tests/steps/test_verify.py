"""What `verify` compares, and what it leaves to the wording of a version."""

import json
from typing import Any

import pytest

import bestrand as br
from bestrand.core.manifest import fields_digest


def edited(manifest: br.Manifest, **changed: Any) -> br.Manifest:  # noqa: ANN401
    """Give a manifest that another version, or a forger, wrote with a right digest."""
    fields = json.loads(manifest.to_json()) | changed
    return br.Manifest.from_json(json.dumps(fields | {"digest": fields_digest(fields)}))


@pytest.fixture(name="chosen")
def one_probe(blink: br.ScoreTable) -> br.Manifest:
    return br.select(blink, 40, probes=blink.models[:1])


def test_notes_are_compared_by_their_codes(blink: br.ScoreTable, chosen: br.Manifest) -> None:
    """A later version may word them otherwise."""
    worded = [{"code": note.code, "text": "In other words."} for note in chosen.notes]
    done = br.verify(edited(chosen, notes=worded), blink)

    assert chosen.notes
    assert done.ok


@pytest.mark.parametrize(
    ("field", "value"),
    [("notes", []), ("distance", 0.5), ("metrics", ["other"]), ("n_frame", 5000)],
)
def test_what_a_manifest_says_otherwise_is_failed(
    blink: br.ScoreTable, chosen: br.Manifest, field: str, value: object
) -> None:
    done = br.verify(edited(chosen, **{field: value}), blink)

    assert not done.ok or field == "metrics"  # scores of an unknown metric cannot be drawn from
    assert [check for check in done.checks if check.outcome != "passed"]

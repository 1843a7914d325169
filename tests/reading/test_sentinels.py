"""Numbers that stand for no score."""

from pathlib import Path

import pytest

from bestrand import InputError, read_scores


def write(path: Path, scores: list[float]) -> Path:
    rows = [f"q{i:02},m{j},{score}" for i, score in enumerate(scores) for j in range(2)]
    path.write_text("\n".join(["item,model,score", *rows]))
    return path


@pytest.mark.parametrize("scale", [1, 0.37, 100])
@pytest.mark.parametrize("value", [-1, -9, -99, -999, 9999])
def test_a_sentinel_is_refused_and_counted_as_said(
    value: float, scale: float, tmp_path: Path
) -> None:
    path = write(tmp_path / "m.csv", [value, *[0, scale] * 10])

    with pytest.raises(InputError, match=rf"2 scores of metric 'score' are {value}, .*m.csv:2\)"):
        read_scores(path)
    missing, zero = (read_scores(path, errors=word) for word in ("missing", "zero"))
    assert (missing.counts().errored, missing.counts().scored) == (2, 40)
    assert missing.rows["score"].drop_nulls().min() == 0
    assert zero.counts().scored == 42
    assert zero.rows["score"].mean() == pytest.approx(20 * scale / 42)
    assert read_scores(path, bounds=(-100000, 100000)).rows["score"].sum() == pytest.approx(
        2 * (value + 10 * scale)
    )


@pytest.mark.parametrize(
    "scores",
    [
        [-1, 0, 1] * 5,  # a third verdict
        [-1.0, 0.5, -0.3] * 5,  # scores that may be negative
        [99.0, *[0.0, 50.0] * 10],  # within 0..100
        [-1.0, 0.0, 1.0],  # too few to know the scale
        [-2.0, *[0.0, 1.0] * 10],  # no known sentinel
    ],
)
def test_what_may_be_a_score_is_one(scores: list[float], tmp_path: Path) -> None:
    table = read_scores(write(tmp_path / "m.csv", scores))

    assert table.counts().scored == 2 * len(scores)

from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bestrand.errors import InputError
from bestrand.rng import Stream
from bestrand.study.protocol import Split
from bestrand.study.splits import (
    Models,
    Parted,
    families_of,
    label_models,
    pick_probes,
    split_models,
)


NAMES = ("a1", "a2", "a3", "b1", "b2", "b3", "c1", "c2")
MODELS = Models(
    NAMES,
    np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]),
    tuple(name[0] for name in NAMES),
    np.array([2024, 2023, 2022, 2021, np.nan, 2020, 2019, 2018.0]),
)


@given(
    split=st.sampled_from([s for s in get_args(Split) if s != "none"]),
    n_known=st.integers(1, 3),
    seed=st.integers(0, 1000),
)
def test_known_models_and_targets_are_disjoint(split: Split, n_known: int, seed: int) -> None:
    parted = split_models(MODELS, split, n_known, Stream.of(seed))

    assert len(parted.known) == len(set(parted.known)) == n_known
    assert not set(parted.known) & set(parted.targets)
    assert set(parted.known) | set(parted.targets) <= set(NAMES)
    assert list(parted.targets) == sorted(parted.targets)


def test_a_random_split_uses_every_model_and_grows_by_the_number_known() -> None:
    few, many = (split_models(MODELS, "random", n, Stream.of(5)) for n in (2, 5))

    assert sorted((*few.known, *few.targets)) == list(NAMES)
    assert many.known[:2] == few.known


def test_strength_goes_one_way() -> None:
    up = split_models(MODELS, "weak-to-strong", 3, Stream.of(0))
    down = split_models(MODELS, "strong-to-weak", 3, Stream.of(0))

    assert set(up.known) <= {"a1", "a2", "a3", "b1"}
    assert up.targets == ("b2", "b3", "c1", "c2")
    assert set(down.known) <= {"b2", "b3", "c1", "c2"}
    assert down.targets == ("a1", "a2", "a3", "b1")


def test_time_goes_one_way_and_leaves_out_the_undated() -> None:
    older = split_models(MODELS, "old-to-new", 2, Stream.of(0))
    newer = split_models(MODELS, "new-to-old", 2, Stream.of(0))

    assert set(older.known) <= {"c2", "c1", "b3"}
    assert older.targets == ("a1", "a2", "a3", "b1")
    assert newer.targets == ("b1", "b3", "c1", "c2")
    assert "b2" not in (*older.known, *older.targets)


def test_no_family_is_on_both_sides() -> None:
    for seed in range(20):
        parted = split_models(MODELS, "across-families", 2, Stream.of(seed))

        assert not {name[0] for name in parted.known} & {name[0] for name in parted.targets}


def test_without_a_split_all_are_targets() -> None:
    assert split_models(MODELS, "none", 0, Stream.of(0)) == Parted((), NAMES)


@pytest.mark.parametrize(
    ("models", "split", "n_known", "said"),
    [
        (MODELS, "random", 7, "allow 7 and 1"),
        (MODELS, "weak-to-strong", 5, "allow 4 and 4"),
        (MODELS._replace(families=("a",) * 8), "across-families", 2, "of one family"),
        (MODELS._replace(dates=np.full(8, np.nan)), "old-to-new", 2, "No date"),
    ],
)
def test_a_split_that_cannot_be_made_says_why(
    models: Models, split: Split, n_known: int, said: str
) -> None:
    with pytest.raises(InputError, match=said):
        split_models(models, split, n_known, Stream.of(0))


def test_probes_are_picked_by_strength() -> None:
    parted = Parted(("c1", "a1", "b1", "a2", "b2"), ("c2",))
    full = dict(zip(NAMES, MODELS.full_scores.tolist(), strict=True))

    assert pick_probes(parted, full, 2, "random") == ("c1", "a1")
    assert pick_probes(parted, full, 2, "bottom") == ("a1", "a2")
    assert pick_probes(parted, full, 2, "top") == ("b2", "c1")
    assert pick_probes(parted, full, 3, "spread") == ("a1", "b1", "c1")
    with pytest.raises(InputError, match="6 probes are asked for, and 5 models are known"):
        pick_probes(parted, full, 6, "top")


def test_the_first_pattern_that_fits_labels_a_model() -> None:
    patterns = {"GPT-4o*": 2024.4, "gpt-4*": 2023.2}

    assert label_models(["gpt-4o-mini", "gpt-4-0613", "yi"], patterns) == [2024.4, 2023.2, None]
    assert families_of(["GPT4V", "x1-turbo"], {"gpt*": "openai"}) == ("openai", "turbo")

"""SparseEval: cluster centres first, then exchanges that a small network asks for."""

import re
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bestrand.core.frame import Frame
from bestrand.core.scores import ScoreMatrix
from bestrand.designs.base import Features
from bestrand.designs.baselines import sparse_eval
from bestrand.designs.baselines.sparse_eval import SparseEval
from bestrand.errors import ArgumentError, DesignError
from bestrand.rng import Stream
from bestrand.stats.proxy import Effort, fit_proxy, training
from bestrand.stats.source_scores import Split
from bestrand.steps.select import select
from bestrand.types import FloatArray
from tests.strategies import score_arrays, weight_arrays


SHORT = {"linear": Effort(20, 10, 2), "mlp": Effort(20, 10, 2)}


def features_of(scores: FloatArray, weights: FloatArray | None = None) -> Features:
    m = scores.shape[1]
    return Features(m, scores, None, np.ones(m) if weights is None else weights)


@st.composite
def features(draw: st.DrawFn) -> Features:
    m = draw(st.integers(1, 16))
    scores = draw(score_arrays(draw(st.integers(3, 6)), m))
    return features_of(scores, draw(weight_arrays(m)) if draw(st.booleans()) else None)


def clustered(n_models: int, n_kinds: int, seed: int, flips: float = 0.0) -> FloatArray:
    """Give scores of 8 items of each kind, alike but for the flips."""
    rng = np.random.default_rng(seed)
    right = np.repeat(rng.random((n_models, n_kinds)) < 0.5, 8, axis=1)
    return np.asarray(right ^ (rng.random(right.shape) < flips), dtype=np.float64)


@settings(max_examples=25)
@given(seen=features(), seed=st.integers(0, 99), data=st.data())
def test_n_distinct_ascending_items_whatever_the_order_of_models(
    seen: Features, seed: int, data: st.DataObject
) -> None:
    assert seen.scores is not None
    n = data.draw(st.integers(1, seen.n_items))
    order = data.draw(st.permutations(range(len(seen.scores))))
    other = replace(seen, scores=seen.scores[order])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sparse_eval, "EFFORT", SHORT)
        draw, again = (SparseEval(n_steps=3).draw(f, n, Stream.of(seed)) for f in (seen, other))

    assert len(draw.columns) == n
    assert sorted(set(draw.columns.tolist())) == draw.columns.tolist()
    assert draw.columns.tolist() == again.columns.tolist()
    assert draw.design_weights is None
    assert draw.inclusion is None


def test_without_exchanges_each_cluster_gives_one_item() -> None:
    scores = clustered(20, 7, seed=0)
    draw = SparseEval(n_steps=0).draw(features_of(scores), 7, Stream.of(0))

    assert (draw.columns // 8).tolist() == list(range(7))


def test_the_item_nearest_to_the_centre_is_taken() -> None:
    scores = np.ones((12, 9))
    scores[[0, 1, 2, 3], [0, 1, 2, 3]] = 0.0  # each has one wrong; the last five have none
    draw = SparseEval(n_steps=0).draw(features_of(scores), 1, Stream.of(0))

    assert draw.columns[0] >= 4


def test_the_first_exchange_is_the_one_done_by_hand() -> None:
    scores = clustered(16, 10, seed=4, flips=0.15)
    seen = features_of(scores, 1.0 + np.arange(80.0) % 5)
    before = SparseEval(n_steps=0).draw(seen, 9, Stream.of(1)).columns
    after = SparseEval(n_steps=1).draw(seen, 9, Stream.of(1)).columns
    gone = set(before.tolist()) - set(after.tolist())
    come = set(after.tolist()) - set(before.tolist())

    assert (len(gone), len(come)) == (1, 1)


def test_a_linear_proxy_starts_as_the_plain_mean_and_learns_what_helps() -> None:
    rng = np.random.default_rng(0)
    x = rng.random((60, 5))
    y = x @ np.array([0.5, 0.3, 0.2, 0.0, 0.0])
    split = Split(np.arange(40), np.arange(40, 60))
    fits = [
        fit_proxy("linear", x, y, split, Effort(number, 1, 50), Stream.of(0))
        for number in (0, 1500)
    ]
    mean, learned = fits

    assert mean.predict(x) == pytest.approx(x.mean(axis=1))
    assert mean.importance(x, y) == pytest.approx(np.abs(x.mean(axis=1) - y).mean() / 5)
    assert np.abs(learned.predict(x) - y).max() < 1e-3
    assert learned.importance(x, y).argsort()[2:].tolist() == [2, 1, 0]


def test_training_keeps_what_predicted_the_validation_models_best() -> None:
    rng = np.random.default_rng(1)
    x, y = rng.random((30, 40)).round(), rng.random(30)
    split = Split(np.arange(20), np.arange(20, 30))

    def loss(n_epochs: int) -> float:
        proxy = fit_proxy("linear", x, y, split, Effort(n_epochs, 1, 999), Stream.of(0))
        return float(np.mean((proxy.predict(x[20:]) - y[20:]) ** 2))

    losses = [loss(number) for number in range(0, 400, 40)]

    assert losses == sorted(losses, reverse=True)


def test_another_unit_gives_the_same_items(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sparse_eval, "EFFORT", SHORT)
    values = np.random.default_rng(0).integers(0, 4, (9, 40)) / 3
    frame = Frame.of([f"q{number:02}" for number in range(40)])
    one = ScoreMatrix(frame, tuple("abcdefghi"), values, bounds=(0.0, 1.0))
    hundred = replace(one, values=100 * values, bounds=(0.0, 100.0))
    first, second = (select(m, 9, design=SparseEval(), seed=3).items for m in (one, hundred))

    assert first == second


def test_a_perceptron_gives_the_same_items_again_and_leaves_chance_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    torch: Any = pytest.importorskip("torch")
    monkeypatch.setattr(sparse_eval, "EFFORT", SHORT)
    seen = features_of(clustered(12, 6, seed=2, flips=0.2))
    threads, state = torch.get_num_threads(), torch.get_rng_state()
    first, again = (SparseEval("mlp", 2).draw(seen, 6, Stream.of(3)) for _ in range(2))
    other = SparseEval("mlp", 0).draw(seen, 6, Stream.of(3))

    assert first.columns.tolist() == again.columns.tolist()
    assert len(set(first.columns.tolist())) == 6
    assert first.columns.tolist() != other.columns.tolist()
    assert torch.get_num_threads() == threads
    assert torch.equal(torch.get_rng_state(), state)


def test_a_perceptron_learns_and_knows_which_inputs_matter() -> None:
    pytest.importorskip("torch")
    rng = np.random.default_rng(0)
    x = rng.random((80, 4)).round()
    y = 0.2 + 0.6 * x[:, 2]
    split = Split(np.arange(60), np.arange(60, 80))
    with training("mlp"):
        proxy = fit_proxy("mlp", x, y, split, Effort(150, 50, 9), Stream.of(0))
        importance = proxy.importance(x, y)

    assert np.abs(proxy.predict(x) - y).mean() < 0.05
    assert importance.argmax() == 2


def test_without_torch_a_perceptron_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    message = 'SparseEval with proxy="mlp" needs torch, which is not installed. Install `bestrand['
    with pytest.raises(DesignError, match=re.escape(message)):
        SparseEval("mlp").draw(features_of(np.eye(4)), 2, Stream.of(0))


def test_two_sources_are_too_few_to_hold_one_out() -> None:
    message = "SparseEval needs the scores of at least 3 source models, got 2. Give more"
    with pytest.raises(DesignError, match=re.escape(message)):
        SparseEval().draw(features_of(np.ones((2, 5))), 2, Stream.of(0))


def test_settings_must_be_known() -> None:
    with pytest.raises(ArgumentError, match=r"`proxy` must be linear or mlp, got 'cnn'\."):
        SparseEval("cnn")  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match=r"`n_steps` must be 0 or more, got -1\."):
        SparseEval(n_steps=-1)

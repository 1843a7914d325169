"""Items' texts: made into rows, matched by id, written and read, refused where they are none."""

import json
import re
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import bestrand as br
from bestrand.cli import main
from bestrand.core.texts import ItemTexts, embed_texts
from bestrand.designs.baselines.agreement import Agreement
from bestrand.designs.baselines.facility_location import FacilityLocation
from bestrand.reading.texts import read_texts
from bestrand.types import FloatArray


IDS = [f"q{number:02d}" for number in range(12)]
TEXTS = [
    f"{verb} {number} {thing}, and say why."
    for number, (verb, thing) in enumerate(
        (verb, thing)
        for verb in ("Add", "Count", "Name", "Draw")
        for thing in ("red apples", "grey horses", "old rivers")
    )
]


def refuses(message: str, kind: type[Exception] = br.InputError) -> Any:  # noqa: ANN401
    return pytest.raises(kind, match=re.escape(message))


# --- from texts ----------------------------------------------------------------------------------


def test_texts_become_two_representations_with_rows_of_length_one() -> None:
    texts = embed_texts(IDS, TEXTS)

    assert texts.names == ("tfidf-words", "tfidf-trigrams")
    assert texts.notes == ()
    for rows in texts.representations:
        assert rows.shape[0] == 12
        assert rows.shape[1] <= 128
        assert np.linalg.norm(rows, axis=1) == pytest.approx(np.ones(12), abs=1e-4)
        assert np.array_equal(np.rint(rows * 2**16), rows * 2**16)
        assert not rows.flags.writeable


def test_texts_that_share_words_are_nearer() -> None:
    ids, texts = ["a", "b", "c"], ["red apples grow", "red apples rot", "old rivers flow"]
    for rows in embed_texts(ids, texts).representations:
        like = rows @ rows.T

        assert like[0, 1] > 0.2
        assert abs(like[0, 2]) < 0.1


def test_the_order_of_texts_is_nothing() -> None:
    first = embed_texts(IDS, TEXTS)
    second = embed_texts(IDS[::-1], TEXTS[::-1])

    assert second.ids == first.ids
    assert second.digest == first.digest


@pytest.mark.parametrize("text", ["?", "日本", "a", "½ ∑ x"])
def test_any_text_will_do_even_one_alone(text: str) -> None:
    texts = embed_texts(["q"], [text])

    assert texts.notes == ()
    assert [abs(rows.sum()) for rows in texts.representations] == [1.0, 1.0]


def test_the_same_text_has_the_same_rows() -> None:
    texts = embed_texts(["a", "b", "c"], ["one two", "three", "one two"])

    assert all(np.array_equal(rows[0], rows[2]) for rows in texts.representations)


def test_a_text_that_shares_nothing_is_like_no_other() -> None:
    """Of 141 unrelated subjects, 140 come twice; 128 dimensions do not hold the last."""
    pairs = [f"alpha{k} beta{k}" for k in range(140) for _ in range(2)]
    ids = [f"q{k:03d}" for k in range(281)]
    texts = embed_texts(ids, [*pairs, "omega"])

    assert not texts.representations[0][280].any()
    assert any("'q280'" in note.text for note in texts.notes)


@pytest.mark.parametrize("text", ["", " \n", None, 3])
def test_an_item_without_text_is_refused_by_name(text: Any) -> None:  # noqa: ANN401
    with refuses("Every item needs a text, and 1 of 3 have none: 'b'. Add them, or leave"):
        embed_texts(["a", "b", "c"], ["x", text, "y"])


def test_texts_and_ids_go_together() -> None:
    with refuses("`texts` must have one for each of 2 items, got 1."):
        embed_texts(["a", "b"], ["x"])
    with refuses("Item ids must be distinct, 1 of them come more than once: 'a'."):
        embed_texts(["a", "a"], ["x", "y"])


# --- by models of other libraries ----------------------------------------------------------------


class Fake:
    """Stands for a model: a text is its length and its number of words."""

    def __init__(self, model: str) -> None:
        self.model = model

    @classmethod
    def from_pretrained(cls, model: str) -> "Fake":
        """Load the model."""
        return cls(model)

    def encode(self, texts: list[str], *, show_progress_bar: bool = True) -> FloatArray:
        """Embed."""
        return np.array([[len(text), len(text.split())] for text in texts], dtype=np.float64)


@pytest.mark.parametrize("method", ["model2vec", "sentence-transformers"])
def test_a_model_of_another_library_embeds(method: Any, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: ANN401
    library = SimpleNamespace(StaticModel=Fake, SentenceTransformer=Fake)
    monkeypatch.setitem(sys.modules, method.replace("-", "_"), library)
    texts = embed_texts(["b", "a"], ["four", "a b c"], method=method, model="models/small-8M")

    assert texts.ids == ("a", "b")
    assert texts.names == (f"{method}-small-8M",)
    expected = np.array([[5, 3], [4, 1]]) / np.sqrt([[34], [17]])
    assert texts.representations[0] == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("method", ["model2vec", "sentence-transformers"])
def test_a_library_that_is_not_there_is_named(
    method: Any,  # noqa: ANN401
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, method.replace("-", "_"), None)
    with refuses(f"Install it: pip install 'bestrand[{method}]'.", br.ArgumentError):
        embed_texts(["a"], ["x"], method=method, model="small")


def test_a_method_and_its_model_must_fit() -> None:
    with refuses("`method` must be one of 'tfidf', 'model2vec'", br.ArgumentError):
        embed_texts(["a"], ["x"], method="bert")  # type: ignore[arg-type]
    with refuses("`model` must name the model of model2vec, or its folder", br.ArgumentError):
        embed_texts(["a"], ["x"], method="model2vec")
    with refuses("`model` is not used by method 'tfidf', got 'small'.", br.ArgumentError):
        embed_texts(["a"], ["x"], model="small")


# --- from embeddings -----------------------------------------------------------------------------


@settings(max_examples=50)
@given(
    matrix=arrays(
        np.float64,
        st.tuples(st.integers(1, 6), st.integers(1, 5)),
        elements=st.floats(-1e300, 1e300),
    )
)
def test_rounding_twice_is_rounding_once(matrix: FloatArray) -> None:
    ids = IDS[: len(matrix)]
    once = ItemTexts.of_embeddings(ids, matrix)
    twice = ItemTexts.of_embeddings(ids, once.representations[0])
    lengths = np.linalg.norm(once.representations[0], axis=1)

    assert twice.digest == once.digest
    assert lengths == pytest.approx(matrix.any(axis=1).astype(np.float64), abs=1e-4)


def test_rounded_rows_are_not_rounded_to_other_rows() -> None:
    """Scaled to length 1 once more, some hundred of these would move."""
    rows = np.random.default_rng(0).normal(size=(5000, 4)) * [3, 1, 1, 1]
    ids = [f"q{k:04d}" for k in range(5000)]
    once = ItemTexts.of_embeddings(ids, rows)

    assert ItemTexts.of_embeddings(ids, once.representations[0]).digest == once.digest


def test_the_length_of_an_embedding_is_nothing() -> None:
    rows = np.random.default_rng(0).normal(size=(12, 5))
    first = ItemTexts.of_embeddings(IDS, rows)
    second = ItemTexts.of_embeddings(IDS, rows * np.linspace(1, 9, 12)[:, None])

    assert first.digest == second.digest


def test_a_row_of_zeros_is_noted() -> None:
    texts = ItemTexts.of_embeddings(["a", "b"], [[1.0, 2.0], [0.0, 0.0]])

    assert [note.text for note in texts.notes] == [
        "By representation 'embedding' some items are like no other: 'b'."
    ]


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([[1.0], [np.nan]], "Embeddings must be finite; 1 of 2 are not, of items 'a'."),
        ([[1.0]], "Embeddings must have a row for each of 2 items and a column at least, got"),
        ([1.0, 2.0], "Embeddings must have a row for each of 2 items and a column at least, got"),
        ([[], []], "Embeddings must have a row for each of 2 items and a column at least, got"),
        ([["x"], ["y"]], "Embeddings must be numbers, a row an item"),
    ],
)
def test_embeddings_that_are_none_are_refused(matrix: Any, message: str) -> None:  # noqa: ANN401
    with refuses(message):
        ItemTexts.of_embeddings(["b", "a"], matrix)


# --- matched by id -------------------------------------------------------------------------------


def test_items_are_taken_by_id() -> None:
    texts = ItemTexts.of_embeddings(["c", "a", "b"], np.eye(3))
    taken = texts.take(["b", "c"])

    assert texts.representations[0].tolist() == np.eye(3)[[1, 2, 0]].tolist()
    assert taken.ids == ("b", "c")
    assert taken.representations[0].tolist() == np.eye(3)[[2, 0]].tolist()


def test_an_item_that_is_not_there_is_named_and_a_likely_cause() -> None:
    texts = ItemTexts.of_embeddings(["01", "02"], np.eye(2))
    message = "and 2 of 2 have none: '1', '2'. The ids would match but for the way numbers are"
    with refuses(message):
        texts.take(["1", "2"])


def test_representations_are_joined_by_id() -> None:
    words = ItemTexts.of_embeddings(["a", "b"], np.eye(2), name="words")
    signs = ItemTexts.of_embeddings(["b", "a"], np.eye(2), name="signs")
    both = words.joined(signs)

    assert both.names == ("words", "signs")
    assert both.representations[1].tolist() == [[0, 1], [1, 0]]
    with refuses("Representations must have distinct names, got 'words', 'words'."):
        words.joined(words)
    with refuses("must be of the same items; 1 items are in one alone: 'c'."):
        words.joined(ItemTexts.of_embeddings(["a", "b", "c"], np.eye(3)))


def test_the_digest_tells_other_representations() -> None:
    ids, rows = ["a", "b"], np.eye(2)
    digests = {
        ItemTexts.of_embeddings(ids, rows).digest,
        ItemTexts.of_embeddings(ids, rows, name="other").digest,
        ItemTexts.of_embeddings(ids, rows[::-1]).digest,
        ItemTexts.of_embeddings(["a", "c"], rows).digest,
        ItemTexts.of_embeddings(ids, np.hstack([rows, rows])).digest,
    }

    assert len(digests) == 5


# --- files ---------------------------------------------------------------------------------------


def write_texts(folder: Path, kind: str) -> Path:
    table = pl.DataFrame({"item_id": IDS, "text": TEXTS})
    path = folder / f"texts.{kind}"
    if kind == "parquet":
        table.write_parquet(path)
    elif kind == "csv":
        table.write_csv(path)
    else:
        table.write_ndjson(path)
    return path


@pytest.mark.parametrize("kind", ["parquet", "csv", "jsonl"])
def test_texts_are_read_from_tables(kind: str, tmp_path: Path) -> None:
    assert read_texts(write_texts(tmp_path, kind)).digest == embed_texts(IDS, TEXTS).digest


def test_what_is_written_is_read_again_the_same(tmp_path: Path) -> None:
    texts = embed_texts(IDS, TEXTS).joined(
        ItemTexts.of_embeddings(IDS, np.random.default_rng(0).normal(size=(12, 7)))
    )
    texts.write(tmp_path / "embeddings.parquet")
    again = read_texts(tmp_path / "embeddings.parquet")

    assert again.names == ("tfidf-words", "tfidf-trigrams", "embedding")
    assert again.digest == texts.digest


def test_embeddings_are_read_before_texts(tmp_path: Path) -> None:
    path = tmp_path / "both.jsonl"
    rows = [{"item": "a", "text": "x", "embedding": [3, 4]}, {"item": "b", "embedding": [0, 2]}]
    path.write_text("\n".join(json.dumps(row) for row in rows))
    texts = read_texts(path)

    assert texts.names == ("embedding",)
    assert texts.representations[0] == pytest.approx(np.array([[0.6, 0.8], [0, 1]]), abs=1e-5)


@pytest.mark.parametrize("cell", [None, [1.0], ["x", "y"], "text", []])
def test_an_embedding_that_is_none_is_refused_with_its_line(cell: Any, tmp_path: Path) -> None:  # noqa: ANN401
    path = tmp_path / "texts.jsonl"
    rows = [{"item": "a", "embedding": [1.0, 0.0]}, {"item": "b", "embedding": cell}]
    path.write_text("\n".join(json.dumps(row) for row in rows))
    with refuses("texts.jsonl:2: 'embedding' must hold lists of numbers, all of one length."):
        read_texts(path)


def test_a_file_of_texts_that_is_none_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "texts.csv"
    path.write_text("item,question\na,x\n")
    with refuses("no column `text` or `embedding`; there are 'item', 'question'."):
        read_texts(path)
    path.write_text("item,text\na,x\nb,\n")
    with refuses("Every item needs a text, and 1 of 2 have none: 'b'."):
        read_texts(path)
    path.write_text("item,text\na,x\na,y\n")
    with refuses("Item ids must be distinct, 1 of them come more than once: 'a'."):
        read_texts(path)
    (tmp_path / "more.csv").write_text("item,text\nb,x\n")
    with refuses("a folder of 2 tables. Give one file."):
        read_texts(tmp_path)


# --- through the doors ---------------------------------------------------------------------------


def test_a_subset_says_by_which_representations_it_was_chosen_and_is_drawn_again() -> None:
    texts, frame = embed_texts(IDS, TEXTS), br.Frame.of(IDS)
    subset = br.select(frame, 4, design=FacilityLocation(), texts=texts)
    seen = br.verify(subset, frame, texts=texts)

    assert subset.parameters == {
        "n": 4,
        "representations": ["tfidf-words", "tfidf-trigrams"],
        "texts_digest": texts.digest,
    }
    assert br.Manifest.from_json(subset.to_json()) == subset
    assert subset.estimation_weights is not None
    assert sum(subset.estimation_weights) == pytest.approx(4)
    assert [(check.name, check.outcome) for check in seen.checks] == [
        ("frame", "passed"),
        ("redrawn", "passed"),
    ]


def test_verify_says_why_it_cannot_draw_again() -> None:
    texts, frame = embed_texts(IDS, TEXTS), br.Frame.of(IDS)
    subset = br.select(frame, 4, design=Agreement(20), texts=texts)
    others = embed_texts(IDS, TEXTS[::-1])
    few = embed_texts(IDS[:5], TEXTS[:5])
    said = [
        br.verify(subset, frame, texts=given).checks[-1] for given in (None, others, few, texts)
    ]

    assert [check.outcome for check in said] == ["skipped", "skipped", "skipped", "passed"]
    assert said[0].text == "chosen by the items' texts; give them, --texts (texts=), to draw again"
    assert said[1].text.startswith("these are not the representations it was chosen by")
    assert "7 of 12 have none" in said[2].text


def test_from_a_pool_only_the_pools_texts_are_looked_at() -> None:
    texts, frame = embed_texts(IDS, TEXTS), br.Frame.of(IDS)
    pool = br.draw_pool(frame, 2, factor=3)
    subset = br.select(frame, 2, pool=pool, design=FacilityLocation(), texts=texts)

    assert set(subset.items) <= set(pool.items)
    assert subset.parameters["texts_digest"] == texts.take(pool.items).digest


def test_the_command_line_chooses_by_texts_and_verifies(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, items, output = write_texts(tmp_path, "parquet"), tmp_path / "items.txt", tmp_path / "s"
    items.write_text("\n".join(IDS))

    def run(*words: object) -> int:
        try:
            main([str(word) for word in words])
        except SystemExit as stop:
            return int(stop.code or 0)
        return 0

    words = ("select", items, "-n", 4, "--design", "facility-location", "-o", output)
    assert run(*words) == 3
    assert "FacilityLocation needs the items' texts or embeddings" in capsys.readouterr().err
    assert run(*words, "--texts", path) == 0
    assert run("verify", output, items) == 0
    assert "chosen by the items' texts; give them" in " ".join(capsys.readouterr().out.split())
    assert run("verify", output, items, "--texts", path) == 0
    assert "the same 4 items are drawn again" in capsys.readouterr().out

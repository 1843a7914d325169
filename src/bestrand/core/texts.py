"""Items' texts as representations: rows of numbers that are near where texts are alike."""

import hashlib
import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from bestrand.core.frame import Frame
from bestrand.errors import ArgumentError, InputError
from bestrand.files import write_whole
from bestrand.ids import explain_mismatch
from bestrand.notes import Note, shown
from bestrand.stats.similarity import STEPS, on_grid
from bestrand.types import FloatArray


Embedding = Literal["tfidf", "model2vec", "sentence-transformers"]

DIMENSIONS = 128
TOKEN = r"(?u)\w+|[^\w\s]"  # a word, or a sign of any other kind
FAINT = 0.05  # of a text's length 1, what its dimensions must hold, or its direction says nothing
EMBEDDING = "embedding"


@dataclass(frozen=True, eq=False)
class ItemTexts:
    """Representations of the items' texts, for designs that look at nothing else.

    Make one with `embed_texts`, `read_texts` or `ItemTexts.of_embeddings`.

    Attributes:
        ids: (N,) of the items, distinct.
        names: (R,) of the representations, distinct.
        representations: R arrays (N, d), whose rows have length 1 and go with `ids`; a row of
            zeros is like no other. Designs that look at one take the first.
    """

    ids: tuple[str, ...]
    names: tuple[str, ...]
    representations: tuple[FloatArray, ...]

    @classmethod
    def of_embeddings(
        cls, ids: Sequence[str], matrix: ArrayLike, *, name: str = EMBEDDING
    ) -> "ItemTexts":
        """Take embeddings that were made elsewhere.

        Rows are scaled to length 1 and rounded to 2**-16, so that sums over them are exact.

        Args:
            ids: of the items, in any order.
            matrix: (N, d), a row an item.
            name: of this representation, by which manifests know it.

        Raises:
            InputError: an id twice, not a row an item, or numbers that are not finite.
        """
        frame = Frame.of(ids)
        try:
            rows = np.asarray(matrix, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise InputError(f"Embeddings must be numbers, a row an item ({error}).") from error
        if rows.ndim != 2 or len(rows) != frame.n or rows.shape[1] == 0:
            raise InputError(
                f"Embeddings must have a row for each of {frame.n} items and a column at least, "
                f"got an array {rows.shape}."
            )
        bad = [ids[row] for row in np.flatnonzero(~np.isfinite(rows).all(axis=1)).tolist()]
        if bad:
            raise InputError(
                f"Embeddings must be finite; {len(bad)} of {frame.n} are not, of items "
                f"{shown(bad)}. Embed those texts again.",
                items=bad,
            )
        order = sorted(range(frame.n), key=list(ids).__getitem__)
        return cls(frame.items, (name,), (_unit_rows(rows[order]),))

    def joined(self, other: "ItemTexts") -> "ItemTexts":
        """Put the representations of both side by side, those of `other` last.

        Raises:
            InputError: the items are not the same, or a name comes twice.
        """
        apart = sorted(set(self.ids) ^ set(other.ids))
        if apart:
            raise InputError(
                f"Representations must be of the same items; {len(apart)} items are in one alone: "
                f"{shown(apart)}. Leave them out, or embed them too.",
                items=apart,
            )
        rest = other.take(self.ids)
        names = (*self.names, *rest.names)
        if len(set(names)) < len(names):
            raise InputError(
                f"Representations must have distinct names, got {shown(list(names), 8)}. Name one "
                "otherwise, with name=."
            )
        return ItemTexts(self.ids, names, (*self.representations, *rest.representations))

    def take(self, items: Sequence[str]) -> "ItemTexts":
        """Keep these items, in this order.

        Raises:
            InputError: an item that is not here.
        """
        position = {item: row for row, item in enumerate(self.ids)}
        absent = [item for item in items if item not in position]
        if absent:
            raise InputError(
                f"Every item needs a text or an embedding, and {len(absent)} of {len(items)} have "
                f"none: {shown(absent)}.{explain_mismatch(items, self.ids)} Add them.",
                items=absent,
            )
        rows = [position[item] for item in items]
        return ItemTexts(
            tuple(items), self.names, tuple(whole[rows] for whole in self.representations)
        )

    @cached_property
    def digest(self) -> str:
        """SHA-256 over ids, names and all representations, items in ascending order."""
        order = sorted(range(len(self.ids)), key=self.ids.__getitem__)
        state = hashlib.sha256()
        for text in (*(self.ids[row] for row in order), *self.names):
            encoded = text.encode("utf-8", "surrogatepass")
            state.update(b"%d:" % len(encoded) + encoded)
        for rows in self.representations:
            state.update(b"%d:" % rows.shape[1])
            state.update(np.ascontiguousarray(rows[order], dtype="<f8").tobytes())
        return state.hexdigest()

    @property
    def provenance(self) -> dict[str, Any]:
        """What the manifest records of the texts."""
        return {"representations": list(self.names), "texts_digest": self.digest}

    @property
    def notes(self) -> tuple[Note, ...]:
        """What a reader should know."""
        said = []
        for name, rows in zip(self.names, self.representations, strict=True):
            empty = np.flatnonzero(~rows.any(axis=1))
            if empty.size:
                items = shown([self.ids[row] for row in empty])
                text = f"By representation {name!r} some items are like no other: {items}."
                said.append(Note("unlike-all", text))
        return tuple(said)

    def write(self, path: str | Path, *, force: bool = False) -> None:
        """Write the representations as Parquet; `read_texts` gives the very same again.

        Raises:
            OutputError: the folder does not exist, or other content stands there and `force` is
                not given.
        """
        columns: dict[str, pl.Series] = {"item": pl.Series(list(self.ids), dtype=pl.String)}
        for name, rows in zip(self.names, self.representations, strict=True):
            column = name if name == EMBEDDING else f"{EMBEDDING}_{name}"
            # Multiples of 2**-16 up to 1 are exact in 32 bits.
            columns[column] = pl.Series(rows.astype(np.float32)).arr.to_list()
        buffer = BytesIO()
        pl.DataFrame(columns).write_parquet(buffer, compression="zstd")
        write_whole(Path(path), buffer.getvalue(), force=force)


def embed_texts(
    ids: Sequence[str],
    texts: Sequence[str],
    *,
    method: Embedding = "tfidf",
    model: str | None = None,
) -> ItemTexts:
    """Make representations of the items' texts.

    Args:
        ids: of the items, in any order.
        texts: of the items, one an id: the question or prompt, and no answer.
        method: "tfidf" counts words, and character trigrams as a second representation, weighs
            them by rarity and reduces each to 128 dimensions at most; it needs no model.
            "model2vec" and "sentence-transformers" embed by a model of that library.
        model: name or folder of the model, for methods other than "tfidf".

    Raises:
        InputError: an id twice, or an item without text.
        ArgumentError: an unknown method, a model that is lacking or not needed, or a library that
            is not installed.
    """
    frame = Frame.of(ids)
    if len(texts) != frame.n:
        raise InputError(f"`texts` must have one for each of {frame.n} items, got {len(texts)}.")
    by_id = dict(zip(ids, texts, strict=True))
    blank = [item for item in frame.items if not _is_text(by_id[item])]
    if blank:
        raise InputError(
            f"Every item needs a text, and {len(blank)} of {frame.n} have none: {shown(blank)}. "
            "Add them, or leave those items out of the frame.",
            items=blank,
        )
    ordered = [by_id[item] for item in frame.items]
    if method == "tfidf":
        if model is not None:
            raise ArgumentError(f"`model` is not used by method 'tfidf', got {model!r}.")
        words = _tfidf(ordered, token_pattern=TOKEN)
        trigrams = _tfidf(ordered, analyzer="char_wb", ngram_range=(3, 3))
        names = ("tfidf-words", "tfidf-trigrams")
        return ItemTexts(frame.items, names, (_unit_rows(words), _unit_rows(trigrams)))
    rows = _encode(method, model, ordered)
    return ItemTexts.of_embeddings(frame.items, rows, name=f"{method}-{Path(str(model)).name}")


def _is_text(text: object) -> bool:
    return isinstance(text, str) and bool(text.strip())


def _tfidf(texts: list[str], **settings: Any) -> FloatArray:  # noqa: ANN401
    """Count, weigh by rarity, and keep the main directions; (N, at most DIMENSIONS)."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.utils.extmath import randomized_svd

    counts = TfidfVectorizer(sublinear_tf=True, **settings).fit_transform(texts)
    n_dimensions = min(DIMENSIONS, *counts.shape)
    left, singular, _ = randomized_svd(counts, n_dimensions, n_iter=5, random_state=0)
    rows = np.asarray(left * singular, dtype=np.float64)
    rows[np.linalg.norm(rows, axis=1) < FAINT] = 0.0
    return rows


def _unit_rows(rows: FloatArray) -> FloatArray:
    """Scale rows to length 1 and round; rows that were rounded before stay as they are."""
    largest = np.abs(rows).max(axis=1, keepdims=True)
    if largest.max() <= 1 and _are_rounded(rows):
        unit = rows.copy()
    else:
        scaled = rows / np.where(largest > 0, largest, 1.0)  # no overflow in the squares
        lengths = np.linalg.norm(scaled, axis=1, keepdims=True)
        unit = on_grid(scaled / np.where(lengths > 0, lengths, 1.0))
    unit.flags.writeable = False
    return unit


def _are_rounded(rows: FloatArray) -> bool:
    """Whether rows are multiples of the grid and as near to length 1 as rounding leaves them."""
    lengths = np.linalg.norm(rows, axis=1)
    off = np.sqrt(rows.shape[1]) / (2 * STEPS)
    near = (lengths == 0) | (np.abs(lengths - 1) <= off)
    return bool(near.all()) and np.array_equal(on_grid(rows), rows)


def _encode(method: str, model: str | None, texts: list[str]) -> Any:  # noqa: ANN401
    """Embed by a model of another library."""
    if method not in get_args(Embedding):
        raise ArgumentError(
            f"`method` must be one of {shown(list(get_args(Embedding)))}, got {method!r}."
        )
    if not model:
        raise ArgumentError(
            f"`model` must name the model of {method}, or its folder, got {model!r}."
        )
    try:
        library = importlib.import_module(method.replace("-", "_"))
    except ImportError as error:
        raise ArgumentError(
            f"`method` {method!r} needs a library that is not installed ({error}). Install it: "
            f"pip install 'bestrand[{method}]'."
        ) from error
    if method == "model2vec":
        return library.StaticModel.from_pretrained(model).encode(texts)
    return library.SentenceTransformer(model).encode(texts, show_progress_bar=False)

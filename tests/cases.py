"""Cases on which every method must keep its contract: few, flat, missing, weighted, any unit."""

import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
from hypothesis import strategies as st

import bestrand as br
from bestrand.core.manifest import Manifest
from bestrand.core.scores import ScoreMatrix
from bestrand.core.texts import ItemTexts
from bestrand.methods import Strategy
from bestrand.types import FloatArray


Kind = Literal["right", "graded", "rare", "alike", "flat items", "flat models", "flat"]
Weights = Literal["micro", "macro", "uneven", "one heavy", "some zero"]
Groups = Literal["none", "three", "one of one", "each its own", "one"]

KINDS: tuple[Kind, ...] = ("right", "graded", "rare", "alike", "flat items", "flat models", "flat")
WEIGHTS: tuple[Weights, ...] = ("micro", "macro", "uneven", "one heavy", "some zero")
GROUPS: tuple[Groups, ...] = ("none", "three", "one of one", "each its own", "one")


@dataclass(frozen=True)
class Unit:
    """A scale of scores: y on 0..1 is written as `low + width * y`; `bounds` are what is said."""

    low: float
    width: float
    bounds: tuple[float, float] | None


UNITS = {
    "0..1": Unit(0.0, 1.0, (0.0, 1.0)),
    "0..1, unsaid": Unit(0.0, 1.0, None),
    "percent": Unit(0.0, 100.0, (0.0, 100.0)),
    "a million": Unit(0.0, 1e6, None),
    "narrow": Unit(0.5, 1e-9, None),
    "narrow, in 0..1": Unit(0.5, 1e-9, (0.0, 1.0)),
    "below and above 0": Unit(-3.0, 4.0, None),
    "losses": Unit(-8.0, 4.0, None),
}


@dataclass(frozen=True)
class Shape:
    """What a case is like.

    Attributes:
        n_items: N.
        n: items to choose, at most N.
        n_known: models that ran all items, as probes or sources; a strategy that learns gets 3.
        n_targets: models of which the full score is asked.
        kind: what the scores are like.
        unit: name of their scale.
        weights: of the items.
        groups: of the items; a strategy that needs groups gets three.
        missing: whether targets lack some scores.
        pooled: whether the items are chosen from a pool, where the strategy can.
        seed: of the scores and the choice.
    """

    n_items: int = 9
    n: int = 4
    n_known: int = 4
    n_targets: int = 3
    kind: Kind = "graded"
    unit: str = "0..1"
    weights: Weights = "micro"
    groups: Groups = "three"
    missing: bool = False
    pooled: bool = False
    seed: int = 0

    def fit_for(self, strategy: Strategy) -> "Shape":
        """Give what the strategy needs: groups, like weights, sources, and no missing score."""
        fit = self
        if self.groups == "none" and {"Stratified", "PostStratified"} & names_of(strategy):
            fit = replace(fit, groups="three")
        if self.weights not in ("micro", "macro") and "PostStratified" in names_of(strategy):
            fit = replace(fit, weights="macro")
        if names_of(strategy) & REFUSE_MISSING:
            fit = replace(fit, missing=False)
        return replace(fit, n_known=max(self.n_known, 3)) if strategy.needs == "sources" else fit


# They refuse targets that lack a score of the subset: "needs every target's score on every item".
REFUSE_MISSING = {
    "AnchorPredictor",
    "ClusterWeighted",
    "GpIrt",
    "Hajek",
    "HistoryAverage",
    "HorvitzThompson",
    "KernelRidgeScores",
    "PIrt",
    "PostStratified",
    "RidgeScores",
    "SparseEvalPredictor",
}


def names_of(strategy: Strategy) -> set[str]:
    """Names of the methods of a strategy, of an estimator within another too."""
    return set(re.findall(r"[A-Z]\w+", f"{strategy.design!r} {strategy.estimator!r}"))


CORNERS = {
    "plain": Shape(),
    "one item of one": Shape(n_items=1, n=1, groups="one of one"),
    "one item": Shape(n=1),
    "all but one": Shape(n=8, kind="right"),
    "all items": Shape(n=9, weights="uneven"),
    "two models": Shape(n_known=1, n_targets=1),
    "two of two items": Shape(n_items=2, n=2, kind="right", groups="each its own"),
    "one of two items": Shape(n_items=2, n=1, groups="one of one", weights="macro"),
    "flat": Shape(kind="flat"),
    "flat, scale unsaid": Shape(kind="flat", unit="below and above 0"),
    "flat items": Shape(kind="flat items", n=6),
    "flat models": Shape(kind="flat models", unit="percent"),
    "models alike": Shape(kind="alike", unit="0..1, unsaid"),
    "next to nothing": Shape(kind="rare", n=5),
    "narrow": Shape(unit="narrow", n=6),
    "narrow, in 0..1": Shape(unit="narrow, in 0..1", n=6),
    "a million": Shape(unit="a million", weights="one heavy"),
    "losses": Shape(unit="losses", weights="some zero", n=6),
    "missing": Shape(missing=True, n=7, weights="macro", groups="one of one"),
    "pooled": Shape(pooled=True, n_items=14, n=3),
}


@st.composite
def shapes(draw: st.DrawFn) -> Shape:
    """Any shape of up to 14 items; one item, all but one and all of them come often."""
    n_items = draw(st.integers(1, 14))
    few = st.sampled_from(sorted({1, max(1, n_items - 1), n_items}))
    return Shape(
        n_items=n_items,
        n=draw(st.integers(1, n_items) | few),
        n_known=draw(st.integers(1, 6)),
        n_targets=draw(st.integers(1, 4)),
        kind=draw(st.sampled_from(KINDS)),
        unit=draw(st.sampled_from(list(UNITS))),
        weights=draw(st.sampled_from(WEIGHTS)),
        groups=draw(st.sampled_from(GROUPS)),
        missing=draw(st.booleans()),
        pooled=draw(st.booleans()),
        seed=draw(st.integers(0, 9999)),
    )


@dataclass(frozen=True)
class Case:
    """A strategy, models that ran all items, targets, and what comes of them.

    Attributes:
        strategy: what is tried.
        shape: what the case is like.
        known: (K, N) scores of probes or sources.
        targets: (T, N) scores of the targets.
        texts: representations of the items' texts.
        pool: the pool to choose from, or None.
    """

    strategy: Strategy
    shape: Shape
    known: ScoreMatrix
    targets: ScoreMatrix
    texts: ItemTexts
    pool: Manifest | None

    @classmethod
    def of(cls, strategy: Strategy, shape: Shape, unit: Unit | None = None) -> "Case":
        """Make the case of a shape; what a strategy needs is there. `unit` replaces the shape's."""
        learns = strategy.needs == "sources"
        shape = shape.fit_for(strategy)
        rng = np.random.default_rng(shape.seed)
        frame = _frame(shape, rng)
        scores = _scores(shape, rng)
        scale = unit or UNITS[shape.unit]

        def matrix(letter: str, values: FloatArray) -> ScoreMatrix:
            names = tuple(f"{letter}{row}" for row in range(len(values)))
            return ScoreMatrix(frame, names, scale.low + scale.width * values, bounds=scale.bounds)

        texts = ItemTexts.of_embeddings(frame.items, rng.integers(-1, 2, (shape.n_items, 3)))
        pool = None
        if shape.pooled and not learns:
            pool = br.draw_pool(frame, shape.n, factor=2.0, seed=shape.seed)
        known, targets = scores[: shape.n_known], scores[shape.n_known :]
        case = cls(strategy, shape, matrix("k", known), matrix("t", targets), texts, pool)
        return case.without_some(rng) if shape.missing else case

    def without_some(self, rng: np.random.Generator) -> "Case":
        """Take a third of the targets' scores away, but not the first of the chosen items."""
        gone = rng.random(self.targets.values.shape) < 1 / 3
        gone[:, self.chosen[0]] = False
        return self.with_targets(np.where(gone, np.nan, self.targets.values))

    def with_targets(self, values: FloatArray) -> "Case":
        """Give the targets other scores; the subset stays."""
        return replace(self, targets=replace(self.targets, values=values))

    @property
    def looks(self) -> bool:
        """Whether scores are known before the targets run."""
        return self.strategy.needs in ("probes", "sources")

    def near(self, share: float = 1e-6) -> float:
        """How far numbers may be apart: a share of the scale's width, and rounding."""
        unit = UNITS[self.shape.unit]
        return share * unit.width + 1e-15 * (abs(unit.low) + unit.width)

    @property
    def refusal(self) -> str | None:
        """What an estimate of this case must say instead of giving one; None where it must not."""
        if not self.known.frame.weights[self.chosen].any():
            return "The chosen items have weight 0 in the full score"
        there = ~self.targets.missing[:, self.chosen]
        if not (there @ self.known.frame.weights[self.chosen]).all():
            return "All items of the subset on which .* has a score have weight 0"
        bounds, flat = self.known.bounds, float(np.ptp(self.known.values)) == 0.0
        seen = np.append(self.targets.values[:, self.chosen][there], self.known.values)
        unsaid = bounds is None and not ((seen >= 0) & (seen <= 1)).all()
        learns = self.strategy.estimator.needs == "sources"
        if flat and learns and unsaid and self.shape.n < self.shape.n_items:
            return "cannot learn from sources that all have one score, on a scale that is not known"
        return None

    @cached_property
    def subset(self) -> Manifest:
        """What the strategy chooses."""
        return self.choose()

    @cached_property
    def chosen(self) -> list[int]:
        """Where the chosen items stand in the frame."""
        return [self.known.frame.positions[item] for item in self.subset.items]

    @cached_property
    def result(self) -> br.Estimates:
        """What the strategy estimates."""
        return self.estimate()

    def choose(
        self, known: ScoreMatrix | None = None, names: tuple[str, ...] | None = None
    ) -> Manifest:
        """Choose as the strategy does."""
        scores = self.known if known is None else known
        return br.select(
            scores if self.looks else scores.frame,
            self.shape.n,
            pool=self.pool,
            design=self.strategy.design,
            probes=(names or self.known.models) if self.looks else None,
            texts=self.texts if self.strategy.design.uses_texts else None,
            seed=self.shape.seed,
        )

    def estimate(
        self, targets: ScoreMatrix | None = None, known: ScoreMatrix | None = None
    ) -> br.Estimates:
        """Estimate as the strategy does."""
        probes = (known or self.known) if self.looks else None
        return br.estimate(
            targets or self.targets,
            self.subset,
            probes=probes,
            estimator=self.strategy.estimator,
            missing="omit",
        )


def _frame(shape: Shape, rng: np.random.Generator) -> br.Frame:
    n = shape.n_items
    items = [f"q{number:02d}" for number in range(n)]
    names = {
        "none": None,
        "three": [("algebra", "botany", "chess")[number % 3] for number in range(n)],
        "one of one": ["alone", *["other"] * (n - 1)],
        "each its own": items,
        "one": ["all"] * n,
    }[shape.groups]
    weights: dict[str, FloatArray] = {
        "uneven": rng.integers(1, 17, n) / 4,
        "one heavy": np.where(np.arange(n) == n // 2, 50.0, 1.0),
        "some zero": np.where((np.arange(n) % 3 == 1), 0.0, rng.integers(1, 5, n)),
    }
    numbers = weights.get(shape.weights)
    kind = shape.weights if numbers is None else "explicit"
    if kind == "macro" and names is None:
        kind = "micro"
    return br.Frame.of(items, groups=names, weights=numbers, weighting=kind)  # type: ignore[arg-type]


def _scores(shape: Shape, rng: np.random.Generator) -> FloatArray:
    """Scores on 0..1, in eighths, that sums and scaling by powers of two do not round."""
    size = (shape.n_known + shape.n_targets, shape.n_items)
    right = rng.integers(0, 2, size).astype(np.float64)
    graded = rng.integers(0, 9, size) / 8
    match shape.kind:
        case "right":
            return right
        case "graded":
            return graded
        case "rare":
            return np.where(rng.random(size) < 1 / shape.n_items, right, 0.0)
        case "alike":
            return np.broadcast_to(graded[0], size).copy()
        case "flat items":
            return np.where(np.arange(size[1]) % 2 == 0, graded[0], right)
        case "flat models":
            return np.where(np.arange(size[0])[:, None] % 2 == 0, graded[:, :1], graded)
        case "flat":
            return np.full(size, 0.5)

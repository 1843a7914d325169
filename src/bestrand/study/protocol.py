"""The protocol: which experiments a study runs, as plain data from TOML or Python."""

import tomllib
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    ValidationError,
    field_validator,
    model_validator,
)

from bestrand.core.method import Needs
from bestrand.errors import ArgumentError, FileError
from bestrand.methods import DESIGNS, ESTIMATORS, STRATEGIES, Strategy, make_design
from bestrand.study.toml import first_problem, read_toml


def _require_factor(given: object) -> object:
    if given == "full":
        return given
    if isinstance(given, int | float) and not isinstance(given, bool) and 1 <= given < float("inf"):
        return given
    raise ValueError(f"it must be a number of 1 or more, or 'full', got {given!r}")


def _require_models(given: object) -> object:
    if given == "all":
        return given
    if isinstance(given, int) and not isinstance(given, bool) and given >= 1:
        return given
    raise ValueError(f"it must be a whole number of 1 or more, or 'all', got {given!r}")


Split = Literal[
    "random",
    "weak-to-strong",
    "strong-to-weak",
    "across-families",
    "old-to-new",
    "new-to-old",
    "none",
]
Regime = Literal["probes", "sources"]
Probes = Literal["random", "top", "bottom", "spread"]
PoolDesign = Literal["random", "stratified"]
BY_NAME, SPELLED_OUT = "by name", "spelled out"
BASE = "random"
Models = Annotated[int | Literal["all"], BeforeValidator(_require_models)]
Share = Annotated[float, Field(gt=0, le=1)]
Factor = Annotated[float | Literal["full"], BeforeValidator(_require_factor)]


class Planned(NamedTuple):
    """A strategy as an experiment runs it.

    Attributes:
        name: by which tables know it.
        strategy: design, estimator and what they need.
        n_probes: K, how many of the known models it looks at; None for all, or for 8 where it
            needs probes and the regime is "sources"; "all" for all in any regime.
        alpha: size of the pool over n; None for that of the experiment, inf for the whole frame.
        probes: which of the known models these are, by their full scores.
        pool: how the pool is drawn.
        of: the name without K, where an experiment runs it with several; or None.
    """

    name: str
    strategy: Strategy
    n_probes: int | Literal["all"] | None = None
    alpha: float | None = None
    probes: Probes = "random"
    pool: PoolDesign = "random"
    of: str | None = None


class _Plain(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class StrategyTable(_Plain):
    """A strategy spelled out in a protocol.

    Give `like`, the name of a known one, or `design` and `estimator`.
    """

    name: str = Field(min_length=1)
    like: str | None = None
    design: dict[str, Any] | None = None
    estimator: str | None = None
    needs: Needs | None = None
    n_probes: int | None = Field(default=None, ge=1)
    alpha: Factor | None = None
    probes: Probes = "random"
    pool: PoolDesign | None = None

    @model_validator(mode="after")
    def _can_be_made(self) -> Self:
        if self.like is not None and (self.design or self.estimator or self.needs):
            raise ValueError("give `like`, or `design` and `estimator`, and not both")
        if self.like is None and (self.design is None or self.estimator is None):
            raise ValueError("give `like`, or both `design` and `estimator`")
        if self.like is not None:
            _require_known("strategy", self.like, STRATEGIES)
        if self.estimator is not None:
            _require_known("estimator", self.estimator, ESTIMATORS)
        if self.design is not None:
            _require_known("design", self.design.get("word"), DESIGNS)
        self.planned()
        return self

    def planned(self) -> Planned:
        """Make the design and the estimator."""
        strategy = STRATEGIES[self.like] if self.like else self._spelled_out()
        return Planned(
            name=self.name,
            strategy=strategy,
            n_probes=self.n_probes,
            alpha=None if self.alpha is None else _factor(self.alpha),
            probes=self.probes,
            pool=self.pool or _pool_of(strategy),
        )

    def _spelled_out(self) -> Strategy:
        settings = dict(self.design or {})
        try:
            design = make_design(settings.pop("word"), **settings)
        except TypeError as error:
            raise ValueError(f"a setting of the design is of another type ({error})") from error
        estimator = ESTIMATORS[self.estimator or "mean"]()
        return Strategy.of(design, estimator, self.needs)


def _form(given: object) -> str:
    return BY_NAME if isinstance(given, str) else SPELLED_OUT


Entry = Annotated[
    Annotated[str, Tag(BY_NAME)] | Annotated[StrategyTable, Tag(SPELLED_OUT)],
    Discriminator(_form),
]


class Experiment(_Plain):
    """One experiment: every strategy on every benchmark, split and retention.

    Attributes:
        name: distinct within the protocol.
        figure: which of the article's experiments it serves, by number.
        strategies: names of known ones, or tables; "random" is among them.
        retentions: n / N.
        splits: how known models and targets are told apart; "none" makes all models targets.
        regime: "probes", the known models run a pool; "sources", they have run all items.
        known: how many models are known; a share of all models if below 1.
        n_probes: how many of the known models strategies look at, or "all" of them: each strategy
            that needs models and has no number of its own is run with each, as "NAME, K = 2".
        alpha: size of the pool over n, or "full" for the whole frame.
        replicates: splits and draws a cell.
        benchmarks: patterns of names, as `helm_*`.
        kinds: kinds of benchmark, or None for all.
        min_models: a benchmark with fewer is left out.
        metrics: what is estimated; default: the main metric.
        matched: "each", a subset is matched on the metric estimated; "all", on all of them.
        forecast: note what the probes alone predict.
        theory: set the law of the error beside as many of Random's draws, all models being
            targets; needs no strategies.
    """

    name: str = Field(min_length=1)
    figure: tuple[int, ...] = ()
    strategies: tuple[Entry, ...] = ()
    retentions: tuple[Share, ...] = Field(min_length=1)
    splits: tuple[Split, ...] = Field(default=("random",), min_length=1)
    regime: Regime = "probes"
    known: tuple[Annotated[float, Field(ge=0)], ...] = Field(default=(8,), min_length=1)
    n_probes: tuple[Models, ...] = ()
    alpha: Factor = 4.0
    replicates: int = Field(default=100, ge=1, le=100_000)
    benchmarks: tuple[str, ...] = ("*",)
    kinds: tuple[str, ...] | None = None
    min_models: int = Field(default=4, ge=2)
    metrics: tuple[str, ...] = ()
    matched: Literal["each", "all"] = "each"
    forecast: bool = False
    theory: bool = False

    @field_validator("strategies")
    @classmethod
    def _are_known(cls, given: tuple[str | StrategyTable, ...]) -> tuple[str | StrategyTable, ...]:
        for strategy in given:
            if isinstance(strategy, str):
                _require_known("strategy", strategy, STRATEGIES)
        names = [s if isinstance(s, str) else s.name for s in given]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"names must be distinct; {', '.join(twice)} come more than once")
        return given

    @field_validator("retentions", "splits", "known", "n_probes", "kinds", "metrics")
    @classmethod
    def _are_distinct(cls, given: tuple[object, ...] | None) -> tuple[object, ...] | None:
        """Refuse what comes twice: its replicates would count twice, and intervals shrink."""
        values = given or ()
        twice = [value for number, value in enumerate(values) if value in values[:number]]
        if twice:
            raise ValueError(f"values must be distinct; {twice[0]!r} comes more than once")
        return given

    @field_validator("known")
    @classmethod
    def _are_counts_or_shares(cls, given: tuple[float, ...]) -> tuple[float, ...]:
        odd = [count for count in given if count >= 1 and count != int(count)]
        if odd:
            raise ValueError(f"must be whole numbers, or shares below 1, got {odd[0]:g}")
        return given

    @model_validator(mode="after")
    def _has_something_to_do(self) -> Self:
        if not self.strategies and not self.theory:
            raise ValueError("give `strategies`, or theory = true")
        if self.strategies and BASE not in [planned.name for planned in self.planned]:
            raise ValueError(f"every experiment compares with {BASE!r}: add it to `strategies`")
        names = [planned.name for planned in self.planned]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(
                f"names must be distinct; {', '.join(twice)} come from `n_probes` and `strategies`"
            )
        return self

    @property
    def planned(self) -> tuple[Planned, ...]:
        """The strategies, made; those to be run with several numbers of models, with each."""
        made = (
            Planned(s, STRATEGIES[s], pool=_pool_of(STRATEGIES[s]))
            if isinstance(s, str)
            else s.planned()
            for s in self.strategies
        )
        return tuple(each for planned in made for each in self._with_each_number(planned))

    def _with_each_number(self, planned: Planned) -> tuple[Planned, ...]:
        needs_models = planned.strategy.needs in ("probes", "sources")
        if not self.n_probes or not needs_models or planned.n_probes is not None:
            return (planned,)
        return tuple(
            planned._replace(name=f"{planned.name}, K = {k}", n_probes=k, of=planned.name)
            for k in self.n_probes
        )

    @property
    def pool_factor(self) -> float:
        """Alpha as a number; inf for the whole frame, as always where sources are known."""
        return float("inf") if self.regime == "sources" else _factor(self.alpha)


class Protocol(_Plain):
    """What a study runs.

    Attributes:
        name: of the protocol.
        about: a sentence for people.
        experiments: at least one, with distinct names.
        clusters: pattern of benchmark names -> cluster of benchmarks that are not independent;
            those that share most of their models are found without it.
        model_families: pattern of model names -> family; they go before the shipped patterns, and
            a model that none fits is of the family that the first word of its name says.
        model_dates: pattern of model names -> date of release, as 2024.25, for splits by time;
            they go before the shipped patterns, and a model that none fits has no date.
    """

    name: str = Field(min_length=1)
    about: str = ""
    experiments: tuple[Experiment, ...] = Field(min_length=1)
    clusters: dict[str, str] = Field(default_factory=dict)
    model_families: dict[str, str] = Field(default_factory=dict)
    model_dates: dict[str, float] = Field(default_factory=dict)

    @field_validator("experiments")
    @classmethod
    def _are_distinct(cls, given: tuple[Experiment, ...]) -> tuple[Experiment, ...]:
        names = [experiment.name for experiment in given]
        if len(set(names)) < len(names):
            raise ValueError("experiments must have distinct names")
        return given

    @classmethod
    def load(cls, source: str | Path) -> Self:
        """Read a shipped protocol by its name, or one of your own by its path.

        Raises:
            ArgumentError: neither a shipped name nor a file.
            FileError: the file is no protocol; says which key is wrong and what is allowed.
        """
        if str(source) in shipped():
            place = files("bestrand.study").joinpath("protocols", f"{source}.toml")
            return cls.of(tomllib.loads(place.read_text(encoding="utf-8")), source=str(source))
        path = Path(source)
        if not path.is_file():
            there = "this is no file" if path.exists() else "there is no such file"
            raise ArgumentError(
                f"`protocol` must be one of {', '.join(shipped())}, or a TOML file; got "
                f"{str(source)!r}, and {there}.",
                protocol=str(source),
            )
        return cls.of(read_toml(path, "a protocol"), source=path)

    @classmethod
    def of(cls, content: Mapping[str, Any], *, source: str | Path = "protocol") -> Self:
        """Make a protocol from plain data.

        Raises:
            FileError: a key is unknown or a value is not allowed.
        """
        try:
            return cls.model_validate(content)
        except ValidationError as error:
            said = first_problem(error, "protocol", _fields_at, (BY_NAME, SPELLED_OUT))
            raise FileError(said, path=Path(source)) from error


def shipped() -> tuple[str, ...]:
    """Name the protocols that come with the package, ascending."""
    folder = files("bestrand.study").joinpath("protocols")
    names = [entry.name for entry in folder.iterdir() if entry.name.endswith(".toml")]
    return tuple(sorted(name.removesuffix(".toml") for name in names))


def _fields_at(place: Sequence[int | str]) -> list[str]:
    if "strategies" in place:
        return list(StrategyTable.model_fields)
    return list((Experiment if place[0] == "experiments" else Protocol).model_fields)


def _require_known(what: str, name: object, known: Mapping[str, Any]) -> None:
    if name not in known:
        raise ValueError(f"unknown {what} {name!r}; there are {', '.join(sorted(known))}")


def _factor(alpha: Factor) -> float:
    return float("inf") if alpha == "full" else float(alpha)


def _pool_of(strategy: Strategy) -> PoolDesign:
    return "stratified" if strategy.design.stratifies_pool else "random"

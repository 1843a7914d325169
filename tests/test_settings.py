"""Settings of designs and estimators are checked when they are made, all by their annotations."""

import math
from dataclasses import Field, dataclass, fields
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Any, Literal, get_args, get_origin

import numpy as np
import pytest

import bestrand as br
from bestrand.designs.base import Design
from bestrand.designs.baselines.mrmr import MRMR
from bestrand.designs.baselines.random_search import RandomSearch
from bestrand.errors import ArgumentError
from bestrand.estimators.base import Estimator
from bestrand.estimators.baselines.kernel_ridge_scores import KernelRidgeScores
from bestrand.estimators.baselines.ridge_scores import RidgeScores
from bestrand.estimators.shrunk import Shrunk
from bestrand.methods import DESIGNS, ESTIMATORS
from bestrand.settings import Checked, Range, is_checked


Made = type[Design] | type[Estimator]
ALL: dict[str, Made] = {**DESIGNS, **{f"{word} estimator": e for word, e in ESTIMATORS.items()}}
NEVER: list[Any] = [
    -1,
    -3.0,
    math.nan,
    math.inf,
    -math.inf,
    True,
    False,
    None,
    "",
    "3",
    b"1",
    1j,
    [],
    (),
    {},
    np.nan,
    np.float32("inf"),
    np.bool_(True),  # noqa: FBT003
    np.array([1, 0]),
    np.int64(-5),
    -(10**400),
    10**400,
    1e300,
    Decimal("nan"),
    object(),
]


def settings_of(made: Made) -> "tuple[Field[Any], ...]":
    return fields(made)  # type: ignore[arg-type]


EVERY = [
    pytest.param(made, setting, id=f"{word}-{setting.name}")
    for word, made in ALL.items()
    for setting in settings_of(made)
]


def is_whole(setting: "Field[Any]") -> bool:
    return get_origin(setting.type) is Annotated and get_args(setting.type)[0] is int


@pytest.mark.parametrize(("made", "setting"), EVERY)
def test_every_setting_says_what_it_may_be(made: Made, setting: "Field[Any]") -> None:
    assert is_checked(setting), f"annotate {made.__name__}.{setting.name} as `settings` says"


@pytest.mark.parametrize(("made", "setting"), EVERY)
def test_nonsense_is_refused_by_every_setting(made: Made, setting: "Field[Any]") -> None:
    more = [0.5, 2.5, np.float64(2.5), 1.0, Fraction(1, 2)] if is_whole(setting) else []
    for value in [*NEVER, *more]:
        with pytest.raises(ArgumentError, match=rf"`{setting.name}` must be"):
            made(**{setting.name: value})


@pytest.mark.parametrize("made", ALL.values(), ids=list(ALL))
def test_what_a_setting_is_by_default_may_be_given(made: Made) -> None:
    usual = made()
    given = {setting.name: getattr(usual, setting.name) for setting in settings_of(made)}

    assert made(**given) == usual


def test_zero_is_refused_where_one_is_needed() -> None:
    for made in (br.BestRand, br.Balanced, br.History, RandomSearch):
        with pytest.raises(ArgumentError, match=r"`n_candidates` must be 1 or more, got 0\."):
            made(n_candidates=0)
    for n in (-3, 0):
        with pytest.raises(ArgumentError, match=rf"`n_components` must be 1 or more, got {n}\."):
            br.History(n_components=n)
    with pytest.raises(ArgumentError, match=r"`n_components` must be a whole number 1 or more, go"):
        br.History(n_components=2.5)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match=r"`penalty` must be above 0, got 0\."):
        br.Regression(penalty=0.0)
    with pytest.raises(ArgumentError, match=r"`penalty` must be above 0, got nan\."):
        br.HistoryAverage(penalty=math.nan)


def test_too_many_candidates_are_refused_with_advice() -> None:
    with pytest.raises(ArgumentError, match=r"must be 10000000 or fewer, got 10000001\. More than"):
        br.BestRand(n_candidates=10_000_001)


@pytest.mark.parametrize("made", [RidgeScores, KernelRidgeScores])
@pytest.mark.parametrize(
    "penalties", [(), (1.0, 0.0), (1.0, -1.0), (math.nan,), 3.0, "12", (True,)]
)
def test_penalties_are_one_or_more_numbers_above_0(made: Any, penalties: Any) -> None:  # noqa: ANN401
    with pytest.raises(ArgumentError, match="`penalties` must be one or more numbers above 0"):
        made(penalties=penalties)


def test_numbers_of_numpy_become_those_of_python() -> None:
    design = br.History(n_candidates=np.int64(50), n_components=np.uint8(3))  # type: ignore[arg-type]
    estimator = RidgeScores(penalties=[1, np.float32(2.0)])  # type: ignore[arg-type]

    assert [type(value) for value in design.parameters.values()] == [int, int]
    assert estimator.penalties == (1.0, 2.0)
    assert hash(estimator) == hash(RidgeScores((1.0, 2.0)))
    assert type(br.Regression(penalty=2).penalty) is float


def test_a_base_must_be_an_estimator() -> None:
    for base in (None, "mean", br.SimpleRandom(), br.Regression):
        with pytest.raises(ArgumentError, match="`base` must be Estimator"):
            Shrunk(base)  # type: ignore[arg-type]


def test_a_setting_without_a_range_is_found() -> None:
    @dataclass(frozen=True)
    class Careless(Checked):
        known: Annotated[int, Range(0)] = 1
        word: Literal["a", "b"] = "a"
        unknown: int | None = 1
        many: tuple[float, ...] = (1.0,)

    checked = [is_checked(setting) for setting in fields(Careless)]

    assert checked == [True, True, False, False]


def test_words_are_one_of_the_choices() -> None:
    with pytest.raises(ArgumentError, match=r"`criterion` must be mid or miq, got 'max'\."):
        MRMR(criterion="max")  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match=r"`norm` must be l1, l2 or linf, got \['l1'\]\."):
        br.BestRand(norm=["l1"])  # type: ignore[arg-type]

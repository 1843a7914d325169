"""Errors at the command line name options, and booleans and bare texts are refused."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bestrand as br
from bestrand.cli import app
from bestrand.cli.wording import said_by
from bestrand.data import load
from bestrand.errors import ArgumentError, InputError
from bestrand.planning.costs import costs
from bestrand.planning.error_law import error_law
from tests.conftest import Files, Run


SQL = load("intercode_sql")
MATRIX = SQL.matrix()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("adopt", "{ids}", "--of", 50), "`--of` must be 100 or more"),
        (("adopt", "{ids}", "--of", 50, "--items", "{ids}"), "`--of` is 50"),
        (("pool", "{ids}", "-n", 0), "`-n` must be 1 or more"),
        (("pool", "{ids}", "-n", 5, "--factor", 0), "`--factor` (alpha) must be 1 or more"),
        (("pool", "{ids}", "-n", 5, "--seed", -1), "`--seed` must be 0 or more"),
        (("diagnose", "{scores}", "--items", 5), "`--items` must be 1901 or more"),
        (("diagnose", "{scores}", "--retention", 2), "`--retention` must be above 0"),
        (("diagnose", "{scores}", "--threshold", 0), "`--threshold` must be above 0"),
        (("diagnose", "{scores}", "--column", "foo=x"), "`--column` knows the roles"),
        (("plan", "{scores}", "--max-error", 0.1, "--budget", 9), "`--max-error` and `--budget`"),
        (("plan", "{scores}", "--budget", 99, "--targets", 0), "`--targets` must be 1 or more"),
        (("plan", "{scores}", "--expect-score", 7), "`--expect-score` must lie between 0 and 1"),
        (("plan", "{scores}", "--budget", 99, "--probe-cost", -1), "`--probe-cost` must be 0"),
        (("plan", "{scores}", "--max-error", 7), "`--max-error` must be below 1"),
        (("backtest", "{scores}"), "Give either `-n` or `--retention`"),
        (("backtest", "{scores}", "-n", 9, "--draws", 1), "`--draws` must be 2 or more"),
        (("backtest", "{scores}", "-n", 9, "--n-probes", 0), "`--n-probes` must be 1 or more"),
        (("read", "{scores}", "--range", "5:1"), "`--range` must have its lower end first"),
        (("select", "{scores}", "-n", 5, "--candidates", 0), "`--candidates` must be 1 or more"),
        (
            ("select", "{scores}", "-n", 5, "--design", "cube", "--norm", "l1"),
            "no setting `--norm`",
        ),
        (("select", "{scores}", "-n", 5, "--probes", "a,a"), "`--probes` must be distinct"),
    ],
)
def test_an_error_names_the_option(
    run: Run, files: Files, words: tuple[object, ...], said: str
) -> None:
    ids = files.folder / "ids.txt"
    ids.write_text("".join(f"item {number}\n" for number in range(100)))
    places = {"{ids}": ids, "{scores}": files.scores}
    done = run(*(places.get(str(word), word) for word in words))

    assert done.code in (2, 3)
    assert said in done.err
    assert "(--" not in done.err, "the option is said once"


def test_a_hint_for_python_is_left_out_at_the_command_line(run: Run, files: Files) -> None:
    ids = files.folder / "ids.txt"
    ids.write_text("a\nb\n")

    assert "--of N, or all of them, --items FILE." in run("adopt", ids).err
    with pytest.raises(ArgumentError, match=r"--of N \(of=\)"):
        br.adopt(["a", "b"])


def test_a_column_is_no_option() -> None:
    """In errors about data only a leading name is a parameter; others may be columns."""
    column = InputError("Some item has no group. Add a `weights` column.")
    size = InputError("`budget` must be 16 or more.")

    assert said_by("select", column, app) == str(column)
    assert said_by("plan", size, app) == "`--budget` must be 16 or more."
    assert said_by("nothing", size, app) == str(size)
    assert said_by("verify", size, app) == str(size), "verify has no such option"


COUNTS: dict[str, Callable[[Any], object]] = {
    "select n": lambda value: br.select(MATRIX, value),
    "select retention": lambda value: br.select(MATRIX, retention=value),
    "select seed": lambda value: br.select(MATRIX, 9, seed=value),
    "pool n": lambda value: br.draw_pool(MATRIX, value),
    "pool factor": lambda value: br.draw_pool(MATRIX, 9, factor=value),
    "pool seed": lambda value: br.draw_pool(MATRIX, 9, seed=value),
    "adopt of": lambda value: br.adopt(["a"], of=value),
    "diagnose n_items": lambda value: br.diagnose(MATRIX, n_items=value),
    "diagnose retentions": lambda value: br.diagnose(MATRIX, retentions=[value]),
    "diagnose threshold": lambda value: br.diagnose(MATRIX, threshold=value),
    "diagnose seed": lambda value: br.diagnose(MATRIX, seed=value),
    "plan max_error": lambda value: br.plan(MATRIX, max_error=value),
    "plan resolve": lambda value: br.plan(MATRIX, resolve=value),
    "plan budget": lambda value: br.plan(MATRIX, budget=value),
    "plan risk": lambda value: br.plan(MATRIX, risk=value),
    "plan power": lambda value: br.plan(MATRIX, power=value),
    "plan n_targets": lambda value: br.plan(MATRIX, n_targets=value),
    "plan probe_cost": lambda value: br.plan(MATRIX, probe_cost=value),
    "plan n_items": lambda value: br.plan(MATRIX, n_items=value),
    "plan expected_score": lambda value: br.plan(MATRIX, expected_score=value),
    "plan retentions": lambda value: br.plan(MATRIX, retentions=[value]),
    "plan seed": lambda value: br.plan(MATRIX, seed=value),
    "suite budget": lambda value: br.plan_suite({"a": MATRIX, "b": MATRIX}, value),
    "suite seed": lambda value: br.plan_suite({"a": MATRIX, "b": MATRIX}, 99, seed=value),
    "backtest n": lambda value: br.backtest(MATRIX, value),
    "backtest retention": lambda value: br.backtest(MATRIX, retention=value),
    "backtest n_probes": lambda value: br.backtest(MATRIX, 9, n_probes=value),
    "backtest n_draws": lambda value: br.backtest(MATRIX, 9, n_draws=value),
    "backtest factor": lambda value: br.backtest(MATRIX, 9, factor=value),
    "backtest seed": lambda value: br.backtest(MATRIX, 9, seed=value),
    "estimate level": lambda value: br.estimate(MATRIX, br.select(MATRIX, 9), level=value),
    "simulate retention": lambda value: error_law(MATRIX, value),
    "simulate n_draws": lambda value: error_law(MATRIX, 0.1, n_draws=value),
    "costs n_targets": lambda value: costs(br.draw_pool(MATRIX, 9), value),
}


@pytest.mark.parametrize("value", [True, False, np.True_, "1"])
@pytest.mark.parametrize("name", COUNTS)
def test_a_boolean_or_a_text_is_no_number(name: str, value: object) -> None:
    with pytest.raises(
        ArgumentError, match=r"`\w+` must be (a (whole )?number|between 0 and 1), got"
    ):
        COUNTS[name](value)


@pytest.mark.parametrize("count", [np.int64(9), np.int32(9), 9])
def test_numbers_of_numpy_are_numbers(count: int) -> None:
    subset = br.select(MATRIX, count, seed=np.int64(0))  # type: ignore[arg-type]

    assert subset.digest == br.select(MATRIX, 9).digest


def test_a_text_is_not_several_names() -> None:
    subset = br.select(MATRIX, 9)
    for call in (
        lambda: br.adopt("xy", of=9),
        lambda: br.adopt(b"xy", of=9),  # type: ignore[arg-type]
        lambda: br.adopt(Path("ids.txt"), of=9),  # type: ignore[arg-type]
        lambda: br.adopt(["x"], frame="xy"),
        lambda: br.draw_pool("xy", 1),
        lambda: br.verify(subset, "xy"),
        lambda: br.Frame.of("xy"),
    ):
        with pytest.raises(InputError, match=r"must be several ids, got the (text|path)"):
            call()
    with pytest.raises(ArgumentError, match="`probes` must be a list of texts, got the text"):
        br.select(SQL, 9, probes=SQL.models[0])
    with pytest.raises(ArgumentError, match="`metrics` must be a list of texts, got the text"):
        br.select(SQL, 9, metrics="score")
    with pytest.raises(ArgumentError, match="`models` must be a list of texts, got the text"):
        MATRIX.take_models(SQL.models[0])

"""Plans: what they promise is what happens, and prices decide as they should."""

import json
import math

import numpy as np
import pytest

import bestrand as br
from bestrand.data import load
from bestrand.planning.moments import pair_moments, probe_sets
from bestrand.planning.pilot import Pilot, Way
from bestrand.planning.plan import Option
from bestrand.rng import Stream
from tests.cli.test_verbs import validate
from tests.conftest import Files, Run


MATRIX = load("blink_val").matrix()
N = MATRIX.frame.n


def of(made: br.Plan, design: str) -> Option:
    return next(option for option in made.options if option.design == design)


@pytest.mark.slow
def test_the_promised_risk_is_met_at_the_promised_rate() -> None:
    wrong: dict[str, list[float]] = {"random": [], "stratified": [], "balanced": []}
    for seed in range(60):
        names = np.random.default_rng(seed).permutation(np.array(MATRIX.models, dtype=object))
        pilot = MATRIX.take_models(sorted(names[:9]))
        targets = MATRIX.take_models(sorted(names[9:]))
        made = br.plan(pilot, max_error=0.06, risk=0.1)
        for design, errors in wrong.items():
            option = of(made, design)
            if design == "balanced":
                subset = br.select(pilot, option.n, seed=seed)
                result = br.estimate(targets, subset, probes=pilot)
            else:
                how = br.SimpleRandom() if design == "random" else br.Stratified()
                subset = br.select(MATRIX.frame, option.n, design=how, seed=seed)
                result = br.estimate(targets, subset)
            off = np.abs(result.estimate - targets.full_scores())
            errors.append(float((off > 0.06).mean()))

    for design, rates in wrong.items():
        se = np.std(rates) / math.sqrt(len(rates))
        assert abs(np.mean(rates) - 0.1) < 3 * se + 0.01, design


def test_random_needs_what_cochran_says() -> None:
    one = br.ScoreMatrix(MATRIX.frame, ("a",), MATRIX.values[:1], bounds=(0.0, 1.0))
    variance = MATRIX.values[0].var(ddof=1)
    n_large = (1.959964 / 0.03) ** 2 * variance
    expected = math.ceil(n_large / (1 + n_large / N))

    assert of(br.plan(one, max_error=0.03), "random").n == expected


def test_resolve_needs_what_the_power_of_a_paired_test_says() -> None:
    two = MATRIX.take_models(MATRIX.models[:2])
    plain = br.ScoreMatrix(br.Frame.of(two.frame.items), two.models, two.values, bounds=(0.0, 1.0))
    variance = (two.values[0] - two.values[1]).var(ddof=1)
    n_large = (1.959964 + 0.841621) ** 2 * variance / 0.05**2
    expected = math.ceil(n_large / (1 + n_large / N))

    assert of(br.plan(plain, resolve=0.05), "random").n == expected


def test_gaps_are_resolved_with_the_promised_power() -> None:
    made = br.plan(MATRIX, resolve=0.08)
    n = of(made, "stratified").n
    full = MATRIX.full_scores()
    found = []
    for seed in range(40):
        subset = br.select(MATRIX.frame, n, design=br.Stratified(), seed=seed)
        result = br.estimate(MATRIX, subset)
        gaps = full[:, None] - full
        near = (gaps > 0.072) & (gaps < 0.088)
        found.append((result.pair_difference - result.pair_half_width > 0)[near].mean())

    assert np.mean(found) == pytest.approx(0.8, abs=0.07)


def test_dear_probes_and_few_targets_do_not_pay() -> None:
    made = br.plan(MATRIX, budget=1500, n_targets=5, probe_cost=1.0)

    assert made.best is not None
    assert made.best.design == "stratified"
    assert made.best.n == 300
    assert made.best.cost == 1500
    assert made.verdict.startswith("Do not use probes here, stratify")


def test_cheap_probes_and_many_targets_pay() -> None:
    made = br.plan(MATRIX, budget=20_000, n_targets=100, probe_cost=0.01)
    best = made.best

    assert best is not None
    assert best.design == "balanced"
    assert best.cost == pytest.approx(best.n * 100 + 0.01 * best.n_probes * best.n_pool)
    assert best.cost <= 20_000
    assert best.p95 < of(made, "stratified").p95
    assert " items balanced on " in made.verdict


def test_scores_at_hand_cost_nothing() -> None:
    made = br.plan(MATRIX, budget=1000, n_targets=5)

    assert {option.cost for option in made.options} == {1000}
    assert made.best is not None
    assert (made.best.design, made.best.n, made.best.n_probes) == ("balanced", 200, 16)


def test_the_break_even_is_where_the_recipe_puts_it() -> None:
    """K alpha c / T = 1/q^2 - 1, with q the ratio of errors at the same n."""
    plain = br.ScoreMatrix(br.Frame.of(MATRIX.frame.items), MATRIX.models, MATRIX.values)
    y = plain.scaled()
    pilot = Pilot(y, None, 10**9, expected=None, stream=Stream.of(0, "plan"))
    way, n = Way("balanced", 8, 4.0), 100
    ratio = float((pilot.errors(way, n) / pilot.errors(Way("random"), n)).mean())
    least = 8 * 4 / (1 / ratio - 1)  # targets, at c = 1

    def pays(n_targets: int) -> bool:
        money = 100 * n_targets
        bought = money / (n_targets + 8 * 4)
        random = pilot.errors(Way("random"), 100).mean()
        return bool(pilot.errors(way, round(bought)).mean() < random)

    assert not pays(round(0.8 * least))
    assert pays(round(1.25 * least))


def test_a_pilot_on_a_part_speaks_of_the_whole() -> None:
    part = MATRIX.take_items(MATRIX.frame.items[::4])
    made = br.plan(part, max_error=0.05, probe_cost=0.1, n_items=N)
    whole = br.plan(MATRIX, max_error=0.05, probe_cost=0.1)

    assert made.n_items == N
    assert of(made, "random").n == pytest.approx(of(whole, "random").n, rel=0.1)
    known = br.plan(part, n_items=N, retentions=[0.1, 0.5]).curve
    assert [point.n for point in known if point.design == "balanced"] == [190]  # of 476 known


def test_expected_scores_change_the_size() -> None:
    half = br.plan(MATRIX, max_error=0.05, expected_score=0.5)
    high = br.plan(MATRIX, max_error=0.05, expected_score=0.95)

    assert of(high, "random").n < of(half, "random").n / 3
    assert of(half, "random").n >= of(br.plan(MATRIX, max_error=0.05), "random").n


def test_the_unit_of_the_metric_is_kept() -> None:
    hundred = br.ScoreMatrix(MATRIX.frame, MATRIX.models, MATRIX.values * 100, bounds=(0, 100))
    one, other = br.plan(MATRIX, max_error=0.04), br.plan(hundred, max_error=4.0)

    assert [option.n for option in one.options] == [option.n for option in other.options]
    assert other.options[0].p95 == pytest.approx(100 * one.options[0].p95)
    assert other.curve[0].mean == pytest.approx(100 * one.curve[0].mean)


def test_more_items_are_never_worse() -> None:
    curve = br.plan(MATRIX).curve
    for design in ("random", "stratified", "balanced"):
        sizes = [point.p95 for point in curve if point.design == design]
        assert sizes == sorted(sizes, reverse=True)
    at = {point.design: point.p95 for point in curve if point.n == 190}
    assert at["balanced"] < at["stratified"] < at["random"]


def test_probe_sets_leave_every_model_out_about_as_often() -> None:
    y = MATRIX.scaled()
    for n_probes in (0, 1, 8, 16):
        sets = probe_sets(y, n_probes, Stream.of(0, "sets"))
        inside = np.bincount(np.concatenate([*sets, np.arange(19)]).astype(int)) - 1
        left_out = len(sets) - inside
        assert all(len(set(chosen)) == n_probes for chosen in sets)
        assert left_out.min() > 0.5 * left_out.max()


def test_pairs_are_of_models_that_do_not_probe() -> None:
    y = MATRIX.scaled()
    spread = pair_moments(y, None, 4, Stream.of(0, "pairs")).own
    a, b = np.triu_indices(19, 1)

    assert np.median(spread) == pytest.approx(np.median((y[a] - y[b]).var(axis=1, ddof=1)), rel=0.1)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"max_error": 0.1, "budget": 100}, "Give one goal, not 2"),
        ({"max_error": 0.0}, "`max_error` must be above 0"),
        ({"max_error": math.nan}, "`max_error` must be above 0"),
        ({"max_error": 3.0}, "below 1, the width of the scale"),
        ({"resolve": 5.0}, "below 1, the width of the scale"),
        ({"max_error": 0.1, "risk": 1.0}, "`risk` must be between 0 and 1"),
        ({"resolve": 0.1, "power": 0.2}, "`power` must be"),
        ({"n_targets": 0}, "must be 1 or more"),
        ({"probe_cost": -1.0}, "`probe_cost` must be 0 or more"),
        ({"n_items": 5}, "must be 1901 or more, for so many items have scores"),
        ({"expected_score": 1.0}, "must lie between 0 and 1"),
        ({"retentions": [0.0]}, "`retentions` must be above 0"),
    ],
)
def test_wrong_numbers_are_refused(wrong: dict[str, object], said: str) -> None:
    with pytest.raises(br.ArgumentError, match=said):
        br.plan(MATRIX, **wrong)  # type: ignore[arg-type]


def test_what_cannot_be_planned_is_refused() -> None:
    holes = MATRIX.values.copy()
    holes[3, 5] = np.nan
    with pytest.raises(br.InputError, match="Scores are missing, 1 in all"):
        br.plan(br.ScoreMatrix(MATRIX.frame, MATRIX.models, holes))
    with pytest.raises(br.InputError, match="pays for less than 10 items of each of 50 targets"):
        br.plan(MATRIX, budget=400, n_targets=50)
    with pytest.raises(br.InputError, match="two models or more"):
        br.plan(MATRIX.take_models(MATRIX.models[:1]), resolve=0.1)


def test_groups_within_which_nothing_varies_leave_no_error() -> None:
    groups = ["a", "b"] * 50
    frame = br.Frame.of([f"q{i:03d}" for i in range(100)], groups=groups)
    values = np.tile([[0.0, 1.0], [1.0, 0.0], [0.2, 0.4]], 50)
    made = br.plan(br.ScoreMatrix(frame, ("x", "y", "z"), values, bounds=(0, 1)), max_error=0.1)
    stratified = of(made, "stratified")

    assert stratified.n == 10
    assert stratified.mean == pytest.approx(0.0, abs=1e-12)
    assert of(made, "random").n > 40


def test_many_small_groups_promise_no_more_than_they_keep() -> None:
    """70 groups of 1 to 3 items: most are due less than one."""
    rng = np.random.default_rng(0)
    sizes = rng.integers(1, 4, 70)
    groups = np.repeat([f"g{h:02d}" for h in range(70)], sizes)
    level = np.repeat(rng.random(70), sizes)
    values = (rng.random((6, groups.size)) < level).astype(float)
    frame = br.Frame.of([f"q{i:03d}" for i in range(groups.size)], groups=list(groups))
    matrix = br.ScoreMatrix(frame, tuple("abcdef"), values, bounds=(0, 1))
    option = of(br.plan(matrix, max_error=0.1, risk=0.1), "stratified")
    full = matrix.full_scores()
    off = [
        np.abs(matrix.take_items(chosen.items).values.mean(axis=1) - full) > 0.1
        for seed in range(400)
        for chosen in [br.select(frame, option.n, design=br.Stratified(), seed=seed)]
    ]

    assert option.n < groups.size
    assert np.mean(off) == pytest.approx(0.1, abs=0.025)


def test_models_that_are_alike_resolve_any_gap() -> None:
    twins = br.ScoreMatrix(MATRIX.frame, ("a", "b"), MATRIX.values[[0, 0]], bounds=(0, 1))

    assert {option.n for option in br.plan(twins, resolve=0.1).options} == {10}


def test_what_probes_explain_does_not_depend_on_the_scale() -> None:
    tenth = br.ScoreMatrix(MATRIX.frame, MATRIX.models, MATRIX.values / 100, bounds=(0, 1))
    one, other = br.plan(MATRIX, max_error=0.04), br.plan(tenth, max_error=0.0004)

    assert [option.n for option in one.options] == [option.n for option in other.options]


def test_a_budget_for_all_or_an_error_of_nothing_runs_all() -> None:
    assert "Run all 1901 items: the budget pays" in br.plan(MATRIX, budget=10**6).verdict
    assert "Run all 1901 items: nothing less" in br.plan(MATRIX, max_error=1e-9).verdict


def test_scores_that_hardly_differ_on_their_scale_are_refused() -> None:
    wrong = br.ScoreMatrix(MATRIX.frame, MATRIX.models, MATRIX.values, bounds=(0, 1e300))
    with pytest.raises(br.InputError, match="Say the right scale with --range"):
        br.plan(wrong)
    with pytest.raises(br.InputError, match="Say the right scale with --range"):
        br.diagnose(wrong)


def test_options_that_do_nothing_are_refused(run: Run, files: Files) -> None:
    for words in (
        ["--risk", 0.1],
        ["--budget", 900, "--power", 0.9],
        ["--budget", 900, "--suite-mean", "micro"],
        ["--max-error", 0.1, "--items", 10**22],
    ):
        assert run("plan", files.scores, *words).code == 2


def test_the_command_prints_its_contract(run: Run, files: Files) -> None:
    chart = files.folder / "curve.svg"
    words = ("plan", files.scores, "--max-error", 0.05, "--targets", 10, "--probe-cost", 0.05)
    done = run(*words, "--json", "--chart", chart)
    validate("plan", done.json)

    assert done.code == 0
    made = br.plan(MATRIX, max_error=0.05, n_targets=10, probe_cost=0.05)
    assert done.json["options"][0]["n"] == made.options[0].n
    assert done.json["verdict"] == made.verdict
    assert chart.read_text().startswith("<svg")
    shown = run(*words)
    assert "Ways to an error of at most 0.05, 10 targets" in shown.out
    assert "which run 4 times as many items" in shown.out
    assert run("plan", files.scores, "--budget", 5).code == 3
    assert run("plan", files.scores, "--budget", 500, "--resolve", 0.1).code == 2
    assert json.loads(run("plan", files.scores, "--json").out)["options"] == []

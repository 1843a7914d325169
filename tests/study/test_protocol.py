import re
from pathlib import Path
from typing import Any

import pytest

import bestrand as br
from bestrand.errors import ArgumentError, FileError
from bestrand.study.benchmark import take_benchmarks
from bestrand.study.cells import cells_of, compute
from bestrand.study.protocol import Experiment, Protocol, StrategyTable, shipped
from tests.study.conftest import protocol_of


@pytest.mark.parametrize("name", shipped())
def test_shipped_protocols_can_be_made(name: str) -> None:
    protocol = Protocol.load(name)

    assert protocol.name == name
    assert protocol.about
    assert all(e.theory or e.planned[0].name == "random" for e in protocol.experiments)


def test_the_article_covers_its_ten_experiments() -> None:
    served = {f for e in Protocol.load("article").experiments for f in e.figure}

    assert served == set(range(1, 11))


def test_a_known_strategy_is_taken_with_other_numbers() -> None:
    planned = StrategyTable(name="k", like="bestrand", n_probes=4, alpha="full").planned()

    assert planned.strategy.design.name == "BestRand"
    assert (planned.n_probes, planned.alpha, planned.pool) == (4, float("inf"), "random")


def test_a_strategy_spelled_out_knows_what_it_needs() -> None:
    def needs(word: str, estimator: str) -> str:
        table = StrategyTable(name="x", design={"word": word}, estimator=estimator)
        return table.planned().strategy.needs

    assert needs("bestrand", "mean") == "probes"
    assert needs("random", "mean") == "nothing"
    assert needs("random", "ridge-scores") == "sources"
    assert needs("stratified", "hajek") == "groups"
    assert needs("k-center", "cluster-weighted") == "texts"


def test_our_designs_take_a_stratified_pool_and_the_articles_a_random_one() -> None:
    planned = protocol_of(strategies=["random", "bestrand", "balanced"]).experiments[0].planned

    assert [strategy.pool for strategy in planned] == ["random", "random", "stratified"]


def test_strategies_that_need_models_run_with_each_number() -> None:
    experiment = protocol_of(
        strategies=[
            "random",
            "bestrand",
            {"name": "four", "like": "bestrand", "n_probes": 4},
            "zipbench",
        ],
        n_probes=[2, 5, "all"],
    ).experiments[0]
    names = [(planned.name, planned.of, planned.n_probes) for planned in experiment.planned]

    assert names == [
        ("random", None, None),
        ("bestrand, K = 2", "bestrand", 2),
        ("bestrand, K = 5", "bestrand", 5),
        ("bestrand, K = all", "bestrand", "all"),
        ("four", None, 4),
        ("zipbench, K = 2", "zipbench", 2),
        ("zipbench, K = 5", "zipbench", 5),
        ("zipbench, K = all", "zipbench", "all"),
    ]


def test_the_articles_curve_runs_from_two_to_all_models() -> None:
    protocol = Protocol.load("article")
    curve = next(e for e in protocol.experiments if e.name == "construction models")
    rivals = {planned.of for planned in curve.planned if planned.strategy.needs == "sources"}

    assert curve.figure == (7,)
    assert curve.n_probes[:3] == (2, 3, 4)
    assert curve.n_probes[-1] == "all"
    assert {"gp-irt", "zipbench", "anchor points", "sparse-eval"} <= rivals
    assert len(curve.planned) == 1 + 8 * len(curve.n_probes) - len(curve.n_probes)


@pytest.mark.parametrize("regime", ["probes", "sources"])
def test_the_curve_expands_to_the_right_cells(small: br.ScoreMatrix, regime: str) -> None:
    strategies = ["random", "bestrand", "zipbench"]
    protocol = protocol_of(
        strategies=strategies, n_probes=[2, 6, 99, "all"], known=[0.5], regime=regime
    )
    benchmark = take_benchmarks({"small": small}, protocol)[0]
    cells = cells_of(protocol, [benchmark], 0)
    n_known = round(0.5 * len(small.models))
    looked = {
        (cell.place["strategy"], cell.place["retention"]): cell.task.setting for cell in cells
    }

    assert len(cells) == len(looked) == 2 * (1 + 2 * 4)
    for retention in (0.1, 0.2):
        assert looked["random", retention].n_probes == 0
        for name in ("bestrand", "zipbench"):
            for k, count in ((2, 2), (6, 6), (99, 99), ("all", n_known)):
                setting = looked[f"{name}, K = {k}", retention]
                whole = regime == "sources" or name == "zipbench"
                assert (setting.n_probes, setting.n_known) == (count, n_known)
                assert setting.alpha == (float("inf") if whole else 4.0)
    assert len({cell.task.key for cell in cells}) == len(cells)
    too_many = next(c for c in cells if c.place["strategy"] == "bestrand, K = 99")
    assert "99 probes are asked for" in compute(too_many.task, benchmark)["reason"][0]


def test_sources_have_run_the_whole_frame() -> None:
    assert protocol_of(regime="sources").experiments[0].pool_factor == float("inf")
    assert protocol_of(alpha=2).experiments[0].pool_factor == 2.0


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"strategies": ["bestrnd"]}, "unknown strategy 'bestrnd'; there are agreement"),
        ({"retention": [0.1]}, "experiments.0.retention` is no key of a protocol. Allowed here: "),
        ({"retentions": [0]}, "experiments.0.retentions.0` is invalid"),
        ({"known": [2.5]}, "must be whole numbers, or shares below 1, got 2.5"),
        ({"splits": ["sideways"]}, "'random', 'weak-to-strong'"),
        (
            {"alpha": 0.5},
            "`experiments.0.alpha` is invalid: it must be a number of 1 or more, or "
            "'full', got 0.5.",
        ),
        ({"alpha": "all"}, "or 'full', got 'all'."),
        ({"alpha": True}, "or 'full', got True."),
        (
            {"n_probes": [0]},
            "`experiments.0.n_probes.0` is invalid: it must be a whole number of 1 or "
            "more, or 'all', got 0.",
        ),
        ({"n_probes": ["most"]}, "or 'all', got 'most'."),
        ({"n_probes": [2.5]}, "or 'all', got 2.5."),
        ({"n_probes": [True]}, "or 'all', got True."),
        ({"n_probes": [2, 2]}, "2 comes more than once"),
        (
            {
                "n_probes": [2],
                "strategies": [
                    "random",
                    "bestrand",
                    {"name": "bestrand, K = 2", "like": "cube", "n_probes": 2},
                ],
            },
            "names must be distinct",
        ),
        ({"replicates": 0}, "experiments.0.replicates` is invalid: it must be 1 or more"),
        ({"replicates": 2.5}, "it must be a whole number, got 2.5."),
        ({"replicates": 200_000}, "it must be 100000 or less, got 200000."),
        ({"retentions": 0.1}, "it must be a list, got 0.1."),
        ({"retentions": []}, "it must not be empty."),
        ({"retentions": ["a tenth"]}, "it must be a number, got 'a tenth'."),
        ({"known": [float("inf")]}, "it must be a finite number, got inf."),
        ({"forecast": "perhaps"}, "it must be true or false, got 'perhaps'."),
        ({"strategies": [["random"]]}, "it must be a table."),
        ({"name": 3, "alpha": 0.5}, "it must be text, got 3. 1 more key is wrong."),
        ({"name": 3, "alpha": 0.5, "known": 2}, "2 more keys are wrong."),
        ({"strategies": ["random", "random"]}, "names must be distinct; random"),
        ({"retentions": [0.1, 0.2, 0.1]}, "retentions` is invalid: values must be dis"),
        ({"known": [6, 6.0]}, "values must be distinct; 6.0 comes more than once."),
        ({"splits": ["random", "random"]}, "values must be distinct; 'random' comes more than"),
        ({"metrics": ["a", "b", "a"]}, "values must be distinct; 'a' comes more than once."),
        ({"kinds": ["text", "text"]}, "values must be distinct; 'text' comes more than once."),
        ({"strategies": []}, "give `strategies`, or theory = true"),
        ({"strategies": ["bestrand"]}, "compares with 'random': add it to `strategies`."),
        (
            {"strategies": [{"name": "mine", "like": "random"}], "theory": True},
            "compares with 'random': add it to `strategies`.",
        ),
        ({"strategies": [{"name": "x"}]}, "give `like`, or both `design` and `estimator`"),
        ({"strategies": [{"name": "x", "like": "random", "estimator": "mean"}]}, "and not both"),
        (
            {"strategies": [{"name": "x", "design": {"word": "best"}, "estimator": "mean"}]},
            "unknown design 'best'",
        ),
        (
            {"strategies": [{"name": "x", "design": {"word": "random"}, "estimator": "men"}]},
            "unknown estimator 'men'",
        ),
        (
            {
                "strategies": [
                    {"name": "x", "design": {"word": "random", "m": 1}, "estimator": "mean"}
                ]
            },
            "has no setting `m`",
        ),
    ],
)
def test_what_is_wrong_is_named(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(FileError) as caught:
        protocol_of(**changes)

    assert said in str(caught.value)
    assert not re.search(r"Value error|Input|constrained|valid |\.\.", str(caught.value))


def test_an_unknown_key_is_named_before_the_one_that_is_missing() -> None:
    experiment = {"name": "a", "strategies": ["random"], "retentions": [0.1]}

    with pytest.raises(FileError, match=r"`nam` is no key of a protocol. Allowed here: name, "):
        Protocol.of({"nam": "p", "experiments": [experiment]})
    with pytest.raises(FileError, match=r"protocol: `name` is missing.$"):
        Protocol.of({"experiments": [experiment]})


def test_theory_alone_needs_no_strategies() -> None:
    assert protocol_of(strategies=[], theory=True).experiments[0].planned == ()


def test_experiments_have_distinct_names() -> None:
    one = {"name": "a", "strategies": ["random"], "retentions": [0.1]}

    with pytest.raises(FileError, match="experiments must have distinct names"):
        Protocol.of({"name": "x", "experiments": [one, one]})


def test_a_file_of_ones_own_is_read(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(
        'name = "own"\n[[experiments]]\nname = "a"\nstrategies = ["random"]\nretentions = [0.5]\n'
    )

    experiment = Protocol.load(path).experiments[0]

    assert experiment == Experiment(name="a", strategies=("random",), retentions=(0.5,))


def test_what_is_no_protocol_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text("name = ")

    with pytest.raises(FileError, match="not TOML"):
        Protocol.load(path)
    with pytest.raises(ArgumentError, match="must be one of article, calibration"):
        Protocol.load("quik")
    with pytest.raises(ArgumentError, match=r"'none.toml', and there is no such file"):
        Protocol.load("none.toml")
    with pytest.raises(ArgumentError, match="this is no file"):
        Protocol.load(tmp_path)

"""Shards: several files of one model's run are joined when told, and recognized when not."""

import gzip
from dataclasses import astuple
from pathlib import Path

import pytest

import bestrand as br
from bestrand import EstimateError, InputError, ScoreTable, estimate, read_scores, select
from bestrand.cli.reading import Reading
from bestrand.errors import ArgumentError


def write(path: Path, items: range, score: int = 1) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f'{{"item": "q{n}", "score": {score}}}\n' for n in items))
    return path


def hints(table: ScoreTable) -> list[str]:
    return [note.text for note in table.notes if note.code == "shards"]


@pytest.fixture
def shards(tmp_path: Path) -> list[Path]:
    return [
        write(
            tmp_path / "big-7b" / f"rank{number}.jsonl", range(5 * number, 5 * number + 5), number
        )
        for number in range(2)
    ]


def test_files_of_one_name_are_parts_of_one_run(shards: list[Path]) -> None:
    in_python = read_scores({"m": shards})
    on_the_command_line = Reading().scores([f"m={path}" for path in shards])

    for table in (in_python, on_the_command_line):
        assert table.models == ("m",)
        assert astuple(table.counts())[:2] == (10, 0)
        assert sorted(table.rows["score"]) == [0] * 5 + [1] * 5
        assert hints(table) == []


def test_names_of_one_file_and_of_several_go_together(shards: list[Path], tmp_path: Path) -> None:
    other = write(tmp_path / "other.jsonl", range(10))
    words = [f"m={shards[0]}", f"n={other}", f"m={shards[1]}"]

    assert astuple(Reading().scores(words).counts())[:2] == (20, 0)
    assert read_scores({"m": tuple(map(str, shards)), "n": other}).models == ("m", "n")
    assert read_scores({"m": [shards[0].parent], "n": [other]}).counts().missing == 0


def test_a_file_without_a_name_beside_named_ones_is_refused(shards: list[Path]) -> None:
    with pytest.raises(ArgumentError, match=r"Name every file, .* Files of one NAME are parts of"):
        Reading().scores([f"m={shards[0]}", str(shards[1])])


def test_an_item_that_two_parts_score_alike_counts_once(shards: list[Path]) -> None:
    write(shards[1], range(4, 10))

    assert read_scores({"m": [shards[1], write(shards[0], range(5))]}).counts().duplicate == 1


def test_an_item_that_two_parts_score_otherwise_is_refused_by_both_files(
    shards: list[Path],
) -> None:
    write(shards[1], range(3, 10), score=1)

    with pytest.raises(InputError, match=r"item 'q3', model 'm'.*rank0.jsonl:4, .*rank1.jsonl:1"):
        read_scores({"m": shards})


@pytest.mark.parametrize("value", [5, None, b"x", [5], {"a": "b"}])
def test_what_is_no_list_of_paths_is_refused(value: object) -> None:
    with pytest.raises(InputError, match="A mapping must lead from model names to paths, or lists"):
        read_scores({"m": value})


def test_a_model_without_files_is_refused() -> None:
    with pytest.raises(InputError, match="Model 'm' needs at least one file"):
        read_scores({"m": []})


@pytest.mark.parametrize(
    "names",
    [
        ("rank0.jsonl", "rank1.jsonl"),
        ("results_rank_0.jsonl", "results_rank_1.jsonl"),
        ("train-00000-of-00002.jsonl", "train-00001-of-00002.jsonl"),
        ("part-00000-6f1e-c000.jsonl", "part-00001-6f1e-c000.jsonl"),
        ("big.gpu0.jsonl", "big.gpu1.jsonl"),
        ("shard_1of2.jsonl", "shard_2of2.jsonl"),
        ("Chunk-1.jsonl", "Chunk-2.jsonl"),
        ("0.jsonl", "1.jsonl"),
    ],
)
def test_files_that_look_like_shards_are_noted_with_what_joins_them(
    names: tuple[str, str], tmp_path: Path
) -> None:
    folder = tmp_path / "big"
    first, second = (write(folder / name, range(5 * n, 5 * n + 5)) for n, name in enumerate(names))

    whole = read_scores(folder)

    assert len(whole.models) == 2
    [hint] = hints(whole)
    name = hint.partition("one name: ")[2].partition("=")[0]
    assert f'one name: {name}={folder} (in Python {{"{name}": "{folder}"}}).' in hint
    write(tmp_path / "big" / "other.jsonl", range(10))
    [hint] = hints(read_scores(folder))
    assert f"one name: {name}={first} {name}={second} (in" in hint
    assert Reading().scores([f"{name}={first}", f"{name}={second}"]).models == (name,)


def test_parts_that_are_not_here_are_counted(tmp_path: Path) -> None:
    for number in range(2):
        write(tmp_path / f"m-{number}-of-3.jsonl", range(5 * number, 5 * number + 5))

    assert hints(read_scores(tmp_path))[0].endswith(" Only 2 of 3 parts are here.")


def test_packed_shards_in_several_folders_are_runs_of_their_own(tmp_path: Path) -> None:
    for number in range(4):
        path = tmp_path / f"run{number // 2}" / f"part-{number}.jsonl.gz"
        write(path, range(5 * number, 5 * number + 5))
        path.write_bytes(gzip.compress(path.read_bytes()))

    found = hints(read_scores(tmp_path))

    assert len(found) == 2
    assert f"one name: run0={tmp_path / 'run0'} (in" in found[0]
    assert f"one name: run1={tmp_path / 'run1'} (in" in found[1]


def test_two_families_of_shards_in_one_folder_do_not_get_one_name(tmp_path: Path) -> None:
    for number in range(2):
        write(tmp_path / f"test-{number}-of-2.jsonl", range(5 * number, 5 * number + 5))
        write(tmp_path / f"dev-{number}-of-2.jsonl", range(5 * number, 5 * number + 5))

    found = hints(read_scores(tmp_path))

    assert [text.partition("one name: ")[2].partition("=")[0] for text in found] == ["dev", "test"]


@pytest.mark.parametrize(
    ("names", "first", "second"),
    [
        (("rank0", "rank1"), range(5), range(5)),
        (("rank0", "rank1"), range(5), range(3, 8)),
        (("gpt-3", "gpt-4"), range(5), range(5, 10)),
        (("maths", "law"), range(5), range(5, 10)),
        (("rank0", "shard1"), range(5), range(5, 10)),
        (("a-rank0", "b-rank1"), range(5), range(5, 10)),
    ],
)
def test_other_files_are_no_shards(
    names: tuple[str, str], first: range, second: range, tmp_path: Path
) -> None:
    write(tmp_path / f"{names[0]}.jsonl", first)
    write(tmp_path / f"{names[1]}.jsonl", second)

    assert hints(read_scores(tmp_path)) == []


def test_shards_may_repeat_an_item_to_be_of_one_length(tmp_path: Path) -> None:
    write(tmp_path / "rank0.jsonl", range(5))
    write(tmp_path / "rank1.jsonl", range(4, 9))

    assert len(hints(read_scores(tmp_path))) == 1


def test_like_named_files_of_several_folders_can_be_joined(tmp_path: Path) -> None:
    paths = [
        write(tmp_path / f"rank{n}" / "samples.jsonl", range(5 * n, 5 * n + 5)) for n in (0, 1)
    ]

    with pytest.raises(InputError, match=r"both be model 'samples'.* parts of one run, give them"):
        read_scores(tmp_path)
    assert astuple(Reading().scores([f"samples={path}" for path in paths]).counts())[:2] == (10, 0)


def test_like_named_parts_of_two_runs_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    for run in ("a", "b"):
        for n in (0, 1):
            write(tmp_path / run / f"rank{n}.jsonl", range(5 * n, 5 * n + 5))

    said = f"parts of two runs, name the folders: a={tmp_path / 'a'} b={tmp_path / 'b'}."
    with pytest.raises(InputError) as caught:
        read_scores(tmp_path)
    assert str(caught.value).endswith(said)
    joined = Reading().scores([f"a={tmp_path / 'a'}", f"b={tmp_path / 'b'}"])
    assert astuple(joined.counts())[:2] == (20, 0)


def test_estimating_shards_as_models_says_how_to_join_them(tmp_path: Path) -> None:
    whole = read_scores(write(tmp_path / "whole.jsonl", range(10)))
    shards = [write(tmp_path / f"rank{n}.jsonl", range(5 * n, 5 * n + 5)) for n in (0, 1)]
    subset = select(whole, 8, design=br.SimpleRandom())

    with pytest.raises(
        EstimateError, match=r"Scores of the subset are missing, 8 in all"
    ) as caught:
        estimate(read_scores(shards), subset)
    said = str(caught.value)
    name = said.partition("one name: ")[2].partition("=")[0]
    assert f"{name}={shards[0]} {name}={shards[1]} (in Python" in said
    assert estimate(read_scores({name: shards}), subset).estimate.tolist() == [1.0]


@pytest.mark.parametrize("verb", ["select", "diagnose", "backtest", "plan", "study"])
def test_every_verb_that_misses_scores_of_shards_says_how_to_join_them(
    verb: str, tmp_path: Path
) -> None:
    parts = [write(tmp_path / f"rank{n}.jsonl", range(5 * n, 5 * n + 5)) for n in (0, 1)]
    table = read_scores(parts)

    with pytest.raises(InputError, match="have no items in common"):
        start(verb, table)


def start(verb: str, table: ScoreTable) -> None:
    if verb == "select":
        select(table, 4)
    elif verb == "diagnose":
        br.diagnose(table)
    elif verb == "backtest":
        br.backtest(table, 4)
    elif verb == "plan":
        br.plan(table)
    else:
        br.run_study(table)

"""What must end in a clear error: its exit code, one line that says what to do, nothing lost."""

import gzip
import json
from pathlib import Path

import pytest

import bestrand as br
from tests.conftest import Files, Run


def write(path: Path, rows: list[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def grid(
    models: list[str], n: int, score: object = 1, prefix: str = "q"
) -> list[dict[str, object]]:
    return [
        {"item": f"{prefix}{i}", "model": model, "score": score if i % 2 else 0}
        for model in models
        for i in range(n)
    ]


def test_no_such_file(run: Run, tmp_path: Path) -> None:
    done = run("read", tmp_path / "nowhere.csv")

    assert done.code == 3
    assert "no such file" in done.err
    assert done.err.count("\n") == 1


def test_an_empty_file(run: Run, tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_text("")
    done = run("select", tmp_path / "empty.jsonl", "-n", 5)

    assert done.code == 3
    assert "no rows" in done.err


def test_a_folder_without_scores(run: Run, tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    done = run("read", tmp_path / "logs")

    assert done.code == 3
    assert "a folder without scores" in done.err


def test_a_truncated_gzip_file(run: Run, tmp_path: Path) -> None:
    content = gzip.compress(b"".join(b'{"item": "%d", "score": 1}\n' % i for i in range(5000)))
    (tmp_path / "cut.jsonl.gz").write_bytes(content[: len(content) // 2])
    done = run("read", tmp_path / "cut.jsonl.gz")

    assert done.code == 3
    assert "cut short" in done.err


def test_no_probes_are_left(run: Run, files: Files) -> None:
    done = run("select", files.probes, "-n", 5, "--probes", ",")

    assert done.code == 3
    assert "at least one probe model, got none" in done.err


def test_an_unknown_probe(run: Run, files: Files) -> None:
    done = run("select", files.probes, "-n", 5, "--probes", "GPT-9")

    assert done.code == 3
    assert "No scores of model 'GPT-9'" in done.err


def test_one_probe_is_enough_and_said_to_be_little(run: Run, tmp_path: Path) -> None:
    done = run("select", write(tmp_path / "p.jsonl", grid(["m"], 40)), "-n", 5, "--json")

    assert done.code == 0
    assert [note["code"] for note in done.json["notes"]] == ["one-probe"]


def test_flat_probes_tell_nothing_and_say_so(run: Run, tmp_path: Path) -> None:
    probes = write(tmp_path / "p.jsonl", grid(["a", "b"], 40, score=0))
    done = run("select", probes, "-n", 5, "--json")

    assert done.code == 0
    assert [note["code"] for note in done.json["notes"]] == ["flat-probes"]
    assert "cannot be told apart" in done.json["notes"][0]["text"]


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("-n", 0), 2, "`-n` must be 1 or more, got 0"),
        (("-n", -3), 2, "`-n` must be 1 or more, got -3"),
        (("-n", 1902), 3, "`-n` must be in 1..1901, the size of the frame, got 1902"),
        (("--retention", 0), 2, "`--retention` must be above 0 and at most 1"),
        (("--retention", 1.5), 2, "`--retention` must be above 0 and at most 1"),
        ((), 2, "Give either `-n` or `--retention`"),
        (("-n", 5, "--retention", 0.1), 2, "Give either `-n` or `--retention`"),
        (("-n", 5, "--candidates", 10**11), 2, "`--candidates` must be 10000000 or fewer"),
        (("-n", 5, "--candidates", 0), 2, "`--candidates` must be 1 or more, got 0"),
        (("-n", 5, "--design", "random", "--norm", "l1"), 2, "has no setting `--norm`"),
        (("-n", 5, "--seed", -1), 2, "`--seed` must be 0 or more"),
        (("-n", 5, "--metric", "f1"), 3, "no column of scores; looked for 'f1'"),
    ],
)
def test_wrong_numbers_for_select(
    run: Run, files: Files, words: tuple[object, ...], code: int, message: str
) -> None:
    done = run("select", files.probes, *words)

    assert done.code == code
    assert message in done.err


def test_alpha_below_one(run: Run, files: Files) -> None:
    done = run("pool", files.scores, "-n", 5, "--factor", 0.5)

    assert done.code == 2
    assert "`--factor` (alpha) must be 1 or more, got 0.5" in done.err


def test_a_pool_smaller_than_the_subset(run: Run, files: Files) -> None:
    pool = files.folder / "pool.json"
    run("pool", files.scores, "-n", 10, "--factor", 1, "-o", pool)
    done = run("select", files.probes, "-n", 11, "--pool", pool)

    assert done.code == 3
    assert "`-n` must be in 1..10, the size of the pool, got 11" in done.err


def test_probes_that_did_not_run_the_whole_pool(run: Run, files: Files) -> None:
    pool = files.folder / "pool.json"
    run("pool", files.scores, "-n", 10, "-o", pool)
    items = br.Manifest.read(pool).items
    rows = [{"item": item, "model": m, "score": 1} for m in "ab" for item in items]
    holes = run("select", write(files.folder / "h.jsonl", rows[:-1]), "-n", 5, "--pool", pool)
    absent = [row for row in rows if row["item"] != items[0]]
    done = run("select", write(files.folder / "a.jsonl", absent), "-n", 5, "--pool", pool)

    assert holes.code == 3
    assert "Probe scores are missing, 1 of 80 (first: model 'b'" in holes.err
    assert done.code == 3
    assert "1 of the pool's 40 items are not among the 39 given" in done.err


def drawn(run: Run, files: Files) -> Path:
    subset = files.folder / "subset.json"
    run("select", files.probes, "-n", 40, "-o", subset)
    return subset


def test_a_manifest_from_another_frame(run: Run, files: Files) -> None:
    subset = drawn(run, files)
    other = write(files.folder / "other.jsonl", grid(["a"], 60, prefix="other"))

    assert run("verify", subset, other).code == 1
    done = run("estimate", subset, other)
    assert done.code == 3
    assert "None of the subset's 40 items is among the 60 of these scores" in done.err


def test_ids_that_differ_only_in_form_are_pointed_out(run: Run, tmp_path: Path) -> None:
    probes = tmp_path / "p.csv"
    probes.write_text("item,model,score\n" + "".join(f"{i},a,{i % 2}\n" for i in range(50)))
    targets = tmp_path / "t.csv"
    targets.write_text("item,model,score\n" + "".join(f"{i}.0,a,{i % 2}\n" for i in range(50)))
    run("select", probes, "-n", 10, "-o", tmp_path / "s.json")
    done = run("estimate", tmp_path / "s.json", targets)

    assert done.code == 3
    assert "would match but for the way numbers are written" in done.err


def test_an_edited_manifest(run: Run, files: Files) -> None:
    subset = drawn(run, files)
    fields = json.loads(subset.read_text())
    fields["items"][0] = "val_Counting_999"
    subset.write_text(json.dumps(fields))
    done = run("estimate", subset, files.targets)

    assert done.code == 3
    assert "changed after it was written" in done.err


def test_a_manifest_of_a_newer_layout(run: Run, files: Files) -> None:
    subset = drawn(run, files)
    fields = json.loads(subset.read_text())
    subset.write_text(json.dumps({**fields, "schema_version": 99}))
    done = run("verify", subset, files.scores)

    assert done.code == 3
    assert "Install a newer bestrand" in done.err


def test_a_pool_is_no_subset(run: Run, files: Files) -> None:
    pool = files.folder / "pool.json"
    run("pool", files.scores, "-n", 10, "-o", pool)
    done = run("estimate", pool, files.targets)

    assert done.code == 3
    assert "of kind 'subset', got a pool" in done.err


def test_missing_scores_are_refused_or_handled_as_said(run: Run, files: Files) -> None:
    subset = drawn(run, files)
    items = br.Manifest.read(subset).items
    rows = [{"item": item, "model": m, "score": 1} for m in "ab" for item in items]
    short = write(files.folder / "short.jsonl", rows[:-4])
    refused = run("estimate", subset, short)
    as_zero = run("estimate", subset, short, "--missing", "zero", "--json")
    omitted = run("estimate", subset, short, "--missing", "omit", "--json")

    assert refused.code == 3
    assert "Scores of the subset are missing, 4 in all, of 'b'" in refused.err
    assert [row["estimate"] for row in as_zero.json["models"]] == pytest.approx([1.0, 0.9])
    assert [row["estimate"] for row in omitted.json["models"]] == pytest.approx([1.0, 1.0])
    assert [row["n"] for row in omitted.json["models"]] == [40, 36]
    assert omitted.json["models"][1]["se"] > omitted.json["models"][0]["se"]
    assert "missing-omitted" in {note["code"] for note in omitted.json["notes"]}


def test_errored_scores_are_counted_and_not_zero(run: Run, files: Files) -> None:
    subset = drawn(run, files)
    items = br.Manifest.read(subset).items
    rows: list[dict[str, object]] = [{"item": item, "score": 1} for item in items]
    rows[0] = {"item": items[0], "score": None, "error": "timeout"}
    path = write(files.folder / "agent.jsonl", rows)

    assert run("read", path, "--json").json["counts"]["errored"] == 1
    assert run("estimate", subset, path).code == 3


def test_a_baseline_that_is_not_there(run: Run, files: Files) -> None:
    done = run("compare", drawn(run, files), files.targets, "--baseline", "GPT-9")

    assert done.code == 3
    assert "The baseline 'GPT-9' is not among the targets" in done.err


def test_probes_that_are_targets_too_are_allowed_and_said(run: Run, files: Files) -> None:
    done = run("estimate", drawn(run, files), files.probes, "--json")

    assert done.code == 0
    assert "probe-as-target" in {note["code"] for note in done.json["notes"]}


def test_an_output_folder_that_does_not_exist(run: Run, files: Files) -> None:
    done = run("select", files.probes, "-n", 5, "-o", files.folder / "no" / "subset.json")

    assert done.code == 3
    assert "does not exist" in done.err


def test_another_manifest_is_replaced_only_with_force(run: Run, files: Files) -> None:
    subset = drawn(run, files)
    before = subset.read_bytes()
    words = ("select", files.probes, "-n", 41, "-o", subset)
    refused = run(*words)

    assert refused.code == 3
    assert "exists and holds something else" in refused.err
    assert subset.read_bytes() == before
    assert run(*words, "--force").code == 0
    assert subset.read_bytes() != before


def test_models_on_different_scales(run: Run, tmp_path: Path) -> None:
    rows = grid(["unit"], 20) + grid(["percent"], 20, score=100)
    done = run("select", write(tmp_path / "p.jsonl", rows), "-n", 5)

    assert done.code == 3
    assert "must all be on one scale" in done.err


def test_costs_have_no_upper_bound(run: Run, tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [
        {"item": f"q{i}", "model": model, "score": cost * (1 + i % 7)}
        for model, cost in (("cheap", 0.1), ("fair", 0.13), ("dear", 10))
        for i in range(60)
    ]
    costs, cheap = write(tmp_path / "c.jsonl", rows), write(tmp_path / "d.jsonl", rows[:60])
    subset = tmp_path / "s.json"

    assert run("select", costs, "-n", 20, "-o", subset).code == 3
    for span in ("0:", ":", "score=0:"):
        assert run("select", costs, "-n", 20, "-o", subset, "--range", span, "--force").code == 0
    for more in ((), ("--probes", costs)):
        done = run("estimate", subset, cheap, "--range", "0:", "--json", *more)
        assert done.code == 0, done.err
    refused = run("read", costs, "--range", ":0")
    assert refused.code == 3
    assert "180 scores of metric 'score' lie outside -inf..0" in refused.err
    assert run("read", costs, "--range", "0").code == 2


@pytest.mark.parametrize(
    ("low", "span", "message"),
    [
        (1, "1:5", "score' lie within 1..5. Run them, or leave them out: --missing omit"),
        (1, "1:", "score' lie within 1..inf. Run"),
        (-6, ":-1", "score' lie within -inf..-1. Run"),
        (-4, "-9:9", "no score of metric 'score' is above 0, so 0 would be the best. Run them"),
        (-4, "", "no score of metric 'score' is above 0, so 0 would be the best. Run them"),
        (-4, ":0", "no score of metric 'score' is above 0"),
        (-3, "", ""),
        (0, "", ""),
        (0, "0:", ""),
    ],
)
def test_a_missing_score_is_0_only_where_0_is_no_good_score(
    low: int, span: str, message: str, run: Run, tmp_path: Path
) -> None:
    rows = [
        {"item": f"q{i}", "model": model, "score": low + (i * step) % 5}
        for model, step in (("a", 1), ("b", 2), ("c", 3))
        for i in range(30)
    ]
    subset, scores = tmp_path / "s.json", write(tmp_path / "p.jsonl", rows)
    more = ("--range", span) if span else ()
    assert run("select", scores, "-n", 10, "-o", subset, *more).code == 0
    hole = br.Manifest.read(subset).items[0]
    short = [row for row in rows if (row["item"], row["model"]) != (hole, "a")]
    words = ("estimate", subset, write(tmp_path / "t.jsonl", short), *more, "--missing")

    done = run(*words, "zero")

    assert done.code == (3 if message else 0), done.err
    assert message in done.err
    assert run(*words, "omit").code == 0


def test_percent_scores_give_percent_estimates(run: Run, tmp_path: Path) -> None:
    unit = write(tmp_path / "unit.jsonl", grid(["a", "b", "c"], 60))
    percent = write(tmp_path / "percent.jsonl", grid(["a", "b", "c"], 60, score=100))
    results = []
    for path, more in ((unit, []), (percent, ["--range", "0:100"])):
        subset = path.with_suffix(".json")
        run("select", path, "-n", 20, "-o", subset, *more)
        results.append(
            (br.Manifest.read(subset).items, run("estimate", subset, path, *more, "--json"))
        )

    assert results[0][0] == results[1][0]
    for one, hundred in zip(
        results[0][1].json["models"], results[1][1].json["models"], strict=True
    ):
        assert hundred["estimate"] == pytest.approx(100 * one["estimate"])
        assert hundred["high"] == pytest.approx(100 * one["high"])


def test_a_level_that_is_none(run: Run, files: Files) -> None:
    done = run("estimate", drawn(run, files), files.targets, "--level", 95)

    assert done.code == 2
    assert "`--level` must be between 0 and 1, got 95" in done.err


def test_an_unknown_option_is_wrong_usage(run: Run) -> None:
    assert run("select", "--nonsense").code == 2


def test_a_traceback_comes_only_when_asked_for(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BESTRAND_TRACEBACK", "1")

    with pytest.raises(br.FileError, match="no such file"):
        run("read", tmp_path / "nowhere.csv")


def test_a_baseline_alone_is_nothing_to_compare(run: Run, files: Files) -> None:
    subset = drawn(run, files)
    path = write(
        files.folder / "one.jsonl",
        [{"item": item, "model": "a", "score": 1} for item in br.Manifest.read(subset).items],
    )
    done = run("compare", subset, path, "--baseline", "a", "--fail-if-worse")

    assert done.code == 3
    assert "There is no model to compare with 'a'" in done.err


def test_a_gate_that_is_no_number_is_wrong_usage(run: Run, files: Files) -> None:
    done = run("estimate", drawn(run, files), files.targets, "--max-se", "nan")

    assert done.code == 2
    assert "`--max-se` must be 0 or more" in done.err


def test_chosen_items_that_weigh_nothing_are_said_and_refused(run: Run, tmp_path: Path) -> None:
    rows = [
        {"item": f"q{i:02d}", "model": m, "score": (i * k) % 2, "weight": int(i == 0)}
        for k, m in enumerate("abc", start=1)
        for i in range(30)
    ]
    scores, subset = write(tmp_path / "w.jsonl", rows), tmp_path / "s.json"
    codes = set()
    for seed in range(6):
        run(
            "select", scores, "-n", 3, "--seed", seed, "--design", "random", "-o", subset, "--force"
        )
        notes = {note.code for note in br.Manifest.read(subset).notes}
        if "no-weight" in notes:
            codes.add(run("estimate", subset, scores).code)

    assert codes == {3}


def test_verify_sees_other_weights(run: Run, tmp_path: Path) -> None:
    for name, factor in (("one", 1), ("two", 3)):
        lines = [f"q{i:02d},{1 + (i * factor) % 5}\n" for i in range(30)]
        (tmp_path / f"{name}.csv").write_text("item,weight\n" + "".join(lines))
    pool = tmp_path / "pool.json"
    run("pool", tmp_path / "one.csv", "-n", 4, "-o", pool)

    assert run("verify", pool, tmp_path / "one.csv").code == 0
    failed = run("verify", pool, tmp_path / "two.csv")
    assert failed.code == 1
    assert "item_weights" in failed.out


# --- a frame must be whole, and what reading found odd is said by every verb


@pytest.mark.parametrize(
    ("last", "message"),
    [
        ('{"item": "q39", "', "40: the last line ends too early"),
        ('{"item": "q38"}{"item": "q39"}', "40: several objects on one line"),
        ('{"item": "q39"},', "40: more than an object on one line: ',' follows"),
    ],
)
def test_a_list_of_items_that_loses_rows_is_refused_by_every_verb(
    last: str, message: str, run: Run, tmp_path: Path
) -> None:
    lines = [json.dumps({"item": f"q{i:02}", "group": f"g{i % 2}"}) for i in range(40)]
    whole, broken = tmp_path / "whole.jsonl", tmp_path / "items.jsonl"
    whole.write_text("\n".join(lines))
    broken.write_text("\n".join([*lines[:39], last]))
    pool = tmp_path / "pool.json"

    assert run("pool", whole, "-n", 5, "-o", pool).code == 0
    assert run("verify", pool, whole).code == 0
    for words in (
        ("pool", broken, "-n", 5),
        ("select", broken, "-n", 5, "--design", "random"),
        ("verify", pool, broken),
    ):
        done = run(*words)
        assert done.code == 3
        assert f"{broken}:{message}" in done.err


def test_notes_of_reading_reach_pool_select_and_verify(run: Run, tmp_path: Path) -> None:
    (tmp_path / "items").mkdir()
    (tmp_path / "items" / "run.log").write_text("started")
    write(tmp_path / "items" / "q.jsonl", [{"item": i} for i in ("e\u0301", "\u00e9", "a", "b")])
    pool, subset = tmp_path / "pool.json", tmp_path / "subset.json"
    items, codes = tmp_path / "items", ("files-aside", "unicode-twins")

    drawn = run("pool", items, "-n", 2, "-o", pool)
    chosen = run("select", items, "-n", 2, "--design", "random", "-o", subset)
    seen = run("verify", pool, items)
    for done in (drawn, chosen, seen):
        assert done.code == 0
        assert "Files that hold no table" in done.out
        assert "look the same and are not" in done.out
    assert tuple(n["code"] for n in run("verify", pool, items, "--json").json["notes"]) == codes
    assert tuple(note.code for note in br.read_items(items).notes) == codes
    for words in (("pool", items, "-n", 2), ("select", items, "-n", 2, "--design", "random")):
        printed = run(*words, "--json").json
        assert tuple(note["code"] for note in printed["read_notes"]) == codes
        assert printed["notes"] == []  # a manifest speaks of the items, not of the files


def test_notes_on_scores_reach_select_and_verify(run: Run, tmp_path: Path) -> None:
    probes, subset = tmp_path / "probes.jsonl", tmp_path / "subset.json"
    write(probes, grid(["a", "b"], 40))
    with probes.open("a") as file:
        file.write('{"item": "q0", "model": "a", "sc')

    chosen = run("select", probes, "-n", 5, "-o", subset)
    assert "probes.jsonl:81: the last line is cut off" in chosen.out.replace("\n", " ")
    printed = run("select", probes, "-n", 5, "--json").json
    assert [note["code"] for note in printed["read_notes"]] == ["cut-line"]
    seen = run("verify", subset, probes, "--json")
    assert seen.code == 0
    assert [note["code"] for note in seen.json["notes"]] == ["cut-line"]


def test_verify_does_not_take_broken_scores_for_a_list_of_items(run: Run, tmp_path: Path) -> None:
    scores = tmp_path / "runs.csv"
    rows = [f"q{i},m{j},{'N/A' if i == j == 1 else i % 2}" for i in range(20) for j in range(2)]
    scores.write_text("\n".join(["item,model,acc", *rows]))
    subset = tmp_path / "subset.json"
    assert run("pool", scores, "-n", 5, "-o", subset).code == 0

    done = run("verify", subset, scores)

    assert done.code == 3
    assert "runs.csv:5: 'acc' is a column of numbers but for 1 of 40 cells" in done.err


# --- errors beside scores, and rows that no verb joins


def faulty(path: Path, n: int = 40) -> Path:
    """Two models that agree; a quarter of the rows of `base` failed and were scored 0."""
    rows = grid(["base", "new"], n)
    for row in rows[: n // 4]:
        row |= {"score": 0, "error": "RateLimitError: 429"}
    return write(path, rows)


def test_every_verb_says_what_stands_beside_an_error_and_settles_it(
    run: Run, tmp_path: Path
) -> None:
    scores, subset = faulty(tmp_path / "runs.jsonl"), tmp_path / "subset.json"
    items = write(tmp_path / "items.jsonl", [{"item": f"q{i}"} for i in range(80)])
    assert run("select", items, "-n", 40, "--design", "random", "-o", subset).code == 0
    chosen = br.Manifest.read(subset).items
    rows = [json.loads(line) for line in scores.read_text().splitlines()]
    for row in rows:
        row["item"] = chosen[int(str(row["item"])[1:])]
    write(scores, rows)
    compare = ("compare", subset, scores, "--baseline", "base", "--json")

    kept = run(*compare).json
    settled = run(*compare, "--errors", "missing", "--missing", "omit").json

    assert kept["pairs"][0]["difference"] == pytest.approx(5 / 40)
    assert settled["pairs"][0]["difference"] == 0
    for words, code in (
        (("read", scores), "errors-kept"),
        (("estimate", subset, scores), "errors-kept"),
        (("verify", subset, scores), "errors-kept"),
        (("diagnose", scores), "errors-kept"),
        (("plan", scores), "errors-kept"),
        (("read", scores, "--errors", "zero"), "errors-as-zero"),
        (("estimate", subset, scores, "--errors", "zero"), "errors-as-zero"),
        (("backtest", scores, "-n", 10, "--n-probes", 1, "--draws", 2), "errors-kept"),
    ):
        done = run(*words, "--json")
        assert done.code == 0, done.err
        assert code in [note["code"] for note in done.json["notes"]], words
    reading: tuple[tuple[object, ...], ...] = (
        ("read", scores),
        ("select", scores, "-n", 5),
        ("verify", subset, scores),
    )
    for verb in reading:
        refused = run(*verb, "--errors", "refuse")
        assert refused.code == 3
        assert "10 of model 'base' ('RateLimitError: 429' 10)" in refused.err
    lacking = run("verify", subset, scores, "--errors", "missing", "--json")
    assert lacking.code == 1
    assert "10 of the 40 chosen items errored" in lacking.json["checks"][0]["text"]
    assert "Scores beside an error" in lacking.json["checks"][0]["text"]
    for verb in (
        ("estimate", subset, scores),
        ("compare", subset, scores, "--baseline", "base"),
        ("select", scores, "-n", 5),
        ("diagnose", scores),
        ("plan", scores),
        ("backtest", scores, "-n", 10, "--n-probes", 1, "--draws", 2),
    ):
        refused = run(*verb, "--errors", "missing")
        assert refused.code == 3
        assert "items count as errored: 10 of model 'base'" in refused.err, verb
    drawn = run("select", scores, "-n", 5, "--errors", "zero", "--json").json
    assert [note["code"] for note in drawn["read_notes"]] == ["errors-as-zero"]


def test_rows_of_several_filters_are_chosen_by_every_verb(run: Run, tmp_path: Path) -> None:
    rows = [
        {"doc_id": i, "filter": name, "acc": (i + k) % 2, "doc_hash": f"h{i}"}
        for k, name in enumerate(("strict", "loose"))
        for i in range(20)
    ]
    scores, subset = write(tmp_path / "m.jsonl", rows), tmp_path / "subset.json"

    for words in (("read", scores), ("select", scores, "-n", 5, "--duplicates", "mean")):
        done = run(*words, "--metric", "acc")
        assert done.code == 0
        assert "'strict', the first in the file, is taken" in " ".join(done.out.split())
        assert run(*words, "--filter", "x").code == 3
        assert "is taken" not in run(*words, "--metric", "acc", "--filter", "loose").out
    assert run("select", scores, "-n", 5, "--metric", "acc,loose", "-o", subset).code == 0
    seen = run("verify", subset, scores, "--metric", "acc,loose")
    assert seen.code == 0
    assert "the same 5 items are drawn again" in seen.out


def test_a_suite_says_what_was_odd_in_its_files(run: Run, tmp_path: Path) -> None:
    paths = [faulty(tmp_path / f"b{i}.jsonl") for i in range(2)]

    done = run("plan", "--suite", *paths, "--budget", 20, "--json")

    assert done.code == 0
    assert [note["code"] for note in done.json["notes"]] == ["errors-kept"] * 2


def test_notes_on_the_probes_reach_the_estimate(run: Run, tmp_path: Path) -> None:
    scores, subset = write(tmp_path / "runs.jsonl", grid(["a", "b"], 40)), tmp_path / "subset.json"
    with scores.open("a") as file:
        file.write('{"item": "q0"')
    assert run("select", scores, "-n", 20, "-o", subset).code == 0
    target = write(tmp_path / "target.jsonl", grid(["t"], 40))

    done = run("estimate", subset, target, "--probes", scores, "--json")

    assert "cut-line" in [note["code"] for note in done.json["notes"]]

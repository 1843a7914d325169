"""promptfoo: results of every test, provider and prompt in one file."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, final

from bestrand.errors import FileError, InputError, ManifestError
from bestrand.harnesses.base import (
    FOLDER,
    MANIFEST_KEY,
    Claim,
    Export,
    Harness,
    LogPart,
    LogRow,
    Run,
    Selection,
    Total,
)
from bestrand.harnesses.files import LogFile
from bestrand.harnesses.values import digest_of, json_file, to_number
from bestrand.notes import Note, shown


MOST_BYTES = 131_071  # of one word of a command, on Linux


Result = Mapping[str, Any]
ERRORED = 2  # as `failureReason`; 1 is a failed assertion, 0 a pass


class _Row(NamedTuple):
    """A result and its line, None in a file that is one JSON value."""

    result: Result
    line: int | None


class _Column(NamedTuple):
    """A provider with one prompt."""

    model: str
    prompt: str
    number: object = None  # of the column, where providers have one label


@final
class Promptfoo(Harness):
    """The results of `promptfoo eval -o FILE.json` or `.jsonl`.

    A test is known by `metadata.id` of the test case, by its description, or by its variables: by
    the first that all tests have and that tells them apart. `id` and `testIdx` are others in every
    run. A model is a provider, by its label; with several prompts, a provider and a prompt.
    """

    name: ClassVar[str] = "promptfoo"
    title: ClassVar[str] = "promptfoo"
    versions: ClassVar[str] = "0.123.1"

    def claim(self, file: LogFile) -> Claim | None:
        """Claim files of results; see `Harness.claim`."""
        head = file.head.lstrip()
        if re.match(rb'\{\s*"evalId"', head):
            return "log"
        is_rows = head.startswith((b"{", b"[")) and b'"testIdx"' in head
        return "log" if is_rows and (b'"promptIdx"' in head or b'"provider"' in head) else None

    def read(self, files: Sequence[LogFile]) -> Iterator[Run]:
        """Read a run a provider and prompt; see `Harness.read`."""
        for file in files:
            yield from _read(file)

    def export(self, chosen: Selection) -> Export:
        """Write a pattern of descriptions, or a smaller file of tests; see `Harness.export`."""
        digests = [item for item in chosen.ids if re.fullmatch(r"[0-9a-f]{64}", item)]
        if digests:
            raise ManifestError(
                f"promptfoo cannot be told {len(digests)} tests that have no name, and are known "
                f"by the digest of their variables: {shown(digests)}. Give each test a "
                "`description`, or a `metadata: {id: ...}`.",
                items=digests,
            )
        tag = ("--tag", f"{MANIFEST_KEY}={chosen.digest}")
        result = ("-o", f"{FOLDER}/results.json")
        if chosen.source is not None:
            tests = _chosen_tests(chosen.source, chosen.ids)
            command = ["promptfoo", "eval", "-c", "CONFIG.yaml", "-t", f"{FOLDER}/tests.json"]
            return Export({"tests.json": json_file(tests)}, [[*command, *tag, *result]])
        pattern = f"^(?:{'|'.join(map(_escaped, chosen.ids))})$"
        command = ["promptfoo", "eval", "-c", "CONFIG.yaml", "--filter-pattern", pattern]
        text = (
            "The pattern is matched with the description of each test. Where tests are known by "
            "their `metadata.id`, give the file of tests instead: --from TESTS.json (source=)."
        )
        notes = [Note("descriptions", text)]
        if len(pattern.encode()) > MOST_BYTES:
            long = (
                f"The pattern has {len(pattern.encode())} bytes, more than one word of a command "
                "may have. Give the file of tests instead: --from TESTS.json (source=)."
            )
            notes.append(Note("too-long", long))
        files = {"pattern.txt": f"{pattern}\n".encode()}
        return Export(files, [[*command, *tag, *result]], notes)


def _escaped(text: str) -> str:
    """Escape a text for a regular expression of JavaScript."""
    escaped = re.sub(r"[\\\\^$.*+?()\[\]{}|/-]", r"\\\g<0>", text)
    return escaped.replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")


def _chosen_tests(path: Path, items: Sequence[str]) -> list[Result]:
    """Take the chosen tests out of a file of tests.

    Raises:
        FileError: no JSON list of tests, or a chosen test that is not in it.
    """
    try:
        whole = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise FileError(f"not JSON ({error}). Give the tests as JSON.", path=path) from error
    tests = whole.get("tests") if isinstance(whole, dict) else whole
    if not isinstance(tests, list) or not all(isinstance(test, dict) for test in tests):
        raise FileError("must hold a list of tests, or an object with `tests`.", path=path)
    for key in KEYS[:2]:
        named = {key({"testCase": test}): test for test in tests}
        if set(items) <= set(named):
            return [named[item] for item in items]
    known = {key({"testCase": test}) for key in KEYS[:2] for test in tests}
    absent = [item for item in items if item not in known]
    raise FileError(
        f"{len(absent)} of the {len(items)} chosen tests are not in it by `metadata.id` or "
        f"`description`: {shown(absent)}. Is it the file of these tests?",
        path=path,
    )


def _read(file: LogFile) -> Iterator[Run]:
    notes: list[Note] = []
    whole, rows = _rows(file, notes)
    for row in rows:
        _require_result(row, file)
    named = _items(rows, file)
    columns = [_Column(_model(row.result, file), _prompt(row.result)) for row in rows]
    numbers: dict[_Column, set[object]] = {}
    for row, column in zip(rows, columns, strict=True):
        numbers.setdefault(column, set()).add(row.result.get("promptIdx"))
    columns = [
        column._replace(number=row.result.get("promptIdx")) if len(numbers[column]) > 1 else column
        for row, column in zip(rows, columns, strict=True)
    ]
    prompts = list(dict.fromkeys(column.prompt for column in columns))
    stated = _totals(whole)
    for column in dict.fromkeys(columns):
        of_column = [k for k, one in enumerate(columns) if one == column]
        seen: Counter[str] = Counter()
        again = max(Counter(named[k] for k in of_column).values()) > 1
        log_rows: list[LogRow] = []
        for k in of_column:
            log_rows.extend(_log_rows(rows[k], named[k], seen[named[k]] if again else None, file))
            seen[named[k]] += 1
        number = f" (prompt {prompts.index(column.prompt) + 1})" if len(prompts) > 1 else ""
        yield Run(
            harness=Promptfoo.name,
            model=f"{column.model}{number}{_numbered(column)}",
            parts=[LogPart(file.path, log_rows, named=file.given.model)],
            totals=stated.get(column, ()),
            harness_version=str(whole.get("metadata", {}).get("promptfooVersion", "")),
            digest=str((whole.get("config", {}).get("tags") or {}).get(MANIFEST_KEY, "")),
            notes=notes,
        )
        notes = []


def _numbered(column: _Column) -> str:
    return "" if column.number is None else f" (column {column.number})"


def _rows(file: LogFile, notes: list[Note]) -> tuple[dict[str, Any], list[_Row]]:
    """Give the whole file, empty for lines, and the results in it."""
    if file.name.endswith(".jsonl") or (file.first_row and "testIdx" in file.first_row):
        return {}, [_Row(row, line) for line, row in file.rows(notes)]
    whole = file.json()
    if isinstance(whole, list):
        return {}, [_Row(row, None) for row in whole]
    inside = whole.get("results")
    results = inside.get("results") if isinstance(inside, dict) else None
    if not isinstance(results, list):
        raise FileError(
            "no results of promptfoo: `results.results` must be a list. Write them with "
            "`promptfoo eval -o FILE.json`.",
            path=file.path,
        )
    return whole, [_Row(row, None) for row in results]


def _require_result(row: _Row, file: LogFile) -> None:
    if not (isinstance(row.result, dict) and "score" in row.result and "testIdx" in row.result):
        raise FileError(
            "a result of promptfoo must be an object with `testIdx` and `score`.",
            path=file.path,
            line=row.line,
        )


def _own_id(result: Result) -> str | None:
    value = ((result.get("testCase") or {}).get("metadata") or {}).get("id")
    return None if value is None or isinstance(value, dict | list) else str(value)


def _description(result: Result) -> str | None:
    return (result.get("testCase") or {}).get("description")


def _variables(result: Result) -> str:
    return digest_of(json.dumps(_vars(result), sort_keys=True, ensure_ascii=False))


def _vars(result: Result) -> object:
    return result.get("vars") or (result.get("testCase") or {}).get("vars")


KEYS: tuple[Callable[[Result], str | None], ...] = (_own_id, _description, _variables)


def _items(rows: Sequence[_Row], file: LogFile) -> list[str]:
    """Name the test of each row.

    Raises:
        InputError: nothing that all tests have tells them apart.
    """
    content = [_content(row.result) for row in rows]
    for key in KEYS:
        names = [key(row.result) for row in rows]
        if all(name is not None for name in names) and _tells_apart(names, content):
            return [str(name) for name in names]
    raise InputError(
        f"{file.path}: nothing tells the tests apart: neither `metadata.id` of the test cases, nor "
        "their descriptions, nor their variables. Give each test case a `metadata: {id: ...}` "
        "and run them again."
    )


def _content(result: Result) -> str:
    case = result.get("testCase") or {}
    return json.dumps([_vars(result), case.get("assert")], sort_keys=True)


def _tells_apart(names: Sequence[str | None], content: Sequence[str]) -> bool:
    """Whether each name stands for one content."""
    known: dict[str | None, str] = {}
    return all(
        known.setdefault(name, what) == what for name, what in zip(names, content, strict=True)
    )


def _model(result: Result, file: LogFile) -> str:
    provider = result.get("provider")
    if isinstance(provider, dict):
        provider = provider.get("label") or provider.get("id")
    if isinstance(provider, str) and provider:
        return provider
    return file.given.model or file.path.stem


def _prompt(result: Result) -> str:
    return str(result.get("promptId") or (result.get("prompt") or {}).get("label") or "")


def _totals(whole: Mapping[str, Any]) -> dict[_Column, list[Total]]:
    """Give the sums of scores that stand beside the results, by provider and prompt."""
    totals = {}
    for prompt in whole.get("results", {}).get("prompts") or []:
        score = (prompt.get("metrics") or {}).get("score")
        if isinstance(score, int | float):
            column = _Column(str(prompt.get("provider")), str(prompt.get("id")))
            totals[column] = [Total("score", float(score), over="sum")]
    return totals


def _is_errored(result: Result) -> bool:
    """Whether the provider failed; in older logs: an error that no grading explains."""
    if "failureReason" in result:
        return bool(result["failureReason"] == ERRORED)
    return bool(result.get("error")) and not result.get("gradingResult")


def _log_rows(row: _Row, item: str, repeat: int | None, file: LogFile) -> Iterator[LogRow]:
    result = row.result
    is_errored = _is_errored(result)
    error = str(result.get("error") or "error").split("\n", 1)[0] if is_errored else None
    prompt = (result.get("prompt") or {}).get("raw")
    metrics = {**(result.get("namedScores") or {}), "score": result["score"]}
    for metric, value in metrics.items():
        score = None if is_errored else to_number(value, metric, file, row.line)
        yield LogRow(
            item,
            metric,
            score,
            "errored" if is_errored else "unscored" if score is None else "scored",
            fault=error,
            repeat=None if repeat is None else str(repeat),
            digest=_variables(result),
            prompt=digest_of(prompt) if isinstance(prompt, str) else None,
            line=row.line,
        )

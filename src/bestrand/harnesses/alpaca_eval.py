"""AlpacaEval: what an annotator preferred, instruction by instruction."""

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, final

from bestrand.errors import FileError
from bestrand.harnesses.base import Claim, Harness, LogPart, LogRow, Run, Status, Total
from bestrand.harnesses.files import LogFile
from bestrand.harnesses.values import digest_of, to_number


METRIC = "win_rate"
FITTED = "length_controlled_winrate"
NAMED = (b'"instruction":', b'"generator_1":', b'"generator_2":', b'"preference":')
OUTPUTS = ("model_outputs.json", "reference_outputs.json")
DRAW = 1.5


class _Pair(NamedTuple):
    """Who was compared with whom, and by whom."""

    model: str
    reference: str
    annotator: str


@final
class AlpacaEval(Harness):
    """The `annotations.json` of AlpacaEval, with `leaderboard.csv` beside it.

    An item is an instruction, called by the first 16 digits of its SHA-256, as AlpacaEval has no
    ids. The score is the preference less 1: 1 where the model wins, 0 where the reference does, one
    half for a draw. The length-controlled rate is of a fitted model and is refused by name.
    """

    name: ClassVar[str] = "alpaca-eval"
    title: ClassVar[str] = "AlpacaEval"
    versions: ClassVar[str] = "0.6.6"

    def claim(self, file: LogFile) -> Claim | None:
        """Claim annotations, and what lies beside them; see `Harness.claim`."""
        head = file.head
        if re.match(rb"\s*\[\s*\{", head) and all(name in head for name in NAMED):
            return "log"
        if file.name in OUTPUTS:
            return "companion" if b'"instruction":' in head and b'"output":' in head else None
        is_board = file.name == "leaderboard.csv" and head.startswith(b",win_rate,")
        return "companion" if is_board else None

    def read(self, files: Sequence[LogFile]) -> Iterator[Run]:
        """Read a run a file, model, reference and annotator; see `Harness.read`."""
        boards = {file.path.parent: file for file in files if file.name == "leaderboard.csv"}
        for file in files:
            if self.claim(file) == "log":
                yield from _read(file, boards.get(file.path.parent))


def _read(file: LogFile, board: LogFile | None) -> Iterator[Run]:
    told = _win_rates(board) if board else {}
    runs: dict[_Pair, list[LogRow]] = {}
    for one in file.json():
        names = [one.get(key) for key in ("generator_2", "generator_1", "annotator")]
        pair = _Pair(*(str(name) for name in names))
        runs.setdefault(pair, []).append(_row(one, file))
    models = [pair.model for pair in runs]
    for pair, rows in runs.items():
        alone = models.count(pair.model) == 1 and pair.model in told
        yield Run(
            harness=AlpacaEval.name,
            model=pair.model,
            parts=[LogPart(file.path, rows, named=file.given.model)],
            totals=[Total(METRIC, told[pair.model] / 100, over="rows")] if alone else [],
            versions={"": f"against {pair.reference} by {pair.annotator}"},
            unusable={FITTED: "is of a model that is fitted to all instructions"},
            bounds={METRIC: (0.0, 1.0)},
        )


def _row(one: Mapping[str, Any], file: LogFile) -> LogRow:
    instruction = one.get("instruction")
    if not isinstance(instruction, str):
        raise FileError("`instruction` must be text.", path=file.path)
    digest = digest_of(instruction)
    preference = to_number(one.get("preference"), "preference", file)
    if preference == 0:  # how a draw was written once
        preference = DRAW
    # what lies beyond is no preference, and AlpacaEval leaves it out
    score = preference - 1 if preference is not None and 1 <= preference <= 2 else None
    status: Status = "unscored" if score is None else "scored"
    return LogRow(digest[:16], METRIC, score, status, digest=digest)


def _win_rates(board: LogFile) -> dict[str, float]:
    """Take the rates, of 100, by model."""
    rows = csv.DictReader(io.StringIO(board.content().decode("utf-8-sig")))
    return {row[""]: float(row["win_rate"]) for row in rows if row.get("win_rate")}

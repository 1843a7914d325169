"""Faults: rows that say of themselves that something failed, and what they are to count as."""

import math
import re
from typing import Literal

import polars as pl

from bestrand.errors import InputError
from bestrand.notes import Note
from bestrand.reading.marks import ABNORMAL, DOUBTFUL


ErrorPolicy = Literal["keep", "zero", "missing", "refuse"]

# status words that say that nothing failed; an empty one says nothing
FINE = (
    *("", "scored", "unscored", "ok", "okay", "success", "successful", "succeeded", "complete"),
    *("completed", "done", "finished", "pass", "passed", "correct", "incorrect", "resolved"),
    *("unresolved", "solved", "unsolved", "true", "valid", "graded", "none", "null", "nan", "n/a"),
    *("0", "200"),
)
STATUS = "status "  # begins a fault that is a status, not an error
RARE = 0.001
# words of a run that did not end as it should; those of `DOUBTFUL` may also be a verdict
BROKEN = re.compile(f"{ABNORMAL.pattern}|{DOUBTFUL.pattern}")
ERRORED = ("error", "errored")
MISSING = "missing"  # a row that only says that the item exists: no model ran it
MOST_WORDS, MOST_MODELS = 3, 5


def with_status(rows: pl.DataFrame, said: pl.Series, errors: pl.Series) -> pl.DataFrame:
    """Say of every row whether it is scored, errored, unscored or missing, and what its fault is.

    Args:
        rows: with `score`, and `row`, where in the table it was.
        said: (table rows,) what a column of statuses says, null where nothing.
        errors: (table rows,) what a column of errors says, null where there is no error.

    Returns:
        The rows with `status`, and `fault`: the error, or a status that means one or is not known;
        null where there is none. A status that means an error takes the score away.
    """
    word = said.str.strip_chars()
    facts = pl.DataFrame(
        {
            "row": pl.int_range(said.len(), eager=True),
            "said": word.str.to_lowercase().fill_null(""),
            "error": errors,
            "word": STATUS + pl.Series(map(repr, word), dtype=pl.String),
        }
    )
    known = pl.col("said").is_in(FINE)
    errored, missing = pl.col("said").is_in(ERRORED), pl.col("said") == MISSING
    return (
        rows.join(facts, on="row", how="left", maintain_order="left")
        .with_columns(
            score=pl.when(errored | missing).then(None).otherwise("score"),
            fault=pl.when(~missing).then(
                pl.coalesce("error", pl.when(~known).then("word").otherwise(None))
            ),
        )
        .with_columns(
            status=pl.when(pl.col("score").is_not_null())
            .then(pl.lit("scored"))
            .when(missing)
            .then(pl.lit(MISSING))
            .when(errored | pl.col("error").is_not_null())
            .then(pl.lit("errored"))
            .otherwise(pl.lit("unscored"))
        )
        .drop("said", "error", "word")
    )


def settle_faults(rows: pl.DataFrame, errors: ErrorPolicy) -> tuple[pl.DataFrame, list[Note]]:
    """Count rows with a fault as `errors` says.

    Args:
        rows: as `with_status` makes them, of all files, with `file`.
        errors: "keep" takes a score beside a fault as it stands; "zero" counts every row with a
            fault as 0, "missing" as errored, without a score; "refuse" takes none.

    Returns:
        The rows, without faults where they count as 0; and a note that counts the faults by model
        and word where some score depends on `errors`.

    Raises:
        InputError: `errors` is "refuse", and some row has a fault.
    """
    rows = _without_best(rows)
    at_fault = rows.filter(pl.col("fault").is_not_null())
    scored = at_fault.filter(pl.col("status") == "scored")
    if errors == "refuse" and at_fault.height:
        raise InputError(
            f"No row may have an error, and some have: {_counted(at_fault)}. Run them again, or "
            "say what such a row counts as: --errors zero, missing or keep (errors=).",
            models=sorted(at_fault["model"].unique()),
        )
    if errors in ("keep", "refuse"):
        return rows, [Note("errors-kept", _kept(scored))] if scored.height else []
    if errors == "zero":
        is_fault = rows["fault"].is_not_null()
        kept = rows.with_columns(
            fault=pl.lit(None, pl.String),
            score=pl.when(is_fault).then(0.0).otherwise("score"),
            status=pl.when(is_fault).then(pl.lit("scored")).otherwise("status"),
        )
        said = f"Rows with {_kinds(at_fault)} count as 0: {_counted(at_fault)}."
        return kept, [Note("errors-as-zero", said)] if at_fault.height else []
    is_scored = (rows["status"] == "scored") & rows["fault"].is_not_null()
    kept = rows.with_columns(
        score=pl.when(is_scored).then(None).otherwise("score"),
        status=pl.when(is_scored).then(pl.lit("errored")).otherwise("status"),
    )
    said = (
        f"Scores beside {_kinds(scored)} were not taken, the items count as errored: "
        f"{_counted(scored)}."
    )
    return kept, [Note("errors-as-missing", said)] if scored.height else []


def _without_best(rows: pl.DataFrame) -> pl.DataFrame:
    """Take a status that is not known for no fault where all its rows have the highest score.

    So `Perfect` is no failed run. Chance must not explain it: the share of rows with the highest
    score, taken as often as the status occurs, is at most 1 in 1000. A word of a broken run, as
    `timeout`, stays a fault.
    """
    scored = rows.filter(pl.col("score").is_not_null())
    is_best = pl.col("score") == pl.col("score").max().over("metric")
    words = (
        scored.with_columns(best=is_best, share=is_best.mean().over("metric"))
        .filter(pl.col("fault").str.starts_with(STATUS))
        .group_by("fault")
        .agg(pl.col("best").all(), chance=pl.col("share").log().sum())
        .filter(pl.col("best") & (pl.col("chance") <= math.log(RARE)))
    )
    sound = [word for word in words["fault"] if not BROKEN.search(word.lower())]
    if not sound:
        return rows
    return rows.with_columns(
        fault=pl.when(~pl.col("fault").is_in(sound)).then("fault").otherwise(None)
    )


def _kept(scored: pl.DataFrame) -> str:
    n = _distinct(scored).height
    n_zero = _distinct(scored.filter(pl.col("score") == 0)).height
    more = f"; --errors zero would change the other {n - n_zero}" if n > n_zero else ""
    return (
        f"Scores stand beside {_kinds(scored)}, and are taken as they stand: "
        f"{_counted(scored)}. Rows with a score of 0 among them: {n_zero} of {n}{more}. If these "
        "are failed runs, and no answers, say what they count as: --errors zero, missing or refuse "
        "(errors=)."
    )


def _kinds(rows: pl.DataFrame) -> str:
    """Return whether rows have an error, a status that is not known, or both."""
    is_status = rows["fault"].str.starts_with(STATUS)
    errors = ["an error"] if not is_status.all() else []
    return " or ".join([*errors, "a status that is not known"] if is_status.any() else errors)


def _counted(rows: pl.DataFrame) -> str:
    """Count rows by model and word, most first."""
    words = _distinct(rows).group_by("model", "fault").len()
    models = words.group_by("model").agg(pl.col("len").sum())
    models = models.sort("len", "model", descending=[True, False])
    parts = []
    for model, n in models.head(MOST_MODELS).iter_rows():
        of_model = words.filter(pl.col("model") == model)
        of_model = of_model.sort("len", "fault", descending=[True, False])
        shown = [f"{fault} {n_word}" for _, fault, n_word in of_model.head(MOST_WORDS).iter_rows()]
        more = of_model.height - MOST_WORDS
        text = ", ".join(shown) + (f" and {more} other words" if more > 0 else "")
        parts.append(f"{n} of model {model!r} ({text})")
    more = models.height - MOST_MODELS
    return "; ".join(parts) + (f"; and {more} more models" if more > 0 else "")


def _distinct(rows: pl.DataFrame) -> pl.DataFrame:
    """Keep one row an item and model, whatever the number of metrics."""
    return rows.unique(["file", "row", "model"], keep="first", maintain_order=True)

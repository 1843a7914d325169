"""Functions of scores: what a summary may be of the others, and whether one is that."""

import warnings
from collections.abc import Sequence

import numpy as np

from bestrand.types import BoolArray, FloatArray


SAID = {
    "mean over the groups": "mean over the groups' means",
    "percent": "mean in percent",
    "complement": "share that is wrong (1 - mean)",
    "percent complement": "share that is wrong, in percent,",
    "n": "number",
    "n right": "number above 0",
    "n wrong": "number that are wrong",
    "std": "standard deviation",
    "std of a sample": "standard deviation of a sample",
    "error": "standard error",
    "error of a sample": "standard error",
    "min": "least",
    "max": "greatest",
    "any": "answer whether any is above 0",
    "all": "answer whether all are above 0",
    "majority": "vote",
    "majority or half": "vote",
}

EXACT = 1e-6  # of the scale; what was not rounded agrees to this, in 32 bits too
PERCENT = 20.0  # on scales as wide as this, whole numbers are rounded ones
MIN_FREE = 5  # cells beyond the number of weights that must agree, too
FEW_SCORES = 20  # as many different scores are a scale, on which others have no place
RARE = 0.001
MOST_RUN = 1000  # rows among which runs are looked for
SMALL = 0.02  # a weight that is none, beside those of others


def tabulate(base: FloatArray) -> dict[str, FloatArray]:
    """Compute every function of scores over the first axis; nan where it has no value.

    Args:
        base: (L, C), nan where there is no score.

    Returns:
        By name, (C,) each.
    """
    n = (~np.isnan(base)).sum(axis=0).astype(float)
    with warnings.catch_warnings(), np.errstate(invalid="ignore", divide="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)  # of columns without a score
        mean, least, most = np.nanmean(base, axis=0), np.nanmin(base, axis=0), np.nanmax(base, 0)
        std, sample = np.nanstd(base, axis=0), np.nanstd(base, axis=0, ddof=1)
        total, above = np.nansum(base, axis=0), (base > 0).sum(axis=0).astype(float)
        known = np.where(n > 0, 1.0, np.nan)
        return {
            "mean": mean,
            "sum": total,
            "percent": 100 * mean,
            "complement": 1 - mean,
            "percent complement": 100 - 100 * mean,
            "n": n,
            "n right": above,
            "n wrong": n - total,
            "median": np.nanmedian(base, axis=0),
            "min": least,
            "max": most,
            "any": known * (above > 0),
            "all": known * (above == n),
            "range": most - least,
            "std": std,
            "std of a sample": sample,
            "variance": std**2,
            "variance of a sample": sample**2,
            "error": std / np.sqrt(n),
            "error of a sample": sample / np.sqrt(n),
            "majority": known * (mean > 0.5),
            "majority or half": known * (mean >= 0.5),
        }


def matching(
    own: FloatArray,
    base: FloatArray,
    functions: Sequence[str],
    *,
    named: bool = True,
    table: dict[str, FloatArray] | None = None,
) -> str | None:
    """Return the first of the functions whose values one's own are, as far as they were rounded.

    Where all of the base have a score there must be one of its own.

    Args:
        own: (C,), nan where there is no score.
        base: (L, C).
        functions: names, as in `tabulate`.
        named: whether a name speaks for it; then printed values may be cut, not rounded.
        table: `tabulate(base)`, if it is there.
    """
    there = ~np.isnan(own)
    if not there.any() or not len(base) or np.any(~np.isnan(base).any(axis=0) & ~there):
        return None
    table = tabulate(base) if table is None else table
    values = own[there]
    slack = _unit(base[~np.isnan(base)]) / 2 if named else 0.0
    for function in functions:
        expected = table[function][there]
        n_added = len(base) if function in ("sum", "n wrong") else 1
        scale = 100.0 if function.startswith("percent") else PERCENT
        limit = tolerance(values, base if scale == PERCENT else 100 * base, named=named)
        if np.abs(values - expected).max() <= limit + n_added * slack:
            return function
    return None


def _unit(values: FloatArray) -> float:
    """Return the unit of scores that were rounded, to two decimals or more; 0 for all others."""
    n = n_decimals(values)
    return 10.0**-n if n is not None and n > 1 else 0.0


def n_decimals(values: FloatArray) -> int | None:
    """Tell to how many decimals values were rounded; None if to more than five."""
    with np.errstate(over="ignore", invalid="ignore"):  # of scores too large to be rounded
        return next(
            (n for n in range(6) if np.abs(values - np.round(values, n)).max() < 1e-9), None
        )


def tolerance(values: FloatArray, others: FloatArray, *, named: bool) -> float:
    """Return how far rounded values may be from what they are said to be."""
    exact = EXACT * max(1.0, float(np.abs(values).max()))
    n = n_decimals(values)
    if n is None:
        return exact
    if n == 0:
        is_wide = float(np.nanmax(others) - np.nanmin(others)) >= PERCENT
        return 0.5 + exact if named and is_wide else exact
    if n == 1 and not named:
        return exact
    unit = 10.0**-n
    return (unit if named and n > 1 else unit / 2) + 1e-9  # some tables cut and do not round


def tolerances(table: FloatArray) -> FloatArray:
    """Return `tolerance` of every row, where no name speaks for it; (L,).

    Args:
        table: (L, C), nan where there is no score; one in each row at least.
    """
    filled = np.where(np.isnan(table), 0.0, table)
    limits = EXACT * np.maximum(1.0, np.abs(filled).max(axis=1))
    decimals = np.full(len(table), -1)
    for n in range(5, -1, -1):
        decimals[np.abs(filled - np.round(filled, n)).max(axis=1) < 1e-9] = n
    return np.where(decimals > 1, 10.0 ** -decimals.astype(float) / 2 + 1e-9, limits)


def copies(own: FloatArray, base: FloatArray) -> bool:
    """Whether one of the others has the same scores wherever both have one."""
    both = ~np.isnan(own) & ~np.isnan(base)
    same = np.abs(base - own) <= EXACT
    return bool((both.any(axis=1) & (same | ~both).all(axis=1)).any())


def n_telling(own: FloatArray, base: FloatArray, function: str, limit: float = EXACT) -> int:
    """Count the cells that speak for a function of the others, and not for a copy of one."""
    return int(_telling(own, base, function, limit).sum())


def _telling(own: FloatArray, base: FloatArray, function: str, limit: float) -> BoolArray:
    """Return where one's own score is none of the others', and, but for sums, the others differ."""
    far = ~(np.abs(base - own) <= max(limit, EXACT)).any(axis=0)
    seen = ~np.isnan(base).all(axis=0) & ~np.isnan(own)
    low, high = _ends(base)
    is_sum = function in ("sum", "n right", "n wrong", "n")
    return far & seen & ((high - low > EXACT) | is_sum)


def _ends(base: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the least and the greatest score of each cell, 0 where there is none."""
    low = np.where(np.isnan(base), np.inf, base).min(axis=0)
    high = np.where(np.isnan(base), -np.inf, base).max(axis=0)
    none = np.isinf(low)
    return np.where(none, 0.0, low), np.where(none, 0.0, high)


def is_no_chance(
    own: FloatArray, base: FloatArray, function: str, n_tried: int, n_alien: int = 2
) -> bool:
    """Whether scores of their own could hardly be a function of the others.

    Where the others have few different scores, one's own are none of these in `n_alien` cells that
    tell. Or the chance that scores, spread evenly over what there is, agree so closely in all cells
    that tell is at most 1 in 1000, over all rows and functions that were tried.
    """
    limit = tolerance(own[~np.isnan(own)], base, named=False)
    telling = _telling(own, base, function, limit)
    if not telling.any():
        return False
    scores = np.unique(base[~np.isnan(base)].round(9))
    alien = ~np.isclose(own[telling, None], scores, rtol=0, atol=max(limit, EXACT)).any(axis=1)
    is_scale = len(scores) <= min(FEW_SCORES, (~np.isnan(base)).sum() / 3)
    if is_scale and alien.sum() >= n_alien:
        return True
    low, high = _ends(base)
    spread = np.maximum((high - low)[telling], EXACT)
    chance = np.minimum(np.maximum(2 * limit / spread, 1 / len(scores)), 1.0)
    return bool(np.log(chance).sum() + np.log(n_tried * (len(base) + 1)) <= np.log(RARE))


def combined(own: FloatArray, base: FloatArray) -> tuple[str, list[int]] | None:
    """Tell whether scores are a mean, a sum or a weighted mean of some of the others.

    They are regressed on the others; more cells than others must agree, by five or more.

    Returns:
        Which it is, and of which of the others; None where it is none.
    """
    whole = ~np.isnan(own) & ~np.isnan(base).any(axis=0)
    y, x = own[whole], base[:, whole]
    if len(y) < len(x) + 1 + MIN_FREE or len(x) < 2 or np.ptp(y) <= EXACT:
        return None
    limit = 1.5 * tolerance(y, x, named=True) + _unit(x)
    if limit > 0.1 * y.std():
        return None
    design = np.vstack([x, np.ones(len(y))]).T
    weights, _, rank, _ = np.linalg.lstsq(design, y, rcond=None)
    if len(y) < rank + MIN_FREE or np.abs(design @ weights - y).max() > limit:
        return None
    largest = np.abs(weights[:-1]).max()
    members = [int(k) for k in np.flatnonzero(np.abs(weights[:-1]) > SMALL * largest)]
    if len(members) < 2 or len(set(np.sign(weights[members]))) > 1:
        return None
    for function in ("mean", "percent", "complement", "sum", "percent complement", "n wrong"):
        if matching(y, x[members], (function,)):
            return function, members
    return "weighted mean", members


def extreme(own: FloatArray, base: FloatArray, functions: Sequence[str]) -> list[int] | None:
    """Return those of the others whose greatest (or least) the scores are, if there are several."""
    if not {"max", "min"} & set(functions) or np.isnan(own).any():
        return None
    sign = 1.0 if "max" in functions else -1.0
    below = np.flatnonzero((np.isnan(base) | (sign * base <= sign * own + EXACT)).all(axis=1))
    if len(below) < 2 or len(own) < MIN_FREE:
        return None
    found = matching(own, base[below], ("max",) if sign > 0 else ("min",))
    return [int(k) for k in below] if found else None


def run_of(own: FloatArray, base: FloatArray, *, is_binary: bool) -> tuple[str, list[int]] | None:
    """Tell whether scores are the mean, or the sum, of some of the others that follow each other.

    Args:
        own: (C,), without a gap; four scores, or two that no run of binary ones has by chance.
        base: (L, C), in the order of the file, without a gap.
        is_binary: whether the base holds nothing but 0 and 1.

    Returns:
        Which it is, and of which of the others; None where it is none.
    """
    n = len(base)
    if not 3 < n <= MOST_RUN or len(own) < (2 if is_binary else 4) or np.isnan(own).any():
        return None
    if np.isnan(base).any() or (own == own[0]).all():
        return None
    totals = np.vstack([np.zeros(base.shape[1]), base.cumsum(axis=0)])
    limit = tolerance(own, base, named=True)
    for first in range(n - 1):
        sums = totals[first + 2 :] - totals[first]
        lengths = np.arange(2, len(sums) + 2)[:, None]
        for function, values in (("mean", sums / lengths), ("sum", sums)):
            found = np.flatnonzero((np.abs(values - own) <= limit).all(axis=1))
            if len(found):
                rows = list(range(first, first + int(found[-1]) + 2))
                if n_telling(own, base[rows], function) > 1:
                    return function, rows
    return None

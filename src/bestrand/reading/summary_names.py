"""Names of summaries and of facts: what no model and no item is likely to be called."""

import re
from typing import Literal, NamedTuple

import polars as pl


Sureness = Literal["sure", "likely", "partly"]

# What the words of a name say a summary may be: the names of functions in `functions`.
MEANS = ("mean", "sum", "percent", "complement", "percent complement", "n wrong")
COUNTS = ("sum", "n right", "n wrong", "n", "mean")
SPREADS = ("std", "std of a sample", "variance", "variance of a sample", "range")
ERRORS = ("error of a sample", "error", *SPREADS)
HIGHEST, LOWEST = ("max", "any"), ("min", "all")

AVERAGE = (
    r"means?|avg|averages?|moyenne|mittelwert|durchschnitt|promedio|media|среднее|平均[値值分数]?"
    r"|ø|μ|mu"
)
SPREAD = r"std|stdev|stddev|sd|variance|sem|stderr"
TOTAL = (
    r"totals?|tot|sum|overall|all|aggregated?|agg|combined|summary|subtotal|grand|summe|gesamt"
    r"|somme|合计|总分|σ|pooled|composite"
)
SHARE = r"rate|share|fraction|frac|pct|percent|percentage|proportion"
EASE = r"difficulty|easiness|ease|hardness"
COUNT = r"n|num|number|count|counts|cnt|nr|support"
VOTE = (
    r"majority|vote|votes|voted|voting|consensus|modal|ensemble|ensembled|committee|jury|council"
    r"|plurality|crowd"
)
BOUND = r"oracle|ceiling|upperbound|portfolio"
EXTREME = (
    rf"median|med|min|minimum|max|maximum|best|worst|top|lowest|highest|any|every|union|{BOUND}"
    r"|floor|lowerbound|intersection"
)
OTHER_SPREAD = r"var|spread|deviation|range|disagreement|se"
RIGHT = (
    r"correct|right|solved|solves?|passed|pass|passes|passing|success|successes|succeeded|hits"
    r"|wrong|failed|fails|failures|incorrect"
)
FAMILIES: tuple[tuple[str, tuple[str, ...]], ...] = (
    (f"{AVERAGE}|{TOTAL}|{SHARE}|{EASE}", MEANS),
    (r"std|stdev|stddev|sd|variance|var|spread|deviation|range|disagreement", SPREADS),
    (r"sem|stderr|se", ERRORS),
    (COUNT, COUNTS),
    (RIGHT, (*COUNTS, *HIGHEST, *LOWEST)),
    (rf"max|maximum|best|top|highest|any|union|{BOUND}", HIGHEST),
    (r"min|minimum|worst|lowest|all|every|floor|lowerbound|intersection", LOWEST),
    (r"median|med", ("median",)),
    (VOTE, ("majority", "majority or half", "median", "mean")),
)
SURE = f"{AVERAGE}|{SPREAD}"
KEY = f"{SURE}|{TOTAL}|{SHARE}|{EASE}|{COUNT}|{VOTE}|{EXTREME}|{OTHER_SPREAD}"
COUNTED = f"{COUNT}|any|all|every|{SHARE}"
BESIDE = (
    r"scores?|acc|accuracy|macro|micro|row|col|columns?|models?|items?|results?|of|the|over|across"
    r"|dev|by|per|in|at|and|value|answers?|questions?|standard|weighted|error|task|who|that|column"
)
METRIC = r"scores?|acc|accuracy|f1|em|points|results?"  # a row of these is a mean, if anything
# Words that models have in their names, as in "qwen-max": they prove nothing beside another word.
IN_MODELS = r"max|min|all|top|n|mu|media|med|pass|right|se|base"

FACT = (
    r"split|fold|level|version|ver|revision|year|month|week|day|date|time|timestamp|label|target"
    r"|gold|truth|seed|length|len|tokens|words|chars|characters|turns|shots|hops|steps"
    r"|cluster|bin|bucket|stratum|strata|batch|chunk|page|chapter|grade|points|marks|difficulty"
    r"|hardness|easiness|discrimination|guessing|created|updated|source|topic|domain|language"
    r"|lang|type|tier|part|section|partition|cv|answers?|hard|easy|contaminated|contamination"
    r"|leaked|memori[sz]ed|agrees?|agreed|agreement|disagrees?|disagreement|same|equal|identical"
    r"|changed?|changes|differs?|different|diff|difference|delta|flips?|flipped|gain|gap|pvalue"
    r"|pval|confidence|prob|probability|logprob|likelihood|perplexity|ppl|entropy|similarity|valid"
    r"|invalid|flag|flagged|ambiguous|noisy|duplicates?|duplicated|public|private|verified"
    r"|solvable|unsolvable|trivial|adversarial|annotated|annotators?|raters?|canary|held"
)
STATISTIC = r"([pqzt]|chi) ?(vals?|values?|scores?|stats?|statistic)"
BESIDE_FACT = (
    r"id|ids|idx|index|no|nr|num|number|n|count|code|name|of|the|in|data|dataset|item|question"
    r"|prompt|doc|sample|answer|input|output|train|test|max|avg|mean|ground|is|out|score|key|was"
    r"|models?|both|between|p|value"
)


class Called(NamedTuple):
    """What a name says.

    Attributes:
        sureness: "sure" if no model is called so; "likely" if all its words are a summary's;
            "partly" if some are, as in "gpt avg".
        functions: which functions of the others it may be.
        rest: its other words, which may tell of what others.
    """

    sureness: Sureness
    functions: tuple[str, ...]
    rest: tuple[str, ...]


def called(name: str) -> Called | None:
    """Tell what summary a name speaks of; None where it speaks of none.

    Examples:
        >>> called("Overall score").sureness, called("gpt avg").rest, called("gpt")
        ('likely', ('gpt',), None)
    """
    words = _words(name)
    keys = [word for word in words if re.fullmatch(f"{KEY}|{RIGHT}", word)]
    rest = tuple(word for word in words if not re.fullmatch(f"{KEY}|{RIGHT}|{BESIDE}", word))
    if not keys and words and re.fullmatch(METRIC, words[0]):
        return None if rest else Called("partly", MEANS, ())
    if not keys:
        return None
    sureness: Sureness = "likely"
    if rest or re.search(r"\d", name):
        sureness = "partly"
        keys = [word for word in keys if not re.fullmatch(IN_MODELS, word)]
    elif any(re.fullmatch(SURE, word) and len(word) > 1 for word in keys):
        sureness = "sure"
    elif any(re.fullmatch(RIGHT, word) for word in keys):
        sureness = "sure" if any(re.fullmatch(COUNTED, word) for word in keys) else "partly"
    elif all(len(word) == 1 and word.isascii() for word in keys):
        sureness = "partly"  # a model may be called "n"
    functions = [
        function
        for pattern, family in FAMILIES
        if any(re.fullmatch(pattern, word) for word in keys)
        for function in family
    ]
    return Called(sureness, tuple(dict.fromkeys(functions)), rest) if functions else None


def is_summary_name(name: str) -> bool:
    """Whether all of a name is that of a summary, as "mean", "Overall score" or "n_correct"."""
    said = called(name)
    return said is not None and said.sureness != "partly"


def is_fact_name(name: str) -> bool:
    """Whether a column tells by its name a fact about items, as "split_id", "fold" or "year"."""
    words = _words(name)
    if len(words) > 1 and words[0] in ("is", "has", "was", "needs", "requires", "contains"):
        return True
    if re.fullmatch(STATISTIC, " ".join(words)):
        return True
    are_known = all(re.fullmatch(f"{FACT}|{BESIDE_FACT}", word) for word in words)
    is_any = any(re.fullmatch(FACT, word) for word in words)
    return is_any and are_known and not re.search(r"\d", name)


def _words(name: str) -> list[str]:
    parted = re.sub(r"([a-z])([A-Z])", r"\1 \2", name)  # MeanScore
    return re.findall(r"[^\W\d_]+", parted.casefold())


def summary_names(names: pl.Series) -> dict[str, Called]:
    """Return those of the names that are wholly or partly a summary's, ascending."""
    distinct = names.unique()
    near = distinct.filter(distinct.str.to_lowercase().str.contains(f"{KEY}|{RIGHT}|{METRIC}"))
    said = ((name, called(name)) for name in sorted(near.to_list()))
    return {name: one for name, one in said if one is not None}

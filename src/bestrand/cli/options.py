"""Options and arguments that several verbs share, and the choices they offer."""

from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import typer


# The words of `bestrand.methods`, which is not loaded for help; a test compares them.
DesignWord: TypeAlias = Literal[
    "agreement",
    "anchor-points",
    "balanced",
    "bestrand",
    "cube",
    "facility-location",
    "history",
    "independent-set",
    "irt-anchors",
    "k-center",
    "mrmr",
    "random",
    "random-search",
    "sparse-eval",
    "stratified",
    "zip-bench",
]
EstimatorWord: TypeAlias = Literal[
    "aipw",
    "anchor-predictor",
    "cluster-weighted",
    "gp-irt",
    "hajek",
    "history-average",
    "horvitz-thompson",
    "kernel-ridge-scores",
    "mean",
    "p-irt",
    "post-stratified",
    "ppi",
    "regression",
    "ridge-scores",
    "shrunk",
    "sparse-eval",
]
Duplicates: TypeAlias = Literal["error", "mean", "first", "last"]
ErrorPolicy: TypeAlias = Literal["keep", "zero", "missing", "refuse"]
Missing: TypeAlias = Literal["error", "zero", "omit"]
LeaveOut: TypeAlias = Literal["error", "models", "items"]
Weighting: TypeAlias = Literal["micro", "macro", "explicit"]

ScoresArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="SCORES",
        help="Files or folders of scores; NAME=FILE names the model of a file, and files of one "
        "NAME are parts of its run.",
        show_default=False,
    ),
]
SubsetArgument = Annotated[
    Path, typer.Argument(metavar="SUBSET", help="What `bestrand select` wrote.")
]

# reading
MetricOption = Annotated[
    str | None, typer.Option("--metric", help="Metric to use; default: the main one.")
]
MetricsOption = Annotated[
    list[str] | None,
    typer.Option("--metric", help="Metric to match; repeat it for several; default: the main one."),
]
ColumnOption = Annotated[
    list[str] | None,
    typer.Option(
        "--column",
        metavar="ROLE=NAME",
        help="Name the column of a role: item, model, score, group, task, weight, metric, status, "
        "error, filter or document. aside=NAME leaves a column, model or item out; keep=NAME keeps "
        "one that looks like a summary of the others or a fact about items.",
    ),
]
RangeOption = Annotated[
    list[str] | None,
    typer.Option(
        "--range",
        metavar="[METRIC=]LOW:HIGH",
        help="Lowest and highest possible score, where scores are not on 0..1; LOW: has no upper "
        "bound, as costs.",
    ),
]
DuplicatesOption = Annotated[
    Duplicates,
    typer.Option("--duplicates", help="What to do with different scores of one item."),
]
FilterOption = Annotated[
    str | None,
    typer.Option(
        "--filter",
        help="Filter by which a harness took the answers; default: the first in the file.",
    ),
]
UnfinishedOption = Annotated[
    bool,
    typer.Option("--unfinished", help="Read logs of runs that did not end, as far as they go."),
]
NoTotalCheckOption = Annotated[
    bool,
    typer.Option(
        "--no-total-check",
        help="Read logs whose mean is not the total that the harness gave, with a note.",
    ),
]
ErrorsOption = Annotated[
    ErrorPolicy,
    typer.Option(
        "--errors",
        help="What a row with an error or an unknown status counts as. keep: its score, with a "
        "note; zero: 0; missing: no score; refuse: stop.",
    ),
]

# estimating
ProbesFileOption = Annotated[
    list[str] | None,
    typer.Option(
        "--probes", metavar="PROBES", help="Scores of the probes; they make intervals narrower."
    ),
]
EstimatorOption = Annotated[
    EstimatorWord | None,
    typer.Option(
        "--estimator", help="How to estimate; default: what fits the design and the scores."
    ),
]
MissingOption = Annotated[
    Missing,
    typer.Option("--missing", help="What to do where a target has no score on a chosen item."),
]
LevelOption = Annotated[float, typer.Option("--level", help="Confidence level of intervals.")]
LowerOption = Annotated[
    bool,
    typer.Option(
        "--lower-is-better",
        help="Treat lower scores as better, as for costs; default: what logs say.",
    ),
]

# planning
LeaveOutOption = Annotated[
    LeaveOut,
    typer.Option(
        "--missing",
        help="What to do with missing scores: stop, or leave out the models that lack some, or the "
        "items that some model lacks.",
    ),
]

# choosing
SizeOption = Annotated[int | None, typer.Option("-n", help="Size of the subset.")]
RetentionOption = Annotated[
    float | None, typer.Option("--retention", help="Size as a share of all items.")
]
RetentionsOption = Annotated[
    list[float] | None,
    typer.Option(
        "--retention", help="Size to look at, as a share of all items; repeat it for several."
    ),
]
FactorOption = Annotated[
    float, typer.Option("--factor", help="Size of the pool over that of the subset (alpha).")
]
DesignOption = Annotated[DesignWord, typer.Option("--design", help="How to choose.")]
WeightingOption = Annotated[
    Weighting | None,
    typer.Option(
        "--weights",
        help="micro: items count the same; macro: groups count the same; explicit: use the column "
        "`weight`; default: explicit with such a column, else micro.",
    ),
]
SeedOption = Annotated[int, typer.Option("--seed", help="Random seed.")]

# output
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print one JSON object on stdout, and nothing else.")
]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")]
ForceOption = Annotated[bool, typer.Option("--force", help="Replace an existing file.")]
ManifestOption = Annotated[
    Path | None,
    typer.Option("-o", "--output", help="Write the manifest to this file; - for stdout."),
]
ChartOption = Annotated[
    Path | None,
    typer.Option("--chart", metavar="FILE", help="Draw a chart too: .svg, .png, .pdf or .html."),
]

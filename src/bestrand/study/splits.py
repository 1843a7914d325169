"""Splits: which models are known beforehand, and which are the hidden targets."""

import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple, TypeVar

import numpy as np

from bestrand.errors import InputError
from bestrand.rng import Stream
from bestrand.study.protocol import Probes, Split
from bestrand.types import FloatArray


FEWEST_TARGETS = 2
Label = TypeVar("Label", str, float)


class Parted(NamedTuple):
    """Models told apart; the two have none in common.

    Attributes:
        known: names, in an order of chance, so that the first K are K at random.
        targets: names, ascending.
    """

    known: tuple[str, ...]
    targets: tuple[str, ...]


class Models(NamedTuple):
    """What a split may look at.

    Attributes:
        names: L, distinct.
        full_scores: (L,) of each; splits by strength look at them, as does the choice of probes.
        families: of each, or None.
        dates: of each, nan where unknown; or None.
    """

    names: tuple[str, ...]
    full_scores: FloatArray
    families: tuple[str, ...] | None = None
    dates: FloatArray | None = None


def split_models(models: Models, split: Split, n_known: int, stream: Stream) -> Parted:
    """Tell known models and targets apart.

    "random": any models are known. "weak-to-strong": known models are of the weaker half, targets
    are the stronger half; "strong-to-weak" the reverse. "across-families": known models are of
    families that no target belongs to. "old-to-new": known models are of the older half of those
    whose date is known, targets the newer half; "new-to-old" the reverse. "none": all models are
    targets.

    Args:
        models: what may be looked at.
        split: how.
        n_known: how many are known.
        stream: the chance.

    Raises:
        InputError: these models cannot be split so; says why.
    """
    order = [models.names[i] for i in stream.generator().permutation(len(models.names))]
    if split == "none":
        return _require(Parted((), tuple(sorted(models.names))), 0)
    if split == "random":
        return _require(Parted(tuple(order[:n_known]), tuple(sorted(order[n_known:]))), n_known)
    if split == "across-families":
        return _require(_across_families(models, order, n_known), n_known)
    if split in ("weak-to-strong", "strong-to-weak"):
        rank, names = models.full_scores, models.names
    else:
        rank, names = _dated(models)
    ranked = [name for _, name in sorted(zip(rank, names, strict=True))]
    if split in ("strong-to-weak", "new-to-old"):
        ranked.reverse()
    middle = len(ranked) // 2
    first = set(ranked[:middle])
    known = tuple(name for name in order if name in first)[:n_known]
    return _require(Parted(known, tuple(sorted(ranked[middle:]))), n_known)


def pick_probes(
    parted: Parted, full_scores: Mapping[str, float], n_probes: int, probes: Probes
) -> tuple[str, ...]:
    """Pick K of the known models: at random, the strongest, the weakest, or spread by strength.

    Raises:
        InputError: fewer are known.
    """
    if n_probes > len(parted.known):
        raise InputError(
            f"{n_probes} probes are asked for, and {len(parted.known)} models are known. Lower "
            "`n_probes`, or raise `known`.",
            n_probes=n_probes,
        )
    if probes == "random":
        return parted.known[:n_probes]
    ranked = sorted(parted.known, key=lambda name: (full_scores[name], name))
    if probes == "bottom":
        return tuple(ranked[:n_probes])
    if probes == "top":
        return tuple(ranked[len(ranked) - n_probes :])
    places = np.linspace(0, len(ranked) - 1, n_probes).round().astype(int)
    return tuple(ranked[place] for place in places)


def label_models(names: Sequence[str], patterns: Mapping[str, Label]) -> list[Label | None]:
    """Return each model the label of the first pattern that fits its name, case aside."""
    lowered = [(pattern.lower(), label) for pattern, label in patterns.items()]
    return [
        next((label for pattern, label in lowered if fnmatchcase(name.lower(), pattern)), None)
        for name in names
    ]


def families_of(names: Sequence[str], patterns: Mapping[str, str]) -> tuple[str, ...]:
    """Return each model's family: by the patterns, or the first word of its name, owner aside.

    Examples:
        >>> families_of(["01-ai/Yi-1.5-9B", "gpt-4o", "acme/gpt-oss"], {"acme/*": "acme"})
        ('yi', 'gpt', 'acme')
    """
    declared = label_models(names, patterns)
    return tuple(label or _first_word(name) for name, label in zip(names, declared, strict=True))


def _first_word(name: str) -> str:
    found = re.search(r"[a-z]{2,}", name.rpartition("/")[2].lower())
    return name if found is None else found[0]


def _across_families(models: Models, order: list[str], n_known: int) -> Parted:
    """Fill the known models from families in an order of chance; targets are of the others."""
    if models.families is None or len(set(models.families)) < 2:
        raise InputError(
            "The models are of one family as far as their names tell, so there is no other to "
            "test on. Declare families under [model_families]."
        )
    family = dict(zip(models.names, models.families, strict=True))
    known: list[str] = []
    used: set[str] = set()
    for name in order:
        if len(known) >= n_known:
            break
        if family[name] not in used:
            used.add(family[name])
            known += [other for other in order if family[other] == family[name]]
    targets = sorted(name for name in order if family[name] not in used)
    return Parted(tuple(known[:n_known]), tuple(targets))


def _dated(models: Models) -> tuple[FloatArray, tuple[str, ...]]:
    dates = models.dates
    if dates is None or np.isnan(dates).all():
        raise InputError(
            "No date of any of these models is known. Declare dates under [model_dates]."
        )
    has_date = ~np.isnan(dates)
    names = tuple(name for name, has in zip(models.names, has_date, strict=True) if has)
    return dates[has_date], names


def _require(parted: Parted, n_known: int) -> Parted:
    if len(parted.known) < n_known or len(parted.targets) < FEWEST_TARGETS:
        raise InputError(
            f"A split needs {n_known} known models and {FEWEST_TARGETS} targets or more; these "
            f"models allow {len(parted.known)} and {len(parted.targets)}. Lower `known`, or leave "
            "the benchmark out."
        )
    return parted

"""What was learned from all experiments together: which private algorithm was best where, and what else was in the way.

It is computed from records alone. Arms are compared inside one experiment and table, where they have one price, one
split and one way of tuning; across those, only counts of cells are shown. A cell is a table at an epsilon.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

METRIC = "accuracy"
CLOSE = 0.05
"""An arm is close to the best within this share of the recoverable range."""
NARROW = 0.02
"""A recoverable range of accuracy below this says nothing of how good an algorithm is."""
ASKED = (0.05, 0.2, 0.8, 2.0)
"""Epsilons of the short answer."""
NEAR = 1.6
"""Largest factor between an epsilon that is asked for and a place of an experiment that answers it."""

Kept = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """One arm at one epsilon."""

    mean: float
    low: float
    high: float
    best: bool
    close: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Frontier:
    """All arms at one price on one table."""

    experiment: Any
    data: str
    xs: tuple[float, ...]
    reach: float
    """The recoverable range: accuracy without privacy minus that of the majority's label."""
    rows: tuple[tuple[str, tuple[Score, ...]], ...]
    """Arms with their scores, in the order of `xs`."""


def learned(experiments: Sequence[tuple[Any, Kept]]) -> dict[str, Any]:
    """All values of the page, from experiments with their records (those of the quick profile say too little)."""
    full = [(each, kept) for each, kept in experiments if kept["profile"] == "full"]
    frontiers = [found for each, kept in full for found in _frontiers(each, kept)]
    wide = [each for each in frontiers if each.reach >= NARROW]
    return {
        "frontiers": wide,
        "asked": ASKED,
        "counts": _counts(wide),
        "narrow": [each for each in frontiers if each.reach < NARROW],
        "floors": [floor for each, kept in full for floor in _floors(each, kept)],
        "close": CLOSE,
    }


def _frontiers(experiment: Any, kept: Kept) -> Iterator[Frontier]:
    """Return a table for each data set of an experiment that compares arms by epsilon at one price."""
    design = experiment.design
    arms = [arm for arm in design.arms if kept["arms"].get(arm.label, {}).get("price") == "one" and not arm.like]
    labels = [arm.label for arm in arms]
    if design.axis != "epsilon" or METRIC not in design.metrics or len({arm.make for arm in arms}) < 2:
        return
    for data, arms in kept["curves"].items():
        reach = kept["ranges"].get(f"{data}|{METRIC}")
        points = {label: {row[0]: row[1:] for row in arms[label][METRIC]} for label in labels}
        xs = tuple(x for x in points[labels[0]] if all(x in points[label] for label in labels))
        if reach is None or not xs:
            continue
        best = {x: max(points[label][x][0] for label in labels) for x in xs}
        rows = tuple((label, tuple(_score(points[label][x], best[x], CLOSE * reach) for x in xs)) for label in labels)
        yield Frontier(experiment=experiment, data=data, xs=xs, reach=reach, rows=rows)


def _score(point: Sequence[float], best: float, close: float) -> Score:
    mean, low, high = point
    return Score(mean=mean, low=low, high=high, best=mean == best, close=mean >= best - close)


def _counts(frontiers: Sequence[Frontier]) -> list[tuple[str, tuple[tuple[int, int, int], ...]]]:
    """Count (cells close to the best, best, all of its cells) for each arm, at each epsilon asked for and over all.

    The arm that is close in the largest share of all cells comes first.
    """
    found: dict[str, list[list[int]]] = {}
    for each in frontiers:
        places = [*(_nearest(each.xs, x) for x in ASKED), list(range(len(each.xs)))]
        for label, scores in each.rows:
            told = found.setdefault(label, [[0, 0, 0] for _ in places])
            for column, here in zip(told, places, strict=True):
                column[0] += sum(scores[place].close for place in here)
                column[1] += sum(scores[place].best for place in here)
                column[2] += len(here)
    rows = [(label, tuple((a, b, c) for a, b, c in told)) for label, told in found.items()]
    return sorted(rows, key=lambda row: (-row[1][-1][0] / row[1][-1][2], -row[1][-1][1], row[0]))


def _nearest(xs: Sequence[float], asked: float) -> list[int]:
    """The place that is nearest to an epsilon by ratio; none where all are too far."""
    ratios = [max(x / asked, asked / x) for x in xs]
    place = min(range(len(xs)), key=ratios.__getitem__)
    return [place] if ratios[place] <= NEAR else []


def _floors(experiment: Any, kept: Kept) -> Iterator[tuple[Any, str, str, str]]:
    """(experiment, arm, data, epsilons) that the account of then cannot certify whatever the noise."""
    for arm, said in kept["prices"].items():
        if said.get("kind") == "then":
            for data in kept["curves"]:
                none = [x for x, price in said.get(data, {}).items() if price[0] is None]
                if none:
                    yield experiment, arm, data, ", ".join(none)

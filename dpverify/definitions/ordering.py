"""The claim that arms of an experiment are at or above others, up to a margin: ``Ordering(...)``.

For "A outperforms or performs competitively with B at every epsilon": the mean of the metric over splits and coins, on
each data set at each place of the grid, of each better arm against each worse one. Not to be confused with `Shape`,
which speaks of how one arm's curve runs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from dpverify.core.comparing import Contrast, Grid, Quantifier, Unit, sign
from dpverify.core.errors import InputError
from dpverify.core.measure import Measure
from dpverify.core.registry import Registry
from dpverify.core.rules import Finite
from dpverify.definitions.parameters import Parametrised


@dataclass(frozen=True, slots=True, kw_only=True)
class Ordering(Parametrised):
    """The claim: mean of a better arm >= mean of a worse arm - margin (<= + margin where less is better).

    Attributes
    ----------
    metric : str
        Such as ``accuracy`` or ``objective``; `dpverify.core.comparing.LOWER_IS_BETTER` says of which less is better.
    better, worse : tuple of str
        Labels of arms; every better one is compared with every worse one.
    margin : float
        How much worse still counts, in `unit`; negative: by how much better it must be.
    unit : "range", "own" or "log"
        A share of the data set's recoverable range, the metric's own unit, or its natural logarithm.
    quantifier : "every", "most", "some" or "all-but-one"
        Of how many comparisons (arms, data sets, places) it is said: all, more than half, or one; or of all but one at
        each place of each data set ("better than the second best").
    low, high : float
        Only places x within, both ends included.
    data : tuple of str
        Only these data sets; empty for all.

    Raises
    ------
    InputError
        For no arm, an arm on both sides, or another unit or quantifier.
    """

    metric: str
    better: tuple[str, ...]
    worse: tuple[str, ...]
    margin: Finite = 0.0
    unit: Unit = "range"
    quantifier: Quantifier = "every"
    low: float = -math.inf
    high: float = math.inf
    data: tuple[str, ...] = ()

    def validate(self) -> None:
        """There are arms on both sides, none on both."""
        for name in ("better", "worse"):
            words = getattr(self, name)
            if not isinstance(words, tuple) or not words or not all(isinstance(each, str) for each in words):
                raise InputError(f"Ordering: {name} = {words!r}", allowed='labels of arms, such as ("DP-SGD",)')
        if not isinstance(self.data, tuple) or not all(isinstance(each, str) for each in self.data):
            raise InputError(f"Ordering: data = {self.data!r}", allowed='names of data sets, such as ("adult",)')
        if both := set(self.better) & set(self.worse):
            raise InputError(f"Ordering: {min(both)!r} better and worse", allowed="each arm on one side")

    @classmethod
    def examples(cls) -> tuple[Ordering, ...]:
        """Instances that the contract tests examine."""
        one, two = ("a",), ("b", "c")
        return (cls(metric="accuracy", better=one, worse=two), cls(metric="seconds", better=two, worse=one, margin=0.1))

    def arms(self) -> tuple[str, ...]:
        """All of them."""
        return (*self.better, *self.worse)

    def metrics(self) -> tuple[str, ...]:
        """The one."""
        return (self.metric,)

    def learned(self) -> tuple[str, ...]:
        """None: an arm that learns nothing is worse, or no better."""
        return ()

    def measures(self) -> tuple[Measure, ...]:
        """By how much a better arm falls short, on average: at most the margin."""
        return (Measure(kind="mean", claimed=max(self.margin, 0.0)),)

    def contrasts(self, grid: Grid) -> tuple[Contrast, ...]:
        """Every better arm against every worse one, on each data set, at each place within."""
        to = sign(self.metric)
        return tuple(
            Contrast(
                label=f"{b} against {w} on {data} at {x:g}",
                terms=((data, b, self.metric, x, to), (data, w, self.metric, x, -to)),
                group=f"{data} at {x:g}" if self.quantifier == "all-but-one" else "",
            )
            for data in grid.data
            if not self.data or data in self.data
            for x in grid.xs
            if self.low <= x <= self.high
            for b in self.better
            for w in self.worse
        )


def register(registry: Registry) -> None:
    """Register the definition."""
    registry.definitions.add("Ordering", Ordering)

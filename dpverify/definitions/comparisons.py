"""Claims that compare means of an experiment's arms: ``Ordering(...)``, ``Peak(...)`` and ``Shape(...)``.

Every one is a list of contrasts of means. An ordering ("A outperforms or performs competitively with B at every
epsilon") is of the mean of the metric over splits and coins, on each data set at each place of the grid, of each better
arm against each worse one. A shape is of how one arm's curve runs: rising, flat, surging, a gap that widens. Places are
those of the grid; a peak or a shape says nothing about what lies between.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, permutations
from typing import Literal

from dpverify.core.comparing import Contrast, Grid, Quantifier, Unit, sign
from dpverify.core.errors import InputError
from dpverify.core.evidence import Measure
from dpverify.core.registry import Registry
from dpverify.core.rules import Finite
from dpverify.definitions.parameters import Parametrised

Kind = Literal[
    "increasing", "decreasing", "rises", "falls", "flat", "alike", "surge", "widening", "narrowing", "clearer"
]
_ARMS = {"alike": None, "widening": 2, "narrowing": 2, "clearer": 2}
_SURGING = 0.0

ROBUST = ("flat", "alike", "widening", "narrowing")
"""Kinds of which nothing can be said where an arm learns nothing."""

Term = tuple[str, str, str, float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape(Parametrised):
    """The claim that means follow a shape, up to a margin.

    Attributes
    ----------
    kind : str
        ``increasing``, ``decreasing``: the metric itself, from each place to the next. ``rises``, ``falls``: the metric
        itself, from the first place to the last. ``flat``: any two places of one
        arm. ``alike``: any two arms at one place. ``surge``: somewhere on each data set the metric gets better by
        ``-margin`` from one place to the next. ``widening``: the first arm's lead over the second is larger at the last
        place than at the first; ``narrowing``: the other way round. ``clearer``: the first arm's lead over the second
        is larger in `metric` than in `other`, both in ranges. No verdict is reached on ``flat``, ``alike``,
        ``widening`` and ``narrowing`` where an arm learns nothing.
    metric, other : str
        `other` for ``clearer`` only.
    of : tuple of str
        Labels of arms: two for ``widening``, ``narrowing`` and ``clearer``, two or more for ``alike``, one or more for
        the others.
    margin, unit, quantifier, low, high, data
        As in `Ordering`. A ``surge`` has a negative margin.

    Raises
    ------
    InputError
        For a number of arms that does not fit the kind, or a surge without a size.
    """

    kind: Kind
    metric: str
    of: tuple[str, ...]
    other: str = ""
    margin: Finite = 0.0
    unit: Unit = "range"
    quantifier: Quantifier = "every"
    low: float = -math.inf
    high: float = math.inf
    data: tuple[str, ...] = ()

    def validate(self) -> None:
        """The arms fit the kind."""
        if not isinstance(self.of, tuple) or not self.of or not all(isinstance(each, str) for each in self.of):
            raise InputError(f"Shape: of = {self.of!r}", allowed='labels of arms, such as ("DP-SGD",)')
        if not isinstance(self.data, tuple) or not all(isinstance(each, str) for each in self.data):
            raise InputError(f"Shape: data = {self.data!r}", allowed='names of data sets, such as ("adult",)')
        wanted = _ARMS.get(self.kind, len(self.of))
        if len(self.of) != (wanted or max(2, len(self.of))):
            raise InputError(f"Shape: {self.kind} of {len(self.of)} arms", allowed="two")
        if (self.kind == "clearer") != bool(self.other):
            raise InputError(f"Shape: {self.kind} with other = {self.other!r}", allowed="another metric, for clearer")
        if self.kind == "surge" and self.margin >= _SURGING:
            raise InputError(f"Shape: a surge with margin {self.margin:g}", allowed="a negative one: its size")

    @classmethod
    def examples(cls) -> tuple[Shape, ...]:
        """Instances that the contract tests examine."""
        return (
            cls(kind="increasing", metric="accuracy", of=("a",)),
            cls(kind="surge", metric="accuracy", of=("a",), margin=-0.4, quantifier="some"),
            cls(kind="clearer", metric="objective", other="accuracy", of=("a", "b")),
        )

    def arms(self) -> tuple[str, ...]:
        """Those it is about."""
        return self.of

    def metrics(self) -> tuple[str, ...]:
        """One, or two for ``clearer``."""
        return (self.metric, self.other) if self.other else (self.metric,)

    def learned(self) -> tuple[str, ...]:
        """All, for shapes about how little a curve changes: that of an arm that learns nothing does not change."""
        return self.of if self.kind in ROBUST else ()

    def measures(self) -> tuple[Measure, ...]:
        """By how much the shape is missed, on average: at most the margin."""
        return (Measure(kind="mean", claimed=max(self.margin, 0.0)),)

    def contrasts(self, grid: Grid) -> tuple[Contrast, ...]:
        """All of the shape's, on each data set."""
        xs = tuple(x for x in grid.xs if self.low <= x <= self.high)
        found = []
        for data in grid.data if not self.data else [each for each in grid.data if each in self.data]:
            for label, terms in self._on(data, xs):
                group = data if self.kind == "surge" else ""
                found.append(Contrast(label=f"{label} on {data}", terms=terms, group=group))
        return tuple(found)

    def _on(self, data: str, xs: tuple[float, ...]) -> Iterator[tuple[str, tuple[Term, ...]]]:
        to, metric = sign(self.metric), self.metric
        sides = tuple(zip(self.of, (1.0, -1.0), strict=False))
        if self.kind == "alike":
            for x in xs:
                for a, b in permutations(self.of, 2):
                    yield f"{a} against {b} at {x:g}", ((data, a, metric, x, to), (data, b, metric, x, -to))
        elif self.kind == "clearer":
            for x in xs:
                leads = ((metric, to), (self.other, -sign(self.other)))
                terms = [(data, arm, m, x, s * k) for m, k in leads for arm, s in sides]
                yield f"{self.of[0]}'s lead over {self.of[1]} at {x:g}", tuple(terms)
        elif self.kind in ("widening", "narrowing"):
            first, last = (xs[0], xs[-1]) if self.kind == "widening" else (xs[-1], xs[0])
            ends = ((last, to), (first, -to))
            terms = [
                (data, arm, metric, x, s * k) for x, k in ends for arm, s in zip(self.of, (1.0, -1.0), strict=True)
            ]
            yield f"{self.of[0]}'s lead over {self.of[1]} at {last:g} against {first:g}", tuple(terms)
        else:
            once = [(xs[0], xs[-1])] if len(xs) > 1 else []
            pairs = {"flat": permutations(xs, 2), "rises": once, "falls": once}.get(self.kind, pairwise(xs))
            up = {"increasing": 1.0, "rises": 1.0, "decreasing": -1.0, "falls": -1.0}.get(self.kind, to)
            for before, after in pairs:
                for arm in self.of:
                    both = ((data, arm, metric, after, up), (data, arm, metric, before, -up))
                    yield f"{arm} at {after:g} against {before:g}", both


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Peak(Parametrised):
    """The claim: at place `at` the mean of each arm is at least that at every other place, up to the margin.

    Attributes
    ----------
    metric : str
        Such as ``accuracy``; of an ``objective`` the least is best.
    of : tuple of str
        Labels of arms.
    at : float
        A place of the grid.
    margin, unit, quantifier, data
        As in `Ordering`; comparisons are of `at` with each other place.

    Raises
    ------
    InputError
        For no arm, or a place that the grid has not.
    """

    metric: str
    of: tuple[str, ...]
    at: Finite
    margin: Finite = 0.0
    unit: Unit = "range"
    quantifier: Quantifier = "every"
    data: tuple[str, ...] = ()

    def validate(self) -> None:
        """There are arms."""
        for name, least in (("of", 1), ("data", 0)):
            words = getattr(self, name)
            if not isinstance(words, tuple) or len(words) < least or not all(isinstance(each, str) for each in words):
                raise InputError(f"Peak: {name} = {words!r}", allowed='names, such as ("DP-SGD",)')

    @classmethod
    def examples(cls) -> tuple[Peak, ...]:
        """Instances that the contract tests examine."""
        return (cls(metric="accuracy", of=("a",), at=0.5), cls(metric="objective", of=("a", "b"), at=1.0, margin=0.1))

    def arms(self) -> tuple[str, ...]:
        """Those it is about."""
        return self.of

    def metrics(self) -> tuple[str, ...]:
        """The one."""
        return (self.metric,)

    def learned(self) -> tuple[str, ...]:
        """All: the curve of an arm that learns nothing has no best place."""
        return self.of

    def measures(self) -> tuple[Measure, ...]:
        """By how much the place falls short of another, on average: at most the margin."""
        return (Measure(kind="mean", claimed=max(self.margin, 0.0)),)

    def contrasts(self, grid: Grid) -> tuple[Contrast, ...]:
        """The place against every other one, of each arm on each data set."""
        if self.at not in grid.xs:
            raise InputError(f"Peak: at = {self.at:g}", allowed=f"a place of the grid: {', '.join(map(str, grid.xs))}")
        to = sign(self.metric)
        return tuple(
            Contrast(
                label=f"{arm} at {self.at:g} against {x:g} on {data}",
                terms=((data, arm, self.metric, self.at, to), (data, arm, self.metric, x, -to)),
                group="",
            )
            for data in grid.data
            if not self.data or data in self.data
            for x in grid.xs
            if x != self.at
            for arm in self.of
        )


def register(registry: Registry) -> None:
    """Register the definition."""
    registry.definitions.add("Shape", Shape)
    registry.definitions.add("Ordering", Ordering)
    registry.definitions.add("Peak", Peak)

"""The claim that curves of an experiment have a shape: rising, flat, surging, a gap that widens: ``Shape(...)``.

Every shape is a list of contrasts of means, so it is tested as an ordering is. Places are those of the grid; a shape
says nothing about what lies between.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, permutations
from typing import Literal

from dpverify.core.comparing import Contrast, Grid, Quantifier, Unit, sign
from dpverify.core.errors import InputError
from dpverify.core.measure import Measure
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


def register(registry: Registry) -> None:
    """Register the definition."""
    registry.definitions.add("Shape", Shape)

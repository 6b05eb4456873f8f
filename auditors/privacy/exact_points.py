"""Where the exact auditor looks (pairs and searched parameters, as one box) and what the laws say there."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from dpverify.core.claim import SearchSpace
from dpverify.core.errors import DpverifyError, UnsupportedError
from dpverify.core.measure import Enclosed, Measure
from dpverify.core.protocols import Float, LawPair, Pair, Task

ROUNDING = 1e-10
"""Relative. Claimed numbers and noise scales are doubles, computed from one another by a few operations; what exceeds a
claim by less than this share of it is taken for their rounding, and never refutes."""

_LOGARITHMIC = 10.0  # parameter boxes of at least this ratio are searched on a log scale


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A pair of neighbours, and the parameters that the subject is built with beside the claim's own."""

    pair: Pair
    parameters: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One measure at one point, of one direction; `reverse` compares d1's law with d0's."""

    point: Point
    measure: Measure
    reverse: bool
    value: Enclosed

    @property
    def ratio(self) -> float:
        """The lower end over the claim; what searches maximise. 0 where nothing is claimed and nothing was found."""
        low, claimed = self.value.lower, self.measure.claimed
        if claimed > 0:
            return low / claimed
        return math.inf if low > 0 else 0.0

    @property
    def excess(self) -> float:
        """By how much the lower end exceeds the claim and the rounding that it is allowed."""
        return self.value.lower - self.measure.claimed * (1.0 + ROUNDING)

    @property
    def direction(self) -> str:
        """``d0 against d1``, as all auditors write it."""
        return "d1 against d0" if self.reverse else "d0 against d1"


@dataclass(slots=True)
class Examiner:
    """Compares exact laws at points, counts how often, and keeps the best of each measure."""

    task: Task
    evaluations: int = 0
    best: dict[str, Found] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)

    @property
    def worst(self) -> Found:
        """The largest ratio of all."""
        return max(self.best.values(), key=lambda found: found.ratio)

    def laws(self, point: Point, *, reverse: bool = False) -> LawPair:
        """The laws on d0 and d1 as a pair, or swapped."""
        subject = self.task.build(**point.parameters)
        pair: LawPair = subject.output_law(point.pair.d0).against(subject.output_law(point.pair.d1))
        return pair.swap() if reverse else pair

    def all(self, point: Point) -> list[Found]:
        """Every measure of the claim in both directions, the largest ratio first.

        Raises
        ------
        UnsupportedError
            When the laws know none of the measures.
        """
        pair = self.laws(point)
        self.evaluations += 1
        found = []
        for reverse, side in ((False, pair), (True, pair.swap())):
            for measure in self.task.claim.guarantee.measures():
                try:
                    value = measured(side, measure)
                except UnsupportedError as problem:
                    self.missing[measure.label()] = str(problem)
                    continue
                found.append(Found(point=point, measure=measure, reverse=reverse, value=value))
        if not found:
            raise UnsupportedError("; ".join(f"{label}: {why}" for label, why in self.missing.items()))
        return sorted(found, key=lambda each: -each.ratio)

    def examine(self, point: Point, *, within: frozenset[str] | None = None) -> Found:
        """The largest ratio at `point`, of the measures with a label in `within` where there is any; all measures are
        remembered where they are the best so far."""
        found = self.all(point)
        for each in found:
            label = each.measure.label()
            if label not in self.best or each.ratio > self.best[label].ratio:
                self.best[label] = each
        return next((each for each in found if within is None or each.measure.label() in within), found[0])


def measured(pair: LawPair, measure: Measure) -> Enclosed:
    """The measure's value on a pair of laws; UnsupportedError where laws have no such thing."""
    if measure.kind == "epsilon":
        return pair.epsilon(measure.argument)
    if measure.kind == "delta":
        return pair.delta(measure.argument)
    if measure.kind == "renyi":
        return pair.renyi(measure.argument)
    own = getattr(pair, "mu", None)
    if measure.kind == "mu" and callable(own):
        value: Enclosed = own()
        return value
    raise UnsupportedError(f"{measure.kind} of these laws")


class Box:
    """Pairs and searched parameters as one box: the generator's own coordinates, then the claim's parameters.

    Without a box of the generator's own, one coordinate runs through its listed pairs.
    """

    def __init__(
        self, task: Task, space: SearchSpace, listed: list[Pair], *, fixed: Mapping[str, Any] = MappingProxyType({})
    ) -> None:
        self.task, self.space, self.listed, self.fixed = task, space, listed, fixed
        own = task.neighbors.box(space)
        self.continuous = own is not None
        self.pairs = np.array([[0.0, float(len(listed))]]) if own is None else np.asarray(own, dtype=np.float64)
        self.names = list(space.parameters)
        boxes = [space.parameters[name] for name in self.names]
        self.logarithmic = [low > 0 and high >= _LOGARITHMIC * low for low, high in boxes]
        scaled = [
            (math.log(low), math.log(high)) if log else (low, high)
            for (low, high), log in zip(boxes, self.logarithmic, strict=True)
        ]
        self.bounds: Float = np.concatenate([self.pairs, np.array(scaled, dtype=np.float64).reshape(-1, 2)])

    @property
    def dimension(self) -> int:
        """How many coordinates can be moved."""
        return int(np.count_nonzero(self.bounds[:, 1] > self.bounds[:, 0]))

    def point(self, vector: Float) -> Point:
        """The point at `vector`, clipped into the box."""
        inside = np.clip(vector, self.bounds[:, 0], self.bounds[:, 1])
        own, others = inside[: len(self.pairs)], inside[len(self.pairs) :]
        if self.continuous:
            pair = self.task.neighbors.decode(self.space, own)
        else:
            pair = self.listed[min(int(own[0]), len(self.listed) - 1)]
        return Point(pair=pair, parameters={**self.fixed, **self.parameters(others)})

    def parameters(self, scaled: Float) -> dict[str, float]:
        """Searched parameters in their own units, inside their boxes."""
        values = {}
        for name, value, log in zip(self.names, scaled.tolist(), self.logarithmic, strict=True):
            low, high = self.space.parameters[name]
            values[name] = min(max(math.exp(value) if log else value, low), high)
        return values

    def settings(self) -> list[dict[str, float]]:
        """Middles of the parameter boxes, then corners: one parameter at an end, the others in the middle."""
        bounds = self.bounds[len(self.pairs) :]
        middle = bounds.mean(axis=1)
        vectors = [middle]
        for index in range(len(self.names)):
            for end in (0, 1):
                vector = middle.copy()
                vector[index] = bounds[index, end]
                vectors.append(vector)
        return [self.parameters(vector) for vector in vectors]


_REFUSED = (DpverifyError, ValueError, TypeError, IndexError)  # how subjects say that they take no data of a size


def resized(task: Task, size: int, *, listed: int) -> Box | None:
    """The box of pairs of another size than the claim's; None when the subject takes no data of that size.

    Where it does not, and one integer parameter of the claim equals the claim's size, that parameter follows: it is
    then among the parameters of every point of the box.
    """
    whole = task.claim.space.size
    space = replace(task.claim.space, size=size)
    pairs = task.neighbors.candidates(space, limit=listed, rng=task.stream("pairs", size))
    following = [name for name, value in task.claim.parameters.items() if type(value) is int and value == whole]
    attempts: list[dict[str, Any]] = [{}] + ([{following[0]: size}] if len(following) == 1 else [])
    for fixed in attempts if pairs else []:
        box = Box(task, space, pairs, fixed=fixed)
        settings = box.settings()[0] if box.names else {}
        try:
            Examiner(task=task).examine(Point(pair=pairs[0], parameters={**fixed, **settings}))
        except _REFUSED:
            continue
        return box
    return None

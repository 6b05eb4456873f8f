"""Where the exact auditor looks (pairs and searched parameters, as one box) and what the laws say there."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from types import MappingProxyType
from typing import Any

import numpy as np

from auditors.search_boxes import LOGARITHMIC, EvaluatedPoint
from dpverify.core.auditing import Task
from dpverify.core.claim import SearchSpace
from dpverify.core.errors import DpverifyError, UnsupportedError
from dpverify.core.evidence import Enclosed, Measure
from dpverify.core.subjects import Dataset, Float, LawPair, Pair

ROUNDING = 1e-10
"""Relative rounding error of claims: a smaller excess never refutes.

Claimed numbers and noise scales are doubles that were computed from each other by a few operations.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A pair of neighbours of one size, and the subject's searched parameters."""

    pair: Pair
    parameters: Mapping[str, Any] = field(default_factory=dict)
    size: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One measure at one point in one direction; `reverse` compares d1's law with d0's."""

    point: Point
    measure: Measure
    reverse: bool
    value: Enclosed

    @property
    def ratio(self) -> float:
        """The value's lower end divided by the claim, which searches maximise; 0 where both are 0."""
        low, claimed = self.value.lower, self.measure.claimed
        if claimed > 0:
            return low / claimed
        return math.inf if low > 0 else 0.0

    @property
    def excess(self) -> float:
        """Excess of the value's lower end over the claim and its allowed rounding."""
        return self.value.lower - self.measure.claimed * (1.0 + ROUNDING)

    @property
    def direction(self) -> str:
        """The direction in words, such as ``d0 against d1``."""
        return "d1 against d0" if self.reverse else "d0 against d1"


@dataclass(slots=True)
class Examiner:
    """Compares exact laws at points, records the points, and keeps the worst one of each measure."""

    task: Task
    evaluations: int = 0
    looks: list[EvaluatedPoint] = field(default_factory=list)
    best: dict[str, Found] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)
    _built: tuple[Mapping[str, Any], Any] | None = None
    _laws: dict[Hashable, Any] = field(default_factory=dict)
    _known: dict[Hashable, list[tuple[Measure, bool, Enclosed]]] = field(default_factory=dict)

    @property
    def worst(self) -> Found:
        """The result with the largest ratio."""
        return max(self.best.values(), key=lambda found: found.ratio)

    def laws(self, point: Point, *, reverse: bool = False) -> LawPair:
        """The laws on d0 and d1 as a pair, or swapped."""
        pair: LawPair = self._law(point, point.pair.d0).against(self._law(point, point.pair.d1))
        return pair.swap() if reverse else pair

    def _law(self, point: Point, dataset: Dataset) -> Any:
        """The law on one data set, kept for small relations, whose pairs share their few data sets."""
        law = self._subject(point.parameters).output_law
        if type(dataset) is not int:
            return law(dataset)
        key = (dataset, repr(point.parameters))
        if key not in self._laws:
            self._laws[key] = law(dataset)
        return self._laws[key]

    def _subject(self, parameters: Mapping[str, Any]) -> Any:
        """The subject, built again only when the parameters differ from those of the previous point."""
        if self._built is None or self._built[0] != parameters:
            self._built = dict(parameters), self.task.build(**parameters)
        return self._built[1]

    def all(self, point: Point) -> list[Found]:
        """Every measure of the claim in both directions at a point, the largest ratio first.

        UnsupportedError when the laws support none of the measures.
        """
        sides = content(point.pair.d0), content(point.pair.d1)
        key = None if None in sides else (*sides, repr(point.parameters))
        values = self._known.get(key)  # searches come back: a quarter of their points are repeats
        self.evaluations += 1
        if values is None:
            values = self._measured(point)
            if key is not None:
                self._known[key] = values
        found = [Found(point=point, measure=measure, reverse=back, value=value) for measure, back, value in values]
        found = sorted(found, key=lambda each: -each.ratio)
        failed = any(each.excess > 0 for each in found)
        self.looks.append(
            EvaluatedPoint(parameters=point.parameters, ratio=found[0].ratio, failed=failed, size=point.size)
        )
        return found

    def _measured(self, point: Point) -> list[tuple[Measure, bool, Enclosed]]:
        pair = self.laws(point)
        measures = self.task.claim.guarantee_at(point.parameters).measures()
        values = []
        for reverse, side in ((False, pair), (True, pair.swap())):
            for measure in measures:
                try:
                    values.append((measure, reverse, measured(side, measure)))
                except UnsupportedError as problem:
                    self.missing[measure.label()] = str(problem)
        if not values:
            raise UnsupportedError("; ".join(f"{label}: {why}" for label, why in self.missing.items()))
        return values

    def examine(self, point: Point, *, within: frozenset[str] | None = None) -> Found:
        """The largest ratio at `point`, of the measures with a label in `within` if there are any.

        All measures are compared with the best so far.
        """
        found = self.all(point)
        self._remember(found)
        return next((each for each in found if within is None or each.measure.label() in within), found[0])

    def join(self, other: Examiner) -> None:
        """Add the results and counts of another examiner of the same claim (for example at another size)."""
        self.count(other)
        self.missing.update(other.missing)
        self._remember(other.best.values())

    def count(self, other: Examiner) -> None:
        """Add only the counts and points of another examiner."""
        self.evaluations += other.evaluations
        self.looks += other.looks

    def _remember(self, found: Iterable[Found]) -> None:
        for each in found:
            label = each.measure.label()
            if label not in self.best or each.ratio > self.best[label].ratio:
                self.best[label] = each


def content(dataset: Dataset) -> Hashable | None:
    """What tells apart data sets that are arrays or numbers; None for all others."""
    if isinstance(dataset, np.ndarray) and dataset.dtype.kind in "biufc":
        return dataset.dtype.str, dataset.shape, blake2b(dataset.tobytes(), digest_size=16).digest()
    return (type(dataset), repr(dataset)) if type(dataset) in (int, float) else None


def measured(pair: LawPair, measure: Measure) -> Enclosed:
    """The measure's value on a pair of laws; UnsupportedError where the laws do not offer it."""
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
    """Pairs and searched parameters as one box: the generator's coordinates, then the claim's parameters.

    If the generator has no box, one coordinate runs through its listed pairs. If the space's range has a unit, the
    generator's coordinates are fractions of its box in the subject's units at that point.
    """

    def __init__(
        self,
        task: Task,
        space: SearchSpace,
        *,
        limit: int,
        stream: tuple[str | int, ...] = ("pairs",),
        fixed: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        self.task, self.space, self.limit, self.stream, self.fixed = task, space, limit, stream, fixed
        self.names = list(space.parameters)
        boxes = [space.parameters[name] for name in self.names]
        self.logarithmic = [low > 0 and high >= LOGARITHMIC * low for low, high in boxes]
        scaled = [
            (math.log(low), math.log(high)) if log else (low, high)
            for (low, high), log in zip(boxes, self.logarithmic, strict=True)
        ]
        parameters = np.array(scaled, dtype=np.float64).reshape(-1, 2)
        self.middle: dict[str, Any] = {**fixed, **self.parameters(parameters.mean(axis=1))}
        self.listed = self.listing(self.middle)
        own = task.neighbors.box(self.scaled(self.middle))
        self.continuous = own is not None
        if own is None:
            self.pairs = np.array([[0.0, float(len(self.listed))]])
        else:
            box = np.asarray(own, dtype=np.float64)
            self.pairs = np.where(box[:, 1:] > box[:, :1], [0.0, 1.0], 0.0) if space.unit else box
        self.bounds: Float = np.concatenate([self.pairs, parameters])

    def scaled(self, parameters: Mapping[str, Any]) -> SearchSpace:
        """The space in the units of the subject with these parameters."""
        return self.space.scaled(self.task.build(**parameters)) if self.space.unit else self.space

    def listing(self, parameters: Mapping[str, Any]) -> list[Pair]:
        """The generator's pairs for the subject with these parameters."""
        rng = self.task.stream(*self.stream)
        return self.task.neighbors.candidates(self.scaled(parameters), limit=self.limit, rng=rng)

    @property
    def dimension(self) -> int:
        """Number of coordinates of the box."""
        return int(np.count_nonzero(self.bounds[:, 1] > self.bounds[:, 0]))

    def point(self, vector: Float) -> Point:
        """The point at `vector`, clipped into the box."""
        inside = np.clip(vector, self.bounds[:, 0], self.bounds[:, 1])
        own, others = inside[: len(self.pairs)], inside[len(self.pairs) :]
        parameters = {**self.fixed, **self.parameters(others)}
        space = self.scaled(parameters)
        if not self.continuous:
            listed = self.listing(parameters) if self.space.unit else self.listed
            return Point(pair=listed[min(int(own[0]), len(listed) - 1)], parameters=parameters, size=space.size)
        if self.space.unit:
            box = np.asarray(self.task.neighbors.box(space), dtype=np.float64)
            own = box[:, 0] + own * (box[:, 1] - box[:, 0])
        return Point(pair=self.task.neighbors.decode(space, own), parameters=parameters, size=space.size)

    def parameters(self, scaled: Float) -> dict[str, float]:
        """Searched parameters in their units, inside their boxes."""
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


_REFUSED = (DpverifyError, ValueError, TypeError, IndexError)  # how subjects refuse data of a size


def resized(task: Task, size: int, *, listed: int) -> Box | None:
    """The box of pairs of another size than the claim's; None when the subject refuses data of that size.

    If one integer parameter of the claim equals the claim's size, it is changed to the new size where needed. It is
    then among the parameters of every point of the box.
    """
    whole = task.claim.space.size
    space = task.claim.space.at(size)
    following = [name for name, value in task.claim.parameters.items() if type(value) is int and value == whole]
    attempts: list[dict[str, Any]] = [{}] + ([{following[0]: size}] if len(following) == 1 else [])
    for fixed in attempts:
        box = Box(task, space, limit=listed, stream=("pairs", size), fixed=fixed)
        try:
            for pair in box.listed[:1]:
                Examiner(task=task).examine(Point(pair=pair, parameters=box.middle))
        except _REFUSED:
            continue
        return box if box.listed else None
    return None

"""Released values that take a path of the code: numbers for releases and for shown draws, and a seed for all others."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpverify.proofs.node import Node
from dpverify.proofs.operations import PYTHON_INT, ProofError
from dpverify.proofs.program import ProofProgram
from dpverify.proofs.replay import Evaluation
from dpverify.proofs.solved import edges, middle, solve
from dpverify.proofs.ways import Condition, apart, met_by, words

SEEDS = 48
"""Seeds of other random numbers that are tried, where a path asks for them."""

STARTS = 24

BEYOND = 1e12
"""Numbers that the code compares with are below this, as far as all releases begin beyond them."""

SIZES = (1, 2, 3, 17, 200)

LARGEST_SIZE = 3_000
"""Of a data set whose size the code compares with a number."""


@dataclass
class Point:
    """Says what is released, shown and drawn: numbers in the order of the program, and the seed of all others."""

    numbers: list[float]
    seed: int
    size: int

    def given(self, at: int, shape: tuple[int, ...]) -> Any:
        """The numbers of a release that begins at a place; zeros beyond the end."""
        count = math.prod(shape)
        found = [*self.numbers[at : at + count], *(0.0,) * max(0, at + count - len(self.numbers))]
        return np.asarray(found[:count]).reshape(shape)

    def target(self, _: int, at: int, shape: tuple[int, ...]) -> Any:
        """The same, as `dpverify.proofs.coupled.Target`."""
        return self.given(at, shape)


def places_of(program: ProofProgram) -> dict[Node, int]:
    """The places at which the numbers of each release, and of each draw that is shown, begin."""
    found, at = {}, 0
    for node in program.nodes:
        if node.op in ("release", "expose"):
            found[node], at = at, at + math.prod(node.shape)
    return found


def whole(law: str, numbers: Any) -> Any:
    """The numbers, as noise of the law can make them."""
    if law == "geometric":
        return np.rint(np.clip(numbers, -(2.0**40), 2.0**40))
    return np.maximum(np.rint(np.clip(numbers, 1.0, 2.0**40)), 1.0) if law == "one-sided" else numbers


class PublicEvaluation(Evaluation):
    """The public values at a point: no data set is needed."""

    def __init__(self, program: ProofProgram, point: Point, given: Mapping[Node, Any] | None = None) -> None:
        self.records, self.size, self.known = {}, point.size, dict(given or {})
        self.point, self.places = point, places_of(program)
        self.rng = np.random.Generator(np.random.PCG64(point.seed))
        for node in program.nodes:
            if node.op == "random":
                self.known[node] = self._drawn(node)

    def of(self, node: Node) -> Any:
        """The value of a public node."""
        if node not in self.known and node in self.places:
            law = node.law if node.op == "expose" else node.inputs[1].law
            law = node.inputs[0].law if node.op == "expose" else law
            found = whole(law, self.point.given(self.places[node], node.shape))
            integer = node.kind in (PYTHON_INT, "int64")
            self.known[node] = found.astype(np.int64)[()] if integer else found[()]
        return super().of(node)


@dataclass
class PointSearch:
    """Looks for points of one program.

    `special`: numbers that the code compares with, and numbers between them.
    """

    program: ProofProgram
    special: Sequence[float]
    rng: np.random.Generator

    def point(self, way: Sequence[Condition], known: Sequence[Point], *, inside: bool = False) -> Point:
        """A point where all conditions hold, `inside`: in the middle of where they do; ProofError without one."""
        conditions = apart(way)
        needed = ancestors([node for node, _ in conditions])
        places = places_of(self.program)
        moved = coordinates(needed, places)
        starts = self.starts(known, sum(math.prod(node.shape) for node in places))
        for seed, size in self._seeds(known, {node.op for node in needed}):
            asked = self._asked(conditions, needed, seed, size)
            solved = solve(asked, starts, self.special, moved) if conditions else np.asarray(starts[-1])
            if solved is not None:
                for at in moved if inside else ():
                    solved = middle(asked, solved, at, len(conditions))
                return Point(list(solved), seed, size)
        raise ProofError(f"no released values were found that go one way through the code: {words(conditions)}")

    def edges(self, turn: Condition, way: Sequence[Condition], known: Sequence[Point]) -> list[Point]:
        """Points of a way beside each other, of which one meets `turn` and the other does not, as far as found."""
        conditions, base = [turn, *apart(way)], known[-1]
        needed = ancestors([node for node, _ in conditions])
        places = places_of(self.program)
        moved = coordinates(ancestors([turn[0]]), places)
        asked = self._asked(conditions, needed, base.seed, base.size)
        starts = self.starts(known, sum(math.prod(node.shape) for node in places))
        found = edges(asked, starts[:STARTS], self.special, moved)
        if not len(found):
            return []
        met, _ = asked(found, len(conditions))
        return [
            Point(list(each), base.seed, base.size)
            for each, all_met in zip(found, met[:, 1:].all(axis=1), strict=True)
            if all_met
        ]

    def starts(self, known: Sequence[Point], count: int) -> list[list[float]]:
        """Numbers to begin with: those of known points, small and large ones, and those that the code compares with."""
        found = [[*each.numbers, *(0.0,) * count][:count] for each in known[-STARTS:]]
        found += [(far * self.rng.normal(size=count)).tolist() for far in (0.0, 1.0, 100.0)]
        known_ones = [each for each in self.special if abs(each) < BEYOND] or [0.0]
        found += [[min(known_ones) - 1.0] * count, [max(known_ones) + 1.0] * count]  # all below, and all above
        return found + [self.rng.choice(np.asarray(self.special), size=count).tolist() for _ in range(4)]

    def anywhere(self, far: float) -> Point:
        """Released values that are this far from 0, on no path in particular."""
        count = sum(math.prod(node.shape) for node in places_of(self.program))
        size = int(self.rng.choice(SIZES)) if self.program.relation == "replace" else 0
        return Point((far * self.rng.normal(size=count)).tolist(), int(self.rng.integers(2**62)), size)

    def _seeds(self, known: Sequence[Point], ops: set[str]) -> list[tuple[int, int]]:
        """Seeds, and sizes of the data set under ``replace``, as far as the conditions ask for them."""
        sizes = SIZES if self.program.relation == "replace" else (0,)
        asked = [round(each) + more for each in self.special for more in (-1, 0, 1) if 1 < each < LARGEST_SIZE]
        wanted = (*sizes, *asked) if "size" in ops and sizes != (0,) else sizes[:1]
        found = [(each.seed, each.size) for each in known[-1:]]
        return found + [
            (int(self.rng.integers(2**62)), size) for size in (*wanted, *(sizes[:1] * SEEDS if "random" in ops else ()))
        ]

    def _asked(self, conditions: Sequence[Condition], needed: Sequence[Node], seed: int, size: int) -> Any:
        nothing = PublicEvaluation(ProofProgram("", {}), Point([], 0, 0))
        constants = {node: nothing.of(node) for node in needed if node.op == "constant"}

        def asked(points: Any, m: int) -> tuple[Any, Any]:
            met = np.zeros((len(points), len(conditions)), dtype=bool)
            sign = np.full(len(points), math.nan)
            with np.errstate(all="ignore"):
                for row, numbers in enumerate(points):
                    found = PublicEvaluation(self.program, Point(list(numbers), seed, size), constants)
                    for place, each in enumerate(conditions):
                        try:
                            met[row, place], own = met_by(found, each, 0)
                        except (ArithmeticError, ValueError, TypeError, IndexError):
                            break
                        if place == m:
                            sign[row] = own
                        if place >= m and not met[row, place]:
                            break
            return met, sign

        return asked


def ancestors(nodes: Sequence[Node]) -> list[Node]:
    """Values that these are computed from, up to released and shown numbers."""
    found: dict[Node, None] = {}
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        if node not in found:
            found[node] = None
            if node.op not in ("release", "expose"):
                waiting.extend(node.inputs)
    return list(found)


def coordinates(needed: Sequence[Node], places: Mapping[Node, int]) -> list[int]:
    """The places of the released and shown numbers that conditions depend on."""
    whole_ones = {each for node in needed if node.op != "take" for each in node.inputs if each in places}
    found: dict[int, None] = {}
    for node in needed:
        if node.op == "take" and node.inputs[0] in places:
            found |= dict.fromkeys(places[node.inputs[0]] + int(each) for each in node.params["places"])
    for each in whole_ones:
        found |= dict.fromkeys(range(places[each], places[each] + math.prod(each.shape)))
    return list(found)

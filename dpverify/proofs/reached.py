"""Every way that a proof speaks of is one that the code was run on, or the proof is refused.

For each path by released values, released values are found that take it, and for each way of one record a record
that goes it: also where the window is too narrow for chance. Both sides of each choice within a record's value too.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpverify.proofs.certificate import CheckedPath
from dpverify.proofs.node import Node, values
from dpverify.proofs.operations import ELEMENTWISE, PYTHON_INT, TEXT, ProofError
from dpverify.proofs.program import ProofProgram
from dpverify.proofs.replay import Evaluation
from dpverify.proofs.solved import middle, solve

Condition = tuple[Node, bool]

SEEDS = 48
"""Seeds of other random numbers that are tried, where a path asks for them."""

STARTS = 24

RECORDS = 400

SIZES = (1, 2, 3, 17, 200)

FARTHEST = 2.0**62

PLAIN = (0.0, 0.5, 1.0, -1.0, 2.0, 1e308, -1e308, 1e-308, math.inf, -math.inf)

CHOICES = ("where", "choose")

BETWEEN_TWO = ("minimum", "maximum", "python_min", "python_max", "fmin", "fmax")


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


def places_of(program: ProofProgram) -> dict[Node, int]:
    """Where the numbers of each release, and of each draw that is shown, begin."""
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


def words(way: Sequence[Condition]) -> str:
    """The conditions of a way, as the proof has them."""
    return " and ".join(("" if truth else "not ") + _words(node) for node, truth in way) or "no condition"


def _words(node: Node, depth: int = 4) -> str:
    if node.op == "constant" and node.shape == ():
        return f"{float(node.range.lo):.6g}"
    if node.op in ("field", "release"):
        return str(node.params.get("name") or "a record") if node.op == "field" else "what is released"
    inside = ", ".join(_words(each, depth - 1) for each in node.inputs) if depth else "..."
    return f"{node.op}({inside})"


def met_by(found: Evaluation, condition: Condition, lead: int) -> tuple[Any, Any]:
    """Whether a condition is met, and the sign of what an equality compares; `lead`: axes of the records."""
    node, truth = condition
    met = np.asarray(found.of(node)).astype(bool) == truth
    met = met.any(axis=tuple(range(lead, met.ndim))) if met.ndim > lead else met
    asked = node.inputs[0] if node.op == "logical_not" else node
    if asked.op != "equal" or node.shape != ():
        return met, math.nan
    first, second = (np.asarray(found.of(each), dtype=float) for each in asked.inputs)
    return met, np.sign(first - second)


def point_of(
    path: CheckedPath,
    known: Sequence[Point],
    special: Sequence[float],
    rng: np.random.Generator,
    *,
    inside: bool = False,
) -> Point:
    """Numbers that take a path, `inside`: in the middle of those that do; ProofError where none are found."""
    conditions = path.conditions
    needed = _ancestors([node for node, _ in conditions])
    sizes = SIZES if path.program.relation == "replace" else (0,)
    random = any(node.op == "random" for node in needed)
    of_size = any(node.op == "size" for node in needed)
    places = places_of(path.program)
    count = sum(math.prod(node.shape) for node in places)
    moved = _coordinates(needed, places)
    starts = [[*each.numbers, *(0.0,) * count][:count] for each in known[-STARTS:]]
    starts += [(far * rng.normal(size=count)).tolist() for far in (0.0, 1.0, 100.0)]
    starts += [rng.choice(np.asarray(special), size=count).tolist() for _ in range(4)]
    tried = [(each.seed, each.size) for each in known[-1:]]
    tried += [(int(rng.integers(2**62)), size) for size in (sizes if of_size else sizes[:1])]
    tried += [(int(rng.integers(2**62)), sizes[0]) for _ in range(SEEDS if random else 0)]
    nothing = PublicEvaluation(ProofProgram("", {}), Point([], 0, 0))
    constants = {node: nothing.of(node) for node in needed if node.op == "constant"}
    for seed, size in tried:

        def asked(points: Any, m: int, seed: int = seed, size: int = size) -> tuple[Any, Any]:
            met = np.zeros((len(points), len(conditions)), dtype=bool)
            sign = np.full(len(points), math.nan)
            with np.errstate(all="ignore"):
                for row, numbers in enumerate(points):
                    found = PublicEvaluation(path.program, Point(list(numbers), seed, size), constants)
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

        solved = solve(asked, starts, special, moved) if conditions else np.asarray(starts[-1])
        if solved is not None:
            for at in moved if inside else ():
                solved = middle(asked, solved, at, len(conditions))
            return Point(list(solved), seed, size)
    raise ProofError(f"no released values were found that go one way through the code: {words(conditions)}")


def _ancestors(nodes: Sequence[Node]) -> list[Node]:
    found: dict[Node, None] = {}
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        if node not in found:
            found[node] = None
            if node.op not in ("release", "expose"):
                waiting.extend(node.inputs)
    return list(found)


def _coordinates(needed: Sequence[Node], places: Mapping[Node, int]) -> list[int]:
    """Numbers that conditions depend on."""
    whole_ones = {each for node in needed if node.op != "take" for each in node.inputs if each in places}
    found: dict[int, None] = {}
    for node in needed:
        if node.op == "take" and node.inputs[0] in places:
            found |= dict.fromkeys(places[node.inputs[0]] + int(each) for each in node.params["places"])
    for each in whole_ones:
        found |= dict.fromkeys(range(places[each], places[each] + math.prod(each.shape)))
    return list(found)


@dataclass
class Records:
    """Turns points into records of the domain, and looks for those that go a way."""

    fields: Mapping[str, Mapping[str, Any]]
    texts: Sequence[str]
    special: Sequence[float]
    rng: np.random.Generator

    def __post_init__(self) -> None:
        self.names = list(self.fields)
        self.widths = [math.prod(self.fields[name]["shape"]) for name in self.names]

    @property
    def width(self) -> int:
        """How many numbers a record has."""
        return sum(self.widths)

    def made(self, points: Any) -> dict[str, Any]:
        """Columns of records that lie in the domain."""
        found, at = {}, 0
        for name, width in zip(self.names, self.widths, strict=True):
            found[name] = self._column(self.fields[name], np.asarray(points)[:, at : at + width])
            at += width
        return found

    def _column(self, field: Mapping[str, Any], numbers: Any) -> Any:
        shape, kind = tuple(field["shape"]), str(field["type"])
        if kind == TEXT:
            pool = field.get("texts") or ["", "another text", *self.texts]
            places = np.nan_to_num(numbers.reshape(-1), nan=0.0, posinf=0.0, neginf=0.0)
            return np.array([pool[int(abs(each)) % len(pool)] for each in places], dtype=object)
        low, high = (np.broadcast_to(values(field[end], "float64").astype(float), shape).ravel() for end in ("low", "high"))
        numbers = np.where(np.isnan(numbers) & (not field["nan"]), 0.0, numbers)
        numbers = np.clip(numbers, low, high).reshape(len(numbers), *shape)
        if field.get("norm"):
            norms = np.linalg.norm(numbers.astype(float), axis=-1, keepdims=True)
            numbers = numbers * np.minimum(1.0, float(field["norm"]) * (1 - 1e-15) / np.maximum(norms, 1e-300))
        if kind == PYTHON_INT:
            numbers = np.clip(np.nan_to_num(np.floor(numbers)), -FARTHEST, FARTHEST)
            return np.array([*(int(each) for each in numbers.ravel()), None], dtype=object)[:-1]
        if np.dtype(kind).kind in "iu":
            ends = np.iinfo(kind)
            numbers = np.clip(np.floor(numbers), max(float(ends.min), -FARTHEST), min(float(ends.max), FARTHEST))
        return (numbers >= 0.5 if kind == "bool" else numbers).astype(kind)

    def starts(self) -> Any:
        """Points all over the domain: its ends, what the proof compares with, and anything between."""
        columns = []
        for name, width in zip(self.names, self.widths, strict=True):
            field = self.fields[name]
            if str(field["type"]) == TEXT:
                columns.append(self.rng.integers(0, 64, size=(RECORDS, width)).astype(float))
                continue
            ends = [np.broadcast_to(values(field[end], "float64").astype(float), tuple(field["shape"])).ravel() for end in ("low", "high")]
            for low, high in zip(*(each.tolist() for each in ends), strict=True):
                pool = [each for each in (low, high, *self.special, *PLAIN) if low <= each <= high]
                pool += [math.nan] if field["nan"] else []
                between = self.rng.uniform(max(low, -10.0), max(min(high, 10.0), max(low, -10.0)), RECORDS)
                own = np.where(self.rng.random(RECORDS) < 0.5, self.rng.choice(np.asarray([*pool, low]), RECORDS), between)
                columns.append(own[:, None])
        return np.concatenate(columns, axis=1) if columns else np.zeros((RECORDS, 0))

    def first(self, way: Sequence[Condition], public: Evaluation, points: Any) -> int | None:
        """The place of the first point whose record goes a way."""
        met, _ = self._asked(way, public)(points, 0)
        goes = np.flatnonzero(met.all(axis=1))
        return int(goes[0]) if len(goes) else None

    def of_way(self, way: Sequence[Condition], public: Evaluation, starts: Any) -> Any:
        """A point whose record goes a way; None where none was found."""
        return solve(self._asked(way, public), starts, self.special, range(self.width))

    def _asked(self, way: Sequence[Condition], public: Evaluation) -> Any:
        known = {node: value for node, value in public.known.items() if node.level == "public"}

        def asked(points: Any, m: int) -> tuple[Any, Any]:
            found = OfRecords(self.made(points), len(points), public, known)
            met = np.zeros((len(points), len(way)), dtype=bool)
            sign = np.full(len(points), math.nan)
            with np.errstate(all="ignore"):
                for place, each in enumerate(way):
                    met[:, place], own = met_by(found, each, 1)
                    if place == m:
                        sign = np.broadcast_to(own, (len(points),))
            return met, sign

        return asked


class OfRecords(Evaluation):
    """The values of some records, at public values that are known."""

    def __init__(self, records: Mapping[str, Any], size: int, public: Evaluation, known: Mapping[Node, Any]) -> None:
        self.records, self.size, self.public, self.known = records, size, public, dict(known)

    def of(self, node: Node) -> Any:
        """The value of a record's node, or of a public one."""
        return self.public.of(node) if node.level == "public" else super().of(node)


def sides(program: ProofProgram) -> list[list[Condition]]:
    """Both sides of each choice within a record's value, as far as the domain has them."""
    found: dict[tuple[Any, ...], list[Condition]] = {}
    for node in program.nodes:
        if node.level != "record" or node.op not in (*CHOICES, *BETWEEN_TWO):
            continue
        asked = node.inputs[0]
        if node.op in BETWEEN_TWO:
            can = ELEMENTWISE["less"].rule(*(each.range for each in node.inputs))
            asked = Node("less", node.inputs, {}, "record", node.shape, "bool", can)
        for truth in (True, False) if asked.level == "record" else ():
            if bool((asked.range.hi > 0 if truth else asked.range.lo < 1).any()):
                key = asked if node.op in CHOICES else node.inputs
                found.setdefault((key, truth), [(asked, truth)])
    return list(found.values())

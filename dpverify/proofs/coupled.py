"""The same released values, whatever the data: noise is chosen so that each release is a number that was fixed before.

What the code returns or raises is then the same for every data set, or it tells something that was not released.
Each draw must have the law and the scale that the proof says, at these released values, and none may be left out.
The check knows no rule: it sees what the reading of the code may have missed, on the data sets that are tried.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from dpverify.core.declared_noise import DeclaredNoiseError
from dpverify.proofs.certificate import CheckedPath
from dpverify.proofs.node import Node
from dpverify.proofs.operations import ProofError
from dpverify.proofs.points import Point, PublicEvaluation, places_of, whole
from dpverify.proofs.program import ProofProgram
from dpverify.proofs.replay import CLOSE, Evaluation, known_alike, returned_value, same, unit_of


class DecidedByRoundingError(ProofError):
    """The same released values, up to their rounding, lead to two paths."""


FAR = (1.0, 100.0, 1e200, 0.0)
"""Released values are this many times a standard normal number; 0 only where the noise can make it exactly so."""


CHOSEN = 4
"""Times that released values are taken from between the numbers that the code compares with."""


Target = Callable[[int, int, tuple[int, ...]], Any]
"""The numbers of a release, or of a draw that is shown: by its place among these, where they begin, and its shape."""


class CoupledEvaluation(Evaluation):
    """The values of a program where each release is what `target` says; `script` has the draws, in order."""

    def __init__(
        self, program: ProofProgram, records: Mapping[str, Any], size: int, rng: np.random.Generator, target: Target
    ) -> None:
        self.places, self.exact = places_of(program), True
        self.wanted = {node: target(k, at, node.shape) for k, (node, at) in enumerate(self.places.items())}
        self.raw = {node: np.zeros(tuple(node.params["shape"])) for node in program.nodes if node.op == "draw"}
        super().__init__(program, records, size, rng)
        draws = [node for node in program.nodes if node.op == "draw"]
        self.script = [self.raw[node][()] for node in draws]
        self.laws = [(node.params["law"], self.of(node.inputs[0]) if node.inputs else 1.0) for node in draws]

    def _drawn(self, node: Node) -> Any:
        return self.raw[node] if node.op == "draw" else super()._drawn(node)

    def _of(self, node: Node, inputs: Sequence[Any]) -> Any:
        if node.op == "expose":
            self._assign(node.inputs[0], np.arange(math.prod(node.shape)), whole(node.law, self.wanted[node]))
            return self._again(node.inputs[0])
        if node.op != "release":
            return super()._of(node, inputs)
        draw = node.inputs[1]
        wanted = whole(draw.law, np.asarray(self.wanted[node], dtype=float))
        noise = (wanted - np.asarray(inputs[0], dtype=float)).ravel()
        self._assign(draw, np.arange(noise.size), noise)
        found = inputs[0] + self._again(draw)
        self.exact &= bool(np.all(found == wanted))
        return found

    def _again(self, draw: Node) -> Any:
        """The value of a draw, now that its numbers are there."""
        for each in [each for each in self.known if each.level == "draw"]:
            del self.known[each]
        self.known |= {each: array[()] for each, array in self.raw.items()}
        return self.of(draw)

    def _assign(self, node: Node, places: Any, wanted: Any) -> None:
        """Make the elements of a draw what is wanted."""
        wanted = np.ravel(wanted)
        if node.op == "draw":
            self.raw[node].reshape(-1)[places] = np.maximum(wanted, 1.0) if node.law == "one-sided" else wanted
        elif node.op == "negative":
            self._assign(node.inputs[0], places, -wanted)
        elif node.op == "take":
            self._assign(node.inputs[0], np.asarray(node.params["places"], dtype=int)[places], wanted)
        elif node.op == "multiply":
            draw, factor = node.inputs if node.inputs[0].level == "draw" else node.inputs[::-1]
            times = np.broadcast_to(self.of(factor), node.shape).ravel()[places]
            self._assign(draw, places, wanted / times)
        elif node.op == "subtract":
            self._assign(node.inputs[0], places, np.maximum(wanted, 0) + 1)
            self._assign(node.inputs[1], places, np.maximum(-wanted, 0) + 1)
        elif node.op == "stack":
            ends = np.cumsum([0, *(int(np.prod(each.shape, dtype=int)) for each in node.inputs)])
            for each, start, stop in zip(node.inputs, ends, ends[1:], strict=False):
                own = (places >= start) & (places < stop)
                self._assign(each, places[own] - start, wanted[own])
        else:
            raise ProofError(f"{node.op} of a draw")


class Scripted(np.random.Generator):
    """A generator whose noise is written down; other random numbers come from a seed."""

    def __init__(self, script: Sequence[Any], seed: int) -> None:
        super().__init__(np.random.PCG64(seed))
        self.script = list(script)
        self.asked: list[tuple[str, Any]] = []

    def _next(self, law: str, scale: Any, size: Any, loc: Any = 0.0) -> Any:
        if not self.script:
            raise ProofError("the code draws more noise than the proof")
        self.asked.append((law, scale))
        whole = law == "geometric"
        found = np.asarray(self.script.pop(0))
        asked = np.broadcast_shapes(np.shape(scale), np.shape(loc)) if size is None else tuple(np.atleast_1d(size))
        if asked != found.shape:
            raise ProofError(f"the code draws noise of shape {asked}, the proof says {found.shape}")
        found = found.astype(np.int64) if whole else found
        if found.shape or np.ndim(loc):
            return loc + found if np.any(loc) else found
        return int(found) if whole else float(loc) + float(found)

    def laplace(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """The next noise."""
        return self._next("laplace", scale, size, loc)

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """The next noise."""
        return self._next("normal", scale, size, loc)

    def standard_normal(self, size: Any = None, dtype: Any = None, out: Any = None) -> Any:
        """The next noise."""
        return self._next("normal", 1.0, size)

    def geometric(self, p: Any, size: Any = None) -> Any:
        """The next noise."""
        return self._next("geometric", p, size)


DataSets = Sequence[tuple[Mapping[str, Any], int, Callable[[], Any]]]
"""Fields, number of records, and what makes the data set as the code takes it."""

Call = Callable[[Any, np.random.Generator], Any]


def check_coupled(
    paths: Sequence[CheckedPath], data_sets: DataSets, call: Call, rng: np.random.Generator, between: Sequence[float]
) -> dict[int, Point]:
    """ProofError where the code tells more than its releases; the paths that were taken, and where.

    `between`: numbers that lie between those that the code compares with, which released values are, too.
    """
    taken: dict[int, Point] = {}
    for far in (*FAR, *(math.nan,) * CHOSEN):
        seed = int(rng.integers(2**62))
        known: dict[Any, Any] = {}

        def target(
            k: int, _: int, shape: tuple[int, ...], far: float = far, known: Any = known, seed: int = seed
        ) -> Any:
            if (k, shape) not in known:
                own = np.random.default_rng([seed % 2**32, k])
                known[k, shape] = own.choice(between, size=shape) if math.isnan(far) else far * own.normal(size=shape)
            return known[k, shape]

        taken |= play(paths, data_sets, call, seed, target, reachable=far != 0.0)
    return taken


def play(
    paths: Sequence[CheckedPath], data_sets: DataSets, call: Call, seed: int, target: Target, *, reachable: bool = True
) -> dict[int, Point]:
    """Run the code on each data set with the same released values; the paths that were taken, and where.

    Not `reachable`: data sets are left out on which the noise cannot make the releases exactly what they should be.
    """
    first: tuple[tuple[str, Any], int, int, bool] | None = None
    taken: dict[int, Point] = {}
    for records, size, made in data_sets:
        place, there = _there(paths, records, size, seed, target)
        if not (reachable or (there.exact and size <= 1)):
            continue
        numbers = [float(each) for node in there.places for each in np.ravel(there.wanted[node])]
        taken[place] = Point(numbers, seed, size)
        rng_of_code = Scripted(there.script, seed)
        outcome = _outcome(call, made(), rng_of_code)
        _check_draws(rng_of_code, there.laws, whole=outcome[0] == "value")
        as_proved = _follows(paths[place], outcome, there, Point([], seed, size))
        if first is None:
            first = (outcome, size, place, as_proved)
        elif not _alike(first[0], outcome, unit_of(there.laws)):
            if place != first[2]:
                raise DecidedByRoundingError("released values at which rounding decides which way the code goes")
            if first[3] and as_proved:
                continue
            raise ProofError(
                f"with the same released values the code gives {_words(first[0])} for {first[1]} records, and "
                f"{_words(outcome)} for {size}"
            )
    return taken


def _follows(path: CheckedPath, outcome: tuple[str, Any], there: CoupledEvaluation, point: Point) -> bool:
    """Tell whether the output is what the proof makes of the releases as they came out, without the data.

    They are what they should be up to an ulp, which `==` sees.
    """
    point.numbers = [float(each) for node in there.places for each in np.ravel(there.of(node))]
    try:
        with np.errstate(all="ignore"):
            public = PublicEvaluation(path.program, point)
            output = outcome[1]
            alike = outcome[0] == "value" and same(
                output, returned_value(path.program, path.returned, public), unit_of(there.laws)
            )
            return alike and known_alike(path.returned, output)
    except (KeyError, ValueError, TypeError, IndexError, ArithmeticError, AssertionError):
        return False


def _check_draws(rng: Scripted, laws: Sequence[tuple[str, Any]], *, whole: bool) -> None:
    """ProofError where the code drew other noise than the proof has; where it raised, up to there."""
    if whole and rng.script:
        raise ProofError(f"the code leaves out {len(rng.script)} of the draws that the proof has")
    for (law, scale), (stated, known) in zip(rng.asked, laws, strict=False):
        code, proof = np.broadcast_arrays(np.asarray(scale, dtype=float), np.asarray(known, dtype=float))
        if law != stated or not np.allclose(code, proof, rtol=CLOSE, atol=0.0, equal_nan=True):
            own, told = (str(np.asarray(each).tolist())[:40] for each in (scale, known))
            raise ProofError(
                f"the code draws {law} noise of scale {own}, the proof says {stated} noise of scale {told}"
            )


def _there(
    paths: Sequence[CheckedPath], records: Mapping[str, Any], size: int, seed: int, target: Target
) -> tuple[int, CoupledEvaluation]:
    """The values on the path that these released values take, and which path it is."""
    for place, path in enumerate(paths):
        found = CoupledEvaluation(path.program, records, size, np.random.Generator(np.random.PCG64(seed)), target)
        if all(bool(found.of(node)) is truth for node, truth in path.conditions):
            return place, found
    raise ProofError(f"for {size} records no path is taken")


def _outcome(call: Callable[[Any, np.random.Generator], Any], data: Any, rng: np.random.Generator) -> tuple[str, Any]:
    try:
        with np.errstate(all="ignore"):
            return "value", call(data, rng)
    except ProofError:
        raise
    except DeclaredNoiseError as problem:
        raise ProofError(str(problem)) from None
    except Exception as problem:  # noqa: BLE001 - an exception is output
        return "raised", type(problem).__name__


def _alike(first: tuple[str, Any], second: tuple[str, Any], unit: float) -> bool:
    return first[0] == second[0] and same(first[1], second[1], unit)


def _words(outcome: tuple[str, Any]) -> str:
    return f"{outcome[1]!r:.60}" if outcome[0] == "value" else str(outcome[1])

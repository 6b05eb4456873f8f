"""What the releases of all paths cost together, under a claim's kind.

For one record (or two, where one is replaced) each release moves by at most its part; costs of one path add up for the
same record, so that releases about disjoint records are charged once. The sum over the releases of one path bounds an
adaptive composition for pure epsilon (Dwork, Rothblum, Vadhan 2010), for rho (Bun, Steinke 2016; Feldman, Zrnic 2021),
at one Renyi order (Feldman, Zrnic 2021), and for mu squared of Gaussian noise (Smith, Thakurta 2022). A mixture of both
kinds costs delta(epsilon - pure) of its Gaussian part, for the pure part moves the loss by its sum at most.
Side of the error: too large, never too small.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from dpverify.proofs.elementwise import precise
from dpverify.proofs.linear import absolute_least
from dpverify.proofs.narrowed import Ranges
from dpverify.proofs.node import Node, values
from dpverify.proofs.norms import norms
from dpverify.proofs.operations import ProofError
from dpverify.proofs.program import ProofProgram
from dpverify.proofs.ranges import Range, euclidean, only_nan, quotient, total

MOST_CELLS = 3000
EXACT = 2.0**53

LEAST = 1e-300
"""Below it numbers underflow: no delta of Gaussian noise is said to be smaller."""
UP = 1 + 2.0**-50
"""Sums and quotients of doubles are rounded by less than this."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Sums over releases: pure epsilon, its squares, and mu squared of Gaussian noise."""

    pure: float = 0.0
    squares: float = 0.0
    gaussian: float = 0.0

    def most(self, other: Cost) -> Cost:
        """The larger of each."""
        return Cost(
            *(math.nan if a != a or b != b else max(a, b) for a, b in zip(self.parts(), other.parts(), strict=True))
        )

    def least(self, other: Cost) -> Cost:
        """The smaller of each, where both are bounds of the same."""
        return Cost(*(min(a, b) for a, b in zip(self.parts(), other.parts(), strict=True)))

    def of_group(self, records: int) -> Cost:
        """The cost where this many records change: each release moves by no more than their sum."""
        if records == 1:
            return self
        squared = records * records * UP
        return Cost(records * self.pure * UP, squared * self.squares * UP, squared * self.gaussian * UP)

    def parts(self) -> tuple[float, float, float]:
        """Return the three as a tuple."""
        return self.pure, self.squares, self.gaussian


def cost_of(program: ProofProgram) -> Cost:
    """Return what the releases of one path cost."""
    if not program.releases:
        return Cost()
    apart = [_without_size(program, *each) for each in program.releases]
    laws = [law for _, law, _ in program.releases]
    parts = [part for part, _ in apart]
    single = Cost()
    for cell in _cells(parts):
        single = single.most(
            _total((norms(part, cell), law, scale) for (part, scale), law in zip(apart, laws, strict=True))
        )
    if program.relation == "add-remove":
        return single
    doubled = Cost(2 * single.pure, 4 * single.squares, 4 * single.gaussian)
    widths = _total((_width(part), law, scale) for (part, scale), law in zip(apart, laws, strict=True))
    return doubled.least(widths)


def sensitivities(program: ProofProgram) -> list[tuple[float, str, float]]:
    """Return for each release how far a neighbour moves it (L2 for Gaussian noise, else L1), its law and its scale."""
    found = []
    for (part, law, scale), (core, least) in zip(
        program.releases, [_without_size(program, *each) for each in program.releases], strict=True
    ):
        one, two = _width(core) if program.relation == "replace" else norms(core, Ranges())
        moved = two if law == "normal" else one
        stated = scale.shape == () and core is part and law != "geometric"
        found.append((moved, law, float(absolute_least(scale.range)) if stated else least))
    return found


def _total(releases: Iterator[tuple[tuple[float, float], str, float]]) -> Cost:
    pure, gaussian = [], []
    for (one, two), law, scale in releases:
        if law == "normal":
            ratio = quotient(two, scale)
            gaussian.append(ratio * ratio * UP)  # infinite where it overflows; a power would raise
        else:
            pure.append(quotient(one, scale))
    return Cost(total(pure) * UP, total(each * each for each in pure) * UP, total(gaussian) * UP)


def _width(part: Node) -> tuple[float, float]:
    """Bounds on the L1 and L2 norm of the difference of what two records put in."""
    wide = part.range.hi - part.range.lo if part.range.finite else np.full(part.shape, math.inf)
    one, two = norms(part, Ranges())
    with np.errstate(all="ignore"):
        return min(total(wide.ravel().tolist()) * UP, 2 * one), min(euclidean(wide) * UP, 2 * two)


def _without_size(program: ProofProgram, part: Node, law: str, scale: Node) -> tuple[Node, float]:
    """The part and its least scale; the public number of records is left out of both where they shrink alike."""
    if law == "geometric":  # it costs -log(1 - p) a step of 1
        return part, float(-1.0 / np.log1p(-scale.range.hi.max()) / UP)
    if scale.shape != ():
        return program.make("divide", part, scale), 1.0 / UP
    least = float(absolute_least(scale.range))
    if not scale.size_power or not scale.size_power[1]:
        return part, least
    core, factor, power = part, *scale.size_power
    while core.op in ("multiply", "divide"):
        first, second = core.inputs
        if core.op == "multiply" and first.level == "public":
            first, second = second, first
        if second.level != "public" or not second.size_power:
            break
        constant, k = second.size_power
        factor, power = (factor / constant, power - k) if core.op == "multiply" else (factor * constant, power + k)
        core = first
    return (part, least) if power or not precise(factor) else (core, float(factor) / UP)


def _cells(parts: Sequence[Node]) -> list[Ranges]:
    """Pieces of the domain of a record, between the numbers that its values are compared with."""
    ends: dict[Node, set[float]] = {}
    for node in _below(parts):
        if node.op == "one_hot":
            ends.setdefault(node.inputs[0], set()).update(map(float, values(node.params["edges"], "float64")))
        if node.op == "is_text":
            ends.setdefault(node.inputs[0], set()).add(float(node.params["code"]))
        if node.op in ("less", "less_equal", "equal"):
            for value, other in (node.inputs, node.inputs[::-1]):
                value = value.inputs[0] if value.op in ("as_float", "loose") else value
                if _is_value(value) and other.op == "constant" and other.shape == () and other.range.finite:
                    ends.setdefault(value, set()).update((float(other.range.lo), float(other.range.hi)))
    pieces: list[list[tuple[Node, Range]]] = []
    shared = _shared(parts)
    ends = {value: numbers for value, numbers in ends.items() if value in shared}
    for value, numbers in sorted(ends.items(), key=lambda each: (_is_computed(each[0]), len(each[1]))):
        if value.kind != "float64" and max(map(abs, numbers)) >= EXACT / 2:
            continue  # between two doubles there are integers
        found = [(value, piece) for piece in _pieces(value.range, sorted(numbers))]
        if math.prod(map(len, pieces)) * len(found) <= MOST_CELLS:
            pieces.append(found)
    return [Ranges(dict(each)) for each in itertools.product(*pieces)]


def _shared(parts: Sequence[Node]) -> set[Node]:
    """Values that two numbers of the releases are made from: only these are worth pieces of their own."""
    branches: list[Node] = []
    for part in parts:
        elements = part.inputs if part.op == "stack" else (part,)
        branches += [each for each in elements for _ in range(1 if each.shape == () else 2)]
    seen = Counter(node for each in branches for node in _below([each]))
    return {node for node, times in seen.items() if times > 1}


def _is_value(node: Node) -> bool:
    """A number of the record."""
    return node.shape == () and node.level == "record" and node.op != "constant"


def _is_computed(node: Node) -> bool:
    return not (node.op == "field" or (node.op == "take" and node.inputs[0].op == "field"))


def _pieces(whole: Range, numbers: Sequence[float]) -> list[Range]:
    """The numbers, the doubles between them, and NaN where it may be."""
    low, high = float(whole.lo), float(whole.hi)
    edges = [each for each in numbers if low <= each <= high]
    places = [(each, each) for each in edges]
    starts = [low, *(math.nextafter(each, math.inf) for each in edges)]
    stops = [*(math.nextafter(each, -math.inf) for each in edges), high]
    places += [(start, stop) for start, stop in zip(starts, stops, strict=True) if start <= stop]
    found = [Range(np.array(start), np.array(stop)) for start, stop in places]
    if not found and not whole.nan:
        raise ProofError("a value that can be nothing")
    return [*found, only_nan()] if whole.nan else found


def _below(parts: Sequence[Node]) -> list[Node]:
    """All nodes that the parts are made of."""
    found: dict[Node, None] = {}
    waiting = list(parts)
    while waiting:
        node = waiting.pop()
        if node not in found:
            found[node] = None
            waiting.extend(node.inputs)
    return list(found)


def delta_of(mu: float, epsilon: float) -> float:
    """Upper bound on delta at epsilon of a Gaussian mechanism (Balle, Wang 2018, theorem 8)."""
    if mu == 0.0:
        return 0.0 if epsilon >= 0 else 1.0
    near, far = (epsilon / mu - mu / 2) / math.sqrt(2), (epsilon / mu + mu / 2) / math.sqrt(2)
    first, second = 0.5 * math.erfc(near), 0.5 * math.erfc(far)
    second *= math.exp(epsilon) if second > LEAST and epsilon < 700 else 0.0  # left out, it only raises the bound
    # log(erfc(x)) falls by less than 2 x + 2 for each unit of x, and far bounds what near is the difference of
    rounded = 2.0**-50 * (8.0 + 4.0 * (far + 1.0) ** 2 + epsilon)
    return min(1.0, max(first - second, 0.0) + rounded * first + LEAST)


def upper_bound(cost: Cost, kind: str, **parameters: float) -> float:
    """The smallest parameter of a claim of this kind that the cost supports, rounded up; infinity where there is none.

    ``PureDP``: epsilon. ``ApproxDP``: epsilon at `delta`. ``GDP``: mu. ``ZCDP``: rho. ``RDP``: epsilon at `order`.
    """
    pure, squares, gaussian = cost.parts()
    if kind == "PureDP":
        return pure if gaussian == 0 else math.inf
    if kind == "GDP":
        return math.sqrt(gaussian) * UP if pure == 0 else math.inf
    if kind == "ZCDP":
        return (gaussian + squares) / 2 * UP
    if kind == "RDP":
        order = parameters["order"]
        return (order * gaussian / 2 + min(pure, order * squares / 2)) * UP
    return _approximate(pure, math.sqrt(gaussian) * UP, parameters["delta"]) if kind == "ApproxDP" else math.inf


def _approximate(pure: float, mu: float, delta: float) -> float:
    """The least epsilon, from above."""
    if not (pure < math.inf and mu < math.inf):
        return math.inf
    if mu == 0.0:
        return pure
    low, high = 0.0, 1.0
    while delta_of(mu, high) > delta:
        high *= 2
        if high > 1e6:
            return math.inf
    if delta_of(mu, 0.0) <= delta:
        return pure
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (low, middle) if delta_of(mu, middle) <= delta else (middle, high)
    return (pure + high) * UP

"""A composition's cost between two proved ends, and the certificate by which anybody can check them."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import flint
import numpy as np

from dpverify.accounting.accountant_inputs import admit, checked_delta, checked_epsilon
from dpverify.accounting.accountants.pld import compose
from dpverify.accounting.loss_sources import directions
from dpverify.accounting.proved.axioms import axiom_of, numbers_of, rests_on
from dpverify.accounting.proved.grid import LossGrid, Reach, grid_for
from dpverify.accounting.proved.masses import Adder, GridMasses
from dpverify.accounting.proved.step_law import StepLaw, law_of
from dpverify.core.composition import Bracket, Composition, HasPure, Side, Step
from dpverify.core.errors import InputError, UnsupportedError
from dpverify.core.subjects import Float
from dpverify.laws.balls import working_precision

FORMAT = "dpverify loss proof 1"
LEAST = 1e-60
"""Least delta that masses are kept for."""
MOST_STEPS = 10**7
EPSILONS = 40
"""Binary digits of a proved epsilon behind the point."""

_NEGLIGIBLE = 2.0**-20  # of delta: what all cuts together may add
_LARGEST = 200.0  # nats of one step: beyond, powers have too many digits
Asked = Literal["epsilon", "delta"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProvedBracket(Bracket):
    """Both ends, and the file that proves them."""

    certificate: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Provable:
    """A composition whose cost can be proved, one question at a time."""

    composition: Composition

    def epsilon(self, delta: float) -> ProvedBracket:
        """Smallest epsilon at `delta` in [1e-60, 1); InputError below, UnsupportedError where no epsilon is finite."""
        if delta < LEAST:
            raise InputError(f"a proof at delta = {delta:g}", allowed=f"a delta of at least {LEAST:g}")
        return _Proof(self._parts(), checked_delta(delta)).epsilon(delta)

    def delta(self, epsilon: float) -> ProvedBracket:
        """Smallest delta at `epsilon` >= 0."""
        about = compose(self.composition).delta(checked_epsilon(epsilon)).upper
        return _Proof(self._parts(), min(max(about, LEAST), 0.5)).delta(epsilon)

    def _parts(self) -> list[tuple[Step, int]]:
        """The steps that cost something."""
        found = [(part.step, part.count) for part in self.composition if _costs(part.step)]
        if not found:
            raise UnsupportedError("no step that costs anything: nothing is left to prove")
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class ProvedAccountant:
    """Privacy-loss distributions in integers, proved: what ``dpverify account --prove`` adds."""

    name: str = "proved"
    version: str = "1"
    source: str = "dominating pairs: Zhu, Dong, Wang 2022, Theorem 10; each step's pair: the certificate"
    side: Side = "bracket"

    def refuses(self, composition: Composition) -> str | None:
        """Steps without a dominating pair; too many steps."""
        try:
            for part in composition:
                if not (isinstance(part.step, HasPure) and part.step.pure_epsilon() == 0):
                    axiom_of(part.step)
        except UnsupportedError as problem:
            return str(problem)
        if composition.size > MOST_STEPS:
            return f"{composition.size} steps: more than {MOST_STEPS}"
        return None

    def compose(self, composition: Composition) -> Provable:
        """A fixed multiset of steps: run in any order, stopped at any time; their numbers depend on no answer."""
        admit(self, composition)
        return Provable(composition=composition)


def _costs(step: Step) -> bool:
    return any(law.bounds() != (0.0, 0.0) for way in directions(step) for law in way)


class _Proof:
    """All laws of a composition on one grid, in every order of the neighbours."""

    def __init__(self, parts: list[tuple[Step, int]], delta: float) -> None:
        self.parts = parts
        self.counts = [count for _, count in parts]
        steps = sum(self.counts)
        tail = max(delta * _NEGLIGIBLE / (4 * steps), 1e-290)
        with working_precision(64):
            many = max(len(axiom_of(step).pairs(step)) for step, _ in parts)
        reaches = [
            [Reach.of(directions(step)[min(way, len(directions(step)) - 1)][0], tail) for step, _ in parts]
            for way in range(many)
        ]
        widest = max(max(-one.low, one.high) for way in reaches for one in way)
        if widest > _LARGEST:
            raise UnsupportedError(f"a step with losses up to {widest:.3g} nats: more than {_LARGEST:g}")
        bits = 32 * math.ceil((56 - math.log2(delta) + math.log2(steps)) / 32)
        bits = max(bits, 128)
        self.grid = max(
            (grid_for(list(zip(way, self.counts, strict=True)), bits=bits) for way in reaches), key=lambda grid: -grid.a
        )
        self.ways: list[_Way] = []
        with working_precision(bits + 64 + 32 + 4 * math.ceil(widest)):
            for way in range(many):
                laws = []
                for (step, _), reach in zip(parts, reaches[way], strict=True):
                    pairs = axiom_of(step).pairs(step)
                    laws.append(law_of(pairs[min(way, len(pairs) - 1)], reach, self.grid))
                self.ways.append(_Way(laws, self.counts, self.grid, delta))

    def epsilon(self, delta: float) -> ProvedBracket:
        upper = max(way.upper.epsilon(delta, up=True) for way in self.ways)
        lower = max(way.lower.epsilon(delta, up=False) for way in self.ways)
        return self._proved("epsilon", delta, lower, upper)

    def delta(self, epsilon: float) -> ProvedBracket:
        upper = max(way.upper.delta(Fraction(epsilon), up=True) for way in self.ways)
        lower = max(way.lower.delta(Fraction(epsilon), up=False) for way in self.ways)
        up, down = float(upper), float(lower)
        up = min(up if Fraction(up) >= upper else math.nextafter(up, 2.0), 1.0)
        down = max(down if Fraction(down) < lower else math.nextafter(down, -1.0), 0.0)
        return self._proved("delta", epsilon, Fraction(down), Fraction(up))

    def _proved(self, asked: Asked, given: float, lower: Fraction | float, upper: Fraction | float) -> ProvedBracket:
        high = float(upper)
        if math.isinf(high):
            raise UnsupportedError(f"losses that are infinite have more mass than delta = {given:g}: no epsilon")
        if lower > upper:
            raise AssertionError(f"two proved ends that contradict each other: {lower} above {upper}")
        attained = all(axiom_of(step).attained for step, _ in self.parts)
        if not attained:
            lower = Fraction(0)
        knots = 2 * self.grid.step
        note = f"proved; knots {knots:.3g} nats apart"
        told = {
            "format": FORMAT,
            "asked": asked,
            "given": str(Fraction(given)),
            "lower": str(lower),
            "upper": str(upper),
            "grid": [self.grid.a, self.grid.b],
            "bits": self.grid.bits,
            "steps": [{"step": step.kind, **numbers_of(step), "count": count} for step, count in self.parts],  # type: ignore[attr-defined]
            "ways": [way.told() for way in self.ways],
            "rests_on": rests_on(step.kind for step, _ in self.parts),  # type: ignore[attr-defined]
        }
        certificate = {**told, "digest": hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()}
        return ProvedBracket(lower=float(lower), upper=high, note=note, certificate=certificate)


class _Way:
    """One order of the neighbours."""

    def __init__(self, laws: list[StepLaw], counts: list[int], grid: LossGrid, delta: float) -> None:
        self.laws = laws
        self.adders = [Adder(grid.bits, upper, delta * _NEGLIGIBLE) for upper in (True, False)]
        self.upper = _Sum(self.adders[0].total([law.upper for law in laws], counts), grid)
        self.lower = _Sum(self.adders[1].total([law.lower for law in laws], counts), grid)

    def told(self) -> dict[str, Any]:
        """The order as the certificate has it."""
        sides = {}
        for name, adder in zip(("upper", "lower"), self.adders, strict=True):
            found = [getattr(law, name) for law in self.laws]
            sides[name] = {
                "laws": [{"first": one.first, "infinite": one.infinite, "masses": _line(one.row)} for one in found],
                "windows": [list(window) for window in adder.windows],
            }
        return {**sides, "outputs": [_told_outputs(law) for law in self.laws]}


def _told_outputs(law: StepLaw) -> Any:
    where = {"first": law.first, "stride": law.stride, "shift": law.shift}
    told = [None if at is None else {**where, "at": _line(at)} for at in law.outputs]
    return told if law.seen else told[0]


def _line(numbers: tuple[int, ...]) -> str:
    return " ".join(map(str, numbers))


class _Sum:
    """The composed masses of one side, and what they cost."""

    def __init__(self, masses: GridMasses, grid: LossGrid) -> None:
        self.masses, self.grid = masses, grid
        unit = math.ldexp(1.0, -grid.bits)
        self._floats: Float = np.array([float(each) for each in masses.row]) * unit
        self._losses: Float = np.asarray(
            (masses.first + 2.0 * np.arange(len(masses.row))) * grid.step, dtype=np.float64
        )

    def delta(self, epsilon: Fraction, *, up: bool) -> Fraction:
        """G(e^epsilon), rounded to the side."""
        bits = self.grid.bits
        with working_precision(bits + 96 + int(4 * abs(epsilon))):
            x = flint.arb(flint.fmpq(epsilon.numerator, epsilon.denominator)).exp()
            start = int(np.searchsorted(self._losses, float(epsilon) - 1e-6))
            row = self.masses.row
            if start < len(row) and not self._beyond(start, x):
                while start < len(row) and not self._beyond(start, x):
                    start += 1
            while start and not self.grid.at(self.masses.first + 2 * (start - 1)) <= x:
                start -= 1
            value = flint.arb(self.masses.infinite)
            if start < len(row):
                over, under = self.grid.scales
                place = self.masses.first + 2 * start
                shrink = flint.arb(under) / flint.arb(over)
                poly = flint.arb_poly([flint.arb(each) for each in row[start:]])
                value += sum(row[start:]) - x / self.grid.at(place) * poly(shrink)
                # A knot at x within the balls: its part is 0, and may have come out below.
            end = value.upper() if up else value.lower()
            whole = (end.ceil() if up else end.floor()).unique_fmpz()
            assert whole is not None
            return max(Fraction(0), Fraction(int(whole), 1 << bits))

    def _beyond(self, k: int, x: flint.arb) -> bool:
        return bool(self.grid.at(self.masses.first + 2 * k) > x)

    def _near(self, epsilon: float) -> float:
        gap = np.minimum(epsilon - self._losses, 0.0)
        return float(np.sum(self._floats * -np.expm1(gap))) + math.ldexp(float(self.masses.infinite), -self.grid.bits)

    def epsilon(self, delta: float, *, up: bool) -> Fraction | float:
        """An epsilon at which G is at most delta, as small as found, or one at which it is above, in units of 2^-40."""
        allowed = Fraction(delta)
        if Fraction(self.masses.infinite, 1 << self.grid.bits) > allowed:
            return math.inf if up else Fraction(0)
        low, high = 0.0, max(float(self._losses[-1]), 0.0) + 1e-9
        for _ in range(80):
            middle = (low + high) / 2
            low, high = (middle, high) if self._near(middle) > delta else (low, middle)
        at, step = int(high * 2**EPSILONS), 1
        while True:
            epsilon = Fraction(max(at, 0), 1 << EPSILONS)
            found = self.delta(epsilon, up=up)
            if up and found <= allowed:
                return epsilon
            if not up and (found > allowed or at <= 0):
                return epsilon if found > allowed else Fraction(0)
            at, step = (at + step, 2 * step) if up else (at - step, 2 * step)

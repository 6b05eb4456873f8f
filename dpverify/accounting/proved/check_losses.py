"""Checks a proved account: python check_losses.py FILE (the standard library alone; nothing of the prover is used).

A pair of laws (P, Q) costs H(x) = sup over events S of P(S) - x Q(S), x = e^epsilon: convex, falling by 1 at most, and
H(0) = 1. Masses m_i at losses log x_i, and m at infinity, cost G(x) = m + sum m_i (1 - x / x_i)_+. Two pairs cost
E_P2 H_1(x / ratio_2), so what is above (below) H for all x is so, step by step, for a composition:

- above: G >= H at each knot, at 0, and beyond the last; between knots G is a chord of a convex function. The event
  {output > y} is the best at its ratio r (Neyman, Pearson): H(x) <= H(r) + (r - x)_+, H(r) = P(> y) - r Q(> y).
- below: between two knots G is at most one line P(S) - x Q(S), which holds at both ends; to the left of them 1 - x.
- losses are added by exact products of masses, rounded to their side and cut to a window: above, the left tail moves up
  to its first place and the right one to infinity; below, the left is dropped, the right moves down to the last place.

Enclosures are pairs of integers over 2^n. Axiom: each step's pair, as `pairs` has it, dominates the step.
"""

from __future__ import annotations

import decimal
import functools
import hashlib
import json
import math
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

Ends = tuple[int, int]
Law = tuple[list[int], int, int]  # masses at first, first + 2, ...; at infinity; first
FORMAT, FAR, LONGEST = "dpverify loss proof 1", 1000, 1 << 20
EXACT = decimal.Context(decimal.MAX_PREC, Emin=decimal.MIN_EMIN, Emax=decimal.MAX_EMAX, traps=[decimal.Inexact])
FIELDS = {
    "sigma sensitivity": "gaussian discrete-gaussian",
    "scale sensitivity": "laplace discrete-laplace",
    "q sigma": "poisson-gaussian poisson-gaussian-replace",
    "q scale": "poisson-laplace poisson-laplace-replace",
    "weights shifts sigma": "mixture mixture-gaussian",
    "p q": "discrete",
    "epsilon": "pure",
    "epsilon delta": "approx",
    "epsilon size": "randomised-response",
}


class LossProofError(Exception):
    """The file proves nothing."""


def need(holds: bool, fault: str) -> None:
    """Refuse the file unless this holds."""
    if not holds:
        raise LossProofError(fault)


def less(a: Ends, b: Ends) -> Ends:
    """An enclosure of a difference."""
    return a[0] - b[1], a[1] - b[0]


class FixedPoint:
    """Enclosures over 2^n of numbers >= 0."""

    def __init__(self, n: int) -> None:
        self.n, self.one = n, (1 << n, 1 << n)

    def of(self, x: Fraction) -> Ends:
        """Enclose a fraction."""
        return (x.numerator << self.n) // x.denominator, -(-(x.numerator << self.n) // x.denominator)

    def times(self, a: Ends, b: Ends) -> Ends:
        """Enclose a product."""
        return a[0] * b[0] >> self.n, -(-a[1] * b[1] >> self.n)

    def over(self, a: Ends, b: Ends) -> Ends:
        """Enclose a quotient."""
        need(b[0] > 0, "too few bits")
        return (a[0] << self.n) // b[1], -(-(a[1] << self.n) // b[0])

    def mean(self, parts: Any, value: Callable[..., Ends], *at: Any) -> Ends:
        """The mean of a value over weighted parts."""
        found = [self.times(self.of(weight), value(part, *at)) for weight, part in parts]
        return sum(low for low, _ in found), sum(high for _, high in found)

    def series(self, term: Ends, x: Ends, k: int, step: int) -> Ends:
        """t + t x / k + t x^2 / (k (k + step)) + ..., until each term is at most half of the one before, and tiny."""
        (a, b), (low, high) = term, term
        while b > 2 or k << self.n < 2 * x[1]:
            a, b, k = (a * x[0] >> self.n) // k, (b * x[1] >> self.n) // k + 1, k + step
            low, high = low + a, high + b
        return low, high + 4

    @functools.cache  # noqa: B019 - two or three of these in all
    def exp(self, x: Fraction) -> Ends:
        """e^x: the series at |x| / 2^s < 1/256, squared s times."""
        need(abs(x) <= FAR**2, "losses too large")
        s = int(abs(x)).bit_length() + 8
        fine = FixedPoint(self.n + 2 * s + 32)
        low, high = fine.series(fine.one, fine.of(abs(x) / 2**s), 1, 1)
        for _ in range(s):
            low, high = fine.times((low, high), (low, high))
        low, high = fine.over(fine.one, (low, high)) if x < 0 else (low, high)
        return low >> fine.n - self.n, (high >> fine.n - self.n) + 1

    @functools.cache  # noqa: B019
    def density(self) -> Ends:
        """1 / sqrt(2 pi), by Machin's formula, whose terms are off by 1 at most each."""
        n = self.n + 32
        arc = [sum((-1) ** k * ((1 << n) // ((2 * k + 1) * m ** (2 * k + 1))) for k in range(n)) for m in (5, 239)]
        low, high = (math.isqrt((1 << 3 * n) // (32 * arc[0] - 8 * arc[1] + off)) for off in (80 * n, -80 * n))
        return low >> 32, (high + 1 >> 32) + 1

    @functools.cache  # noqa: B019
    def gaussian(self, z: Fraction) -> Ends:
        """P(N(0, 1) > z) = 1/2 - density (z + z^3 / 3 + z^5 / 15 + ...), z >= 0; far away it is below e^(-z^2 / 2)."""
        if z < 0:
            return less(self.one, self.gaussian(-z))
        if z * z > 2 * self.n:
            return 0, self.exp(-z * z / 2)[1]
        fine = fine_numbers(self.n + 128 + int(z * z) // 64 * 64)
        inner = fine.times(fine.series(fine.of(z), fine.of(z * z), 3, 2), fine.exp(-z * z / 2))
        low, high = less((fine.one[0] // 2, fine.one[0] // 2), fine.times(inner, fine.density()))
        return max(0, low >> fine.n - self.n), (high >> fine.n - self.n) + 1

    def laplace(self, z: Fraction) -> Ends:
        """P(Laplace(0, 1) > z)."""
        half = self.exp(-abs(z))[0] // 2, self.exp(-abs(z))[1] // 2 + 1
        return half if z >= 0 else less(self.one, half)


fine_numbers = functools.cache(FixedPoint)


def pairs(step: dict[str, Any], n: FixedPoint) -> list[tuple[str, Any, Any]]:
    """Each order's dominating pair: noise, parts (weight, shift) of P and of Q; or outcomes, and P's mass beyond.

    Or "seen", and weighted pairs of which one answers, and is seen to answer.
    """
    kind, still = step["step"], [(Fraction(1), Fraction(0))]
    scale: Any = step.get("scale", step.get("sigma"))
    noise = "laplace" if "scale" in step else "gaussian"
    if kind == noise:
        return [(noise, [(Fraction(1), step["sensitivity"] / scale)], still)]
    if kind in ("mixture", "mixture-gaussian", f"poisson-{noise}", f"poisson-{noise}-replace"):
        rates, shifts = [1 - step["q"], step["q"]] if "q" in step else step["weights"], step.get("shifts", [0, 1])
        parts = [(w / sum(rates), s / scale) for w, s in zip(rates, shifts, strict=True) if w]
        if kind == "mixture":
            return [("seen", [(w, (noise, [(Fraction(1), s)], still)) for w, s in parts], None)]
        back = [(w, -s) for w, s in parts]
        return [(noise, parts, back)] if kind.endswith("-replace") else [(noise, parts, still), (noise, still, back)]
    if kind == "discrete":
        p, q = ([n.of(each / sum(step[name])) for each in step[name]] for name in "pq")
        return [("finite", list(zip(a, b, strict=True)), 0) for a, b in ((p, q), (q, p))]
    if kind in ("pure", "approx", "randomised-response"):
        once, others, delta = n.exp(-step["epsilon"]), int(step.get("size", 2)) - 2, step.get("delta", Fraction(0))
        likely = n.over(n.of(1 - delta), (n.one[0] + (others + 1) * once[0], n.one[0] + (others + 1) * once[1]))
        rare = n.times(likely, once)
        rest = others * rare[0], others * rare[1]
        return [("finite", [(likely, rare), (rare, likely), (rest, rest), (n.of(delta), (0, 0))], 0)]
    far, beyond = int(step["sensitivity"]), 0
    if kind == "discrete-laplace":
        t = [n.exp(-i / scale) for i in range(max(2, far + 1))]
        gap = less(n.one, t[1])
        inner = [(n.times(t[far - i], gap), n.times(t[i], gap)) for i in range(1, far)]
        cells, total = [(t[far], n.one), *inner, (n.one, t[far])], (n.one[0] + t[1][0], n.one[0] + t[1][1])
    else:
        last = math.isqrt(int(2 * scale**2 * n.n)) + 2
        t = [n.exp(-i * i / (2 * scale**2)) for i in range(last + far + 2)]
        beyond = 2 * n.over(t[last + 1], less(n.one, n.exp(-(2 * last + 3) / (2 * scale**2))))[1]  # a geometric series
        sums = [2 * sum(each[side] for each in t[1 : last + 1]) + n.one[0] for side in (0, 1)]
        cells, total = [(t[abs(i - far)], t[abs(i)]) for i in range(-last, last + far + 1)], (sums[0], sums[1] + beyond)
    return [("finite", [(n.over(p, total), n.over(q, total)) for p, q in cells], beyond)]


class Places:
    """Losses k log(1 + a / 2^b); masses over 2^bits."""

    def __init__(self, told: dict[str, Any], span: int) -> None:
        (self.a, self.b), self.bits = told["grid"], told["bits"]
        need(self.a > 0 and 0 <= self.b <= FAR and 0 < self.bits <= FAR and span <= LONGEST, "no grid")
        self.n = FixedPoint(self.bits + 64 + 2 * math.ceil(span * math.log2(1 + self.a / (1 << self.b))))
        need(self.n.n <= 20 * FAR, "losses too large")

    def down(self, value: int, up: bool) -> Any:
        """A value for the knot before: over (1 + a / 2^b)^2, rounded."""
        scaled, square = value << 2 * self.b, ((1 << self.b) + self.a) ** 2
        return -(-scaled // square) if up else scaled // square

    def powers(self, first: int, last: int) -> dict[int, Ends]:
        """Enclosures of e^loss at these places."""
        fine, found = FixedPoint(self.n.n + 64), {}
        x, root = fine.one, fine.of(1 + Fraction(self.a, 1 << self.b))
        for bit in bin(abs(first))[2:]:
            x = fine.times(fine.times(x, x), root if bit == "1" else fine.one)
        x = fine.over(fine.one, x) if first < 0 else x
        for place in range(first, last + 1):
            found[place], x = (x[0] >> 64, (x[1] >> 64) + 1), fine.times(x, root)
        return found


class Part:
    """One pair of laws: its events at the knots x, for noise {output > y} at the outputs y that the file tells."""

    def __init__(self, pair: Any, told: dict[str, Any], x: dict[int, Ends], n: FixedPoint) -> None:
        (self.noise, *self.laws), self.x, self.n = pair, x, n
        self.y: Any = x  # finitely many outcomes have an event at each knot
        if self.noise != "finite":
            at = [Fraction(int(each), 1 << min(told["shift"], 20 * FAR)) for each in told["at"].split()]
            self.y = {told["first"] + told["stride"] * k: each for k, each in enumerate(at) if abs(each) < FAR}

    def event(self, k: int, law: int) -> Ends:
        """An event's mass under P (0) or Q (1); of finitely many outcomes, those whose ratio is above x."""
        if self.noise != "finite":
            above = self.n.gaussian if self.noise == "gaussian" else self.n.laplace
            return self.n.mean(self.laws[law], lambda s: above(self.y[k] - s))
        kept = [each[law] for each in self.laws[0] if each[0][0] << self.n.n > self.x[k][0] * each[1][1]]
        return sum(low for low, _ in kept), sum(high for _, high in kept)

    def density(self, shift: Fraction, y: Fraction) -> Ends:
        """The density of shifted noise at y over that of noise at 0, but for a factor that y alone decides."""
        return self.n.exp(shift * (y - shift / 2) if self.noise == "gaussian" else abs(y) - abs(y - shift))

    def cost(self, k: int) -> Ends:
        """H(x), from above."""
        n, x = self.n, self.x[k][0]
        if self.noise == "finite":
            return 0, self.laws[1] + sum(max(0, p[1] - (x * q[0] >> n.n)) for p, q in self.laws[0])
        ratio = n.over(*(n.mean(law, self.density, self.y[k]) for law in self.laws))
        return 0, self.event(k, 0)[1] - (ratio[0] * self.event(k, 1)[0] >> n.n) + max(0, ratio[1] - x)


def check_law(law: Law, pair: tuple[str, Any, Any], told: Any, grid: Places, upper: bool) -> None:
    """The masses of one step are above, or below, its H at every x."""
    (masses, infinite, first), n = law, grid.n
    unit, last, one = n.n - grid.bits, first + 2 * (len(masses) - 1), n.one[0]
    x, total, below, knots = grid.powers(first - 2, last + 2), infinite << unit, 0, {}
    for place, mass in zip(range(last, first - 2, -2), reversed(masses), strict=True):
        knots[place] = total - below  # G: the mass above less x times the sum of mass / x_i above
        total, below = total + (mass << unit), grid.down(below + (mass << unit), upper)
    drawn, where = (pair[1], told) if pair[0] == "seen" else ([(Fraction(1), pair)], [told])
    parts = [(weight, Part(each, at, x, n)) for (weight, each), at in zip(drawn, where, strict=True)]
    if upper:
        need(total >= one and all(knots[k] >= n.mean(parts, Part.cost, k)[1] for k in knots), "a mass too small above")
        return
    never = sum(p[0] for p, q in pair[1] if q == (0, 0)) if pair[0] == "finite" else 0
    left_held = total <= never or (total <= one and knots[first] <= one - x[first][1])
    need(left_held and infinite << unit <= never, "a mass too large below")
    for k in range(first + 1, last, 2):
        near = (at for at in (k, k + 1, k - 1, k + 2, k - 2) if all(at in part.y for _, part in parts))
        lines = ((n.mean(parts, Part.event, at, 0)[0], n.mean(parts, Part.event, at, 1)[1]) for at in near)
        held = (
            all(knots[k + d] <= p + (-x[k + d][1] * q >> n.n) for d in (-1, 1))
            for p, q in [(one, one), (never, 0), *lines]
        )
        need(any(held), "a mass too large below")


def product(a: Law, b: Law, window: Any, bits: int, upper: bool) -> Law:
    """The sum of two losses: one exact product of two decimal numbers, whose groups of digits are the masses."""
    size, first, sums, side = len(a[0]) + len(b[0]) - 1, a[2] + b[2], (sum(a[0]), sum(b[0])), -1 if upper else 1
    width = len(str(sums[0] * sums[1]))
    long = (decimal.Decimal("".join(f"{mass:0{width}d}" for mass in law[0])) for law in (a, b))
    digits = format(EXACT.multiply(*long), "f").rjust(size * width, "0")
    row = [int(digits[at : at + width]) for at in range(0, size * width, width)]
    infinite = (sums[0] + a[1]) * (sums[1] + b[1]) - sums[0] * sums[1]
    low, high = ((place - first) // 2 for place in window)
    need(0 <= low <= high < size <= LONGEST, "no window")
    left, right, row = sum(row[:low]), sum(row[high + 1 :]), row[low : high + 1]
    row[0 if upper else -1] += left if upper else right
    infinite += right if upper else 0
    return [side * (side * mass >> bits) for mass in row], side * (side * infinite >> bits), first + 2 * low


def composed(laws: list[Law], counts: list[int], windows: Iterator[Any], bits: int, upper: bool) -> Law:
    """The sum of all losses: squares and products by the binary digits of each count, from the left."""
    total: Law = ([1 << bits], 0, 0)
    for law, count in zip(laws, counts, strict=True):
        power = law
        for digit in bin(count)[3:]:
            power = product(power, power, next(windows), bits, upper)
            power = product(power, law, next(windows), bits, upper) if digit == "1" else power
        total = product(total, power, next(windows), bits, upper)
    return total


def delta_of(law: Law, epsilon: Fraction, grid: Places, upper: bool) -> Fraction:
    """G(e^epsilon), rounded to its side."""
    (masses, infinite, first), n = law, grid.n
    total, ratio = infinite << n.n, n.over(n.exp(epsilon), grid.powers(first, first)[first])[not upper]  # x over a knot
    for mass in masses:
        total, ratio = total + mass * max(0, n.one[0] - ratio), grid.down(ratio, not upper)
    return Fraction(total, 1 << grid.bits + n.n)


def law_of(told: dict[str, Any]) -> Law:
    """A law with its numbers."""
    return [int(mass) for mass in told["masses"].split()], told["infinite"], told["first"]


def read(told: dict[str, Any]) -> dict[str, Any]:
    """A step with its numbers, no other ones, and each in its range."""
    fields = ["count", *{k: names for names, kinds in FIELDS.items() for k in kinds.split()}[told["step"]].split()]
    need(set(told) == {"step", *fields}, "numbers of another step")
    step: Any = {k: [Fraction(x) for x in told[k]] if isinstance(told[k], list) else Fraction(told[k]) for k in fields}
    flat = [x for v in step.values() for x in (v if isinstance(v, list) else [v])]
    whole = [step[k] for k in fields if k in ("count", "size") or (k == "sensitivity" and "discrete-" in told["step"])]
    most = [step[k] for k in ("delta", "q") if k in step and told["step"] != "discrete"]
    held = all(0 <= x <= FAR**4 for x in flat) and all(x == int(x) >= 1 for x in whole) and all(x <= 1 for x in most)
    need(held and step.get("size", 2) > 1 and any(step.get("weights", [1])), "a number out of its range")
    return {**step, "step": told["step"]}


def checked(told: dict[str, Any]) -> dict[str, Any]:
    """Return what the file proves; LossProofError where it proves nothing."""
    try:
        rest = json.dumps({key: each for key, each in told.items() if key != "digest"}, sort_keys=True)
        need(told["format"] == FORMAT and told["digest"] == hashlib.sha256(rest.encode()).hexdigest(), "no whole proof")
        return _checked(told)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, ArithmeticError, StopIteration) as problem:
        raise LossProofError(f"not in its form: {type(problem).__name__}: {problem}") from None


def _checked(told: dict[str, Any]) -> dict[str, Any]:
    steps = [read(each) for each in told["steps"]]
    sides = [(way[side], side == "upper", way["outputs"]) for way in told["ways"] for side in ("upper", "lower")]
    read_laws = [[law_of(each) for each in side["laws"]] for side, _, _ in sides]
    grid = Places(told, max(abs(law[2]) + 2 * len(law[0]) for laws in read_laws for law in laws))
    found, ends = [pairs(step, grid.n) for step in steps], []
    need(len(told["ways"]) == max(map(len, found)), "an order of the neighbours that is left out")
    need(len({s["step"].endswith("-replace") for s in steps if s["step"].startswith("poisson-")}) < 2, "two relations")
    given, low, high = (Fraction(told[key]) for key in ("given", "lower", "upper"))
    asked = {"epsilon": (high, low, given, given), "delta": (given, given, high, low)}[told["asked"]]
    need(0 <= low <= high <= FAR and 0 <= given <= FAR, "no answer")
    for at, (laws, (side, upper, outputs)) in enumerate(zip(read_laws, sides, strict=True)):
        for law, ways, where in zip(laws, found, outputs, strict=True):
            need(min(law[0]) >= 0 and law[1] >= 0, "a mass below 0")
            check_law(law, ways[min(at // 2, len(ways) - 1)], where, grid, upper)
        total = composed(laws, [int(step["count"]) for step in steps], iter(side["windows"]), grid.bits, upper)
        ends.append(min(Fraction(1), delta_of(total, asked[0 if upper else 1], grid, upper)))
    need(all(end <= asked[2] for end in ends[::2]), "an upper end too low")
    need(low == 0 or any(end > asked[3] for end in ends[1::2]), "a lower end too high")
    return {"steps": told["steps"], "asked": told["asked"], "given": given, "lower": low, "upper": high}


if __name__ == "__main__":
    try:
        with open(sys.argv[1], encoding="utf-8") as file:
            print("proved:", *(f"{key} = {each}" for key, each in checked(json.load(file)).items()))  # noqa: T201
    except (LossProofError, OSError, ValueError) as problem:
        sys.exit(f"does not hold: {problem}")

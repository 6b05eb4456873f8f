"""How well a sum of levels distinguishes two runs of noisy steps: proved lower bounds on what the steps leak.

Each of many steps shows a number x, Gaussian around a mean that the data decide. An observer gives it a level (how many
of a fixed set of cut points it passes), adds the levels of all steps and keeps the sum modulo W. Whatever is computed
from the steps reveals at most what the steps reveal (data processing), so every divergence between the two laws of that
number is a lower bound on the one between the runs. And its law is easy: a sum over steps does not depend on their
order, so a random permutation of the steps drops out. It is a product of powers of the levels' transforms:

    E z^S = prod over groups of (sum_k p_k z^k)^count,  z = e^(2 pi i j / W),  and P(S = r mod W) by the inverse DFT.

The search does that in doubles. The proofs do it in ball arithmetic, with frequencies left out where a bound shows that
they do not matter: |sum_k p_k z^k|^2 = 1 - 2 sum_(a<b) p_a p_b (1 - cos((b - a) w)) <= 1 - (4 / pi^2) w^2 A with
A = sum_a p_a p_(a+1) and |w| <= pi.

Limits: sums of levels lose a little against the best test (some per cent with 32 levels). Not to be confused with
privacy-loss distributions, which bound from above too but need the loss of each step to be known.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import flint
import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from dpverify.core.subjects import Float

WIDE = 16.0
"""Standard deviations of the sum that the window spans, where the sum's whole range is wider."""

LEAST, LEAST_A_STEP = 1e-12, 2e-14
"""Probabilities below this, and below this times the number of steps, are not used in doubles."""

_NEGLIGIBLE = 80.0
"""Frequencies whose transform is below e^-80 are bounded, not computed."""

Parts = tuple[tuple[float, float], ...]
"""(weight, mean) of the Gaussians that a step's number is drawn from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """So many steps alike, each a mixture of Gaussians of one sigma."""

    count: int
    parts: Parts


@dataclass(frozen=True, slots=True, kw_only=True)
class Levels:
    """A number x has as many levels as there are cut points with x > above, or x < below (-inf for none)."""

    above: tuple[float, ...]
    below: tuple[float, ...]

    def probabilities(self, parts: Parts, sigma: float) -> Float:
        """Of each level from 0 to their number. The cut points are passed in one order, so levels nest."""
        above, below = np.array(self.above), np.array(self.below)
        passed = sum(w * (ndtr((m - above) / sigma) + ndtr((below - m) / sigma)) for w, m in parts)
        ends = np.concatenate([[1.0], passed, [0.0]])
        return np.asarray(np.maximum(ends[:-1] - ends[1:], 0.0))

    def balls(self, parts: Sequence[tuple[flint.arb, float]], sigma: float) -> list[flint.arb]:
        """The same in balls; the cut points are exact."""
        root = flint.arb(2).sqrt() * flint.arb(sigma)

        def passed(above: float, below: float) -> flint.arb:
            total = flint.arb(0)
            for weight, mean in parts:
                upper = ((flint.arb(above) - flint.arb(mean)) / root).erfc()
                lower = flint.arb(0) if math.isinf(below) else ((flint.arb(mean) - flint.arb(below)) / root).erfc()
                total += weight * (upper + lower) / 2
            return total

        ends = [flint.arb(1), *(passed(a, b) for a, b in zip(self.above, self.below, strict=True)), flint.arb(0)]
        return [first - second for first, second in itertools.pairwise(ends)]


@dataclass(frozen=True, kw_only=True, eq=False)
class LevelSum:
    """The sum of all steps' levels, modulo a window, under P and under Q.

    Attributes
    ----------
    levels : Levels
        Of a step's number.
    p, q : tuple of Group
        The steps on either data set; equally many, the largest group first.
    sigma : float
        Standard deviation of each part.
    """

    levels: Levels
    p: tuple[Group, ...]
    q: tuple[Group, ...]
    sigma: float

    @cached_property
    def _laws(self) -> dict[Parts, Float]:
        return {group.parts: self.levels.probabilities(group.parts, self.sigma) for group in (*self.p, *self.q)}

    def _moments(self, groups: Sequence[Group]) -> tuple[float, float]:
        """Mean and standard deviation of the sum."""
        places = np.arange(len(self.levels.above) + 1)
        mean = variance = 0.0
        for group in groups:
            law = self._laws[group.parts]
            first = float(law @ places)
            mean += group.count * first
            variance += group.count * (float(law @ places**2) - first**2)
        return mean, math.sqrt(max(variance, 0.0))

    @cached_property
    def window(self) -> tuple[int, int]:
        """The first sum of the window and W, which is odd."""
        sums = sum(group.count for group in self.q) * len(self.levels.above) + 1
        mean, spread = self._moments(self.q)
        wide = math.ceil(WIDE * spread) + 4 * len(self.levels.above)
        if sums <= wide:
            return 0, _odd(sums)
        return max(math.floor(mean - wide / 2), 0), _odd(wide)

    @cached_property
    def laws(self) -> tuple[Float, Float]:
        """P and Q of each sum of the window, from its first on; doubles, errors of about 1e-15 a probability."""
        low, width = self.window
        found = []
        for groups in (self.p, self.q):
            powers = []
            for group in groups:
                law = self._laws[group.parts]
                folded = np.bincount(np.arange(law.size) % width, weights=law, minlength=width)
                powers.append((group.count, np.fft.rfft(folded)))
            size = powers[0][1].real ** 2 + powers[0][1].imag ** 2
            seen = np.flatnonzero(size > math.exp(-_NEGLIGIBLE / powers[0][0]))
            transform = np.zeros(width // 2 + 1, dtype=np.complex128)
            with np.errstate(divide="ignore", invalid="ignore"):
                logs = np.sum([count * np.log(values[seen]) for count, values in powers], axis=0)
            transform[seen] = np.where(np.isfinite(logs.real), np.exp(logs), 0.0)
            found.append(np.roll(np.fft.irfft(transform, n=width), -(low % width)))
        return found[0], found[1]

    @cached_property
    def least(self) -> float:
        """The least probability that doubles are trusted with."""
        return max(LEAST, LEAST_A_STEP * sum(group.count for group in self.q))

    def epsilon(self, delta: float) -> tuple[float, int]:
        """The largest epsilon that an event {sum at least first + k} shows at `delta`, and k; (0, 0) for none."""
        above, below = (np.cumsum(law[::-1])[::-1] for law in self.laws)
        good = (above > delta) & (below > self.least)
        if not good.any():
            return 0.0, 0
        shown = np.where(good, np.log((np.where(good, above, 1.0) - delta) / np.where(good, below, 1.0)), -np.inf)
        best = int(np.argmax(shown))
        return max(float(shown[best]), 0.0), best

    def renyi(self, order: float) -> float:
        """Renyi divergence of P from Q in nats, outcomes rarer than `least` left out, which lowers it."""
        p, q = self.laws
        good = (p > self.least) & (q > self.least)
        logs = order * np.log(p[good]) + (1.0 - order) * np.log(q[good])
        peak = float(logs.max())
        return max((peak + math.log(float(np.exp(logs - peak).sum()))) / (order - 1.0), 0.0)

    def epsilon_ball(self, delta: float, place: int) -> flint.arb:
        """A ball around log((P(event) - delta) / Q(event)) for the event of `epsilon`; not finite without an answer."""
        low, width = self.window
        size = width - place
        probabilities = []
        for groups in (self.p, self.q):
            transforms, rest = self._transforms(groups)
            total = flint.arb(size) / width
            for j, value in enumerate(transforms[1:], start=1):
                turn = flint.acb(flint.arb(-2 * j) / width).exp_pi_i()
                total += 2 * (value * turn ** ((low + place) % width) * (1 - turn**size) / (1 - turn)).real / width
            probabilities.append(total + flint.arb(0, 1) * rest * width)
        above, below = probabilities
        if not (above > flint.arb(delta) and below > 0):
            return flint.arb.nan()
        return ((above - flint.arb(delta)) / below).log()

    def renyi_ball(self, order: int) -> flint.arb:
        """A ball around a lower bound of the divergence: outcomes that balls cannot tell from 0 are left out."""
        width = self.window[1]
        sides = []
        for groups in (self.p, self.q):
            transforms, rest = self._transforms(groups)
            unknown = flint.acb(flint.arb(0, 1) * rest, flint.arb(0, 1) * rest)
            turned = transforms[1:] + [unknown] * (width // 2 + 1 - len(transforms))
            whole = [transforms[0], *turned, *(value.conjugate() for value in reversed(turned))]
            sides.append([value.real / width for value in flint.acb.dft(whole)])
        total = flint.arb(0)
        for p, q in zip(*sides, strict=True):
            if p > 0 and q > 0:
                total += p * (p / q) ** (order - 1)
        return total.log() / (order - 1) if total > 0 else flint.arb.nan()

    def _transforms(self, groups: Sequence[Group]) -> tuple[list[flint.acb], flint.arb]:
        """E z^S from frequency 0 on, and a bound on the modulus of all that are left out."""
        width, main = self.window[1], groups[0]
        laws = [self.levels.balls([(flint.arb(w), m) for w, m in group.parts], self.sigma) for group in groups]
        # |E z^S|^2 <= (1 - (4 / pi^2) A w^2)^count for the largest group, the others being at most 1.
        near = sum((a * b for a, b in zip(laws[0], laws[0][1:], strict=False)), flint.arb(0))
        needed = _NEGLIGIBLE * math.pi**2 / max(2.0 * float(near) * main.count, 1e-300)
        last = min(math.ceil(math.sqrt(needed) * width / (2.0 * math.pi)), width // 2)
        turned = []
        for law in laws:  # a transform at once: sums of powers in a row would widen complex balls at each turn
            folded = [flint.acb(0)] * width
            for k, part in enumerate(law):
                folded[k % width] += part
            turned.append(flint.acb.dft(folded))
        found = []
        for j in range(last + 1):
            value = flint.acb(1)
            for group, values in zip(groups, turned, strict=True):
                value *= values[j].conjugate() ** group.count
            found.append(value)
        angle = 2 * flint.arb(last + 1) / width  # over pi
        rest = (-2 * near * main.count * angle**2).exp() if last < width // 2 else flint.arb(0)
        return found, rest


def _odd(least: int) -> int:
    """An odd number from `least` on, of small prime factors, which transforms are fast for."""
    width = least + 1 - least % 2
    while True:
        rest = width
        for prime in (3, 5, 7, 11):
            while rest % prime == 0:
                rest //= prime
        if rest == 1:
            return width
        width += 2


def best(sums: Sequence[LevelSum], delta: float) -> tuple[float, LevelSum, int]:
    """The sum of levels that shows the largest epsilon at `delta`, that epsilon, and its event."""
    found = [(*each.epsilon(delta), each) for each in sums]
    epsilon, place, one = max(found, key=lambda each: each[0])
    return epsilon, one, place


def levels_at(values: NDArray[np.float64], above: NDArray[np.float64], below: NDArray[np.float64]) -> Levels:
    """Levels at cut points that belong to increasing values of a score; those that coincide are taken once."""
    keep = np.concatenate([[True], np.diff(above) > 0]) & np.isfinite(above) & np.isfinite(values)
    return Levels(above=tuple(above[keep].tolist()), below=tuple(below[keep].tolist()))

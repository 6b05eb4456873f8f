"""The lower bounds that an accountant is held against: never above the cost of a mechanism that it accounts for.

They are the lower ends of our own brackets (closed form for Gaussian noise, all outcomes listed for randomised
response, privacy-loss distributions rounded down) of the mechanisms that attain the steps (`kinds`), which have two
real data sets under the relation that the accountant claims.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from dpverify.accountant_audit.kinds import KINDS, Runs
from dpverify.accounting.accountants.pld import compose
from dpverify.accounting.composition_spec import composition_of
from dpverify.core.plugins import registry

ROUNDING, LEAST = 1e-6, 1e-9
"""An answer below a lower bound by less than this, relatively or absolutely, is rounding."""


EXACT = ("gdp", "enumeration")
"""Accountants of ours whose brackets are as narrow as rounding; where none applies, losses on a grid are summed."""

WIDTH = 0.01
"""Of the bracket at which the grid is fine enough: a lower end that is looser is one, too, and sooner there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LowerBound:
    """Never above the truth."""

    value: float
    by: str
    """Whose cost it is, and which accountant of ours says so."""
    asked: str = ""
    """The command that computes it; empty where it is a formula."""


@dataclass(slots=True, kw_only=True)
class Judge:
    """Lower bounds under one relation, each computed once."""

    relation: str
    _known: dict[tuple[Runs, str, float], LowerBound | None] = field(default_factory=dict)

    def attains(self, runs: Runs) -> str:
        """The composition that attains these runs; empty where none is known."""
        found = []
        for run in runs:
            if run.kind == "no-op" or not run.count:
                continue
            step = KINDS[run.kind].attained(dict(run.numbers), self.relation)
            if not step:
                return ""
            found.append(f"{step}*{run.count}")
        return " + ".join(found)

    def epsilon(self, runs: Runs, delta: float) -> LowerBound:
        """On the epsilon at `delta`: what holds for every mechanism, where no more is known."""
        floor = LowerBound(value=math.log1p(-delta), by="what holds for every mechanism: epsilon >= log(1 - delta)")
        found = self._asked(runs, "delta", delta)
        return floor if found is None or found.value <= 0 else found

    def delta(self, runs: Runs, epsilon: float) -> LowerBound:
        """On the delta at `epsilon`: 0 where no more is known."""
        return self._asked(runs, "epsilon", epsilon) or LowerBound(value=0.0, by="anything")

    def knows(self, runs: Runs) -> bool:
        """Tell whether a mechanism that attains these runs is known."""
        return bool(self.attains(runs))

    def _asked(self, runs: Runs, given: str, value: float) -> LowerBound | None:
        key = (tuple(sorted(runs, key=repr)), given, value)
        if key not in self._known:
            self._known[key] = self._computed(self.attains(runs), given, value)
        return self._known[key]

    def _computed(self, text: str, given: str, value: float) -> LowerBound | None:
        if not text:
            return None
        composition = composition_of(text, registry())
        exact = [one for one in map(registry().accountants.get, EXACT) if one.refuses(composition) is None]
        name = exact[0].name if exact else "pld"
        found = exact[0].compose(composition) if exact else compose(composition, width=WIDTH)
        ends = found.epsilon(value) if given == "delta" else found.delta(value)
        return LowerBound(
            value=ends.lower,
            by=f"{text} by the accountant {name}",
            asked=f"dpverify account '{text}' --{given} {value!r} --accountant {name}",
        )


def raised(value: float) -> float:
    """A number that is larger by what is rounding."""
    return value * (1 + ROUNDING) + LEAST


def is_below(answer: float, bound: LowerBound | float) -> bool:
    """Tell whether an answer lies below a bound by more than rounding; nan does not."""
    least = bound.value if isinstance(bound, LowerBound) else bound
    return answer < least - (ROUNDING * abs(least) + LEAST if math.isfinite(least) else 0.0)

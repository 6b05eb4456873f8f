"""The steps that accountants are asked about: their numbers, which way these move the cost, and who attains it.

What attains a step is a real mechanism with two real data sets, as the grammar of compositions names it: the lower
bound of its composition holds for every accountant that takes the step. Pure epsilon-DP is attained by randomised
response (Kairouz, Oh and Viswanath 2015), an exponential mechanism by the one with two candidates whose scores are
moved in opposite directions, which is a randomised response at half its epsilon (bounded range: Durfee and Rogers
2019), zero-concentrated DP by Gaussian noise (Bun and Steinke 2016).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from dpverify.core.relation_names import ADD_REMOVE, PRICED

RELATIONS = PRICED


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A number of a step: plain values, the plainest first; the range of others; and whether it raises the cost."""

    plain: tuple[float, ...]
    low: float
    high: float
    rises: bool


NUMBERS: Mapping[str, Number] = {
    "q": Number(plain=(0.5, 0.1, 0.01, 1.0, 0.001), low=1e-3, high=1.0, rises=True),
    "sigma": Number(plain=(1.0, 2.0, 4.0, 0.5, 10.0), low=0.4, high=20.0, rises=False),
    "scale": Number(plain=(1.0, 2.0, 4.0, 0.5, 10.0), low=0.4, high=20.0, rises=False),
    "sensitivity": Number(plain=(1.0, 2.0, 0.5), low=0.2, high=3.0, rises=True),
    "epsilon": Number(plain=(1.0, 0.5, 0.1, 2.0, 0.01), low=0.01, high=3.0, rises=True),
    "rho": Number(plain=(0.5, 0.1, 0.01, 1.0), low=1e-3, high=2.0, rises=True),
}
DELTA = Number(plain=(1e-5, 0.1, 1e-3, 1e-8), low=1e-8, high=0.3, rises=False)
COUNTS = (1, 2, 3, 5, 10, 30, 100, 1000)

Numbers = Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class StepKind:
    """A kind of step."""

    numbers: tuple[str, ...]
    """Those that it always has."""
    attained: Callable[[Numbers, str], str]
    """By which step of the grammar, under a relation; empty where nothing is known."""


def told(value: float) -> str:
    """A number as short as it reads back."""
    short = f"{value:g}"
    return short if float(short) == value else repr(float(value))


def _gaussian(numbers: Numbers, _: str) -> str:
    return f"gaussian(sigma={numbers['sigma']!r}, sensitivity={numbers.get('sensitivity', 1.0)!r})"


def _sampled(numbers: Numbers, relation: str) -> str:
    sigma = numbers["sigma"] / numbers.get("sensitivity", 1.0)
    return f"poisson-gaussian(q={numbers['q']!r}, sigma={sigma!r})" if relation == ADD_REMOVE else ""


def _laplace(numbers: Numbers, _: str) -> str:
    return f"laplace(scale={numbers['scale']!r}, sensitivity={numbers.get('sensitivity', 1.0)!r})"


KINDS: Mapping[str, StepKind] = {
    "gaussian": StepKind(numbers=("sigma",), attained=_gaussian),
    "poisson-gaussian": StepKind(numbers=("q", "sigma"), attained=_sampled),
    "laplace": StepKind(numbers=("scale",), attained=_laplace),
    "pure": StepKind(numbers=("epsilon",), attained=lambda n, _: f"randomised-response(epsilon={n['epsilon']!r})"),
    "exponential": StepKind(
        numbers=("epsilon",), attained=lambda n, _: f"randomised-response(epsilon={n['epsilon'] / 2!r})"
    ),
    "zcdp": StepKind(numbers=("rho",), attained=lambda n, _: f"gaussian(sigma={(2 * n['rho']) ** -0.5!r})"),
}
"""By the names that accountants are given; ``no-op`` beside them has no numbers and costs nothing."""


@dataclass(frozen=True, slots=True)
class AuditedRun:
    """A step, and how often it is run."""

    kind: str
    numbers: tuple[tuple[str, float], ...]
    count: int = 1

    def but(self, name: str, value: float) -> AuditedRun:
        """The run with another number."""
        return replace(self, numbers=tuple((each, value if each == name else old) for each, old in self.numbers))

    def times(self, count: int) -> AuditedRun:
        """The step run so often instead."""
        return replace(self, count=count)

    def text(self) -> str:
        """Such as ``gaussian(sigma=1)*3``."""
        shown = ", ".join(f"{name}={told(value)}" for name, value in self.numbers)
        return f"{self.kind}({shown})" + ("" if self.count == 1 else f"*{self.count}")


Runs = tuple[AuditedRun, ...]


def text_of(runs: Runs) -> str:
    """The runs in their order, such as ``gaussian(sigma=1) + laplace(scale=2)*3``."""
    return " + ".join(run.text() for run in runs) or "nothing"


def size_of(runs: Runs) -> int:
    """The number of runs in all."""
    return sum(run.count for run in runs)
